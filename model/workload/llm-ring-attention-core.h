/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RING_ATTENTION_CORE_H
#define LLM_RING_ATTENTION_CORE_H

#include "llm-attention-core.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Ring attention (Liu et al. 2023): keys and values go round the ranks of a group, and each rank
 * computes a block with those it has while it hands them on. n blocks of the same length (causal
 * attention is balanced), n - 1 sends of W forward.
 *
 * Backward they go round again, n - 1 sends of W, and their gradients behind them, n sends of W:
 * with the last of these each is back with the rank that the keys and values belong to. A block's
 * gradients are sent while the next block is computed. Implementations differ here: Transformer
 * Engine packs both into one message.
 */
class RingAttentionCore : public AttentionCore
{
  public:
    /** @param context of the recipe. @param group kind of group that makes the ring. */
    RingAttentionCore(const RecipeContext& context, const char* group);

    void ChainForward(RecipeWriter& writer, int64_t durationPs) const override;
    void ChainBackward(RecipeWriter& writer, int64_t durationPs) const override;

  private:
    /** Sends W to the next rank and then has W of the one before. */
    void ChainHop(RecipeWriter& writer) const;
    /** @return time of one of the blocks. */
    int64_t GetBlockPs(int64_t durationPs, uint32_t block) const;

    const char* m_group; //!< ring
    uint32_t m_ranks;    //!< n
};

} // namespace llm
} // namespace ns3

#endif // LLM_RING_ATTENTION_CORE_H
