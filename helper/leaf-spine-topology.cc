/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "leaf-spine-topology.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <iomanip>
#include <sstream>

namespace ns3
{
namespace llm
{

LeafSpineTopology::LeafSpineTopology(uint32_t leaves,
                                     uint32_t spines,
                                     uint32_t hostsPerLeaf,
                                     const FabricLink& uplink,
                                     uint32_t linksPerPair)
    : m_leaves(leaves),
      m_spines(spines),
      m_hostsPerLeaf(hostsPerLeaf),
      m_uplink(uplink),
      m_linksPerPair(linksPerPair)
{
    if (linksPerPair == 0)
    {
        throw ConfigError("leaf-spine", "links_per_pair", "must be at least 1, not 0");
    }
    if (leaves == 0 || spines == 0 || hostsPerLeaf == 0)
    {
        throw ConfigError("leaf-spine",
                          "",
                          "needs at least 1 leaf, 1 spine and 1 host per leaf, got " +
                              std::to_string(leaves) + ", " + std::to_string(spines) + " and " +
                              std::to_string(hostsPerLeaf));
    }
    const uint64_t leafPorts = hostsPerLeaf + static_cast<uint64_t>(spines) * linksPerPair;
    const uint64_t spinePorts = uint64_t{leaves} * linksPerPair;
    if (leafPorts > 65535 || spinePorts > 65535)
    {
        throw ConfigError("leaf-spine",
                          "",
                          "a switch has at most 65535 ports; a leaf would need " +
                              std::to_string(leafPorts) + ", a spine " +
                              std::to_string(spinePorts));
    }
}

double
LeafSpineTopology::GetOversubscription() const
{
    const double down =
        static_cast<double>(GetHostLink().rate.GetBitRate()) * static_cast<double>(m_hostsPerLeaf);
    const double up = static_cast<double>(m_uplink.rate.GetBitRate()) *
                      static_cast<double>(m_spines) * m_linksPerPair;
    return down / up;
}

std::string
LeafSpineTopology::Describe() const
{
    std::ostringstream text;
    text << "leaf-spine: " << m_leaves << " leaves x " << m_hostsPerLeaf << " hosts at "
         << FormatBitRate(GetHostLink().rate.GetBitRate()) << ", " << m_spines
         << (m_spines == 1 ? " spine at " : " spines at ")
         << (m_linksPerPair > 1 ? std::to_string(m_linksPerPair) + " x " : "")
         << FormatBitRate(m_uplink.rate.GetBitRate()) << ", oversubscription " << std::fixed
         << std::setprecision(2) << GetOversubscription() << ":1";
    return text.str();
}

uint32_t
LeafSpineTopology::GetEndpointCount() const
{
    return m_leaves * m_hostsPerLeaf;
}

void
LeafSpineTopology::Wire(FabricNetwork& network) const
{
    std::vector<Ptr<Node>> leaves;
    for (uint32_t i = 0; i < m_leaves; ++i)
    {
        leaves.push_back(AddSwitch(network, "leaf" + std::to_string(i)));
        for (uint32_t j = 0; j < m_hostsPerLeaf; ++j)
        {
            AddEndpoint(network, leaves.back());
        }
    }
    for (uint32_t i = 0; i < m_spines; ++i)
    {
        Ptr<Node> spine = AddSwitch(network, "spine" + std::to_string(i));
        for (const auto& leaf : leaves)
        {
            for (uint32_t link = 0; link < m_linksPerPair; ++link)
            {
                Connect(network, leaf, spine, m_uplink);
            }
        }
    }
}

} // namespace llm
} // namespace ns3
