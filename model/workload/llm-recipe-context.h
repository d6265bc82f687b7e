/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RECIPE_CONTEXT_H
#define LLM_RECIPE_CONTEXT_H

#include "llm-accelerator.h"
#include "llm-data-type.h"
#include "llm-model-config.h"
#include "llm-parallel-layout.h"
#include "llm-parameter-tensor.h"
#include "llm-part-recipe.h"
#include "llm-part-times.h"
#include "llm-training-config.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/** All that the recipes of a training step depend on. */
struct RecipeContext
{
    const ModelConfig& model;       //!< shape, validated
    const ParallelLayout& layout;   //!< grid of ranks
    const TrainingConfig& training; //!< resolved
    const PartTimes& times;         //!< compute times
    DataType paramsType;            //!< of weights and activations
    uint64_t paddedVocabSize;       //!< V'
    bool sequenceParallel;          //!< and t is above 1
    uint64_t activationBytes;       //!< X: what one rank has between layers, times t under SP
    uint64_t batchBytes;            //!< token ids of a microbatch
    uint64_t crossEntropyBytes;     //!< one number per token of a microbatch

    /** @return t. */
    uint32_t GetTensorSize() const;
    /** @param tensor of the model. @return its elements on one rank, with padding. */
    uint64_t CountOnRank(const ParameterTensor& tensor) const;
    /** @return whether tensor-parallel communication runs beside matrix products. */
    bool OverlapsTensor() const;
};

/**
 * Chains a collective over the tensor-parallel group; nothing if it has one rank.
 * @param writer gets it.
 * @param context of the recipe.
 * @param kind which.
 * @param bytes size.
 */
void ChainTensorCollective(RecipeWriter& writer,
                           const RecipeContext& context,
                           OperationKind kind,
                           uint64_t bytes);

/**
 * Whole sequence from its parts, in front of a column-parallel matrix or of the backward of a
 * row-parallel one: an all-gather under sequence parallelism, else nothing (Korthikanti 2022
 * s.4.2).
 * @param writer gets it.
 * @param context of the recipe.
 */
void ChainSequenceGather(RecipeWriter& writer, const RecipeContext& context);

/**
 * Sum over the tensor-parallel group, behind a row-parallel matrix or the backward of a
 * column-parallel one: a reduce-scatter under sequence parallelism, else an all-reduce.
 * @param writer gets it.
 * @param context of the recipe.
 */
void ChainSequenceReduce(RecipeWriter& writer, const RecipeContext& context);

/**
 * The gather runs beside the matrix product that it feeds (tp_comm_overlap): what follows waits for
 * both. As if both were cut into very small pieces.
 * @param writer gets it.
 * @param context of the recipe.
 * @param durationPs time of the product.
 */
void ChainGatherBeside(RecipeWriter& writer, const RecipeContext& context, int64_t durationPs);

/**
 * The reduction runs beside the matrix product that makes its input, or, backward, beside the one
 * for the weights: what follows waits for both.
 * @param writer gets it.
 * @param context of the recipe.
 * @param durationPs time of the product.
 */
void ChainReduceBeside(RecipeWriter& writer, const RecipeContext& context, int64_t durationPs);

} // namespace llm
} // namespace ns3

#endif // LLM_RECIPE_CONTEXT_H
