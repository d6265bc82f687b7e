/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-trouble-targets.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** @return name of the node that a port is on. */
std::string
NodeOf(const FabricPort& port)
{
    const std::string label = port.GetLabel();
    return label.substr(0, label.rfind(':'));
}

/** @throw ConfigError for a name that nobody has. */
[[noreturn]] void
Refuse(const std::string& what, const std::string& name, const std::vector<std::string>& known)
{
    throw ConfigError("network",
                      "",
                      "there is no " + what + " '" + name + "'" +
                          (known.empty() ? "; there is none at all"
                                         : "; did you mean '" + NearestName(name, known) + "'?"));
}

/** @return keys of a map. */
template <typename V>
std::vector<std::string>
Keys(const std::map<std::string, V>& map)
{
    std::vector<std::string> keys;
    for (const auto& entry : map)
    {
        keys.push_back(entry.first);
    }
    return keys;
}

} // namespace

TroubleTargets::TroubleTargets(const FabricNetwork& network)
{
    for (const auto& port : network.fabric->GetPorts())
    {
        m_ports.push_back(PeekPointer(port));
        if (!port->IsSwitchPort())
        {
            m_portsOf[port->GetEndpointIndex()].push_back(PeekPointer(port));
        }
    }
    for (const auto& fabricSwitch : network.fabric->GetSwitches())
    {
        m_switches.emplace(fabricSwitch->GetLabel(), PeekPointer(fabricSwitch));
    }
    for (uint32_t endpoint = 0; endpoint < network.endpoints.GetN(); ++endpoint)
    {
        m_nodes.push_back(network.endpoints.Get(endpoint));
        m_hosts[NodeOf(*m_portsOf.at(endpoint).front())].push_back(endpoint);
    }
    for (uint32_t endpoint = 0; endpoint < network.serverOf.size(); ++endpoint)
    {
        m_hosts["server" + std::to_string(network.serverOf[endpoint])].push_back(endpoint);
    }
}

void
TroubleTargets::NameRanks(const std::string& prefix, const std::vector<uint32_t>& endpoints)
{
    for (std::size_t rank = 0; rank < endpoints.size(); ++rank)
    {
        m_hosts[prefix + "rank" + std::to_string(rank)] = {endpoints[rank]};
    }
}

std::vector<FabricPort*>
TroubleTargets::FindLinks(const std::string& name) const
{
    std::vector<std::string> known;
    std::vector<FabricPort*> found;
    for (FabricPort* port : m_ports)
    {
        const std::string node = NodeOf(*port);
        const std::string link = node + ":" + NodeOf(*port->GetPeer());
        if (name == port->GetLabel() || name == link || (name == node && !port->IsSwitchPort()))
        {
            found.push_back(port);
        }
        known.push_back(link);
        known.push_back(port->GetLabel());
    }
    if (found.empty())
    {
        Refuse("link", name, known);
    }
    return found;
}

FabricSwitch*
TroubleTargets::FindSwitch(const std::string& name) const
{
    const auto found = m_switches.find(name);
    if (found == m_switches.end())
    {
        Refuse("switch", name, Keys(m_switches));
    }
    return found->second;
}

std::vector<uint32_t>
TroubleTargets::FindHosts(const std::string& name) const
{
    const auto found = m_hosts.find(name);
    if (found == m_hosts.end())
    {
        Refuse("host, server or rank", name, Keys(m_hosts));
    }
    return found->second;
}

std::vector<FabricPort*>
TroubleTargets::GetPorts(uint32_t endpoint) const
{
    return m_portsOf.at(endpoint);
}

Ptr<Node>
TroubleTargets::GetNode(uint32_t endpoint) const
{
    return m_nodes.at(endpoint);
}

} // namespace llm
} // namespace ns3
