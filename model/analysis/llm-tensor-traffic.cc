/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-tensor-traffic.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @return layers of a stage that have experts. */
uint64_t
CountMoeLayers(const StageTraffic& at)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < at.work.layers.count; ++i)
    {
        count += at.step.GetModel().IsMoeLayer(at.work.layers.first + i) ? 1 : 0;
    }
    return count;
}

/** @return parameters that compress, of a layer with latent attention: every rank has them whole
 *  and sees a part of the sequence. */
uint64_t
CountCompressing(const ModelConfig& model)
{
    if (model.kv_lora_rank == 0)
    {
        return 0;
    }
    const uint64_t inputs = model.hidden_size + (model.qkv_bias ? 1 : 0);
    return inputs * (model.q_lora_rank + model.kv_lora_rank + model.qk_rope_head_dim) +
           model.q_lora_rank + model.kv_lora_rank;
}

/**
 * Gradients that each rank has seen a part of: of norms, routers and biases of row-parallel
 * matrices (1/t of the sequence), of norms of queries and keys (1/t of the heads).
 */
uint64_t
CountPartialGradients(const StageTraffic& at)
{
    const ModelConfig& model = at.step.GetModel();
    const uint64_t layers = at.work.layers.count;
    // Latent attention norms what it compresses instead.
    const bool headNorms = model.qk_norm && model.kv_lora_rank == 0;
    uint64_t count = headNorms ? 2 * model.head_dim * layers : 0;
    if (at.step.HasSequenceParallel())
    {
        const uint64_t normParts = model.layer_norm_bias ? 2 : 1;
        const uint64_t moe = CountMoeLayers(at);
        const uint64_t h = model.hidden_size;
        count += h * (layers * 2 * normParts + (at.work.last ? normParts : 0));
        count += h * 3 * normParts * at.work.mtpModules;
        count += h * (model.attention_output_bias ? layers : 0);
        count += h * (model.mlp_bias ? layers - moe : 0);
        count += h * moe * (model.num_experts + (model.shared_expert_gate ? 1 : 0));
        count += layers * CountCompressing(model);
    }
    return count;
}

/** MTP modules, their layers apart: embedding, projection and output layer (DeepSeek-V3 s.2.2;
 *  Megatron-Core gathers the projection's output). */
void
AddMtpTraffic(const StageTraffic& at, TrafficUses& uses)
{
    const uint64_t times = at.microbatches * at.work.mtpModules;
    const uint64_t activation = at.step.GetActivationBytes();
    const auto add = [&uses](CollectiveKind kind, uint64_t bytes, uint64_t count) {
        uses.collectives.push_back({kind, ParallelDimension::TENSOR, "tp", bytes, count});
    };
    if (at.step.HasSequenceParallel())
    {
        // Of X: output of the projection and its gradient; gradient of the embedding; input of the
        // output layer, twice. Of 2 X: input of the projection, forward and backward.
        const bool positions = at.step.GetModel().learned_positions;
        add(CollectiveKind::ALL_GATHER, activation, 5 * times);
        add(CollectiveKind::ALL_GATHER, 2 * activation, 2 * times);
        add(CollectiveKind::REDUCE_SCATTER, activation, (positions ? 1 : 2) * times);
        add(CollectiveKind::REDUCE_SCATTER, 2 * activation, times);
        add(CollectiveKind::ALL_REDUCE, activation, (positions ? 1 : 0) * times);
    }
    else
    {
        add(CollectiveKind::ALL_REDUCE, activation, 2 * times);
        add(CollectiveKind::ALL_REDUCE, 2 * activation, times);
        add(CollectiveKind::ALL_GATHER, activation, times);
    }
    add(CollectiveKind::ALL_REDUCE, at.step.GetCrossEntropyBytes(), 3 * times);
}

} // namespace

void
AddLatentTensorTraffic(const TrainingStep& step,
                       uint64_t forwards,
                       uint64_t backwards,
                       TrafficUses& uses)
{
    const ModelConfig& model = step.GetModel();
    const uint64_t token = step.GetActivationBytes() / model.hidden_size;
    const uint64_t query = model.q_lora_rank > 0 ? model.q_lora_rank : model.hidden_size;
    const auto add = [&uses, token](CollectiveKind kind, uint64_t width, uint64_t count) {
        uses.collectives.push_back({kind, ParallelDimension::TENSOR, "tp", token * width, count});
    };
    add(CollectiveKind::ALL_GATHER, query, forwards + backwards);
    add(CollectiveKind::ALL_GATHER, model.kv_lora_rank, forwards + backwards);
    add(CollectiveKind::ALL_GATHER, model.qk_rope_head_dim, forwards);
    add(CollectiveKind::ALL_GATHER, model.hidden_size, backwards);
    add(CollectiveKind::REDUCE_SCATTER, model.hidden_size, forwards);
    add(CollectiveKind::REDUCE_SCATTER, query, backwards);
    add(CollectiveKind::REDUCE_SCATTER, model.kv_lora_rank, backwards);
    add(CollectiveKind::REDUCE_SCATTER, model.qk_rope_head_dim, backwards);
}

void
AddTensorTraffic(const StageTraffic& at, TrafficUses& uses)
{
    const TrainingStep& step = at.step;
    const uint64_t m = at.microbatches;
    const uint64_t layers = at.work.layers.count;
    const uint64_t first = at.work.first ? 1 : 0;
    const uint64_t last = at.work.last ? 1 : 0;
    const auto add = [&uses](CollectiveKind kind, uint64_t bytes, uint64_t count) {
        uses.collectives.push_back({kind, ParallelDimension::TENSOR, "tp", bytes, count});
    };

    add(CollectiveKind::BROADCAST, step.GetBatchBytes(), m * (first | last));
    const uint64_t activation = step.GetActivationBytes();
    if (step.HasSequenceParallel())
    {
        // Embedding: out and back. Output layer: input gathered forward and again backward, its
        // gradient scattered.
        const uint64_t reduceEmbedding = step.GetModel().learned_positions ? first : 0;
        // Attention, and an MLP: dense, or shared experts.
        const bool shared = step.GetModel().shared_expert_intermediate_size > 0;
        const bool latent = step.GetModel().kv_lora_rank > 0;
        const uint64_t blocks = (latent ? 1 : 2) * layers - (shared ? 0 : CountMoeLayers(at));
        if (latent)
        {
            AddLatentTensorTraffic(step, m * layers, m * layers, uses);
        }
        add(CollectiveKind::ALL_GATHER, activation, m * (3 * blocks + first + 2 * last));
        add(CollectiveKind::REDUCE_SCATTER,
            activation,
            m * (2 * blocks + first - reduceEmbedding + last));
        add(CollectiveKind::ALL_REDUCE, activation, m * reduceEmbedding);
    }
    else
    {
        // Per layer 2 forward, 2 backward; embedding forward; output layer backward.
        add(CollectiveKind::ALL_REDUCE, activation, m * (4 * layers + first + last));
    }
    add(CollectiveKind::ALL_REDUCE, step.GetCrossEntropyBytes(), 3 * m * last);
    AddMtpTraffic(at, uses);

    const uint64_t partial = CountPartialGradients(at);
    add(CollectiveKind::ALL_REDUCE,
        partial * GetBytesPerElement(step.GetGradientType()),
        partial > 0 ? 1 : 0);
}

} // namespace llm
} // namespace ns3
