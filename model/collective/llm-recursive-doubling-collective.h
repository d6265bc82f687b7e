/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RECURSIVE_DOUBLING_COLLECTIVE_H
#define LLM_RECURSIVE_DOUBLING_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Recursive doubling ("recursive_doubling"; Thakur et al. 2005).
 *
 * ALL_REDUCE exchanges the whole buffer with partners at distance 1, 2, 4, ...: log2 n steps of S
 * bytes, the choice for small sizes. ALL_GATHER exchanges all that has been gathered so far, S/n,
 * 2S/n, ..., which is the second half of HalvingDoublingCollective. A group that is no power of two
 * is folded (RankFolding).
 *
 * In ALL_REDUCE the partner's data may come before the own has been sent: the receive takes effect
 * behind the send, see TransferProgram.
 */
class RecursiveDoublingCollective : public CollectiveAlgorithm
{
  public:
    std::string GetName() const override;
    std::string WhyNot(const CollectiveSpec& spec) const override;
    std::unique_ptr<TransferProgram> CreateProgram(const CollectiveSpec& spec,
                                                   uint32_t rank,
                                                   uint32_t channel) const override;
    uint64_t PredictPairBytes(const CollectiveSpec& spec,
                              uint32_t from,
                              uint32_t to) const override;

  protected:
    double DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const override;
    std::vector<uint32_t> ListCandidates(const CollectiveSpec& spec, uint32_t from) const override;
};

} // namespace llm
} // namespace ns3

#endif // LLM_RECURSIVE_DOUBLING_COLLECTIVE_H
