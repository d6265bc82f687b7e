/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_HEAD_RECIPE_H
#define LLM_HEAD_RECIPE_H

#include "llm-recipe-context.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Final norm, vocabulary-parallel output layer and cross-entropy. The latter needs, for each token,
 * the maximum of the logits, the logit of the target and the sum of the exponentials over the
 * tensor-parallel group (Megatron's vocab_parallel_cross_entropy), in fp32.
 *
 * @param context of the training step.
 * @return the recipes.
 */
PartRecipes MakeHeadRecipes(const RecipeContext& context);

} // namespace llm
} // namespace ns3

#endif // LLM_HEAD_RECIPE_H
