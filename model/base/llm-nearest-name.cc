/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-nearest-name.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace ns3
{
namespace llm
{

namespace
{

/** @return Levenshtein's distance of two words, row by row. @param a word. @param b word. */
std::size_t
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::string
NearestName(const std::string& word, const std::vector<std::string>& known)
{
    std::string best;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const auto& candidate : known)
    {
        const std::size_t distance = EditDistance(word, candidate);
        if (distance < least)
        {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace llm
} // namespace ns3
