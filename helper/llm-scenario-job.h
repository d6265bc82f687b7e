/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_JOB_H
#define LLM_SCENARIO_JOB_H

#include "fabric-topology.h"
#include "llm-flow-statistics.h"
#include "llm-job-report.h"
#include "llm-placement.h"
#include "llm-scenario-workload.h"
#include "llm-scenario.h"

#include "ns3/llm-training-job.h"
#include "ns3/llm-training-step.h"

#include <cstdint>
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
 * One job of a run, from its part of the scenario to its report: workload, placement, transports,
 * TrainingJob. In this order: construct, Place, Build, then the simulator runs, Collect.
 */
class ScenarioJob
{
  public:
    /**
     * Read the workload.
     * @param scenario of this job; its paths in errors are those of a scenario with one job.
     * @param name of the job; empty: the only one.
     * @throw ConfigError if the parts of the workload do not fit together.
     */
    explicit ScenarioJob(const Scenario& scenario, const std::string& name = "");
    ScenarioJob(const ScenarioJob&) = delete;
    ScenarioJob& operator=(const ScenarioJob&) = delete;

    /** @return name; empty: the only job. */
    const std::string& GetName() const
    {
        return m_report.name;
    }

    /** @return its part of the scenario. */
    const Scenario& GetScenario() const
    {
        return m_scenario;
    }

    /** @return number of ranks. */
    uint32_t GetRankCount() const;

    /** @param network that it runs on. @param placement endpoint of every rank. */
    void Place(const FabricNetwork& network, const Placement& placement);

    /**
     * Transports and job, after Place.
     * @param isAlone if it fails, the run is over; false: others go on.
     * @throw ConfigError if the parts of the scenario do not fit together.
     */
    void Build(bool isAlone);

    /** Fill in what the report can tell before anything has run. */
    void Describe();

    /** Fill in the report when the simulator has stopped. */
    void Collect();

    /** @return what came out; before Collect, what is known of it. */
    const JobReport& GetReport() const
    {
        return m_report;
    }

    /** @return model, layout, closed form. */
    const ScenarioWorkload& GetWorkload() const
    {
        return *m_workload;
    }

    /** @return the job; null before Build. */
    Ptr<TrainingJob> GetJob() const
    {
        return m_job;
    }

    /** @return transport between servers; null before Build. */
    Ptr<MessageTransport> GetNetworkTransport() const
    {
        return m_networkTransport;
    }

    /** @return endpoint of every rank. */
    const std::vector<uint32_t>& GetEndpoints() const
    {
        return m_endpoints;
    }

    /** @return bytes that will go over the network. */
    uint64_t PredictNetworkBytes() const;

  private:
    /** Tell which model is trained how. */
    void DescribeModel();
    /** Tell what the busiest stage needs of its memory. */
    void DescribeMemory();
    /** @return "stage 2" or "pipeline rank 2". */
    std::string NamePipelineRank(uint32_t rank) const;
    /** @return whether two ranks talk over the scale-up domain. */
    bool AreTogether(uint32_t from, uint32_t to) const;
    /** FLOPs over what could have been done. */
    void CollectUtilisation();
    /** Times per pipeline stage. */
    void CollectRankClasses();
    /** Bytes per dimension. */
    void CollectTraffic();
    /** Check the books. */
    void CollectBooks();

    Scenario m_scenario;                          //!< of this job
    JobReport m_report;                           //!< what came out
    std::unique_ptr<ScenarioWorkload> m_workload; //!< model, layout, closed form
    std::shared_ptr<TrainingStep> m_step;         //!< the work; null if imported
    FabricNetwork m_network;                      //!< that it runs on
    std::vector<uint32_t> m_endpoints;            //!< by rank
    Ptr<MessageTransport> m_networkTransport;     //!< between servers
    Ptr<MessageTransport> m_scaleUpTransport;     //!< within servers; null: none
    Ptr<Fabric> m_scaleUpFabric;                  //!< of its packets; null: it has none
    Ptr<TrainingJob> m_job;                       //!< the job
    FlowStatistics m_flows;                       //!< completion times
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_JOB_H
