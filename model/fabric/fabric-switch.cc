/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-switch.h"

#include "ecmp-load-balancer.h"
#include "fabric-ecn-marker.h"
#include "fabric-port.h"
#include "llm-fabric.h"

#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmFabricSwitch");
NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

namespace
{
constexpr uint16_t NO_PORT = 0xffff;      //!< not attached here
constexpr uint32_t ATTACHED = UINT32_MAX; //!< route of a group that is attached here
} // namespace

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricSwitch")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FabricSwitch>()
            .AddAttribute("Buffer",
                          "Shared packet memory; a FabricSharedBuffer with defaults if not set.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_bufferPtr),
                          MakePointerChecker<FabricSharedBuffer>())
            .AddAttribute("LoadBalancer",
                          "Choice among equal-cost ports; an EcmpLoadBalancer if not set.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_balancerPtr),
                          MakePointerChecker<FabricLoadBalancer>())
            .AddAttribute("EcnMarker",
                          "Prototype of the marker that every egress port gets a copy of; none: "
                          "nothing is marked.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_markerPrototype),
                          MakePointerChecker<FabricEcnMarker>())
            .AddAttribute("Headroom",
                          "Headroom of each lossless (port, class), bytes. 0: computed from the "
                          "link's speed and delay and the longest frame.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricSwitch::m_headroom),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PauseResponse",
                          "Time that a peer takes from receiving XOFF to obeying it; enters the "
                          "computed headroom.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&FabricSwitch::m_pauseResponse),
                          MakeTimeChecker(TimeStep(0)));
    return tid;
}

FabricSwitch::FabricSwitch() = default;

FabricSwitch::~FabricSwitch() = default;

void
FabricSwitch::DoDispose()
{
    m_bufferPtr = nullptr;
    m_balancerPtr = nullptr;
    m_markerPrototype = nullptr;
    m_ports.clear();
    Object::DoDispose();
}

void
FabricSwitch::Attach(Fabric* fabric, uint32_t index)
{
    m_fabric = fabric;
    m_pool = &fabric->GetFramePool();
    m_index = index;
}

uint32_t
FabricSwitch::AddPort(FabricPort* port)
{
    m_ports.push_back(port);
    return static_cast<uint32_t>(m_ports.size() - 1);
}

void
FabricSwitch::Configure()
{
    if (!m_bufferPtr)
    {
        m_bufferPtr = CreateObject<FabricSharedBuffer>();
    }
    m_buffer = PeekPointer(m_bufferPtr);
    if (!m_balancerPtr)
    {
        m_balancerPtr = CreateObject<EcmpLoadBalancer>();
    }
    m_balancer = PeekPointer(m_balancerPtr);
    FabricSwitchIdentity identity;
    identity.index = m_index;
    identity.tier = m_fabric->GetTier(m_index);
    identity.ports = static_cast<uint32_t>(m_ports.size());
    identity.randomKey = m_fabric->GetRandomKey();
    m_balancer->Configure(identity);
    // The frame that decides for XOFF may be in headroom already: the threshold can have fallen
    // below what is stored since the frame before. Then there still arrive: the peer's frame in
    // flight, all that is on the cable both ways, and what the peer sends while this port finishes
    // a frame, the pause frames that wait before (an XON and an XOFF of each class) and the XOFF
    // itself, and while it responds (IEEE 802.1Qbb Annex O, with the longest frame of the link).
    const auto classes = static_cast<uint64_t>(__builtin_popcount(m_buffer->GetLosslessClasses()));
    const uint64_t pauseFrames = 2 * classes * (wire::PFC_FRAME + wire::PREAMBLE_IFG);
    std::vector<uint64_t> headroom;
    for (const FabricPort* port : m_ports)
    {
        FabricLinkClock clock;
        clock.SetRate(port->GetBitRate(), Seconds(1).GetTimeStep());
        const int64_t flight = 2 * port->GetDelay() + m_pauseResponse.GetTimeStep();
        const uint64_t onCable = clock.GetBytes(flight);
        headroom.push_back(m_headroom
                               ? m_headroom
                               : onCable + uint64_t{3} * m_fabric->GetMaxWireBytes() + pauseFrames);
    }
    m_buffer->Configure(headroom, GetLabel());
    for (FabricPort* port : m_ports)
    {
        port->SetEcnMarker(m_markerPrototype ? m_markerPrototype->Copy() : nullptr);
    }
}

void
FabricSwitch::ClearRoutes(uint32_t groups)
{
    m_routes.assign(groups, PortSet());
    m_nextHops.clear();
    m_local.clear();
    m_localGroup = UINT32_MAX;
    m_groupOf = m_fabric->GetGroups();
}

void
FabricSwitch::SetRoute(uint32_t group, const std::vector<uint16_t>& ports)
{
    // Most groups of a Clos share one set of uplinks: keep each set once.
    const auto count = static_cast<uint32_t>(ports.size());
    const auto found =
        std::search(m_nextHops.begin(), m_nextHops.end(), ports.begin(), ports.end());
    m_routes[group].first = static_cast<uint32_t>(found - m_nextHops.begin());
    m_routes[group].count = count;
    if (found == m_nextHops.end())
    {
        m_nextHops.insert(m_nextHops.end(), ports.begin(), ports.end());
    }
}

void
FabricSwitch::SetLocal(uint32_t endpoint, uint16_t port)
{
    if (m_local.empty())
    {
        m_firstLocal = endpoint;
    }
    if (endpoint < m_firstLocal)
    {
        m_local.insert(m_local.begin(), m_firstLocal - endpoint, NO_PORT);
        m_firstLocal = endpoint;
    }
    if (endpoint - m_firstLocal >= m_local.size())
    {
        m_local.resize(endpoint - m_firstLocal + 1, NO_PORT);
    }
    m_local[endpoint - m_firstLocal] = port;
}

void
FabricSwitch::AddLocalGroup(uint32_t group)
{
    // Most switches have one such group: it needs no look at the routes.
    if (m_localGroup == UINT32_MAX)
    {
        m_localGroup = group;
    }
    if (group != m_localGroup)
    {
        m_routes[group].first = ATTACHED;
    }
}

void
FabricSwitch::Receive(Frame* frame, FabricPort* port, int64_t now)
{
    const uint32_t group = m_groupOf[frame->destination];
    const uint32_t ingress = port->GetPortIndex();
    frame->ingress = static_cast<uint16_t>(ingress);
    uint16_t egress;
    if (group == m_localGroup)
    {
        egress = m_local[frame->destination - m_firstLocal];
    }
    else
    {
        const PortSet set = m_routes[group];
        if (set.count > 1)
        {
            const FabricCandidates candidates(this, group, set.count);
            egress = m_nextHops[set.first + m_balancer->Select(*frame, candidates, now)];
        }
        else if (set.count == 1)
        {
            egress = m_nextHops[set.first];
        }
        else if (set.first == ATTACHED)
        {
            egress = m_local[frame->destination - m_firstLocal];
        }
        else
        {
            port->Drop(frame, DropReason::NO_ROUTE);
            return;
        }
    }
    if (frame->ttl <= 1)
    {
        port->Drop(frame, DropReason::TTL);
        return;
    }
    --frame->ttl;
    const uint8_t trafficClass = frame->trafficClass;
    const auto verdict = m_buffer->Admit(ingress, egress, trafficClass, frame->bytes);
    if (verdict != FabricSharedBuffer::Verdict::ACCEPT)
    {
        port->Drop(frame,
                   verdict == FabricSharedBuffer::Verdict::DROP_BUFFER ? DropReason::BUFFER
                                                                       : DropReason::HEADROOM);
        return;
    }
    m_ports[egress]->Forward(frame, now);
    if (m_buffer->BeginPause(ingress, trafficClass))
    {
        port->PausePeer(trafficClass, now);
    }
}

void
FabricSwitch::Departing(const Frame& frame, uint32_t egress, int64_t now)
{
    const uint8_t trafficClass = frame.trafficClass;
    m_buffer->Release(frame.ingress, egress, trafficClass, frame.bytes);
    if (m_buffer->EndPause(frame.ingress, trafficClass))
    {
        m_ports[frame.ingress]->ResumePeer(trafficClass, now);
    }
}

std::string
FabricSwitch::GetLabel() const
{
    const Ptr<Node> node = GetObject<Node>();
    const std::string name = node ? Names::FindName(node) : "";
    return name.empty() ? "switch " + std::to_string(m_index) : name;
}

std::vector<uint16_t>
FabricSwitch::GetRoute(uint32_t endpoint) const
{
    const uint32_t group = m_groupOf[endpoint];
    const PortSet set = m_routes[group];
    if (group == m_localGroup || set.first == ATTACHED)
    {
        return {m_local[endpoint - m_firstLocal]};
    }
    const auto first = m_nextHops.begin() + set.first;
    return {first, first + set.count};
}

bool
FabricSwitch::HasRoute(uint32_t endpoint) const
{
    const uint32_t group = m_groupOf[endpoint];
    return group == m_localGroup || m_routes[group].first == ATTACHED || m_routes[group].count > 0;
}

std::optional<uint16_t>
FabricSwitch::PredictRoute(const Frame& frame) const
{
    const uint32_t group = m_groupOf[frame.destination];
    if (group == m_localGroup || m_routes[group].first == ATTACHED)
    {
        return m_local[frame.destination - m_firstLocal];
    }
    const uint32_t count = m_routes[group].count;
    if (count == 0)
    {
        return std::nullopt;
    }
    const std::optional<uint32_t> place =
        count == 1 ? 0 : m_balancer->Predict(frame, FabricCandidates(this, group, count));
    return place ? std::optional<uint16_t>(GetNextHop(group, *place)) : std::nullopt;
}

} // namespace llm
} // namespace ns3
