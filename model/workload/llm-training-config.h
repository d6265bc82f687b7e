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

    /**
     * What is sharded over the data-parallel group:
     * - "no_shard": nothing (DDP), gradients are all-reduced;
     * - "optim": optimizer state (ZeRO-1, Megatron's distributed optimizer): gradients are
     *   reduce-scattered, parameters all-gathered once per iteration;
     * - "optim_grads": gradients too (ZeRO-2): they are reduce-scattered as they appear, in each
     *   microbatch;
     * - "optim_grads_params": parameters too (ZeRO-3, FSDP): each layer's are all-gathered before
     *   its forward and its backward.
     */
    std::string data_parallel_sharding_strategy{"no_shard"};
    /** optim_grads_params: free a layer's parameters after its forward, so that backward gathers
     *  them again; false: they stay, as Llama 3 was trained. */
    bool reshard_after_forward{true};
    /** optim, optim_grads: gather the parameters of a bucket while the forward before it computes;
     *  false: all of them after the optimizer. */
    bool overlap_param_gather{true};

    /** Activations that are computed again in backward: none, selective (attention core) or full
     *  (each layer). */
    std::string recompute_granularity{"none"};
    /** full: so many layers of each chunk, from its first; 0: all. */
    uint32_t recompute_num_layers{0};

    /** flash: attention keeps no scores; unfused: it keeps them for its backward, unless they are
     *  recomputed. Changes memory only. */
    std::string attention_backend{"flash"};

    /** Tensor-parallel communication runs beside the matrix product that it feeds or drains. */
    bool tp_comm_overlap{false};

    /** MoE dispatch: alltoall, allgather or flex (per node one copy over the network, fanned out
     *  within the node, as DeepEP). */
    std::string moe_token_dispatcher_type{"alltoall"};
    /** flex: so many neighbouring ranks, from rank 0 on, share a node; must be given (scenarios
     *  know the servers of the cluster). */
    uint32_t moe_ranks_per_node{0};
    /** Number format of dispatched tokens: empty (params_dtype) or fp8 (with one fp32 scale per
     *  128 elements). Combined tokens always have params_dtype. */
    std::string moe_dispatch_dtype;
    /** CF: an expert takes at most ceil(CF T K / E) tokens of each rank, the rest are dropped;
     *  0: no limit. */
    double moe_expert_capacity_factor{0};
    /** Every expert gets exactly its capacity. */
    bool moe_pad_expert_input_to_capacity{false};
    /** Popularity of experts: 0 uniform; else the i-th most popular of a layer has weight
     *  1 / i^skew (Zipf), in an order drawn by moe_skew_seed. */
    double moe_expert_skew{0};
    uint64_t moe_skew_seed{1}; //!< draws which expert is how popular
    /** Shared experts are computed while tokens are dispatched. */
    bool moe_shared_expert_overlap{false};

    /** Causal attention needs half of the score matrix: count half (true) or all of it, as the
     *  MFU formulas of PaLM and of Megatron's papers do. Changes compute time and FLOPs. */
    bool causal_attention_flops{true};
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_CONFIG_H
