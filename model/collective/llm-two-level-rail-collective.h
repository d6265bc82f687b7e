/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TWO_LEVEL_RAIL_COLLECTIVE_H
#define LLM_TWO_LEVEL_RAIL_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Two levels, sharded over the rails ("two_level_rail"; Horovod's hierarchical all-reduce, Cho et
 * al. 2019, "BlueConnect"). The ranks at the same place of their nodes are a rail. ALL_REDUCE:
 * reduce-scatter inside each node, so that each rank holds the node's sum of one of g shards; ring
 * all-reduce of each shard over its rail; all-gather inside the node. REDUCE_SCATTER is the first
 * half of it, ALL_GATHER the second. All NICs of a node are at work, each with S/g.
 *
 * Inside a node all exchange with all at once, as over a scale-up switch. With g = 1 (each rank
 * alone) it is a ring, with one node it is direct.
 */
class TwoLevelRailCollective : public CollectiveAlgorithm
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

#endif // LLM_TWO_LEVEL_RAIL_COLLECTIVE_H
