/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-mlp-recipe.h"

namespace ns3
{
namespace llm
{

PartRecipes
MakeMlpRecipes(const RecipeContext& context)
{
    const int64_t backwardPs = context.times.mlpBackwardPs;
    const int64_t inputPs = GetInputGradientPs(backwardPs);
    PartRecipes recipes;
    RecipeWriter writer;

    ChainSequenceGather(writer, context);
    writer.Compute(context.times.mlpForwardPs);
    ChainSequenceReduce(writer, context);
    recipes.forward = writer.Take();

    ChainSequenceGather(writer, context); // the gradient of the output, for the row-parallel matrix
    ChainSequenceGather(writer, context); // the input, for the column-parallel matrix
    writer.Compute(backwardPs);
    ChainSequenceReduce(writer, context);
    recipes.backward = writer.Take();

    ChainSequenceGather(writer, context);
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
