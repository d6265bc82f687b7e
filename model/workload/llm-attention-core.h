/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ATTENTION_CORE_H
#define LLM_ATTENTION_CORE_H

#include "llm-recipe-context.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The core of attention (scores and weighted sum) and how it sees the whole sequence under context
 * parallelism: the plug point of cp_comm_type. Each of c ranks has 1/c of the sequence, in two of
 * 2c chunks (i and 2c-1-i), so that causal attention is as much work for every rank.
 *
 * With W = 2 b (s/c) (k_v/t) d_h q bytes of keys and values of a rank, per layer and microbatch:
 * - p2p: RingAttentionCore, c-1 sends of W forward, c-1 and c sends of W backward;
 * - all_gather: GatherAttentionCore, all-gather and reduce-scatter of c W;
 * - a2a: UlyssesAttentionCore, 4 all-to-alls forward and 4 backward;
 * - a2a+p2p: all-to-alls in parts of the context-parallel group, a ring between them.
 *
 * Under latent attention keys and values are exchanged expanded, as Megatron-Core does: a/t heads
 * of d_n + d_r and d_v elements. c = 1: computes only.
 */
class AttentionCore
{
  public:
    /** @param context of the recipe; it must outlive the core. @return the core that the config
     *  names. */
    static std::unique_ptr<AttentionCore> Make(const RecipeContext& context);

    virtual ~AttentionCore() = default;

    /** @param writer gets the core forward. @param durationPs its compute. */
    virtual void ChainForward(RecipeWriter& writer, int64_t durationPs) const;
    /** @param writer gets the core backward. @param durationPs its compute. */
    virtual void ChainBackward(RecipeWriter& writer, int64_t durationPs) const;
    /** The same behind another forward, communication included, if activations of the core are
     *  recomputed. @param writer gets it. @param againPs compute of that forward. @param durationPs
     *  compute of backward. */
    void ChainBackwardAgain(RecipeWriter& writer, int64_t againPs, int64_t durationPs) const;

  protected:
    /** @param context of the recipe. */
    explicit AttentionCore(const RecipeContext& context);

    /** @return the recipe's context. */
    const RecipeContext& GetContext() const;
    /** @return bytes of a rank's queries; of outputs with the width of values. */
    uint64_t GetQueryBytes() const;
    /** @return bytes of a rank's keys. */
    uint64_t GetKeyBytes() const;
    /** @return bytes of a rank's values. */
    uint64_t GetValueBytes() const;
    /** @return bytes of a rank's outputs. */
    uint64_t GetOutputBytes() const;
    /** Chains a collective of context parallelism; nothing over one rank. @param writer gets it.
     *  @param kind, group, bytes of it. */
    void Chain(RecipeWriter& writer, OperationKind kind, const char* group, uint64_t bytes) const;

  private:
    uint64_t GetBytes(uint64_t heads, uint64_t width) const;
    uint64_t CountKeyValueHeads() const;

    const RecipeContext& m_context; //!< shape
};

} // namespace llm
} // namespace ns3

#endif // LLM_ATTENTION_CORE_H
