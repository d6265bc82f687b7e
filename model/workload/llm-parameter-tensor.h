/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PARAMETER_TENSOR_H
#define LLM_PARAMETER_TENSOR_H

#include "llm-model-config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** How a parameter tensor is cut over ranks: by tensor parallelism, experts also by expert
 *  parallelism. */
enum class TensorSharding : uint8_t
{
    SPLIT,      //!< each rank has 1/t
    VOCABULARY, //!< each rank has 1/t of the padded rows
    REPLICATED, //!< every rank has all of it and sees gradients of the whole sequence
    /** Norms, routers, the compressing matrices of latent attention: every rank has all of it;
     *  under sequence parallelism its gradient is summed over the tensor-parallel group, since each
     *  rank has seen 1/t of the sequence. */
    REPLICATED_NORM,
    /** Every rank has all of it and has seen 1/t of the heads: its gradient is always summed over
     *  the tensor-parallel group. */
    REPLICATED_HEAD_NORM,
    /** Routed experts: each rank has 1/e of them, and of each 1/et. Its gradient is reduced over
     *  the expert-data-parallel group instead of the data-parallel one. */
    EXPERT
};

/** Part of a layer, in forward order: a tensor's gradient is there after its part's backward. */
enum class ModelPart : uint8_t
{
    EMBEDDING, //!< word and position embeddings
    ATTENTION, //!< of a layer
    MLP,       //!< of a layer: MLP, or router and experts
    HEAD,      //!< final norm and output layer
    MTP        //!< of a module: its norms and projection in front of its layer
};

/** A parameter tensor of a model. */
struct ParameterTensor
{
    std::string name;      //!< as in a Hugging Face llama checkpoint, gpt2 likewise
    std::string fusedInto; //!< Megatron keeps it as a part of this tensor; empty: of its own
    ModelPart part{ModelPart::EMBEDDING};                //!< where it is used
    int64_t layer{-1};                                   //!< layer, -1 outside of the layers
    uint64_t rows{0};                                    //!< outputs
    uint64_t columns{1};                                 //!< inputs, 1 for vectors
    uint64_t experts{1};                                 //!< so many such matrices (EXPERT)
    TensorSharding sharding{TensorSharding::REPLICATED}; //!< how it is cut over ranks
    /** Trained by gradients; false: set by a rule of its own (DeepSeek-V3's routing bias), so that
     *  it is in no gradient bucket and has no optimizer state. */
    bool hasGradient{true};

    /** @return number of elements of the whole tensor, unpadded. */
    uint64_t GetElements() const;
    /**
     * @param tensorParallelSize t; it divides what is split.
     * @param paddedVocabSize rows of the embedding with padding, a multiple of t.
     * @param expertParallelSize e; it divides the routed experts.
     * @param expertTensorParallelSize et; it divides the width of a routed expert.
     * @return number of elements that one rank holds.
     */
    uint64_t GetElementsOnRank(uint32_t tensorParallelSize,
                               uint64_t paddedVocabSize,
                               uint32_t expertParallelSize = 1,
                               uint32_t expertTensorParallelSize = 1) const;
};

/**
 * @param model the shape, validated.
 * @return the tensors of embeddings, word first.
 */
std::vector<ParameterTensor> ListEmbeddingTensors(const ModelConfig& model);

/**
 * @param model the shape, validated.
 * @param layer number; those of MTP modules follow num_hidden_layers - 1.
 * @return the tensors of one layer, in forward order.
 */
std::vector<ParameterTensor> ListLayerTensors(const ModelConfig& model, uint64_t layer);

/**
 * @param model the shape, validated.
 * @param module 0 .. num_nextn_predict_layers - 1.
 * @return the tensors of one MTP module, in forward order: norms and projection, its layer (number
 *         num_hidden_layers + module), its final norm. Embedding and output layer are shared with
 *         the model.
 */
std::vector<ParameterTensor> ListMtpTensors(const ModelConfig& model, uint64_t module);

/**
 * @param model the shape, validated.
 * @param tiedCopy give the output layer even if it is tied to the embedding: the last of several
 *        pipeline stages holds a copy.
 * @return final norm and output layer.
 */
std::vector<ParameterTensor> ListHeadTensors(const ModelConfig& model, bool tiedCopy = false);

/**
 * @param model the shape, validated.
 * @return all tensors of the main model, without MTP modules, in forward order.
 */
std::vector<ParameterTensor> ListParameterTensors(const ModelConfig& model);

/**
 * @param model the shape, validated.
 * @return exact number of parameters of the main model, without MTP modules, as in the checkpoint.
 *         Closed form, not by listing tensors.
 */
uint64_t CountParameters(const ModelConfig& model);

/**
 * @param model the shape, validated.
 * @return the same without the experts that a token does not go to: all but K of each MoE layer.
 *         Embedding and output layer count, as in "37 B active" of DeepSeek-V3.
 */
uint64_t CountActiveParameters(const ModelConfig& model);

/**
 * @param model the shape, validated.
 * @param layer number; those of MTP modules follow num_hidden_layers - 1.
 * @return parameters of one layer.
 */
uint64_t CountLayerParameters(const ModelConfig& model, uint64_t layer);

/**
 * @param model the shape, validated.
 * @return parameters of one MTP module that it does not share with the model.
 */
uint64_t CountMtpParameters(const ModelConfig& model);

/**
 * @param model the shape, validated.
 * @return parameters without embeddings and output layer: the "N" of 6N FLOPs per token.
 */
uint64_t CountNonEmbeddingParameters(const ModelConfig& model);

/**
 * @param model the shape, validated.
 * @return the active ones of them: the "N" of a mixture of experts.
 */
uint64_t CountActiveNonEmbeddingParameters(const ModelConfig& model);

} // namespace llm
} // namespace ns3

#endif // LLM_PARAMETER_TENSOR_H
