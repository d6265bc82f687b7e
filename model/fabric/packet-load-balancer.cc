/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-load-balancer.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(PacketLoadBalancer);

TypeId
PacketLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::PacketLoadBalancer")
            .SetParent<HashedLoadBalancer>()
            .SetGroupName("LlmTraining")
            .AddAttribute("Classes",
                          "Bits of the traffic classes whose RDMA frames are spread packet by "
                          "packet; frames of other classes follow the hash.",
                          UintegerValue(0xff),
                          MakeUintegerAccessor(&PacketLoadBalancer::m_classes),
                          MakeUintegerChecker<uint8_t>());
    return tid;
}

PacketLoadBalancer::PacketLoadBalancer()
    : m_classes(0xff)
{
}

PacketLoadBalancer::~PacketLoadBalancer() = default;

uint32_t
PacketLoadBalancer::Select(const Frame& frame, FabricCandidates ports, int64_t now)
{
    return IsSpread(frame) ? SelectForPacket(frame, ports, now)
                           : ChooseByHash(frame, ports.GetCount());
}

std::optional<uint32_t>
PacketLoadBalancer::Predict(const Frame& frame, FabricCandidates ports) const
{
    return IsSpread(frame) ? std::nullopt
                           : std::optional<uint32_t>(ChooseByHash(frame, ports.GetCount()));
}

bool
PacketLoadBalancer::KeepsOrder() const
{
    return m_classes == 0;
}

} // namespace llm
} // namespace ns3
