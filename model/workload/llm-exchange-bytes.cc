/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-exchange-bytes.h"

#include "ns3/llm-config-error.h"

#include <string>
#include <utility>

namespace ns3
{
namespace llm
{

uint64_t
ExchangeBytes::GetSent(uint32_t from) const
{
    uint64_t bytes = 0;
    for (uint32_t to = 0; to < GetGroupSize(); ++to)
    {
        bytes += Get(from, to);
    }
    return bytes;
}

uint64_t
ExchangeBytes::GetReceived(uint32_t to) const
{
    uint64_t bytes = 0;
    for (uint32_t from = 0; from < GetGroupSize(); ++from)
    {
        bytes += Get(from, to);
    }
    return bytes;
}

uint64_t
ExchangeBytes::GetMeanBytes() const
{
    uint64_t bytes = 0;
    for (uint32_t from = 0; from < GetGroupSize(); ++from)
    {
        bytes += GetSent(from);
    }
    return bytes / GetGroupSize();
}

PopularityExchange::PopularityExchange(std::vector<uint64_t> bytes, bool reverse)
    : m_bytes(std::move(bytes)),
      m_reverse(reverse)
{
    if (m_bytes.empty())
    {
        throw ConfigError("PopularityExchange", "", "a group has at least one rank");
    }
    for (const uint64_t part : m_bytes)
    {
        m_total += part;
    }
}

uint32_t
PopularityExchange::GetGroupSize() const
{
    return static_cast<uint32_t>(m_bytes.size());
}

uint64_t
PopularityExchange::Get(uint32_t from, uint32_t to) const
{
    return m_bytes.at(m_reverse ? from : to);
}

uint64_t
PopularityExchange::GetSent(uint32_t from) const
{
    return m_reverse ? m_bytes.at(from) * m_bytes.size() : m_total;
}

uint64_t
PopularityExchange::GetReceived(uint32_t to) const
{
    return m_reverse ? m_total : m_bytes.at(to) * m_bytes.size();
}

MatrixExchange::MatrixExchange(uint32_t groupSize, std::vector<uint64_t> bytes)
    : m_groupSize(groupSize),
      m_bytes(std::move(bytes))
{
    const uint64_t needed = static_cast<uint64_t>(groupSize) * groupSize;
    if (groupSize == 0 || m_bytes.size() != needed)
    {
        throw ConfigError("MatrixExchange",
                          "",
                          std::to_string(m_bytes.size()) + " numbers are not " +
                              std::to_string(needed) + ", as " + std::to_string(groupSize) +
                              " ranks need");
    }
}

uint32_t
MatrixExchange::GetGroupSize() const
{
    return m_groupSize;
}

uint64_t
MatrixExchange::Get(uint32_t from, uint32_t to) const
{
    return m_bytes.at(static_cast<std::size_t>(from) * m_groupSize + to);
}

} // namespace llm
} // namespace ns3
