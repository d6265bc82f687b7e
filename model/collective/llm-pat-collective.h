/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PAT_COLLECTIVE_H
#define LLM_PAT_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Parallel aggregated trees ("pat"; NCCL 2.23, Jeaugey 2025), ALL_GATHER and REDUCE_SCATTER in
 * ceil(log2 n) steps for any group size.
 *
 * Each chunk travels along a binomial tree rooted at its owner, all trees are the same but for a
 * shift, and what goes over the same hop in the same step is one message. ALL_GATHER goes to the
 * farthest rank first, with one chunk, and to the neighbour last, with half of the tensor;
 * REDUCE_SCATTER is its mirror image. Aggregation is complete: the linear phase, by which NCCL
 * bounds its buffers for large sizes, is not modelled.
 */
class PatCollective : public CollectiveAlgorithm
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

#endif // LLM_PAT_COLLECTIVE_H
