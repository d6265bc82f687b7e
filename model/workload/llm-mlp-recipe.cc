/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-mlp-recipe.h"

#include "llm-overlapped-recipe.h"

namespace ns3
{
namespace llm
{

PartRecipes
MakeMlpRecipes(const RecipeContext& context)
{
    const PassTimes& times = context.times.mlp;
    if (context.OverlapsTensor())
    {
        PartFlops parts;
        parts.column = context.model.gated_mlp ? 2 : 1;
        parts.row = 1;
        return MakeOverlappedRecipes(context, times, parts);
    }
    PartRecipes recipes;
    RecipeWriter writer;

    ChainSequenceGather(writer, context);
    writer.Compute(times.forwardPs);
    ChainSequenceReduce(writer, context);
    recipes.forward = writer.Take();

    ChainSequenceGather(writer, context); // the gradient of the output, for the row-parallel matrix
    ChainSequenceGather(writer, context); // the input, for the column-parallel matrix
    writer.Compute(times.GetBackwardPs());
    ChainSequenceReduce(writer, context);
    recipes.backward = writer.Take();

    ChainSequenceGather(writer, context);
    writer.Compute(times.backwardInputPs);
    ChainSequenceReduce(writer, context);
    recipes.backwardInput = writer.Take();

    ChainSequenceGather(writer, context);
    writer.Compute(times.backwardWeightPs);
    recipes.backwardWeight = writer.Take();
    return recipes;
}

} // namespace llm
} // namespace ns3
