/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "random-spray-load-balancer.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RandomSprayLoadBalancer);

TypeId
RandomSprayLoadBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RandomSprayLoadBalancer")
                            .SetParent<PacketLoadBalancer>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RandomSprayLoadBalancer>();
    return tid;
}

void
RandomSprayLoadBalancer::Configure(const FabricSwitchIdentity& identity)
{
    PacketLoadBalancer::Configure(identity);
    m_dice.Configure(identity.randomKey, identity.index);
}

uint32_t
RandomSprayLoadBalancer::SelectForPacket(const Frame&, FabricCandidates ports, int64_t)
{
    return m_dice.Roll(ports.GetCount());
}

} // namespace llm
} // namespace ns3
