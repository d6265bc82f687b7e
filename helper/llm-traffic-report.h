/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAFFIC_REPORT_H
#define LLM_TRAFFIC_REPORT_H

#include "ns3/llm-flow-generator.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Flows of a range of sizes. Times are ticks. */
struct FlowBucket
{
    uint64_t most{0};         //!< longest flow, bytes; UINT64_MAX: any
    uint64_t count{0};        //!< flows that have arrived
    int64_t meanTicks{0};     //!< completion time
    double slowdownMedian{0}; //!< completion time over that on an empty network
    double slowdown95{0};     //!< 95 % are not slower
    double slowdown99{0};     //!< 99 % are not slower
    double slowdownWorst{0};  //!< of all
};

/**
 * @ingroup llm-training
 *
 * What came out of traffic beside the jobs: one entry of background, incasts, tcp or udp.
 */
struct TrafficReport
{
    std::string kind;                //!< "background", "incast", "tcp", "udp"
    std::string name;                //!< of the entry
    std::string description;         //!< what it sends
    uint64_t flows{0};               //!< began
    uint64_t bytes{0};               //!< of flows that began; tcp, udp: handed to the sockets
    uint64_t arrived{0};             //!< flows; tcp, udp: not counted
    uint64_t failed{0};              //!< flows
    std::string failure;             //!< of the first
    double offeredLoad{0};           //!< part of the senders' links; background only
    std::vector<FlowBucket> buckets; //!< of sizes that occurred; background, incast
    uint64_t bytesReceived{0};       //!< tcp, udp: by the applications
    int64_t ticks{0};                //!< tcp, udp: from the start to the last byte
    double goodput{0};               //!< tcp, udp: bytesReceived over that time, bit/s
};

/** @param flows that have arrived. @return them by decades of their size, without empty ones. */
std::vector<FlowBucket> SortFlows(const std::vector<FlowRecord>& flows);

/** @param reports of all entries. @return text of at most 80 columns; empty if there are none. */
std::string FormatTraffic(const std::vector<TrafficReport>& reports);

/** @param report of an entry. @return as JSON, names with units. */
nlohmann::ordered_json TrafficToJson(const TrafficReport& report);

} // namespace llm
} // namespace ns3

#endif // LLM_TRAFFIC_REPORT_H
