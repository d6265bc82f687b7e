/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-attention-recipe.h"

#include "llm-latent-attention-recipe.h"
#include "llm-overlapped-recipe.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Matrices, core and matrices are apart: the core communicates. */
PartRecipes
MakeContextRecipes(const RecipeContext& context, const AttentionCore& core, int64_t againPs)
{
    const auto [forward, input, weight] =
        CutTimes(context.times.attention, GetAttentionFlops(context));
    PartRecipes recipes;
    RecipeWriter writer;

    ChainSequenceGather(writer, context);
    writer.Compute(forward.columnPs);
    core.ChainForward(writer, forward.corePs);
    writer.Compute(forward.rowPs);
    ChainSequenceReduce(writer, context);
    recipes.forward = writer.Take();

    ChainSequenceGather(writer, context);
    ChainSequenceGather(writer, context);
    writer.Compute(input.rowPs + weight.rowPs);
    core.ChainBackwardAgain(writer, againPs, input.corePs);
    writer.Compute(input.columnPs + weight.columnPs);
    ChainSequenceReduce(writer, context);
    recipes.backward = writer.Take();

    ChainSequenceGather(writer, context);
    writer.Compute(input.rowPs);
    core.ChainBackwardAgain(writer, againPs, input.corePs);
    writer.Compute(input.columnPs);
    ChainSequenceReduce(writer, context);
    recipes.backwardInput = writer.Take();

    ChainSequenceGather(writer, context);
    writer.Compute(weight.rowPs + weight.columnPs);
    recipes.backwardWeight = writer.Take();
    return recipes;
}

} // namespace

PartRecipes
MakeAttentionRecipes(const RecipeContext& context)
{
    const PassTimes& times = context.times.attention;
    const int64_t againPs =
        context.training.recompute_granularity == "selective" ? context.times.attentionCorePs : 0;
    const bool whole = context.layout.GetSize(ParallelAxis::CP) == 1;
    const std::unique_ptr<AttentionCore> core = AttentionCore::Make(context);
    if (context.OverlapsTensor())
    {
        return MakeOverlappedRecipes(context,
                                     times,
                                     GetAttentionFlops(context),
                                     againPs,
                                     whole ? nullptr : core.get());
    }
    if (context.model.HasLatentAttention() && context.GetTensorSize() > 1)
    {
        return MakeLatentAttentionRecipes(context, *core, againPs);
    }
    if (!whole)
    {
        return MakeContextRecipes(context, *core, againPs);
    }
    PartRecipes recipes;
    RecipeWriter writer;

    ChainSequenceGather(writer, context);
    writer.Compute(times.forwardPs);
    ChainSequenceReduce(writer, context);
    recipes.forward = writer.Take();

    ChainSequenceGather(writer, context); // the gradient of the output, for the row-parallel matrix
    ChainSequenceGather(writer, context); // the input, for the column-parallel matrix
    writer.Compute(againPs + times.GetBackwardPs());
    ChainSequenceReduce(writer, context);
    recipes.backward = writer.Take();

    ChainSequenceGather(writer, context);
    writer.Compute(againPs + times.backwardInputPs);
    ChainSequenceReduce(writer, context);
    recipes.backwardInput = writer.Take();

    ChainSequenceGather(writer, context);
    writer.Compute(times.backwardWeightPs);
    recipes.backwardWeight = writer.Take();
    return recipes;
}

} // namespace llm
} // namespace ns3
