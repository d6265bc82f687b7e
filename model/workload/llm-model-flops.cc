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
    const uint64_t heads = 2 * m_model.num_attention_heads + 2 * m_model.num_key_value_heads;
    return 2 * m_model.hidden_size * heads * m_model.head_dim;
}

uint64_t
ModelFlops::GetAttentionCore() const
{
    const uint64_t width = m_model.num_attention_heads * m_model.head_dim;
    return (m_causal ? 2 : 4) * m_sequenceLength * width;
}

uint64_t
ModelFlops::GetMlp() const
{
    const uint64_t matrices = m_model.gated_mlp ? 3 : 2;
    return 2 * matrices * m_model.hidden_size * m_model.intermediate_size;
}

uint64_t
ModelFlops::GetLayer() const
{
    return GetAttentionProjections() + GetAttentionCore() + GetMlp();
}

uint64_t
ModelFlops::GetHead(const ModelConfig& model, uint64_t vocabSize)
{
    return 2 * model.hidden_size * vocabSize;
}

uint64_t
ModelFlops::GetForward() const
{
    return m_model.num_hidden_layers * GetLayer() + GetHead(m_model, m_model.vocab_size);
}

uint64_t
ModelFlops::GetTraining() const
{
    return 3 * GetForward();
}

uint64_t
ModelFlops::GetTrainingWithRecompute() const
{
    return GetTraining() + m_model.num_hidden_layers * GetLayer();
}

} // namespace llm
} // namespace ns3
