/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ULYSSES_ATTENTION_CORE_H
#define LLM_ULYSSES_ATTENTION_CORE_H

#include "llm-attention-core.h"

#include <memory>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * DeepSpeed-Ulysses (Jacobs et al. 2023): all-to-alls of queries, keys and values give each rank of
 * a group some heads of the whole group's sequence, and one of outputs gives them back; backward
 * the gradient of the output, then those of queries, keys and values. If the group is a part of the
 * context-parallel one, the core within is a ring over the others (a2a+p2p).
 */
class UlyssesAttentionCore : public AttentionCore
{
  public:
    /** @param context of the recipe. @param group kind of group that exchanges heads. @param ring
     *  kind of group of the ring within; null: none. */
    UlyssesAttentionCore(const RecipeContext& context, const char* group, const char* ring);

    void ChainForward(RecipeWriter& writer, int64_t durationPs) const override;
    void ChainBackward(RecipeWriter& writer, int64_t durationPs) const override;

  private:
    void ChainExchange(RecipeWriter& writer, uint64_t bytes) const;

    const char* m_group;                   //!< exchanges heads
    std::unique_ptr<AttentionCore> m_ring; //!< within; null: computes only
};

} // namespace llm
} // namespace ns3

#endif // LLM_ULYSSES_ATTENTION_CORE_H
