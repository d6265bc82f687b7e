/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TWO_LEVEL_NODE_COLLECTIVE_H
#define LLM_TWO_LEVEL_NODE_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Two levels, one leader per node ("two_level_node"; the leader-based collectives of MPI, Mamidala
 * et al. 2006). ALL_REDUCE: the ranks of a node give their buffers to the first of them, which
 * adds them up; the leaders run a ring all-reduce; each leader gives the result to its node.
 * REDUCE_SCATTER ends with chunks for the ranks of the node, ALL_GATHER begins with theirs.
 *
 * Only the leaders' NICs are at work, each with all of S: what two_level_rail spreads over the g
 * NICs of a node. In exchange there is one ring instead of g, with messages g times as long. Inside
 * a node the leader talks to all at once, so that its scale-up port carries (g-1) S each way.
 */
class TwoLevelNodeCollective : public CollectiveAlgorithm
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

#endif // LLM_TWO_LEVEL_NODE_COLLECTIVE_H
