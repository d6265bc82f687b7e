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
        AddExperts(name, 1, rows, columns, sharding, fusedInto);
    }

    void AddExperts(const std::string& name,
                    uint64_t experts,
                    uint64_t rows,
                    uint64_t columns,
                    TensorSharding sharding,
                    const std::string& fusedInto)
    {
        ParameterTensor tensor;
        tensor.name = m_prefix + name;
        tensor.fusedInto = fusedInto.empty() ? "" : m_prefix + fusedInto;
        tensor.part = m_part;
        tensor.layer = m_layer;
        tensor.rows = rows;
        tensor.columns = columns;
        tensor.experts = experts;
        tensor.sharding = sharding;
        m_tensors.push_back(tensor);
    }

    /** The tensor added last is not trained by gradients. */
    void MarkWithoutGradient()
    {
        m_tensors.back().hasGradient = false;
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

/** Ordinary attention. */
void
AddAttention(TensorList& list, const ModelConfig& model)
{
    const uint64_t h = model.hidden_size;
    const uint64_t q = model.num_attention_heads * model.head_dim;
    const uint64_t kv = model.num_key_value_heads * model.head_dim;
    const auto split = TensorSharding::SPLIT;
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
}

/** Latent attention (DeepSeek-V2 s.2.1). Megatron keeps the matrices that compress on every rank
 *  and splits those that expand by heads. */
void
AddLatentAttention(TensorList& list, const ModelConfig& model)
{
    const uint64_t h = model.hidden_size;
    const uint64_t a = model.num_attention_heads;
    const uint64_t compressed = model.kv_lora_rank + model.qk_rope_head_dim;
    const auto split = TensorSharding::SPLIT;
    const auto whole = TensorSharding::REPLICATED_NORM;
    if (model.q_lora_rank > 0)
    {
        list.Add("self_attn.q_a_proj.weight", model.q_lora_rank, h, whole);
        if (model.qkv_bias)
        {
            list.Add("self_attn.q_a_proj.bias", model.q_lora_rank, 1, whole);
        }
        list.Add("self_attn.q_a_layernorm.weight", model.q_lora_rank, 1, whole);
        list.Add("self_attn.q_b_proj.weight",
                 a * model.GetQueryHeadDim(),
                 model.q_lora_rank,
                 split);
    }
    else
    {
        list.Add("self_attn.q_proj.weight", a * model.GetQueryHeadDim(), h, split);
    }
    list.Add("self_attn.kv_a_proj_with_mqa.weight", compressed, h, whole);
    if (model.qkv_bias)
    {
        list.Add("self_attn.kv_a_proj_with_mqa.bias", compressed, 1, whole);
    }
    list.Add("self_attn.kv_a_layernorm.weight", model.kv_lora_rank, 1, whole);
    list.Add("self_attn.kv_b_proj.weight",
             a * (model.qk_nope_head_dim + model.v_head_dim),
             model.kv_lora_rank,
             split);
    list.Add("self_attn.o_proj.weight", h, a * model.v_head_dim, split);
}

/** An MLP of width f under a prefix, or several alike. */
void
AddMlp(TensorList& list,
       const ModelConfig& model,
       const std::string& prefix,
       uint64_t f,
       uint64_t experts,
       TensorSharding sharding)
{
    const uint64_t h = model.hidden_size;
    const std::string up = model.gated_mlp ? prefix + ".gate_up_proj.weight" : "";
    if (model.gated_mlp)
    {
        list.AddExperts(prefix + ".gate_proj.weight", experts, f, h, sharding, up);
    }
    list.AddExperts(prefix + ".up_proj.weight", experts, f, h, sharding, up);
    list.AddExperts(prefix + ".down_proj.weight", experts, h, f, sharding, "");
}

/** A dense MLP with its biases. */
void
AddDenseMlp(TensorList& list, const ModelConfig& model)
{
    const uint64_t h = model.hidden_size;
    const uint64_t f = model.intermediate_size;
    const auto split = TensorSharding::SPLIT;
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
}

/** Router, routed and shared experts. */
void
AddMoe(TensorList& list, const ModelConfig& model)
{
    const auto whole = TensorSharding::REPLICATED_NORM;
    list.Add("mlp.gate.weight", model.num_experts, model.hidden_size, whole);
    if (model.expert_score_correction_bias)
    {
        list.Add("mlp.gate.e_score_correction_bias", model.num_experts, 1, whole);
        list.MarkWithoutGradient();
    }
    AddMlp(list,
           model,
           "mlp.experts",
           model.moe_intermediate_size,
           model.num_experts,
           TensorSharding::EXPERT);
    if (model.shared_expert_intermediate_size > 0)
    {
        AddMlp(list,
               model,
               "mlp.shared_experts",
               model.shared_expert_intermediate_size,
               1,
               TensorSharding::SPLIT);
    }
    if (model.shared_expert_gate)
    {
        list.Add("mlp.shared_expert_gate.weight", 1, model.hidden_size, whole);
    }
}

} // namespace

uint64_t
ParameterTensor::GetElements() const
{
    return experts * rows * columns;
}

uint64_t
ParameterTensor::GetElementsOnRank(uint32_t tensorParallelSize,
                                   uint64_t paddedVocabSize,
                                   uint32_t expertParallelSize,
                                   uint32_t expertTensorParallelSize) const
{
    switch (sharding)
    {
    case TensorSharding::SPLIT:
        return rows * columns / tensorParallelSize;
    case TensorSharding::VOCABULARY:
        return paddedVocabSize / tensorParallelSize * columns;
    case TensorSharding::EXPERT:
        return experts / expertParallelSize * (rows * columns / expertTensorParallelSize);
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
    TensorList list(ModelPart::ATTENTION,
                    static_cast<int64_t>(layer),
                    "layers." + std::to_string(layer) + ".");
    list.AddNorm(model, "input_layernorm");
    model.HasLatentAttention() ? AddLatentAttention(list, model) : AddAttention(list, model);
    if (model.attention_output_bias)
    {
        list.Add("self_attn.o_proj.bias", model.hidden_size, 1, TensorSharding::REPLICATED_NORM);
    }
    list.Part(ModelPart::MLP);
    list.AddNorm(model, "post_attention_layernorm");
    model.IsMoeLayer(layer) ? AddMoe(list, model) : AddDenseMlp(list, model);
    return list.Take();
}

std::vector<ParameterTensor>
ListMtpTensors(const ModelConfig& model, uint64_t module)
{
    const uint64_t layer = model.num_hidden_layers + module;
    const std::string prefix = "layers." + std::to_string(layer) + ".";
    TensorList front(ModelPart::MTP, static_cast<int64_t>(layer), prefix);
    front.AddNorm(model, "enorm");
    front.AddNorm(model, "hnorm");
    front.Add("eh_proj.weight", model.hidden_size, 2 * model.hidden_size, TensorSharding::SPLIT);
    std::vector<ParameterTensor> all = front.Take();
    for (auto& tensor : ListLayerTensors(model, layer))
    {
        all.push_back(std::move(tensor));
    }
    TensorList back(ModelPart::HEAD, static_cast<int64_t>(layer), prefix);
    back.AddNorm(model, "shared_head.norm");
    for (auto& tensor : back.Take())
    {
        all.push_back(std::move(tensor));
    }
    return all;
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

namespace
{

/** Attention of a layer with its biases, without the norm in front. */
uint64_t
CountAttention(const ModelConfig& model)
{
    const uint64_t h = model.hidden_size;
    const uint64_t a = model.num_attention_heads;
    const uint64_t outputBias = model.attention_output_bias ? h : 0;
    if (model.HasLatentAttention())
    {
        const uint64_t rq = model.q_lora_rank;
        const uint64_t rkv = model.kv_lora_rank;
        const uint64_t dn = model.qk_nope_head_dim;
        const uint64_t dr = model.qk_rope_head_dim;
        const uint64_t dv = model.v_head_dim;
        const uint64_t query = rq > 0 ? h * rq + rq + rq * a * (dn + dr) + (model.qkv_bias ? rq : 0)
                                      : h * a * (dn + dr);
        return query + h * (rkv + dr) + rkv + rkv * a * (dn + dv) + a * dv * h +
               (model.qkv_bias ? rkv + dr : 0) + outputBias;
    }
    const uint64_t q = a * model.head_dim;
    const uint64_t kv = model.num_key_value_heads * model.head_dim;
    return h * q + 2 * h * kv + q * h + (model.qkv_bias ? q + 2 * kv : 0) +
           (model.qk_norm ? 2 * model.head_dim : 0) + outputBias;
}

/** @return parameters of a layer with so many of its routed experts. */
uint64_t
CountLayer(const ModelConfig& model, bool moe, uint64_t routed)
{
    const uint64_t h = model.hidden_size;
    const uint64_t f = model.intermediate_size;
    const uint64_t matrices = model.gated_mlp ? 3 : 2;
    uint64_t count = CountAttention(model) + (model.layer_norm_bias ? 4 : 2) * h;
    if (!moe)
    {
        return count + matrices * h * f + (model.mlp_bias ? (matrices - 1) * f + h : 0);
    }
    count += matrices * h *
             (routed * model.moe_intermediate_size + model.shared_expert_intermediate_size);
    count += model.num_experts * h; // router
    count += model.expert_score_correction_bias ? model.num_experts : 0;
    count += model.shared_expert_gate ? h : 0;
    return count;
}

/** @return parameters without embeddings and output layer, with so many experts per layer. */
uint64_t
CountLayers(const ModelConfig& model, uint64_t routed)
{
    const uint64_t moe = model.CountMoeLayers();
    return (model.num_hidden_layers - moe) * CountLayer(model, false, 0) +
           (moe > 0 ? moe * CountLayer(model, true, routed) : 0) +
           (model.layer_norm_bias ? 2 : 1) * model.hidden_size;
}

/** @return embeddings and output layer. */
uint64_t
CountEmbeddings(const ModelConfig& model)
{
    return ((model.tie_word_embeddings ? 1 : 2) * model.vocab_size +
            (model.learned_positions ? model.max_position_embeddings : 0)) *
           model.hidden_size;
}

} // namespace

uint64_t
CountLayerParameters(const ModelConfig& model, uint64_t layer)
{
    return CountLayer(model, model.IsMoeLayer(layer), model.num_experts);
}

uint64_t
CountMtpParameters(const ModelConfig& model)
{
    const uint64_t h = model.hidden_size;
    return CountLayerParameters(model, model.num_hidden_layers) + 2 * h * h +
           (model.layer_norm_bias ? 6 : 3) * h;
}

uint64_t
CountNonEmbeddingParameters(const ModelConfig& model)
{
    return CountLayers(model, model.num_experts);
}

uint64_t
CountActiveNonEmbeddingParameters(const ModelConfig& model)
{
    return CountLayers(model, model.num_experts_per_tok);
}

uint64_t
CountParameters(const ModelConfig& model)
{
    return CountNonEmbeddingParameters(model) + CountEmbeddings(model);
}

uint64_t
CountActiveParameters(const ModelConfig& model)
{
    return CountActiveNonEmbeddingParameters(model) + CountEmbeddings(model);
}

} // namespace llm
} // namespace ns3
