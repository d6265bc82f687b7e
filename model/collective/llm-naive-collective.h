/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NAIVE_COLLECTIVE_H
#define LLM_NAIVE_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Everything over one rank ("naive"): what a beginner would write, and what others are measured by.
 *
 * REDUCE: all ranks send their buffer to the root at once, an incast. BROADCAST: the root sends the
 * buffer to everybody. ALL_REDUCE: the one, then the other, over CollectiveSpec::root. The root's
 * link carries (n-1) S bytes per phase.
 */
class NaiveCollective : public CollectiveAlgorithm
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

#endif // LLM_NAIVE_COLLECTIVE_H
