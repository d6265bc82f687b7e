/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-fabric.h"

#include "fat-tree-topology.h"
#include "leaf-spine-topology.h"
#include "llm-error-context.h"
#include "llm-scenario-transport.h"
#include "rdma-transport-helper.h"
#include "single-switch-topology.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ecmp-load-balancer.h"
#include "ns3/fabric-buffer-policy.h"
#include "ns3/fabric-ecn-marker.h"
#include "ns3/fabric-loss-model.h"
#include "ns3/pointer.h"
#include "ns3/rdma-congestion-names.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** @return a link. */
FabricLink
MakeLink(uint64_t bitsPerSecond, int64_t delayPs)
{
    FabricLink link;
    link.rate = DataRate(bitsPerSecond);
    link.delay = PicoSeconds(delayPs);
    return link;
}

/** Have switches mark as the congestion control wants, where the scenario says nothing. */
void
SetMarkingOf(const Scenario& scenario, RedEcnMarker& marker)
{
    if (scenario.transport.kind != "rdma")
    {
        return;
    }
    const TypeId tid = RdmaCongestionNames::Lookup(GetRdmaCongestionName(scenario),
                                                   scenario.source,
                                                   "transport.congestion_control");
    RdmaTransportHelper::SetMarking(tid.GetName(), marker);
}

/** @return a switch with its buffer, marker and load balancer. */
Ptr<FabricSwitch>
MakeSwitch(const Scenario& scenario)
{
    const Scenario::FabricSection& fabric = scenario.fabric;
    uint8_t lossless = 0;
    for (const uint32_t trafficClass : fabric.lossless_classes)
    {
        lossless |= static_cast<uint8_t>(1U << trafficClass);
    }
    Ptr<DynamicThreshold> policy = CreateObject<DynamicThreshold>();
    policy->SetAttribute("Alpha", DoubleValue(fabric.alpha));
    Ptr<FabricSharedBuffer> buffer = CreateObject<FabricSharedBuffer>();
    buffer->SetAttribute("Size", UintegerValue(fabric.buffer));
    buffer->SetAttribute("Reserve", UintegerValue(fabric.reserve));
    buffer->SetAttribute("XonOffset", UintegerValue(fabric.xon_offset));
    buffer->SetAttribute("LosslessClasses", UintegerValue(fabric.pfc ? lossless : 0));
    buffer->SetAttribute("Policy", PointerValue(policy));
    Ptr<EcmpLoadBalancer> balancer = CreateObject<EcmpLoadBalancer>();
    balancer->SetAttribute("Seed", UintegerValue(fabric.ecmp_seed));
    balancer->SetAttribute("HashDestinationQp", BooleanValue(fabric.ecmp_hash_queue_pair));
    Ptr<FabricSwitch> made = CreateObject<FabricSwitch>();
    made->SetAttribute("Buffer", PointerValue(buffer));
    made->SetAttribute("LoadBalancer", PointerValue(balancer));
    made->SetAttribute("Headroom", UintegerValue(fabric.headroom));
    if (fabric.ecn)
    {
        Ptr<RedEcnMarker> marker = CreateObject<RedEcnMarker>();
        SetMarkingOf(scenario, *marker);
        marker->SetAttribute("Kmin", UintegerValue(fabric.ecn_kmin));
        marker->SetAttribute("Kmax", UintegerValue(fabric.ecn_kmax));
        marker->SetAttribute("Pmax", DoubleValue(fabric.ecn_pmax));
        made->SetAttribute("EcnMarker", PointerValue(marker));
    }
    return made;
}

/** Checks what no single field shows. */
void
CheckClasses(const Scenario& scenario)
{
    const std::vector<uint32_t>& classes = scenario.fabric.lossless_classes;
    for (std::size_t i = 0; i < classes.size(); ++i)
    {
        if (std::find(classes.begin(),
                      classes.begin() + static_cast<std::ptrdiff_t>(i),
                      classes[i]) != classes.begin() + static_cast<std::ptrdiff_t>(i))
        {
            throw ConfigError(scenario.source,
                              "fabric.lossless_classes[" + std::to_string(i) + "]",
                              "class " + std::to_string(classes[i]) + " stands in the list twice");
        }
    }
    if (scenario.fabric.pfc && classes.empty())
    {
        throw ConfigError(scenario.source,
                          "fabric.lossless_classes",
                          "is empty while fabric.pfc is true; list a class, or set fabric.pfc to "
                          "false");
    }
}

} // namespace

std::unique_ptr<FabricTopology>
MakeScenarioTopology(const Scenario& scenario, uint32_t ranks)
{
    CheckClasses(scenario);
    const Scenario::FabricSection& fabric = scenario.fabric;
    const FabricLink uplink = MakeLink(fabric.uplink_rate, fabric.uplink_delay_ps);
    std::unique_ptr<FabricTopology> topology;
    WithContext(scenario.source, "fabric", [&] {
        if (fabric.topology == "single-switch")
        {
            topology = std::make_unique<SingleSwitchTopology>(fabric.hosts ? fabric.hosts : ranks);
        }
        else if (fabric.topology == "fat-tree")
        {
            topology = std::make_unique<FatTreeTopology>(fabric.k, uplink);
        }
        else
        {
            topology = std::make_unique<LeafSpineTopology>(fabric.leaves,
                                                           fabric.spines,
                                                           fabric.hosts_per_leaf,
                                                           uplink);
        }
    });
    topology->SetHostLink(MakeLink(fabric.host_rate, fabric.host_delay_ps));
    topology->SetSwitchMaker([scenario] { return MakeSwitch(scenario); });
    return topology;
}

FabricNetwork
BuildScenarioFabric(const Scenario& scenario, const FabricTopology& topology)
{
    Ptr<Fabric> fabric = CreateObject<Fabric>();
    fabric->SetAttribute("PathMtu", UintegerValue(scenario.fabric.path_mtu));
    fabric->SetAttribute("MaxPacket", UintegerValue(scenario.fabric.ip_mtu));
    FabricNetwork network;
    WithContext(scenario.source, "fabric", [&] {
        network = topology.Build(fabric, scenario.cluster.accelerators_per_server);
    });
    for (const auto& port : fabric->GetPorts())
    {
        port->SetAttribute("EcnMarkAtDequeue", BooleanValue(scenario.fabric.ecn_mark_at_dequeue));
        if (scenario.fabric.loss_rate > 0)
        {
            Ptr<RandomLossModel> loss = CreateObject<RandomLossModel>();
            loss->SetAttribute("Probability", DoubleValue(scenario.fabric.loss_rate));
            port->SetLossModel(loss);
        }
    }
    return network;
}

} // namespace llm
} // namespace ns3
