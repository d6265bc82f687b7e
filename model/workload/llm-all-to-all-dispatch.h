/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ALL_TO_ALL_DISPATCH_H
#define LLM_ALL_TO_ALL_DISPATCH_H

#include "llm-expert-dispatch.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * moe_token_dispatcher_type alltoall: a token is sent once per expert, over the ep group; the
 * ranks of an etp group, which hold parts of the same experts, then gather what each has got. The
 * counts of tokens per expert are gathered first (8 bytes each, over the etp-ep group) unless
 * padding to capacity makes them known.
 */
class AllToAllDispatch : public ExpertDispatch
{
  public:
    /** @param context, exchanges see ExpertDispatch. */
    AllToAllDispatch(const RecipeContext& context, Exchanges& exchanges);

    void ChainCounts(RecipeWriter& writer) const override;
    void ChainDispatch(RecipeWriter& writer, uint32_t expertRank) const override;
    void ChainCombine(RecipeWriter& writer, uint32_t expertRank) const override;

  protected:
    void Prepare() override;

  private:
    /** @return slots of a rank, for all experts. */
    uint64_t GetSlots() const;

    const ExchangeBytes* m_there{nullptr}; //!< null: even
    const ExchangeBytes* m_back{nullptr};  //!< null: even
};

} // namespace llm
} // namespace ns3

#endif // LLM_ALL_TO_ALL_DISPATCH_H
