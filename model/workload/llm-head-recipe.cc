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
    const int64_t backwardPs = context.times.headBackwardPs;
    const int64_t inputPs = GetInputGradientPs(backwardPs);
    PartRecipes recipes;
    RecipeWriter writer;

    ChainSequenceGather(writer, context);
    writer.Compute(context.times.headForwardPs);
    for (int i = 0; i < crossEntropyReductions; ++i)
    {
        ChainTensorCollective(writer,
                              context,
                              OperationKind::ALL_REDUCE,
                              context.crossEntropyBytes);
    }
    recipes.forward = writer.Take();

    ChainSequenceGather(writer, context); // the input, for the gradients of the weights
    writer.Compute(backwardPs);
    ChainSequenceReduce(writer, context);
    recipes.backward = writer.Take();

    writer.Compute(inputPs);
    ChainSequenceReduce(writer, context);
    recipes.backwardInput = writer.Take();

    ChainSequenceGather(writer, context);
    writer.Compute(backwardPs - inputPs);
    recipes.backwardWeight = writer.Take();
    return recipes;
}

} // namespace llm
} // namespace ns3
