/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-traffic-model.h"

#include "llm-context-traffic.h"
#include "llm-data-traffic.h"
#include "llm-expert-traffic.h"
#include "llm-pipeline-traffic.h"
#include "llm-recompute-traffic.h"
#include "llm-tensor-traffic.h"

#include "ns3/llm-model-flops.h"
#include "ns3/llm-parameter-tensor.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
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

/** Layers repeat themselves. @return one of each collective, counted as often as all of its kind.
 */
std::vector<CollectiveUse>
MergeAlike(const std::vector<CollectiveUse>& uses)
{
    std::vector<CollectiveUse> merged;
    for (const auto& use : uses)
    {
        const auto found =
            std::find_if(merged.begin(), merged.end(), [&use](const CollectiveUse& one) {
                return one.kind == use.kind && one.dimension == use.dimension &&
                       std::string(one.groupKind) == use.groupKind && one.bytes == use.bytes &&
                       one.exchange == use.exchange &&
                       one.bytesByExpertRank == use.bytesByExpertRank;
            });
        if (found == merged.end())
        {
            merged.push_back(use);
        }
        else
        {
            found->count += use.count;
        }
    }
    return merged;
}

} // namespace

TrafficModel::TrafficModel(const TrainingStep& step, Chooser chooser)
    : m_step(step),
      m_layout(step.GetLayout()),
      m_chooser(std::move(chooser)),
      m_clock(step),
      m_memory(step)
{
    for (uint32_t rank = 0; rank < step.GetPlacement().GetRankCount(); ++rank)
    {
        m_uses.push_back(MakeUses(rank));
    }
}

TrafficUses
TrafficModel::MakeUses(uint32_t pipelineRank) const
{
    const PipelinePlacement& placement = m_step.GetPlacement();
    const uint64_t microbatches = m_step.GetMicrobatchCount() / placement.GetDirectionCount();
    std::vector<StageTraffic> stages;
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        const PipelinePlace place{pipelineRank, chunk};
        stages.push_back({m_step, place, m_step.GetStage(placement.GetStage(place)), microbatches});
    }
    TrafficUses uses;
    for (const auto& at : stages)
    {
        AddTensorTraffic(at, uses);
        AddRecomputeTraffic(at, uses);
        AddContextTraffic(at, uses);
        AddExpertTraffic(at, uses);
        AddDataTraffic(at, uses);
        AddPipelineTraffic(at, uses);
    }
    AddIterationTraffic(m_step, stages, uses);
    const auto idle = [this](const auto& use) {
        return use.count == 0 || m_layout.GetGroupSize(use.groupKind) == 1;
    };
    const auto clean = [&idle](auto& list) {
        list.erase(std::remove_if(list.begin(), list.end(), idle), list.end());
    };
    clean(uses.collectives);
    clean(uses.neighbours);
    uses.collectives = MergeAlike(uses.collectives);
    return uses;
}

const TrafficUses&
TrafficModel::GetUses(uint32_t pipelineRank) const
{
    return m_uses[pipelineRank];
}

const std::vector<CollectiveUse>&
TrafficModel::ListCollectives(uint32_t pipelineRank) const
{
    return m_uses[pipelineRank].collectives;
}

uint32_t
TrafficModel::GetPipelineRank(uint32_t rank) const
{
    return m_layout.GetCoordinate(rank, ParallelAxis::PP);
}

uint32_t
TrafficModel::GetRankAt(uint32_t rank, uint32_t pipelineRank) const
{
    ParallelCoordinates coordinates = m_layout.GetCoordinates(rank);
    coordinates[static_cast<std::size_t>(ParallelAxis::PP)] = pipelineRank;
    return m_layout.GetRank(coordinates);
}

uint32_t
TrafficModel::GetNeighbour(uint32_t rank, const NeighbourUse& use) const
{
    const auto& ranks = m_step.GetGroups()[m_step.GetGroupId(use.groupKind, rank)].ranks;
    const auto size = static_cast<int64_t>(ranks.size());
    const int64_t place =
        static_cast<int64_t>(m_layout.GetGroupRank(use.groupKind, rank)) + use.offset;
    return ranks[static_cast<std::size_t>((place % size + size) % size)];
}

TrafficModel::Resolved
TrafficModel::Resolve(uint32_t group, const CollectiveUse& use) const
{
    Resolved resolved;
    resolved.group = &m_step.GetGroups()[group];
    resolved.spec.kind = use.kind;
    resolved.spec.groupSize = static_cast<uint32_t>(resolved.group->ranks.size());
    resolved.spec.bytes = use.bytes;
    if (!use.bytesByExpertRank.empty())
    {
        const uint32_t member = resolved.group->ranks.front();
        resolved.spec.bytes =
            use.bytesByExpertRank[m_layout.GetCoordinate(member, ParallelAxis::EP)];
    }
    resolved.spec.exchange = use.exchange;
    resolved.algorithm = m_chooser(resolved.spec, *resolved.group, use.dimension);
    return resolved;
}

uint64_t
TrafficModel::GetBytesSent(uint32_t rank, ParallelDimension dimension) const
{
    const TrafficUses& uses = m_uses[GetPipelineRank(rank)];
    uint64_t bytes = 0;
    if (dimension == ParallelDimension::PIPELINE)
    {
        for (const auto& use : uses.pipeline)
        {
            bytes += use.count * use.bytes;
        }
        return bytes;
    }
    for (const auto& use : uses.collectives)
    {
        if (use.dimension == dimension)
        {
            const Resolved resolved = Resolve(m_step.GetGroupId(use.groupKind, rank), use);
            bytes += use.count *
                     resolved.algorithm->PredictBytes(resolved.spec,
                                                      m_layout.GetGroupRank(use.groupKind, rank));
        }
    }
    for (const auto& use : uses.neighbours)
    {
        bytes += use.dimension == dimension ? use.count * use.bytes : 0;
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
    const TrafficUses& uses = m_uses[GetPipelineRank(from)];
    uint64_t bytes = 0;
    if (dimension == ParallelDimension::PIPELINE)
    {
        for (const auto& use : uses.pipeline)
        {
            bytes += GetRankAt(from, use.toRank) == to ? use.count * use.bytes : 0;
        }
        return bytes;
    }
    for (const auto& use : uses.collectives)
    {
        const bool share =
            use.dimension == dimension && m_layout.GetGroupIndex(use.groupKind, from) ==
                                              m_layout.GetGroupIndex(use.groupKind, to);
        if (!share)
        {
            continue;
        }
        const Resolved resolved = Resolve(m_step.GetGroupId(use.groupKind, from), use);
        const uint32_t toRank = m_layout.GetGroupRank(use.groupKind, to);
        // Inner stages are in no embedding group: their number stands for somebody else.
        if (resolved.group->ranks[toRank] == to)
        {
            bytes += use.count * resolved.algorithm->PredictPairBytes(
                                     resolved.spec,
                                     m_layout.GetGroupRank(use.groupKind, from),
                                     toRank);
        }
    }
    for (const auto& use : uses.neighbours)
    {
        const bool meant = use.dimension == dimension && GetNeighbour(from, use) == to;
        bytes += meant ? use.count * use.bytes : 0;
    }
    return bytes;
}

std::vector<PeerTraffic>
TrafficModel::GetPeers(uint32_t rank) const
{
    std::map<std::pair<uint32_t, ParallelDimension>, uint64_t> bytes;
    const TrafficUses& uses = m_uses[GetPipelineRank(rank)];
    for (const auto& use : uses.pipeline)
    {
        bytes[{GetRankAt(rank, use.toRank), ParallelDimension::PIPELINE}] += use.count * use.bytes;
    }
    for (const auto& use : uses.neighbours)
    {
        bytes[{GetNeighbour(rank, use), use.dimension}] += use.count * use.bytes;
    }
    for (const auto& use : uses.collectives)
    {
        const Resolved resolved = Resolve(m_step.GetGroupId(use.groupKind, rank), use);
        const uint32_t groupRank = m_layout.GetGroupRank(use.groupKind, rank);
        for (const uint32_t peer : resolved.algorithm->PredictPeers(resolved.spec, groupRank))
        {
            bytes[{resolved.group->ranks[peer], use.dimension}] +=
                use.count * resolved.algorithm->PredictPairBytes(resolved.spec, groupRank, peer);
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
TrafficModel::GetCollectiveTotal(uint32_t pipelineRank, const CollectiveUse& use) const
{
    // Group by group: the algorithm is chosen once for all members.
    uint64_t bytes = 0;
    const auto [first, count] = m_step.GetGroupRange(use.groupKind);
    for (uint32_t group = first; group < first + count; ++group)
    {
        Resolved resolved;
        const auto& ranks = m_step.GetGroups()[group].ranks;
        for (uint32_t member = 0; member < ranks.size(); ++member)
        {
            if (GetPipelineRank(ranks[member]) != pipelineRank)
            {
                continue;
            }
            if (resolved.algorithm == nullptr)
            {
                resolved = Resolve(group, use);
            }
            bytes += resolved.algorithm->PredictBytes(resolved.spec, member);
        }
    }
    return use.count * bytes;
}

uint64_t
TrafficModel::GetTotal(ParallelDimension dimension) const
{
    uint64_t bytes = 0;
    for (uint32_t rank = 0; rank < m_uses.size(); ++rank)
    {
        const uint64_t ranks = m_layout.GetWorldSize() / m_uses.size();
        for (const auto& use : m_uses[rank].collectives)
        {
            bytes += use.dimension == dimension ? GetCollectiveTotal(rank, use) : 0;
        }
        for (const auto& use : m_uses[rank].neighbours)
        {
            bytes += use.dimension == dimension ? ranks * use.count * use.bytes : 0;
        }
        for (const auto& use : m_uses[rank].pipeline)
        {
            bytes += dimension == ParallelDimension::PIPELINE ? ranks * use.count * use.bytes : 0;
        }
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
    for (const auto& use : m_uses[GetPipelineRank(rank)].collectives)
    {
        count += use.dimension == dimension ? use.count : 0;
    }
    return count;
}

uint64_t
TrafficModel::GetSendCount(uint32_t rank) const
{
    uint64_t count = 0;
    for (const auto& use : m_uses[GetPipelineRank(rank)].pipeline)
    {
        count += use.count;
    }
    return count;
}

double
TrafficModel::GetFlops() const
{
    const TrainingConfig& training = m_step.GetTraining();
    const ModelFlops flops(m_step.GetModel(), training.seq_length, training.causal_attention_flops);
    return GetTokens() * static_cast<double>(flops.GetTraining());
}

double
TrafficModel::GetTokens() const
{
    return static_cast<double>(m_step.GetTraining().global_batch_size) *
           m_step.GetTraining().seq_length;
}

double
TrafficModel::GetTokensPerSecond(double iterationPs) const
{
    constexpr double psPerSecond = 1e12;
    return GetTokens() * psPerSecond / iterationPs;
}

double
TrafficModel::GetMfu(double iterationPs) const
{
    const auto peak = static_cast<double>(m_step.GetAccelerator().GetConfig().flops_per_second);
    return GetFlops() / (peak * m_layout.GetWorldSize() * (iterationPs * 1e-12));
}

PassTimes
TrafficModel::GetPassTimes(uint32_t stage) const
{
    const StageWork& work = m_step.GetStage(stage);
    const PartTimes& times = m_step.GetTimes();
    const bool selective = m_step.GetTraining().recompute_granularity == "selective";
    PassTimes sum;
    if (work.first)
    {
        sum = sum + times.embedding;
    }
    if (work.last)
    {
        sum = sum + times.head;
    }
    for (uint64_t i = 0; i < work.layers.count; ++i)
    {
        const bool moe = m_step.GetModel().IsMoeLayer(work.layers.first + i);
        const PassTimes layer = times.attention + (moe ? times.GetEvenMoe() : times.mlp);
        sum = sum + layer;
        sum.backwardInputPs += i < work.recomputed ? layer.forwardPs : 0;
        sum.backwardInputPs += selective ? times.attentionCorePs : 0;
    }
    for (uint64_t module = 0; module < work.mtpModules; ++module)
    {
        sum = sum + times.embedding + times.mtpProjection + times.head;
    }
    return sum;
}

int64_t
TrafficModel::GetForwardPs(uint32_t stage) const
{
    return GetPassTimes(stage).forwardPs;
}

int64_t
TrafficModel::GetBackwardPs(uint32_t stage) const
{
    return GetPassTimes(stage).GetBackwardPs();
}

int64_t
TrafficModel::GetOptimizerPs(uint32_t pipelineRank) const
{
    const PipelinePlacement& placement = m_step.GetPlacement();
    int64_t sumPs = 0;
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        sumPs += m_step.GetStage(placement.GetStage({pipelineRank, chunk})).optimizerPs;
    }
    return sumPs;
}

int64_t
TrafficModel::GetComputePs(uint32_t pipelineRank) const
{
    return m_clock.GetComputePs(pipelineRank) + GetOptimizerPs(pipelineRank);
}

double
TrafficModel::GetBubbleFraction() const
{
    return m_clock.GetPublishedBubble();
}

int64_t
TrafficModel::GetIdealIterationPs() const
{
    int64_t optimizerPs = 0;
    for (uint32_t rank = 0; rank < m_uses.size(); ++rank)
    {
        optimizerPs = std::max(optimizerPs, GetOptimizerPs(rank));
    }
    return m_clock.GetPassesPs() + optimizerPs;
}

MemoryEstimate
TrafficModel::EstimateMemory(uint32_t pipelineRank) const
{
    return m_memory.Estimate(pipelineRank, m_clock);
}

std::string
TrafficModel::GetMemoryWarning() const
{
    return m_memory.GetWarning(m_clock);
}

} // namespace llm
} // namespace ns3
