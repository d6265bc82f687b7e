/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_OUTPUT_H
#define LLM_SCENARIO_OUTPUT_H

#include "llm-collective-writer.h"
#include "llm-ecn-writer.h"
#include "llm-flow-writer.h"
#include "llm-hpcc-fct-writer.h"
#include "llm-output-folder.h"
#include "llm-pfc-writer.h"
#include "llm-queue-writer.h"
#include "llm-scenario-job.h"
#include "llm-scenario.h"

#include "ns3/llm-fabric.h"

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
 * The files of a run, as the section output of its scenario wants them. Must live as long as the
 * simulator runs.
 */
class ScenarioOutput
{
  public:
    /**
     * @param scenario of the run; its output.folder is not empty.
     * @param fabric whose ports are written.
     * @param numbers node ids of the topology file by endpoint; empty: their indices.
     * @param severalJobs files of messages and collectives have a column for the job.
     * @param otherFlows there are flows beside the jobs: files of messages have that column, too.
     * @throw ConfigError if the folder cannot be written to, or a port to be captured is unknown.
     */
    ScenarioOutput(const Scenario& scenario,
                   Ptr<Fabric> fabric,
                   const std::vector<uint32_t>& numbers,
                   bool severalJobs,
                   bool otherFlows);
    ScenarioOutput(const ScenarioOutput&) = delete;
    ScenarioOutput& operator=(const ScenarioOutput&) = delete;

    /** @param job built, whose messages and collectives are written. */
    void Connect(const ScenarioJob& job);

    /** @param transport whose messages are written, too. @param name of the traffic.
     *  @param ideal completion times if they meet nobody. */
    void Connect(Ptr<MessageTransport> transport,
                 const std::string& name,
                 std::unique_ptr<IdealCompletion> ideal);

    /** Write what is pending when the simulator has stopped. */
    void Finish();

    /** @param text content of summary.json. @throw ConfigError if it cannot be written. */
    void WriteSummary(const std::string& text) const;

    /** @return the folder. */
    const OutputFolder& GetFolder() const
    {
        return m_folder;
    }

  private:
    /** Have ports written to pcap files. */
    void CapturePorts(const Scenario& scenario, Ptr<Fabric> fabric) const;

    OutputFolder m_folder;                           //!< where
    Ptr<Fabric> m_fabric;                            //!< whose ports are written
    std::unique_ptr<CollectiveWriter> m_collectives; //!< collectives.csv
    std::unique_ptr<FlowWriter> m_flows;             //!< flows.csv
    std::unique_ptr<HpccFctWriter> m_fct;            //!< fct.txt
    std::unique_ptr<PfcWriter> m_pfc;                //!< pfc.csv
    std::unique_ptr<EcnWriter> m_ecn;                //!< ecn.csv
    std::unique_ptr<QueueWriter> m_queues;           //!< queues.csv
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_OUTPUT_H
