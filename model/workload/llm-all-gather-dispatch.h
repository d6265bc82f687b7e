/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ALL_GATHER_DISPATCH_H
#define LLM_ALL_GATHER_DISPATCH_H

#include "llm-expert-dispatch.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * moe_token_dispatcher_type allgather: every rank gets all tokens of the etp-ep group and computes
 * those of its experts; a reduce-scatter sums the outputs. T h q bytes of each rank either way; the
 * routing map and probabilities that go with them are left out.
 */
class AllGatherDispatch : public ExpertDispatch
{
  public:
    /** @param context, exchanges see ExpertDispatch. */
    AllGatherDispatch(const RecipeContext& context, Exchanges& exchanges);

    void ChainCounts(RecipeWriter& writer) const override;
    void ChainDispatch(RecipeWriter& writer, uint32_t expertRank) const override;
    void ChainCombine(RecipeWriter& writer, uint32_t expertRank) const override;

  protected:
    void Prepare() override;

  private:
    /** @return bytes of the tokens of the whole group. */
    uint64_t GetGroupBytes() const;
};

} // namespace llm
} // namespace ns3

#endif // LLM_ALL_GATHER_DISPATCH_H
