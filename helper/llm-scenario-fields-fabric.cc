/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"

namespace ns3
{
namespace llm
{

void
AddTopologyFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection fabric(fields, "fabric", &Scenario::fabric);
    fabric.Choice("topology", &Scenario::FabricSection::topology)
        .Choices({"single-switch", "leaf-spine", "fat-tree"})
        .Doc("shape of the network");
    fabric.Count("hosts", &Scenario::FabricSection::hosts)
        .Range(0, 65535)
        .Doc("single-switch: endpoints; 0: as many as the job has ranks");
    fabric.Count("leaves", &Scenario::FabricSection::leaves)
        .Range(1, 65535)
        .Doc("leaf-spine: leaves");
    fabric.Count("spines", &Scenario::FabricSection::spines)
        .Range(1, 65535)
        .Doc("leaf-spine: spines, each with a link to every leaf");
    fabric.Count("hosts_per_leaf", &Scenario::FabricSection::hosts_per_leaf)
        .Range(1, 65535)
        .Doc("leaf-spine: endpoints of each leaf");
    fabric.Count("k", &Scenario::FabricSection::k)
        .Range(2, 254)
        .Doc("fat-tree: ports per switch, even; k^3/4 endpoints");
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
        .Choices({"256", "512", "1024", "2048", "4096"})
        .Doc("RDMA payload bytes per packet");
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
    fabric.Count("ecmp_seed", &Scenario::FabricSection::ecmp_seed)
        .Range(0, 9007199254740992.0)
        .Doc("hash seed of all switches; 0: each has its own");
    fabric.Boolean("ecmp_hash_queue_pair", &Scenario::FabricSection::ecmp_hash_queue_pair)
        .Doc("hash the destination QP too");
    fabric.Number("loss_rate", &Scenario::FabricSection::loss_rate)
        .Range(0, 0.5)
        .Doc("probability that a link loses a frame");
}

} // namespace llm
} // namespace ns3
