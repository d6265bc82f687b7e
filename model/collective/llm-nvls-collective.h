/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NVLS_COLLECTIVE_H
#define LLM_NVLS_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * In-network collectives of a scale-up domain ("nvls"): the switch reduces and multicasts, as with
 * NCCL's NVLS. Only for groups that share one node.
 *
 * Each rank owns a chunk of S/N. REDUCE_SCATTER: the owner has the switch read the chunk from all
 * ranks, itself included, and gets the sum: S leaves each port, S/N comes in. ALL_GATHER: the owner
 * gives its chunk to the switch once, which copies it to all, the owner too: S/N out, S in.
 * ALL_REDUCE is both: S (1 + 1/N) each way, where a ring has 2 S (N-1)/N. Slices overlap the two:
 * an owner multicasts a slice as soon as it is reduced. A rank gives its share of a slice when its
 * own sum of the slice before last is there, so that two are on the way.
 *
 * With one slice an ALL_REDUCE takes 2 S / rate, with many it comes near S (1 + 1/N) / rate: set
 * slices to have what the switch can do.
 */
class NvlsCollective : public CollectiveAlgorithm
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
    double DoPredictPipelinedTimePs(const CollectiveSpec& spec,
                                    const CollectiveLinks& links) const override;
};

} // namespace llm
} // namespace ns3

#endif // LLM_NVLS_COLLECTIVE_H
