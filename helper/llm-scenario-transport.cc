/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-transport.h"

#include "llm-attribute-map.h"
#include "llm-error-context.h"
#include "rdma-transport-helper.h"

#include "ns3/llm-scale-up-transport.h"
#include "ns3/rdma-congestion-names.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <set>

namespace ns3
{
namespace llm
{

namespace
{

/** @return nodes of the ranks. */
NodeContainer
GetNodes(const FabricNetwork& network, const std::vector<uint32_t>& endpoints)
{
    NodeContainer nodes;
    for (const uint32_t endpoint : endpoints)
    {
        nodes.Add(network.endpoints.Get(endpoint));
    }
    return nodes;
}

Ptr<MessageTransport>
MakeRdma(const Scenario& scenario, const FabricNetwork& network, const NodeContainer& nodes)
{
    const Scenario::Transport& wanted = scenario.transport;
    const TypeId congestion = RdmaCongestionNames::Lookup(wanted.congestion_control,
                                                          scenario.source,
                                                          "transport.congestion_control");
    CheckAttributes(congestion,
                    wanted.congestion_control_attributes,
                    scenario.source,
                    "transport.congestion_control_attributes");
    CheckAttributes(RdmaTransport::GetTypeId(),
                    wanted.attributes,
                    scenario.source,
                    "transport.attributes");
    RdmaTransportHelper helper;
    helper.SetAttribute("PathMtu", UintegerValue(scenario.fabric.path_mtu));
    helper.SetAttribute("AckInterval", UintegerValue(wanted.ack_interval));
    for (const auto& [name, value] : wanted.attributes)
    {
        helper.SetAttribute(name, StringValue(value));
    }
    helper.SetCongestionControl(congestion.GetName());
    for (const auto& [name, value] : wanted.congestion_control_attributes)
    {
        helper.SetCongestionAttribute(name, StringValue(value));
    }
    Ptr<MessageTransport> transport;
    WithContext(scenario.source, "transport", [&] {
        transport = helper.Install(network.fabric, nodes);
    });
    return transport;
}

} // namespace

Ptr<MessageTransport>
MakeScenarioTransport(const Scenario& scenario,
                      const FabricNetwork& network,
                      const std::vector<uint32_t>& endpoints)
{
    return MakeRdma(scenario, network, GetNodes(network, endpoints));
}

Ptr<MessageTransport>
MakeScenarioScaleUp(const Scenario& scenario,
                    const FabricNetwork& network,
                    const std::vector<uint32_t>& endpoints,
                    uint64_t bitsPerSecond)
{
    std::set<uint32_t> servers;
    for (const uint32_t endpoint : endpoints)
    {
        servers.insert(network.serverOf[endpoint]);
    }
    if (servers.size() == endpoints.size())
    {
        return nullptr;
    }
    Ptr<ScaleUpTransport> transport = CreateObject<ScaleUpTransport>();
    transport->SetAttribute("Bandwidth", DataRateValue(DataRate(bitsPerSecond)));
    transport->SetAttribute("Latency",
                            TimeValue(PicoSeconds(scenario.cluster.scale_up_latency_ps)));
    transport->SetEventQueue(network.fabric->GetEventQueue());
    for (uint32_t rank = 0; rank < endpoints.size(); ++rank)
    {
        transport->AddRank(rank,
                           network.serverOf[endpoints[rank]],
                           network.endpoints.Get(endpoints[rank])->GetId());
    }
    return transport;
}

} // namespace llm
} // namespace ns3
