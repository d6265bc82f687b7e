/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_LIST_H
#define LLM_FLOW_LIST_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Bytes from one rank to another at a time: one message. */
struct Flow
{
    uint32_t from{0};        //!< sending rank
    uint32_t to{0};          //!< receiving rank, another one
    uint64_t bytes{0};       //!< length
    int64_t startPs{0};      //!< from the start of the iteration, picoseconds
    uint8_t trafficClass{3}; //!< 0..7
};

/** Flows and where they come from. */
struct FlowList
{
    std::string source;             //!< file, for reports
    std::string kind;               //!< "HPCC flows", "pattern incast", ...
    std::vector<Flow> flows;        //!< in the order of the file
    std::vector<std::string> notes; //!< what was ignored, and why
    uint32_t ranks{0};              //!< highest rank that occurs and one
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_LIST_H
