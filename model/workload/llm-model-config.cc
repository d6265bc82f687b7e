/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-model-config.h"

#include "llm-data-type.h"
#include "llm-model-check.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

bool
StartsWith(const std::string& text, const std::string& start)
{
    return text.compare(0, start.size(), start) == 0;
}

} // namespace

const std::vector<std::string>&
ModelConfig::GetFamilyNames()
{
    static const std::vector<std::string> names{"deepseek_v2",
                                                "deepseek_v3",
                                                "gpt2",
                                                "llama",
                                                "mistral",
                                                "mixtral",
                                                "qwen2",
                                                "qwen2_moe",
                                                "qwen3",
                                                "qwen3_moe"};
    return names;
}

bool
ModelConfig::SetFamily(const std::string& modelType)
{
    const auto& names = GetFamilyNames();
    if (std::find(names.begin(), names.end(), modelType) == names.end())
    {
        return false;
    }
    const bool gpt2 = modelType == "gpt2";
    model_type = modelType;
    gated_mlp = !gpt2;
    layer_norm_bias = gpt2;
    learned_positions = gpt2;
    qkv_bias = gpt2 || StartsWith(modelType, "qwen2");
    attention_output_bias = gpt2;
    mlp_bias = gpt2;
    qk_norm = StartsWith(modelType, "qwen3");
    tie_word_embeddings = gpt2;
    expert_score_correction_bias = modelType == "deepseek_v3";
    shared_expert_gate = modelType == "qwen2_moe";
    return true;
}

void
ModelConfig::Validate(const std::string& source, const std::string& path)
{
    const ModelCheck check(source, path);
    check.Require("vocab_size", vocab_size);
    check.Require("hidden_size", hidden_size);
    check.Require("num_hidden_layers", num_hidden_layers, ModelCheck::MOST_LAYERS);
    check.Limit("num_nextn_predict_layers", num_nextn_predict_layers, ModelCheck::MOST_LAYERS);
    check.Require("num_attention_heads", num_attention_heads);
    check.Attention(*this);
    check.Experts(*this);
    if (intermediate_size == 0 && model_type == "gpt2")
    {
        intermediate_size = 4 * hidden_size;
    }
    if (intermediate_size == 0 && CountMoeLayers() < num_hidden_layers)
    {
        check.Fail("intermediate_size", "must be at least 1, is 0");
    }
    if (learned_positions && max_position_embeddings == 0)
    {
        check.Fail("max_position_embeddings", "must be at least 1 for learned positions, is 0");
    }
    check.Size(*this);
    if (!torch_dtype.empty())
    {
        ParseDataType(torch_dtype, source, path.empty() ? "torch_dtype" : path + ".torch_dtype");
    }
}

bool
ModelConfig::IsMoeLayer(uint64_t layer) const
{
    layer = std::min(layer, num_hidden_layers - 1);
    return num_experts > 0 && layer >= first_k_dense_replace && layer % moe_layer_freq == 0 &&
           (layer + 1) % decoder_sparse_step == 0 &&
           std::find(mlp_only_layers.begin(), mlp_only_layers.end(), layer) ==
               mlp_only_layers.end();
}

uint64_t
ModelConfig::CountMoeLayers() const
{
    uint64_t count = 0;
    for (uint64_t layer = 0; num_experts > 0 && layer < num_hidden_layers; ++layer)
    {
        count += IsMoeLayer(layer) ? 1 : 0;
    }
    return count;
}

bool
ModelConfig::HasLatentAttention() const
{
    return kv_lora_rank > 0;
}

uint64_t
ModelConfig::GetQueryHeadDim() const
{
    return HasLatentAttention() ? qk_nope_head_dim + qk_rope_head_dim : head_dim;
}

uint64_t
ModelConfig::GetValueHeadDim() const
{
    return HasLatentAttention() ? v_head_dim : head_dim;
}

} // namespace llm
} // namespace ns3
