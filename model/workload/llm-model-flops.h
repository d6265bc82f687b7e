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
 * Floating point operations of a transformer per token, a multiply-add counted as two. Matrix
 * products and the attention core only, as in the papers of Megatron and PaLM; routers are left
 * out, as Megatron does. A token of a MoE layer goes through K experts and the shared ones.
 * Backward is twice the forward (gradients of inputs and of weights).
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

    /** @return query, key, value and output projections of a layer, forward, per token; under MLA
     *          what compresses and what expands. */
    uint64_t GetAttentionProjections() const;
    /** @return scores and weighted sum of a layer, forward, per token. */
    uint64_t GetAttentionCore() const;
    /** @return dense MLP of a layer, forward, per token. */
    uint64_t GetMlp() const;
    /** @return one routed expert, forward, per token that goes there. */
    uint64_t GetExpert() const;
    /** @return shared experts of a layer, forward, per token; 0 without. */
    uint64_t GetSharedExperts() const;
    /** @return K routed experts and the shared ones, forward, per token. */
    uint64_t GetMoe() const;
    /** @param layer number. @return all of that layer, forward, per token. */
    uint64_t GetLayer(uint64_t layer) const;
    /** @return all layers, without MTP modules, forward, per token. */
    uint64_t GetLayers() const;
    /** @param vocabSize rows of the output layer. @return output layer, forward, per token. */
    static uint64_t GetHead(const ModelConfig& model, uint64_t vocabSize);
    /** @return projection in front of an MTP module's layer, forward, per token. */
    uint64_t GetMtpProjection() const;
    /** @return one MTP module with its pass through the output layer, forward, per token. */
    uint64_t GetMtp() const;
    /** @return the whole model with its MTP modules, forward, per token, with the unpadded
     *          vocabulary. */
    uint64_t GetForward() const;

    /** @return model FLOPs: forward and backward, per token. */
    uint64_t GetTraining() const;
    /** @return hardware FLOPs of full activation recomputation: layers go forward twice. */
    uint64_t GetTrainingWithRecompute() const;
    /** @return hardware FLOPs of selective recomputation: the attention core goes forward twice. */
    uint64_t GetTrainingWithSelectiveRecompute() const;
    /**
     * @return the same as Korthikanti 2022 (app. A) counts it, 72 B L s h^2 (1 + s/(3h) + V/(12hL))
     *         for GPT: the whole core, forward and backward, once more. Its published HFU follow
     * it.
     */
    uint64_t GetTrainingByKorthikanti() const;
    /**
     * PaLM's estimate (app. B), forward and backward, per token: 6 N + 12 L a d_h s. It counts the
     * whole attention core whatever the constructor was told.
     * @param parameters N. PaLM itself takes CountParameters of a tied model; others
     *        CountNonEmbeddingParameters, or the active ones of a mixture of experts.
     * @return FLOPs.
     */
    uint64_t GetTrainingByPalm(uint64_t parameters) const;

  private:
    uint64_t GetMlpOfWidth(uint64_t width) const;

    ModelConfig m_model;       //!< shape
    uint64_t m_sequenceLength; //!< tokens
    bool m_causal;             //!< half of the core
};

/**
 * Estimate of a whole training (Megatron 2021 s.5.1): 6 P T, a multiply-add of forward and two of
 * backward for each parameter and token; 8 P T with full activation recomputation.
 * @param parameters P.
 * @param tokens T, of all of the training.
 * @param fullRecompute layers go forward twice.
 * @return FLOPs.
 */
double EstimateTrainingFlops(double parameters, double tokens, bool fullRecompute);

/**
 * The same as a time.
 * @param flops of the training.
 * @param accelerators n.
 * @param flopsPerSecond X: what each of them reaches.
 * @return seconds.
 */
double EstimateTrainingSeconds(double flops, double accelerators, double flopsPerSecond);

} // namespace llm
} // namespace ns3

#endif // LLM_MODEL_FLOPS_H
