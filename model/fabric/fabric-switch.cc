/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-switch.h"

#include "ecmp-load-balancer.h"
#include "fabric-ecn-marker.h"
#include "fabric-pfc-watchdog.h"
#include "fabric-port.h"
#include "llm-fabric.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/node.h"
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
constexpr uint16_t NO_PORT = 0xffff;      //!< not attached here, or no way
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
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("CutThrough",
                          "Forward a frame once HeaderBytes of it have come, where the egress port "
                          "is not faster than the ingress port.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricSwitch::m_cutThrough),
                          MakeBooleanChecker())
            .AddAttribute("HeaderBytes",
                          "Bytes of a frame that cut-through needs to decide.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&FabricSwitch::m_headerBytes),
                          MakeUintegerChecker<uint32_t>(64, 9216))
            .AddAttribute("Latency",
                          "Time from a frame's last bit, or with cut-through its header, to its "
                          "place in the egress queue.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&FabricSwitch::m_latency),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("Trimming",
                          "Cut RDMA data of lossy classes to its headers instead of dropping it "
                          "when the buffer has no room.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricSwitch::m_trimming),
                          MakeBooleanChecker())
            .AddAttribute("TrimClass",
                          "Traffic class in which trimmed frames go on.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&FabricSwitch::m_trimClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("PfcWatchdog",
                          "Prototype of the watchdog that every port gets a copy of; none: pauses "
                          "may last for ever.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_watchdogPrototype),
                          MakePointerChecker<FabricPfcWatchdog>());
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
    m_watchdogPrototype = nullptr;
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
    std::vector<FabricBufferPort> ports;
    for (const FabricPort* port : m_ports)
    {
        FabricLinkClock clock;
        clock.SetRate(port->GetBitRate(), Seconds(1).GetTimeStep());
        const int64_t flight = 2 * port->GetDelay() + m_pauseResponse.GetTimeStep();
        const uint64_t onCable = clock.GetBytes(flight);
        const uint64_t needed = onCable + uint64_t{3} * m_fabric->GetMaxWireBytes() + pauseFrames;
        ports.push_back({m_headroom ? m_headroom : needed, port->GetBitRate()});
    }
    m_buffer->Configure(ports, m_fabric->GetEventQueue(), GetLabel());
    for (FabricPort* port : m_ports)
    {
        port->SetEcnMarker(m_markerPrototype ? m_markerPrototype->Copy() : nullptr);
        if (m_watchdogPrototype)
        {
            port->SetPfcWatchdog(m_watchdogPrototype->Copy());
        }
        if (m_cutThrough || m_latency.IsStrictlyPositive())
        {
            port->SetPipeline(m_cutThrough ? m_headerBytes + wire::PREAMBLE_IFG : 0);
        }
    }
}

uint32_t
FabricSwitch::GetEarlyBytes(uint64_t ingress, uint64_t egress) const
{
    return m_cutThrough && egress <= ingress ? m_headerBytes + wire::PREAMBLE_IFG : UINT32_MAX;
}

void
FabricSwitch::SetUp(bool up)
{
    m_up = up;
    std::vector<FabricPort*> changed;
    for (FabricPort* port : m_ports)
    {
        if (port->UpdateLink())
        {
            changed.push_back(port);
        }
    }
    m_fabric->LinksChanged(changed);
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

inline uint32_t
FabricSwitch::Route(Frame* frame, FabricPort* port, int64_t now)
{
    const uint32_t group = m_groupOf[frame->destination];
    frame->ingress = static_cast<uint16_t>(port->GetPortIndex());
    uint32_t egress;
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
            return NO_PORT;
        }
    }
    if (frame->ttl <= 1)
    {
        port->Drop(frame, DropReason::TTL);
        return NO_PORT;
    }
    --frame->ttl;
    return egress;
}

inline uint32_t
FabricSwitch::Accept(Frame* frame, FabricPort* port, int64_t now)
{
    const uint32_t egress = Route(frame, port, now);
    if (egress == NO_PORT)
    {
        return NO_PORT;
    }
    const auto verdict = m_buffer->Admit(frame->ingress, egress, frame->trafficClass, frame->bytes);
    if (verdict != FabricSharedBuffer::Verdict::ACCEPT)
    {
        return Refuse(frame, port, egress, verdict);
    }
    return egress;
}

uint32_t
FabricSwitch::Refuse(Frame* frame,
                     FabricPort* port,
                     uint32_t egress,
                     FabricSharedBuffer::Verdict verdict)
{
    const uint32_t payload = frame->payload;
    if (m_trimming && verdict == FabricSharedBuffer::Verdict::DROP_BUFFER && payload > 0 &&
        frame->kind <= FrameKind::READ_RESPONSE && !m_buffer->IsLossless(frame->trafficClass))
    {
        Frame trimmed = *frame;
        trimmed.payload = 0;
        trimmed.trafficClass = m_trimClass;
        const uint32_t headers = frame->bytes - ((payload + 3) & ~3U);
        trimmed.bytes = static_cast<uint16_t>(std::max(headers, wire::MIN_FRAME));
        if (m_buffer->Admit(trimmed.ingress, egress, m_trimClass, trimmed.bytes) ==
            FabricSharedBuffer::Verdict::ACCEPT)
        {
            *frame = trimmed;
            m_ports[egress]->NoteTrim(*frame, payload);
            return egress;
        }
    }
    port->Drop(frame,
               verdict == FabricSharedBuffer::Verdict::DROP_BUFFER ? DropReason::BUFFER
                                                                   : DropReason::HEADROOM);
    return NO_PORT;
}

void
FabricSwitch::Receive(Frame* frame, FabricPort* port, int64_t now)
{
    const uint32_t egress = Accept(frame, port, now);
    if (egress == NO_PORT)
    {
        return;
    }
    const uint32_t ingress = frame->ingress;
    const uint8_t trafficClass = frame->trafficClass;
    m_ports[egress]->Forward(frame, now);
    if (m_buffer->BeginPause(ingress, trafficClass))
    {
        port->PausePeer(trafficClass, now);
    }
}

void
FabricSwitch::ReceiveEarly(Frame* frame, FabricPort* port, int64_t now, int64_t last)
{
    const uint32_t egress = Accept(frame, port, now);
    if (egress == NO_PORT)
    {
        return;
    }
    const uint32_t ingress = frame->ingress;
    const uint8_t trafficClass = frame->trafficClass;
    const bool whole =
        GetEarlyBytes(port->GetPeer()->GetBitRate(), m_ports[egress]->GetBitRate()) == UINT32_MAX;
    port->Defer(frame, egress, (whole ? last : now) + m_latency.GetTimeStep());
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
    NS_ASSERT_MSG(CheckBuffer().empty(), CheckBuffer());
}

std::string
FabricSwitch::CheckBuffer() const
{
    uint64_t queued = 0;
    for (const FabricPort* port : m_ports)
    {
        queued += port->GetQueueBytes() + port->GetPipelineBytes();
    }
    const std::string wrong = m_buffer->Check(queued);
    return wrong.empty() ? "" : GetLabel() + ": " + wrong;
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
