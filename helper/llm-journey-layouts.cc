/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-journey-layouts.h"

#include "llm-relaxed-layout.h"
#include "llm-scenario-jobs.h"
#include "llm-scenario-model.h"

#include "ns3/llm-collective-cost.h"
#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t SLICE_BYTES = 1048576; //!< of the pipelined tree

/** A row of the table of algorithms. */
struct Candidate
{
    const char* name;    //!< for CollectiveSelector
    const char* title;   //!< for people
    uint64_t sliceBytes; //!< 0: whole
};

/** @return algorithms that are laid side by side. */
std::vector<Candidate>
ListCandidates(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return {{"naive", "naive", 0},
                {"ring", "ring", 0},
                {"tree", "tree", 0},
                {"tree", "tree, slices of 1 MiB", SLICE_BYTES}};
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return {{"naive", "naive", 0},
                {"ring", "ring", 0},
                {"ring", "ring, slices of 1 MiB", SLICE_BYTES},
                {"tree", "tree", 0}};
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
        return {{"direct", "naive (all at once)", 0},
                {"ring", "ring", 0},
                {"pat", "tree (PAT)", 0}};
    case CollectiveKind::ALL_TO_ALL:
        break;
    }
    return {{"direct", "naive (all at once)", 0},
            {"pairwise", "pairwise", 0},
            {"bruck", "tree (Bruck)", 0}};
}

/** @return "2 microbatches". */
std::string
Count(uint64_t number, const std::string& noun)
{
    return GroupDigits(number) + " " + noun + (number == 1 ? "" : "s");
}

/** @return name of a collective, for people. */
std::string
Describe(CollectiveKind kind)
{
    std::string text = ToString(kind);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

/** @return what a collective carries, in a few words. */
const char*
Explain(const TrainingStep& step, const CollectiveUse& use)
{
    const bool gathers = use.kind == CollectiveKind::ALL_GATHER;
    switch (use.dimension)
    {
    case ParallelDimension::TENSOR:
        if (use.kind == CollectiveKind::BROADCAST)
        {
            return "token ids";
        }
        if (gathers || use.kind == CollectiveKind::REDUCE_SCATTER ||
            use.bytes == step.GetActivationBytes())
        {
            return "activations";
        }
        return use.bytes == step.GetCrossEntropyBytes() ? "parts of the loss"
                                                        : "gradients of norms";
    case ParallelDimension::CONTEXT:
        return use.kind == CollectiveKind::REDUCE_SCATTER ? "gradients of keys, values"
                                                          : "keys and values";
    case ParallelDimension::EXPERT:
        return gathers && use.bytes < step.GetActivationBytes() / 64 ? "counts of tokens"
                                                                     : "tokens";
    case ParallelDimension::DATA:
        return gathers ? "parameters" : "gradients";
    case ParallelDimension::EMBEDDING:
        return "gradient of the embedding";
    case ParallelDimension::SCALAR:
        return "loss, size of gradients";
    default:
        return "";
    }
}

/** @return "DP-8". */
std::string
NameLayout(const ParallelLayout& layout)
{
    const ParallelConfig& config = layout.GetConfig();
    std::string name;
    const auto add = [&name](const char* axis, uint32_t size) {
        if (size > 1)
        {
            name += (name.empty() ? "" : " x ") + std::string(axis) + "-" + std::to_string(size);
        }
    };
    add("TP", config.tensor_model_parallel_size);
    add("CP", config.context_parallel_size);
    add("PP", config.pipeline_model_parallel_size);
    add("DP", config.data_parallel_size);
    if (config.expert_model_parallel_size > 1)
    {
        name += ", EP-" + std::to_string(config.expert_model_parallel_size);
    }
    return name.empty() ? "DP-1" : name;
}

} // namespace

JourneyLayout::JourneyLayout(const Scenario& scenario, int64_t latencyPs)
    : m_alphaPs(static_cast<double>(latencyPs)),
      m_model(ReadScenarioModel(scenario))
{
    Scenario relaxed = RequireOneJob(scenario);
    ModelConfig model = m_model;
    m_notes = RelaxLayout(model, relaxed.parallelism);
    m_workload = std::make_unique<ScenarioWorkload>(relaxed, model);
    m_name = NameLayout(GetStep().GetLayout());
    const uint32_t perServer = std::max(scenario.cluster.accelerators_per_server, 1U);
    std::vector<uint32_t> serverOf(GetStep().GetWorldSize());
    for (uint32_t rank = 0; rank < serverOf.size(); ++rank)
    {
        serverOf[rank] = rank / perServer;
    }
    m_volumes = std::make_unique<TrafficVolumes>(m_workload->GetModel(), serverOf);
    m_demands = EstimateNetworkDemands(GetStep(),
                                       m_workload->GetModel(),
                                       m_workload->GetChooser(),
                                       *m_volumes);
}

const std::string&
JourneyLayout::GetName() const
{
    return m_name;
}

const TrainingStep&
JourneyLayout::GetStep() const
{
    return *m_workload->GetStep();
}

const ModelConfig&
JourneyLayout::GetModel() const
{
    return m_model;
}

const std::vector<NetworkDemand>&
JourneyLayout::GetDemands() const
{
    return m_demands;
}

int64_t
JourneyLayout::GetComputePs() const
{
    int64_t longest = 0;
    for (uint32_t rank = 0; rank < GetStep().GetPlacement().GetRankCount(); ++rank)
    {
        longest = std::max(longest, m_workload->GetModel().GetComputePs(rank));
    }
    return longest;
}

double
JourneyLayout::GetPayloadRate() const
{
    const Scenario::FabricSection& fabric = m_workload->GetScenario().fabric;
    // Long messages: of every packet but the first.
    const uint64_t many = uint64_t{1024} * fabric.path_mtu;
    return static_cast<double>(fabric.host_rate) *
           EstimateWireCost(many, fabric.path_mtu).GetEfficiency();
}

uint32_t
JourneyLayout::GetRankOf(uint32_t stage) const
{
    ParallelCoordinates coordinates{};
    coordinates[static_cast<std::size_t>(ParallelAxis::PP)] = stage;
    return GetStep().GetLayout().GetRank(coordinates);
}

std::vector<DistinctUse>
JourneyLayout::ListUses() const
{
    return ListDistinctUses(m_workload->GetModel(), GetStep().GetPlacement().GetRankCount());
}

CollectiveSpec
JourneyLayout::MakeSpec(const CollectiveUse& use, uint32_t rank) const
{
    return MakeUseSpec(GetStep(), use, rank, m_workload->GetServers());
}

const DistinctUse*
JourneyLayout::FindMain(const std::vector<DistinctUse>& uses, ParallelDimension dimension) const
{
    const DistinctUse* main = nullptr;
    for (const auto& use : uses)
    {
        if (use.use.dimension == dimension &&
            (!main || use.use.bytes * use.use.count > main->use.bytes * main->use.count))
        {
            main = &use;
        }
    }
    return main;
}

void
JourneyLayout::Tell(ReportDocument& document) const
{
    // "TP-2 x DP-4" is tp_2_dp_4 for machines.
    std::string plain;
    for (const char c : m_name)
    {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool digit = c >= '0' && c <= '9';
        if (upper || digit)
        {
            plain += static_cast<char>(upper ? c - 'A' + 'a' : c);
        }
        else if (c != 'x' && !plain.empty() && plain.back() != '_')
        {
            plain += '_';
        }
    }
    ReportSection& section =
        document.AddSection("layout_" + plain,
                            Count(GetStep().GetWorldSize(), "accelerator") + ": " + m_name);
    TellSharing(section);
    for (const auto& note : m_notes)
    {
        section.Say("Note: " + note);
    }
    TellRanks(section);
    const std::vector<DistinctUse> uses = ListUses();
    TellData(section, uses);
    TellTensor(section, uses);
    TellExperts(section, uses);
    TellContext(section, uses);
    TellPipeline(section);
    TellOthers(section, uses);
}

void
JourneyLayout::TellSharing(ReportSection& section) const
{
    const ParallelConfig& config = GetStep().GetLayout().GetConfig();
    const TrainingConfig& training = GetStep().GetTraining();
    const uint64_t m = GetStep().GetMicrobatchCount();
    if (config.data_parallel_size > 1)
    {
        section.Say("Data parallel: " + Count(config.data_parallel_size, "replica") +
                    " of the model, each with its share of the batch, " +
                    Count(training.global_batch_size / config.data_parallel_size, "sequence") +
                    ". In the end each has the gradients of its own sequences; all need the sum of "
                    "all gradients, so that the replicas stay equal.");
    }
    if (config.tensor_model_parallel_size > 1)
    {
        section.Say(
            "Tensor parallel: every matrix is cut into " +
            std::to_string(config.tensor_model_parallel_size) +
            " slices, one for each accelerator. All work on the same tokens and each gets a "
            "part of every sum; the parts must be added up before anybody can go on.");
    }
    if (config.context_parallel_size > 1)
    {
        section.Say("Context parallel: every sequence is cut into " +
                    std::to_string(config.context_parallel_size) +
                    " parts; in attention, keys and values must come from all parts.");
    }
    if (config.expert_model_parallel_size > 1)
    {
        section.Say("Expert parallel: the experts of a layer are spread over " +
                    std::to_string(config.expert_model_parallel_size) +
                    " accelerators; tokens travel to their experts and back.");
    }
    if (config.pipeline_model_parallel_size > 1)
    {
        section.Say("Pipeline parallel: the layers are cut into " +
                    std::to_string(config.pipeline_model_parallel_size) +
                    " stages, one after the other. A stage hands its activations to the next, and "
                    "later gets the gradients of these activations back.");
    }
    section.Add("micro_batch_size",
                "b: sequences at a time",
                training.micro_batch_size,
                "called a microbatch");
    section.Add("microbatches",
                "m: microbatches",
                m,
                "= B / (" + std::to_string(config.data_parallel_size) +
                    " x b), one after the other");
    section.Add("activation_bytes",
                "activations of one",
                ReportValue::Bytes(GetStep().GetActivationBytes()),
                m == 1 && config.data_parallel_size == 1 && config.context_parallel_size == 1
                    ? "= S_act"
                : config.context_parallel_size > 1 ? "= b x T x d x q / CP"
                                                   : "= b x T x d x q");
}

void
JourneyLayout::TellRanks(ReportSection& section) const
{
    section.Say("What each accelerator (called a rank, numbered from 0) holds of the model. The "
                "activations are an estimate of what it must keep from the forward for the "
                "backward, in the output layer also the V scores of each token:");
    const PipelinePlacement& placement = GetStep().GetPlacement();
    const bool stages = placement.GetRankCount() > 1;
    section.BeginTable("ranks",
                       {{"stage", "stage"},
                        {"layers", "layers"},
                        {"parameters", "parameters"},
                        {"parameter_bytes", "S_theta"},
                        {"gradient_bytes", "S_grad"},
                        {"optimizer_bytes", "optimizer"},
                        {"activation_bytes", "activations"}});
    for (uint32_t rank = 0; rank < placement.GetRankCount(); ++rank)
    {
        uint64_t layers = 0;
        uint64_t parameters = 0;
        for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
        {
            const StageWork& work = GetStep().GetStage(placement.GetStage({rank, chunk}));
            layers += work.layers.count;
            parameters += work.parameters;
        }
        const MemoryEstimate memory = m_workload->GetModel().EstimateMemory(rank);
        section.AddRow({stages ? std::to_string(rank) : "all",
                        layers,
                        parameters,
                        ReportValue::Bytes(memory.parameters),
                        ReportValue::Bytes(memory.gradients),
                        ReportValue::RoundBytes(memory.optimizer),
                        ReportValue::RoundBytes(memory.activations)});
    }
}

void
JourneyLayout::TellData(ReportSection& section, const std::vector<DistinctUse>& uses) const
{
    const DistinctUse* use = FindMain(uses, ParallelDimension::DATA);
    if (!use)
    {
        return;
    }
    uint64_t payload = 0;
    uint64_t count = 0;
    for (const auto& own : m_workload->GetModel().ListCollectives(use->pipelineRank))
    {
        if (own.dimension == ParallelDimension::DATA)
        {
            payload += own.bytes * own.count;
            count += own.count;
        }
    }
    const bool sharded = GetStep().GetTraining().data_parallel_sharding_strategy != "no_shard";
    section.Say(
        sharded ? "Each rank keeps the optimizer for a part of the parameters only (sharding): it "
                  "gets the sum of its part of the gradients (reduce-scatter), and gives its part "
                  "of the parameters to all others (all-gather)."
        : count > 1
            ? "The exchange of gradients, which are grouped in buckets, a collective for each:"
            : "The exchange of gradients, in one collective:");
    section.Add("data_collectives",
                sharded ? "collectives per step" : Describe(use->use.kind) + "s per step",
                count);
    section.Add("data_payload_bytes",
                sharded ? "sizes, together" : "gradients that they sum",
                ReportValue::Bytes(payload),
                sharded                   ? "of whole gradients and parameters"
                : m_model.num_experts > 0 ? "what several ranks hold alike"
                                          : "what a rank holds of S_grad");
    section.Say(count > 1 ? "The largest, by several algorithms:" : "By several algorithms:");
    TellAlgorithms(section, "data_algorithms", *use);
}

void
JourneyLayout::TellTensor(ReportSection& section, const std::vector<DistinctUse>& uses) const
{
    const DistinctUse* use = FindMain(uses, ParallelDimension::TENSOR);
    if (!use)
    {
        return;
    }
    const uint64_t m = GetStep().GetMicrobatchCount();
    uint64_t layers = 0;
    const PipelinePlacement& placement = GetStep().GetPlacement();
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        layers += GetStep().GetStage(placement.GetStage({use->pipelineRank, chunk})).layers.count;
    }
    if (use->use.kind == CollectiveKind::ALL_REDUCE)
    {
        const uint64_t inLayers = 4 * layers * m;
        section.Say("Every layer adds up the parts of its activations four times: behind attention "
                    "and behind the MLP on the way forward, and in front of both on the way back.");
        section.Add("tensor_collectives",
                    "all-reduces in layers",
                    inLayers,
                    "= 4 x " + GroupDigits(layers) + " layers" +
                        (m > 1 ? " x m = " + GroupDigits(m) : ""));
        section.Add("tensor_bytes",
                    "each of",
                    ReportValue::Bytes(use->use.bytes),
                    "the activations of a microbatch");
        section.Add("tensor_payload_bytes",
                    "together",
                    ReportValue::Bytes(inLayers * use->use.bytes),
                    "= " + GroupDigits(inLayers) + " x " + GroupDigits(use->use.bytes));
        section.Add("tensor_others",
                    "more of the same size",
                    use->use.count - inLayers,
                    "behind the embedding and in front of the output layer");
    }
    else
    {
        section.Say(
            "With sequence parallelism the activations lie cut into parts between the "
            "matrices: they are gathered in front of each and scattered, as sums, behind it. "
            "A layer gathers 6 times (twice forward, four times backward) and scatters 4 "
            "times.");
        section.Add("tensor_collectives",
                    Describe(use->use.kind) + "s per step",
                    use->use.count,
                    "in layers, embedding and output layer");
        section.Add("tensor_bytes", "each of", ReportValue::Bytes(use->use.bytes));
    }
    section.Say("One of them, by several algorithms:");
    TellAlgorithms(section, "tensor_algorithms", *use);
}

void
JourneyLayout::TellExperts(ReportSection& section, const std::vector<DistinctUse>& uses) const
{
    const DistinctUse* use = FindMain(uses, ParallelDimension::EXPERT);
    if (!use)
    {
        return;
    }
    section.Say(
        "In a layer with experts every token is sent to the ranks of its experts and comes "
        "back (dispatch and combine); on the way back through the layer its gradients do the "
        "same. How much goes to whom depends on which experts are popular. In a step a rank "
        "takes part in:");
    section.Add("expert_collectives", Describe(use->use.kind) + "s", use->use.count);
    section.Add("expert_bytes",
                "each of",
                ReportValue::Bytes(use->use.bytes),
                "of a rank, what stays with it included");
    section.Say("One of them, by several algorithms:");
    TellAlgorithms(section, "expert_algorithms", *use);
}

void
JourneyLayout::TellContext(ReportSection& section, const std::vector<DistinctUse>& uses) const
{
    if (GetStep().GetLayout().GetConfig().context_parallel_size == 1)
    {
        return;
    }
    const DistinctUse* use = FindMain(uses, ParallelDimension::CONTEXT);
    if (use)
    {
        section.Say("Keys and values of the other parts of the sequence come in collectives:");
        section.Add("context_collectives", Describe(use->use.kind) + "s", use->use.count);
        section.Add("context_bytes", "each of", ReportValue::Bytes(use->use.bytes));
        TellAlgorithms(section, "context_algorithms", *use);
    }
    for (const auto& neighbour : m_workload->GetModel().GetUses(0).neighbours)
    {
        section.Say("Keys and values go around a ring: while a rank computes with one part, the "
                    "next one is on its way to it.");
        section.Add("context_messages", "messages per step", neighbour.count);
        section.Add("context_message_bytes", "each of", ReportValue::Bytes(neighbour.bytes));
    }
}

void
JourneyLayout::TellPipeline(ReportSection& section) const
{
    const ParallelConfig& config = GetStep().GetLayout().GetConfig();
    const uint64_t p = config.pipeline_model_parallel_size;
    if (p == 1)
    {
        return;
    }
    const TrainingConfig& training = GetStep().GetTraining();
    const uint64_t m = GetStep().GetMicrobatchCount();
    const uint64_t bytes = GetStep().GetPipelineBytes();
    section.Say("No collective here: a stage sends a message to the next for each microbatch, and "
                "gets one of the same size back.");
    section.Add("pipeline_bytes",
                "a message",
                ReportValue::Bytes(bytes),
                bytes == GetStep().GetActivationBytes()
                    ? "the activations of a microbatch"
                    : "a rank's part of " + GroupDigits(GetStep().GetActivationBytes()));
    uint64_t most = 0;
    for (uint32_t stage = 0; stage < GetStep().GetPlacement().GetRankCount(); ++stage)
    {
        most = std::max(most, m_workload->GetModel().GetSendCount(GetRankOf(stage)));
    }
    section.Add("pipeline_sends",
                "messages per step",
                most,
                p > 2 ? "that an inner stage sends: to both neighbours" : "that a stage sends");
    section.Add("pipeline_payload_bytes",
                "together",
                ReportValue::Bytes(most * bytes),
                "= " + GroupDigits(most) + " x " + GroupDigits(bytes));
    const uint64_t v = config.virtual_pipeline_model_parallel_size;
    section.Say(
        "While the first microbatch is still on its way, later stages have nothing to do, and at "
        "the end the first ones wait: the bubble. Idle over busy time is (p - 1) / " +
        std::string(v > 1 ? "(m v)" : "m") + " with p = " + std::to_string(p) + " stages" +
        (v > 1 ? " and v = " + std::to_string(v) + " chunks of layers on each, taken in turn"
               : "") +
        ", so it pays to cut the batch into more microbatches; the bytes stay the same in sum:");
    section.BeginTable("microbatching",
                       {{"microbatches", "m"},
                        {"micro_batch_size", "b"},
                        {"message_bytes", "message"},
                        {"messages", "messages"},
                        {"bubble", "bubble"}});
    const uint64_t share = training.global_batch_size / config.data_parallel_size;
    for (uint64_t count = 1; count <= share && count <= 64; count *= 2)
    {
        if (share % count != 0)
        {
            break;
        }
        section.AddRow(
            {count,
             share / count,
             ReportValue::Bytes(bytes / training.micro_batch_size * (share / count)),
             most / m * count,
             ReportValue::Real(100.0 * static_cast<double>(p - 1) / static_cast<double>(count * v),
                               0,
                               "%")});
    }
}

void
JourneyLayout::TellOthers(ReportSection& section, const std::vector<DistinctUse>& uses) const
{
    std::vector<const DistinctUse*> others;
    for (const auto& use : uses)
    {
        const bool small = use.use.dimension == ParallelDimension::EMBEDDING ||
                           use.use.dimension == ParallelDimension::SCALAR;
        if (small || FindMain(uses, use.use.dimension) != &use)
        {
            others.push_back(&use);
        }
    }
    if (others.empty())
    {
        return;
    }
    section.Say(
        "The other collectives of the step; those of a few bytes cost no bandwidth, but each "
        "makes everybody wait for the slowest:");
    section.BeginTable("other_collectives",
                       {{"kind", "collective"},
                        {"dimension", "for"},
                        {"what", "of"},
                        {"ranks", "ranks"},
                        {"stage", "stage"},
                        {"count", "times"},
                        {"bytes", "each of"}});
    for (const DistinctUse* use : others)
    {
        section.AddRow({Describe(use->use.kind),
                        ToString(use->use.dimension),
                        Explain(GetStep(), use->use),
                        GetStep().GetLayout().GetGroupSize(use->use.groupKind),
                        use->where,
                        use->use.count,
                        ReportValue::Bytes(use->use.bytes)});
    }
}

void
JourneyLayout::TellAlgorithms(ReportSection& section,
                              const std::string& key,
                              const DistinctUse& use) const
{
    const double rate = GetPayloadRate();
    const CollectiveSpec plain = MakeSpec(use.use, GetRankOf(use.pipelineRank));
    section.BeginTable(key,
                       {{"algorithm", "algorithm"},
                        {"messages", "messages\nof a rank"},
                        {"largest_message_bytes", "largest\nmessage"},
                        {"busiest_rank_bytes", "sent by the\nbusiest rank"},
                        {"time_ps", "time at\nthe link"}});
    for (const auto& candidate : ListCandidates(use.use.kind))
    {
        CollectiveSpec spec = plain;
        spec.sliceBytes = candidate.sliceBytes;
        const CollectiveAlgorithm* algorithm = nullptr;
        try
        {
            algorithm = m_workload->GetSelector()->Choose(spec, candidate.name).algorithm;
        }
        catch (const ConfigError&)
        {
            continue; // it does not do this one
        }
        const CollectiveCost cost = EstimateCollectiveCost(*algorithm, spec, m_alphaPs, rate);
        section.AddRow({candidate.title,
                        cost.messages,
                        ReportValue::Bytes(cost.largestMessage),
                        ReportValue::Bytes(cost.busiestBytes),
                        ReportValue::Duration(static_cast<int64_t>(cost.timePs))});
    }
    if (use.use.kind != CollectiveKind::ALL_REDUCE)
    {
        return;
    }
    const uint64_t n = plain.groupSize;
    const uint64_t steps = 2 * (n - 1);
    const uint64_t piece = (plain.bytes + n - 1) / n;
    section.Say("The row of the ring by hand:");
    section.Add(key + "_ring_steps", "steps", steps, "= 2 x (" + GroupDigits(n) + " - 1)");
    section.Add(key + "_ring_piece_bytes",
                "a piece",
                ReportValue::Bytes(piece),
                "= " + GroupDigits(plain.bytes) + " / " + GroupDigits(n) +
                    (plain.bytes % n == 0 ? "" : ", rounded up"));
    section.Add(key + "_ring_step_ps",
                "a step",
                ReportValue::Duration(
                    static_cast<int64_t>(m_alphaPs + 8e12 * static_cast<double>(piece) / rate)),
                "= alpha + " + GroupDigits(piece) + " x 8 / " +
                    ReportValue::Real(rate * 1e-9, 1, "Gb/s").Show());
}

JourneyLayout::MainMessage
JourneyLayout::GetMainMessage() const
{
    MainMessage message;
    const std::vector<DistinctUse> uses = ListUses();
    uint64_t most = 0;
    for (const auto& volume : m_volumes->GetVolumes())
    {
        if (volume.busiest <= most)
        {
            continue;
        }
        most = volume.busiest;
        if (volume.dimension == ParallelDimension::PIPELINE)
        {
            message = {"activations of a microbatch", GetStep().GetPipelineBytes()};
            continue;
        }
        const DistinctUse* use = FindMain(uses, volume.dimension);
        if (!use) // no collective, but a ring of messages
        {
            message = {"keys and values of a part",
                       m_workload->GetModel().GetUses(0).neighbours.front().bytes};
            continue;
        }
        CollectiveSpec spec = MakeSpec(use->use, GetRankOf(use->pipelineRank));
        const CollectiveSelector::CollectivePlan choice = m_workload->Choose(spec);
        message = {std::string("a piece of ") +
                       (volume.dimension == ParallelDimension::DATA     ? "gradients"
                        : volume.dimension == ParallelDimension::EXPERT ? "tokens"
                                                                        : "activations") +
                       " (" + choice.algorithm->GetName() + ")",
                   EstimateCollectiveCost(*choice.algorithm, spec, 0, 1e9).largestMessage};
    }
    return message;
}

std::map<ParallelDimension, WireCost>
JourneyLayout::GetWireCosts() const
{
    const uint32_t mtu = m_workload->GetScenario().fabric.path_mtu;
    std::map<ParallelDimension, WireCost> costs;
    for (const auto& volume : m_volumes->GetVolumes())
    {
        WireCost& cost = costs[volume.dimension];
        const uint32_t rank = volume.busiestRank;
        const auto add = [&cost](const WireCost& one, uint64_t count) {
            cost += {one.payloadBytes * count,
                     one.packets * count,
                     one.frameBytes * count,
                     one.linkBytes * count};
        };
        if (volume.dimension == ParallelDimension::PIPELINE)
        {
            add(EstimateWireCost(GetStep().GetPipelineBytes(), mtu),
                m_workload->GetModel().GetSendCount(rank));
            continue;
        }
        const uint32_t stage = GetStep().GetLayout().GetCoordinate(rank, ParallelAxis::PP);
        for (const auto& use : m_workload->GetModel().GetUses(stage).neighbours)
        {
            if (use.dimension == volume.dimension)
            {
                add(EstimateWireCost(use.bytes, mtu), use.count);
            }
        }
        for (const auto& use : m_workload->GetModel().ListCollectives(stage))
        {
            if (use.dimension != volume.dimension)
            {
                continue;
            }
            CollectiveSpec spec = MakeSpec(use, rank);
            const CollectiveAlgorithm* algorithm = m_workload->Choose(spec).algorithm;
            for (uint32_t channel = 0; channel < spec.channels; ++channel)
            {
                const auto program = algorithm->CreateProgram(
                    spec,
                    GetStep().GetLayout().GetGroupRank(use.groupKind, rank),
                    channel);
                Transfer transfer;
                while (program->Next(transfer))
                {
                    if (transfer.send && transfer.bytes > 0)
                    {
                        add(EstimateWireCost(transfer.bytes, mtu), use.count);
                    }
                }
            }
        }
    }
    return costs;
}

} // namespace llm
} // namespace ns3
