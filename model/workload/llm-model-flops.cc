/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-model-flops.h"

namespace ns3
{
namespace llm
{

ModelFlops::ModelFlops(const ModelConfig& model, uint64_t sequenceLength, bool causal)
    : m_model(model),
      m_sequenceLength(sequenceLength),
      m_causal(causal)
{
}

uint64_t
ModelFlops::GetAttentionProjections() const
{
    const uint64_t h = m_model.hidden_size;
    const uint64_t a = m_model.num_attention_heads;
    if (!m_model.HasLatentAttention())
    {
        return 2 * h * (2 * a + 2 * m_model.num_key_value_heads) * m_model.head_dim;
    }
    const uint64_t queries = a * m_model.GetQueryHeadDim();
    const uint64_t values = a * m_model.v_head_dim;
    const uint64_t rq = m_model.q_lora_rank;
    const uint64_t rkv = m_model.kv_lora_rank;
    const uint64_t query = rq > 0 ? h * rq + rq * queries : h * queries;
    const uint64_t keyValue =
        h * (rkv + m_model.qk_rope_head_dim) + rkv * (a * m_model.qk_nope_head_dim + values);
    return 2 * (query + keyValue + values * h);
}

uint64_t
ModelFlops::GetAttentionCore() const
{
    const uint64_t width =
        m_model.num_attention_heads * (m_model.GetQueryHeadDim() + m_model.GetValueHeadDim());
    return (m_causal ? 1 : 2) * m_sequenceLength * width;
}

uint64_t
ModelFlops::GetMlpOfWidth(uint64_t width) const
{
    const uint64_t matrices = m_model.gated_mlp ? 3 : 2;
    return 2 * matrices * m_model.hidden_size * width;
}

uint64_t
ModelFlops::GetMlp() const
{
    return GetMlpOfWidth(m_model.intermediate_size);
}

uint64_t
ModelFlops::GetExpert() const
{
    return GetMlpOfWidth(m_model.moe_intermediate_size);
}

uint64_t
ModelFlops::GetSharedExperts() const
{
    return GetMlpOfWidth(m_model.shared_expert_intermediate_size);
}

uint64_t
ModelFlops::GetMoe() const
{
    return m_model.num_experts_per_tok * GetExpert() + GetSharedExperts();
}

uint64_t
ModelFlops::GetLayer(uint64_t layer) const
{
    return GetAttentionProjections() + GetAttentionCore() +
           (m_model.IsMoeLayer(layer) ? GetMoe() : GetMlp());
}

uint64_t
ModelFlops::GetLayers() const
{
    const uint64_t moe = m_model.CountMoeLayers();
    const uint64_t all = m_model.num_hidden_layers;
    return all * (GetAttentionProjections() + GetAttentionCore()) + (all - moe) * GetMlp() +
           moe * GetMoe();
}

uint64_t
ModelFlops::GetHead(const ModelConfig& model, uint64_t vocabSize)
{
    return 2 * model.hidden_size * vocabSize;
}

uint64_t
ModelFlops::GetMtpProjection() const
{
    return 4 * m_model.hidden_size * m_model.hidden_size;
}

uint64_t
ModelFlops::GetMtp() const
{
    return GetMtpProjection() + GetLayer(m_model.num_hidden_layers) +
           GetHead(m_model, m_model.vocab_size);
}

uint64_t
ModelFlops::GetForward() const
{
    const uint64_t modules = m_model.num_nextn_predict_layers;
    return GetLayers() + GetHead(m_model, m_model.vocab_size) +
           (modules > 0 ? modules * GetMtp() : 0);
}

uint64_t
ModelFlops::GetTraining() const
{
    return 3 * GetForward();
}

uint64_t
ModelFlops::GetTrainingWithRecompute() const
{
    const uint64_t modules = m_model.num_nextn_predict_layers;
    return GetTraining() + GetLayers() +
           (modules > 0 ? modules * GetLayer(m_model.num_hidden_layers) : 0);
}

uint64_t
ModelFlops::GetTrainingWithSelectiveRecompute() const
{
    return GetTraining() +
           (m_model.num_hidden_layers + m_model.num_nextn_predict_layers) * GetAttentionCore();
}

uint64_t
ModelFlops::GetTrainingByKorthikanti() const
{
    return GetTraining() +
           3 * (m_model.num_hidden_layers + m_model.num_nextn_predict_layers) * GetAttentionCore();
}

uint64_t
ModelFlops::GetTrainingByPalm(uint64_t parameters) const
{
    const uint64_t width =
        m_model.num_attention_heads * (m_model.GetQueryHeadDim() + m_model.GetValueHeadDim());
    return 6 * parameters + 6 * m_model.num_hidden_layers * width * m_sequenceLength;
}

double
EstimateTrainingFlops(double parameters, double tokens, bool fullRecompute)
{
    return (fullRecompute ? 8 : 6) * parameters * tokens;
}

double
EstimateTrainingSeconds(double flops, double accelerators, double flopsPerSecond)
{
    return flops / (accelerators * flopsPerSecond);
}

} // namespace llm
} // namespace ns3
