/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-overlapped-recipe.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Time of a part, cut into three. */
struct Pieces
{
    int64_t columnPs{0};
    int64_t corePs{0};
    int64_t rowPs{0};
};

Pieces
Cut(int64_t wholePs, const PartFlops& flops)
{
    const auto whole = static_cast<double>(wholePs);
    const double sum = flops.column + flops.core + flops.row;
    Pieces pieces;
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

PartRecipes
MakeOverlappedRecipes(const RecipeContext& context,
                      const PassTimes& times,
                      const PartFlops& flops,
                      int64_t againPs)
{
    constexpr double coreBackward = 2.5; // as PartTimes has it
    const Pieces forward = Cut(times.forwardPs, flops);
    const Pieces input =
        Cut(times.backwardInputPs, {flops.column, coreBackward * flops.core, flops.row});
    const Pieces weight = Cut(times.backwardWeightPs, {flops.column, 0, flops.row});
    PartRecipes recipes;
    RecipeWriter writer;

    ChainGatherBeside(writer, context, forward.columnPs);
    writer.Compute(forward.corePs);
    ChainReduceBeside(writer, context, forward.rowPs);
    recipes.forward = writer.Take();

    ChainGatherBeside(writer, context, input.rowPs);
    writer.Compute(weight.rowPs + againPs + input.corePs);
    ChainGatherBeside(writer, context, input.columnPs);
    ChainReduceBeside(writer, context, weight.columnPs);
    recipes.backward = writer.Take();

    ChainGatherBeside(writer, context, input.rowPs);
    writer.Compute(againPs + input.corePs);
    ChainReduceBeside(writer, context, input.columnPs);
    recipes.backwardInput = writer.Take();

    ChainGatherBeside(writer, context, weight.rowPs);
    writer.Compute(weight.columnPs);
    recipes.backwardWeight = writer.Take();
    return recipes;
}

} // namespace llm
} // namespace ns3
