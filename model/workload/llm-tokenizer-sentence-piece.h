/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TOKENIZER_SENTENCE_PIECE_H
#define LLM_TOKENIZER_SENTENCE_PIECE_H

#include "llm-tokenizer.h"

#include <memory>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A SentencePiece model (tokenizer.model of Llama-2, T5 ...), run by libsentencepiece, which is
 * optional when the module is built. Normalisation is the model's: a blank may be put in front and
 * several blanks may become one, so that decoding need not give the same text again. Special tokens
 * in the text are always text, except for those that the model itself takes for user-defined.
 *
 * @param fileName of the model.
 * @return the tokenizer.
 * @throw ConfigError if the file is no such model, or this build lacks the library.
 */
std::unique_ptr<Tokenizer> ReadSentencePiece(const std::string& fileName);

/** @return whether libsentencepiece was there when this build was configured. */
bool IsSentencePieceAvailable();

} // namespace llm
} // namespace ns3

#endif // LLM_TOKENIZER_SENTENCE_PIECE_H
