/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-load-balancer.h"

#include "fabric-port.h"
#include "fabric-switch.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricLoadBalancer);

uint16_t
FabricCandidates::GetPortIndex(uint32_t place) const
{
    return m_switch->GetNextHop(m_group, place);
}

uint64_t
FabricCandidates::GetBitRate(uint32_t place) const
{
    return m_switch->GetPorts()[GetPortIndex(place)]->GetBitRate();
}

int64_t
FabricCandidates::GetBusyUntil(uint32_t place) const
{
    return m_switch->GetPorts()[GetPortIndex(place)]->GetBusyUntil();
}

uint64_t
FabricCandidates::GetQueueBytes(uint32_t place, uint8_t trafficClass) const
{
    return m_switch->GetPorts()[GetPortIndex(place)]->GetQueueBytes(trafficClass);
}

uint8_t
FabricCandidates::GetPausedClasses(uint32_t place) const
{
    return m_switch->GetPorts()[GetPortIndex(place)]->GetPausedClasses();
}

int64_t
FabricCandidates::GetWaitTicks(uint32_t place, uint8_t trafficClass, int64_t now) const
{
    const FabricPort& port = *m_switch->GetPorts()[GetPortIndex(place)];
    if (!port.IsLinkUp())
    {
        return INT64_MAX / 2; // a switch sees its own links at once, whatever routes say
    }
    return std::max<int64_t>(port.GetBusyUntil() - now, 0) + port.GetQueueTicks(trafficClass);
}

TypeId
FabricLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricLoadBalancer").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

std::optional<uint32_t>
FabricLoadBalancer::Predict(const Frame&, FabricCandidates) const
{
    return std::nullopt;
}

bool
FabricLoadBalancer::KeepsOrder() const
{
    return true;
}

std::vector<std::pair<std::string, uint64_t>>
FabricLoadBalancer::GetCounters() const
{
    return {};
}

} // namespace llm
} // namespace ns3
