/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PAIRWISE_COLLECTIVE_H
#define LLM_PAIRWISE_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * ALL_TO_ALL in n-1 steps, one partner per step ("pairwise"; Thakur et al. 2005).
 *
 * In step i a rank exchanges with rank xor i if the group is a power of two, else it sends to
 * rank + i and receives from rank - i. A step begins when the part of the step before is there;
 * DirectCollective sends the same bytes all at once. Buffers are laid out as there.
 */
class PairwiseCollective : public CollectiveAlgorithm
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
};

} // namespace llm
} // namespace ns3

#endif // LLM_PAIRWISE_COLLECTIVE_H
