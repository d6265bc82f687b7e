/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-books.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

std::string
BookEntry::Describe() const
{
    return left + " " + std::to_string(leftAmount) + " " + unit + (IsBalanced() ? " = " : " != ") +
           right + " " + std::to_string(rightAmount) + " " + unit;
}

void
Books::Compare(const std::string& left,
               uint64_t leftAmount,
               const std::string& right,
               uint64_t rightAmount,
               const std::string& unit)
{
    m_entries.push_back({left, leftAmount, right, rightAmount, unit});
}

bool
Books::AreBalanced() const
{
    return std::all_of(m_entries.begin(), m_entries.end(), [](const BookEntry& entry) {
        return entry.IsBalanced();
    });
}

void
Books::Append(const Books& other, const std::string& prefix)
{
    for (BookEntry entry : other.m_entries)
    {
        entry.left.insert(0, prefix);
        m_entries.push_back(entry);
    }
}

} // namespace llm
} // namespace ns3
