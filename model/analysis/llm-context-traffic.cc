/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-context-traffic.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** @return how often the attention core of the layers of a stage runs forward, per microbatch. */
uint64_t
CountForwards(const StageTraffic& at)
{
    const TrainingConfig& training = at.step.GetTraining();
    const uint64_t layers = at.work.layers.count;
    if (training.recompute_granularity == "none")
    {
        return layers;
    }
    const uint64_t some = training.recompute_num_layers;
    const bool all = training.recompute_granularity == "selective" || some == 0;
    return layers + (all ? layers : std::min(some, layers));
}

} // namespace

void
AddContextTraffic(const StageTraffic& at, TrafficUses& uses)
{
    const TrainingStep& step = at.step;
    const ParallelConfig& parallel = step.GetLayout().GetConfig();
    const ModelConfig& model = step.GetModel();
    const TrainingConfig& training = step.GetTraining();
    const uint64_t c = parallel.context_parallel_size;
    if (c == 1)
    {
        return;
    }
    const uint64_t forwards = at.microbatches * CountForwards(at);
    const uint64_t backwards = at.microbatches * at.work.layers.count;
    const bool latent = model.kv_lora_rank > 0;
    const uint64_t element = GetBytesPerElement(step.GetParamsType()) * training.micro_batch_size *
                             (training.seq_length / c);
    const uint64_t a = model.num_attention_heads / parallel.tensor_model_parallel_size;
    const uint64_t kv =
        latent ? a : model.num_key_value_heads / parallel.tensor_model_parallel_size;
    const uint64_t keyDim =
        latent ? model.qk_nope_head_dim + model.qk_rope_head_dim : model.head_dim;
    const uint64_t valueDim = latent ? model.v_head_dim : model.head_dim;
    const uint64_t keyValues = element * kv * (keyDim + valueDim); // W

    const auto collective =
        [&uses](CollectiveKind kind, const char* group, uint64_t bytes, uint64_t count) {
            CollectiveUse use;
            use.kind = kind;
            use.dimension = ParallelDimension::CONTEXT;
            use.groupKind = group;
            use.bytes = bytes;
            use.count = count;
            uses.collectives.push_back(use);
        };
    const auto ring = [&](const char* group, uint64_t n) {
        NeighbourUse use;
        use.dimension = ParallelDimension::CONTEXT;
        use.groupKind = group;
        use.offset = 1;
        use.bytes = keyValues;
        use.count = n > 1 ? forwards * (n - 1) + backwards * (2 * n - 1) : 0;
        uses.neighbours.push_back(use);
    };
    const auto exchange = [&](const char* group) {
        for (const uint64_t bytes : {element * a * keyDim,
                                     element * kv * keyDim,
                                     element * kv * valueDim,
                                     element * a * valueDim})
        {
            collective(CollectiveKind::ALL_TO_ALL, group, bytes, forwards + backwards);
        }
    };
    if (parallel.cp_comm_type == "p2p")
    {
        ring("cp", c);
    }
    else if (parallel.cp_comm_type == "all_gather")
    {
        collective(CollectiveKind::ALL_GATHER, "cp", c * keyValues, forwards);
        collective(CollectiveKind::REDUCE_SCATTER, "cp", c * keyValues, backwards);
    }
    else if (parallel.cp_comm_type == "a2a")
    {
        exchange("cp");
    }
    else
    {
        exchange("cp-a2a");
        ring("cp-p2p", c / parallel.hierarchical_context_parallel_size);
    }
}

} // namespace llm
} // namespace ns3
