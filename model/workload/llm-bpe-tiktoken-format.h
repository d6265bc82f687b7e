/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BPE_TIKTOKEN_FORMAT_H
#define LLM_BPE_TIKTOKEN_FORMAT_H

#include "llm-bpe-vocabulary.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Reads tiktoken's vocabulary files: one line "base64 rank" per token. There are no merges: a pair
 * of neighbours may merge when their bytes together are a token, whose rank is its id.
 *
 * The file says neither how texts are cut nor what the special tokens are. Both are known by its
 * number of tokens for r50k, p50k, cl100k, o200k, Llama-3 (tokenizer.model) and Qwen
 * (qwen.tiktoken).
 *
 * @param text of the file.
 * @param source its name.
 * @param preTokenizer a name as in PreTokenizer::ByName; empty: by the number of tokens.
 * @return the vocabulary.
 * @throw ConfigError with the line, or if the number of tokens is not known and no pre-tokenizer is
 *        named.
 */
BpeVocabulary ReadTiktoken(const std::string& text,
                           const std::string& source,
                           const std::string& preTokenizer = "");

} // namespace llm
} // namespace ns3

#endif // LLM_BPE_TIKTOKEN_FORMAT_H
