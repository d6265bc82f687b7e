/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SIMULATION_H
#define LLM_SIMULATION_H

#include "fabric-topology.h"
#include "llm-drop-counter.h"
#include "llm-flow-statistics.h"
#include "llm-progress-line.h"
#include "llm-run-report.h"
#include "llm-scenario-job.h"
#include "llm-scenario-output.h"
#include "llm-scenario-traffic.h"
#include "llm-scenario-trouble.h"
#include "llm-scenario.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One run of a scenario, from its description to its report: builds the fabric and the jobs on it,
 * runs ns-3's simulator, writes files, checks the books. It owns the simulator of the process
 * meanwhile: only one can exist at a time, and its end is Simulator::Destroy and Names::Clear.
 *
 * What it builds can be reached between construction and Run, to connect traces or to put other
 * ns-3 applications on the endpoints.
 */
class Simulation
{
  public:
    /**
     * Build everything; nothing runs yet.
     * @param scenario what to simulate.
     * @throw ConfigError if the parts of the scenario do not fit together.
     */
    explicit Simulation(const Scenario& scenario);
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    /** @param out show progress there, a terminal; before Run. */
    void ShowProgress(std::ostream& out);

    /**
     * Run to the end, write the files, fill in the report.
     * @return true if all jobs completed and the books balance.
     */
    bool Run();

    /** @return what came out; before Run, what is known of it. */
    const RunReport& GetReport() const;
    /** @return the jobs, in the order of the scenario. */
    const std::vector<std::unique_ptr<ScenarioJob>>& GetJobs() const;
    /** @return the first job; there must be one. */
    Ptr<TrainingJob> GetJob() const;
    /** @return the network. */
    const FabricNetwork& GetNetwork() const;
    /** @return transport between servers of the first job. */
    Ptr<MessageTransport> GetNetworkTransport() const;
    /** @return the closed form of the first job's traffic. @throw ConfigError if the workload is
     * imported. */
    const TrafficModel& GetTrafficModel() const;

  private:
    /** Leave the process as it was found. */
    void TearDown();
    /** Workloads of the jobs. */
    void ReadJobs();
    /** Fabric. */
    void BuildNetwork();
    /** Endpoints of the jobs. */
    void PlaceJobs();
    /** Transports and jobs. */
    void BuildJobs();
    /** Events. */
    void BuildTrouble();
    /** Traffic beside the jobs. */
    void BuildTraffic();
    /** A job is over. */
    void JobEnded(Ptr<TrainingJob> job);
    /** Files. */
    void BuildOutput();
    /** What is told before anything has run. */
    void Describe();
    /** Fill in the report. */
    void Collect();
    /** Fill in what the traffic beside the jobs has to say. */
    void CollectTraffic();
    /** Fill in what the fabric and all transports together have to say. */
    void CollectNetwork();
    /** Check the books of jobs and network. */
    void CollectBooks();

    Scenario m_scenario;                              //!< what to simulate
    Scenario m_shared;                                //!< the same, for what jobs share
    RunReport m_report;                               //!< what came out
    std::vector<std::unique_ptr<ScenarioJob>> m_jobs; //!< in the order of the scenario
    std::unique_ptr<FabricTopology> m_topology;       //!< shape of the network
    FabricNetwork m_network;                          //!< the network
    FlowStatistics m_flows;                           //!< completion times of several jobs
    DropCounter m_drops;                              //!< losses
    std::unique_ptr<ScenarioTrouble> m_trouble;       //!< events; null: none
    std::unique_ptr<ScenarioTraffic> m_traffic;       //!< beside the jobs; null: none
    std::unique_ptr<ScenarioOutput> m_output;         //!< null: no files
    std::unique_ptr<ProgressLine> m_progress;         //!< null: none
};

} // namespace llm
} // namespace ns3

#endif // LLM_SIMULATION_H
