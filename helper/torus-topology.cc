/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "torus-topology.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

TorusTopology::TorusTopology(const Shape& shape, const FabricLink& link)
    : m_shape(shape),
      m_link(link)
{
    constexpr uint64_t most = 1048576;
    uint64_t product = 1;
    for (const uint32_t length : shape.dimensions)
    {
        product = std::min<uint64_t>(product * length, most + 1);
    }
    if (shape.dimensions.empty() || product == 0 || product > most)
    {
        throw ConfigError("torus",
                          "dimensions",
                          "needs at least one dimension, lengths of at least 1 and a product of at "
                          "most 1048576");
    }
}

std::string
TorusTopology::Describe() const
{
    std::string text = m_shape.wrap ? "torus:" : "mesh:";
    for (std::size_t d = 0; d < m_shape.dimensions.size(); ++d)
    {
        text += (d > 0 ? " x " : " ") + std::to_string(m_shape.dimensions[d]);
    }
    return text + " = " + std::to_string(GetEndpointCount()) + " hosts at " +
           FormatBitRate(GetHostLink().rate.GetBitRate()) + ", links at " +
           FormatBitRate(m_link.rate.GetBitRate()) +
           (m_shape.inDimensionOrder ? ", routes in order of dimensions" : ", shortest paths");
}

uint32_t
TorusTopology::GetEndpointCount() const
{
    uint32_t product = 1;
    for (const uint32_t length : m_shape.dimensions)
    {
        product *= length;
    }
    return product;
}

std::vector<FabricTopology::Place>
TorusTopology::PlaceSwitches() const
{
    // Two dimensions as they are, the third slanting away, further ones side by side.
    std::vector<Place> places;
    double block = 0;
    for (std::size_t d = 0; d < 3 && d < m_shape.dimensions.size(); ++d)
    {
        block += (d == 1 ? 0 : d == 0 ? 96 : 40) * m_shape.dimensions[d];
    }
    for (uint32_t i = 0; i < GetEndpointCount(); ++i)
    {
        uint32_t rest = i;
        Place place;
        for (std::size_t d = 0; d < m_shape.dimensions.size(); ++d)
        {
            const uint32_t at = rest % m_shape.dimensions[d];
            rest /= m_shape.dimensions[d];
            place.x += d == 0 ? 96.0 * at : d == 1 ? 0 : d == 2 ? 34.0 * at : block * at;
            place.y += d == 1 ? 110.0 * at : d == 2 ? -32.0 * at : 0;
            if (d > 2)
            {
                block *= m_shape.dimensions[d];
            }
        }
        places.push_back(place);
    }
    return places;
}

void
TorusTopology::Wire(FabricNetwork& network) const
{
    std::vector<Ptr<Node>> chips;
    for (uint32_t i = 0; i < GetEndpointCount(); ++i)
    {
        chips.push_back(AddSwitch(network, "chip" + std::to_string(i)));
        AddEndpoint(network, chips.back());
    }
    // Links dimension by dimension, so that ports of a lower dimension have lower numbers.
    uint32_t stride = 1;
    for (const uint32_t length : m_shape.dimensions)
    {
        for (uint32_t i = 0; i < chips.size(); ++i)
        {
            const uint32_t at = i / stride % length;
            if (at + 1 < length)
            {
                Connect(network, chips[i], chips[i + stride], m_link);
            }
            else if (m_shape.wrap && length > 2)
            {
                Connect(network, chips[i], chips[i - at * stride], m_link);
            }
        }
        stride *= length;
    }
    if (m_shape.inDimensionOrder)
    {
        network.fabric->SetRouteFilter([](uint32_t, std::vector<uint16_t>& ports) {
            ports.resize(1); // the lowest dimension that brings nearer
        });
    }
}

} // namespace llm
} // namespace ns3
