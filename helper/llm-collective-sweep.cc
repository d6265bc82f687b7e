/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-sweep.h"

#include "llm-books.h"
#include "llm-error-context.h"
#include "llm-placement.h"
#include "llm-scenario-fabric.h"
#include "llm-scenario-jobs.h"
#include "llm-scenario-simulator.h"
#include "llm-scenario-transport.h"
#include "llm-scenario-workload.h"

#include "ns3/llm-accelerator.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-training-job.h"
#include "ns3/names.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint32_t LINE_BYTES = 16;     //!< parts of ranks are whole lines in nccl-tests
constexpr std::size_t OPEN_LINES = 32;  //!< open operations named when a run cannot end
constexpr std::size_t MAX_SIZES = 4096; //!< far above any sweep

/** @return whether ranks have parts of the whole. */
bool
IsShared(CollectiveKind kind)
{
    return kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::REDUCE_SCATTER ||
           kind == CollectiveKind::ALL_TO_ALL;
}

/** @return whether there is a root. */
bool
IsRooted(CollectiveKind kind)
{
    return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE;
}

/** @return rate of an accelerator's scale-up port. */
uint64_t
GetScaleUpRate(const Scenario& scenario)
{
    const Accelerator accelerator(scenario.accelerator, scenario.source, "accelerator");
    return accelerator.GetConfig().scale_up_bits_per_second;
}

/** One collective per iteration, of all ranks. */
class OneCollective : public WorkloadSource
{
  public:
    OneCollective(CollectiveKind kind, uint32_t ranks, uint64_t bytes, uint32_t root)
    {
        ProcessGroup group;
        group.name = "world";
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            group.ranks.push_back(rank);
        }
        m_groups.push_back(group);
        m_operation.kind = static_cast<OperationKind>(static_cast<int>(OperationKind::ALL_REDUCE) +
                                                      static_cast<int>(kind));
        m_operation.stream = OperationStream::DATA;
        m_operation.bytes = bytes;
        m_operation.root = root;
    }

    uint32_t GetWorldSize() const override
    {
        return static_cast<uint32_t>(m_groups[0].ranks.size());
    }

    const std::vector<ProcessGroup>& GetGroups() const override
    {
        return m_groups;
    }

    std::unique_ptr<StepProgram> CreateProgram(uint32_t, uint32_t) const override
    {
        return std::make_unique<Program>(m_operation);
    }

    uint64_t CountOperations(uint32_t) const override
    {
        return 1;
    }

  private:
    /** The operation, once. */
    class Program : public StepProgram
    {
      public:
        explicit Program(const Operation& operation)
            : m_operation(operation)
        {
        }

        bool Next(Operation& operation) override
        {
            operation = m_operation;
            const bool first = !m_over;
            m_over = true;
            return first;
        }

      private:
        const Operation& m_operation; //!< what
        bool m_over{false};           //!< it was given
    };

    std::vector<ProcessGroup> m_groups; //!< all ranks
    Operation m_operation;              //!< what
};

/** Leaves the process as it was found. */
class SimulatorScope
{
  public:
    SimulatorScope() = default;

    ~SimulatorScope()
    {
        Simulator::Destroy();
        Names::Clear();
    }

    SimulatorScope(const SimulatorScope&) = delete;
    SimulatorScope& operator=(const SimulatorScope&) = delete;
};

} // namespace

/** A fabric with transports on it. */
struct CollectiveSweep::Machine
{
    /** @param scenario what to build. @param ranks how many. */
    Machine(const Scenario& scenario, uint32_t ranks);

    /** @return counters between servers. */
    TransportTotals GetNetworkTotals() const
    {
        return net->GetTotals();
    }

    /** @return counters within servers. */
    TransportTotals GetScaleUpTotals() const
    {
        return up ? up->GetTotals() : TransportTotals();
    }

    FabricNetwork network;              //!< built
    std::string fabric;                 //!< described
    std::vector<std::string> placement; //!< described
    std::vector<Ptr<Node>> nodes;       //!< by rank
    Ptr<MessageTransport> net;          //!< between servers
    Ptr<MessageTransport> up;           //!< within servers; null: none
    Ptr<Fabric> upFabric;               //!< of its packets; null: it has none
    Ptr<MessageTransport> transport;    //!< both
};

CollectiveSweep::Machine::Machine(const Scenario& scenario, uint32_t ranks)
{
    const auto topology = MakeScenarioTopology(scenario, ranks);
    const uint32_t count = topology->GetEndpointCount();
    Placement where;
    WithContext(scenario.source, "cluster", [&] {
        where = scenario.cluster.placement.empty()
                    ? Placement::Packed(ranks, count)
                    : Placement::Explicit(ranks, count, scenario.cluster.placement);
    });
    const std::vector<uint32_t>& endpoints = where.GetEndpoints();
    network = BuildScenarioFabric(scenario, *topology);
    fabric = topology->Describe();
    std::istringstream lines(where.Describe(network));
    for (std::string line; std::getline(lines, line);)
    {
        placement.push_back(line);
    }
    std::vector<uint32_t> servers;
    for (const uint32_t endpoint : endpoints)
    {
        nodes.push_back(network.endpoints.Get(endpoint));
        servers.push_back(network.serverOf[endpoint]);
    }
    net = AddScenarioNccl(scenario,
                          network,
                          endpoints,
                          MakeScenarioTransport(scenario, network, endpoints),
                          false);
    up = AddScenarioNccl(scenario,
                         network,
                         endpoints,
                         MakeScenarioScaleUp(scenario,
                                             network,
                                             endpoints,
                                             net->GetEventQueue(),
                                             GetScaleUpRate(scenario),
                                             upFabric),
                         true);
    transport = net;
    if (up)
    {
        Ptr<RoutedTransport> routed = CreateObject<RoutedTransport>();
        routed->SetRoutes(up, net, servers);
        transport = routed;
    }
}

void
CollectiveSweep::CheckBooks(const Scenario& scenario,
                            uint64_t predicted,
                            const TrainingJob& job,
                            const Machine& machine,
                            std::vector<std::string>& failure)
{
    const TransportTotals net = machine.GetNetworkTotals();
    const TransportTotals up = machine.GetScaleUpTotals();
    const FabricTotals fabric = machine.network.fabric->GetTotals();
    Books books;
    const uint64_t emitted = job.GetTraffic().GetTotalBytes();
    books.Compare("closed form", predicted, "emitted", emitted);
    // Of what a scale-up switch multicasts, one copy; of what it reduces, every share.
    books.Compare("emitted",
                  emitted,
                  "delivered",
                  net.bytesDelivered + up.bytesDelivered - up.bytesMulticast + up.bytesReduced);
    books.Compare("protocol bytes sent",
                  net.protocolBytesStarted + up.protocolBytesStarted,
                  "protocol bytes delivered",
                  net.protocolBytesDelivered + up.protocolBytesDelivered);
    if (scenario.transport.kind == "rdma")
    {
        books.Compare("network messages and protocol bytes",
                      net.bytesStarted + net.protocolBytesStarted,
                      "QPs delivered",
                      net.payloadReceived);
        books.Compare("NIC ports sent, less headers",
                      fabric.hosts.txDataPayload,
                      "delivered once + out of order + duplicate + dropped + trimmed",
                      net.payloadReceived + net.payloadOutOfOrder + net.payloadDuplicate +
                          fabric.hosts.dropPayload + fabric.switches.dropPayload +
                          fabric.switches.trimPayload);
    }
    books.Compare("left in switch buffers", fabric.bytesBuffered, "allowed", 0);
    books.Compare("frames left alive", fabric.framesLive, "allowed", 0, "frames");
    for (const auto& entry : books.GetEntries())
    {
        if (!entry.IsBalanced())
        {
            failure.push_back("the books do not balance: " + entry.Describe());
        }
    }
}

const std::vector<CollectiveDataType>&
GetCollectiveDataTypes()
{
    static const std::vector<CollectiveDataType> types{{"int8", 1},
                                                       {"uint8", 1},
                                                       {"int32", 4},
                                                       {"uint32", 4},
                                                       {"int64", 8},
                                                       {"uint64", 8},
                                                       {"half", 2},
                                                       {"float", 4},
                                                       {"double", 8},
                                                       {"bfloat16", 2},
                                                       {"f8e4m3", 1},
                                                       {"f8e5m2", 1}};
    return types;
}

CollectiveSweep::CollectiveSweep(const CollectiveSweepConfig& config)
    : m_config(config)
{
    const std::string& source = m_config.scenario.source;
    const auto refuse = [&source](const std::string& path, const std::string& message) {
        throw ConfigError(source, path, message);
    };
    if (m_config.minBytes > m_config.maxBytes)
    {
        refuse("sizes",
               "the first is " + std::to_string(m_config.minBytes) + " B, above the last, " +
                   std::to_string(m_config.maxBytes) + " B");
    }
    if (m_config.stepFactor == 0 || (m_config.stepFactor == 1 && m_config.stepBytes == 0))
    {
        refuse("sizes",
               "a factor of " + std::to_string(m_config.stepFactor) + " with a step of " +
                   std::to_string(m_config.stepBytes) + " B never ends");
    }
    if (m_config.iterations == 0)
    {
        refuse("iterations", "is 0; at least 1 is needed");
    }
    const Scenario::FabricSection& fabric = m_config.scenario.fabric;
    m_ranks = m_config.scenario.cluster.accelerators;
    const bool endless = fabric.topology == "single-switch" && fabric.hosts == 0;
    if (m_ranks == 0)
    {
        m_ranks = endless ? 8 : MakeScenarioTopology(m_config.scenario, 1)->GetEndpointCount();
    }
    if (IsRooted(m_config.kind) && m_config.root >= m_ranks)
    {
        refuse("root",
               "is " + std::to_string(m_config.root) + ", but there are " +
                   std::to_string(m_ranks) + " ranks");
    }
    std::vector<uint32_t> ranks(m_ranks);
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        ranks[rank] = rank;
    }
    m_servers = GetScenarioServers(RequireOneJob(m_config.scenario), m_ranks);
    m_ranksPerNode = GetRanksPerNode(ranks, m_servers);
    m_selector = MakeScenarioSelector(m_config.scenario, GetScaleUpRate(m_config.scenario));
    if (GetSizes().size() > MAX_SIZES)
    {
        refuse("sizes",
               "more than " + std::to_string(MAX_SIZES) + " sizes; take a larger step or a factor");
    }
}

std::vector<uint64_t>
CollectiveSweep::GetSizes() const
{
    const uint64_t element = m_config.type.bytes;
    const uint64_t unit = IsShared(m_config.kind)
                              ? uint64_t{m_ranks} * std::max<uint64_t>(element, LINE_BYTES)
                              : element;
    std::vector<uint64_t> sizes;
    for (uint64_t bytes = m_config.minBytes;
         bytes <= m_config.maxBytes && sizes.size() <= MAX_SIZES;)
    {
        sizes.push_back(bytes / unit * unit);
        const uint64_t next =
            m_config.stepFactor > 1 ? bytes * m_config.stepFactor : bytes + m_config.stepBytes;
        if (next / (m_config.stepFactor > 1 ? m_config.stepFactor : 1) < bytes || next <= bytes)
        {
            break; // beyond what can be counted, or 0 times something
        }
        bytes = next;
    }
    return sizes;
}

uint64_t
CollectiveSweep::CountElements(uint64_t bytes) const
{
    return bytes / m_config.type.bytes / (IsShared(m_config.kind) ? m_ranks : 1);
}

std::vector<std::string>
CollectiveSweep::ListAlgorithms(CollectiveSweepResult& result) const
{
    if (m_config.algorithms.empty())
    {
        return {GetCollectiveWish(m_config.scenario.collectives, m_config.kind).algorithm};
    }
    if (m_config.algorithms != std::vector<std::string>{"all"})
    {
        return m_config.algorithms;
    }
    const CollectiveSpec spec = MakeSpec(m_config.maxBytes);
    std::vector<std::string> fit;
    for (const std::string& name : m_selector->GetNames())
    {
        if (name == "auto" || name == "tree" || name == "nccl")
        {
            continue; // one of the others
        }
        try
        {
            m_selector->Choose(spec, name);
            fit.push_back(name);
        }
        catch (const ConfigError& error)
        {
            const std::string text = error.what();
            result.skipped.push_back(name + ": " + text.substr(text.find(": ") + 2));
        }
    }
    return fit;
}

bool
CollectiveSweep::RunSize(const std::string& algorithm,
                         uint64_t bytes,
                         CollectiveSweepResult& result,
                         CollectiveSweepRow& row) const
{
    Scenario scenario = m_config.scenario;
    SetAlgorithmName(scenario.collectives, m_config.kind, algorithm);
    const SimulatorScope scope;
    SelectScenarioSimulator(scenario);
    const Machine machine(scenario, m_ranks);
    if (result.fabric.empty())
    {
        result.fabric = machine.fabric;
        result.placement = machine.placement;
    }
    Ptr<TrainingJob> job = CreateObject<TrainingJob>();
    job->SetAttribute("Iterations", UintegerValue(m_config.warmups + m_config.iterations));
    job->SetAttribute("StallTime", TimeValue(PicoSeconds(scenario.watchdog.stall_time_ps)));
    job->SetWorkload(std::make_shared<OneCollective>(m_config.kind, m_ranks, bytes, m_config.root));
    job->SetTransport(machine.transport);
    job->SetSelector(m_selector);
    job->SetServers(m_servers);
    job->SetCollective(m_config.kind, MakeWish(algorithm));
    job->SetTrafficClass(ParallelDimension::DATA,
                         static_cast<uint8_t>(scenario.transport.traffic_class));
    job->Install(machine.nodes);
    if (scenario.simulator.stop_after_ps > 0)
    {
        Simulator::Stop(PicoSeconds(scenario.simulator.stop_after_ps));
    }
    Simulator::Run();
    if (!job->IsComplete())
    {
        result.failure = job->GetFailure();
        if (result.failure.empty())
        {
            result.failure.push_back("the simulation ended while the collective was open");
            job->DescribeOpen(result.failure, OPEN_LINES);
        }
        return false;
    }
    Measure(*job, machine, row);
    CheckBooks(scenario,
               Predict(row) * (m_config.warmups + m_config.iterations),
               *job,
               machine,
               result.failure);
    return result.failure.empty();
}

void
CollectiveSweep::Measure(const TrainingJob& job,
                         const Machine& machine,
                         CollectiveSweepRow& row) const
{
    row.decision = job.GetDecisions().front();
    const std::vector<IterationRecord>& records = job.GetIterations();
    const int64_t start =
        m_config.warmups > 0 ? records[m_config.warmups - 1].end : job.GetStartTick();
    const double ps = static_cast<double>(Time(records.back().end - start).GetPicoSeconds());
    row.timeUs = ps / 1e6 / m_config.iterations;
    if (row.timeUs > 0)
    {
        row.algorithmGBps = static_cast<double>(row.bytes) / row.timeUs / 1e3;
        row.busGBps = row.algorithmGBps * BusBandwidthFactor(m_config.kind, m_ranks);
    }
    const TransportTotals net = machine.GetNetworkTotals();
    const TransportTotals up = machine.GetScaleUpTotals();
    const FabricTotals fabric = machine.network.fabric->GetTotals();
    row.payloadBytes = job.GetTraffic().GetTotalBytes() / records.size();
    row.protocolBytes = (net.protocolBytesStarted + up.protocolBytesStarted) / records.size();
    row.retransmitted = net.payloadRetransmitted;
    row.ecnMarks = fabric.hosts.ecnMarks + fabric.switches.ecnMarks;
    row.pfcPauses = fabric.hosts.pauses + fabric.switches.pauses;
}

uint64_t
CollectiveSweep::Predict(const CollectiveSweepRow& row) const
{
    CollectiveSpec spec = MakeSpec(row.bytes);
    spec.channels = row.decision.channels;
    spec.sliceBytes = row.decision.sliceBytes;
    const CollectiveAlgorithm* used = m_selector->Choose(spec, row.decision.algorithm).algorithm;
    uint64_t predicted = 0;
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        predicted += used->PredictBytes(spec, rank);
    }
    return predicted;
}

CollectiveSpec
CollectiveSweep::MakeSpec(uint64_t bytes) const
{
    CollectiveSpec spec;
    spec.kind = m_config.kind;
    spec.groupSize = m_ranks;
    spec.bytes = bytes;
    spec.root = IsRooted(m_config.kind) ? m_config.root : 0;
    spec.ranksPerNode = m_ranksPerNode;
    return spec;
}

CollectiveSelector::Wish
CollectiveSweep::MakeWish(const std::string& algorithm) const
{
    CollectiveSelector::Wish wish = GetCollectiveWish(m_config.scenario.collectives, m_config.kind);
    wish.algorithm = algorithm;
    return wish;
}

CollectiveSweepResult
CollectiveSweep::Run(const std::function<void(const CollectiveSweepRow&)>& progress) const
{
    CollectiveSweepResult result;
    result.config = m_config;
    result.ranks = m_ranks;
    const std::vector<std::string> algorithms = ListAlgorithms(result);
    for (const std::string& algorithm : algorithms)
    {
        for (const uint64_t bytes : GetSizes())
        {
            m_selector->Plan(MakeSpec(bytes),
                             MakeWish(algorithm),
                             m_config.scenario.source,
                             std::string("collectives.") + ToString(m_config.kind));
        }
    }
    for (const std::string& algorithm : algorithms)
    {
        result.tables.push_back({algorithm, {}});
        for (const uint64_t bytes : GetSizes())
        {
            CollectiveSweepRow row;
            row.bytes = bytes;
            row.count = CountElements(bytes);
            if (!RunSize(algorithm, bytes, result, row))
            {
                return result;
            }
            result.tables.back().rows.push_back(row);
            if (progress)
            {
                progress(row);
            }
        }
    }
    return result;
}

} // namespace llm
} // namespace ns3
