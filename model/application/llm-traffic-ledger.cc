/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-traffic-ledger.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ns3
{
namespace llm
{

TrafficLedger::TrafficLedger(uint32_t worldSize)
    : m_senders(worldSize)
{
}

void
TrafficLedger::Add(uint32_t from, uint32_t to, ParallelDimension dimension, uint64_t bytes)
{
    m_bytes[static_cast<std::size_t>(dimension)] += bytes;
    PairTraffic& entry = Find(from, to, dimension);
    entry.bytes += bytes;
    ++entry.messages;
}

PairTraffic&
TrafficLedger::Find(uint32_t from, uint32_t to, ParallelDimension dimension)
{
    // Senders go round: the entry used last, or the one behind it, is nearly always the right one.
    Sender& sender = m_senders[from];
    const auto size = static_cast<uint32_t>(sender.entries.size());
    for (uint32_t i = sender.last; i < size && i < sender.last + 2; ++i)
    {
        if (sender.entries[i].to == to && sender.entries[i].dimension == dimension)
        {
            sender.last = i;
            return sender.entries[i];
        }
    }
    const uint64_t key = (static_cast<uint64_t>(to) << 8) | static_cast<uint64_t>(dimension);
    const auto [it, isNew] = sender.index.try_emplace(key, size);
    if (isNew)
    {
        sender.entries.push_back({from, to, dimension, 0, 0});
    }
    sender.last = it->second;
    return sender.entries[it->second];
}

uint64_t
TrafficLedger::GetTotalBytes() const
{
    return std::accumulate(m_bytes.begin(), m_bytes.end(), uint64_t{0});
}

uint64_t
TrafficLedger::GetMessages() const
{
    uint64_t messages = 0;
    for (const Sender& sender : m_senders)
    {
        for (const PairTraffic& entry : sender.entries)
        {
            messages += entry.messages;
        }
    }
    return messages;
}

std::vector<PairTraffic>
TrafficLedger::GetPairs() const
{
    std::vector<PairTraffic> pairs;
    for (const Sender& sender : m_senders)
    {
        pairs.insert(pairs.end(), sender.entries.begin(), sender.entries.end());
    }
    std::sort(pairs.begin(), pairs.end(), [](const PairTraffic& a, const PairTraffic& b) {
        return std::tie(a.from, a.to, a.dimension) < std::tie(b.from, b.to, b.dimension);
    });
    return pairs;
}

} // namespace llm
} // namespace ns3
