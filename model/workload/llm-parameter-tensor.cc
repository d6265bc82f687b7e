/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-parameter-tensor.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Collects tensors of one part. */
class TensorList
{
  public:
    TensorList(ModelPart part, int64_t layer, std::string prefix)
        : m_part(part),
          m_layer(layer),
          m_prefix(std::move(prefix))
    {
    }

    void Part(ModelPart part)
    {
        m_part = part;
    }

    void Add(const std::string& name,
             uint64_t rows,
             uint64_t columns,
             TensorSharding sharding,
             const std::string& fusedInto = "")
    {
        ParameterTensor tensor;
        tensor.name = m_prefix + name;
        tensor.fusedInto = fusedInto.empty() ? "" : m_prefix + fusedInto;
        tensor.part = m_part;
        tensor.layer = m_layer;
        tensor.rows = rows;
        tensor.columns = columns;
        tensor.sharding = sharding;
        m_tensors.push_back(tensor);
    }

    /** LayerNorm has a weight and a bias, RMSNorm only a weight. */
    void AddNorm(const ModelConfig& model, const std::string& name)
    {
        Add(name + ".weight", model.hidden_size, 1, TensorSharding::REPLICATED_NORM);
        if (model.layer_norm_bias)
        {
            Add(name + ".bias", model.hidden_size, 1, TensorSharding::REPLICATED_NORM);
        }
    }

    std::vector<ParameterTensor> Take()
    {
        return std::move(m_tensors);
    }

  private:
    ModelPart m_part;
    int64_t m_layer;
    std::string m_prefix;
    std::vector<ParameterTensor> m_tensors;
};

} // namespace

uint64_t
ParameterTensor::GetElements() const
{
    return rows * columns;
}

uint64_t
ParameterTensor::GetElementsOnRank(uint32_t tensorParallelSize, uint64_t paddedVocabSize) const
{
    switch (sharding)
    {
    case TensorSharding::SPLIT:
        return rows * columns / tensorParallelSize;
    case TensorSharding::VOCABULARY:
        return paddedVocabSize / tensorParallelSize * columns;
    case TensorSharding::REPLICATED:
    case TensorSharding::REPLICATED_NORM:
    case TensorSharding::REPLICATED_HEAD_NORM:
        break;
    }
    return rows * columns;
}

std::vector<ParameterTensor>
ListEmbeddingTensors(const ModelConfig& model)
{
    TensorList list(ModelPart::EMBEDDING, -1, "");
    list.Add("embed_tokens.weight",
             model.vocab_size,
             model.hidden_size,
             TensorSharding::VOCABULARY);
    if (model.learned_positions)
    {
        list.Add("position_embeddings.weight",
                 model.max_position_embeddings,
                 model.hidden_size,
                 TensorSharding::REPLICATED);
    }
    return list.Take();
}

std::vector<ParameterTensor>
ListLayerTensors(const ModelConfig& model, uint64_t layer)
{
    const uint64_t h = model.hidden_size;
    const uint64_t q = model.num_attention_heads * model.head_dim;
    const uint64_t kv = model.num_key_value_heads * model.head_dim;
    const uint64_t f = model.intermediate_size;
    const auto split = TensorSharding::SPLIT;

    TensorList list(ModelPart::ATTENTION,
                    static_cast<int64_t>(layer),
                    "layers." + std::to_string(layer) + ".");
    list.AddNorm(model, "input_layernorm");
    const std::string qkv = "self_attn.qkv_proj";
    if (model.model_type == "gpt2")
    {
        // c_attn: one tensor in the checkpoint, too.
        list.Add(qkv + ".weight", q + 2 * kv, h, split);
        list.Add(qkv + ".bias", q + 2 * kv, 1, split);
    }
    else
    {
        list.Add("self_attn.q_proj.weight", q, h, split, qkv + ".weight");
        list.Add("self_attn.k_proj.weight", kv, h, split, qkv + ".weight");
        list.Add("self_attn.v_proj.weight", kv, h, split, qkv + ".weight");
    }
    if (model.qkv_bias && model.model_type != "gpt2")
    {
        list.Add("self_attn.q_proj.bias", q, 1, split, qkv + ".bias");
        list.Add("self_attn.k_proj.bias", kv, 1, split, qkv + ".bias");
        list.Add("self_attn.v_proj.bias", kv, 1, split, qkv + ".bias");
    }
    if (model.qk_norm)
    {
        const auto norm = TensorSharding::REPLICATED_HEAD_NORM;
        list.Add("self_attn.q_norm.weight", model.head_dim, 1, norm);
        list.Add("self_attn.k_norm.weight", model.head_dim, 1, norm);
    }
    list.Add("self_attn.o_proj.weight", h, q, split);
    if (model.attention_output_bias)
    {
        list.Add("self_attn.o_proj.bias", h, 1, TensorSharding::REPLICATED_NORM);
    }

    list.Part(ModelPart::MLP);
    list.AddNorm(model, "post_attention_layernorm");
    const std::string up = "mlp.gate_up_proj";
    if (model.gated_mlp)
    {
        list.Add("mlp.gate_proj.weight", f, h, split, up + ".weight");
    }
    list.Add("mlp.up_proj.weight", f, h, split, model.gated_mlp ? up + ".weight" : "");
    if (model.mlp_bias)
    {
        if (model.gated_mlp)
        {
            list.Add("mlp.gate_proj.bias", f, 1, split, up + ".bias");
        }
        list.Add("mlp.up_proj.bias", f, 1, split, model.gated_mlp ? up + ".bias" : "");
    }
    list.Add("mlp.down_proj.weight", h, f, split);
    if (model.mlp_bias)
    {
        list.Add("mlp.down_proj.bias", h, 1, TensorSharding::REPLICATED_NORM);
    }
    return list.Take();
}

std::vector<ParameterTensor>
ListHeadTensors(const ModelConfig& model, bool tiedCopy)
{
    TensorList list(ModelPart::HEAD, -1, "");
    list.AddNorm(model, "norm");
    if (!model.tie_word_embeddings || tiedCopy)
    {
        list.Add("lm_head.weight", model.vocab_size, model.hidden_size, TensorSharding::VOCABULARY);
    }
    return list.Take();
}

std::vector<ParameterTensor>
ListParameterTensors(const ModelConfig& model)
{
    std::vector<ParameterTensor> all = ListEmbeddingTensors(model);
    const auto append = [&all](std::vector<ParameterTensor>&& more) {
        for (auto& tensor : more)
        {
            all.push_back(std::move(tensor));
        }
    };
    for (uint64_t layer = 0; layer < model.num_hidden_layers; ++layer)
    {
        append(ListLayerTensors(model, layer));
    }
    append(ListHeadTensors(model));
    return all;
}

uint64_t
CountLayerParameters(const ModelConfig& model)
{
    const uint64_t h = model.hidden_size;
    const uint64_t q = model.num_attention_heads * model.head_dim;
    const uint64_t kv = model.num_key_value_heads * model.head_dim;
    const uint64_t f = model.intermediate_size;
    const uint64_t matrices = model.gated_mlp ? 3 : 2;
    uint64_t count = h * q + 2 * h * kv + q * h + matrices * h * f;
    count += (model.layer_norm_bias ? 4 : 2) * h;
    count += model.qkv_bias ? q + 2 * kv : 0;
    count += model.qk_norm ? 2 * model.head_dim : 0;
    count += model.attention_output_bias ? h : 0;
    count += model.mlp_bias ? (matrices - 1) * f + h : 0;
    return count;
}

uint64_t
CountNonEmbeddingParameters(const ModelConfig& model)
{
    return model.num_hidden_layers * CountLayerParameters(model) +
           (model.layer_norm_bias ? 2 : 1) * model.hidden_size;
}

uint64_t
CountParameters(const ModelConfig& model)
{
    const uint64_t h = model.hidden_size;
    return CountNonEmbeddingParameters(model) +
           (model.tie_word_embeddings ? 1 : 2) * model.vocab_size * h +
           (model.learned_positions ? model.max_position_embeddings * h : 0);
}

} // namespace llm
} // namespace ns3
