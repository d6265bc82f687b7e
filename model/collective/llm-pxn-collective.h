/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PXN_COLLECTIVE_H
#define LLM_PXN_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * ALL_TO_ALL, even or uneven, aligned with the rails ("pxn"; NVIDIA 2022, "Doubling all2all
 * performance with NCCL 2.12"). What a rank has for place j of another node first goes to place j
 * of its own node, over the scale-up links; from there it goes over the network, on rail j only,
 * in one message with what the others of the node have for the same rank. So each rank sends to
 * n/g - 1 ranks over the network instead of n - g, messages are g times as long, and no message
 * leaves its rail. What is for the own node goes directly.
 *
 * For node after node, the next one first: the message to it begins when the parts of the own
 * node's ranks for it are there, which arrive while that to the node before leaves. Predicted
 * times have one port for the network and one for the scale-up links; those of uneven parts reckon
 * with the busiest ports and are estimates.
 */
class PxnCollective : public CollectiveAlgorithm
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

#endif // LLM_PXN_COLLECTIVE_H
