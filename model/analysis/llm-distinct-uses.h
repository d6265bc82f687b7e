/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DISTINCT_USES_H
#define LLM_DISTINCT_USES_H

#include "llm-traffic-model.h"

#include <cstdint>
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
    std::string where;        //!< "all", "0", "0, 7" or "1 .. 6": pipeline ranks that have some
};

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
