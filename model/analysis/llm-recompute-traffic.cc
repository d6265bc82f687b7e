/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-recompute-traffic.h"

#include "llm-tensor-traffic.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

void
AddRecomputeTraffic(const StageTraffic& at, TrafficUses& uses)
{
    const TrainingConfig& training = at.step.GetTraining();
    const ModelConfig& model = at.step.GetModel();
    if (training.recompute_granularity != "full")
    {
        return;
    }
    const uint64_t some = training.recompute_num_layers;
    const uint64_t count = at.work.layers.count;
    const uint64_t layers = some == 0 ? count : std::min(some, count);
    uint64_t blocks = 0;
    for (uint64_t i = 0; i < layers; ++i)
    {
        const bool moe = model.IsMoeLayer(at.work.layers.first + i);
        const bool gathers = !moe || model.shared_expert_intermediate_size > 0;
        blocks += !at.step.HasSequenceParallel() || gathers ? 2 : 1;
    }
    if (at.step.HasSequenceParallel() && model.HasLatentAttention())
    {
        blocks -= layers;
        AddLatentTensorTraffic(at.step, at.microbatches * layers, 0, uses);
    }
    const auto add = [&](CollectiveKind kind) {
        CollectiveUse use;
        use.kind = kind;
        use.dimension = ParallelDimension::TENSOR;
        use.groupKind = "tp";
        use.bytes = at.step.GetActivationBytes();
        use.count = at.microbatches * blocks;
        uses.collectives.push_back(use);
    };
    if (at.step.HasSequenceParallel())
    {
        add(CollectiveKind::ALL_GATHER);
        add(CollectiveKind::REDUCE_SCATTER);
    }
    else
    {
        add(CollectiveKind::ALL_REDUCE);
    }
}

} // namespace llm
} // namespace ns3
