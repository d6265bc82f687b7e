/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-traffic-model.h"

#include "ns3/llm-model-flops.h"
#include "ns3/llm-parameter-tensor.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

constexpr std::array<ParallelDimension, 7> ALL_DIMENSIONS{ParallelDimension::TENSOR,
                                                          ParallelDimension::CONTEXT,
                                                          ParallelDimension::EXPERT,
                                                          ParallelDimension::DATA,
                                                          ParallelDimension::PIPELINE,
                                                          ParallelDimension::EMBEDDING,
                                                          ParallelDimension::SCALAR};
static_assert(ALL_DIMENSIONS.size() == static_cast<std::size_t>(ParallelDimension::COUNT));

} // namespace

uint64_t
MemoryEstimate::GetTotal() const
{
    return parameters + gradients + optimizer + activations;
}

TrafficModel::TrafficModel(const TrainingStep& step, Chooser chooser)
    : m_step(step),
      m_layout(step.GetLayout()),
      m_chooser(std::move(chooser))
{
    for (uint32_t stage = 0; stage < step.GetStageCount(); ++stage)
    {
        m_uses.push_back(ListCollectives(stage));
    }
}

std::vector<CollectiveUse>
TrafficModel::ListCollectives(uint32_t stage) const
{
    std::vector<CollectiveUse> uses;
    AddTensorCollectives(stage, uses);
    AddGradientCollectives(stage, uses);
    // Nothing is done over one rank, and nothing no times.
    uses.erase(std::remove_if(uses.begin(),
                              uses.end(),
                              [this](const CollectiveUse& use) {
                                  return use.count == 0 ||
                                         m_layout.GetGroupSize(use.groupKind) == 1;
                              }),
               uses.end());
    return uses;
}

void
TrafficModel::AddTensorCollectives(uint32_t stage, std::vector<CollectiveUse>& uses) const
{
    const StageWork& work = m_step.GetStage(stage);
    const uint64_t m = m_step.GetMicrobatchCount();
    const uint64_t layers = work.layers.count;
    const uint64_t first = work.first ? 1 : 0;
    const uint64_t last = work.last ? 1 : 0;
    const auto add = [&uses](CollectiveKind kind, uint64_t bytes, uint64_t count) {
        uses.push_back({kind, ParallelDimension::TENSOR, "tp", bytes, count});
    };

    add(CollectiveKind::BROADCAST, m_step.GetBatchBytes(), m * (first | last));
    const uint64_t activation = m_step.GetActivationBytes();
    if (m_step.HasSequenceParallel())
    {
        // Per layer 6 all-gathers and 4 reduce-scatters. Embedding: out and back. Output layer:
        // input gathered forward and again backward, its gradient scattered.
        const uint64_t reduceEmbedding = m_step.GetModel().learned_positions ? first : 0;
        add(CollectiveKind::ALL_GATHER, activation, m * (6 * layers + first + 2 * last));
        add(CollectiveKind::REDUCE_SCATTER,
            activation,
            m * (4 * layers + first - reduceEmbedding + last));
        add(CollectiveKind::ALL_REDUCE, activation, m * reduceEmbedding);
    }
    else
    {
        // Per layer 2 forward, 2 backward; embedding forward; output layer backward.
        add(CollectiveKind::ALL_REDUCE, activation, m * (4 * layers + first + last));
    }
    add(CollectiveKind::ALL_REDUCE, m_step.GetCrossEntropyBytes(), 3 * m * last);

    // Gradients that each rank has seen a part of: of norms and of biases of row-parallel matrices
    // (1/t of the sequence), of norms of queries and keys (1/t of the heads).
    const ModelConfig& model = m_step.GetModel();
    uint64_t vectors = model.qk_norm ? 2 * model.head_dim * layers : 0;
    if (m_step.HasSequenceParallel())
    {
        const uint64_t normParts = model.layer_norm_bias ? 2 : 1;
        const uint64_t rowBiases = (model.attention_output_bias ? 1 : 0) + (model.mlp_bias ? 1 : 0);
        vectors += model.hidden_size * (layers * (2 * normParts + rowBiases) + last * normParts);
    }
    const uint64_t element = GetBytesPerElement(m_step.GetGradientType());
    add(CollectiveKind::ALL_REDUCE, vectors * element, vectors > 0 ? 1 : 0);
}

void
TrafficModel::AddGradientCollectives(uint32_t stage, std::vector<CollectiveUse>& uses) const
{
    const StageWork& work = m_step.GetStage(stage);
    const auto add =
        [&uses](ParallelDimension dimension, const char* group, uint64_t bytes, uint64_t count) {
            uses.push_back({CollectiveKind::ALL_REDUCE, dimension, group, bytes, count});
        };
    for (const auto& full : work.buckets)
    {
        add(ParallelDimension::DATA, "dp", full.bucket.bytes, 1);
    }
    const bool shares = m_step.HasSharedEmbedding() && (work.first || work.last);
    add(ParallelDimension::EMBEDDING, "embd", m_step.GetEmbeddingGradientBytes(), shares ? 1 : 0);
    // Loss; gradient norm and, with fp16, the overflow flag.
    add(ParallelDimension::SCALAR, "dp", TrainingStep::SCALAR_BYTES, work.last ? 1 : 0);
    add(ParallelDimension::SCALAR,
        "tp-pp",
        TrainingStep::SCALAR_BYTES,
        m_step.GetParamsType() == DataType::FP16 ? 2 : 1);
}

uint32_t
TrafficModel::GetStageOf(uint32_t rank) const
{
    return m_layout.GetCoordinate(rank, ParallelAxis::PP);
}

uint32_t
TrafficModel::GetNeighbour(uint32_t rank, bool next) const
{
    ParallelCoordinates coordinates = m_layout.GetCoordinates(rank);
    uint32_t& stage = coordinates[static_cast<std::size_t>(ParallelAxis::PP)];
    stage = next ? stage + 1 : stage - 1;
    return m_layout.GetRank(coordinates);
}

TrafficModel::Resolved
TrafficModel::Resolve(uint32_t rank, const CollectiveUse& use) const
{
    Resolved resolved{};
    resolved.group = &m_step.GetGroups()[m_step.GetGroupId(use.groupKind, rank)];
    resolved.groupRank = m_layout.GetGroupRank(use.groupKind, rank);
    resolved.spec.kind = use.kind;
    resolved.spec.groupSize = static_cast<uint32_t>(resolved.group->ranks.size());
    resolved.spec.bytes = use.bytes;
    resolved.spec.exchange = use.exchange;
    resolved.algorithm = m_chooser(resolved.spec, *resolved.group, use.dimension);
    return resolved;
}

uint64_t
TrafficModel::GetBytesSent(uint32_t rank, ParallelDimension dimension) const
{
    if (dimension == ParallelDimension::PIPELINE)
    {
        return GetSendCount(rank) * m_step.GetPipelineBytes();
    }
    uint64_t bytes = 0;
    for (const auto& use : m_uses[GetStageOf(rank)])
    {
        if (use.dimension == dimension)
        {
            const Resolved resolved = Resolve(rank, use);
            bytes +=
                use.count * resolved.algorithm->PredictBytes(resolved.spec, resolved.groupRank);
        }
    }
    return bytes;
}

uint64_t
TrafficModel::GetBytesSent(uint32_t rank) const
{
    uint64_t bytes = 0;
    for (const auto dimension : ALL_DIMENSIONS)
    {
        bytes += GetBytesSent(rank, dimension);
    }
    return bytes;
}

uint64_t
TrafficModel::GetPairBytes(uint32_t from, uint32_t to, ParallelDimension dimension) const
{
    const uint32_t stage = GetStageOf(from);
    if (dimension == ParallelDimension::PIPELINE)
    {
        const bool next = stage + 1 < m_step.GetStageCount() && GetNeighbour(from, true) == to;
        const bool previous = stage > 0 && GetNeighbour(from, false) == to;
        return next || previous ? m_step.GetMicrobatchCount() * m_step.GetPipelineBytes() : 0;
    }
    uint64_t bytes = 0;
    for (const auto& use : m_uses[stage])
    {
        const bool share =
            use.dimension == dimension && m_layout.GetGroupIndex(use.groupKind, from) ==
                                              m_layout.GetGroupIndex(use.groupKind, to);
        if (!share || from == to)
        {
            continue;
        }
        const Resolved resolved = Resolve(from, use);
        const uint32_t toRank = m_layout.GetGroupRank(use.groupKind, to);
        // Inner stages are in no embedding group: their number stands for somebody else.
        if (resolved.group->ranks[toRank] == to)
        {
            bytes +=
                use.count *
                resolved.algorithm->PredictPairBytes(resolved.spec, resolved.groupRank, toRank);
        }
    }
    return bytes;
}

std::vector<PeerTraffic>
TrafficModel::GetPeers(uint32_t rank) const
{
    std::map<std::pair<uint32_t, ParallelDimension>, uint64_t> bytes;
    const uint32_t stage = GetStageOf(rank);
    const uint64_t pipeline = m_step.GetMicrobatchCount() * m_step.GetPipelineBytes();
    if (stage > 0)
    {
        bytes[{GetNeighbour(rank, false), ParallelDimension::PIPELINE}] += pipeline;
    }
    if (stage + 1 < m_step.GetStageCount())
    {
        bytes[{GetNeighbour(rank, true), ParallelDimension::PIPELINE}] += pipeline;
    }
    for (const auto& use : m_uses[stage])
    {
        const Resolved resolved = Resolve(rank, use);
        for (const uint32_t peer :
             resolved.algorithm->PredictPeers(resolved.spec, resolved.groupRank))
        {
            bytes[{resolved.group->ranks[peer], use.dimension}] +=
                use.count *
                resolved.algorithm->PredictPairBytes(resolved.spec, resolved.groupRank, peer);
        }
    }
    std::vector<PeerTraffic> peers;
    for (const auto& [key, sent] : bytes)
    {
        if (sent > 0)
        {
            peers.push_back({key.first, key.second, sent});
        }
    }
    return peers;
}

uint64_t
TrafficModel::GetTotal(ParallelDimension dimension) const
{
    uint64_t bytes = 0;
    for (uint32_t rank = 0; rank < m_layout.GetWorldSize(); ++rank)
    {
        bytes += GetBytesSent(rank, dimension);
    }
    return bytes;
}

uint64_t
TrafficModel::GetTotal() const
{
    uint64_t bytes = 0;
    for (const auto dimension : ALL_DIMENSIONS)
    {
        bytes += GetTotal(dimension);
    }
    return bytes;
}

uint64_t
TrafficModel::GetCollectiveCount(uint32_t rank, ParallelDimension dimension) const
{
    uint64_t count = 0;
    for (const auto& use : m_uses[GetStageOf(rank)])
    {
        count += use.dimension == dimension ? use.count : 0;
    }
    return count;
}

uint64_t
TrafficModel::GetSendCount(uint32_t rank) const
{
    const uint32_t stage = GetStageOf(rank);
    const uint64_t neighbours = (stage > 0 ? 1 : 0) + (stage + 1 < m_step.GetStageCount() ? 1 : 0);
    return neighbours * m_step.GetMicrobatchCount();
}

double
TrafficModel::GetFlops() const
{
    const TrainingConfig& training = m_step.GetTraining();
    const ModelFlops flops(m_step.GetModel(), training.seq_length, training.causal_attention_flops);
    return static_cast<double>(training.global_batch_size) * training.seq_length *
           static_cast<double>(flops.GetTraining());
}

double
TrafficModel::GetMfu(double iterationPs) const
{
    const auto peak = static_cast<double>(m_step.GetAccelerator().GetConfig().flops_per_second);
    return GetFlops() / (peak * m_layout.GetWorldSize() * (iterationPs * 1e-12));
}

int64_t
TrafficModel::GetForwardPs(uint32_t stage) const
{
    const StageWork& work = m_step.GetStage(stage);
    const PartTimes& times = m_step.GetTimes();
    return (work.first ? times.embeddingForwardPs : 0) + (work.last ? times.headForwardPs : 0) +
           static_cast<int64_t>(work.layers.count) *
               (times.attentionForwardPs + times.mlpForwardPs);
}

int64_t
TrafficModel::GetBackwardPs(uint32_t stage) const
{
    const StageWork& work = m_step.GetStage(stage);
    const PartTimes& times = m_step.GetTimes();
    return (work.first ? times.embeddingBackwardPs : 0) + (work.last ? times.headBackwardPs : 0) +
           static_cast<int64_t>(work.layers.count) *
               (times.attentionBackwardPs + times.mlpBackwardPs);
}

int64_t
TrafficModel::GetComputePs(uint32_t stage) const
{
    return static_cast<int64_t>(m_step.GetMicrobatchCount()) *
               (GetForwardPs(stage) + GetBackwardPs(stage)) +
           m_step.GetStage(stage).optimizerPs;
}

double
TrafficModel::GetBubbleFraction() const
{
    return static_cast<double>(m_step.GetStageCount() - 1) /
           static_cast<double>(m_step.GetMicrobatchCount());
}

int64_t
TrafficModel::GetIdealIterationPs() const
{
    int64_t slowest = 0;
    int64_t optimizer = 0;
    for (uint32_t stage = 0; stage < m_step.GetStageCount(); ++stage)
    {
        slowest = std::max(slowest, GetForwardPs(stage) + GetBackwardPs(stage));
        optimizer = std::max(optimizer, m_step.GetStage(stage).optimizerPs);
    }
    const uint64_t slots = m_step.GetMicrobatchCount() + m_step.GetStageCount() - 1;
    return static_cast<int64_t>(slots) * slowest + optimizer;
}

MemoryEstimate
TrafficModel::EstimateMemory(uint32_t stage) const
{
    const StageWork& work = m_step.GetStage(stage);
    const TrainingConfig& training = m_step.GetTraining();
    const uint64_t t = m_layout.GetSize(ParallelAxis::TP);
    const uint64_t tokenBytes = static_cast<uint64_t>(training.micro_batch_size) *
                                training.seq_length * m_step.GetModel().hidden_size;
    const uint64_t perLayer =
        m_step.HasSequenceParallel() ? 34 * tokenBytes / t : 10 * tokenBytes + 24 * tokenBytes / t;
    const uint64_t inFlight =
        std::min<uint64_t>(m_step.GetStageCount() - stage, m_step.GetMicrobatchCount());
    MemoryEstimate memory;
    memory.parameters = work.parameters * GetBytesPerElement(m_step.GetParamsType());
    memory.gradients = work.parameters * GetBytesPerElement(m_step.GetGradientType());
    memory.optimizer = work.parameters * 12;
    memory.activations = work.layers.count * perLayer * inFlight;
    return memory;
}

} // namespace llm
} // namespace ns3
