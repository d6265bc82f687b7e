/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_ANALYSIS_H
#define LLM_SCENARIO_ANALYSIS_H

#include "llm-report-document.h"
#include "llm-scenario-workload.h"
#include "llm-scenario.h"

#include "ns3/llm-network-demand.h"
#include "ns3/llm-traffic-volumes.h"
#include "ns3/llm-workload-timeline.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** What an analysis needs beside a scenario. */
struct AnalysisConfig
{
    int64_t latencyPs{5000000};   //!< alpha of a message between servers
    std::string matrixFile;       //!< traffic matrix of ranks, CSV; empty: none
    std::string serverMatrixFile; //!< traffic matrix of servers, CSV; empty: none
};

/**
 * @ingroup llm-training
 *
 * What can be said about a training step without simulating packets: bytes by dimension and by pair
 * of ranks, memory, FLOPs, the time of the step on a network where nobody is in the way, and what
 * the network must give. For layouts of any size: time and memory grow with the number of ranks,
 * not with what they do; the timeline runs one pipeline of many that are alike.
 *
 * Ranks lie on servers in order of their number unless the scenario places them.
 */
class ScenarioAnalysis
{
  public:
    /** The time of a step. */
    struct StepTime
    {
        bool known{false};          //!< false: too many operations, only the ideal time
        int64_t idealPs{0};         //!< without communication, with the pipeline's bubble
        int64_t stepPs{0};          //!< with alpha-beta times
        TimeBreakdown criticalPath; //!< of stepPs
        int64_t computePs{0};       //!< of the rank that computes longest
        double bubble{0};           //!< idle over busy, without communication
        double mfu{0};              //!< of stepPs, or of idealPs if that is all that is known
    };

    /**
     * Reckons all, and writes the matrices.
     * @param scenario what is trained on what.
     * @param config see there.
     * @throw ConfigError if the scenario's parts do not fit together or a file cannot be written.
     */
    ScenarioAnalysis(const Scenario& scenario, const AnalysisConfig& config);

    /** @return all of it, for people and programs. */
    ReportDocument Report() const;

    /** @return what is trained. */
    const ScenarioWorkload& GetWorkload() const;
    /** @return traffic. */
    const TrafficVolumes& GetVolumes() const;
    /** @return needs. */
    const std::vector<NetworkDemand>& GetDemands() const;
    /** @return times. */
    const StepTime& GetStepTime() const;
    /** @return whether every rank's model, optimizer and activations fit its accelerator. */
    bool FitsMemory() const;

  private:
    void PlaceRanks();
    void SumTraffic(const AnalysisConfig& config);
    void RunTimeline(const AnalysisConfig& config);
    uint32_t GetRankAt(uint32_t pipelineRank) const;
    void ReportScenario(ReportDocument& document) const;
    void ReportMemory(ReportDocument& document) const;
    void ReportVolumes(ReportDocument& document) const;
    void ReportCollectives(ReportDocument& document) const;
    void ReportMessages(ReportSection& section) const;
    void ReportTime(ReportDocument& document) const;
    void ReportDemands(ReportDocument& document) const;

    ScenarioWorkload m_workload;               //!< what is trained
    std::vector<uint32_t> m_serverOf;          //!< by rank
    std::unique_ptr<TrafficVolumes> m_volumes; //!< traffic
    std::vector<NetworkDemand> m_demands;      //!< needs
    StepTime m_time;                           //!< times
    uint64_t m_rankRows{0};                    //!< of the matrix of ranks
    AnalysisConfig m_config;                   //!< as given
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_ANALYSIS_H
