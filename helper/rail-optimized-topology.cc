/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rail-optimized-topology.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3
{
namespace llm
{

RailOptimizedTopology::RailOptimizedTopology(const Shape& shape, const FabricLink& uplink)
    : m_shape(shape),
      m_uplink(uplink)
{
    const auto fail = [](const std::string& path, const std::string& message) {
        throw ConfigError("rail-optimized", path, message);
    };
    if (shape.segments == 0 || shape.serversPerSegment == 0 || shape.rails == 0 ||
        shape.spines == 0 || shape.linksPerPair == 0)
    {
        fail("",
             "needs at least 1 segment, 1 server per segment, 1 rail, 1 spine and 1 link between "
             "ToR and spine, got " +
                 std::to_string(shape.segments) + ", " + std::to_string(shape.serversPerSegment) +
                 ", " + std::to_string(shape.rails) + ", " + std::to_string(shape.spines) +
                 " and " + std::to_string(shape.linksPerPair));
    }
    if (shape.torsPerRail < 1 || shape.torsPerRail > 2 || shape.planes < 1 ||
        shape.planes > shape.torsPerRail)
    {
        fail("planes",
             "an accelerator has 1 or 2 ToRs, and 2 planes need 2 ToRs; got " +
                 std::to_string(shape.torsPerRail) + " ToRs and " + std::to_string(shape.planes) +
                 " planes");
    }
    const uint64_t torPorts = shape.serversPerSegment + uint64_t{shape.spines} * shape.linksPerPair;
    const uint64_t spinePorts = GetTorCount() / shape.planes * shape.linksPerPair;
    if (std::max(torPorts, spinePorts) > 65535)
    {
        fail("",
             "a switch has at most 65535 ports; a ToR would need " + std::to_string(torPorts) +
                 ", a spine " + std::to_string(spinePorts));
    }
}

uint64_t
RailOptimizedTopology::GetTorCount() const
{
    return uint64_t{m_shape.segments} * m_shape.rails * m_shape.torsPerRail;
}

uint64_t
RailOptimizedTopology::GetSpineCount() const
{
    return uint64_t{m_shape.planes} * m_shape.spines;
}

double
RailOptimizedTopology::GetOversubscription() const
{
    return static_cast<double>(GetHostLink().rate.GetBitRate()) * m_shape.serversPerSegment /
           (static_cast<double>(m_uplink.rate.GetBitRate()) * m_shape.spines *
            m_shape.linksPerPair);
}

std::string
RailOptimizedTopology::Describe() const
{
    std::ostringstream text;
    text << (m_shape.planes > 1 ? "hpn: dual-plane, " : "rail-optimized: ") << m_shape.segments
         << " segments of " << m_shape.serversPerSegment << " servers of " << m_shape.rails
         << ", each accelerator at " << (m_shape.torsPerRail > 1 ? "2 x " : "")
         << FormatBitRate(GetHostLink().rate.GetBitRate()) << ", " << GetTorCount() << " ToRs, "
         << GetSpineCount() << " spines at " << FormatBitRate(m_uplink.rate.GetBitRate())
         << ", oversubscription " << std::fixed << std::setprecision(3) << GetOversubscription()
         << ":1";
    return text.str();
}

uint32_t
RailOptimizedTopology::GetEndpointCount() const
{
    return m_shape.segments * m_shape.serversPerSegment * m_shape.rails;
}

uint32_t
RailOptimizedTopology::GetServerSize() const
{
    return m_shape.rails;
}

void
RailOptimizedTopology::Wire(FabricNetwork& network) const
{
    // By segment, rail and ToR of the pair.
    std::vector<Ptr<Node>> tors;
    for (uint32_t segment = 0; segment < m_shape.segments; ++segment)
    {
        for (uint32_t rail = 0; rail < m_shape.rails; ++rail)
        {
            const std::string name = "tor-" + std::to_string(segment) + "-" + std::to_string(rail);
            for (uint32_t i = 0; i < m_shape.torsPerRail; ++i)
            {
                tors.push_back(
                    AddSwitch(network,
                              m_shape.torsPerRail > 1 ? name + "-" + std::to_string(i) : name));
            }
        }
        for (uint32_t server = 0; server < m_shape.serversPerSegment; ++server)
        {
            for (uint32_t rail = 0; rail < m_shape.rails; ++rail)
            {
                const std::size_t first =
                    std::size_t{segment * m_shape.rails + rail} * m_shape.torsPerRail;
                AddEndpoint(network,
                            std::vector<Ptr<Node>>(tors.begin() + first,
                                                   tors.begin() + first + m_shape.torsPerRail));
            }
        }
    }
    for (uint32_t plane = 0; plane < m_shape.planes; ++plane)
    {
        for (uint32_t i = 0; i < m_shape.spines; ++i)
        {
            Ptr<Node> spine = AddSwitch(network,
                                        m_shape.planes > 1 ? "spine-" + std::to_string(plane) +
                                                                 "-" + std::to_string(i)
                                                           : "spine" + std::to_string(i));
            for (std::size_t tor = plane; tor < tors.size(); tor += m_shape.planes)
            {
                for (uint32_t link = 0; link < m_shape.linksPerPair; ++link)
                {
                    Connect(network, tors[tor], spine, m_uplink);
                }
            }
        }
    }
}

} // namespace llm
} // namespace ns3
