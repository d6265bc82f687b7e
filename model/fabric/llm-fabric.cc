/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-fabric.h"

#include "fabric-deadlock-check.h"
#include "fabric-ecn-marker.h"
#include "fabric-loss-model.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/ipv4.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmFabric");
NS_OBJECT_ENSURE_REGISTERED(Fabric);

namespace
{

/** @param node any. @return its name, or its number. */
std::string
LabelOf(const Ptr<Node>& node)
{
    const std::string name = Names::FindName(node);
    return name.empty() ? "node " + std::to_string(node->GetId()) : name;
}

} // namespace

TypeId
Fabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::Fabric")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<Fabric>()
            .AddAttribute("PathMtu",
                          "RDMA payload bytes per packet: 256, 512, 1024, 2048 or 4096.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&Fabric::m_pathMtu),
                          MakeUintegerChecker<uint32_t>(1, 9000))
            .AddAttribute("MaxPacket",
                          "Longest layer 3 packet of ordinary ns-3 applications that headroom is "
                          "computed for, bytes.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&Fabric::m_maxPacket),
                          MakeUintegerChecker<uint32_t>(68, 9194))
            .AddAttribute(
                "DeadlockCheck",
                "What Build does about cyclic buffer dependencies in the routes of "
                "lossless classes: Off, Warn, Error.",
                llm::MakeEnumValueCompat(CHECK_OFF),
                llm::MakeEnumAccessorCompat<DeadlockCheck>(&Fabric::m_deadlockCheck),
                MakeEnumChecker(CHECK_OFF, "Off", CHECK_WARN, "Warn", CHECK_ERROR, "Error"))
            .AddAttribute("DeadlockDetector",
                          "Looks for deadlocks while something is paused; none if not set.",
                          PointerValue(),
                          MakePointerAccessor(&Fabric::m_detector),
                          MakePointerChecker<FabricDeadlockDetector>())
            .AddAttribute("FloorNanoseconds",
                          "Cut the time that each frame takes on a link to whole nanoseconds, as "
                          "simulators on ns-3's default resolution do; before Connect.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Fabric::m_floorNanoseconds),
                          MakeBooleanChecker())
            .AddAttribute("Reconvergence",
                          "Time from a link's going down or coming up until all routes follow; "
                          "till then, what is sent over a dead link is lost. 0: at once.",
                          TimeValue(MilliSeconds(50)),
                          MakeTimeAccessor(&Fabric::m_reconvergence),
                          MakeTimeChecker(TimeStep(0)))
            .AddTraceSource("RoutesRecomputed",
                            "Routes have followed links that went down or up (number of links "
                            "that they avoid).",
                            MakeTraceSourceAccessor(&Fabric::m_routesRecomputed),
                            "ns3::llm::Fabric::RoutesTracedCallback");
    return tid;
}

Fabric::Fabric()
    : m_ownEvents(std::make_unique<FabricEventQueue>()),
      m_events(m_ownEvents.get()),
      m_pathMtu(4096),
      m_maxPacket(1500)
{
}

Fabric::~Fabric() = default;

void
Fabric::DoDispose()
{
    for (const auto& port : m_ports)
    {
        port->Dispose();
    }
    m_detector = nullptr;
    m_ports.clear();
    m_endpointPorts.clear();
    m_switches.clear();
    m_endpointNodes.clear();
    m_switchNodes.clear();
    m_channels.clear();
    Object::DoDispose();
}

// -- building

void
Fabric::ShareEventQueue(FabricEventQueue& queue)
{
    if (!m_roles.empty())
    {
        throw ConfigError("Fabric",
                          "ShareEventQueue",
                          "comes after the first node, whose events are elsewhere already; call it "
                          "first");
    }
    m_events = &queue;
    m_ownEvents = nullptr;
}

void
Fabric::AllowIslands()
{
    m_islands = true;
}

bool
Fabric::IsFlooring() const
{
    return m_floorNanoseconds;
}

uint32_t
Fabric::AddEndpoint(Ptr<Node> node)
{
    const auto index = static_cast<uint32_t>(m_endpointNodes.size());
    if (!m_roles.emplace(node->GetId(), Role{false, index}).second)
    {
        throw ConfigError("Fabric", LabelOf(node), "is in this fabric already; add it once");
    }
    m_endpointNodes.push_back(node);
    m_endpointPorts.emplace_back();
    return index;
}

Ptr<FabricSwitch>
Fabric::AddSwitch(Ptr<Node> node)
{
    const auto index = static_cast<uint32_t>(m_switches.size());
    if (!m_roles.emplace(node->GetId(), Role{true, index}).second)
    {
        throw ConfigError("Fabric", LabelOf(node), "is in this fabric already; add it once");
    }
    Ptr<FabricSwitch> fabricSwitch = node->GetObject<FabricSwitch>();
    if (!fabricSwitch)
    {
        fabricSwitch = CreateObject<FabricSwitch>();
        node->AggregateObject(fabricSwitch);
    }
    fabricSwitch->Attach(this, index);
    m_switches.push_back(fabricSwitch);
    m_switchNodes.push_back(node);
    return fabricSwitch;
}

void
Fabric::AddStaticRoute(Ptr<Node> at, Ptr<Node> destination, const std::vector<Ptr<Node>>& via)
{
    if (m_built)
    {
        throw ConfigError("Fabric", LabelOf(at), "gets a static route after Build; add it before");
    }
    const Role role = GetRole(at);
    if (!role.isSwitch)
    {
        throw ConfigError("Fabric", LabelOf(at), "is an endpoint; static routes are of switches");
    }
    StaticRoute route{role.index, GetEndpoint(destination), {}};
    for (const auto& next : via)
    {
        const auto& ports = m_switches[role.index]->GetPorts();
        if (std::none_of(ports.begin(), ports.end(), [&](const FabricPort* port) {
                return port->GetPeer()->GetNode() == next;
            }))
        {
            throw ConfigError("Fabric",
                              LabelOf(at),
                              "has no link to " + LabelOf(next) + ", which a static route to " +
                                  LabelOf(destination) + " names");
        }
        route.via.push_back(next->GetId());
    }
    m_staticRoutes.push_back(std::move(route));
}

Fabric::Role
Fabric::GetRole(Ptr<Node> node) const
{
    const auto found = m_roles.find(node->GetId());
    if (found == m_roles.end())
    {
        throw ConfigError("Fabric",
                          LabelOf(node),
                          "is neither endpoint nor switch of this fabric; call AddEndpoint or "
                          "AddSwitch first");
    }
    return found->second;
}

Ptr<FabricPort>
Fabric::MakePort(Ptr<Node> node, Ptr<FabricChannel> channel, DataRate rate)
{
    const Role role = GetRole(node);
    Ptr<FabricPort> port = CreateObject<FabricPort>();
    node->AddDevice(port);
    if (role.isSwitch)
    {
        FabricSwitch* fabricSwitch = PeekPointer(m_switches[role.index]);
        const uint32_t index = fabricSwitch->AddPort(PeekPointer(port));
        port->Attach(this, PeekPointer(channel), rate, fabricSwitch, index, 0);
    }
    else
    {
        std::vector<Ptr<FabricPort>>& ports = m_endpointPorts[role.index];
        const auto index = static_cast<uint32_t>(ports.size());
        port->Attach(this, PeekPointer(channel), rate, nullptr, index, role.index);
        ports.push_back(port);
    }
    m_ports.push_back(port);
    return port;
}

Ptr<FabricChannel>
Fabric::Connect(Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay)
{
    if (m_built)
    {
        throw ConfigError("Fabric", LabelOf(a), "cannot be connected after Build");
    }
    if (rate.GetBitRate() == 0)
    {
        throw ConfigError("Fabric", LabelOf(a), "link rate is 0; it must be positive");
    }
    if (!delay.IsStrictlyPositive())
    {
        throw ConfigError("Fabric",
                          LabelOf(a),
                          "link delay is " + std::to_string(delay.GetTimeStep()) +
                              " ticks; it must be positive");
    }
    if (a == b)
    {
        throw ConfigError("Fabric", LabelOf(a), "cannot be connected to itself");
    }
    Ptr<FabricChannel> channel = CreateObject<FabricChannel>();
    channel->SetAttribute("Delay", TimeValue(delay));
    Ptr<FabricPort> portA = MakePort(a, channel, rate);
    Ptr<FabricPort> portB = MakePort(b, channel, rate);
    channel->Connect(portA, portB);
    m_channels.push_back(channel);
    return channel;
}

void
Fabric::Build()
{
    for (std::size_t i = 0; i < m_endpointPorts.size(); ++i)
    {
        if (m_endpointPorts[i].empty())
        {
            throw ConfigError("Fabric", LabelOf(m_endpointNodes[i]), "has no link; connect it");
        }
    }
    switch (m_pathMtu)
    {
    case 256:
    case 512:
    case 1000: // as other simulators use; not of the InfiniBand specification
    case 1024:
    case 2048:
    case 4096:
        break;
    default:
        throw ConfigError("Fabric",
                          "PathMtu",
                          std::to_string(m_pathMtu) +
                              " is not a path MTU; use 256, 512, 1024, 2048 or 4096");
    }
    ComputeRoutes();
    CheckReachability();
    CheckStaticRoutes();
    for (const auto& fabricSwitch : m_switches)
    {
        fabricSwitch->Configure();
    }
    CheckDeadlocks();
    if (m_detector)
    {
        m_detector->Watch(this);
    }
    m_built = true;
}

void
Fabric::CheckDeadlocks()
{
    const bool lossless = std::any_of(m_switches.begin(), m_switches.end(), [](const auto& one) {
        return one->GetBuffer().GetLosslessClasses() != 0;
    });
    if (m_deadlockCheck == CHECK_OFF || !lossless)
    {
        return;
    }
    m_dependencyCycle = FabricDeadlockCheck(*this).Describe();
    if (m_dependencyCycle.empty())
    {
        return;
    }
    if (m_deadlockCheck == CHECK_ERROR)
    {
        throw ConfigError("Fabric",
                          "DeadlockCheck",
                          "the routes have a cyclic buffer dependency, where PFC can deadlock: " +
                              m_dependencyCycle +
                              "; use routes that go up and then down, or no lossless class");
    }
    NS_LOG_WARN("cyclic buffer dependency, where PFC can deadlock: " << m_dependencyCycle);
}

void
Fabric::NotePause(int64_t now)
{
    if (m_detector)
    {
        m_detector->Arm(now);
    }
}

Ptr<FabricDeadlockDetector>
Fabric::GetDeadlockDetector() const
{
    return m_detector;
}

const std::string&
Fabric::GetDependencyCycle() const
{
    return m_dependencyCycle;
}

// -- looking

uint32_t
Fabric::GetEndpointCount() const
{
    return static_cast<uint32_t>(m_endpointPorts.size());
}

Ptr<FabricPort>
Fabric::GetEndpointPort(uint32_t endpoint) const
{
    return m_endpointPorts.at(endpoint).front();
}

const std::vector<Ptr<FabricPort>>&
Fabric::GetEndpointPorts(uint32_t endpoint) const
{
    return m_endpointPorts.at(endpoint);
}

uint32_t
Fabric::GetEndpoint(Ptr<Node> node) const
{
    const Role role = GetRole(node);
    if (role.isSwitch)
    {
        throw ConfigError("Fabric", LabelOf(node), "is a switch, not an endpoint");
    }
    return role.index;
}

const std::vector<Ptr<FabricSwitch>>&
Fabric::GetSwitches() const
{
    return m_switches;
}

const std::vector<Ptr<FabricPort>>&
Fabric::GetPorts() const
{
    return m_ports;
}

FabricEventQueue&
Fabric::GetEventQueue()
{
    return *m_events;
}

FramePool&
Fabric::GetFramePool()
{
    return m_pool;
}

FabricTotals
Fabric::GetTotals() const
{
    FabricTotals totals;
    for (const auto& port : m_ports)
    {
        const FabricPortCounters& from = port->GetCounters();
        FabricPortCounters& to = port->IsSwitchPort() ? totals.switches : totals.hosts;
        to.txFrames += from.txFrames;
        to.txBytes += from.txBytes;
        to.txDataFrames += from.txDataFrames;
        to.txDataBytes += from.txDataBytes;
        to.txDataPayload += from.txDataPayload;
        to.txRetransmitted += from.txRetransmitted;
        to.rxFrames += from.rxFrames;
        to.rxBytes += from.rxBytes;
        to.rxDataFrames += from.rxDataFrames;
        to.rxDataBytes += from.rxDataBytes;
        to.rxDataPayload += from.rxDataPayload;
        to.drops += from.drops;
        to.dropPayload += from.dropPayload;
        to.ecnMarks += from.ecnMarks;
        to.pfcXoffSent += from.pfcXoffSent;
        to.pfcXonSent += from.pfcXonSent;
        to.trims += from.trims;
        to.trimPayload += from.trimPayload;
        to.pfcStorms += from.pfcStorms;
        to.pfcStormsEnded += from.pfcStormsEnded;
        to.pauses += from.pauses;
        to.pausedTicks += from.pausedTicks;
        to.queuePeak = std::max(to.queuePeak, from.queuePeak);
        totals.packetHops += from.txFrames;
        totals.pausedPorts += port->GetPausedClasses() ? 1 : 0;
    }
    for (const auto& fabricSwitch : m_switches)
    {
        totals.bytesBuffered += fabricSwitch->GetBuffer().GetUsed();
    }
    totals.framesLive = m_pool.GetLive();
    return totals;
}

uint32_t
Fabric::GetPathMtu() const
{
    return m_pathMtu;
}

uint32_t
Fabric::GetMaxPacket() const
{
    return m_maxPacket;
}

uint32_t
Fabric::GetMaxWireBytes() const
{
    const uint32_t data = m_pathMtu + wire::ROCE_BASE + wire::RETH + wire::IMMDT;
    const uint32_t packet = m_maxPacket + wire::ETHERNET + wire::FCS;
    return std::max(data, packet) + wire::PREAMBLE_IFG;
}

uint64_t
Fabric::GetRandomKey() const
{
    return Philox::FromSeed(static_cast<uint64_t>(m_stream)).GetKey();
}

int64_t
Fabric::AssignStreams(int64_t stream)
{
    if (m_built)
    {
        throw ConfigError("Fabric", "AssignStreams", "must be called before Build");
    }
    m_stream = stream;
    return 1;
}

const uint32_t*
Fabric::GetGroups() const
{
    return m_groupOf.data();
}

uint8_t
Fabric::GetTrafficClass(uint8_t dscp) const
{
    return m_classOfDscp[dscp & 63];
}

void
Fabric::SetTrafficClass(uint8_t dscp, uint8_t trafficClass)
{
    m_classOfDscp[dscp & 63] = trafficClass & 7;
}

// -- addresses

Ipv4Address
Fabric::GetIpv4(uint32_t endpoint) const
{
    return m_addresses.GetIpv4(endpoint);
}

Mac48Address
Fabric::GetMac(uint32_t endpoint) const
{
    return Mac48Address::ConvertFrom(GetEndpointPort(endpoint)->GetAddress());
}

FabricAddressTable&
Fabric::GetAddresses()
{
    return m_addresses;
}

} // namespace llm
} // namespace ns3
