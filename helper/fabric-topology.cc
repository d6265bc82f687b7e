/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-topology.h"

#include "ns3/double.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-loss-model.h"
#include "ns3/llm-config-error.h"
#include "ns3/names.h"

namespace ns3
{
namespace llm
{

void
FabricTopology::SetHostLink(const FabricLink& link)
{
    m_hostLink = link;
}

void
FabricTopology::SetHosts(const NodeContainer& nodes)
{
    m_hosts = nodes;
}

void
FabricTopology::SetNamePrefix(const std::string& prefix)
{
    m_prefix = prefix;
}

void
FabricTopology::SetSwitchMaker(const SwitchMaker& maker)
{
    m_switchMaker = maker;
}

const FabricLink&
FabricTopology::GetHostLink() const
{
    return m_hostLink;
}

FabricNetwork
FabricTopology::Build(Ptr<Fabric> fabric, uint32_t endpointsPerServer) const
{
    const uint32_t endpoints = GetEndpointCount();
    if (endpointsPerServer == 0 || endpoints % endpointsPerServer != 0)
    {
        throw ConfigError("topology",
                          "",
                          "servers of " + std::to_string(endpointsPerServer) +
                              " accelerators do not divide the " + std::to_string(endpoints) +
                              " endpoints of the " + Describe());
    }
    if (m_hosts.GetN() > endpoints)
    {
        throw ConfigError("topology",
                          "",
                          std::to_string(m_hosts.GetN()) + " hosts are given for the " +
                              std::to_string(endpoints) + " endpoints of the " + Describe());
    }
    FabricNetwork network;
    network.fabric = fabric;
    Wire(network);
    for (uint32_t i = 0; i < endpoints; ++i)
    {
        network.serverOf.push_back(i / endpointsPerServer);
    }
    network.serverCount = endpoints / endpointsPerServer;
    fabric->Build();
    return network;
}

uint32_t
FabricTopology::GetServerSize() const
{
    return 0;
}

std::vector<FabricTopology::Place>
FabricTopology::PlaceSwitches() const
{
    return {};
}

std::vector<uint32_t>
FabricTopology::GetEndpointNumbers() const
{
    return {};
}

Ptr<Node>
FabricTopology::AddHost(FabricNetwork& network, const std::string& name) const
{
    const uint32_t index = network.endpoints.GetN();
    Ptr<Node> node = index < m_hosts.GetN() ? m_hosts.Get(index) : CreateObject<Node>();
    if (Names::FindName(node).empty())
    {
        Name(node, name);
    }
    network.endpoints.Add(node);
    network.fabric->AddEndpoint(node);
    return node;
}

Ptr<Node>
FabricTopology::AddEndpoint(FabricNetwork& network, Ptr<Node> edge) const
{
    return AddEndpoint(network, std::vector<Ptr<Node>>{edge});
}

Ptr<Node>
FabricTopology::AddEndpoint(FabricNetwork& network, const std::vector<Ptr<Node>>& edges) const
{
    Ptr<Node> node = AddHost(network, "host" + std::to_string(network.endpoints.GetN()));
    for (const auto& edge : edges)
    {
        Connect(network, node, edge, m_hostLink);
    }
    return node;
}

Ptr<Node>
FabricTopology::AddSwitch(FabricNetwork& network, const std::string& name) const
{
    Ptr<Node> node = CreateObject<Node>();
    Name(node, name);
    if (m_switchMaker)
    {
        node->AggregateObject(m_switchMaker());
    }
    network.switches.Add(node);
    network.fabric->AddSwitch(node);
    return node;
}

void
FabricTopology::Connect(FabricNetwork& network, Ptr<Node> a, Ptr<Node> b, const FabricLink& link)
{
    const Ptr<FabricChannel> channel = network.fabric->Connect(a, b, link.rate, link.delay);
    for (std::size_t end = 0; link.loss > 0 && end < channel->GetNDevices(); ++end)
    {
        Ptr<RandomLossModel> loss = CreateObject<RandomLossModel>();
        loss->SetAttribute("Probability", DoubleValue(link.loss));
        DynamicCast<FabricPort>(channel->GetDevice(end))->SetLossModel(loss);
    }
}

void
FabricTopology::Name(Ptr<Node> node, const std::string& name) const
{
    const std::string full = m_prefix + name;
    if (Names::Find<Object>(full))
    {
        throw ConfigError("topology",
                          "",
                          "the node name '" + full +
                              "' is taken: give each fabric a name prefix of its own");
    }
    Names::Add(full, node);
}

} // namespace llm
} // namespace ns3
