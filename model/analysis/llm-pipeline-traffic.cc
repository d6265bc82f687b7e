/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pipeline-traffic.h"

namespace ns3
{
namespace llm
{

void
AddPipelineTraffic(const StageTraffic& at, TrafficUses& uses)
{
    const PipelinePlacement& placement = at.step.GetPlacement();
    const auto add = [&at, &uses](const PipelinePlace& to) {
        if (to.rank != at.place.rank)
        {
            uses.pipeline.push_back({to.rank, at.step.GetPipelineBytes(), at.microbatches});
        }
    };
    if (!placement.IsLast(at.place))
    {
        add(placement.GetNext(at.place));
    }
    if (!placement.IsFirst(at.place))
    {
        add(placement.GetPrevious(at.place));
    }
}

void
AddIterationTraffic(const TrainingStep& step,
                    const std::vector<StageTraffic>& stages,
                    TrafficUses& uses)
{
    const auto add = [&uses](ParallelDimension dimension,
                             const char* group,
                             uint64_t bytes,
                             uint64_t count) {
        uses.collectives.push_back({CollectiveKind::ALL_REDUCE, dimension, group, bytes, count});
    };
    for (const auto& at : stages)
    {
        const bool shares = step.HasSharedEmbedding() && (at.work.first || at.work.last);
        add(ParallelDimension::EMBEDDING, "embd", step.GetEmbeddingGradientBytes(), shares ? 1 : 0);
        add(ParallelDimension::SCALAR,
            TrainingStep::DATA_GROUP,
            TrainingStep::SCALAR_BYTES,
            at.work.last ? 1 : 0);
    }
    const uint64_t norms = step.GetParamsType() == DataType::FP16 ? 2 : 1;
    const bool sharded = step.GetTraining().data_parallel_sharding_strategy != "no_shard";
    const auto addNorm = [&add, norms](const char* group, bool used) {
        add(ParallelDimension::SCALAR, group, TrainingStep::SCALAR_BYTES, used ? norms : 0);
    };
    addNorm("dist-opt", sharded);
    addNorm("tp-pp", !sharded);
    addNorm("etp-ep-pp", !sharded && step.HasExperts());
}

} // namespace llm
} // namespace ns3
