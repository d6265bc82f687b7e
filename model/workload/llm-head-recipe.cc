/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-head-recipe.h"

namespace ns3
{
namespace llm
{

PartRecipes
MakeHeadRecipes(const RecipeContext& context)
{
    constexpr int crossEntropyReductions = 3;
    const PassTimes& times = context.times.head;
    PartRecipes recipes;
    RecipeWriter writer;

    ChainSequenceGather(writer, context);
    writer.Compute(times.forwardPs);
    for (int i = 0; i < crossEntropyReductions; ++i)
    {
        ChainTensorCollective(writer,
                              context,
                              OperationKind::ALL_REDUCE,
                              context.crossEntropyBytes);
    }
    recipes.forward = writer.Take();

    ChainSequenceGather(writer, context); // the input, for the gradients of the weights
    writer.Compute(times.GetBackwardPs());
    ChainSequenceReduce(writer, context);
    recipes.backward = writer.Take();

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
