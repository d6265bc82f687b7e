/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dragonfly-topology.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace llm
{

DragonflyTopology::DragonflyTopology(const Shape& shape,
                                     const FabricLink& local,
                                     const FabricLink& global)
    : m_shape(shape),
      m_local(local),
      m_global(global)
{
    const uint64_t links = uint64_t{shape.routersPerGroup} * shape.globalLinks;
    if (shape.routersPerGroup == 0 || shape.hostsPerRouter == 0 || shape.globalLinks == 0)
    {
        throw ConfigError("dragonfly",
                          "",
                          "needs at least 1 router per group, 1 host and 1 global link per router, "
                          "got " +
                              std::to_string(shape.routersPerGroup) + ", " +
                              std::to_string(shape.hostsPerRouter) + " and " +
                              std::to_string(shape.globalLinks));
    }
    if (uint64_t{shape.routersPerGroup} + shape.hostsPerRouter + shape.globalLinks > 65536 ||
        links > 1000000)
    {
        throw ConfigError("dragonfly",
                          "",
                          "a switch has at most 65535 ports, a group at most 1000000 global links");
    }
    if (shape.groups == 0)
    {
        m_shape.groups = static_cast<uint32_t>(links + 1);
    }
    if (m_shape.groups < 2 || m_shape.groups > links + 1 || links % (m_shape.groups - 1) != 0)
    {
        throw ConfigError("dragonfly",
                          "groups",
                          "the " + std::to_string(links) + " global links of a group must be a " +
                              "multiple of its " + std::to_string(m_shape.groups - 1) +
                              " neighbours; at most " + std::to_string(links + 1) +
                              " groups are possible");
    }
}

std::string
DragonflyTopology::Describe() const
{
    return "dragonfly: " + std::to_string(m_shape.groups) + " groups of " +
           std::to_string(m_shape.routersPerGroup) + " routers of " +
           std::to_string(m_shape.hostsPerRouter) + " hosts at " +
           FormatBitRate(GetHostLink().rate.GetBitRate()) + ", " +
           std::to_string(m_shape.globalLinks) + " global links of each router at " +
           FormatBitRate(m_global.rate.GetBitRate()) + ", local links at " +
           FormatBitRate(m_local.rate.GetBitRate());
}

uint32_t
DragonflyTopology::GetEndpointCount() const
{
    return static_cast<uint32_t>(GetRouterCount() * m_shape.hostsPerRouter);
}

uint64_t
DragonflyTopology::GetRouterCount() const
{
    return uint64_t{m_shape.groups} * m_shape.routersPerGroup;
}

std::vector<FabricTopology::Place>
DragonflyTopology::PlaceSwitches() const
{
    // Groups on a circle, the routers of each on a small one. Nothing is decided by these figures.
    constexpr double turn = 6.283185307179586;
    const double small = std::max(46.0, 13.0 * m_shape.routersPerGroup);
    const double large = std::max(190.0, (small + 34) * m_shape.groups / 2.8);
    std::vector<Place> places;
    for (uint32_t group = 0; group < m_shape.groups; ++group)
    {
        const double angle = turn * group / m_shape.groups;
        for (uint32_t i = 0; i < m_shape.routersPerGroup; ++i)
        {
            const double own = angle + turn * i / m_shape.routersPerGroup;
            places.push_back({large * std::sin(angle) + small * std::sin(own),
                              -large * std::cos(angle) - small * std::cos(own)});
        }
    }
    return places;
}

void
DragonflyTopology::Wire(FabricNetwork& network) const
{
    const uint32_t a = m_shape.routersPerGroup;
    std::vector<Ptr<Node>> routers;
    for (uint32_t group = 0; group < m_shape.groups; ++group)
    {
        for (uint32_t i = 0; i < a; ++i)
        {
            routers.push_back(
                AddSwitch(network, "router-" + std::to_string(group) + "-" + std::to_string(i)));
            for (uint32_t j = 0; j < i; ++j)
            {
                Connect(network, routers[std::size_t{group} * a + j], routers.back(), m_local);
            }
            for (uint32_t host = 0; host < m_shape.hostsPerRouter; ++host)
            {
                AddEndpoint(network, routers.back());
            }
        }
    }
    // Global link k of a group, at router k / h, leads to the (k mod (g-1))-th of the other groups.
    const uint32_t neighbours = m_shape.groups - 1;
    const uint32_t copies = a * m_shape.globalLinks / neighbours;
    const auto router = [&](uint32_t group, uint32_t other, uint32_t copy) {
        const uint32_t k = copy * neighbours + (other < group ? other : other - 1);
        return routers[std::size_t{group} * a + k / m_shape.globalLinks];
    };
    for (uint32_t group = 0; group < m_shape.groups; ++group)
    {
        for (uint32_t other = 0; other < group; ++other)
        {
            for (uint32_t copy = 0; copy < copies; ++copy)
            {
                Connect(network, router(other, group, copy), router(group, other, copy), m_global);
            }
        }
    }
}

} // namespace llm
} // namespace ns3
