/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_COST_H
#define LLM_COLLECTIVE_COST_H

#include "ns3/llm-collective-algorithm.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/** What a collective costs by one algorithm, on a network where nobody else sends. */
struct CollectiveCost
{
    uint64_t messages{0};       //!< sent by the rank that sends most of them
    uint64_t largestMessage{0}; //!< bytes of the largest one
    uint64_t busiestBytes{0};   //!< sent by the rank that sends most bytes
    double timePs{0};           //!< alpha-beta time, see CollectiveAlgorithm::PredictTimePs
};

/**
 * @ingroup llm-training
 *
 * Messages are counted in the algorithm's programs, bytes are its closed form. Of groups above 256
 * ranks only the first two, the middle and the last rank are looked at: of all the module's
 * algorithms one of them is among the busiest.
 *
 * @param algorithm that can do it.
 * @param spec what.
 * @param alphaPs latency per step, in picoseconds.
 * @param bitsPerSecond rate of each rank's link.
 * @return the cost.
 */
CollectiveCost EstimateCollectiveCost(const CollectiveAlgorithm& algorithm,
                                      const CollectiveSpec& spec,
                                      double alphaPs,
                                      double bitsPerSecond);

/**
 * @ingroup llm-training
 *
 * @param algorithm that can do it.
 * @param spec what.
 * @return bytes sent by the rank that sends most, looked for as above.
 */
uint64_t PredictBusiestBytes(const CollectiveAlgorithm& algorithm, const CollectiveSpec& spec);

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_COST_H
