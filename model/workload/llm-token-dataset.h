/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TOKEN_DATASET_H
#define LLM_TOKEN_DATASET_H

#include "llm-tokenizer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** How tokens become batches; the names are Megatron's. */
struct TokenDatasetConfig
{
    uint64_t seq_length{1024};        //!< s, tokens that a sequence feeds to the model; >= 1
    uint64_t global_batch_size{1};    //!< B, sequences of one training step; >= 1
    bool append_eod{true};            //!< an end-of-document token behind every document
    std::string eod{"<|endoftext|>"}; //!< spelling of that token in the tokenizer
};

/** How much training a number of tokens is. All are whole numbers. */
struct TokenDatasetCounts
{
    uint64_t tokens{0};         //!< of one epoch
    uint64_t sequences{0};      //!< full ones in all epochs
    uint64_t steps{0};          //!< full batches in all epochs
    uint64_t tokensPerStep{0};  //!< B s
    uint64_t tokensLeftOver{0}; //!< of all epochs, that no step of these feeds to the model
};

/**
 * @ingroup llm-training
 *
 * Token sequences for training, as Megatron's GPTDataset packs them: the documents follow each
 * other without padding, and so do the epochs; sequence i is fed the tokens i s ... i s + s - 1 of
 * that stream and is asked for the ones one further on, so that the last token is fed to nobody and
 * a sequence may begin in one document and end in another. A last sequence or batch that would not
 * be full is left out.
 *
 * Not modelled: shuffling, which changes no size, and blending of several datasets.
 */
class TokenDataset
{
  public:
    /** @param config how. @throw ConfigError if a number is 0. */
    explicit TokenDataset(const TokenDatasetConfig& config);

    /**
     * @param tokens of one epoch.
     * @param config how.
     * @param epochs times that all tokens are met, >= 1.
     * @return the counts, for a number of tokens that need not be at hand.
     * @throw ConfigError if a number is 0 or the tokens of all epochs exceed 2^64 - 1.
     */
    static TokenDatasetCounts Count(uint64_t tokens,
                                    const TokenDatasetConfig& config,
                                    uint64_t epochs = 1);

    /**
     * Adds a text.
     * @param tokenizer that makes tokens of it.
     * @param text of the document.
     * @return its tokens, with that of its end.
     * @throw ConfigError if an end-of-document token is wanted and the tokenizer has none.
     */
    uint64_t AddDocument(const Tokenizer& tokenizer, const std::string& text);

    /** @param ids tokens that are added as they are. */
    void AddTokens(const std::vector<uint32_t>& ids);

    /** @return all tokens of one epoch. */
    const std::vector<uint32_t>& GetTokens() const
    {
        return m_tokens;
    }

    /** @return as configured. */
    const TokenDatasetConfig& GetConfig() const
    {
        return m_config;
    }

    /** @param epochs >= 1. @return the counts of what was added. */
    TokenDatasetCounts GetCounts(uint64_t epochs = 1) const;

    /**
     * @param index of a sequence, from 0; past the first epoch's the next ones follow.
     * @return s + 1 tokens: the first s are fed, the last s are what is asked for. Empty if the
     *         dataset is.
     */
    std::vector<uint32_t> GetSequence(uint64_t index) const;

    /**
     * @param step from 0.
     * @param row sequence within the step's batch, 0 .. B - 1.
     * @return index of the sequence: they are taken in order.
     */
    uint64_t GetSequenceIndex(uint64_t step, uint64_t row) const
    {
        return step * m_config.global_batch_size + row;
    }

  private:
    TokenDatasetConfig m_config;    //!< how
    std::vector<uint32_t> m_tokens; //!< of one epoch
};

} // namespace llm
} // namespace ns3

#endif // LLM_TOKEN_DATASET_H
