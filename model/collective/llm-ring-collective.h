/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RING_COLLECTIVE_H
#define LLM_RING_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Ring collectives: every rank sends to its successor only.
 *
 * REDUCE_SCATTER and ALL_GATHER take n-1 steps of one chunk (the n-th part of the tensor),
 * ALL_REDUCE is the one after the other, 2(n-1) steps (Patarasuk and Yuan 2009; NCCL's "Ring").
 * Rank r owns chunk r: it contributes it to ALL_GATHER and ends with it after REDUCE_SCATTER.
 * BROADCAST is a chain that starts at the root, REDUCE one that ends there; both move the whole
 * buffer over each hop, and overlap the hops only when the buffer is cut into slices.
 *
 * Slices: slice j of a step waits for slice j of the step before, not for the whole chunk.
 * Slices of a chunk differ by at most one byte. An empty chunk makes no transfer.
 */
class RingCollective : public CollectiveAlgorithm
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
    /**
     * Steps of chunk S/n for the ring kinds. BROADCAST and REDUCE, cut into k slices, take
     * (n-1) alpha + (n+k-2) S/k beta; k counts the slices of all channels together.
     */
    double DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const override;
    std::vector<uint32_t> ListCandidates(const CollectiveSpec& spec, uint32_t from) const override;
};

} // namespace llm
} // namespace ns3

#endif // LLM_RING_COLLECTIVE_H
