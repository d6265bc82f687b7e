/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_JSON_TEXT_H
#define LLM_JSON_TEXT_H

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * Read a whole file.
 * @param fileName file.
 * @param what what it is, for the error.
 * @return its content.
 * @throw ConfigError "FILE: WHAT cannot be read: REASON".
 */
std::string ReadTextFile(const std::string& fileName, const std::string& what);

/**
 * Parse JSON that a person wrote: comments are allowed; a key that stands twice in one object, a
 * number that no double holds and nesting beyond 64 levels (which would overflow the stack later)
 * are errors.
 * @param text JSON.
 * @param source name for errors.
 * @return the value, keys in the order of the text.
 * @throw ConfigError naming the line of a syntax error, or the path of a doubled key.
 */
nlohmann::ordered_json ParseJsonText(const std::string& text, const std::string& source);

} // namespace llm
} // namespace ns3

#endif // LLM_JSON_TEXT_H
