/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"

#include "ns3/fabric-port.h"

namespace ns3
{
namespace llm
{

void
AddTopologyFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection fabric(fields, "fabric", &Scenario::fabric);
    fabric.Choice("topology", &Scenario::FabricSection::topology)
        .Choices({"single-switch",
                  "leaf-spine",
                  "fat-tree",
                  "clos",
                  "rail-optimized",
                  "hpn",
                  "dragonfly",
                  "torus",
                  "graph",
                  "hpcc"})
        .Doc("shape of the network");
    fabric.Count("hosts", &Scenario::FabricSection::hosts)
        .Range(0, 65535)
        .Doc("single-switch: endpoints; 0: as many as the job has ranks");
    fabric.Count("leaves", &Scenario::FabricSection::leaves)
        .Range(1, 65535)
        .Doc("leaf-spine: leaves");
    fabric.Count("spines", &Scenario::FabricSection::spines)
        .Range(1, 65535)
        .Doc("leaf-spine, rail-optimized: spines, each with links to every leaf; hpn: of each "
             "plane");
    fabric.Count("hosts_per_leaf", &Scenario::FabricSection::hosts_per_leaf)
        .Range(1, 65535)
        .Doc("leaf-spine: endpoints of each leaf");
    fabric.Count("links_per_pair", &Scenario::FabricSection::links_per_pair)
        .Range(1, 65535)
        .Doc("leaf-spine, rail-optimized, hpn: parallel links between a leaf and a spine");
    fabric.Count("k", &Scenario::FabricSection::k)
        .Range(2, 254)
        .Doc("fat-tree: ports per switch, even; k^3/4 endpoints");
    fabric.Number("oversubscription", &Scenario::FabricSection::oversubscription)
        .Range(0.01, 1000)
        .Doc("fat-tree: endpoints for each uplink of an edge switch; clos by radix: links down for "
             "each link up");
    fabric.Count("tiers", &Scenario::FabricSection::tiers)
        .Range(1, 8)
        .Doc("clos by radix: tiers of switches");
    fabric.Count("radix", &Scenario::FabricSection::radix)
        .Range(2, 65535)
        .Doc("clos by radix: ports of every switch");
    fabric.CountList("clos_down", &Scenario::FabricSection::clos_down)
        .Range(1, 65535)
        .Doc("clos: links down of a switch of each tier, from the edge; instead of radix");
    fabric.CountList("clos_up", &Scenario::FabricSection::clos_up)
        .Range(1, 65535)
        .Doc("clos: links up of a switch of each tier but the highest");
    fabric.Count("planes", &Scenario::FabricSection::planes)
        .Range(1, 64)
        .Doc("clos: whole networks side by side; every endpoint has a link to each");
    fabric.Count("segments", &Scenario::FabricSection::segments)
        .Range(1, 65535)
        .Doc("rail-optimized, hpn: groups of servers with ToRs of their own");
    fabric.Count("servers_per_segment", &Scenario::FabricSection::servers_per_segment)
        .Range(1, 65535)
        .Doc("rail-optimized, hpn: servers of a segment, of cluster.accelerators_per_server rails");
    fabric.Boolean("dual_tor", &Scenario::FabricSection::dual_tor)
        .Doc("rail-optimized: two ToRs per rail, a link of each accelerator to both");
    fabric.Count("groups", &Scenario::FabricSection::groups)
        .Range(0, 1048576)
        .Doc("dragonfly: groups (g); 0: as many as can be, a h + 1");
    fabric.Count("routers_per_group", &Scenario::FabricSection::routers_per_group)
        .Range(1, 65535)
        .Doc("dragonfly: routers of a group (a), all linked to each other");
    fabric.Count("hosts_per_router", &Scenario::FabricSection::hosts_per_router)
        .Range(1, 65535)
        .Doc("dragonfly: endpoints of a router (p)");
    fabric.Count("global_links", &Scenario::FabricSection::global_links)
        .Range(1, 65535)
        .Doc("dragonfly: links of a router to other groups (h)");
    fabric.Duration("global_delay", &Scenario::FabricSection::global_delay_ps)
        .Range(0, MAX_PS)
        .Doc("dragonfly: propagation delay between groups; 0: uplink_delay");
    fabric.CountList("dimensions", &Scenario::FabricSection::dimensions)
        .Range(1, 65535)
        .Doc("torus: length of each dimension; every endpoint has a switch of its own");
    fabric.Boolean("wrap", &Scenario::FabricSection::wrap)
        .Doc("torus: link the ends of each dimension; false: a mesh");
    fabric.Boolean("dimension_order", &Scenario::FabricSection::dimension_order)
        .Doc("torus: one path, along the first dimension first; false: all shortest paths");
    fabric.Model("graph", &Scenario::FabricSection::graph)
        .Doc("graph: hosts, switches and links: file name, or such an object itself");
    fabric.Text("file", &Scenario::FabricSection::file)
        .Doc("hpcc: topology file of the HPCC family or of SimAI (relative to the scenario)");
    fabric.Rate("host_rate", &Scenario::FabricSection::host_rate)
        .Range(1, 1e15)
        .Doc("rate of the endpoints' links");
    fabric.Duration("host_delay", &Scenario::FabricSection::host_delay_ps)
        .Range(1, MAX_PS)
        .Doc("propagation delay of the endpoints' links");
    fabric.Rate("uplink_rate", &Scenario::FabricSection::uplink_rate)
        .Range(1, 1e15)
        .Doc("rate of links between switches");
    fabric.Duration("uplink_delay", &Scenario::FabricSection::uplink_delay_ps)
        .Range(1, MAX_PS)
        .Doc("propagation delay of links between switches");
    fabric.Count("path_mtu", &Scenario::FabricSection::path_mtu)
        .Choices({"256", "512", "1000", "1024", "2048", "4096"})
        .Doc("RDMA payload bytes per packet (1000: as other simulators have it)");
    fabric.Boolean("floor_ns", &Scenario::FabricSection::floor_ns)
        .Doc("cut the time of each frame on a link to whole ns, as simulators on ns-3's default "
             "resolution do");
    fabric.Count("ip_mtu", &Scenario::FabricSection::ip_mtu)
        .Range(576, 9000)
        .Doc("longest IP packet of ordinary ns-3 applications and TCP");
}

void
AddSwitchFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection fabric(fields, "fabric", &Scenario::fabric);
    fabric.Bytes("buffer", &Scenario::FabricSection::buffer)
        .Range(1, 1e15)
        .Doc("packet memory of each switch");
    fabric.Bytes("reserve", &Scenario::FabricSection::reserve)
        .Range(0, 1e15)
        .Doc("part of it reserved for each port and class");
    fabric.Number("alpha", &Scenario::FabricSection::alpha)
        .Range(1.0 / 65536, 1024)
        .Doc("dynamic threshold: share of the free pool that one queue may use");
    fabric.Bytes("xon_offset", &Scenario::FabricSection::xon_offset)
        .Range(0, 1e15)
        .Doc("a paused class resumes this far below the threshold");
    fabric.Bytes("headroom", &Scenario::FabricSection::headroom)
        .Range(0, 1e15)
        .Doc("for what arrives after a pause, per port and lossless class; 0: computed from "
             "rate, delay and MTU");
    fabric.Boolean("pfc", &Scenario::FabricSection::pfc)
        .Doc("priority flow control; false: no class is lossless");
    fabric.CountList("lossless_classes", &Scenario::FabricSection::lossless_classes)
        .Range(0, 7)
        .Doc("traffic classes that PFC protects");
    fabric.CountList("strict_classes", &Scenario::FabricSection::strict_classes)
        .Range(0, 7)
        .Doc("traffic classes that go before all others at every port, the highest first");
    fabric.CountList("class_weights", &Scenario::FabricSection::class_weights)
        .Range(1, FabricPort::MAX_WEIGHT)
        .Doc("shares of the other classes, 0 to 7, where several have something to send: eight "
             "numbers in proportion; empty: equal shares");
    fabric.Boolean("ecn", &Scenario::FabricSection::ecn).Doc("switches mark congestion (RED)");
    fabric.Bytes("ecn_kmin", &Scenario::FabricSection::ecn_kmin)
        .Range(0, 1e15)
        .Doc("queue below which nothing is marked; 0: 100 kB per 25 Gb/s, or as dctcp and "
             "nscc want");
    fabric.Bytes("ecn_kmax", &Scenario::FabricSection::ecn_kmax)
        .Range(0, 1e15)
        .Doc("queue above which everything is marked; 0: 400 kB per 25 Gb/s, or as dctcp and "
             "nscc want");
    fabric.Number("ecn_pmax", &Scenario::FabricSection::ecn_pmax)
        .Range(0, 1)
        .Doc("marking probability at ecn_kmax");
    fabric.Boolean("ecn_mark_at_dequeue", &Scenario::FabricSection::ecn_mark_at_dequeue)
        .Doc("mark when a frame leaves the queue instead of when it joins");
    fabric.Number("loss_rate", &Scenario::FabricSection::loss_rate)
        .Range(0, 1)
        .Doc("probability that a link loses a frame");
    fabric.Count("loss_interval", &Scenario::FabricSection::loss_interval)
        .Range(0, 1e15)
        .Doc("one of so many data packets that arrive at an endpoint is lost, without chance; 0: "
             "none");
    fabric.Duration("reconvergence", &Scenario::FabricSection::reconvergence_ps)
        .Range(0, MAX_PS)
        .Doc("time from a link's going down or coming up until routes follow; till then, what is "
             "sent over a dead link is lost");
}

} // namespace llm
} // namespace ns3
