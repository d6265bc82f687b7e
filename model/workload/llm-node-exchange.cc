/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-node-exchange.h"

#include <numeric>
#include <utility>

namespace ns3
{
namespace llm
{

NodeExchange::NodeExchange(NodeHop hop,
                           std::vector<uint64_t> bytes,
                           uint32_t ranksPerNode,
                           bool reverse)
    : m_hop(hop),
      m_bytes(std::move(bytes)),
      m_ranksPerNode(ranksPerNode),
      m_nodes(static_cast<uint32_t>(hop == NodeHop::BETWEEN ? m_bytes.size()
                                                            : m_bytes.size() / ranksPerNode)),
      m_reverse(reverse)
{
}

uint32_t
NodeExchange::GetGroupSize() const
{
    return m_nodes * m_ranksPerNode;
}

uint64_t
NodeExchange::Get(uint32_t from, uint32_t to) const
{
    const uint32_t getter = m_reverse ? from : to;
    const uint32_t node = getter / m_ranksPerNode;
    const bool sameNode = from / m_ranksPerNode == to / m_ranksPerNode;
    if (m_hop == NodeHop::BETWEEN)
    {
        const bool samePlace = from % m_ranksPerNode == to % m_ranksPerNode;
        return samePlace && !sameNode ? m_bytes[node] : 0;
    }
    return sameNode && from != to ? m_nodes * m_bytes[getter] : 0;
}

uint64_t
NodeExchange::GetGiven(uint32_t giver) const
{
    const uint32_t node = giver / m_ranksPerNode;
    if (m_hop == NodeHop::BETWEEN)
    {
        return std::accumulate(m_bytes.begin(), m_bytes.end(), static_cast<uint64_t>(0)) -
               m_bytes[node];
    }
    const auto first = m_bytes.begin() + static_cast<std::ptrdiff_t>(node) * m_ranksPerNode;
    const uint64_t all = std::accumulate(first, first + m_ranksPerNode, static_cast<uint64_t>(0));
    return m_nodes * (all - m_bytes[giver]);
}

uint64_t
NodeExchange::GetGotten(uint32_t getter) const
{
    return m_hop == NodeHop::BETWEEN ? (m_nodes - 1) * m_bytes[getter / m_ranksPerNode]
                                     : (m_ranksPerNode - 1) * (m_nodes * m_bytes[getter]);
}

uint64_t
NodeExchange::GetSent(uint32_t from) const
{
    return m_reverse ? GetGotten(from) : GetGiven(from);
}

uint64_t
NodeExchange::GetReceived(uint32_t to) const
{
    return m_reverse ? GetGiven(to) : GetGotten(to);
}

} // namespace llm
} // namespace ns3
