/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "round-robin-load-balancer.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RoundRobinLoadBalancer);

TypeId
RoundRobinLoadBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RoundRobinLoadBalancer")
                            .SetParent<PacketLoadBalancer>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RoundRobinLoadBalancer>();
    return tid;
}

void
RoundRobinLoadBalancer::Configure(const FabricSwitchIdentity& identity)
{
    PacketLoadBalancer::Configure(identity);
    m_key = MixBits(identity.randomKey ^ MixBits(uint64_t{identity.index} + 1));
    m_turns.clear();
}

void
RoundRobinLoadBalancer::AddTurns(std::size_t turn)
{
    for (std::size_t i = m_turns.size(); i <= turn; ++i)
    {
        m_turns.push_back(static_cast<uint32_t>(MixBits(m_key + i) >> 48));
    }
}

uint32_t
RoundRobinLoadBalancer::SelectForPacket(const Frame& frame, FabricCandidates ports, int64_t)
{
    const std::size_t turn =
        2 * std::size_t{ports.GetGroup()} + (frame.kind <= FrameKind::READ_RESPONSE ? 1 : 0);
    if (turn >= m_turns.size())
    {
        AddTurns(turn);
    }
    return m_turns[turn]++ % ports.GetCount();
}

} // namespace llm
} // namespace ns3
