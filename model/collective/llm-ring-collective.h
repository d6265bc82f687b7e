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
 * Ring collectives: every rank sends to its successor only. Over several nodes of more than one
 * rank each channel has a ring of its own, rotated in the nodes: channel c enters a node at its
 * place c (modulo the ranks of a node) and leaves it at the place before, so that as many network
 * ports of a node are used as there are channels, as by NCCL's rings.
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
    /** Exact for equal slices; chains as in DoPredictTimePs. */
    double DoPredictPipelinedTimePs(const CollectiveSpec& spec,
                                    const CollectiveLinks& links) const override;
    std::vector<uint32_t> ListCandidates(const CollectiveSpec& spec, uint32_t from) const override;

  private:
    /** @return bytes that go from a rank to its successor: of @p all bytes, of which @p own are
     *          the sender's chunk and @p theirs the receiver's. */
    static uint64_t PredictChannelBytes(const CollectiveSpec& spec,
                                        uint32_t from,
                                        uint32_t to,
                                        uint64_t all,
                                        uint64_t own,
                                        uint64_t theirs);
};

} // namespace llm
} // namespace ns3

#endif // LLM_RING_COLLECTIVE_H
