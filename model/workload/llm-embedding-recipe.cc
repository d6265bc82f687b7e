/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-embedding-recipe.h"

namespace ns3
{
namespace llm
{

PartRecipes
MakeBatchRecipes(const RecipeContext& context)
{
    PartRecipes recipes;
    RecipeWriter writer;
    ChainTensorCollective(writer, context, OperationKind::BROADCAST, context.batchBytes);
    recipes.forward = writer.Take();
    return recipes;
}

PartRecipes
MakeEmbeddingRecipes(const RecipeContext& context)
{
    PartRecipes recipes;
    RecipeWriter writer;

    writer.Compute(context.times.embedding.forwardPs);
    if (context.model.learned_positions)
    {
        ChainTensorCollective(writer, context, OperationKind::ALL_REDUCE, context.activationBytes);
    }
    else
    {
        ChainSequenceReduce(writer, context);
    }
    recipes.forward = writer.Take();

    ChainSequenceGather(writer, context); // the gradient of the output
    writer.Compute(context.times.embedding.GetBackwardPs());
    recipes.backward = writer.Take();
    recipes.backwardWeight = recipes.backward;
    return recipes;
}

} // namespace llm
} // namespace ns3
