/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-output.h"

#include "llm-error-context.h"
#include "llm-port-capture.h"
#include "llm-scenario-transport.h"

#include "ns3/nstime.h"

#include <fstream>
#include <map>
#include <utility>

namespace ns3
{
namespace llm
{

ScenarioOutput::ScenarioOutput(const Scenario& scenario,
                               Ptr<Fabric> fabric,
                               const std::vector<uint32_t>& numbers,
                               bool severalJobs,
                               bool otherFlows)
    : m_folder(scenario.output.folder),
      m_fabric(fabric)
{
    const Scenario::Output& output = scenario.output;
    const Time interval = PicoSeconds(output.queue_interval_ps);
    if (output.collectives)
    {
        m_collectives =
            std::make_unique<CollectiveWriter>(m_folder.GetFile("collectives.csv"), severalJobs);
    }
    if (output.flows)
    {
        m_flows =
            std::make_unique<FlowWriter>(m_folder.GetFile("flows.csv"), severalJobs || otherFlows);
    }
    if (output.fct)
    {
        m_fct = std::make_unique<HpccFctWriter>(m_folder.GetFile("fct.txt"),
                                                fabric,
                                                numbers,
                                                scenario.fabric.path_mtu);
    }
    if (output.pfc)
    {
        m_pfc = std::make_unique<PfcWriter>(m_folder.GetFile("pfc.csv"), fabric);
    }
    if (output.ecn)
    {
        m_ecn = std::make_unique<EcnWriter>(m_folder.GetFile("ecn.csv"), fabric, interval);
    }
    if (output.queues)
    {
        m_queues = std::make_unique<QueueWriter>(m_folder.GetFile("queues.csv"), fabric, interval);
    }
    CapturePorts(scenario, fabric);
}

void
ScenarioOutput::CapturePorts(const Scenario& scenario, Ptr<Fabric> fabric) const
{
    const std::vector<std::string>& ports = scenario.output.pcap;
    if (!ports.empty() && scenario.transport.headers != "roce")
    {
        throw ConfigError(scenario.source,
                          "output.pcap",
                          "cannot be written while transport.headers is '" +
                              scenario.transport.headers + "': such frames are on no wire");
    }
    std::map<std::string, std::size_t> captured; // "host0" and "host0:0" are one port
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        const std::string path = "output.pcap[" + std::to_string(i) + "]";
        WithContext(scenario.source, path, [&] {
            const std::string label = CapturePort(fabric, ports[i], m_folder);
            const auto [before, isNew] = captured.emplace(label, i);
            if (!isNew)
            {
                throw ConfigError(scenario.source,
                                  path,
                                  "'" + ports[i] + "' is port " + label + ", as is '" +
                                      ports[before->second] + "' before it");
            }
        });
    }
}

void
ScenarioOutput::Connect(const ScenarioJob& job)
{
    if (m_collectives)
    {
        m_collectives->Connect(job.GetJob(), job.GetName());
    }
    if (m_flows)
    {
        m_flows->Connect(job.GetNetworkTransport(),
                         job.GetName().empty() ? "job" : job.GetName(),
                         MakeScenarioIdeal(job.GetScenario(), m_fabric, job.GetEndpoints()));
    }
    if (m_fct)
    {
        m_fct->Connect(job.GetJob(), job.GetEndpoints(), job.GetName());
    }
}

void
ScenarioOutput::Connect(Ptr<MessageTransport> transport,
                        const std::string& name,
                        std::unique_ptr<IdealCompletion> ideal)
{
    if (m_flows)
    {
        m_flows->Connect(transport, name, std::move(ideal));
    }
}

void
ScenarioOutput::Finish()
{
    if (m_ecn)
    {
        m_ecn->Finish();
    }
    if (m_queues)
    {
        m_queues->Finish();
    }
}

void
ScenarioOutput::WriteSummary(const std::string& text) const
{
    const std::string path = m_folder.GetFile("summary.json");
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file)
    {
        throw ConfigError(path, "", "cannot be written");
    }
}

} // namespace llm
} // namespace ns3
