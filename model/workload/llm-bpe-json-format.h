/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BPE_JSON_FORMAT_H
#define LLM_BPE_JSON_FORMAT_H

#include "llm-bpe-vocabulary.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Reads Hugging Face's tokenizer.json, as far as it describes byte-level BPE: model.vocab,
 * model.merges (of strings "a b" or of pairs), model.ignore_merges, added_tokens, the normalizer
 * NFC, and pre-tokenizers made of Split with a known pattern, Digits and ByteLevel. What would
 * change tokens and is not known here is an error. Not read: post_processor, truncation, padding;
 * decoder is that of the byte alphabet. White space beside an added token is kept.
 *
 * @param text of the file.
 * @param source its name.
 * @param preTokenizer a name as in PreTokenizer::ByName that replaces the file's; empty: the
 *        file's.
 * @return the vocabulary.
 * @throw ConfigError with the JSON path.
 */
BpeVocabulary ReadTokenizerJson(const std::string& text,
                                const std::string& source,
                                const std::string& preTokenizer = "");

} // namespace llm
} // namespace ns3

#endif // LLM_BPE_JSON_FORMAT_H
