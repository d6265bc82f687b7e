/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PRE_TOKENIZER_H
#define LLM_PRE_TOKENIZER_H

#include <string>
#include <string_view>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Cuts a text into the pieces (words, more or less) within which byte pairs are merged. Tokenizer
 * files describe it by regular expressions; there are only a handful of these in use, so each is
 * known here by its text and matched by a scanner of its own, an order of magnitude faster than
 * a regular-expression engine over Unicode.
 *
 * The pieces joined are the text again, whatever bytes it holds.
 */
class PreTokenizer
{
  public:
    /**
     * Finds what a pattern matches at one place.
     * @param begin the place, before end.
     * @param end of the text; look-ahead does not see beyond.
     * @return behind the match; begin if there is none.
     */
    using Scanner = const char* (*)(const char* begin, const char* end);

    /** One piece: the whole text. */
    PreTokenizer() = default;

    /**
     * @param name gpt2 (also r50k, p50k), cl100k (also llama3), qwen2 (also qwen3), o200k, tekken,
     *             deepseek-v3 or none.
     * @param source, path where the name stands, for the error.
     * @return the pre-tokenizer.
     * @throw ConfigError.
     */
    static PreTokenizer ByName(const std::string& name,
                               const std::string& source = "",
                               const std::string& path = "");

    /**
     * Adds the stages of a pre-tokenizer.
     * @param name, source, path as for ByName.
     * @throw ConfigError.
     */
    void AddNamed(const std::string& name,
                  const std::string& source = "",
                  const std::string& path = "");

    /**
     * Adds a stage: every piece so far is cut at the matches of a pattern; what lies between
     * matches is a piece too ("Isolated" in Hugging Face's tokenizer.json).
     * @param pattern a regular expression, one of those known here.
     * @param source, path where the pattern stands, for the error.
     * @throw ConfigError if it is not known.
     */
    void AddPattern(const std::string& pattern, const std::string& source, const std::string& path);

    /**
     * Adds a stage that isolates numbers (Hugging Face's "Digits").
     * @param individual each digit is a piece, else each run of digits.
     */
    void AddDigits(bool individual);

    /**
     * @param text any bytes; the pieces point into it.
     * @return non-empty pieces, in order.
     */
    std::vector<std::string_view> Split(std::string_view text) const;

  private:
    std::vector<Scanner> m_stages; //!< in order of application
};

} // namespace llm
} // namespace ns3

#endif // LLM_PRE_TOKENIZER_H
