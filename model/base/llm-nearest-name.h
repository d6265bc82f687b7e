/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NEAREST_NAME_H
#define LLM_NEAREST_NAME_H

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What somebody meant who mistyped a name.
 *
 * @param word what was written.
 * @param known names that exist.
 * @return the known name of least edit distance (Levenshtein: insertions, deletions and
 *         replacements cost 1 each); the first of equals; empty if none is known.
 */
std::string NearestName(const std::string& word, const std::vector<std::string>& known);

} // namespace llm
} // namespace ns3

#endif // LLM_NEAREST_NAME_H
