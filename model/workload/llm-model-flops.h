/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MODEL_FLOPS_H
#define LLM_MODEL_FLOPS_H

#include "llm-model-config.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Floating point operations of a dense transformer per token, a multiply-add counted as two.
 * Matrix products and the attention core only, as in the papers of Megatron and PaLM. Backward is
 * twice the forward (gradients of inputs and of weights).
 *
 * Causal attention needs half of the score matrix. Current Megatron counts that half; PaLM's MFU
 * and the papers of Megatron (2021) and Korthikanti (2022) count the whole: hence the switch.
 */
class ModelFlops
{
  public:
    /**
     * @param model the shape, validated.
     * @param sequenceLength s, tokens.
     * @param causal count half of the attention core.
     */
    ModelFlops(const ModelConfig& model, uint64_t sequenceLength, bool causal);

    /** @return query, key, value and output projections of a layer, forward, per token. */
    uint64_t GetAttentionProjections() const;
    /** @return scores and weighted sum of a layer, forward, per token. */
    uint64_t GetAttentionCore() const;
    /** @return MLP of a layer, forward, per token. */
    uint64_t GetMlp() const;
    /** @return all of a layer, forward, per token. */
    uint64_t GetLayer() const;
    /** @param vocabSize rows of the output layer. @return output layer, forward, per token. */
    static uint64_t GetHead(const ModelConfig& model, uint64_t vocabSize);
    /** @return the whole model, forward, per token, with the unpadded vocabulary. */
    uint64_t GetForward() const;
    /** @return forward and backward, per token. */
    uint64_t GetTraining() const;
    /** @return the same with full activation recomputation: layers go forward twice. */
    uint64_t GetTrainingWithRecompute() const;

  private:
    ModelConfig m_model;       //!< shape
    uint64_t m_sequenceLength; //!< tokens
    bool m_causal;             //!< half of the core
};

} // namespace llm
} // namespace ns3

#endif // LLM_MODEL_FLOPS_H
