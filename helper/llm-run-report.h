/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RUN_REPORT_H
#define LLM_RUN_REPORT_H

#include "fabric-uplink-balance.h"
#include "llm-books.h"
#include "llm-flow-statistics.h"
#include "llm-job-report.h"
#include "llm-scenario.h"
#include "llm-traffic-report.h"
#include "llm-trouble-record.h"

#include "ns3/llm-fabric.h"
#include "ns3/llm-message-transport.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What came out of a run, as plain data: printed for people by FormatRunReport, for programs by
 * FormatRunSummary. Times are ticks. Everything here follows from the input alone: no wall times,
 * no event counts.
 */
struct RunReport
{
    Scenario scenario;                                      //!< what was run
    std::vector<std::pair<std::string, std::string>> facts; //!< "fabric" -> "leaf-spine: ..."; of
                                                            //!< a job that is alone, its own too
    std::vector<std::string> placement;                     //!< line per server; a job alone
    std::vector<JobReport> jobs;                            //!< in the order of the scenario
    std::vector<TrafficReport> traffic;                     //!< beside the jobs
    bool complete{false};                                   //!< all jobs ended as they should
    std::vector<std::string> failure;                       //!< else: why, the first line says what
    FlowTimes flows;                                        //!< messages over the network, all jobs
    TransportTotals network;                                //!< of all network transports
    TransportTotals scaleUp;                                //!< of all scale-up transports
    FabricTotals fabric;                                    //!< of all ports
    std::map<DropReason, uint64_t> drops;                   //!< frames by reason
    uint64_t switchBufferPeak{0};                           //!< most bytes stored in one switch
    std::vector<TroubleRecord> trouble;                     //!< failures and repairs, by time
    std::vector<FabricUplinkBalance> uplinks;               //!< bytes sent upwards, by tier
    std::vector<std::pair<std::string, uint64_t>> pathCounters; //!< of path policies
    Books books;                                                //!< every byte accounted for
};

/** @param report of a run. @return text of at most 80 columns for a terminal. */
std::string FormatRunReport(const RunReport& report);

/** @param report of a run. @return summary.json: names with units, deterministic. */
std::string FormatRunSummary(const RunReport& report);

} // namespace llm
} // namespace ns3

#endif // LLM_RUN_REPORT_H
