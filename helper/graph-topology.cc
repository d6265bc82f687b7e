/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "graph-topology.h"

#include "llm-attribute-map.h"
#include "llm-error-context.h"

#include "ns3/fabric-shared-buffer.h"
#include "ns3/fabric-switch.h"
#include "ns3/llm-config-error.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <map>

namespace ns3
{
namespace llm
{

GraphTopology::GraphTopology(FabricGraph graph)
    : m_graph(std::move(graph))
{
    Check();
}

void
GraphTopology::Check() const
{
    std::map<std::string, const FabricGraph::Vertex*> byName;
    std::vector<uint32_t> degree(m_graph.vertices.size(), 0);
    for (const auto& vertex : m_graph.vertices)
    {
        if (!byName.emplace(vertex.name, &vertex).second)
        {
            throw ConfigError(m_graph.source,
                              vertex.path,
                              "there are two nodes named '" + vertex.name + "'");
        }
        CheckAttributes(FabricSwitch::GetTypeId(),
                        vertex.fabric,
                        m_graph.source,
                        vertex.path + ".attributes");
        CheckAttributes(FabricSharedBuffer::GetTypeId(),
                        vertex.buffer,
                        m_graph.source,
                        vertex.path + ".buffer");
    }
    for (const auto& edge : m_graph.edges)
    {
        const auto& a = m_graph.vertices.at(edge.a);
        const auto& b = m_graph.vertices.at(edge.b);
        ++degree[edge.a];
        ++degree[edge.b];
        if (edge.a == edge.b)
        {
            throw ConfigError(m_graph.source, edge.path, "links " + a.name + " to itself");
        }
        if (!a.isSwitch && !b.isSwitch && m_graph.vertices.size() > 2)
        {
            throw ConfigError(m_graph.source,
                              edge.path,
                              "links the hosts " + a.name + " and " + b.name +
                                  "; hosts do not forward, put a switch between them");
        }
        if (edge.link.rate.GetBitRate() == 0 || !edge.link.delay.IsStrictlyPositive())
        {
            throw ConfigError(m_graph.source,
                              edge.path,
                              "rate and delay of a link must be above 0");
        }
    }
    for (std::size_t i = 0; i < degree.size(); ++i)
    {
        const auto& vertex = m_graph.vertices[i];
        if (!vertex.isSwitch && degree[i] == 0)
        {
            throw ConfigError(m_graph.source, vertex.path, "host " + vertex.name + " has no link");
        }
    }
    if (GetEndpointCount() == 0)
    {
        throw ConfigError(m_graph.source, "", "the network has no host");
    }
}

std::string
GraphTopology::Describe() const
{
    return m_graph.summary;
}

uint32_t
GraphTopology::GetEndpointCount() const
{
    uint32_t count = 0;
    for (const auto& vertex : m_graph.vertices)
    {
        count += vertex.isSwitch ? 0 : 1;
    }
    return count;
}

uint32_t
GraphTopology::GetServerSize() const
{
    return m_graph.serverSize;
}

std::vector<uint32_t>
GraphTopology::GetEndpointNumbers() const
{
    std::vector<uint32_t> numbers;
    for (const auto& vertex : m_graph.vertices)
    {
        if (!vertex.isSwitch)
        {
            numbers.push_back(vertex.number);
        }
    }
    return numbers;
}

void
GraphTopology::Wire(FabricNetwork& network) const
{
    std::vector<Ptr<Node>> nodes;
    for (const auto& vertex : m_graph.vertices)
    {
        if (!vertex.isSwitch)
        {
            nodes.push_back(AddHost(network, vertex.name));
            continue;
        }
        nodes.push_back(AddSwitch(network, vertex.name));
        const Ptr<FabricSwitch> made = nodes.back()->GetObject<FabricSwitch>();
        for (const auto& [name, value] : vertex.fabric)
        {
            made->SetAttribute(name, StringValue(value));
        }
        if (!vertex.buffer.empty())
        {
            PointerValue held;
            made->GetAttribute("Buffer", held);
            Ptr<FabricSharedBuffer> buffer = held.Get<FabricSharedBuffer>();
            if (!buffer)
            {
                buffer = CreateObject<FabricSharedBuffer>();
                made->SetAttribute("Buffer", PointerValue(buffer));
            }
            for (const auto& [name, value] : vertex.buffer)
            {
                buffer->SetAttribute(name, StringValue(value));
            }
        }
    }
    for (const auto& edge : m_graph.edges)
    {
        Connect(network, nodes[edge.a], nodes[edge.b], edge.link);
    }
    for (const auto& route : m_graph.routes)
    {
        std::vector<Ptr<Node>> via;
        for (const uint32_t next : route.via)
        {
            via.push_back(nodes[next]);
        }
        WithContext(m_graph.source, route.path, [&] {
            for (const uint32_t to : route.to)
            {
                network.fabric->AddStaticRoute(nodes[route.at], nodes[to], via);
            }
        });
    }
}

} // namespace llm
} // namespace ns3
