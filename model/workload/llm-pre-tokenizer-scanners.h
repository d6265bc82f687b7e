/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PRE_TOKENIZER_SCANNERS_H
#define LLM_PRE_TOKENIZER_SCANNERS_H

namespace ns3
{
namespace llm
{

/**
 * @file
 * @ingroup llm-training
 *
 * The patterns of pre-tokenizers as functions, each behind the regular expression that it matches.
 * All take a place in a text and its end and return what is behind the match there, or the place
 * itself if nothing matches (PreTokenizer::Scanner). The single-quoted parts of the expressions
 * are the English contractions: 's 't 're 've 'm 'll 'd.
 */

/**
 * 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 * @param begin the place @param end of the text @return behind the match
 */
const char* ScanGpt2(const char* begin, const char* end);

/**
 * (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|
 * \s*[\r\n]+|\s+(?!\S)|\s+
 *
 * @param begin the place @param end of the text @return behind the match
 */
const char* ScanCl100k(const char* begin, const char* end);

/** ScanCl100k with \p{N}. @param begin the place @param end of the text @return behind the match */
const char* ScanQwen2(const char* begin, const char* end);

/**
 * [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|...)?|
 * [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|...)?|
 * \p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *
 * @param begin the place @param end of the text @return behind the match
 */
const char* ScanO200k(const char* begin, const char* end);

/**
 * Mistral's: ScanO200k without contractions and with \p{N}.
 *
 * @param begin the place @param end of the text @return behind the match
 */
const char* ScanTekken(const char* begin, const char* end);

/** \p{N}{1,3} @param begin the place @param end of the text @return behind the match */
const char* ScanThreeDigits(const char* begin, const char* end);

/** \p{N} @param begin the place @param end of the text @return behind the match */
const char* ScanDigit(const char* begin, const char* end);

/** \p{N}+ @param begin the place @param end of the text @return behind the match */
const char* ScanDigits(const char* begin, const char* end);

/**
 * Chinese characters and Japanese kana, DeepSeek's second stage: [U+4E00-U+9FA5 U+3040-U+30FF]+
 *
 * @param begin the place @param end of the text @return behind the match
 */
const char* ScanCjk(const char* begin, const char* end);

/**
 * DeepSeek's third stage: [ASCII punctuation][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|
 * ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *
 * @param begin the place @param end of the text @return behind the match
 */
const char* ScanDeepSeekWords(const char* begin, const char* end);

} // namespace llm
} // namespace ns3

#endif // LLM_PRE_TOKENIZER_SCANNERS_H
