/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-goal-lexer.h"

#include "ns3/llm-config-error.h"

#include <cctype>
#include <cerrno>
#include <cstring>

namespace ns3
{
namespace llm
{

namespace
{
constexpr std::size_t LONGEST_WORD = 255; //!< of names and numbers
} // namespace

GoalLexer::GoalLexer(const std::string& fileName)
    : m_fileName(fileName),
      m_file(fileName, std::ios::binary)
{
    if (!m_file || Look() == -1)
    {
        const std::string why = m_file.is_open() ? "is empty or no file" : std::strerror(errno);
        throw ConfigError(fileName, "", "the GOAL file cannot be read: " + why);
    }
    Read();
}

const GoalLexer::Token&
GoalLexer::Peek() const
{
    return m_next;
}

GoalLexer::Token
GoalLexer::Take()
{
    Token token = m_next;
    Read();
    return token;
}

void
GoalLexer::Fail(uint64_t line, const std::string& message) const
{
    throw ConfigError(m_fileName, "line " + std::to_string(line), message);
}

int
GoalLexer::Look()
{
    const auto c = m_file.rdbuf()->sgetc();
    return c == std::char_traits<char>::eof() ? -1 : c;
}

int
GoalLexer::Get()
{
    const int c = Look();
    if (c != -1)
    {
        m_file.rdbuf()->sbumpc();
        m_line += c == '\n' ? 1 : 0;
    }
    return c;
}

bool
GoalLexer::SkipBlanks()
{
    for (;;)
    {
        const int c = Look();
        if (c != -1 && std::isspace(c))
        {
            Get();
            continue;
        }
        if (c != '/')
        {
            return false;
        }
        const uint64_t line = m_line;
        Get();
        const int second = Get();
        if (second == '/')
        {
            if (Look() == '@')
            {
                Get();
                return true;
            }
            while (Look() != -1 && Look() != '\n')
            {
                Get();
            }
        }
        else if (second == '*')
        {
            int before = 0;
            for (int now = Get(); before != '*' || now != '/'; now = Get())
            {
                if (now == -1)
                {
                    Fail(line, "this comment has no end: */ is missing");
                }
                before = now;
            }
        }
        else
        {
            Fail(line, "a lone '/'; comments begin with // or /*");
        }
    }
}

void
GoalLexer::Read()
{
    const bool annotation = SkipBlanks();
    m_next.text.clear();
    m_next.line = m_line;
    if (annotation)
    {
        m_next.kind = Kind::ANNOTATION;
        while (Look() != -1 && Look() != '\n')
        {
            m_next.text += static_cast<char>(Get());
        }
        return;
    }
    const int c = Look();
    if (c == -1)
    {
        m_next.kind = Kind::END;
        return;
    }
    if (c == ':' || c == '{' || c == '}')
    {
        m_next.kind = Kind::MARK;
        m_next.text = static_cast<char>(Get());
        return;
    }
    m_next.kind = Kind::WORD;
    while (Look() != -1 && (std::isalnum(Look()) || Look() == '_' || Look() == '-'))
    {
        m_next.text += static_cast<char>(Get());
        if (m_next.text.size() > LONGEST_WORD)
        {
            Fail(m_next.line, "a word is longer than 255 characters");
        }
    }
    if (m_next.text.empty())
    {
        const std::string shown =
            c >= 32 && c < 127 ? std::string(1, static_cast<char>(c)) : std::to_string(c);
        Fail(m_line, "'" + shown + "' is no character that GOAL has a use for");
    }
}

} // namespace llm
} // namespace ns3
