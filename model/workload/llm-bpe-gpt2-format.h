/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BPE_GPT2_FORMAT_H
#define LLM_BPE_GPT2_FORMAT_H

#include "llm-bpe-vocabulary.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @file
 * @ingroup llm-training
 *
 * GPT-2's file of merges, vocab.bpe (merges.txt at Hugging Face): an optional line "#version: 0.2",
 * then a line "left right" for each merge in order of rank, spelt in BpeByteAlphabet.
 *
 * The ids follow from the order: the single bytes as in BpeByteAlphabet::GetOrder are 0 to 255, the
 * merge of rank r is 256 + r, and <|endoftext|> comes last. GPT-2's encoder.json says the same.
 */

/**
 * @param text of the file.
 * @param source its name.
 * @return the vocabulary, with GPT-2's pre-tokenizer.
 * @throw ConfigError with the line.
 */
BpeVocabulary ReadGpt2Merges(const std::string& text, const std::string& source);

/**
 * The same with ids of their own, for the vocabularies that other models keep in this format.
 *
 * @param text of the file of merges.
 * @param source its name.
 * @param encoderText of encoder.json (vocab.json): spelt tokens and their ids.
 * @param encoderSource its name.
 * @return the vocabulary. Tokens of several bytes that no merge makes are special tokens.
 * @throw ConfigError with the line, or if a token of the merges has no id.
 */
BpeVocabulary ReadGpt2Merges(const std::string& text,
                             const std::string& source,
                             const std::string& encoderText,
                             const std::string& encoderSource);

/**
 * @param vocabulary whose ids follow from the order of its merges, as those of BpeTrainer do.
 * @return text of a vocab.bpe that gives the same vocabulary.
 * @throw ConfigError if the ids do not follow from the order.
 */
std::string WriteGpt2Merges(const BpeVocabulary& vocabulary);

} // namespace llm
} // namespace ns3

#endif // LLM_BPE_GPT2_FORMAT_H
