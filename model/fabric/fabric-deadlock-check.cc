/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-deadlock-check.h"

#include "llm-fabric.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint32_t NONE = UINT32_MAX; //!< no place

/** Bits by ingress and egress port of one switch. */
class PortMatrix
{
  public:
    /** @param ports of the switch. */
    explicit PortMatrix(std::size_t ports)
        : m_words((ports + 63) / 64),
          m_bits(ports * m_words)
    {
    }

    /** @return 64-bit words of a row. */
    std::size_t GetWords() const
    {
        return m_words;
    }

    /** @param ingress row. @return its first word. */
    uint64_t* GetRow(std::size_t ingress)
    {
        return m_bits.data() + ingress * m_words;
    }

  private:
    std::size_t m_words;          //!< of a row
    std::vector<uint64_t> m_bits; //!< rows
};

} // namespace

FabricDeadlockCheck::FabricDeadlockCheck(const Fabric& fabric)
{
    Search(Collect(fabric));
}

FabricDeadlockCheck::Dependencies
FabricDeadlockCheck::Collect(const Fabric& fabric)
{
    const auto& switches = fabric.GetSwitches();
    std::vector<PortMatrix> matrices;
    std::vector<std::vector<uint64_t>> ingress(switches.size()); // in use for a group, bits
    std::vector<uint32_t> sources;                               // switches with endpoints
    for (uint32_t s = 0; s < switches.size(); ++s)
    {
        const auto& ports = switches[s]->GetPorts();
        matrices.emplace_back(ports.size());
        const bool attached = std::any_of(ports.begin(), ports.end(), [](const FabricPort* port) {
            return !port->GetPeer()->IsSwitchPort();
        });
        if (attached)
        {
            sources.push_back(s);
        }
    }
    std::vector<bool> groupDone;
    for (uint32_t endpoint = 0; endpoint < fabric.GetEndpointCount(); ++endpoint)
    {
        const uint32_t group = fabric.GetGroups()[endpoint];
        if (group == NONE)
        {
            continue; // back to back
        }
        if (group >= groupDone.size())
        {
            groupDone.resize(group + 1);
        }
        if (groupDone[group])
        {
            continue;
        }
        groupDone[group] = true;
        // Which ingress ports carry what is for this group, from the sources on.
        std::vector<bool> reached(switches.size());
        std::vector<uint32_t> frontier = sources;
        for (uint32_t s = 0; s < switches.size(); ++s)
        {
            ingress[s].assign(matrices[s].GetWords(), 0);
        }
        for (const uint32_t s : sources)
        {
            reached[s] = true;
        }
        for (std::size_t next = 0; next < frontier.size(); ++next)
        {
            const FabricSwitch& here = *switches[frontier[next]];
            for (const uint16_t egress : here.GetRoute(endpoint))
            {
                const FabricPort* peer = here.GetPorts()[egress]->GetPeer();
                if (!peer->IsSwitchPort())
                {
                    continue;
                }
                const uint32_t t = peer->GetSwitch()->GetIndex();
                const uint32_t p = peer->GetPortIndex();
                ingress[t][p / 64] |= uint64_t{1} << (p % 64);
                if (!reached[t])
                {
                    reached[t] = true;
                    frontier.push_back(t);
                }
            }
        }
        for (const uint32_t s : frontier)
        {
            std::vector<uint64_t> row(matrices[s].GetWords(), 0);
            for (const uint16_t egress : switches[s]->GetRoute(endpoint))
            {
                row[egress / 64] |= uint64_t{1} << (egress % 64);
            }
            for (uint32_t p = 0; p < switches[s]->GetPorts().size(); ++p)
            {
                if ((ingress[s][p / 64] >> (p % 64)) & 1)
                {
                    uint64_t* bits = matrices[s].GetRow(p);
                    for (std::size_t w = 0; w < row.size(); ++w)
                    {
                        bits[w] |= row[w];
                    }
                }
            }
        }
    }
    std::vector<uint32_t> place(fabric.GetPorts().size(), NONE);
    for (const auto& port : fabric.GetPorts())
    {
        if (port->IsSwitchPort() && port->GetPeer()->IsSwitchPort())
        {
            place[port->GetPortId()] = static_cast<uint32_t>(m_ports.size());
            m_ports.push_back(PeekPointer(port));
        }
    }
    Dependencies dependencies;
    for (uint32_t from = 0; from < m_ports.size(); ++from)
    {
        const FabricSwitch& here = *m_ports[from]->GetSwitch();
        const uint64_t* row = matrices[here.GetIndex()].GetRow(m_ports[from]->GetPortIndex());
        for (std::size_t q = 0; q < here.GetPorts().size(); ++q)
        {
            const FabricPort* peer = here.GetPorts()[q]->GetPeer();
            if (((row[q / 64] >> (q % 64)) & 1) && peer->IsSwitchPort())
            {
                dependencies.emplace_back(from, place[peer->GetPortId()]);
            }
        }
    }
    return dependencies;
}

void
FabricDeadlockCheck::Search(const Dependencies& dependencies)
{
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
    const Graph graph(dependencies.begin(), dependencies.end(), m_ports.size());
    std::vector<uint32_t> component(m_ports.size());
    boost::strong_components(
        graph,
        boost::make_iterator_property_map(component.begin(),
                                          boost::get(boost::vertex_index, graph)));
    std::vector<uint32_t> size(m_ports.size(), 0);
    for (const uint32_t c : component)
    {
        ++size[c];
    }
    const auto inCycle = [&](uint32_t port) { return size[component[port]] > 1; };
    uint32_t start = 0;
    while (start < m_ports.size() && !inCycle(start))
    {
        ++start;
    }
    if (start == m_ports.size())
    {
        return;
    }
    // Breadth first from there, inside the component, until it comes round.
    std::vector<uint32_t> before(m_ports.size(), NONE);
    std::vector<uint32_t> frontier{start};
    for (std::size_t next = 0; next < frontier.size() && before[start] == NONE; ++next)
    {
        const auto [first, last] = boost::out_edges(frontier[next], graph);
        for (auto edge = first; edge != last; ++edge)
        {
            const auto to = static_cast<uint32_t>(boost::target(*edge, graph));
            if (component[to] == component[start] && before[to] == NONE)
            {
                before[to] = frontier[next];
                frontier.push_back(to);
            }
        }
    }
    for (uint32_t port = before[start]; port != start; port = before[port])
    {
        m_cycle.push_back(m_ports[port]);
    }
    m_cycle.push_back(m_ports[start]);
    std::reverse(m_cycle.begin(), m_cycle.end());
}

std::string
FabricDeadlockCheck::Describe() const
{
    std::string text;
    for (const FabricPort* port : m_cycle)
    {
        text += port->GetLabel() + " -> ";
    }
    return text.empty() ? "" : text + m_cycle.front()->GetLabel();
}

} // namespace llm
} // namespace ns3
