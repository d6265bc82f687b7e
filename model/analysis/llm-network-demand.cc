/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-network-demand.h"

#include "llm-distinct-uses.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** Finds the compute that traffic can go beside. */
void
FindWindow(const TrainingStep& step,
           const TrafficModel& model,
           uint32_t pipelineRank,
           NetworkDemand& demand)
{
    const PipelinePlacement& placement = step.GetPlacement();
    int64_t forward = 0;
    int64_t backward = 0;
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        const uint32_t stage = placement.GetStage({pipelineRank, chunk});
        forward += model.GetForwardPs(stage);
        backward += model.GetBackwardPs(stage);
    }
    // Of the chunks of two directions a microbatch passes one.
    const auto m = static_cast<int64_t>(step.GetMicrobatchCount() / placement.GetDirectionCount());
    const std::string& sharding = step.GetTraining().data_parallel_sharding_strategy;
    switch (demand.dimension)
    {
    case ParallelDimension::EMBEDDING:
    case ParallelDimension::SCALAR:
        demand.window = "none, at the end";
        return;
    case ParallelDimension::DATA:
        if (sharding == "no_shard")
        {
            demand.windowPs = backward;
            demand.window = "last backward";
            return;
        }
        if (sharding == "optim")
        {
            demand.windowPs = backward + forward;
            demand.window = "last backward, first fwd";
            return;
        }
        if (sharding == "optim_grads")
        {
            demand.windowPs = m * backward + forward;
            demand.window = "backwards, first fwd";
            return;
        }
        break;
    default:
        break;
    }
    demand.windowPs = m * (forward + backward);
    demand.window = "all compute";
}

/** @return bytes that a rank sends in the largest collective or send of a dimension. */
uint64_t
FindLargestBurst(const TrainingStep& step,
                 const TrafficModel& model,
                 const TrafficModel::Chooser& chooser,
                 uint32_t pipelineRank,
                 const NetworkDemand& demand)
{
    uint64_t largest =
        demand.dimension == ParallelDimension::PIPELINE ? step.GetPipelineBytes() : 0;
    for (const auto& use : model.ListCollectives(pipelineRank))
    {
        if (use.dimension != demand.dimension)
        {
            continue;
        }
        const ProcessGroup& group = step.GetGroups()[step.GetGroupId(use.groupKind, demand.rank)];
        CollectiveSpec spec = MakeUseSpec(step, use, demand.rank, {});
        const CollectiveAlgorithm* algorithm = chooser(spec, group, use.dimension);
        largest = std::max(
            largest,
            algorithm->PredictBytes(spec,
                                    step.GetLayout().GetGroupRank(use.groupKind, demand.rank)));
    }
    for (const auto& use : model.GetUses(pipelineRank).neighbours)
    {
        largest = use.dimension == demand.dimension ? std::max(largest, use.bytes) : largest;
    }
    return largest;
}

} // namespace

double
NetworkDemand::GetBytesPerSecond() const
{
    return windowPs > 0 ? static_cast<double>(bytes) * 1e12 / static_cast<double>(windowPs) : 0.0;
}

int64_t
NetworkDemand::GetPeriodPs() const
{
    return operations > 0 ? windowPs / static_cast<int64_t>(operations) : 0;
}

std::vector<NetworkDemand>
EstimateNetworkDemands(const TrainingStep& step,
                       const TrafficModel& model,
                       const TrafficModel::Chooser& chooser,
                       const TrafficVolumes& volumes)
{
    std::vector<NetworkDemand> demands;
    for (const auto& volume : volumes.GetVolumes())
    {
        const uint32_t pipelineRank =
            step.GetLayout().GetCoordinate(volume.busiestRank, ParallelAxis::PP);
        NetworkDemand demand;
        demand.dimension = volume.dimension;
        demand.rank = volume.busiestRank;
        demand.bytes = volume.busiest;
        demand.operations = volume.dimension == ParallelDimension::PIPELINE
                                ? model.GetSendCount(demand.rank)
                                : model.GetCollectiveCount(demand.rank, demand.dimension);
        for (const auto& use : model.GetUses(pipelineRank).neighbours)
        {
            demand.operations += use.dimension == demand.dimension ? use.count : 0;
        }
        FindWindow(step, model, pipelineRank, demand);
        demand.largestBurst = FindLargestBurst(step, model, chooser, pipelineRank, demand);
        demands.push_back(demand);
    }
    return demands;
}

} // namespace llm
} // namespace ns3
