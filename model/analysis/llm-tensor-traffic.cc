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

/**
 * Gradients that each rank has seen a part of: of norms and of biases of row-parallel matrices (1/t
 * of the sequence), of norms of queries and keys (1/t of the heads).
 */
uint64_t
CountPartialGradients(const StageTraffic& at)
{
    const ModelConfig& model = at.step.GetModel();
    const uint64_t layers = at.work.layers.count;
    uint64_t count = model.qk_norm ? 2 * model.head_dim * layers : 0;
    if (at.step.HasSequenceParallel())
    {
        const uint64_t normParts = model.layer_norm_bias ? 2 : 1;
        const uint64_t rowBiases = (model.attention_output_bias ? 1 : 0) + (model.mlp_bias ? 1 : 0);
        count += model.hidden_size *
                 (layers * (2 * normParts + rowBiases) + (at.work.last ? normParts : 0));
    }
    return count;
}

} // namespace

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
    add(CollectiveKind::ALL_REDUCE, step.GetCrossEntropyBytes(), 3 * m * last);

    const uint64_t partial = CountPartialGradients(at);
    add(CollectiveKind::ALL_REDUCE,
        partial * GetBytesPerElement(step.GetGradientType()),
        partial > 0 ? 1 : 0);
}

} // namespace llm
} // namespace ns3
