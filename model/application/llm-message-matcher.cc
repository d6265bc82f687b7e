/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-message-matcher.h"

#include "ns3/assert.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace llm
{

std::size_t
MessageMatcher::KeyHash::operator()(const Key& key) const
{
    // Fibonacci hashing of the three fields; speed only, order never depends on it
    uint64_t hash = (static_cast<uint64_t>(key.from) << 32) | key.to;
    hash *= 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
    hash = (hash ^ key.tag) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
}

MessageMatcher::MessageMatcher(MessageTransport& transport,
                               TrafficLedger& ledger,
                               MatcherListener& listener)
    : m_transport(transport),
      m_ledger(ledger),
      m_listener(listener)
{
}

bool
MessageMatcher::Agree(const Key& key, uint64_t sent, uint64_t expected)
{
    if (sent == expected)
    {
        return true;
    }
    m_listener.PointToPointFailed(
        "rank " + std::to_string(key.from) + " sends " + std::to_string(sent) + " B to rank " +
        std::to_string(key.to) + " with tag " + std::to_string(key.tag) + ", and rank " +
        std::to_string(key.to) + " expects " + std::to_string(expected) + " B");
    return false;
}

void
MessageMatcher::Send(const Message& message, uint32_t token)
{
    NS_ASSERT_MSG(message.tag < TAG_LIMIT, "this tag belongs to collectives");
    m_lanes[{message.from, message.to, message.tag}].sends.Push({token, message.bytes});
    m_ledger.Add(message.from,
                 message.to,
                 static_cast<ParallelDimension>(message.dimension),
                 message.bytes);
    m_transport.Send(message);
}

void
MessageMatcher::Receive(uint32_t from,
                        uint32_t to,
                        uint64_t tag,
                        uint64_t bytes,
                        uint32_t token,
                        int64_t now)
{
    const Key key{from, to, tag};
    const auto it = m_lanes.try_emplace(key).first;
    Lane& lane = it->second;
    if (lane.arrived.IsEmpty())
    {
        lane.receives.Push({token, bytes});
        return;
    }
    if (!Agree(key, lane.arrived.Front(), bytes))
    {
        return;
    }
    lane.arrived.Pop();
    if (lane.IsEmpty())
    {
        m_lanes.erase(it);
    }
    m_listener.PointToPointDone(to, token, now);
}

void
MessageMatcher::MessageDelivered(const Message& message, int64_t now)
{
    const Key key{message.from, message.to, message.tag};
    const auto it = m_lanes.try_emplace(key).first;
    Lane& lane = it->second;
    if (lane.receives.IsEmpty())
    {
        lane.arrived.Push(message.bytes);
        return;
    }
    const Posted receive = lane.receives.Front();
    if (!Agree(key, message.bytes, receive.bytes))
    {
        return;
    }
    lane.receives.Pop();
    if (lane.IsEmpty())
    {
        m_lanes.erase(it);
    }
    m_listener.PointToPointDone(message.to, receive.token, now);
}

void
MessageMatcher::MessageSent(const Message& message, int64_t now)
{
    const auto it = m_lanes.find({message.from, message.to, message.tag});
    NS_ASSERT_MSG(it != m_lanes.end() && !it->second.sends.IsEmpty(),
                  "acknowledgement of a message that was not sent");
    const uint32_t token = it->second.sends.Front().token;
    it->second.sends.Pop();
    if (it->second.IsEmpty())
    {
        m_lanes.erase(it);
    }
    m_listener.PointToPointDone(message.from, token, now);
}

void
MessageMatcher::DescribeUnmatched(std::vector<std::string>& lines, std::size_t most) const
{
    std::vector<Key> keys;
    for (const auto& [key, lane] : m_lanes)
    {
        if (!lane.arrived.IsEmpty())
        {
            keys.push_back(key);
        }
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
        return std::tie(a.from, a.to, a.tag) < std::tie(b.from, b.to, b.tag);
    });
    for (std::size_t i = 0; i < keys.size() && i < most; ++i)
    {
        const Lane& lane = m_lanes.at(keys[i]);
        lines.push_back("rank " + std::to_string(keys[i].from) + " sent " +
                        std::to_string(lane.arrived.Front()) + " B to rank " +
                        std::to_string(keys[i].to) + " with tag " + std::to_string(keys[i].tag) +
                        ", which rank " + std::to_string(keys[i].to) + " does not receive" +
                        (lane.arrived.Size() > 1
                             ? " (and " + std::to_string(lane.arrived.Size() - 1) + " more)"
                             : ""));
    }
}

} // namespace llm
} // namespace ns3
