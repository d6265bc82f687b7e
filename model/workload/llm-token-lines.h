/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TOKEN_LINES_H
#define LLM_TOKEN_LINES_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A text of tokens that are separated by white space, as simulators of the HPCC family read it with
 * operator>>: line breaks mean nothing, but every token knows its line, for errors.
 */
class TokenLines
{
  public:
    /** @param text content. @param source name for errors. */
    TokenLines(const std::string& text, const std::string& source);

    /** @return number of tokens. */
    std::size_t GetSize() const
    {
        return m_tokens.size();
    }

    /** @return number of tokens in the first line that has any. */
    std::size_t GetFirstLineSize() const;
    /** @param index below GetSize(). @return the token. */
    const std::string& Get(std::size_t index) const;
    /** @param index of a token, or GetSize(). @return "line 7". */
    std::string GetPlace(std::size_t index) const;

    /**
     * @param index of a token.
     * @param what it is, for the error.
     * @param limit largest value allowed.
     * @return it as a whole number.
     * @throw ConfigError if it is none, is above the limit, or the text ends before.
     */
    uint64_t GetNumber(std::size_t index, const std::string& what, uint64_t limit) const;
    /** @param index of a token: "100Gbps", or a number of bit/s. @return bit/s, above 0.
     *  @throw ConfigError likewise. */
    uint64_t GetBitRate(std::size_t index) const;
    /** @param index of a token: "1us", or a number of seconds. @return picoseconds; finer times are
     *  rounded down. @throw ConfigError likewise. */
    int64_t GetDurationPs(std::size_t index) const;
    /** @param index of a token. @return a number from 0 to 1. @throw ConfigError likewise. */
    double GetProbability(std::size_t index) const;
    /** @param index of a token. @param message what is wrong with it. @throw ConfigError always. */
    [[noreturn]] void Fail(std::size_t index, const std::string& message) const;

  private:
    /** @throw ConfigError if the text ends before this token. */
    void Require(std::size_t index, const std::string& what) const;

    /** A token. */
    struct Token
    {
        std::string text; //!< it
        uint32_t line;    //!< from 1
    };

    std::string m_source;        //!< for errors
    std::vector<Token> m_tokens; //!< in order
    uint32_t m_lines{1};         //!< number of the last line
};

} // namespace llm
} // namespace ns3

#endif // LLM_TOKEN_LINES_H
