/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_OVERLAPPED_RECIPE_H
#define LLM_OVERLAPPED_RECIPE_H

#include "llm-attention-core.h"
#include "llm-recipe-context.h"

namespace ns3
{
namespace llm
{

/** FLOPs of a part of a layer, forward, by what they are; any unit. */
struct PartFlops
{
    double column{0}; //!< column-parallel matrices, in front
    double core{0};   //!< between: attention core
    double row{0};    //!< row-parallel matrix, behind
};

/** @param context of the training step. @return FLOPs of attention per token, for CutTimes. */
PartFlops GetAttentionFlops(const RecipeContext& context);

/** Time of a part of a layer, cut in the same way, in picoseconds. */
struct PartPieces
{
    int64_t columnPs{0}; //!< column-parallel matrices
    int64_t corePs{0};   //!< attention core
    int64_t rowPs{0};    //!< row-parallel matrix
};

/** All times of a part of a layer, cut in the same way. */
struct PassPieces
{
    PartPieces forward; //!< F
    PartPieces input;   //!< B
    PartPieces weight;  //!< W; the core has no weights
};

/** @param times of a part. @param flops of it. @return the times, cut in proportion; the core's
 *  backward counted 2.5 times its forward, as PartTimes has it. */
PassPieces CutTimes(const PassTimes& times, const PartFlops& flops);

/**
 * @ingroup llm-training
 *
 * A part under tp_comm_overlap: sequence parallelism whose collectives run beside matrix products,
 * as Transformer Engine does it for attention and dense MLP (not for embedding, output layer and
 * experts):
 * - forward: the all-gather of the input beside the column-parallel product, the reduce-scatter of
 *   the output beside the row-parallel one;
 * - backward: the all-gather of the output's gradient beside the row-parallel product for its
 *   input, the all-gather of the saved input beside the column-parallel one for the input, the
 *   reduce-scatter of the input's gradient beside that for the weights;
 * - its halves: for the input, as above, the reduce-scatter beside the product that makes it; for
 *   the weights, the all-gather of the saved input beside the row-parallel product.
 *
 * Everything else waits as without overlap. The time of a part is cut by FLOPs, the core's backward
 * counted 2.5 times its forward.
 *
 * @param context of the training step, under sequence parallelism.
 * @param times of the part.
 * @param flops of the part.
 * @param againPs forward of the core that is computed again ahead of its backward; 0: none.
 * @param core of attention under context parallelism; null: it only computes.
 * @return the recipes.
 */
PartRecipes MakeOverlappedRecipes(const RecipeContext& context,
                                  const PassTimes& times,
                                  const PartFlops& flops,
                                  int64_t againPs = 0,
                                  const AttentionCore* core = nullptr);

} // namespace llm
} // namespace ns3

#endif // LLM_OVERLAPPED_RECIPE_H
