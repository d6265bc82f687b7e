/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MTP_RECIPE_H
#define LLM_MTP_RECIPE_H

#include "llm-recipe-context.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What an MTP module has in front of its layer (DeepSeek-V3 s.2.2): norms of the hidden state and
 * of the next token's embedding, side by side 2 h wide, and a projection to h. As in Megatron-Core,
 * the projection is column-parallel and its output is gathered; under sequence parallelism its
 * input, 2 X for X bytes of activations, is gathered in front and each rank keeps its part of the
 * output. Backward, the gradient of the input is reduced, of the output gathered under sequence
 * parallelism. The module's embedding, layer and output layer have the recipes of the model's.
 *
 * @param context of the training step.
 * @return the recipes.
 */
PartRecipes MakeMtpProjectionRecipes(const RecipeContext& context);

} // namespace llm
} // namespace ns3

#endif // LLM_MTP_RECIPE_H
