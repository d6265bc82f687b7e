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
#include "llm-training-config.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Compute times on one rank for one microbatch, in picoseconds. All ranks of a stage are alike, and
 * so are all layers.
 */
struct PartTimes
{
    int64_t embeddingForwardPs{0};  //!< first stage
    int64_t embeddingBackwardPs{0}; //!< first stage
    int64_t attentionForwardPs{0};  //!< per layer
    int64_t attentionBackwardPs{0}; //!< per layer
    int64_t mlpForwardPs{0};        //!< per layer
    int64_t mlpBackwardPs{0};       //!< per layer
    int64_t headForwardPs{0};       //!< last stage
    int64_t headBackwardPs{0};      //!< last stage

    /**
     * By roofline, or the fixed time per layer cut between attention and MLP by their FLOPs.
     * @param model shape, validated.
     * @param training batch and sequence length.
     * @param tensorParallelSize t.
     * @param paddedVocabSize rows of the output layer.
     * @param paramsType of weights and activations.
     * @param accelerator how fast.
     * @return times.
     */
    static PartTimes Make(const ModelConfig& model,
                          const TrainingConfig& training,
                          uint32_t tensorParallelSize,
                          uint64_t paddedVocabSize,
                          DataType paramsType,
                          const Accelerator& accelerator);
};

} // namespace llm
} // namespace ns3

#endif // LLM_PART_TIMES_H
