/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PART_TIMES_H
#define LLM_PART_TIMES_H

#include "llm-accelerator.h"
#include "llm-data-type.h"
#include "llm-model-config.h"
#include "llm-parallel-layout.h"
#include "llm-training-config.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/** What of a routed expert's work one rank does. */
struct ExpertShare
{
    uint64_t experts{0};    //!< E / e: experts on the rank
    uint64_t width{0};      //!< f_e / et: part of their width
    uint64_t evenTokens{0}; //!< tokens for all of them if experts are equally popular
};

/**
 * @ingroup llm-training
 *
 * Compute times on one rank for one microbatch, kernel by kernel (KernelRoofline), or as measured.
 * All ranks of a stage are alike, and so are all layers of a kind.
 *
 * Counted per part, each as a kernel of its own: matrix products; the attention core (backward 2.5
 * times its forward, as FlashAttention makes the scores again: Dao 2022); and what only moves
 * memory, read once and written once: norms, rotary positions, activation functions, residuals,
 * permutations of tokens, softmax of the logits. Under sequence parallelism norms and residuals
 * work on 1/t of the tokens. Under context parallelism a rank has 1/c of the tokens and its part of
 * the attention core is the same for every rank (Megatron deals the sequence in 2c chunks).
 *
 * Backward of a matrix product is two products, for the input (B) and for the weights (W).
 */
class PartTimes
{
  public:
    PassTimes embedding;     //!< first stage
    PassTimes attention;     //!< of a layer, with norm and residual
    PassTimes mlp;           //!< of a dense layer, with norm and residual
    PassTimes router;        //!< of a MoE layer: norm, router, permutation in front of the dispatch
    PassTimes sharedExperts; //!< of a MoE layer; 0 without
    PassTimes combine;       //!< of a MoE layer: weighted sum of experts' outputs, residual
    PassTimes mtpProjection; //!< of an MTP module: norms and projection in front of its layer
    PassTimes head;          //!< last stage, and each MTP module: norm, output layer, loss
    int64_t attentionCorePs{0}; //!< of attention.forwardPs: the core, which selective activation
                                //!< recomputation does again

    /**
     * Measured times where there are some; else by roofline, or the fixed time per layer, cut
     * between attention and the rest by their FLOPs.
     * @param model shape, validated.
     * @param training batch and sequence length.
     * @param layout grid of ranks.
     * @param paramsType of weights and activations.
     * @param accelerator how fast.
     * @return times.
     */
    static PartTimes Make(const ModelConfig& model,
                          const TrainingConfig& training,
                          const ParallelLayout& layout,
                          DataType paramsType,
                          const Accelerator& accelerator);

    /**
     * Routed experts of a MoE layer on one rank.
     * @param tokens that arrived for all of the rank's experts (a token counts for each of them
     *        that it goes to); the experts share them evenly.
     * @return times; under a fixed time per layer, the same for any load.
     */
    PassTimes GetExperts(uint64_t tokens) const;

    /** @return tokens for all experts of a rank if experts are equally popular. */
    uint64_t GetEvenExpertTokens() const;

    /** @return a MoE layer's router, experts at even load, shared experts and combine. */
    PassTimes GetEvenMoe() const;

    /**
     * Adam with an fp32 master copy: gradient read; master and both moments read and written;
     * parameter written. Measured or fixed times go before.
     * @param parameters that the rank updates.
     * @param gradBytes of a gradient.
     * @return picoseconds.
     */
    int64_t GetOptimizerPs(uint64_t parameters, uint64_t gradBytes) const;

  private:
    void UseFixedLayerTime(const ModelConfig& model, const TrainingConfig& training);
    void UseMeasuredTimes();

    Accelerator m_accelerator{AcceleratorConfig()}; //!< how fast
    uint64_t m_elementBytes{0};                     //!< of weights and activations
    uint64_t m_hiddenSize{0};                       //!< h
    uint64_t m_upMatrices{0};                       //!< matrices in front of the activation
    ExpertShare m_share;                            //!< of routed experts
    PassTimes m_fixedExperts;                       //!< any load: fixed time per layer
};

/** @param a, b times. @return both, one after the other. */
PassTimes operator+(const PassTimes& a, const PassTimes& b);

} // namespace llm
} // namespace ns3

#endif // LLM_PART_TIMES_H
