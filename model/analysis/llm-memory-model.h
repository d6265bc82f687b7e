/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MEMORY_MODEL_H
#define LLM_MEMORY_MODEL_H

#include "llm-pipeline-clock.h"

#include "ns3/llm-training-step.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/** What one rank keeps in its memory, in bytes. */
struct MemoryEstimate
{
    uint64_t parameters{0};  //!< in the number format of training
    uint64_t gradients{0};   //!< in the number format of reduction
    uint64_t optimizer{0};   //!< Adam: fp32 master copy (unless training is in fp32), two moments
    uint64_t activations{0}; //!< of the microbatches in flight, at their peak
    /** For a moment: activations of a layer that is recomputed; where they are sharded, gradients
     *  of the largest bucket and parameters of two units, the one in use and the next. */
    uint64_t workspace{0};

    /** @return the sum. */
    uint64_t GetTotal() const;

    /** @param other is added. @return this. */
    MemoryEstimate& operator+=(const MemoryEstimate& other);
};

/**
 * @ingroup llm-training
 *
 * Memory of parameters, gradients and optimizer (ZeRO, Rajbhandari et al. 2020 s.3).
 *
 * @param parameters that the rank would have unsharded.
 * @param shards ranks that share what the strategy cuts.
 * @param strategy as TrainingConfig::data_parallel_sharding_strategy.
 * @param paramsType, gradType number formats of weights and gradients.
 * @return the three; activations and workspace are 0.
 */
MemoryEstimate EstimateModelStates(uint64_t parameters,
                                   uint64_t shards,
                                   const std::string& strategy,
                                   DataType paramsType,
                                   DataType gradType);

/**
 * @ingroup llm-training
 *
 * Memory of a rank.
 *
 * Parameters, gradients and optimizer state exactly, as the sharding strategy cuts them.
 *
 * Activations: what each layer keeps of a microbatch for its backward, with q bytes per element
 * (Korthikanti 2022 s.4, generalised). With T = b s / c tokens, of which a rank keeps T / t under
 * sequence parallelism where the tensor is not cut by heads or width:
 * - attention: input of the norm and of the projections; queries, keys and values; input of the
 * output projection; FlashAttention's fp32 sum per head and token, or with attention_backend
 * "unfused" the scores (a s T / t; their softmax and what is left of it after dropout). Norms of
 * queries and keys keep their inputs, too. Latent attention keeps what it compresses before and
 * after its norms, and the expanded queries, keys and values;
 * - MLP: input of the norm and of the matrices, inputs and output of the activation function;
 * - MoE: the same for each of the token slots of the rank's experts (even load), the dispatched
 *   tokens, the experts' outputs, the router's fp32 probabilities, and the shared experts;
 * - gpt2 was trained with dropout: one byte per element of each mask;
 * - recompute_granularity "selective" drops the scores, "full" all but the layer's input.
 * The stage with the embedding has its dropout mask; the last one input of norm and output layer
 * and the fp32 logits; an MTP module inputs of its norms and projection.
 *
 * With a = h / d_h heads, f = 4 h, dropout, "unfused" and q = 2 a layer keeps
 * s b h (34 + 5 a s / h) bytes, s b h (10 + 24 / t + 5 a s / (h t)) under tensor parallelism, and
 * 1/t of the first under sequence parallelism. How many microbatches are in flight is up to the
 * schedule.
 *
 * Not modelled: communication buffers, fragmentation, the framework itself.
 */
class MemoryModel
{
  public:
    /** @param step what is trained; it must outlive this object. */
    explicit MemoryModel(const TrainingStep& step);

    /** @param layer global number. @return bytes that it keeps of a microbatch. */
    uint64_t GetLayerBytes(uint64_t layer) const;
    /** @param stage which. @return bytes that it keeps of a microbatch. */
    uint64_t GetStageBytes(uint32_t stage) const;

    /**
     * @param pipelineRank coordinate on the axis PP.
     * @param clock of the same step.
     * @return what each rank there has.
     */
    MemoryEstimate Estimate(uint32_t pipelineRank, const PipelineClock& clock) const;

    /**
     * @param clock of the same step.
     * @return one line if some rank needs more than its accelerator has; else empty.
     */
    std::string GetWarning(const PipelineClock& clock) const;

  private:
    uint64_t GetEmbeddingBytes() const;
    uint64_t GetHeadBytes() const;
    uint64_t GetMtpBytes() const;
    uint64_t GetAttentionBytes() const;
    uint64_t GetScoreBytes() const;
    uint64_t GetMlpBytes() const;
    uint64_t GetMoeBytes() const;
    uint64_t GetWholeLayerBytes(uint64_t layer) const;
    bool IsRecomputed(uint64_t layer) const;
    MemoryEstimate EstimateStates(uint32_t stage) const;
    uint64_t GetWorkspaceBytes(const StageWork& work) const;

    const TrainingStep& m_step; //!< what is trained
    uint64_t m_element;         //!< q
    uint64_t m_mask;            //!< bytes of an element's dropout mask: 1 or 0
    uint64_t m_t;               //!< tensor-parallel size
    uint64_t m_tokens;          //!< b s / c
    uint64_t m_part;            //!< the same, / t under sequence parallelism
};

} // namespace llm
} // namespace ns3

#endif // LLM_MEMORY_MODEL_H
