/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BPE_TRAINER_H
#define LLM_BPE_TRAINER_H

#include "llm-bpe-vocabulary.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** How a vocabulary is made. */
struct BpeTrainerConfig
{
    uint32_t vocabularySize{1024};    //!< ids, with the 256 bytes and <|endoftext|>; >= 257
    uint64_t minimumCount{2};         //!< a pair that is met more seldom is not merged; >= 1
    std::string preTokenizer{"gpt2"}; //!< as in PreTokenizer::ByName; no merge crosses its pieces
};

/**
 * @ingroup llm-training
 *
 * Makes a byte-level BPE vocabulary from a text, so that everything works with no vocabulary file
 * at hand: the adjacent pair of tokens that is met most often becomes a token, again and again
 * (Sennrich 2016). Of pairs equally frequent the one with the lower left, then the lower right
 * token is taken, so the result depends on the text alone.
 *
 * For a small text: it keeps all its words in memory.
 *
 * @param texts to learn from.
 * @param config how.
 * @return a vocabulary whose ids are as in GPT-2's files (WriteGpt2Merges). It is smaller than
 * asked if pairs run out.
 * @throw ConfigError if the config is not as it should be, or this build does not know Unicode.
 */
BpeVocabulary TrainBpe(const std::vector<std::string>& texts, const BpeTrainerConfig& config);

} // namespace llm
} // namespace ns3

#endif // LLM_BPE_TRAINER_H
