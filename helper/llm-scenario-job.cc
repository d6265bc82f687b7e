/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-job.h"

#include "llm-scenario-transport.h"

#include "ns3/boolean.h"
#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-units.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{
constexpr std::size_t OPEN_LINES = 32; //!< open operations named when a run is cut off
} // namespace

ScenarioJob::ScenarioJob(const Scenario& scenario, const std::string& name)
    : m_scenario(scenario),
      m_workload(std::make_unique<ScenarioWorkload>(scenario)),
      m_step(m_workload->GetStep())
{
    m_report.name = name;
}

uint32_t
ScenarioJob::GetRankCount() const
{
    return m_workload->GetSource()->GetWorldSize();
}

void
ScenarioJob::Place(const FabricNetwork& network, const Placement& placement)
{
    m_network = network;
    m_endpoints = placement.GetEndpoints();
    std::vector<uint32_t> servers;
    for (const uint32_t endpoint : m_endpoints)
    {
        servers.push_back(network.serverOf[endpoint]);
    }
    // Where every endpoint is a server of its own, nobody need know.
    m_workload->SetServers(
        network.serverCount < network.endpoints.GetN() ? servers : std::vector<uint32_t>());
    std::istringstream lines(placement.Describe(network));
    std::string line;
    while (std::getline(lines, line))
    {
        m_report.placement.push_back(line);
    }
}

void
ScenarioJob::Build(bool isAlone)
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
                            m_workload->GetAccelerator().GetConfig().scale_up_bits_per_second,
                            m_scaleUpFabric),
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
    m_job->SetAttribute("StartTime", TimeValue(PicoSeconds(m_scenario.start_time_ps)));
    m_job->SetAttribute("StopSimulation", BooleanValue(isAlone));
    m_job->SetAttribute("StallTime", TimeValue(PicoSeconds(m_scenario.watchdog.stall_time_ps)));
    m_job->SetWorkload(m_workload->GetSource());
    m_job->SetTransport(transport);
    m_job->SetSelector(m_workload->GetSelector());
    m_job->SetServers(m_workload->GetServers());
    for (const auto kind : SCENARIO_COLLECTIVES)
    {
        m_job->SetCollective(kind, GetCollectiveWish(m_scenario.collectives, kind));
    }
    for (uint8_t i = 0; i < static_cast<uint8_t>(ParallelDimension::COUNT); ++i)
    {
        m_job->SetTrafficClass(static_cast<ParallelDimension>(i),
                               static_cast<uint8_t>(m_scenario.transport.traffic_class));
    }
    m_job->Install(nodes);
    m_flows.Connect(m_networkTransport);
}

void
ScenarioJob::Describe()
{
    if (m_step)
    {
        DescribeModel();
    }
    else
    {
        m_report.facts.emplace_back("workload", m_workload->GetImported()->Describe());
    }
    if (!GetName().empty())
    {
        m_report.facts.emplace_back("transport", DescribeScenarioTransport(m_scenario));
    }
}

void
ScenarioJob::DescribeModel()
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
ScenarioJob::DescribeMemory()
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

bool
ScenarioJob::AreTogether(uint32_t from, uint32_t to) const
{
    return m_scaleUpTransport &&
           m_network.serverOf[m_endpoints[from]] == m_network.serverOf[m_endpoints[to]];
}

uint64_t
ScenarioJob::PredictNetworkBytes() const
{
    uint64_t bytes = 0;
    for (uint32_t rank = 0; rank < m_endpoints.size(); ++rank)
    {
        for (const auto& peer : m_workload->GetPeers(rank))
        {
            bytes += AreTogether(rank, peer.peer) ? 0 : peer.bytes;
        }
    }
    return bytes * m_scenario.iterations;
}

void
ScenarioJob::Collect()
{
    m_report.complete = m_job->IsComplete();
    m_report.failure = m_job->GetFailure();
    m_report.start = m_job->GetStartTick();
    m_report.end = m_job->GetEndTick();
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
    m_report.flows = m_flows.GetTimes();
    m_report.network = m_networkTransport->GetTotals();
    if (m_scaleUpTransport)
    {
        m_report.scaleUp = m_scaleUpTransport->GetTotals();
    }
    CollectRankClasses();
    CollectTraffic();
    if (m_report.complete)
    {
        CollectBooks();
    }
}

void
ScenarioJob::CollectUtilisation()
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
ScenarioJob::NamePipelineRank(uint32_t rank) const
{
    // A rank with chunks has several stages.
    const bool one = m_step->GetPlacement().GetChunkCount() == 1;
    return (one ? "stage " : "pipeline rank ") + std::to_string(rank);
}

void
ScenarioJob::CollectRankClasses()
{
    if (m_scenario.workload.format == "flows" || m_scenario.workload.format == "pattern")
    {
        return; // ranks wait for start times and do not compute
    }
    // Where ranks are told apart by their place in a pipeline, so are their times.
    std::vector<JobReport::RankClass> classes(m_step ? m_step->GetPlacement().GetRankCount() : 1);
    for (uint32_t rank = 0; rank < m_endpoints.size(); ++rank)
    {
        const uint32_t stage =
            m_step ? m_step->GetLayout().GetCoordinate(rank, ParallelAxis::PP) : 0;
        const RankTimes& times = m_job->GetRank(rank)->GetTimes();
        JobReport::RankClass& c = classes[stage];
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
ScenarioJob::CollectTraffic()
{
    std::vector<JobReport::DimensionTraffic> traffic(
        static_cast<std::size_t>(ParallelDimension::COUNT));
    for (const auto& pair : m_job->GetTraffic().GetPairs())
    {
        JobReport::DimensionTraffic& t = traffic[static_cast<std::size_t>(pair.dimension)];
        (AreTogether(pair.from, pair.to) ? t.scaleUpBytes : t.networkBytes) += pair.bytes;
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
ScenarioJob::CollectBooks()
{
    Books& books = m_report.books;
    if (m_scaleUpFabric)
    {
        const FabricTotals inside = m_scaleUpFabric->GetTotals();
        books.Compare("scale-up messages",
                      m_scaleUpTransport->GetTotals().bytesStarted +
                          m_scaleUpTransport->GetTotals().protocolBytesStarted,
                      "scale-up ports sent, less headers",
                      inside.hosts.txDataPayload);
        books.Compare("scale-up ports received, less headers",
                      inside.hosts.rxDataPayload,
                      "scale-up delivered",
                      m_scaleUpTransport->GetTotals().payloadReceived);
        books.Compare("left in scale-up switches", inside.bytesBuffered, "allowed", 0);
        books.Compare("scale-up frames left alive", inside.framesLive, "allowed", 0, "frames");
    }
    const TrafficLedger& ledger = m_job->GetTraffic();
    const TransportTotals& net = m_report.network;
    const TransportTotals& up = m_report.scaleUp;
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
}

} // namespace llm
} // namespace ns3
