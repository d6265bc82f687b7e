/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-analysis.h"

#include "llm-csv-file.h"
#include "llm-error-context.h"
#include "llm-placement.h"
#include "llm-scenario-jobs.h"
#include "llm-wire-cost.h"

#include "ns3/llm-collective-cost.h"
#include "ns3/llm-communication-times.h"
#include "ns3/llm-distinct-uses.h"
#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

namespace ns3
{
namespace llm
{

namespace
{

/** Operations that a timeline runs; it takes 72 bytes for each. */
constexpr uint64_t MOST_OPERATIONS = 6000000;

/** @return name of a collective, for people. */
std::string
Describe(CollectiveKind kind)
{
    std::string text = ToString(kind);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

/** @return "+1", "-1". */
std::string
Signed(int64_t number)
{
    return (number > 0 ? "+" : "") + std::to_string(number);
}

/** @return "12.3 %". */
std::string
Percent(int64_t part, int64_t whole)
{
    const double share =
        whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    return ReportValue::Real(share, 1, "%").Show();
}

} // namespace

ScenarioAnalysis::ScenarioAnalysis(const Scenario& scenario, const AnalysisConfig& config)
    : m_workload(RequireOneJob(scenario)),
      m_config(config)
{
    m_workload.GetModel(); // says so where the workload is somebody else's and has no closed form
    PlaceRanks();
    SumTraffic(config);
    m_demands = EstimateNetworkDemands(*m_workload.GetStep(),
                                       m_workload.GetModel(),
                                       m_workload.GetChooser(),
                                       *m_volumes);
    RunTimeline(config);
}

void
ScenarioAnalysis::PlaceRanks()
{
    const Scenario::Cluster& cluster = m_workload.GetScenario().cluster;
    const uint32_t ranks = m_workload.GetStep()->GetWorldSize();
    Placement placement;
    WithContext(m_workload.GetScenario().source, "cluster", [&] {
        if (cluster.placement.empty())
        {
            placement = Placement::Packed(ranks, ranks);
            return;
        }
        const auto last = std::max_element(cluster.placement.begin(), cluster.placement.end());
        placement = Placement::Explicit(ranks, *last + 1, cluster.placement);
    });
    for (const uint32_t endpoint : placement.GetEndpoints())
    {
        m_serverOf.push_back(endpoint / cluster.accelerators_per_server);
    }
}

void
ScenarioAnalysis::SumTraffic(const AnalysisConfig& config)
{
    std::unique_ptr<CsvFile> matrix;
    if (!config.matrixFile.empty())
    {
        matrix = std::make_unique<CsvFile>(config.matrixFile,
                                           "from_rank,to_rank,dimension,bytes_per_iteration",
                                           false);
    }
    m_volumes = std::make_unique<TrafficVolumes>(
        m_workload.GetModel(),
        m_serverOf,
        [&](uint32_t rank, const PeerTraffic& peer) {
            ++m_rankRows;
            if (matrix)
            {
                matrix->Write(rank, peer.peer, ToString(peer.dimension), peer.bytes);
            }
        });
    if (matrix)
    {
        matrix->Flush();
    }
    if (!config.serverMatrixFile.empty())
    {
        CsvFile servers(config.serverMatrixFile,
                        "from_server,to_server,dimension,bytes_per_iteration",
                        false);
        for (const auto& pair : m_volumes->GetServerPairs())
        {
            servers.Write(pair.from, pair.to, ToString(pair.dimension), pair.bytes);
        }
        servers.Flush();
    }
}

void
ScenarioAnalysis::RunTimeline(const AnalysisConfig& config)
{
    const TrainingStep& step = *m_workload.GetStep();
    const Scenario& scenario = m_workload.GetScenario();
    m_time.idealPs = m_workload.GetModel().GetIdealIterationPs();
    m_time.stepPs = m_time.idealPs;
    m_time.bubble = m_workload.GetModel().GetBubbleFraction();
    // All pipelines are alike.
    const std::vector<uint32_t> ranks =
        step.GetLayout().GetGroup("pp", step.GetLayout().GetGroupIndex("pp", 0));
    uint64_t operations = 0;
    for (const uint32_t rank : ranks)
    {
        operations += step.CountOperations(rank);
    }
    m_time.known = operations <= MOST_OPERATIONS;
    if (m_time.known)
    {
        WorkloadTimeline timeline(step);
        timeline.SetRanks(ranks);
        m_time.idealPs = timeline.Run();
        m_time.bubble = timeline.GetBubbleFraction();
        for (const uint32_t rank : ranks)
        {
            m_time.computePs = std::max(m_time.computePs, timeline.GetWork(rank).computePs);
        }
        const uint32_t mtu = scenario.fabric.path_mtu;
        const double efficiency = EstimateWireCost(uint64_t{1024} * mtu, mtu).GetEfficiency();
        CommunicationTimes times(
            step,
            m_workload.GetChooser(),
            m_serverOf,
            {{static_cast<double>(config.latencyPs),
              static_cast<double>(scenario.fabric.host_rate) * efficiency},
             {static_cast<double>(scenario.cluster.scale_up_latency_ps),
              static_cast<double>(step.GetAccelerator().GetConfig().scale_up_bits_per_second)}});
        timeline.SetCommunicationTime([&times](uint32_t rank, const Operation& operation) {
            return times.Get(rank, operation);
        });
        m_time.stepPs = timeline.Run();
        m_time.criticalPath = timeline.GetCriticalPath();
    }
    m_time.mfu = m_workload.GetModel().GetMfu(static_cast<double>(m_time.stepPs));
}

bool
ScenarioAnalysis::FitsMemory() const
{
    const uint64_t has = m_workload.GetStep()->GetAccelerator().GetConfig().memory_bytes;
    for (uint32_t rank = 0; rank < m_workload.GetStep()->GetPlacement().GetRankCount(); ++rank)
    {
        if (m_workload.GetModel().EstimateMemory(rank).GetTotal() > has)
        {
            return false;
        }
    }
    return true;
}

const ScenarioWorkload&
ScenarioAnalysis::GetWorkload() const
{
    return m_workload;
}

const TrafficVolumes&
ScenarioAnalysis::GetVolumes() const
{
    return *m_volumes;
}

const std::vector<NetworkDemand>&
ScenarioAnalysis::GetDemands() const
{
    return m_demands;
}

const ScenarioAnalysis::StepTime&
ScenarioAnalysis::GetStepTime() const
{
    return m_time;
}

ReportDocument
ScenarioAnalysis::Report() const
{
    ReportDocument document;
    ReportScenario(document);
    ReportMemory(document);
    ReportVolumes(document);
    ReportCollectives(document);
    ReportTime(document);
    ReportDemands(document);
    return document;
}

void
ScenarioAnalysis::ReportScenario(ReportDocument& document) const
{
    const Scenario& scenario = m_workload.GetScenario();
    const TrainingStep& step = *m_workload.GetStep();
    const ModelConfig& model = step.GetModel();
    const ParallelConfig& p = step.GetLayout().GetConfig();
    const TrainingConfig& training = step.GetTraining();
    ReportSection& section = document.AddSection("scenario", "Scenario");
    if (!scenario.name.empty())
    {
        section.Add("name", "name", scenario.name);
    }
    std::ostringstream layout;
    layout << step.GetWorldSize() << " ranks = TP " << p.tensor_model_parallel_size;
    if (p.context_parallel_size > 1)
    {
        layout << " x CP " << p.context_parallel_size;
    }
    layout << " x PP " << p.pipeline_model_parallel_size << " x DP " << p.data_parallel_size;
    if (p.expert_model_parallel_size > 1)
    {
        layout << ", EP " << p.expert_model_parallel_size;
    }
    layout << ", order " << p.rank_order
           << (step.HasSequenceParallel() ? ", sequence parallel" : "") << ", schedule "
           << p.pipeline_schedule;
    if (p.virtual_pipeline_model_parallel_size > 1)
    {
        layout << " with " << p.virtual_pipeline_model_parallel_size << " chunks per rank";
    }
    layout << ", sharding " << training.data_parallel_sharding_strategy;
    section.Add("model",
                "model",
                model.name + ": " + std::to_string(model.num_hidden_layers) + " layers, hidden " +
                    std::to_string(model.hidden_size));
    section.Add("layout", "layout", layout.str());
    section.Add("servers",
                "servers",
                GroupDigits(*std::max_element(m_serverOf.begin(), m_serverOf.end()) + 1U) + " of " +
                    std::to_string(scenario.cluster.accelerators_per_server) + " x " +
                    step.GetAccelerator().GetConfig().name + ", " +
                    ShowBitRate(scenario.fabric.host_rate) + " each to the network, " +
                    ShowBitRate(step.GetAccelerator().GetConfig().scale_up_bits_per_second) +
                    " inside");
    section.Add("parameters", "parameters", CountParameters(model));
    if (model.num_experts > 0)
    {
        section.Add("active_parameters", "of them active per token", CountActiveParameters(model));
    }
    section.Add("global_batch_size", "sequences per step", training.global_batch_size);
    section.Add("sequence_length", "tokens per sequence", training.seq_length);
    section.Add("micro_batch_size", "sequences per microbatch", training.micro_batch_size);
    section.Add("microbatches", "microbatches per replica", step.GetMicrobatchCount());
    section.Add("flops_per_step",
                "model PFLOP of a step",
                ReportValue::Real(m_workload.GetModel().GetFlops() * 1e-15, 3),
                training.causal_attention_flops ? "half of the attention scores counted"
                                                : "all attention scores counted");
}

void
ScenarioAnalysis::ReportMemory(ReportDocument& document) const
{
    const TrainingStep& step = *m_workload.GetStep();
    const PipelinePlacement& placement = step.GetPlacement();
    ReportSection& section = document.AddSection("memory", "Memory of a rank");
    section.BeginTable("memory",
                       {{"pipeline_rank", "pp\nrank"},
                        {"layers", "layers"},
                        {"parameters", "parameters"},
                        {"parameter_bytes", "parameters"},
                        {"gradient_bytes", "gradients"},
                        {"optimizer_bytes", "optimizer"},
                        {"activation_bytes", "activations"},
                        {"workspace_bytes", "for a\nmoment"},
                        {"total_bytes", "together"}});
    uint64_t most = 0;
    for (uint32_t rank = 0; rank < placement.GetRankCount(); ++rank)
    {
        uint64_t layers = 0;
        uint64_t parameters = 0;
        for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
        {
            const StageWork& work = step.GetStage(placement.GetStage({rank, chunk}));
            layers += work.layers.count;
            parameters += work.parameters;
        }
        const MemoryEstimate memory = m_workload.GetModel().EstimateMemory(rank);
        most = std::max(most, memory.GetTotal());
        section.AddRow({std::to_string(rank),
                        layers,
                        parameters,
                        ReportValue::RoundBytes(memory.parameters),
                        ReportValue::RoundBytes(memory.gradients),
                        ReportValue::RoundBytes(memory.optimizer),
                        ReportValue::RoundBytes(memory.activations),
                        ReportValue::RoundBytes(memory.workspace),
                        ReportValue::RoundBytes(memory.GetTotal())});
    }
    const AcceleratorConfig& accelerator = step.GetAccelerator().GetConfig();
    section.Add("most_bytes", "fullest rank", ReportValue::RoundBytes(most));
    section.Add("memory_bytes",
                accelerator.name + " has",
                ReportValue::RoundBytes(accelerator.memory_bytes));
    section.Add("fits",
                "it fits",
                most <= accelerator.memory_bytes ? "yes" : "NO: THIS CANNOT RUN");
}

void
ScenarioAnalysis::ReportVolumes(ReportDocument& document) const
{
    ReportSection& section = document.AddSection("volumes", "Bytes sent per step");
    section.BeginTable("volumes",
                       {{"dimension", "for"},
                        {"within_servers_bytes", "within\nservers"},
                        {"between_servers_bytes", "between\nservers"},
                        {"busiest_rank", "busiest\nrank"},
                        {"busiest_rank_bytes", "sent\nby it"},
                        {"busiest_rank_between_bytes", "most between\nservers"},
                        {"rank_pairs", "pairs\nof ranks"}});
    uint64_t within = 0;
    uint64_t between = 0;
    for (const auto& volume : m_volumes->GetVolumes())
    {
        within += volume.withinServers;
        between += volume.betweenServers;
        section.AddRow({ToString(volume.dimension),
                        ReportValue::RoundBytes(volume.withinServers),
                        ReportValue::RoundBytes(volume.betweenServers),
                        volume.busiestRank,
                        ReportValue::RoundBytes(volume.busiest),
                        ReportValue::RoundBytes(volume.busiestBetween),
                        volume.rankPairs});
    }
    section.Add("within_servers_bytes", "within servers, all", ReportValue::Bytes(within));
    section.Add("between_servers_bytes", "between servers, all", ReportValue::Bytes(between));
    if (!m_config.matrixFile.empty())
    {
        section.Add("matrix_file", "matrix of ranks", m_config.matrixFile);
        section.Add("matrix_rows", "rows in it", m_rankRows);
    }
    if (!m_config.serverMatrixFile.empty())
    {
        section.Add("server_matrix_file", "matrix of servers", m_config.serverMatrixFile);
    }
}

void
ScenarioAnalysis::ReportCollectives(ReportDocument& document) const
{
    const TrainingStep& step = *m_workload.GetStep();
    ReportSection& section =
        document.AddSection("collectives", "Collectives and messages of a rank");
    section.BeginTable("collectives",
                       {{"dimension", "for"},
                        {"kind", "collective"},
                        {"group", "group"},
                        {"ranks", "ranks"},
                        {"pipeline_ranks", "pipeline\nranks"},
                        {"count", "times"},
                        {"bytes", "each of"},
                        {"sent_bytes", "sent by\nthe busiest"},
                        {"algorithm", "algorithm"}});
    std::map<std::string, std::string> reasons;
    for (const auto& use :
         ListDistinctUses(m_workload.GetModel(), step.GetPlacement().GetRankCount()))
    {
        CollectiveSpec spec =
            MakeUseSpec(step, use.use, GetRankAt(use.pipelineRank), m_workload.GetServers());
        const CollectiveSelector::CollectivePlan choice = m_workload.Choose(spec);
        const uint64_t busiest = PredictBusiestBytes(*choice.algorithm, spec);
        section.AddRow({ToString(use.use.dimension),
                        Describe(use.use.kind),
                        use.use.groupKind,
                        spec.groupSize,
                        use.where,
                        use.use.count,
                        use.use.bytes,
                        ReportValue::RoundBytes(busiest * use.use.count),
                        choice.algorithm->GetName()});
        reasons[Describe(use.use.kind) + ": " + choice.algorithm->GetName()] = choice.reason;
    }
    ReportMessages(section);
    section.BeginTable("algorithms", {{"algorithm", "algorithm"}, {"reason", "why"}});
    for (const auto& [algorithm, reason] : reasons)
    {
        section.AddRow({algorithm, reason});
    }
}

uint32_t
ScenarioAnalysis::GetRankAt(uint32_t pipelineRank) const
{
    ParallelCoordinates coordinates{};
    coordinates[static_cast<std::size_t>(ParallelAxis::PP)] = pipelineRank;
    return m_workload.GetStep()->GetLayout().GetRank(coordinates);
}

void
ScenarioAnalysis::ReportMessages(ReportSection& section) const
{
    const uint32_t pipelineRanks = m_workload.GetStep()->GetPlacement().GetRankCount();
    // Pipeline ranks that do alike make one row.
    using Row = std::tuple<std::string, std::string, uint64_t, uint64_t>;
    std::map<Row, std::set<uint32_t>> rows;
    for (uint32_t rank = 0; rank < pipelineRanks; ++rank)
    {
        const TrafficUses& uses = m_workload.GetModel().GetUses(rank);
        std::map<std::tuple<std::string, std::string, uint64_t>, uint64_t> counts;
        for (const auto& use : uses.pipeline)
        {
            counts[{ToString(ParallelDimension::PIPELINE),
                    "pipeline rank " + Signed(int64_t{use.toRank} - int64_t{rank}),
                    use.bytes}] += use.count;
        }
        for (const auto& use : uses.neighbours)
        {
            counts[{ToString(use.dimension),
                    Signed(use.offset) + " in " + use.groupKind,
                    use.bytes}] += use.count;
        }
        for (const auto& [key, count] : counts)
        {
            const auto& [dimension, to, bytes] = key;
            rows[{dimension, to, count, bytes}].insert(rank);
        }
    }
    if (rows.empty())
    {
        return;
    }
    section.BeginTable("messages",
                       {{"dimension", "for"},
                        {"pipeline_ranks", "pipeline\nranks"},
                        {"to", "to"},
                        {"count", "messages"},
                        {"bytes", "each of"}});
    for (const auto& [row, ranks] : rows)
    {
        const auto& [dimension, to, count, bytes] = row;
        section.AddRow({dimension, DescribeRanks(ranks, pipelineRanks), to, count, bytes});
    }
}

void
ScenarioAnalysis::ReportTime(ReportDocument& document) const
{
    ReportSection& section = document.AddSection("time", "Time of a step");
    section.Say(
        m_time.known
            ? "One pipeline is run against a clock, with alpha-beta times of communication: "
              "nobody is in anybody's way, all pipelines are alike."
            : "A pipeline has too many operations to be run against a clock; what stands here "
              "is the ideal without communication.");
    section.Add("ideal_ps",
                "without communication",
                ReportValue::Duration(m_time.idealPs),
                "compute and bubble");
    section.Add(
        "ideal_mfu",
        "its MFU",
        ReportValue::Real(100 * m_workload.GetModel().GetMfu(static_cast<double>(m_time.idealPs)),
                          1,
                          "%"),
        "model FLOP over what the peak would allow");
    section.Add("bubble",
                "bubble",
                ReportValue::Real(100 * m_time.bubble, 1, "%"),
                "idle over busy time, without communication");
    if (!m_time.known)
    {
        return;
    }
    section.Add("step_ps", "with communication", ReportValue::Duration(m_time.stepPs));
    section.Add("mfu", "its MFU", ReportValue::Real(100 * m_time.mfu, 1, "%"));
    section.Add("exposed_ps",
                "exposed communication",
                ReportValue::Duration(m_time.stepPs - m_time.idealPs),
                Percent(m_time.stepPs - m_time.idealPs, m_time.stepPs) + " of the step");
    section.Add("compute_ps",
                "compute, busiest rank",
                ReportValue::Duration(m_time.computePs),
                Percent(m_time.computePs, m_time.stepPs) + " of the step");
    section.Say("The critical path, the chain of operations that the last one waited for:");
    section.BeginTable("critical_path",
                       {{"what", "what"}, {"time_ps", "time"}, {"share", "share"}});
    section.AddRow({"compute",
                    ReportValue::Duration(m_time.criticalPath.computePs),
                    Percent(m_time.criticalPath.computePs, m_time.stepPs)});
    for (std::size_t i = 0; i < m_time.criticalPath.communicationPs.size(); ++i)
    {
        const int64_t ps = m_time.criticalPath.communicationPs[i];
        if (ps > 0)
        {
            section.AddRow({ToString(static_cast<ParallelDimension>(i)),
                            ReportValue::Duration(ps),
                            Percent(ps, m_time.stepPs)});
        }
    }
}

void
ScenarioAnalysis::ReportDemands(ReportDocument& document) const
{
    ReportSection& section = document.AddSection("demands", "What the network must give");
    section.Say(
        "For communication to hide behind compute, to the busiest rank of each dimension: its "
        "bytes over the time of the compute that they can hide behind (the window): the "
        "backward of the last microbatch makes the gradients, the first forward needs "
        "gathered parameters, what comes at the end of the step has nothing to hide behind.");
    section.BeginTable("demands",
                       {{"dimension", "for"},
                        {"rank", "rank"},
                        {"bytes", "bytes"},
                        {"bursts", "bursts"},
                        {"largest_burst_bytes", "largest\nburst"},
                        {"period_ps", "period"},
                        {"gigabytes_per_second", "GB/s"},
                        {"window", "window"}});
    for (const auto& demand : m_demands)
    {
        section.AddRow({ToString(demand.dimension),
                        demand.rank,
                        ReportValue::RoundBytes(demand.bytes),
                        demand.operations,
                        ReportValue::RoundBytes(demand.largestBurst),
                        ReportValue::Duration(demand.GetPeriodPs()),
                        ReportValue::Real(demand.GetBytesPerSecond() * 1e-9, 2),
                        demand.window});
    }
}

} // namespace llm
} // namespace ns3
