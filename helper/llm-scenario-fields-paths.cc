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

namespace
{

using RoutePin = Scenario::RoutePin;
using PathPin = Scenario::PathPin;

/** @return fields of an element of fabric.pins. */
const std::vector<ScenarioField>&
GetRoutePinFields()
{
    static const std::vector<ScenarioField> fields = [] {
        std::vector<ScenarioField> made;
        ScenarioFieldSection<RoutePin> pin(made);
        pin.Text("switch", &RoutePin::at)
            .Doc("name of the switch (leaf0); not given: every switch with several ways");
        pin.Count("source", &RoutePin::source)
            .Range(0, MAX_RANKS)
            .Doc("endpoint that sends; not given: any");
        pin.Count("destination", &RoutePin::destination)
            .Range(0, MAX_RANKS)
            .Doc("endpoint that receives; not given: any");
        pin.Count("queue_pair", &RoutePin::queue_pair)
            .Range(0, 16777215)
            .Doc("destination queue pair number; not given: any");
        pin.Count("uplink", &RoutePin::uplink)
            .Range(0, 65535)
            .Required()
            .Doc("which of the equal-cost ports, in the order of their indices, modulo their "
                 "number");
        return made;
    }();
    return fields;
}

/** @return fields of an element of transport.path_pins. */
const std::vector<ScenarioField>&
GetPathPinFields()
{
    static const std::vector<ScenarioField> fields = [] {
        std::vector<ScenarioField> made;
        ScenarioFieldSection<PathPin> pin(made);
        pin.Count("source", &PathPin::source)
            .Range(0, MAX_RANKS)
            .Doc("rank that sends; not given: any");
        pin.Count("destination", &PathPin::destination)
            .Range(0, MAX_RANKS)
            .Doc("rank that receives; not given: any");
        pin.Count("channel", &PathPin::channel)
            .Range(0, 65535)
            .Doc("channel of the connection; not given: any");
        pin.Count("entropy", &PathPin::entropy)
            .Range(1, 65535)
            .Doc("UDP source port; either this or path");
        pin.Count("path", &PathPin::path)
            .Range(0, MAX_COUNT)
            .Doc("number of the path: the place that the first switch chooses varies fastest");
        return made;
    }();
    return fields;
}

} // namespace

void
AddPathFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection fabric(fields, "fabric", &Scenario::fabric);
    fabric.Text("load_balancing", &Scenario::FabricSection::load_balancing)
        .Doc("how switches choose among equal paths: ecmp, static, flowlet, spray_random, "
             "spray_round_robin, adaptive, or the TypeId of a FabricLoadBalancer");
    fabric.Map("load_balancing_attributes", &Scenario::FabricSection::load_balancing_attributes)
        .Doc("its ns-3 attributes, e.g. {\"Gap\": \"50us\"}");
    fabric.Count("ecmp_seed", &Scenario::FabricSection::ecmp_seed)
        .Range(0, 9007199254740992.0)
        .Doc("hash seed of all switches; 0: each has its own");
    fabric.Text("ecmp_hash", &Scenario::FabricSection::ecmp_hash)
        .Doc("hash function: mix, crc32, crc16, murmur3, xor, or the TypeId of a FabricHash");
    fabric.Boolean("ecmp_hash_queue_pair", &Scenario::FabricSection::ecmp_hash_queue_pair)
        .Doc("hash the destination QP too");
    fabric.List("pins", &Scenario::FabricSection::pins, GetRoutePinFields)
        .Doc("static: flows that switches send over a certain one of their equal-cost ports");
}

void
AddPathSelectorFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection transport(fields, "transport", &Scenario::transport);
    transport.Text("path_selector", &Scenario::Transport::path_selector)
        .Doc("rdma: how senders choose the UDP source port, which switches hash: single, pinned, "
             "spray, round_robin, reps, or the TypeId of an RdmaPathSelector");
    transport.Map("path_selector_attributes", &Scenario::Transport::path_selector_attributes)
        .Doc("rdma: its ns-3 attributes, e.g. {\"Entropies\": \"256\"}");
    transport.List("path_pins", &Scenario::Transport::path_pins, GetPathPinFields)
        .Doc("pinned: connections with a certain source port or path");
}

} // namespace llm
} // namespace ns3
