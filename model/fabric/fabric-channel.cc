/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-channel.h"

#include "fabric-port.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricChannel);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FabricChannel")
                            .SetParent<Channel>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<FabricChannel>()
                            .AddAttribute("Delay",
                                          "Propagation delay of the link.",
                                          TimeValue(MicroSeconds(1)),
                                          MakeTimeAccessor(&FabricChannel::m_delay),
                                          MakeTimeChecker(TimeStep(0)));
    return tid;
}

FabricChannel::FabricChannel() = default;

FabricChannel::~FabricChannel() = default;

void
FabricChannel::Connect(Ptr<FabricPort> a, Ptr<FabricPort> b)
{
    m_ports[0] = PeekPointer(a);
    m_ports[1] = PeekPointer(b);
    a->SetPeer(m_ports[1], m_delay.GetTimeStep());
    b->SetPeer(m_ports[0], m_delay.GetTimeStep());
}

Time
FabricChannel::GetDelay() const
{
    return m_delay;
}

std::size_t
FabricChannel::GetNDevices() const
{
    return m_ports[0] ? 2 : 0;
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_ports.at(i);
}

} // namespace llm
} // namespace ns3
