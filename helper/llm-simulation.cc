/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-simulation.h"

#include "llm-error-context.h"
#include "llm-placement.h"
#include "llm-port-capture.h"
#include "llm-scenario-fabric.h"
#include "llm-scenario-simulator.h"
#include "llm-scenario-transport.h"
#include "llm-scenario-unused.h"

#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-units.h"
#include "ns3/names.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{
constexpr std::size_t OPEN_LINES = 32; //!< open operations named when a run is cut off
} // namespace

Simulation::Simulation(const Scenario& scenario)
    : m_scenario(scenario)
{
    SelectScenarioSimulator(m_scenario);
    m_report.scenario = scenario;
    try
    {
        m_workload = std::make_unique<ScenarioWorkload>(scenario);
        m_step = m_workload->GetStep();
        // Have bad names of algorithms found before anything is built.
        m_workload->GetTotalBytes();
        BuildNetwork();
        BuildJob();
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
    m_network = FabricNetwork();
    Simulator::Destroy();
    Names::Clear();
}

void
Simulation::BuildNetwork()
{
    const uint32_t ranks = m_workload->GetSource()->GetWorldSize();
    m_topology = MakeScenarioTopology(m_scenario, ranks);
    const uint32_t endpoints = m_topology->GetEndpointCount();
    Placement placement;
    WithContext(m_scenario.source, "cluster", [&] {
        placement = m_scenario.cluster.placement.empty()
                        ? Placement::Packed(ranks, endpoints)
                        : Placement::Explicit(ranks, endpoints, m_scenario.cluster.placement);
    });
    m_endpoints = placement.GetEndpoints();
    m_network = BuildScenarioFabric(m_scenario, *m_topology);
    Describe(placement.Describe(m_network));
}

void
Simulation::BuildJob()
{
    m_networkTransport = AddScenarioNccl(m_scenario,
                                         m_network,
                                         m_endpoints,
                                         MakeScenarioTransport(m_scenario, m_network, m_endpoints),
                                         false);
    m_scaleUpTransport = AddScenarioNccl(
        m_scenario,
        m_network,
        m_endpoints,
        MakeScenarioScaleUp(m_scenario,
                            m_network,
                            m_endpoints,
                            m_networkTransport->GetEventQueue(),
                            m_workload->GetAccelerator().GetConfig().scale_up_bits_per_second),
        true);
    Ptr<MessageTransport> transport = m_networkTransport;
    std::vector<Ptr<Node>> nodes;
    std::vector<uint32_t> servers;
    for (const uint32_t endpoint : m_endpoints)
    {
        nodes.push_back(m_network.endpoints.Get(endpoint));
        servers.push_back(m_network.serverOf[endpoint]);
    }
    if (m_scaleUpTransport)
    {
        Ptr<RoutedTransport> routed = CreateObject<RoutedTransport>();
        routed->SetRoutes(m_scaleUpTransport, m_networkTransport, servers);
        transport = routed;
    }
    m_job = CreateObject<TrainingJob>();
    m_job->SetAttribute("Iterations", UintegerValue(m_scenario.iterations));
    m_job->SetAttribute("StallTime", TimeValue(PicoSeconds(m_scenario.watchdog.stall_time_ps)));
    m_job->SetWorkload(m_workload->GetSource());
    m_job->SetTransport(transport);
    m_job->SetSelector(m_workload->GetSelector());
    m_job->SetServers(m_workload->GetServers());
    for (const auto kind : {CollectiveKind::ALL_REDUCE,
                            CollectiveKind::ALL_GATHER,
                            CollectiveKind::REDUCE_SCATTER,
                            CollectiveKind::BROADCAST,
                            CollectiveKind::REDUCE,
                            CollectiveKind::ALL_TO_ALL})
    {
        m_job->SetCollective(kind, GetCollectiveWish(m_scenario.collectives, kind));
    }
    for (uint8_t i = 0; i < static_cast<uint8_t>(ParallelDimension::COUNT); ++i)
    {
        m_job->SetTrafficClass(static_cast<ParallelDimension>(i),
                               static_cast<uint8_t>(m_scenario.transport.traffic_class));
    }
    m_job->Install(nodes);
}

void
Simulation::BuildOutput()
{
    m_flows.Connect(m_networkTransport);
    m_drops.Connect(m_network.fabric);
    const Scenario::Output& output = m_scenario.output;
    if (output.folder.empty())
    {
        return;
    }
    m_folder = std::make_unique<OutputFolder>(output.folder);
    const Ptr<Fabric> fabric = m_network.fabric;
    const Time interval = PicoSeconds(output.queue_interval_ps);
    if (output.collectives)
    {
        m_collectiveWriter =
            std::make_unique<CollectiveWriter>(m_folder->GetFile("collectives.csv"), m_job);
    }
    if (output.flows)
    {
        m_flowWriter = std::make_unique<FlowWriter>(m_folder->GetFile("flows.csv"));
        m_flowWriter->Connect(m_networkTransport);
    }
    if (output.pfc)
    {
        m_pfcWriter = std::make_unique<PfcWriter>(m_folder->GetFile("pfc.csv"), fabric);
    }
    if (output.ecn)
    {
        m_ecnWriter = std::make_unique<EcnWriter>(m_folder->GetFile("ecn.csv"), fabric, interval);
    }
    if (output.queues)
    {
        m_queueWriter =
            std::make_unique<QueueWriter>(m_folder->GetFile("queues.csv"), fabric, interval);
    }
    std::map<std::string, std::size_t> captured; // "host0" and "host0:0" are one port
    for (std::size_t i = 0; i < output.pcap.size(); ++i)
    {
        const std::string path = "output.pcap[" + std::to_string(i) + "]";
        WithContext(m_scenario.source, path, [&] {
            const std::string label = CapturePort(fabric, output.pcap[i], *m_folder);
            const auto [before, isNew] = captured.emplace(label, i);
            if (!isNew)
            {
                throw ConfigError(m_scenario.source,
                                  path,
                                  "'" + output.pcap[i] + "' is port " + label + ", as is '" +
                                      output.pcap[before->second] + "' before it");
            }
        });
    }
}

void
Simulation::ShowProgress(std::ostream& out)
{
    m_progress = std::make_unique<ProgressLine>(
        m_job,
        m_network.fabric,
        m_scenario.transport.kind == "rdma" ? PredictNetworkBytes() : 0,
        out);
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
    if (m_ecnWriter)
    {
        m_ecnWriter->Finish();
    }
    if (m_queueWriter)
    {
        m_queueWriter->Finish();
    }
    Collect();
    if (m_folder && m_scenario.output.summary)
    {
        const std::string path = m_folder->GetFile("summary.json");
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file << FormatRunSummary(m_report) << std::flush;
        if (!file)
        {
            throw ConfigError(path, "", "cannot be written");
        }
    }
    return m_report.complete && m_report.books.AreBalanced();
}

const RunReport&
Simulation::GetReport() const
{
    return m_report;
}

Ptr<TrainingJob>
Simulation::GetJob() const
{
    return m_job;
}

const FabricNetwork&
Simulation::GetNetwork() const
{
    return m_network;
}

Ptr<MessageTransport>
Simulation::GetNetworkTransport() const
{
    return m_networkTransport;
}

const TrafficModel&
Simulation::GetTrafficModel() const
{
    return m_workload->GetModel();
}

void
Simulation::DescribeModel()
{
    const ModelConfig& model = m_step->GetModel();
    const ParallelConfig& p = m_step->GetLayout().GetConfig();
    const TrainingConfig& training = m_step->GetTraining();
    auto& facts = m_report.facts;
    std::ostringstream text;
    text << model.name << ": " << model.num_hidden_layers << " layers, hidden " << model.hidden_size
         << ", " << model.num_attention_heads << " heads, " << CountParameters(model)
         << " parameters";
    facts.emplace_back("model", text.str());
    text.str("");
    text << m_step->GetWorldSize() << " ranks = TP " << p.tensor_model_parallel_size;
    if (p.context_parallel_size > 1)
    {
        text << " x CP " << p.context_parallel_size << " (" << p.cp_comm_type << ")";
    }
    text << " x PP " << p.pipeline_model_parallel_size << " x DP " << p.data_parallel_size;
    if (m_step->HasExperts())
    {
        text << ", experts TP " << m_step->GetLayout().GetSize(ParallelAxis::ETP) << " x EP "
             << m_step->GetLayout().GetSize(ParallelAxis::EP) << " x DP "
             << m_step->GetLayout().GetSize(ParallelAxis::EDP) << " ("
             << training.moe_token_dispatcher_type << ")";
    }
    text << ", order " << p.rank_order
         << (m_step->HasSequenceParallel() ? ", sequence parallel" : "");
    facts.emplace_back("parallelism", text.str());
    text.str("");
    text << "batch " << training.global_batch_size << " = " << m_step->GetMicrobatchCount()
         << " microbatches of " << training.micro_batch_size << " on " << p.data_parallel_size
         << " replicas, sequence " << training.seq_length << ", gradients in "
         << ToString(m_step->GetGradientType());
    const DataParallelPlan& plan = m_step->GetDataParallelPlan();
    if (plan.IsSharded())
    {
        text << ", " << training.data_parallel_sharding_strategy << " sharded over "
             << plan.GetShardSize(false) << " ranks";
    }
    if (training.recompute_granularity != "none")
    {
        text << ", " << training.recompute_granularity << " recomputation";
    }
    facts.emplace_back("training", text.str());
    DescribeMemory();
}

void
Simulation::Describe(const std::string& placement)
{
    auto& facts = m_report.facts;
    if (!m_scenario.name.empty())
    {
        facts.emplace_back("scenario", m_scenario.name);
    }
    if (m_step)
    {
        DescribeModel();
    }
    else
    {
        facts.emplace_back("workload", m_workload->GetImported()->Describe());
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
    const std::string unused = DescribeUnusedFields(m_scenario);
    if (!unused.empty())
    {
        facts.emplace_back("not used", unused);
    }
    std::istringstream lines(placement);
    std::string line;
    while (std::getline(lines, line))
    {
        m_report.placement.push_back(line);
    }
}

void
Simulation::DescribeMemory()
{
    uint64_t most = 0;
    uint32_t where = 0;
    for (uint32_t rank = 0; rank < m_step->GetPlacement().GetRankCount(); ++rank)
    {
        const uint64_t bytes = m_workload->GetModel().EstimateMemory(rank).GetTotal();
        where = bytes > most ? rank : where;
        most = std::max(most, bytes);
    }
    const AcceleratorConfig& accelerator = m_step->GetAccelerator().GetConfig();
    m_report.facts.emplace_back("memory",
                                "about " + FormatBytesRounded(most) + " on each accelerator of " +
                                    NamePipelineRank(where) + ", of " +
                                    FormatBytesRounded(accelerator.memory_bytes) +
                                    (most > accelerator.memory_bytes ? ": MORE THAN IT HAS" : ""));
}

uint64_t
Simulation::PredictNetworkBytes() const
{
    uint64_t bytes = 0;
    for (uint32_t rank = 0; rank < m_endpoints.size(); ++rank)
    {
        for (const auto& peer : m_workload->GetPeers(rank))
        {
            const bool together =
                m_scaleUpTransport &&
                m_network.serverOf[m_endpoints[rank]] == m_network.serverOf[m_endpoints[peer.peer]];
            bytes += together ? 0 : peer.bytes;
        }
    }
    return bytes * m_scenario.iterations;
}

void
Simulation::Collect()
{
    m_report.complete = m_job->IsComplete();
    m_report.failure = m_job->GetFailure();
    if (!m_report.complete && m_report.failure.empty())
    {
        m_report.failure.push_back("the simulation ended at " +
                                   FormatDurationRounded(Simulator::Now().GetPicoSeconds()) +
                                   " while the job was open");
        m_job->DescribeOpen(m_report.failure, OPEN_LINES);
    }
    m_report.operationsDone = m_job->GetOperationsDone();
    m_report.iterations = m_job->GetIterations();
    CollectUtilisation();
    m_report.collectives = m_job->GetCollectives();
    m_report.decisions = m_job->GetDecisions();
    m_report.flows.count = m_flows.GetCount();
    m_report.flows.median = m_flows.GetPercentile(50);
    m_report.flows.p90 = m_flows.GetPercentile(90);
    m_report.flows.p99 = m_flows.GetPercentile(99);
    m_report.flows.longest = m_flows.GetPercentile(100);
    m_report.network = m_networkTransport->GetTotals();
    if (m_scaleUpTransport)
    {
        m_report.scaleUp = m_scaleUpTransport->GetTotals();
    }
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
    CollectRankClasses();
    CollectTraffic();
    if (m_report.complete)
    {
        CollectBooks();
    }
}

void
Simulation::CollectUtilisation()
{
    if (!m_step)
    {
        return; // who knows what is computed there
    }
    int64_t ticks = 0;
    uint32_t count = 0;
    for (const auto& iteration : m_report.iterations)
    {
        if (iteration.finished == m_step->GetWorldSize())
        {
            ticks += iteration.duration;
            ++count;
        }
    }
    if (ticks > 0)
    {
        m_report.mfu = m_workload->GetModel().GetMfu(
            static_cast<double>(Time(ticks).GetPicoSeconds()) / count);
    }
}

std::string
Simulation::NamePipelineRank(uint32_t rank) const
{
    // A rank with chunks has several stages.
    const bool one = m_step->GetPlacement().GetChunkCount() == 1;
    return (one ? "stage " : "pipeline rank ") + std::to_string(rank);
}

void
Simulation::CollectRankClasses()
{
    // Where ranks are told apart by their place in a pipeline, so are their times.
    std::vector<RunReport::RankClass> classes(m_step ? m_step->GetPlacement().GetRankCount() : 1);
    for (uint32_t rank = 0; rank < m_endpoints.size(); ++rank)
    {
        const uint32_t stage =
            m_step ? m_step->GetLayout().GetCoordinate(rank, ParallelAxis::PP) : 0;
        const RankTimes& times = m_job->GetRank(rank)->GetTimes();
        RunReport::RankClass& c = classes[stage];
        c.name = m_step ? NamePipelineRank(stage) : "all ranks";
        ++c.ranks;
        c.compute += times.compute;
        c.exposed += times.exposed;
        c.bubble += times.bubble;
    }
    for (auto& c : classes)
    {
        c.compute /= c.ranks;
        c.exposed /= c.ranks;
        c.bubble /= c.ranks;
    }
    m_report.rankClasses = classes;
}

void
Simulation::CollectTraffic()
{
    std::vector<RunReport::DimensionTraffic> traffic(
        static_cast<std::size_t>(ParallelDimension::COUNT));
    for (const auto& pair : m_job->GetTraffic().GetPairs())
    {
        RunReport::DimensionTraffic& t = traffic[static_cast<std::size_t>(pair.dimension)];
        const bool together = m_scaleUpTransport && m_network.serverOf[m_endpoints[pair.from]] ==
                                                        m_network.serverOf[m_endpoints[pair.to]];
        (together ? t.scaleUpBytes : t.networkBytes) += pair.bytes;
        t.messages += pair.messages;
    }
    for (std::size_t i = 0; i < traffic.size(); ++i)
    {
        traffic[i].dimension = static_cast<ParallelDimension>(i);
        if (traffic[i].messages > 0)
        {
            m_report.traffic.push_back(traffic[i]);
        }
    }
}

void
Simulation::CollectBooks()
{
    Books& books = m_report.books;
    const TrafficLedger& ledger = m_job->GetTraffic();
    const TransportTotals& net = m_report.network;
    const TransportTotals& up = m_report.scaleUp;
    const FabricPortCounters& hosts = m_report.fabric.hosts;
    uint64_t wrongPairs = 0;
    for (const auto& pair : ledger.GetPairs())
    {
        const uint64_t predicted =
            m_scenario.iterations * m_workload->GetPairBytes(pair.from, pair.to, pair.dimension);
        wrongPairs += predicted != pair.bytes ? 1 : 0;
    }
    // A file has no closed form of its own: its operations are summed one by one.
    books.Compare(m_step ? "traffic model" : "sum over the workload's operations",
                  m_scenario.iterations * m_workload->GetTotalBytes(),
                  "collectives and pipeline emitted",
                  ledger.GetTotalBytes());
    books.Compare(m_step ? "pairs of ranks off the traffic model" : "pairs of ranks off that sum",
                  wrongPairs,
                  "allowed",
                  0,
                  "pairs");
    books.Compare("emitted",
                  ledger.GetTotalBytes(),
                  "delivered over network and scale-up",
                  net.bytesDelivered + up.bytesDelivered - up.bytesMulticast + up.bytesReduced);
    if (net.protocolBytesStarted + up.protocolBytesStarted > 0)
    {
        books.Compare("protocol bytes sent",
                      net.protocolBytesStarted + up.protocolBytesStarted,
                      "protocol bytes delivered",
                      net.protocolBytesDelivered + up.protocolBytesDelivered);
        books.Compare("scale-up messages and protocol bytes",
                      up.bytesStarted + up.protocolBytesStarted + up.bytesMulticast -
                          up.bytesReduced,
                      "scale-up delivered",
                      up.payloadReceived);
    }
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
                      "delivered once + out of order + duplicate + dropped",
                      net.payloadReceived + net.payloadOutOfOrder + net.payloadDuplicate +
                          hosts.dropPayload + m_report.fabric.switches.dropPayload);
    }
    books.Compare("left in switch buffers", m_report.fabric.bytesBuffered, "allowed", 0);
    books.Compare("frames left alive", m_report.fabric.framesLive, "allowed", 0, "frames");
}

} // namespace llm
} // namespace ns3
