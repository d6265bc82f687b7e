/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fat-tree-topology.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <cmath>
#include <sstream>

namespace ns3
{
namespace llm
{

FatTreeTopology::FatTreeTopology(uint32_t k, const FabricLink& uplink, double oversubscription)
    : m_k(k),
      m_uplink(uplink),
      m_hostsPerEdge(0)
{
    if (k < 2 || k > 254 || k % 2 != 0)
    {
        throw ConfigError("fat-tree", "k", "must be even, from 2 to 254, not " + std::to_string(k));
    }
    const double hosts = oversubscription * k / 2;
    if (!(hosts >= 1 && hosts <= 60000) || hosts != std::floor(hosts))
    {
        std::ostringstream text;
        text << oversubscription << " x k/2 = " << hosts
             << " endpoints of an edge switch; must be a whole number, from 1 to 60000";
        throw ConfigError("fat-tree", "oversubscription", text.str());
    }
    m_hostsPerEdge = static_cast<uint32_t>(hosts);
}

std::string
FatTreeTopology::Describe() const
{
    std::ostringstream text;
    text << "fat-tree: k = " << m_k << ", " << GetEndpointCount() << " hosts at "
         << FormatBitRate(GetHostLink().rate.GetBitRate()) << ", " << 5 * m_k * m_k / 4
         << " switches at " << FormatBitRate(m_uplink.rate.GetBitRate());
    if (2 * m_hostsPerEdge != m_k)
    {
        text << ", " << m_hostsPerEdge << " hosts for " << m_k / 2 << " uplinks of an edge switch";
    }
    return text.str();
}

uint32_t
FatTreeTopology::GetEndpointCount() const
{
    return m_k * m_k / 2 * m_hostsPerEdge;
}

void
FatTreeTopology::Wire(FabricNetwork& network) const
{
    const uint32_t half = m_k / 2;
    std::vector<Ptr<Node>> aggregation;
    for (uint32_t pod = 0; pod < m_k; ++pod)
    {
        std::vector<Ptr<Node>> edges;
        for (uint32_t i = 0; i < half; ++i)
        {
            edges.push_back(AddSwitch(network, "edge" + std::to_string(pod * half + i)));
            for (uint32_t j = 0; j < m_hostsPerEdge; ++j)
            {
                AddEndpoint(network, edges.back());
            }
        }
        for (uint32_t i = 0; i < half; ++i)
        {
            aggregation.push_back(AddSwitch(network, "agg" + std::to_string(pod * half + i)));
            for (const auto& edge : edges)
            {
                Connect(network, edge, aggregation.back(), m_uplink);
            }
        }
    }
    for (uint32_t core = 0; core < half * half; ++core)
    {
        Ptr<Node> node = AddSwitch(network, "core" + std::to_string(core));
        for (uint32_t pod = 0; pod < m_k; ++pod)
        {
            Connect(network, aggregation[pod * half + core / half], node, m_uplink);
        }
    }
}

} // namespace llm
} // namespace ns3
