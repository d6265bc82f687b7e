/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DISTINCT_USES_H
#define LLM_DISTINCT_USES_H

#include "llm-traffic-model.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Equal collectives of one or several pipeline ranks. */
struct DistinctUse
{
    CollectiveUse use;        //!< count is that of the pipeline rank that has most of them
    uint32_t pipelineRank{0}; //!< the first of those
    std::string where;        //!< see DescribeRanks: pipeline ranks that have some
};

/** @param ranks not empty. @param all how many there are. @return "all", "0", "0, 7", "1-6, 8". */
std::string DescribeRanks(const std::set<uint32_t>& ranks, uint32_t all);

/**
 * @ingroup llm-training
 *
 * @param step what is trained.
 * @param use a collective of it.
 * @param rank global rank that takes part.
 * @param serverOf server by global rank; empty: each rank is alone.
 * @return the collective of that rank's group.
 */
CollectiveSpec MakeUseSpec(const TrainingStep& step,
                           const CollectiveUse& use,
                           uint32_t rank,
                           const std::vector<uint32_t>& serverOf);

/**
 * @ingroup llm-training
 *
 * The collectives of all pipeline ranks, those that are equal but for their number only once: same
 * kind, purpose, kind of group, size and exchange.
 * @param model closed form.
 * @param pipelineRanks size of the axis PP.
 * @return in the order in which pipeline ranks have them.
 */
std::vector<DistinctUse> ListDistinctUses(const TrafficModel& model, uint32_t pipelineRanks);

} // namespace llm
} // namespace ns3

#endif // LLM_DISTINCT_USES_H
