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
    uint32_t context_parallel_size{1};        //!< c, only 1 so far
    uint32_t expert_model_parallel_size{1};   //!< e, only 1 so far (dense models)
    uint32_t data_parallel_size{0};           //!< d; 0: world size / (t p c)

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
