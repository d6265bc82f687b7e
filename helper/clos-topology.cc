/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "clos-topology.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{
constexpr uint64_t MAX_SWITCH_PORTS = 65535; //!< port numbers have 16 bits
constexpr uint64_t MAX_ENDPOINTS = 1U << 24; //!< far above any cluster
} // namespace

ClosTopology::Shape
ClosTopology::Shape::FromRadix(uint32_t tiers, uint32_t radix, double oversubscription)
{
    const double above = radix / (1 + oversubscription);
    const auto up = static_cast<uint32_t>(std::lround(above));
    if (tiers == 0 || radix < 2 || up == 0 || up >= radix || std::fabs(above - up) > 1e-9)
    {
        std::ostringstream text;
        text << radix << " ports of a switch cannot be divided " << oversubscription
             << " : 1 between links down and up";
        throw ConfigError("clos", "radix", text.str());
    }
    Shape shape;
    shape.down.assign(tiers - 1, radix - up);
    shape.down.push_back(radix);
    shape.up.assign(tiers - 1, up);
    return shape;
}

ClosTopology::ClosTopology(const Shape& shape, const FabricLink& uplink)
    : m_shape(shape),
      m_uplink(uplink)
{
    if (shape.down.empty() || shape.up.size() + 1 != shape.down.size())
    {
        throw ConfigError("clos",
                          "",
                          std::to_string(shape.down.size()) +
                              " tiers need as many numbers of "
                              "links down, and one less of links "
                              "up, not " +
                              std::to_string(shape.up.size()));
    }
    if (shape.planes == 0 || shape.planes > 64)
    {
        throw ConfigError("clos", "planes", "must be 1 to 64, not " + std::to_string(shape.planes));
    }
    uint64_t endpoints = 1;
    for (std::size_t t = 0; t < shape.down.size(); ++t)
    {
        const uint64_t up = t < shape.up.size() ? shape.up[t] : 0;
        if (shape.down[t] == 0 || (t < shape.up.size() && up == 0))
        {
            throw ConfigError("clos",
                              "tier " + std::to_string(t + 1),
                              "a switch needs links down and, below the highest tier, up");
        }
        if (shape.down[t] + up > MAX_SWITCH_PORTS)
        {
            throw ConfigError("clos",
                              "tier " + std::to_string(t + 1),
                              "a switch has at most 65535 ports, this one would need " +
                                  std::to_string(shape.down[t] + up));
        }
        endpoints *= shape.down[t];
        if (endpoints > MAX_ENDPOINTS || CountTier(0) > MAX_ENDPOINTS)
        {
            throw ConfigError("clos",
                              "",
                              "would have more than " + std::to_string(MAX_ENDPOINTS) +
                                  " endpoints");
        }
    }
}

uint64_t
ClosTopology::CountTier(std::size_t tier) const
{
    uint64_t count = 1;
    for (std::size_t t = 0; t < m_shape.down.size() && count <= MAX_ENDPOINTS; ++t)
    {
        count *= t < tier ? m_shape.up[t] : t > tier ? m_shape.down[t] : 1;
    }
    return count;
}

uint64_t
ClosTopology::GetSwitchCount(std::size_t tier) const
{
    return m_shape.planes * CountTier(tier);
}

uint64_t
ClosTopology::GetSwitchCount() const
{
    uint64_t count = 0;
    for (std::size_t t = 0; t < m_shape.down.size(); ++t)
    {
        count += GetSwitchCount(t);
    }
    return count;
}

double
ClosTopology::GetOversubscription(std::size_t tier) const
{
    const FabricLink& below = tier == 0 ? GetHostLink() : m_uplink;
    return static_cast<double>(below.rate.GetBitRate()) * m_shape.down.at(tier) /
           (static_cast<double>(m_uplink.rate.GetBitRate()) * m_shape.up.at(tier));
}

std::string
ClosTopology::Describe() const
{
    std::ostringstream text;
    text << "clos: " << m_shape.down.size() << " tiers, " << GetEndpointCount() << " hosts at "
         << (m_shape.planes > 1 ? std::to_string(m_shape.planes) + " x " : "")
         << FormatBitRate(GetHostLink().rate.GetBitRate()) << ", switches";
    for (std::size_t t = 0; t < m_shape.down.size(); ++t)
    {
        text << (t > 0 ? " + " : " ") << GetSwitchCount(t);
    }
    text << " at " << FormatBitRate(m_uplink.rate.GetBitRate());
    for (std::size_t t = 0; t + 1 < m_shape.down.size(); ++t)
    {
        text << (t == 0 ? ", oversubscription " : ", ") << std::fixed << std::setprecision(2)
             << GetOversubscription(t) << ":1";
    }
    return text.str();
}

uint32_t
ClosTopology::GetEndpointCount() const
{
    uint64_t count = 1;
    for (const uint32_t down : m_shape.down)
    {
        count *= down;
    }
    return static_cast<uint32_t>(count);
}

void
ClosTopology::Wire(FabricNetwork& network) const
{
    // A switch of tier t is numbered (subtree, copy): it spans one of the subtrees below tier t,
    // which has up[0] * ... * up[t-1] such switches side by side.
    const std::size_t tiers = m_shape.down.size();
    std::vector<std::vector<std::vector<Ptr<Node>>>> nodes(m_shape.planes);
    for (uint32_t plane = 0; plane < m_shape.planes; ++plane)
    {
        const std::string prefix =
            m_shape.planes > 1 ? "plane" + std::to_string(plane) + "-" : std::string();
        nodes[plane].resize(tiers);
        for (uint64_t i = 0; i < CountTier(0); ++i)
        {
            nodes[plane][0].push_back(AddSwitch(network, prefix + "tier1-" + std::to_string(i)));
        }
    }
    for (uint32_t i = 0; i < GetEndpointCount(); ++i)
    {
        std::vector<Ptr<Node>> edges;
        for (uint32_t plane = 0; plane < m_shape.planes; ++plane)
        {
            edges.push_back(nodes[plane][0][i / m_shape.down[0]]);
        }
        AddEndpoint(network, edges);
    }
    for (uint32_t plane = 0; plane < m_shape.planes; ++plane)
    {
        const std::string prefix =
            m_shape.planes > 1 ? "plane" + std::to_string(plane) + "-" : std::string();
        uint64_t copies = 1; // of each switch's neighbours in the tier below
        for (std::size_t t = 1; t < tiers; ++t)
        {
            const uint32_t up = m_shape.up[t - 1];
            for (uint64_t i = 0; i < CountTier(t); ++i)
            {
                nodes[plane][t].push_back(
                    AddSwitch(network,
                              prefix + "tier" + std::to_string(t + 1) + "-" + std::to_string(i)));
                const uint64_t subtree = i / (copies * up);
                const uint64_t copy = i % (copies * up) / up;
                for (uint32_t child = 0; child < m_shape.down[t]; ++child)
                {
                    const uint64_t below = (subtree * m_shape.down[t] + child) * copies + copy;
                    Connect(network, nodes[plane][t - 1][below], nodes[plane][t].back(), m_uplink);
                }
            }
            copies *= up;
        }
    }
}

} // namespace llm
} // namespace ns3
