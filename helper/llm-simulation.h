/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SIMULATION_H
#define LLM_SIMULATION_H

#include "fabric-topology.h"
#include "llm-collective-writer.h"
#include "llm-drop-counter.h"
#include "llm-ecn-writer.h"
#include "llm-flow-statistics.h"
#include "llm-flow-writer.h"
#include "llm-output-folder.h"
#include "llm-pfc-writer.h"
#include "llm-progress-line.h"
#include "llm-queue-writer.h"
#include "llm-run-report.h"
#include "llm-scenario-workload.h"
#include "llm-scenario.h"

#include "ns3/llm-training-job.h"
#include "ns3/llm-training-step.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One run of a scenario, from its description to its report: builds fabric, transports and job,
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
     * @return true if the job completed and the books balance.
     */
    bool Run();

    /** @return what came out; before Run, what is known of it. */
    const RunReport& GetReport() const;
    /** @return the job. */
    Ptr<TrainingJob> GetJob() const;
    /** @return the network. */
    const FabricNetwork& GetNetwork() const;
    /** @return transport between servers. */
    Ptr<MessageTransport> GetNetworkTransport() const;
    /** @return the closed form of the traffic. @throw ConfigError if the workload is imported. */
    const TrafficModel& GetTrafficModel() const;

  private:
    /** Leave the process as it was found. */
    void TearDown();
    /** Fabric and placement. */
    void BuildNetwork();
    /** Transports and job. */
    void BuildJob();
    /** Files. */
    void BuildOutput();
    /** What is told before anything has run. */
    void Describe(const std::string& placement);
    /** Tell which model is trained how. */
    void DescribeModel();
    /** Tell what the busiest stage needs of its memory. */
    void DescribeMemory();
    /** @return bytes that will go over the network. */
    uint64_t PredictNetworkBytes() const;
    /** Fill in the report. */
    void Collect();
    /** FLOPs over what could have been done. */
    void CollectUtilisation();
    /** Times per pipeline stage. */
    std::string NamePipelineRank(uint32_t rank) const;
    void CollectRankClasses();
    /** Bytes per dimension. */
    void CollectTraffic();
    /** Check the books. */
    void CollectBooks();

    Scenario m_scenario;                                  //!< what to simulate
    RunReport m_report;                                   //!< what came out
    std::unique_ptr<ScenarioWorkload> m_workload;         //!< model, layout, closed form
    std::unique_ptr<FabricTopology> m_topology;           //!< shape of the network
    FabricNetwork m_network;                              //!< the network
    std::vector<uint32_t> m_endpoints;                    //!< by rank
    std::shared_ptr<TrainingStep> m_step;                 //!< the work; null if imported
    Ptr<MessageTransport> m_networkTransport;             //!< between servers
    Ptr<MessageTransport> m_scaleUpTransport;             //!< within servers; null: none
    Ptr<TrainingJob> m_job;                               //!< the job
    FlowStatistics m_flows;                               //!< completion times
    DropCounter m_drops;                                  //!< losses
    std::unique_ptr<OutputFolder> m_folder;               //!< null: no files
    std::unique_ptr<CollectiveWriter> m_collectiveWriter; //!< collectives.csv
    std::unique_ptr<FlowWriter> m_flowWriter;             //!< flows.csv
    std::unique_ptr<PfcWriter> m_pfcWriter;               //!< pfc.csv
    std::unique_ptr<EcnWriter> m_ecnWriter;               //!< ecn.csv
    std::unique_ptr<QueueWriter> m_queueWriter;           //!< queues.csv
    std::unique_ptr<ProgressLine> m_progress;             //!< null: none
};

} // namespace llm
} // namespace ns3

#endif // LLM_SIMULATION_H
