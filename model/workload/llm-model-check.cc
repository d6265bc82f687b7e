/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-model-check.h"

#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

ModelCheck::ModelCheck(std::string source, std::string path)
    : m_source(std::move(source)),
      m_path(std::move(path))
{
}

void
ModelCheck::Fail(const std::string& key, const std::string& message) const
{
    throw ConfigError(m_source, m_path.empty() ? key : m_path + "." + key, message);
}

void
ModelCheck::Require(const std::string& key, uint64_t value, uint64_t most) const
{
    if (value == 0)
    {
        Fail(key, "must be between 1 and " + std::to_string(most) + ", is 0");
    }
    Limit(key, value, most);
}

void
ModelCheck::Limit(const std::string& key, uint64_t value, uint64_t most) const
{
    if (value > most)
    {
        Fail(key,
             "must be between 1 and " + std::to_string(most) + ", is " + std::to_string(value));
    }
}

void
ModelCheck::Attention(ModelConfig& model) const
{
    const std::string heads = std::to_string(model.num_attention_heads);
    if (model.HasLatentAttention())
    {
        Latent(model);
    }
    else if (model.q_lora_rank > 0 || model.qk_nope_head_dim > 0 || model.qk_rope_head_dim > 0 ||
             model.v_head_dim > 0)
    {
        Fail("kv_lora_rank",
             "is 0, but q_lora_rank, qk_nope_head_dim, qk_rope_head_dim and v_head_dim belong "
             "to latent attention, which needs it");
    }
    if (model.head_dim == 0)
    {
        if (model.hidden_size % model.num_attention_heads != 0)
        {
            Fail("num_attention_heads",
                 heads + " heads do not divide hidden_size " + std::to_string(model.hidden_size) +
                     "; give head_dim if that is meant");
        }
        model.head_dim = model.hidden_size / model.num_attention_heads;
    }
    if (model.num_key_value_heads == 0)
    {
        model.num_key_value_heads = model.num_attention_heads;
    }
    if (model.num_attention_heads % model.num_key_value_heads != 0)
    {
        Fail("num_key_value_heads",
             std::to_string(model.num_key_value_heads) + " key-value heads do not divide " + heads +
                 " attention heads");
    }
}

void
ModelCheck::Experts(ModelConfig& model) const
{
    if (model.num_experts == 0)
    {
        RefuseExpertNumbers(model);
        return;
    }
    const std::string experts = std::to_string(model.num_experts);
    Limit("num_experts", model.num_experts, MOST_EXPERTS);
    if (model.num_experts_per_tok == 0 || model.num_experts_per_tok > model.num_experts)
    {
        Fail("num_experts_per_tok",
             "must be between 1 and num_experts " + experts + ", is " +
                 std::to_string(model.num_experts_per_tok));
    }
    if (model.moe_intermediate_size == 0)
    {
        model.moe_intermediate_size = model.intermediate_size;
    }
    if (model.moe_intermediate_size == 0)
    {
        Fail("moe_intermediate_size",
             "is 0 and so is intermediate_size: the " + experts + " experts have no width");
    }
    Limit("moe_intermediate_size", model.moe_intermediate_size);
    Limit("shared_expert_intermediate_size", model.shared_expert_intermediate_size);
    if (model.shared_expert_gate && model.shared_expert_intermediate_size == 0)
    {
        Fail("shared_expert_intermediate_size", "is 0, but shared_expert_gate is set");
    }
    Require("moe_layer_freq", model.moe_layer_freq);
    Require("decoder_sparse_step", model.decoder_sparse_step);
    for (const uint64_t layer : model.mlp_only_layers)
    {
        if (layer >= model.num_hidden_layers)
        {
            Fail("mlp_only_layers",
                 "names layer " + std::to_string(layer) + ", but the last of " +
                     std::to_string(model.num_hidden_layers) + " is " +
                     std::to_string(model.num_hidden_layers - 1));
        }
    }
    if (model.CountMoeLayers() == 0)
    {
        Fail("num_experts",
             "is " + experts + ", but none of the " + std::to_string(model.num_hidden_layers) +
                 " layers has experts (first_k_dense_replace, moe_layer_freq, "
                 "decoder_sparse_step, mlp_only_layers)");
    }
    ExpertGroups(model);
}

void
ModelCheck::Size(const ModelConfig& model) const
{
    // Keeps every byte count of the model far from 2^64; doubles cannot overflow here.
    constexpr double mostParameters = 1e16;
    const auto h = static_cast<double>(model.hidden_size);
    const double attention =
        static_cast<double>(model.num_attention_heads) *
            static_cast<double>(model.GetQueryHeadDim() + model.GetValueHeadDim()) *
            (2 * h + static_cast<double>(model.q_lora_rank) +
             static_cast<double>(model.kv_lora_rank)) +
        h * static_cast<double>(model.q_lora_rank + model.kv_lora_rank);
    const double feedForward = 3 * h *
                               (static_cast<double>(model.intermediate_size) +
                                static_cast<double>(model.num_experts) *
                                    static_cast<double>(model.moe_intermediate_size + 1) +
                                static_cast<double>(model.shared_expert_intermediate_size));
    const double parameters = (static_cast<double>(model.num_hidden_layers) +
                               static_cast<double>(model.num_nextn_predict_layers)) *
                                  (attention + feedForward + 2 * h * h) +
                              h * (2.0 * static_cast<double>(model.vocab_size) +
                                   static_cast<double>(model.max_position_embeddings));
    if (!(parameters < mostParameters))
    {
        Fail("hidden_size",
             "the shape has more than 10^16 parameters; one of its numbers must be wrong");
    }
}

void
ModelCheck::Latent(ModelConfig& model) const
{
    Limit("q_lora_rank", model.q_lora_rank);
    Limit("kv_lora_rank", model.kv_lora_rank);
    const auto needs = [this, &model](const std::string& key, uint64_t value) {
        if (value == 0)
        {
            Fail(key,
                 "must be at least 1 for latent attention (kv_lora_rank is " +
                     std::to_string(model.kv_lora_rank) + "), is 0");
        }
        Limit(key, value);
    };
    needs("qk_nope_head_dim", model.qk_nope_head_dim);
    needs("qk_rope_head_dim", model.qk_rope_head_dim);
    needs("v_head_dim", model.v_head_dim);
    if (model.num_key_value_heads != 0 && model.num_key_value_heads != model.num_attention_heads)
    {
        Fail("num_key_value_heads",
             "must be " + std::to_string(model.num_attention_heads) +
                 ", the attention heads, for latent attention, is " +
                 std::to_string(model.num_key_value_heads));
    }
    model.head_dim = model.GetQueryHeadDim();
}

void
ModelCheck::RefuseExpertNumbers(const ModelConfig& model) const
{
    struct Number
    {
        const char* key;
        uint64_t value;
    };

    for (const auto& number :
         {Number{"num_experts_per_tok", model.num_experts_per_tok},
          Number{"moe_intermediate_size", model.moe_intermediate_size},
          Number{"shared_expert_intermediate_size", model.shared_expert_intermediate_size}})
    {
        if (number.value > 0)
        {
            Fail(number.key, "is " + std::to_string(number.value) + ", but num_experts is 0");
        }
    }
}

void
ModelCheck::ExpertGroups(const ModelConfig& model) const
{
    const std::string groups = std::to_string(model.n_group);
    if (model.n_group == 0 || model.num_experts % model.n_group != 0)
    {
        Fail("n_group",
             std::to_string(model.num_experts) + " experts cannot form " + groups +
                 " equal groups");
    }
    if (model.topk_group == 0 || model.topk_group > model.n_group)
    {
        Fail("topk_group",
             "must be between 1 and n_group " + groups + ", is " +
                 std::to_string(model.topk_group));
    }
    const uint64_t reachable = model.topk_group * (model.num_experts / model.n_group);
    if (model.num_experts_per_tok > reachable)
    {
        Fail("num_experts_per_tok",
             std::to_string(model.num_experts_per_tok) + " is above the " +
                 std::to_string(reachable) + " experts of topk_group " +
                 std::to_string(model.topk_group) + " groups");
    }
}

} // namespace llm
} // namespace ns3
