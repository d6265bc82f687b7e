/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-fabric.h"

#include "ns3/assert.h"
#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

// Routes of a Fabric: shortest paths per group of endpoints, over links that are up.

namespace
{

constexpr uint16_t UNREACHABLE = 0xffff;   //!< distance to nowhere
constexpr uint32_t NO_SWITCH = UINT32_MAX; //!< an endpoint, or a link that is down

/** @param port any. @return true if routes may use its link. */
bool
IsUsable(const FabricPort* port)
{
    return port->IsRouted();
}

} // namespace

uint32_t
Fabric::SwitchOf(const FabricPort* port) const
{
    return m_roles.at(port->GetNode()->GetId()).index;
}

void
Fabric::SetRouteFilter(RouteFilter filter)
{
    m_routeFilter = std::move(filter);
}

void
Fabric::ComputeRoutes()
{
    FormGroups();
    std::vector<std::vector<uint32_t>> neighbour(m_switches.size());
    for (std::size_t s = 0; s < m_switches.size(); ++s)
    {
        for (const FabricPort* port : m_switches[s]->GetPorts())
        {
            const FabricPort* peer = port->GetPeer();
            neighbour[s].push_back(peer->IsSwitchPort() && IsUsable(port) ? SwitchOf(peer)
                                                                          : NO_SWITCH);
        }
    }
    m_distance.resize(m_groups.size());
    for (uint32_t group = 0; group < m_groups.size(); ++group)
    {
        RouteGroup(group, neighbour);
    }
    PinRoutes();
}

void
Fabric::FormGroups()
{
    std::vector<bool> isPinned(m_endpointPorts.size(), false);
    for (const StaticRoute& route : m_staticRoutes)
    {
        isPinned[route.endpoint] = true;
    }
    // What each endpoint is attached to: pairs of switch and its port.
    std::vector<std::vector<std::pair<uint32_t, uint16_t>>> links(m_endpointPorts.size());
    for (std::size_t i = 0; i < m_endpointPorts.size(); ++i)
    {
        for (const auto& port : m_endpointPorts[i])
        {
            const FabricPort* peer = port->GetPeer();
            if (peer->IsSwitchPort() && IsUsable(peer))
            {
                links[i].emplace_back(SwitchOf(peer), static_cast<uint16_t>(peer->GetPortIndex()));
            }
        }
        std::sort(links[i].begin(), links[i].end());
    }
    // Groups are numbered by first appearance. An endpoint that a switch cannot treat like its
    // neighbours gets a key, and so a group, that nobody shares.
    m_groups.clear();
    m_groupOf.assign(m_endpointPorts.size(), UINT32_MAX);
    std::map<std::vector<uint32_t>, uint32_t> groupOfKey;
    std::vector<bool> isShared;
    for (std::size_t i = 0; i < m_endpointPorts.size(); ++i)
    {
        std::vector<uint32_t> edges;
        for (const auto& link : links[i])
        {
            edges.push_back(link.first);
        }
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        const bool shared = edges.size() == links[i].size() && !isPinned[i];
        std::vector<uint32_t> key = edges;
        if (!shared)
        {
            key.push_back(static_cast<uint32_t>(m_switches.size() + i));
        }
        const auto next = static_cast<uint32_t>(m_groups.size());
        const auto [found, isNew] = groupOfKey.emplace(std::move(key), next);
        if (isNew)
        {
            m_groups.push_back({std::move(edges), isPinned[i]});
            isShared.push_back(shared);
        }
        m_groupOf[i] = found->second;
    }
    for (const auto& fabricSwitch : m_switches)
    {
        fabricSwitch->ClearRoutes(static_cast<uint32_t>(m_groups.size()));
    }
    for (std::size_t i = 0; i < m_endpointPorts.size(); ++i)
    {
        for (auto link = links[i].begin(); link != links[i].end();)
        {
            FabricSwitch& edge = *m_switches[link->first];
            if (isShared[m_groupOf[i]])
            {
                edge.SetLocal(static_cast<uint32_t>(i), link->second);
                edge.AddLocalGroup(m_groupOf[i]);
                ++link;
                continue;
            }
            std::vector<uint16_t> ports;
            for (const uint32_t s = link->first; link != links[i].end() && link->first == s; ++link)
            {
                ports.push_back(link->second);
            }
            edge.SetRoute(m_groupOf[i], ports);
        }
    }
}

void
Fabric::RouteGroup(uint32_t group, const std::vector<std::vector<uint32_t>>& neighbour)
{
    // Breadth first, backwards from the switches that the group is attached to.
    std::vector<uint16_t>& distance = m_distance[group];
    distance.assign(m_switches.size(), UNREACHABLE);
    std::vector<uint32_t> frontier = m_groups[group].edges;
    for (const uint32_t s : frontier)
    {
        distance[s] = 0;
    }
    std::vector<uint32_t> next;
    for (uint16_t d = 1; !frontier.empty(); ++d)
    {
        next.clear();
        for (const uint32_t s : frontier)
        {
            for (const uint32_t t : neighbour[s])
            {
                if (t != NO_SWITCH && distance[t] == UNREACHABLE)
                {
                    distance[t] = d;
                    next.push_back(t);
                }
            }
        }
        frontier.swap(next);
    }
    std::vector<uint16_t> ports;
    for (uint32_t s = 0; s < m_switches.size(); ++s)
    {
        if (distance[s] == 0 || distance[s] == UNREACHABLE)
        {
            continue;
        }
        ports.clear();
        for (std::size_t p = 0; p < neighbour[s].size(); ++p)
        {
            const uint32_t t = neighbour[s][p];
            if (t != NO_SWITCH && distance[t] + 1 == distance[s])
            {
                ports.push_back(static_cast<uint16_t>(p));
            }
        }
        if (m_routeFilter)
        {
            m_routeFilter(s, ports);
        }
        m_switches[s]->SetRoute(group, ports);
    }
}

void
Fabric::PinRoutes()
{
    for (const StaticRoute& route : m_staticRoutes)
    {
        std::vector<uint16_t> ports;
        for (const FabricPort* port : m_switches[route.at]->GetPorts())
        {
            const uint32_t peer = port->GetPeer()->GetNode()->GetId();
            if (IsUsable(port) &&
                std::find(route.via.begin(), route.via.end(), peer) != route.via.end())
            {
                ports.push_back(static_cast<uint16_t>(port->GetPortIndex()));
            }
        }
        if (!ports.empty())
        {
            m_switches[route.at]->SetRoute(m_groupOf[route.endpoint], ports);
        }
    }
}

void
Fabric::CheckReachability() const
{
    for (std::size_t i = 0; i < m_endpointPorts.size(); ++i)
    {
        for (const auto& port : m_endpointPorts[i])
        {
            const bool isPair = m_endpointPorts.size() == 2 && m_switches.empty();
            if (!port->GetPeer()->IsSwitchPort() && !isPair && !m_islands)
            {
                throw ConfigError("Fabric",
                                  GetEndpointPort(static_cast<uint32_t>(i))->GetLabel(),
                                  "is linked to another endpoint and cannot reach the rest of the "
                                  "fabric; connect it to a switch, or give the two a fabric of "
                                  "their own");
            }
        }
    }
    if (m_islands)
    {
        return;
    }
    // Enough that each group is reached from one edge switch of every other: endpoints pick a port.
    for (std::size_t to = 0; to < m_groups.size(); ++to)
    {
        for (const Group& from : m_groups)
        {
            if (!from.edges.empty() &&
                std::all_of(from.edges.begin(), from.edges.end(), [&](uint32_t s) {
                    return m_distance[to][s] == UNREACHABLE;
                }))
            {
                throw ConfigError("Fabric",
                                  m_switches[from.edges.front()]->GetLabel(),
                                  "cannot reach " +
                                      m_switches[m_groups[to].edges.front()]->GetLabel() +
                                      "; connect the switches");
            }
        }
    }
}

void
Fabric::CheckStaticRoutes() const
{
    for (uint32_t endpoint = 0; endpoint < m_endpointPorts.size(); ++endpoint)
    {
        if (!m_groups[m_groupOf[endpoint]].hasStaticRoutes)
        {
            continue;
        }
        // Take away switches all of whose next hops are known to arrive; what stays is a circle.
        std::vector<bool> arrives(m_switches.size(), false);
        for (bool progress = true; progress;)
        {
            progress = false;
            for (std::size_t s = 0; s < m_switches.size(); ++s)
            {
                const auto route = m_switches[s]->GetRoute(endpoint);
                if (!arrives[s] && std::all_of(route.begin(), route.end(), [&](uint16_t p) {
                        const FabricPort* peer = m_switches[s]->GetPorts()[p]->GetPeer();
                        return peer->IsSwitchPort() ? arrives[SwitchOf(peer)]
                                                    : peer->GetEndpointIndex() == endpoint;
                    }))
                {
                    arrives[s] = true;
                    progress = true;
                }
            }
        }
        for (std::size_t s = 0; s < m_switches.size(); ++s)
        {
            if (!arrives[s])
            {
                throw ConfigError("Fabric",
                                  m_switches[s]->GetLabel(),
                                  "the static routes to " + GetEndpointPort(endpoint)->GetLabel() +
                                      " lead in a circle, or to another endpoint, from here");
            }
        }
    }
}

// -- looking

uint32_t
Fabric::GetHops(uint32_t a, uint32_t b) const
{
    const Group& group = m_groups[m_groupOf.at(b)];
    const Group& from = m_groups[m_groupOf.at(a)];
    if (group.hasStaticRoutes || from.edges.empty())
    {
        return static_cast<uint32_t>(GetPath(a, b).size());
    }
    uint16_t nearest = UNREACHABLE;
    for (const uint32_t s : from.edges)
    {
        nearest = std::min(nearest, m_distance[m_groupOf[b]][s]);
    }
    return nearest == UNREACHABLE ? static_cast<uint32_t>(GetBuiltPath(a, b).size()) : 2U + nearest;
}

std::vector<const FabricPort*>
Fabric::GetPath(uint32_t a, uint32_t b) const
{
    const std::vector<uint16_t>& distance = m_distance.at(m_groupOf.at(b));
    const FabricPort* first = nullptr;
    uint16_t nearest = UNREACHABLE;
    for (const auto& port : m_endpointPorts.at(a))
    {
        const FabricPort* peer = port->GetPeer();
        const uint16_t d = peer->IsSwitchPort()            ? distance[SwitchOf(peer)]
                           : peer->GetEndpointIndex() == b ? 0
                                                           : UNREACHABLE;
        if (d < nearest && IsUsable(peer))
        {
            nearest = d;
            first = PeekPointer(port);
        }
    }
    std::vector<const FabricPort*> path;
    for (const FabricPort* port = first; port;)
    {
        path.push_back(port);
        const FabricPort* peer = port->GetPeer();
        if (!peer->IsSwitchPort())
        {
            return path;
        }
        const FabricSwitch& fabricSwitch = *m_switches[SwitchOf(peer)];
        const auto route = fabricSwitch.GetRoute(b);
        const bool goesOn = !route.empty() && path.size() <= m_switches.size();
        port = goesOn ? fabricSwitch.GetPorts()[route.front()] : nullptr;
    }
    return GetBuiltPath(a, b);
}

std::vector<const FabricPort*>
Fabric::GetBuiltPath(uint32_t a, uint32_t b) const
{
    // Backwards from b, with each switch's port on the way to it.
    std::vector<const FabricPort*> towards(m_switches.size(), nullptr);
    std::vector<uint32_t> frontier;
    const auto reach = [&](const FabricPort* from) {
        const FabricPort* peer = from->GetPeer();
        if (peer->IsSwitchPort() && !towards[SwitchOf(peer)])
        {
            towards[SwitchOf(peer)] = peer;
            frontier.push_back(SwitchOf(peer));
        }
    };
    for (const auto& port : m_endpointPorts.at(b))
    {
        reach(PeekPointer(port));
    }
    for (std::size_t i = 0; i < frontier.size(); ++i)
    {
        for (const FabricPort* port : m_switches[frontier[i]]->GetPorts())
        {
            reach(port);
        }
    }
    std::vector<const FabricPort*> best;
    for (const auto& port : m_endpointPorts.at(a))
    {
        std::vector<const FabricPort*> path{PeekPointer(port)};
        while (path.back() && path.back()->GetPeer()->IsSwitchPort())
        {
            path.push_back(towards[SwitchOf(path.back()->GetPeer())]);
        }
        if (path.back() && (best.empty() || path.size() < best.size()))
        {
            best = path;
        }
    }
    NS_ASSERT_MSG(!best.empty(), "Build checks that all endpoints reach each other");
    return best;
}

int64_t
Fabric::GetPathTicks(uint32_t a, uint32_t b, uint32_t wireBytes) const
{
    int64_t sum = 0;
    const std::vector<const FabricPort*> path = GetPath(a, b);
    for (std::size_t i = 0; i < path.size(); ++i)
    {
        uint32_t needed = wireBytes; // before the next node can go on
        if (i + 1 < path.size())
        {
            const FabricSwitch& next = *path[i + 1]->GetSwitch();
            needed = std::min(needed,
                              next.GetEarlyBytes(path[i]->GetBitRate(), path[i + 1]->GetBitRate()));
            sum += next.GetLatency();
        }
        sum += path[i]->GetTransmitTicks(needed) + path[i]->GetDelay();
    }
    return sum;
}

uint64_t
Fabric::GetPathRate(uint32_t a, uint32_t b) const
{
    uint64_t rate = UINT64_MAX;
    for (const FabricPort* port : GetPath(a, b))
    {
        rate = std::min(rate, port->GetBitRate());
    }
    return rate;
}

uint32_t
Fabric::GetTier(uint32_t switchIndex) const
{
    uint16_t tier = UNREACHABLE;
    for (const auto& distance : m_distance)
    {
        tier = std::min(tier, distance.at(switchIndex));
    }
    return tier == UNREACHABLE ? 0 : tier;
}

std::vector<const FabricPort*>
Fabric::TracePath(uint32_t source,
                  uint32_t destination,
                  uint16_t entropy,
                  uint32_t queuePair,
                  uint8_t trafficClass,
                  uint32_t port) const
{
    Frame probe{};
    probe.kind = FrameKind::WRITE;
    probe.source = source;
    probe.destination = destination;
    probe.entropy = entropy;
    probe.queuePair = queuePair;
    probe.trafficClass = trafficClass;
    std::vector<const FabricPort*> path{PeekPointer(m_endpointPorts.at(source).at(port))};
    while (path.back()->GetPeer()->IsSwitchPort())
    {
        const FabricPort* ingress = path.back()->GetPeer();
        const FabricSwitch& here = *m_switches[SwitchOf(ingress)];
        if (!here.HasRoute(destination))
        {
            throw ConfigError("Fabric",
                              here.GetLabel(),
                              "has no route to endpoint " + std::to_string(destination));
        }
        probe.ingress = static_cast<uint16_t>(ingress->GetPortIndex());
        const std::optional<uint16_t> egress = here.PredictRoute(probe);
        if (!egress)
        {
            throw ConfigError("Fabric",
                              here.GetLabel(),
                              "the path of a flow does not follow from the flow: its load balancer "
                              "is " +
                                  here.GetLoadBalancer().GetInstanceTypeId().GetName() +
                                  "; only such as EcmpLoadBalancer and StaticLoadBalancer decide "
                                  "by flow");
        }
        path.push_back(here.GetPorts()[*egress]);
    }
    return path;
}

} // namespace llm
} // namespace ns3
