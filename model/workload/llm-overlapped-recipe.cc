/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-overlapped-recipe.h"

#include "llm-model-flops.h"

namespace ns3
{
namespace llm
{

namespace
{

PartPieces
Cut(int64_t wholePs, const PartFlops& flops)
{
    const auto whole = static_cast<double>(wholePs);
    const double sum = flops.column + flops.core + flops.row;
    PartPieces pieces;
    pieces.columnPs = static_cast<int64_t>(whole * flops.column / sum);
    pieces.rowPs = static_cast<int64_t>(whole * flops.row / sum);
    pieces.corePs = flops.core > 0 ? wholePs - pieces.columnPs - pieces.rowPs : 0;
    if (flops.core == 0)
    {
        pieces.rowPs = wholePs - pieces.columnPs;
    }
    return pieces;
}

} // namespace

PartFlops
GetAttentionFlops(const RecipeContext& context)
{
    const ModelConfig& model = context.model;
    const ModelFlops flops(model,
                           context.training.seq_length,
                           context.training.causal_attention_flops);
    PartFlops parts;
    parts.row = 2 * static_cast<double>(model.hidden_size * model.num_attention_heads *
                                        model.GetValueHeadDim());
    parts.column = static_cast<double>(flops.GetAttentionProjections()) - parts.row;
    parts.core = static_cast<double>(flops.GetAttentionCore());
    return parts;
}

PassPieces
CutTimes(const PassTimes& times, const PartFlops& flops)
{
    constexpr double coreBackward = 2.5; // as PartTimes has it
    PassPieces pieces;
    pieces.forward = Cut(times.forwardPs, flops);
    pieces.input = Cut(times.backwardInputPs, {flops.column, coreBackward * flops.core, flops.row});
    pieces.weight = Cut(times.backwardWeightPs, {flops.column, 0, flops.row});
    return pieces;
}

PartRecipes
MakeOverlappedRecipes(const RecipeContext& context,
                      const PassTimes& times,
                      const PartFlops& flops,
                      int64_t againPs,
                      const AttentionCore* core)
{
    const auto [forward, input, weight] = CutTimes(times, flops);
    PartRecipes recipes;
    RecipeWriter writer;

    ChainGatherBeside(writer, context, forward.columnPs);
    core ? core->ChainForward(writer, forward.corePs) : writer.Compute(forward.corePs);
    ChainReduceBeside(writer, context, forward.rowPs);
    recipes.forward = writer.Take();

    ChainGatherBeside(writer, context, input.rowPs);
    if (core)
    {
        writer.Compute(weight.rowPs);
        core->ChainBackwardAgain(writer, againPs, input.corePs);
    }
    else
    {
        writer.Compute(weight.rowPs + againPs + input.corePs);
    }
    ChainGatherBeside(writer, context, input.columnPs);
    ChainReduceBeside(writer, context, weight.columnPs);
    recipes.backward = writer.Take();

    ChainGatherBeside(writer, context, input.rowPs);
    core ? core->ChainBackwardAgain(writer, againPs, input.corePs)
         : writer.Compute(againPs + input.corePs);
    ChainReduceBeside(writer, context, input.columnPs);
    recipes.backwardInput = writer.Take();

    ChainGatherBeside(writer, context, weight.rowPs);
    writer.Compute(weight.columnPs);
    recipes.backwardWeight = writer.Take();
    return recipes;
}

} // namespace llm
} // namespace ns3
