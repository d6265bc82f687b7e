/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GOAL_LEXER_H
#define LLM_GOAL_LEXER_H

#include <cstdint>
#include <fstream>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Cuts a GOAL text into words and the marks ':', '{', '}'. Comments are left out, but for those
 * that begin with "//@": the annotations by which this module's own files say what GOAL has no
 * words for. Others take them for comments.
 */
class GoalLexer
{
  public:
    /** What a token is. */
    enum class Kind : uint8_t
    {
        WORD,       //!< name or number
        MARK,       //!< one of : { }
        ANNOTATION, //!< what stands behind "//@"
        END         //!< of the file
    };

    /** A token. */
    struct Token
    {
        Kind kind{Kind::END}; //!< what it is
        std::string text;     //!< as it stands there
        uint64_t line{1};     //!< where it begins
    };

    /** @param fileName file. @throw ConfigError if it cannot be read. */
    explicit GoalLexer(const std::string& fileName);

    /** @return the next token, which Take will give. */
    const Token& Peek() const;
    /** @return the next token. @throw ConfigError. */
    Token Take();

    /** Say what is wrong. @param line where. @param message what. */
    [[noreturn]] void Fail(uint64_t line, const std::string& message) const;

  private:
    /** Read one token into m_next. */
    void Read();
    /** Skip blanks and comments. @return true if an annotation is at hand. */
    bool SkipBlanks();
    /** @return the next character, -1 at the end; line ends are counted. */
    int Get();
    /** @return the next character without taking it, -1 at the end. */
    int Look();

    std::string m_fileName; //!< for errors
    std::ifstream m_file;   //!< the text
    uint64_t m_line{1};     //!< present line
    Token m_next;           //!< what Peek shows
};

} // namespace llm
} // namespace ns3

#endif // LLM_GOAL_LEXER_H
