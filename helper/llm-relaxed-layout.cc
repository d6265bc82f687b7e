/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-relaxed-layout.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

namespace
{

/** @return the least multiple of t from heads on that cuts the width evenly; 0: there is none. */
uint64_t
FindHeads(uint64_t heads, uint64_t width, uint64_t t)
{
    for (uint64_t more = (heads + t - 1) / t * t; more <= width; more += t)
    {
        if (width % more == 0)
        {
            return more;
        }
    }
    return 0;
}

void
RelaxHeads(ModelConfig& model, uint64_t t, std::vector<std::string>& notes)
{
    const uint64_t heads = model.num_attention_heads;
    // Grouped and latent attention would not keep their sizes.
    if (heads % t == 0 || model.num_key_value_heads != heads || model.HasLatentAttention())
    {
        return;
    }
    const uint64_t more = FindHeads(heads, heads * model.head_dim, t);
    if (more == 0)
    {
        return; // the layout's own error says what is wrong
    }
    model.head_dim = heads * model.head_dim / more;
    model.num_attention_heads = more;
    model.num_key_value_heads = more;
    notes.push_back("Megatron would refuse this layout: " + std::to_string(heads) +
                    " attention heads cannot be shared out among " + std::to_string(t) +
                    " ranks. Here they count as " + std::to_string(more) + " heads of width " +
                    std::to_string(model.head_dim) +
                    ", which leaves every matrix and every message as large as it is.");
}

void
RelaxLayers(const ModelConfig& model, ParallelConfig& config, std::vector<std::string>& notes)
{
    const uint64_t p = config.pipeline_model_parallel_size;
    const uint64_t layers = model.num_hidden_layers;
    const bool chosen = config.decoder_first_pipeline_num_layers > 0 ||
                        config.decoder_last_pipeline_num_layers > 0 ||
                        !config.pipeline_model_parallel_layout.empty() ||
                        config.virtual_pipeline_model_parallel_size > 1;
    if (layers % p == 0 || layers < p || chosen)
    {
        return;
    }
    for (uint64_t stage = 0; stage < p; ++stage)
    {
        config.pipeline_model_parallel_layout +=
            (stage == 0 ? "" : ",") + std::to_string(layers / p + (stage < layers % p ? 1 : 0));
    }
    notes.push_back("Megatron would refuse this layout as it stands: " + std::to_string(layers) +
                    " layers cannot be spread evenly over " + std::to_string(p) +
                    " stages. Here the first " + std::to_string(layers % p) + " have " +
                    std::to_string(layers / p + 1) + ", the others " + std::to_string(layers / p) +
                    "; what a stage sends does not depend on it.");
}

} // namespace

std::vector<std::string>
RelaxLayout(ModelConfig& model, ParallelConfig& config)
{
    std::vector<std::string> notes;
    RelaxHeads(model, config.tensor_model_parallel_size, notes);
    RelaxLayers(model, config, notes);
    return notes;
}

} // namespace llm
} // namespace ns3
