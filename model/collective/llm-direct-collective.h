/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DIRECT_COLLECTIVE_H
#define LLM_DIRECT_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Every rank sends to every other at once ("direct"), as NCCL's grouped send and receive.
 *
 * ALL_TO_ALL: each rank's send buffer is cut into one part per rank, part d for rank d (the part
 * for oneself stays). Offsets of sends are positions in the send buffer. The receive buffer of rank
 * d holds the senders' parts in their order, each as long as part d.
 * REDUCE_SCATTER: each rank sends chunk d to rank d; ALL_GATHER: each sends its own chunk to all;
 * ALL_REDUCE is the one after the other, and a rank begins the second when it has all of the first.
 *
 * Transfers start in the order rank+1, rank+2, ..., so that no receiver is everybody's first;
 * within a phase nothing waits for anything, so that the predicted time has one alpha per phase.
 */
class DirectCollective : public CollectiveAlgorithm
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

#endif // LLM_DIRECT_COLLECTIVE_H
