/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-token-lines.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <cctype>

namespace ns3
{
namespace llm
{

namespace
{

/** @return true if the text is a number without a unit, as 12, 0.5 or 1e-6. */
bool
IsNumber(const std::string& text)
{
    const bool digits = text.find_first_not_of("0123456789.eE+-") == std::string::npos;
    return digits && text.find_first_of("0123456789") == 0;
}

/** @return the text with at most 12 digits behind the point: picoseconds, if it is in seconds. */
std::string
CutToPs(const std::string& text)
{
    const auto point = text.find('.');
    const bool plain = text.find_first_of("eE") == std::string::npos;
    return point != std::string::npos && plain ? text.substr(0, point + 13) : text;
}

} // namespace

TokenLines::TokenLines(const std::string& text, const std::string& source)
    : m_source(source)
{
    std::string token;
    const auto finish = [&] {
        if (!token.empty())
        {
            m_tokens.push_back({token, m_lines});
            token.clear();
        }
    };
    for (const char c : text)
    {
        if (std::isspace(static_cast<unsigned char>(c)))
        {
            finish();
            m_lines += c == '\n' ? 1 : 0;
        }
        else
        {
            token += c;
        }
    }
    finish();
}

std::size_t
TokenLines::GetFirstLineSize() const
{
    const auto other = std::find_if(m_tokens.begin(), m_tokens.end(), [this](const Token& token) {
        return token.line != m_tokens.front().line;
    });
    return static_cast<std::size_t>(other - m_tokens.begin());
}

const std::string&
TokenLines::Get(std::size_t index) const
{
    return m_tokens.at(index).text;
}

std::string
TokenLines::GetPlace(std::size_t index) const
{
    return "line " + std::to_string(index < m_tokens.size() ? m_tokens[index].line : m_lines);
}

void
TokenLines::Fail(std::size_t index, const std::string& message) const
{
    throw ConfigError(m_source, GetPlace(index), message);
}

void
TokenLines::Require(std::size_t index, const std::string& what) const
{
    if (index >= m_tokens.size())
    {
        Fail(index, "the file ends where " + what + " should stand");
    }
}

uint64_t
TokenLines::GetNumber(std::size_t index, const std::string& what, uint64_t limit) const
{
    Require(index, what);
    const std::string& text = Get(index);
    if (text.find_first_not_of("0123456789") != std::string::npos || text.size() > 19)
    {
        Fail(index, what + " must be a whole number, is '" + text + "'");
    }
    const uint64_t number = std::stoull(text);
    if (number > limit)
    {
        Fail(index, what + " is " + text + "; at most " + std::to_string(limit) + " is possible");
    }
    return number;
}

uint64_t
TokenLines::GetBitRate(std::size_t index) const
{
    Require(index, "a rate");
    const std::string& text = Get(index);
    const uint64_t rate =
        ParseBitRate(IsNumber(text) ? text + "bps" : text, m_source, GetPlace(index));
    if (rate == 0)
    {
        Fail(index, "the rate of a link must be above 0");
    }
    return rate;
}

int64_t
TokenLines::GetDurationPs(std::size_t index) const
{
    Require(index, "a time");
    const std::string& text = Get(index);
    return ParseDurationPs(IsNumber(text) ? CutToPs(text) + "s" : text, m_source, GetPlace(index));
}

double
TokenLines::GetProbability(std::size_t index) const
{
    Require(index, "a loss probability");
    const std::string& text = Get(index);
    std::size_t used = 0;
    double value = -1;
    if (IsNumber(text))
    {
        try
        {
            value = std::stod(text, &used);
        }
        catch (const std::logic_error&)
        {
            used = 0;
        }
    }
    if (used != text.size() || !(value >= 0 && value <= 1))
    {
        Fail(index, "a loss probability is a number from 0 to 1, not '" + text + "'");
    }
    return value;
}

} // namespace llm
} // namespace ns3
