/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_LATENT_ATTENTION_RECIPE_H
#define LLM_LATENT_ATTENTION_RECIPE_H

#include "llm-attention-core.h"
#include "llm-recipe-context.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Latent attention (DeepSeek-V2 s.2.1) over tensor-parallel ranks, under sequence parallelism, as
 * Megatron-Core has it. Each rank compresses its own part of the sequence with matrices that all
 * have whole; what is gathered is not the input but its compressed form, in front of the matrices
 * that expand it and are split by heads. With n = b s / c tokens, per layer:
 *
 * - forward: all-gathers of n r_q q (queries; n h q if they are not compressed), n r_kv q (keys and
 *   values) and n d_r q bytes (the part of the keys with positions), reduce-scatter of the output,
 *   n h q;
 * - backward: all-gather of the output's gradient, n h q; the compressed queries and key-values
 *   again, for the weights; reduce-scatters of their gradients and of that of the positional keys.
 *
 * @param context of the training step.
 * @param core how attention sees the whole sequence.
 * @param againPs compute of the core's forward that selective recomputation does again.
 * @return the recipes.
 */
PartRecipes MakeLatentAttentionRecipes(const RecipeContext& context,
                                       const AttentionCore& core,
                                       int64_t againPs);

} // namespace llm
} // namespace ns3

#endif // LLM_LATENT_ATTENTION_RECIPE_H
