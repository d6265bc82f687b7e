/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scale-up-topology.h"

#include "ns3/fabric-shared-buffer.h"
#include "ns3/llm-config-error.h"
#include "ns3/names.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @return the name, with a number behind it if it is taken. */
std::string
FindName(const std::string& name)
{
    std::string free = name;
    for (uint32_t i = 2; Names::Find<Object>(free); ++i)
    {
        free = name + "-" + std::to_string(i);
    }
    return free;
}

/** @return a switch that can hold the headroom of so many ports. */
Ptr<FabricSwitch>
MakeSwitch(std::size_t ports, const ScaleUpTopology::Settings& settings)
{
    // Headroom is what a link carries there and back, and a few frames; the rest is for queues.
    const double flight =
        static_cast<double>(settings.bandwidth.GetBitRate()) / 8 * settings.latency.GetSeconds();
    const auto perPort = static_cast<uint64_t>(flight) + uint64_t{16} * settings.framePayload;
    Ptr<FabricSharedBuffer> buffer = CreateObject<FabricSharedBuffer>();
    buffer->SetAttribute("Size", UintegerValue((uint64_t{32} << 20) + 4 * perPort * ports));
    Ptr<FabricSwitch> made = CreateObject<FabricSwitch>();
    made->SetAttribute("Buffer", PointerValue(buffer));
    return made;
}

} // namespace

Ptr<Fabric>
ScaleUpTopology::Build(const FabricNetwork& network,
                       const std::vector<uint32_t>& users,
                       const Settings& settings,
                       FabricEventQueue& queue)
{
    if (settings.bandwidth.GetBitRate() == 0 || settings.latency < TimeStep(2))
    {
        throw ConfigError("scale-up",
                          "",
                          "links with packets need a bandwidth and a latency above 0");
    }
    Ptr<Fabric> fabric = CreateObject<Fabric>();
    fabric->SetAttribute("PathMtu", UintegerValue(settings.framePayload));
    fabric->ShareEventQueue(queue);
    fabric->AllowIslands();
    std::vector<uint32_t> usersOf(network.serverCount, 0);
    for (const uint32_t endpoint : users)
    {
        ++usersOf[network.serverOf.at(endpoint)];
    }
    std::vector<std::vector<Ptr<Node>>> servers(network.serverCount);
    for (uint32_t i = 0; i < network.endpoints.GetN(); ++i)
    {
        servers[network.serverOf[i]].push_back(network.endpoints.Get(i));
    }
    for (std::size_t s = 0; s < servers.size(); ++s)
    {
        const auto& members = servers[s];
        if (usersOf[s] < 2)
        {
            continue;
        }
        for (const auto& node : members)
        {
            fabric->AddEndpoint(node);
        }
        if (settings.kind == Kind::SWITCH)
        {
            Ptr<Node> center = CreateObject<Node>();
            Names::Add(FindName("nvswitch" + std::to_string(s)), center);
            center->AggregateObject(MakeSwitch(members.size(), settings));
            fabric->AddSwitch(center);
            for (const auto& node : members)
            {
                fabric->Connect(node,
                                center,
                                settings.bandwidth,
                                TimeStep(settings.latency.GetTimeStep() / 2));
            }
            continue;
        }
        const DataRate rate(settings.bandwidth.GetBitRate() / (members.size() - 1));
        for (std::size_t i = 0; i < members.size(); ++i)
        {
            for (std::size_t j = i + 1; j < members.size(); ++j)
            {
                fabric->Connect(members[i], members[j], rate, settings.latency);
            }
        }
    }
    fabric->Build();
    return fabric;
}

} // namespace llm
} // namespace ns3
