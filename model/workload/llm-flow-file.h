/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_FILE_H
#define LLM_FLOW_FILE_H

#include "llm-flow-list.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Reads lists of flows, of two forms. That of the HPCC family of simulators, tokens separated by
 * white space:
 *
 *     <number of flows>
 *     <from> <to> <priority group> <destination port> <bytes> <start in s>      a flow each
 *
 * or, as conweave has it, without the port. And CSV with a row of column names, in any order:
 *
 *     from,to,bytes,start,class
 *     0,1,16MiB,1.5us,3
 *
 * of which start (0) and class (the default class) may be missing; "start_s", "start_ms",
 * "start_us" and "start_ns" are start times without units. Flows may stand in any order.
 */
class FlowFile
{
  public:
    /**
     * @param fileName file.
     * @param numbers node ids of the file by rank; empty: a rank is its id.
     * @param trafficClass of flows that do not say one.
     * @return the flows.
     * @throw ConfigError naming file and line: a field that is no number, a node that is no rank,
     *        a flow to its own sender, fewer or more flows than the head says.
     */
    static FlowList Read(const std::string& fileName,
                         const std::vector<uint32_t>& numbers,
                         uint8_t trafficClass);

    /**
     * @param text content.
     * @param source name for errors.
     * @param numbers see Read.
     * @param trafficClass see Read.
     * @return see Read.
     * @throw ConfigError see Read.
     */
    static FlowList Parse(const std::string& text,
                          const std::string& source,
                          const std::vector<uint32_t>& numbers,
                          uint8_t trafficClass);
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_FILE_H
