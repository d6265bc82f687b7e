/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-data-traffic.h"

#include <string>

namespace ns3
{
namespace llm
{

void
AddDataTraffic(const StageTraffic& at, TrafficUses& uses)
{
    const TrainingConfig& training = at.step.GetTraining();
    const ParallelLayout& layout = at.step.GetLayout();
    const std::string& strategy = training.data_parallel_sharding_strategy;
    const uint32_t instances = layout.GetConfig().num_distributed_optimizer_instances;
    const auto add =
        [&uses](CollectiveKind kind, const char* group, uint64_t bytes, uint64_t count) {
            uses.collectives.push_back({kind, ParallelDimension::DATA, group, bytes, count});
        };
    const uint64_t reductions =
        strategy == "optim_grads" || strategy == "optim_grads_params" ? at.microbatches : 1;
    for (const auto& full : at.work.buckets)
    {
        const uint64_t bytes = full.bucket.bytes;
        const char* const all = full.experts ? "edp" : "dp-cp";
        if (strategy == "no_shard")
        {
            add(CollectiveKind::ALL_REDUCE, all, bytes, 1);
        }
        else if (instances == 1)
        {
            add(CollectiveKind::REDUCE_SCATTER, all, bytes, reductions);
        }
        else
        {
            const char* const shard = full.experts ? "edp-shard" : "dp-cp-shard";
            const char* const replica = full.experts ? "edp-replica" : "dp-cp-replica";
            add(CollectiveKind::REDUCE_SCATTER, shard, bytes, reductions);
            add(CollectiveKind::ALL_REDUCE,
                replica,
                bytes / layout.GetGroupSize(shard),
                reductions);
        }
    }
    const bool everyPass = strategy == "optim_grads_params" && training.reshard_after_forward;
    for (const auto& unit : at.work.gathers)
    {
        const char* const one = unit.experts ? "edp" : "dp-cp";
        const char* const part = unit.experts ? "edp-shard" : "dp-cp-shard";
        add(CollectiveKind::ALL_GATHER,
            instances == 1 ? one : part,
            unit.bucket.bytes,
            everyPass ? 2 * at.microbatches : 1);
    }
}

} // namespace llm
} // namespace ns3
