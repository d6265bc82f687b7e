/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_EMBEDDING_RECIPE_H
#define LLM_EMBEDDING_RECIPE_H

#include "llm-recipe-context.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The token ids of a microbatch: one rank of the tensor-parallel group has read them and gives them
 * to the others, on the first and on the last stage (Megatron's get_batch_on_this_tp_rank).
 *
 * @param context of the training step.
 * @return the recipes; nothing is done backward.
 */
PartRecipes MakeBatchRecipes(const RecipeContext& context);

/**
 * @ingroup llm-training
 *
 * Vocabulary-parallel word embedding: each rank looks up the tokens of its rows, and the results
 * are summed over the tensor-parallel group; under sequence parallelism they are scattered over it,
 * but with learned positions, which are added to the whole sequence, still summed. Its backward
 * makes no gradient of an input, so that all of it belongs to the half for the weights.
 *
 * @param context of the training step.
 * @return the recipes.
 */
PartRecipes MakeEmbeddingRecipes(const RecipeContext& context);

} // namespace llm
} // namespace ns3

#endif // LLM_EMBEDDING_RECIPE_H
