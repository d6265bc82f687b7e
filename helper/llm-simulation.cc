/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-simulation.h"

#include "llm-error-context.h"
#include "llm-placement.h"
#include "llm-scenario-fabric.h"
#include "llm-scenario-paths.h"
#include "llm-scenario-simulator.h"
#include "llm-scenario-transport.h"
#include "llm-scenario-unused.h"
#include "llm-trouble-report.h"

#include "ns3/names.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace llm
{

Simulation::Simulation(const Scenario& scenario)
    : m_scenario(ResolveScenarioServers(scenario))
{
    SelectScenarioSimulator(m_scenario);
    m_report.scenario = m_scenario;
    try
    {
        m_jobs.push_back(std::make_unique<ScenarioJob>(m_scenario));
        // Have bad names of algorithms found before anything is built.
        m_jobs.front()->GetWorkload().GetTotalBytes();
        BuildNetwork();
        BuildJobs();
        BuildTrouble();
        BuildOutput();
    }
    catch (...)
    {
        TearDown();
        throw;
    }
}

Simulation::~Simulation()
{
    TearDown();
}

void
Simulation::TearDown()
{
    m_progress.reset();
    m_trouble.reset();
    m_network = FabricNetwork();
    Simulator::Destroy();
    Names::Clear();
}

void
Simulation::BuildNetwork()
{
    const uint32_t ranks = m_jobs.front()->GetRankCount();
    m_topology = MakeScenarioTopology(m_scenario, ranks);
    const uint32_t endpoints = m_topology->GetEndpointCount();
    Placement placement;
    WithContext(m_scenario.source, "cluster", [&] {
        placement = m_scenario.cluster.placement.empty()
                        ? Placement::Packed(ranks, endpoints)
                        : Placement::Explicit(ranks, endpoints, m_scenario.cluster.placement);
    });
    m_network = BuildScenarioFabric(m_scenario, *m_topology);
    m_jobs.front()->Place(m_network, placement);
    Describe();
}

void
Simulation::BuildJobs()
{
    for (const auto& job : m_jobs)
    {
        job->Build();
        if (m_jobs.size() > 1)
        {
            m_flows.Connect(job->GetNetworkTransport());
        }
    }
    m_drops.Connect(m_network.fabric);
}

void
Simulation::BuildTrouble()
{
    if (m_scenario.events.empty())
    {
        return;
    }
    m_trouble = std::make_unique<ScenarioTrouble>(m_scenario, m_network);
    for (const auto& job : m_jobs)
    {
        m_trouble->NameRanks(m_jobs.size() > 1 ? job->GetName() + "." : "", job->GetEndpoints());
        job->GetJob()->SetCompletionCallback(MakeCallback(&Simulation::JobDone, this));
    }
    m_trouble->Schedule();
}

void
Simulation::JobDone(Ptr<TrainingJob>)
{
    for (const auto& job : m_jobs)
    {
        if (job->GetJob()->GetEndTick() < 0)
        {
            return;
        }
    }
    m_trouble->Cancel();
}

void
Simulation::BuildOutput()
{
    if (m_scenario.output.folder.empty())
    {
        return;
    }
    m_output = std::make_unique<ScenarioOutput>(m_scenario,
                                                m_network.fabric,
                                                m_topology->GetEndpointNumbers(),
                                                m_jobs.size() > 1);
    for (const auto& job : m_jobs)
    {
        m_output->Connect(*job);
    }
    if (m_trouble && m_scenario.output.events)
    {
        m_trouble->WriteTo(m_output->GetFolder());
    }
}

void
Simulation::ShowProgress(std::ostream& out)
{
    std::vector<Ptr<TrainingJob>> jobs;
    uint64_t bytes = 0;
    for (const auto& job : m_jobs)
    {
        jobs.push_back(job->GetJob());
        bytes += job->GetScenario().transport.kind == "rdma" ? job->PredictNetworkBytes() : 0;
    }
    m_progress = std::make_unique<ProgressLine>(jobs, m_network.fabric, bytes, out);
}

bool
Simulation::Run()
{
    if (m_progress)
    {
        m_progress->Start();
    }
    if (m_scenario.simulator.stop_after_ps > 0)
    {
        Simulator::Stop(PicoSeconds(m_scenario.simulator.stop_after_ps));
    }
    Simulator::Run();
    if (m_progress)
    {
        m_progress->Finish();
    }
    if (m_output)
    {
        m_output->Finish();
    }
    Collect();
    if (m_output && m_scenario.output.summary)
    {
        m_output->WriteSummary(FormatRunSummary(m_report));
    }
    return m_report.complete && m_report.books.AreBalanced();
}

const RunReport&
Simulation::GetReport() const
{
    return m_report;
}

const std::vector<std::unique_ptr<ScenarioJob>>&
Simulation::GetJobs() const
{
    return m_jobs;
}

Ptr<TrainingJob>
Simulation::GetJob() const
{
    return m_jobs.front()->GetJob();
}

const FabricNetwork&
Simulation::GetNetwork() const
{
    return m_network;
}

Ptr<MessageTransport>
Simulation::GetNetworkTransport() const
{
    return m_jobs.front()->GetNetworkTransport();
}

const TrafficModel&
Simulation::GetTrafficModel() const
{
    return m_jobs.front()->GetWorkload().GetModel();
}

void
Simulation::Describe()
{
    auto& facts = m_report.facts;
    if (!m_scenario.name.empty())
    {
        facts.emplace_back("scenario", m_scenario.name);
    }
    for (const auto& job : m_jobs)
    {
        job->Describe();
    }
    if (m_jobs.size() == 1)
    {
        const JobReport& job = m_jobs.front()->GetReport();
        facts.insert(facts.end(), job.facts.begin(), job.facts.end());
        m_report.placement = job.placement;
    }
    std::ostringstream text;
    facts.emplace_back("fabric", m_topology->Describe());
    text << m_scenario.transport.kind;
    if (m_scenario.transport.kind == "rdma")
    {
        text << ", " << GetRdmaCongestionName(m_scenario) << ", path MTU "
             << m_scenario.fabric.path_mtu << ", PFC " << (m_scenario.fabric.pfc ? "on" : "off")
             << ", ECN " << (m_scenario.fabric.ecn ? "on" : "off");
    }
    facts.emplace_back("transport", text.str());
    facts.emplace_back("paths", DescribeScenarioPaths(m_scenario));
    const std::string reordering = WarnOfReordering(m_scenario);
    if (!reordering.empty())
    {
        facts.emplace_back("warning", reordering);
    }
    const std::string& cycle = m_network.fabric->GetDependencyCycle();
    if (!cycle.empty())
    {
        facts.emplace_back("warning", "cyclic buffer dependency, where PFC can deadlock: " + cycle);
    }
    const std::string unused = DescribeUnusedFields(m_scenario);
    if (!unused.empty())
    {
        facts.emplace_back("not used", unused);
    }
}

void
Simulation::Collect()
{
    m_report.complete = true;
    for (const auto& job : m_jobs)
    {
        job->Collect();
        const JobReport& report = job->GetReport();
        m_report.jobs.push_back(report);
        m_report.complete = m_report.complete && report.complete;
        m_report.failure.insert(m_report.failure.end(),
                                report.failure.begin(),
                                report.failure.end());
        m_report.network += report.network;
        m_report.scaleUp += report.scaleUp;
    }
    if (!m_report.complete)
    {
        const std::string deadlock =
            FabricDeadlockDetector::Describe(FabricDeadlockDetector::FindCycle(*m_network.fabric));
        if (!deadlock.empty())
        {
            m_report.failure.insert(m_report.failure.begin(),
                                    "deadlock of PFC, each port waits for the next: " + deadlock);
        }
    }
    if (m_trouble)
    {
        m_report.trouble = m_trouble->GetRecords();
        DescribeTroubleInFailure(m_report);
    }
    CollectNetwork();
    if (m_report.complete)
    {
        CollectBooks();
    }
}

void
Simulation::CollectNetwork()
{
    m_report.flows = m_jobs.size() > 1 ? m_flows.GetTimes() : m_report.jobs.front().flows;
    m_report.fabric = m_network.fabric->GetTotals();
    m_report.drops = m_drops.GetCounts();
    uint64_t dropped = m_report.fabric.hosts.drops + m_report.fabric.switches.drops;
    for (const auto& [reason, count] : m_report.drops)
    {
        dropped -= count;
    }
    if (dropped > 0) // refused before there was a frame to trace
    {
        m_report.drops[DropReason::QUEUE] += dropped;
    }
    for (const auto& fabricSwitch : m_network.fabric->GetSwitches())
    {
        m_report.switchBufferPeak =
            std::max(m_report.switchBufferPeak, fabricSwitch->GetBuffer().GetPeak());
    }
    m_report.uplinks = MeasureUplinks(*m_network.fabric, [](const FabricPort& port) {
        return port.GetCounters().txBytes;
    });
    m_report.pathCounters = CollectPathCounters(m_network);
}

void
Simulation::CollectBooks()
{
    Books& books = m_report.books;
    for (const JobReport& job : m_report.jobs)
    {
        books.Append(job.books, m_report.jobs.size() > 1 ? "job " + job.name + ": " : "");
    }
    const TransportTotals& net = m_report.network;
    const FabricPortCounters& hosts = m_report.fabric.hosts;
    if (m_scenario.transport.kind == "rdma")
    {
        books.Compare(net.protocolBytesStarted > 0 ? "network messages and protocol bytes"
                                                   : "network messages",
                      net.bytesStarted + net.protocolBytesStarted,
                      "QPs delivered",
                      net.payloadReceived);
        books.Compare("QPs sent first and again",
                      net.payloadSent + net.payloadRetransmitted,
                      "NIC ports sent, less headers",
                      hosts.txDataPayload);
        books.Compare("NIC ports sent, less headers and retransmissions",
                      hosts.txDataPayload - hosts.txRetransmitted,
                      "QPs delivered",
                      net.payloadReceived);
        books.Compare("NIC ports sent, less headers",
                      hosts.txDataPayload,
                      "delivered once + out of order + duplicate + dropped + trimmed",
                      net.payloadReceived + net.payloadOutOfOrder + net.payloadDuplicate +
                          hosts.dropPayload + m_report.fabric.switches.dropPayload +
                          m_report.fabric.switches.trimPayload);
    }
    books.Compare("left in switch buffers", m_report.fabric.bytesBuffered, "allowed", 0);
    books.Compare("frames left alive", m_report.fabric.framesLive, "allowed", 0, "frames");
}

} // namespace llm
} // namespace ns3
