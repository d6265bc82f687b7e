/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PARALLEL_CONFIG_H
#define LLM_PARALLEL_CONFIG_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * How a model is cut over ranks, with Megatron-Core's names. ParallelLayout checks it.
 */
struct ParallelConfig
{
    uint32_t tensor_model_parallel_size{1};   //!< t
    uint32_t pipeline_model_parallel_size{1}; //!< p
    uint32_t context_parallel_size{1};        //!< c
    uint32_t data_parallel_size{0};           //!< d; 0: world size / (t p c)

    /** e: the ranks of one pipeline stage, of which the dense part makes a t x c x d grid, are cut
     *  a second time for the experts: et x e x (t c d / (et e)). */
    uint32_t expert_model_parallel_size{1};
    uint32_t expert_tensor_parallel_size{0}; //!< et: experts are cut by this; 0: t

    /** v: chunks of layers per rank; 1: one. Above 1 makes the 1F1B schedule interleaved. */
    uint32_t virtual_pipeline_model_parallel_size{1};
    /** gpipe, 1f1b (interleaved if v is above 1), zb_h1 or dualpipe. */
    std::string pipeline_schedule{"1f1b"};
    /** Layers of each virtual stage in order, "4,4,4,3"; empty: evenly. */
    std::string pipeline_model_parallel_layout;

    /** How attention sees the whole sequence under context parallelism: p2p (ring), all_gather, a2a
     *  (Ulysses) or a2a+p2p (a2a within groups of hierarchical_context_parallel_size, ring
     *  between). */
    std::string cp_comm_type{"p2p"};
    uint32_t hierarchical_context_parallel_size{0}; //!< a2a+p2p: ranks of the a2a part

    /** HSDP: the data-parallel group is cut into so many replicas; optimizer state, gradients or
     *  parameters are sharded within each. 1: over the whole group. */
    uint32_t num_distributed_optimizer_instances{1};

    /** Axes from the fastest to the slowest, any permutation; axes of size 1 may be left out. */
    std::string rank_order{"tp-cp-ep-dp-pp"};

    /** Norms and row biases work on 1/t of the sequence: all-reduces become all-gather and
     *  reduce-scatter (Korthikanti 2022 s.4.2). Without effect if t is 1, as in Megatron. */
    bool sequence_parallel{false};

    /** Layers on the first stage; 0: as many as on any other. */
    uint32_t decoder_first_pipeline_num_layers{0};
    /** Layers on the last stage; 0: as many as on any other. */
    uint32_t decoder_last_pipeline_num_layers{0};

    /** The vocabulary is padded to a multiple of this times t. 1: only as much as t needs. */
    uint32_t make_vocab_size_divisible_by{128};
};

} // namespace llm
} // namespace ns3

#endif // LLM_PARALLEL_CONFIG_H
