/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_HALVING_DOUBLING_COLLECTIVE_H
#define LLM_HALVING_DOUBLING_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Recursive halving and doubling ("halving_doubling"; Rabenseifner 2004, Thakur et al. 2005).
 *
 * REDUCE_SCATTER exchanges halves, quarters, ... of the tensor with partners at distance n/2, n/4,
 * ..., 1; ALL_GATHER is its mirror image; ALL_REDUCE is the one after the other, 2 log2 n steps and
 * 2(n-1)/n of the bytes per rank. A group that is no power of two is folded (RankFolding): two
 * steps more, in which the folded ranks hand over their whole buffer and get the result.
 *
 * With several channels a rank's chunk is spread over all of them in REDUCE_SCATTER and ALL_GATHER,
 * so that a message there is gathered from several places.
 */
class HalvingDoublingCollective : public CollectiveAlgorithm
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

#endif // LLM_HALVING_DOUBLING_COLLECTIVE_H
