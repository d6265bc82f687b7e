/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MLP_RECIPE_H
#define LLM_MLP_RECIPE_H

#include "llm-recipe-context.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Dense MLP of a layer: a column-parallel matrix (or two) and a row-parallel one. It communicates
 * as attention does, see MakeAttentionRecipes.
 *
 * @param context of the training step.
 * @return the recipes.
 */
PartRecipes MakeMlpRecipes(const RecipeContext& context);

} // namespace llm
} // namespace ns3

#endif // LLM_MLP_RECIPE_H
