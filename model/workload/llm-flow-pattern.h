/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_PATTERN_H
#define LLM_FLOW_PATTERN_H

#include "llm-flow-list.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Makes the flows of a well-known pattern over ranks 0 .. n-1:
 * - permutation: every rank sends to one other, drawn by the seed, and receives from one;
 * - random: every rank sends to another, drawn on its own;
 * - shift: rank r sends to r + n/2: all traffic crosses the middle;
 * - ring: rank r sends to r + 1;
 * - all-to-all: every rank sends to all others, beginning with r + 1;
 * - incast: ranks 1 .. fanIn send to rank 0.
 */
class FlowPattern
{
  public:
    /** What a pattern is made of. */
    struct Settings
    {
        uint32_t ranks{0};       //!< number of ranks, at least 2
        uint64_t bytes{0};       //!< of each flow
        int64_t startPs{0};      //!< of the first flow
        int64_t staggerPs{0};    //!< incast: between flows; all-to-all: between a rank's flows
        uint32_t fanIn{0};       //!< incast: senders; 0: all others
        uint64_t key{0};         //!< of random numbers
        uint8_t trafficClass{3}; //!< of all flows
    };

    /** @return names of the patterns. */
    static const std::vector<std::string>& GetNames();

    /**
     * @param name of the pattern.
     * @param settings of it.
     * @param source for reports and errors.
     * @return the flows.
     * @throw ConfigError if the name is unknown, or there are too few ranks.
     */
    static FlowList Make(const std::string& name,
                         const Settings& settings,
                         const std::string& source);
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_PATTERN_H
