/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RUN_REPORT_H
#define LLM_RUN_REPORT_H

#include "llm-books.h"
#include "llm-scenario.h"

#include "ns3/llm-fabric.h"
#include "ns3/llm-message-transport.h"
#include "ns3/llm-training-result.h"

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
    /** Ranks that do alike: a pipeline stage. Times are means over ranks, sums over iterations. */
    struct RankClass
    {
        std::string name;   //!< "stage 0"
        uint32_t ranks{0};  //!< members
        int64_t compute{0}; //!< computing
        int64_t exposed{0}; //!< waiting for communication that nothing hides
        int64_t bubble{0};  //!< waiting for the pipeline
    };

    /** Traffic of one parallel dimension, all ranks and iterations. */
    struct DimensionTraffic
    {
        ParallelDimension dimension{ParallelDimension::DATA}; //!< which
        uint64_t scaleUpBytes{0};                             //!< payload within servers
        uint64_t networkBytes{0};                             //!< payload between servers
        uint64_t messages{0};                                 //!< both
    };

    /** Completion times of the network's messages. */
    struct FlowTimes
    {
        uint64_t count{0};  //!< messages
        int64_t median{0};  //!< half are not slower
        int64_t p90{0};     //!< 90 % are not slower
        int64_t p99{0};     //!< 99 % are not slower
        int64_t longest{0}; //!< of all
    };

    Scenario scenario;                                      //!< what was run
    std::vector<std::pair<std::string, std::string>> facts; //!< "model" -> "gpt2: 12 layers ..."
    std::vector<std::string> placement;                     //!< line per server
    bool complete{false};                                   //!< the job ended as it should
    std::vector<std::string> failure;                       //!< else: why, the first line says what
    uint64_t operationsDone{0};                             //!< of all ranks
    double mfu{0}; //!< model FLOPs utilisation of the finished iterations; 0: none
    std::vector<IterationRecord> iterations;    //!< by number
    std::vector<RankClass> rankClasses;         //!< by stage
    std::vector<DimensionTraffic> traffic;      //!< dimensions with traffic
    std::vector<CollectiveSummary> collectives; //!< by dimension and kind
    std::vector<CollectiveDecision> decisions;  //!< by dimension, kind, group and size
    FlowTimes flows;                            //!< messages over the network
    TransportTotals network;                    //!< of the network's transport
    TransportTotals scaleUp;                    //!< of the scale-up transport
    FabricTotals fabric;                        //!< of all ports
    std::map<DropReason, uint64_t> drops;       //!< frames by reason
    uint64_t switchBufferPeak{0};               //!< most bytes stored in one switch
    Books books;                                //!< every byte accounted for
};

/** @param report of a run. @return text of at most 80 columns for a terminal. */
std::string FormatRunReport(const RunReport& report);

/** @param report of a run. @return summary.json: names with units, deterministic. */
std::string FormatRunSummary(const RunReport& report);

} // namespace llm
} // namespace ns3

#endif // LLM_RUN_REPORT_H
