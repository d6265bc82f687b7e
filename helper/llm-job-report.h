/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_JOB_REPORT_H
#define LLM_JOB_REPORT_H

#include "llm-books.h"
#include "llm-flow-statistics.h"

#include "ns3/llm-message-transport.h"
#include "ns3/llm-training-result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
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
 * What came out of one job of a run, as plain data. Times are ticks.
 */
struct JobReport
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

    std::string name;                                       //!< of the job; empty: the only one
    std::vector<std::pair<std::string, std::string>> facts; //!< "model" -> "gpt2: 12 layers ..."
    std::vector<std::string> placement;                     //!< line per server
    bool complete{false};                                   //!< it ended as it should
    std::vector<std::string> failure;                       //!< else: why, the first line says what
    int64_t start{-1};                          //!< tick of its first rank's start; -1: never
    int64_t end{-1};                            //!< tick of its end in any way; -1: never
    uint64_t operationsDone{0};                 //!< of all ranks
    double mfu{0};                              //!< model FLOPs utilisation of the finished
                                                //!< iterations; 0: none
    std::vector<IterationRecord> iterations;    //!< by number
    std::vector<RankClass> rankClasses;         //!< by stage
    std::vector<DimensionTraffic> traffic;      //!< dimensions with traffic
    std::vector<CollectiveSummary> collectives; //!< by dimension and kind
    std::vector<CollectiveDecision> decisions;  //!< by dimension, kind, group and size
    FlowTimes flows;                            //!< messages over the network
    TransportTotals network;                    //!< of its network transport
    TransportTotals scaleUp;                    //!< of its scale-up transport
    Books books;                                //!< its own
};

/** @param report of a job. @return text of at most 80 columns: what it did; without its facts. */
std::string FormatJobReport(const JobReport& report);

/** @param report of a job. @return what it did, as JSON. */
nlohmann::ordered_json JobToJson(const JobReport& report);

/** @param t counters of a transport. @return as JSON. */
nlohmann::ordered_json TransportTotalsToJson(const TransportTotals& t);

/** @param flows completion times. @return as JSON. */
nlohmann::ordered_json FlowTimesToJson(const FlowTimes& flows);

} // namespace llm
} // namespace ns3

#endif // LLM_JOB_REPORT_H
