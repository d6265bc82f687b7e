/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-cost.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint32_t LARGEST_SEARCHED = 256; //!< group whose ranks are all looked at

/** @return group ranks to look at. */
std::vector<uint32_t>
ListRanks(uint32_t groupSize)
{
    if (groupSize > LARGEST_SEARCHED)
    {
        return {0, 1, groupSize / 2, groupSize - 1};
    }
    std::vector<uint32_t> ranks(groupSize);
    std::iota(ranks.begin(), ranks.end(), 0U);
    return ranks;
}

} // namespace

uint64_t
PredictBusiestBytes(const CollectiveAlgorithm& algorithm, const CollectiveSpec& spec)
{
    uint64_t busiest = 0;
    for (const uint32_t rank : ListRanks(spec.groupSize))
    {
        busiest = std::max(busiest, algorithm.PredictBytes(spec, rank));
    }
    return busiest;
}

CollectiveCost
EstimateCollectiveCost(const CollectiveAlgorithm& algorithm,
                       const CollectiveSpec& spec,
                       double alphaPs,
                       double bitsPerSecond)
{
    CollectiveCost cost;
    for (const uint32_t rank : ListRanks(spec.groupSize))
    {
        uint64_t messages = 0;
        for (uint32_t channel = 0; channel < spec.channels; ++channel)
        {
            const auto program = algorithm.CreateProgram(spec, rank, channel);
            Transfer transfer;
            while (program->Next(transfer))
            {
                if (transfer.send && transfer.bytes > 0)
                {
                    ++messages;
                    cost.largestMessage = std::max(cost.largestMessage, transfer.bytes);
                }
            }
        }
        cost.messages = std::max(cost.messages, messages);
    }
    cost.busiestBytes = PredictBusiestBytes(algorithm, spec);
    cost.timePs = algorithm.PredictTimePs(spec, alphaPs, bitsPerSecond);
    return cost;
}

} // namespace llm
} // namespace ns3
