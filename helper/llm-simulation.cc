/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-simulation.h"

#include "llm-error-context.h"
#include "llm-placement-pool.h"
#include "llm-scenario-fabric.h"
#include "llm-scenario-jobs.h"
#include "llm-scenario-paths.h"
#include "llm-scenario-simulator.h"
#include "llm-scenario-transport.h"
#include "llm-scenario-unused.h"
#include "llm-trouble-report.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/names.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3
{
namespace llm
{

namespace
{
constexpr uint64_t PLACEMENT_STREAM = 0x706c6163; //!< of the random numbers of placements
} // namespace

Simulation::Simulation(const Scenario& scenario)
    : m_scenario(ResolveScenarioServers(scenario))
{
    SelectScenarioSimulator(m_scenario);
    m_report.scenario = m_scenario;
    try
    {
        ReadJobs();
        BuildNetwork();
        PlaceJobs();
        Describe();
        BuildJobs();
        BuildTraffic();
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
    m_traffic.reset();
    m_trouble.reset();
    m_network = FabricNetwork();
    Simulator::Destroy();
    Names::Clear();
}

void
Simulation::ReadJobs()
{
    const bool several = HasSeveralJobs(m_scenario);
    const std::vector<Scenario> scenarios = MakeJobScenarios(m_scenario);
    if (scenarios.empty() && !ScenarioTraffic::IsWanted(m_scenario))
    {
        throw ConfigError(m_scenario.source, "jobs", "is empty, and there is no other traffic");
    }
    for (std::size_t i = 0; i < scenarios.size(); ++i)
    {
        WithJob(m_scenario, i, [&] {
            m_jobs.push_back(
                std::make_unique<ScenarioJob>(scenarios[i], several ? scenarios[i].name : ""));
            // Have bad names of algorithms found before anything is built.
            m_jobs.back()->GetWorkload().GetTotalBytes();
        });
    }
    // What jobs share is set up as the first one of them wants its transport.
    m_shared = m_scenario;
    if (!m_jobs.empty())
    {
        m_shared.transport = m_jobs.front()->GetScenario().transport;
    }
}

void
Simulation::BuildNetwork()
{
    uint32_t ranks = 0;
    for (const auto& job : m_jobs)
    {
        ranks += job->GetRankCount();
    }
    m_topology = MakeScenarioTopology(m_shared, ranks);
    m_network = BuildScenarioFabric(m_shared, *m_topology);
    m_drops.Connect(m_network.fabric);
}

void
Simulation::PlaceJobs()
{
    PlacementPool pool(
        m_network,
        Philox::MakeKey(static_cast<uint32_t>(m_scenario.seed), m_scenario.run, PLACEMENT_STREAM));
    for (std::size_t i = 0; i < m_jobs.size(); ++i)
    {
        ScenarioJob& job = *m_jobs[i];
        const Scenario::Cluster& cluster = job.GetScenario().cluster;
        WithJob(m_scenario, i, [&] {
            const std::string policy = GetPlacementPolicy(job.GetScenario());
            WithContext(m_scenario.source, "cluster", [&] {
                job.Place(m_network,
                          pool.Take(job.GetName(), job.GetRankCount(), policy, cluster.placement));
            });
        });
    }
}

void
Simulation::BuildJobs()
{
    const bool alone = m_jobs.size() == 1;
    for (std::size_t i = 0; i < m_jobs.size(); ++i)
    {
        ScenarioJob& job = *m_jobs[i];
        WithJob(m_scenario, i, [&] { job.Build(alone); });
        job.GetJob()->SetCompletionCallback(MakeCallback(&Simulation::JobEnded, this));
        if (!alone)
        {
            m_flows.Connect(job.GetNetworkTransport());
        }
    }
}

void
Simulation::BuildTraffic()
{
    if (ScenarioTraffic::IsWanted(m_scenario))
    {
        m_traffic = std::make_unique<ScenarioTraffic>(m_shared, m_network, !m_jobs.empty());
    }
}

void
Simulation::JobEnded(Ptr<TrainingJob>)
{
    const auto open = [](const std::unique_ptr<ScenarioJob>& job) {
        const auto state = job->GetJob()->GetState();
        return state == TrainingJob::State::WAITING || state == TrainingJob::State::RUNNING;
    };
    if (std::any_of(m_jobs.begin(), m_jobs.end(), open))
    {
        return;
    }
    const bool failed = std::any_of(m_jobs.begin(), m_jobs.end(), [](const auto& job) {
        return job->GetJob()->GetState() == TrainingJob::State::FAILED;
    });
    if (m_trouble && !m_traffic) // what other flows meet goes on
    {
        m_trouble->Cancel();
    }
    if (failed)
    {
        Simulator::Stop(); // what is left of a failed job need never end
    }
    else if (m_traffic)
    {
        m_traffic->Stop();
    }
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
    }
    m_trouble->Schedule();
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
                                                HasSeveralJobs(m_scenario),
                                                m_traffic && !m_traffic->GetTransports().empty());
    for (const auto& job : m_jobs)
    {
        m_output->Connect(*job);
    }
    if (m_trouble && m_scenario.output.events)
    {
        m_trouble->WriteTo(m_output->GetFolder());
    }
    if (m_traffic)
    {
        std::vector<uint32_t> endpoints(m_network.endpoints.GetN());
        std::iota(endpoints.begin(), endpoints.end(), 0);
        Scenario flows = m_shared;
        flows.transport.kind = "rdma";
        for (const auto& [name, transport] : m_traffic->GetTransports())
        {
            m_output->Connect(transport,
                              name,
                              MakeScenarioIdeal(flows, m_network.fabric, endpoints));
        }
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
    if (!HasSeveralJobs(m_scenario))
    {
        const JobReport& job = m_jobs.front()->GetReport();
        facts.insert(facts.end(), job.facts.begin(), job.facts.end());
        m_report.placement = job.placement;
    }
    facts.emplace_back("fabric", m_topology->Describe());
    facts.emplace_back("transport", DescribeScenarioTransport(m_shared));
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
        for (const std::string& line : report.failure)
        {
            m_report.failure.push_back((report.name.empty() ? "" : "job " + report.name + ": ") +
                                       line);
        }
        m_report.network += report.network;
        m_report.scaleUp += report.scaleUp;
    }
    if (m_traffic)
    {
        CollectTraffic();
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
Simulation::CollectTraffic()
{
    m_report.traffic = m_traffic->Collect();
    for (const auto& [name, transport] : m_traffic->GetTransports())
    {
        m_report.network += transport->GetTotals();
    }
    const std::vector<std::string> failure = m_traffic->GetFailure();
    m_report.complete = m_report.complete && failure.empty();
    m_report.failure.insert(m_report.failure.end(), failure.begin(), failure.end());
}

void
Simulation::CollectNetwork()
{
    m_report.flows = m_jobs.size() == 1 ? m_report.jobs.front().flows : m_flows.GetTimes();
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
        books.Append(job.books, job.name.empty() ? "" : "job " + job.name + ": ");
    }
    // What ports count as RDMA data; a job over TCP has a book of its own above.
    TransportTotals net;
    for (const auto& job : m_jobs)
    {
        if (job->GetScenario().transport.kind == "rdma")
        {
            net += job->GetReport().network;
        }
    }
    if (m_traffic)
    {
        for (const auto& [name, transport] : m_traffic->GetTransports())
        {
            net += transport->GetTotals();
        }
    }
    const FabricPortCounters& hosts = m_report.fabric.hosts;
    if (net.dataPackets > 0 || m_shared.transport.kind == "rdma")
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
