/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-fabric.h"

#include "clos-topology.h"
#include "dragonfly-topology.h"
#include "fabric-graph-file.h"
#include "fat-tree-topology.h"
#include "graph-topology.h"
#include "hpcc-topology-file.h"
#include "leaf-spine-topology.h"
#include "llm-error-context.h"
#include "llm-json-text.h"
#include "llm-scenario-files.h"
#include "llm-scenario-paths.h"
#include "llm-scenario-switch.h"
#include "llm-scenario-transport.h"
#include "rail-optimized-topology.h"
#include "rdma-transport-helper.h"
#include "single-switch-topology.h"
#include "torus-topology.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-ecn-marker.h"
#include "ns3/fabric-loss-model.h"
#include "ns3/periodic-loss-model.h"
#include "ns3/pointer.h"
#include "ns3/rdma-congestion-names.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>

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
    const Ptr<Object> balancer = MakeScenarioLoadBalancers(scenario).Create();
    Ptr<FabricSwitch> made = CreateObject<FabricSwitch>();
    SetSwitchFeatures(scenario, *made);
    made->SetAttribute("Buffer", PointerValue(MakeScenarioBuffer(scenario)));
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

/** @throw ConfigError if a class stands in a list twice. */
void
CheckDifferent(const std::string& source,
               const std::string& path,
               const std::vector<uint32_t>& classes)
{
    for (std::size_t i = 0; i < classes.size(); ++i)
    {
        if (std::find(classes.begin(),
                      classes.begin() + static_cast<std::ptrdiff_t>(i),
                      classes[i]) != classes.begin() + static_cast<std::ptrdiff_t>(i))
        {
            throw ConfigError(source,
                              path + "[" + std::to_string(i) + "]",
                              "class " + std::to_string(classes[i]) + " stands in the list twice");
        }
    }
}

/** Checks what no single field shows. */
void
CheckClasses(const Scenario& scenario)
{
    const std::vector<uint32_t>& classes = scenario.fabric.lossless_classes;
    CheckDifferent(scenario.source, "fabric.lossless_classes", classes);
    CheckDifferent(scenario.source, "fabric.strict_classes", scenario.fabric.strict_classes);
    const std::size_t weights = scenario.fabric.class_weights.size();
    if (weights != 0 && weights != 8)
    {
        throw ConfigError(scenario.source,
                          "fabric.class_weights",
                          "has " + std::to_string(weights) +
                              " numbers; give one for each of the 8 classes, or none");
    }
    if (scenario.fabric.pfc && classes.empty())
    {
        throw ConfigError(scenario.source,
                          "fabric.lossless_classes",
                          "is empty while fabric.pfc is true; list a class, or set fabric.pfc to "
                          "false");
    }
}

/** @return the topology of a graph or a file; nullptr if the scenario has another one. */
std::unique_ptr<GraphTopology>
ReadGraph(const Scenario& scenario)
{
    const Scenario::FabricSection& fabric = scenario.fabric;
    if (fabric.topology == "hpcc")
    {
        return std::make_unique<GraphTopology>(HpccTopologyFile::Read(
            FindFileOfScenario(scenario, "fabric.file", fabric.file, "topologies")));
    }
    if (fabric.topology != "graph")
    {
        return nullptr;
    }
    const bool isInline = fabric.graph.substr(0, 1) == "{";
    const std::string file =
        isInline ? scenario.source
                 : FindFileOfScenario(scenario, "fabric.graph", fabric.graph, "topologies");
    return std::make_unique<GraphTopology>(
        FabricGraphFile::Parse(isInline ? fabric.graph : ReadTextFile(file, "the graph"),
                               file,
                               isInline ? "fabric.graph." : "",
                               MakeLink(fabric.host_rate, fabric.host_delay_ps),
                               MakeLink(fabric.uplink_rate, fabric.uplink_delay_ps)));
}

/** @return rail-optimised, with one plane or two. */
std::unique_ptr<FabricTopology>
MakeRails(const Scenario& scenario, const FabricLink& uplink)
{
    const Scenario::FabricSection& fabric = scenario.fabric;
    const bool planes = fabric.topology == "hpn";
    RailOptimizedTopology::Shape shape;
    shape.segments = fabric.segments;
    shape.serversPerSegment = fabric.servers_per_segment;
    shape.rails = scenario.cluster.accelerators_per_server;
    shape.torsPerRail = planes || fabric.dual_tor ? 2 : 1;
    shape.planes = planes ? 2 : 1;
    shape.spines = fabric.spines;
    shape.linksPerPair = fabric.links_per_pair;
    return std::make_unique<RailOptimizedTopology>(shape, uplink);
}

/** @return Clos network, by radix or by lists of neighbours. */
std::unique_ptr<FabricTopology>
MakeClos(const Scenario::FabricSection& fabric, const FabricLink& uplink)
{
    ClosTopology::Shape shape;
    if (fabric.clos_down.empty() && fabric.clos_up.empty())
    {
        shape = ClosTopology::Shape::FromRadix(fabric.tiers, fabric.radix, fabric.oversubscription);
    }
    else
    {
        shape.down = fabric.clos_down;
        shape.up = fabric.clos_up;
    }
    shape.planes = fabric.planes;
    return std::make_unique<ClosTopology>(shape, uplink);
}

/** @return the topology of a scenario that reads none. @param ranks for a single switch. */
std::unique_ptr<FabricTopology>
MakeShape(const Scenario& scenario, uint32_t ranks)
{
    const Scenario::FabricSection& fabric = scenario.fabric;
    const FabricLink uplink = MakeLink(fabric.uplink_rate, fabric.uplink_delay_ps);
    if (fabric.topology == "single-switch")
    {
        return std::make_unique<SingleSwitchTopology>(fabric.hosts ? fabric.hosts : ranks);
    }
    if (fabric.topology == "fat-tree")
    {
        return std::make_unique<FatTreeTopology>(fabric.k, uplink, fabric.oversubscription);
    }
    if (fabric.topology == "clos")
    {
        return MakeClos(fabric, uplink);
    }
    if (fabric.topology == "rail-optimized" || fabric.topology == "hpn")
    {
        return MakeRails(scenario, uplink);
    }
    if (fabric.topology == "dragonfly")
    {
        const DragonflyTopology::Shape shape{fabric.routers_per_group,
                                             fabric.hosts_per_router,
                                             fabric.global_links,
                                             fabric.groups};
        FabricLink global = uplink;
        global.delay =
            fabric.global_delay_ps > 0 ? PicoSeconds(fabric.global_delay_ps) : uplink.delay;
        return std::make_unique<DragonflyTopology>(shape, uplink, global);
    }
    if (fabric.topology == "torus")
    {
        return std::make_unique<TorusTopology>(
            TorusTopology::Shape{fabric.dimensions, fabric.wrap, fabric.dimension_order},
            uplink);
    }
    return std::make_unique<LeafSpineTopology>(fabric.leaves,
                                               fabric.spines,
                                               fabric.hosts_per_leaf,
                                               uplink,
                                               fabric.links_per_pair);
}

} // namespace

Scenario
ResolveScenarioServers(const Scenario& scenario)
{
    Scenario resolved = scenario;
    uint32_t& size = resolved.cluster.accelerators_per_server;
    const auto isGiven = [&](const char* path) { return scenario.given.count(path) > 0; };
    const bool sizeGiven = isGiven("cluster.accelerators_per_server");
    const bool flows = scenario.workload.format == "flows" || scenario.workload.format == "pattern";
    const bool rails =
        scenario.fabric.topology == "rail-optimized" || scenario.fabric.topology == "hpn";
    if (flows && !sizeGiven && !rails)
    {
        size = 1;
    }
    const std::unique_ptr<GraphTopology> topology = ReadGraph(scenario);
    if (!topology)
    {
        return resolved;
    }
    const FabricGraph& graph = topology->GetGraph();
    for (const auto& edge : graph.edges)
    {
        if (!graph.vertices[edge.a].isSwitch || !graph.vertices[edge.b].isSwitch)
        {
            // What reckons with the rate of hosts takes that of the first.
            resolved.fabric.host_rate = edge.link.rate.GetBitRate();
            resolved.fabric.host_delay_ps = edge.link.delay.GetPicoSeconds();
            break;
        }
    }
    if (graph.serverSize == 0)
    {
        size = sizeGiven ? size : 1;
        return resolved;
    }
    if (sizeGiven && size != graph.serverSize)
    {
        throw ConfigError(scenario.source,
                          "cluster.accelerators_per_server",
                          "is " + std::to_string(size) + ", but servers of " + graph.source +
                              " have " + std::to_string(graph.serverSize) + "; leave it out");
    }
    size = graph.serverSize;
    if (graph.scaleUpBitsPerSecond > 0 && !isGiven("cluster.scale_up_bandwidth"))
    {
        resolved.accelerator.scale_up_bits_per_second = graph.scaleUpBitsPerSecond;
    }
    if (graph.scaleUpBitsPerSecond > 0 && !isGiven("cluster.scale_up_latency"))
    {
        resolved.cluster.scale_up_latency_ps = graph.scaleUpLatencyPs;
    }
    return resolved;
}

std::unique_ptr<FabricTopology>
MakeScenarioTopology(const Scenario& scenario, uint32_t ranks)
{
    CheckClasses(scenario);
    const Scenario::FabricSection& fabric = scenario.fabric;
    std::unique_ptr<FabricTopology> topology = ReadGraph(scenario);
    WithContext(scenario.source, "fabric", [&] {
        if (!topology)
        {
            topology = MakeShape(scenario, ranks);
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
    fabric->SetAttribute("FloorNanoseconds", BooleanValue(scenario.fabric.floor_ns));
    fabric->SetAttribute("MaxPacket", UintegerValue(scenario.fabric.ip_mtu));
    SetDeadlockChecks(scenario, *fabric);
    fabric->SetAttribute("Reconvergence", TimeValue(PicoSeconds(scenario.fabric.reconvergence_ps)));
    FabricNetwork network;
    WithContext(scenario.source, "fabric", [&] {
        network = topology.Build(fabric, scenario.cluster.accelerators_per_server);
    });
    uint8_t strict = 0;
    for (const uint32_t trafficClass : scenario.fabric.strict_classes)
    {
        strict |= static_cast<uint8_t>(1U << trafficClass);
    }
    std::array<uint32_t, 8> weights{1, 1, 1, 1, 1, 1, 1, 1};
    std::copy(scenario.fabric.class_weights.begin(),
              scenario.fabric.class_weights.end(),
              weights.begin());
    PinScenarioRoutes(scenario, *fabric);
    for (const auto& port : fabric->GetPorts())
    {
        port->SetAttribute("StrictClasses", UintegerValue(strict));
        port->SetClassWeights(weights);
        port->SetAttribute("EcnMarkAtDequeue", BooleanValue(scenario.fabric.ecn_mark_at_dequeue));
        if (scenario.fabric.loss_rate > 0 && !port->HasLossModel())
        {
            Ptr<RandomLossModel> loss = CreateObject<RandomLossModel>();
            loss->SetAttribute("Probability", DoubleValue(scenario.fabric.loss_rate));
            port->SetLossModel(loss);
        }
        if (scenario.fabric.loss_interval > 0 && !port->IsSwitchPort())
        {
            Ptr<PeriodicLossModel> loss = CreateObject<PeriodicLossModel>();
            loss->SetAttribute("Interval", UintegerValue(scenario.fabric.loss_interval));
            port->SetLossModel(loss);
        }
    }
    return network;
}

} // namespace llm
} // namespace ns3
