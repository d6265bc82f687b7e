/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_CONFIG_H
#define LLM_TRAINING_CONFIG_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What one iteration trains on and how its gradients are reduced, with Megatron-Core's names.
 * TrainingStep checks it against model and layout.
 */
struct TrainingConfig
{
    uint32_t micro_batch_size{1};  //!< b: sequences per microbatch and model replica
    uint32_t global_batch_size{0}; //!< B: sequences per iteration; 0: one microbatch per replica
    uint32_t seq_length{0};        //!< s: tokens; 0: the model's max_position_embeddings

    /** Of weights, activations and what they send: bf16, fp16 or fp32. Empty: the model's
     *  torch_dtype, or bf16 where the model does not say. */
    std::string params_dtype;
    /** Of gradients on the wire: fp32 (Megatron accumulates and reduces in fp32), bf16, fp16. */
    std::string grad_reduce_dtype{"fp32"};

    /** Reduce each gradient bucket as soon as the backward of the last microbatch has filled it;
     *  false: after the backward of all microbatches. */
    bool overlap_grad_reduce{true};
    /** Compute does not wait for its pipeline sends to be over; false: it does, as in Megatron's
     *  1F1B schedule. Receives are waited for in any case. */
    bool overlap_p2p_comm{false};

    /**
     * How gradients are grouped, in reverse order of the parameters:
     * - "megatron": buckets of ddp_bucket_size parameters on the first pipeline stage and if
     *   overlap_grad_reduce, else one bucket;
     * - "pytorch": a first bucket of 1 MiB, then of bucket_cap_mb MiB;
     * - "none": one bucket.
     */
    std::string ddp_bucket_scheme{"megatron"};
    uint64_t ddp_bucket_size{0}; //!< megatron: parameters; 0: max(40000000, 1000000 d)
    uint64_t bucket_cap_mb{25};  //!< pytorch: MiB, >= 1

    /** Causal attention needs half of the score matrix: count half (true) or all of it, as the
     *  MFU formulas of PaLM and of Megatron's papers do. Changes compute time and FLOPs. */
    bool causal_attention_flops{true};
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_CONFIG_H
