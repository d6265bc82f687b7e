/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-part-times.h"

#include "llm-model-flops.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Bytes of a logit in the cross-entropy, which is computed in fp32. */
constexpr double LOGIT_BYTES = 4;

} // namespace

PartTimes
PartTimes::Make(const ModelConfig& model,
                const TrainingConfig& training,
                uint32_t tensorParallelSize,
                uint64_t paddedVocabSize,
                DataType paramsType,
                const Accelerator& accelerator)
{
    PartTimes times;
    const ModelFlops flops(model, training.seq_length, training.causal_attention_flops);
    const auto attention =
        static_cast<double>(flops.GetAttentionProjections() + flops.GetAttentionCore());
    if (accelerator.HasFixedLayerTime())
    {
        const double share = attention / (attention + static_cast<double>(flops.GetMlp()));
        const auto split = [share](int64_t whole, int64_t& first, int64_t& second) {
            first = static_cast<int64_t>(static_cast<double>(whole) * share);
            second = whole - first;
        };
        split(accelerator.GetConfig().fixed_layer_forward_ps,
              times.attentionForwardPs,
              times.mlpForwardPs);
        split(accelerator.GetConfig().fixed_layer_backward_ps,
              times.attentionBackwardPs,
              times.mlpBackwardPs);
        return times;
    }
    // Memory traffic counts the tensors that no fused kernel keeps on chip, written once and read
    // once: norm, residual, the inputs and outputs of the matrix products; not the scores
    // (FlashAttention). Weights are read once.
    const auto t = static_cast<double>(tensorParallelSize);
    const double tokens = static_cast<double>(training.micro_batch_size) * training.seq_length;
    const auto element = static_cast<double>(GetBytesPerElement(paramsType));
    const auto h = static_cast<double>(model.hidden_size);
    const auto heads = static_cast<double>(model.head_dim * model.num_attention_heads);
    const auto kvHeads = static_cast<double>(model.head_dim * model.num_key_value_heads);
    const auto f = static_cast<double>(model.intermediate_size);
    const double matrices = model.gated_mlp ? 3 : 2;
    const auto vocabulary = static_cast<double>(paddedVocabSize);

    const double attentionBytes = element * (2 * h * (heads + kvHeads) / t +
                                             tokens * (4 * h + (4 * heads + 4 * kvHeads) / t));
    const double mlpBytes =
        element * (matrices * h * f / t + tokens * (4 * h + 2 * matrices * f / t));
    const double headBytes =
        element * vocabulary / t * h + tokens * vocabulary / t * (element + LOGIT_BYTES);
    const double embeddingBytes = element * tokens * 2 * h;
    const double headFlops =
        tokens * static_cast<double>(ModelFlops::GetHead(model, paddedVocabSize)) / t;
    const double mlp = static_cast<double>(flops.GetMlp()) * tokens / t;
    const double attentionOnRank = attention * tokens / t;

    times.embeddingForwardPs = accelerator.GetDurationPs(0, embeddingBytes);
    times.embeddingBackwardPs = accelerator.GetDurationPs(0, 2 * embeddingBytes);
    times.attentionForwardPs = accelerator.GetDurationPs(attentionOnRank, attentionBytes);
    times.attentionBackwardPs = accelerator.GetDurationPs(2 * attentionOnRank, 2 * attentionBytes);
    times.mlpForwardPs = accelerator.GetDurationPs(mlp, mlpBytes);
    times.mlpBackwardPs = accelerator.GetDurationPs(2 * mlp, 2 * mlpBytes);
    times.headForwardPs = accelerator.GetDurationPs(headFlops, headBytes);
    times.headBackwardPs = accelerator.GetDurationPs(2 * headFlops, 2 * headBytes);
    return times;
}

} // namespace llm
} // namespace ns3
