/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-mtp-recipe.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Hidden state and embedding side by side. */
uint64_t
GetInputBytes(const RecipeContext& context)
{
    return 2 * context.activationBytes;
}

void
ChainInputGather(RecipeWriter& writer, const RecipeContext& context)
{
    if (context.sequenceParallel)
    {
        ChainTensorCollective(writer, context, OperationKind::ALL_GATHER, GetInputBytes(context));
    }
}

void
ChainInputReduce(RecipeWriter& writer, const RecipeContext& context)
{
    ChainTensorCollective(writer,
                          context,
                          context.sequenceParallel ? OperationKind::REDUCE_SCATTER
                                                   : OperationKind::ALL_REDUCE,
                          GetInputBytes(context));
}

} // namespace

PartRecipes
MakeMtpProjectionRecipes(const RecipeContext& context)
{
    const PassTimes& times = context.times.mtpProjection;
    PartRecipes recipes;
    RecipeWriter writer;

    ChainInputGather(writer, context);
    writer.Compute(times.forwardPs);
    ChainTensorCollective(writer, context, OperationKind::ALL_GATHER, context.activationBytes);
    recipes.forward = writer.Take();

    ChainSequenceGather(writer, context); // the gradient of the output
    ChainInputGather(writer, context);    // the input, for the gradients of the weights
    writer.Compute(times.GetBackwardPs());
    ChainInputReduce(writer, context);
    recipes.backward = writer.Take();

    ChainSequenceGather(writer, context);
    writer.Compute(times.backwardInputPs);
    ChainInputReduce(writer, context);
    recipes.backwardInput = writer.Take();

    ChainInputGather(writer, context);
    writer.Compute(times.backwardWeightPs);
    recipes.backwardWeight = writer.Take();
    return recipes;
}

} // namespace llm
} // namespace ns3
