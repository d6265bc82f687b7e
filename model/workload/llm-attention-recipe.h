/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ATTENTION_RECIPE_H
#define LLM_ATTENTION_RECIPE_H

#include "llm-recipe-context.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Attention of a layer. Forward, the sum of the output projections over the tensor-parallel group
 * (Narayanan 2021 s.2.3); backward, that of the gradients of the input. Under sequence parallelism
 * the input is gathered in front and the output scattered, backward the other way round, and the
 * input, of which only a part was kept, is gathered again for the gradients of the weights
 * (Korthikanti 2022 s.4.2).
 *
 * The half for the weights needs that second all-gather only: the gathered gradient of the output
 * is kept from the half for the input.
 *
 * Selective activation recomputation runs the attention core forward once more, ahead of its
 * backward (Korthikanti 2022 s.5).
 *
 * @param context of the training step.
 * @return the recipes.
 */
PartRecipes MakeAttentionRecipes(const RecipeContext& context);

} // namespace llm
} // namespace ns3

#endif // LLM_ATTENTION_RECIPE_H
