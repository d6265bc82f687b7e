/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-tokenizer-file.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{
namespace llm
{

std::string
ReadWholeFile(const std::string& fileName, const std::string& kind)
{
    std::ifstream file(fileName, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file || !text) // copying nothing, as from a folder, fails the target only
    {
        throw ConfigError(fileName, "", "cannot be read or is empty; it should be " + kind);
    }
    return text.str();
}

std::vector<std::string_view>
SplitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty())
    {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r')
        {
            line.remove_suffix(1);
        }
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    while (!lines.empty() && lines.back().empty())
    {
        lines.pop_back();
    }
    return lines;
}

nlohmann::json
ParseJsonFile(const std::string& text, const std::string& source)
{
    try
    {
        return nlohmann::json::parse(text);
    }
    catch (const nlohmann::json::parse_error& error)
    {
        // The library's text repeats its own exception id in brackets; keep what follows.
        std::string what = error.what();
        const auto bracket = what.find("] ");
        what = bracket == std::string::npos ? what : what.substr(bracket + 2);
        throw ConfigError(source, "", "not valid JSON: " + QuoteBytes(what));
    }
}

uint32_t
ReadTokenId(const nlohmann::json& value, const std::string& source, const std::string& path)
{
    if (!value.is_number_unsigned() || value.get<uint64_t>() >= TOKEN_ID_LIMIT)
    {
        throw ConfigError(source,
                          path,
                          "the id of a token is an integer from 0 to " +
                              std::to_string(TOKEN_ID_LIMIT - 1) + ", found " +
                              QuoteBytes(value.dump(-1, ' ', true)));
    }
    return value.get<uint32_t>();
}

std::string
QuoteBytes(std::string_view bytes)
{
    constexpr std::size_t longest = 200;
    constexpr char digits[] = "0123456789abcdef";
    std::string quoted;
    for (const char c : bytes.substr(0, longest))
    {
        const auto byte = static_cast<uint8_t>(c);
        if (byte < 32 || byte == 127)
        {
            quoted += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
        }
        else
        {
            quoted.push_back(c);
        }
    }
    return bytes.size() > longest ? quoted + "..." : quoted;
}

} // namespace llm
} // namespace ns3
