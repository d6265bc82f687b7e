/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TOKENIZER_FILE_H
#define LLM_TOKENIZER_FILE_H

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @file
 * @ingroup llm-training
 *
 * What the readers of tokenizer files share.
 */

/** Ids from here on are refused: ten times the largest vocabulary, and soon out of memory. */
constexpr uint64_t TOKEN_ID_LIMIT = uint64_t{1} << 22;

/**
 * @param fileName a file.
 * @param kind what it should be, for the error, e.g. "a text".
 * @return its bytes, at least one.
 * @throw ConfigError if it cannot be read or is empty.
 */
std::string ReadWholeFile(const std::string& fileName, const std::string& kind);

/**
 * @param text of a file.
 * @return its lines, without line ends (LF or CRLF) and without empty lines at the end.
 */
std::vector<std::string_view> SplitLines(std::string_view text);

/**
 * @param text JSON.
 * @param source name of the file, for the error.
 * @return the value.
 * @throw ConfigError if it is no JSON.
 */
nlohmann::json ParseJsonFile(const std::string& text, const std::string& source);

/**
 * @param value of a token's id.
 * @param source, path where it stands, for the error.
 * @return the id.
 * @throw ConfigError if it is no integer from 0 to TOKEN_ID_LIMIT - 1.
 */
uint32_t ReadTokenId(const nlohmann::json& value,
                     const std::string& source,
                     const std::string& path);

/**
 * @param bytes any.
 * @return the same for an error message: printable, short, on one line.
 */
std::string QuoteBytes(std::string_view bytes);

} // namespace llm
} // namespace ns3

#endif // LLM_TOKENIZER_FILE_H
