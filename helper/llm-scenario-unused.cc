/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-unused.h"

#include "llm-scenario-paths.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

/** Fields that one value of another field has no use for. */
struct Rule
{
    bool off;                        //!< whether it has
    std::string why;                 //!< that field and its value
    std::vector<std::string> fields; //!< paths
};

} // namespace

std::string
DescribeUnusedFields(const Scenario& scenario)
{
    const Scenario::FabricSection& fabric = scenario.fabric;
    const Scenario::SwitchSection& switches = scenario.switches;
    const std::string topology = "fabric.topology is " + fabric.topology;
    const bool rails = fabric.topology == "rail-optimized" || fabric.topology == "hpn";
    // Only lossy classes are trimmed; other lists of traffic may have some.
    const uint32_t dataClass = scenario.transport.traffic_class;
    const bool lossless =
        fabric.pfc && scenario.jobs.empty() && scenario.background.empty() &&
        scenario.incasts.empty() && scenario.workload.format != "flows" &&
        std::find(fabric.lossless_classes.begin(), fabric.lossless_classes.end(), dataClass) !=
            fabric.lossless_classes.end();
    const bool ownServers = fabric.topology != "hpcc" && fabric.topology != "graph";
    const bool counts = fabric.topology == "clos" && !fabric.clos_down.empty();
    const std::vector<Rule> rules{
        {fabric.topology != "single-switch", topology, {"fabric.hosts"}},
        {fabric.topology != "leaf-spine", topology, {"fabric.leaves", "fabric.hosts_per_leaf"}},
        {fabric.topology != "leaf-spine" && !rails,
         topology,
         {"fabric.spines", "fabric.links_per_pair"}},
        {fabric.topology != "fat-tree", topology, {"fabric.k"}},
        {fabric.topology != "clos",
         topology,
         {"fabric.clos_down", "fabric.clos_up", "fabric.planes"}},
        {fabric.topology != "clos" || counts,
         counts ? "fabric.clos_down is given" : topology,
         {"fabric.tiers", "fabric.radix"}},
        {fabric.topology != "fat-tree" && (fabric.topology != "clos" || counts),
         counts ? "fabric.clos_down is given" : topology,
         {"fabric.oversubscription"}},
        {!rails, topology, {"fabric.segments", "fabric.servers_per_segment"}},
        {fabric.topology != "rail-optimized", topology, {"fabric.dual_tor"}},
        {fabric.topology != "dragonfly",
         topology,
         {"fabric.groups",
          "fabric.routers_per_group",
          "fabric.hosts_per_router",
          "fabric.global_links",
          "fabric.global_delay"}},
        {fabric.topology != "torus",
         topology,
         {"fabric.dimensions", "fabric.wrap", "fabric.dimension_order"}},
        {fabric.topology != "graph", topology, {"fabric.graph"}},
        {fabric.topology != "hpcc", topology, {"fabric.file"}},
        {fabric.topology == "hpcc", topology, {"fabric.host_rate", "fabric.host_delay"}},
        {fabric.topology == "single-switch" || fabric.topology == "hpcc",
         topology,
         {"fabric.uplink_rate", "fabric.uplink_delay"}},
        {scenario.workload.format != "pattern",
         "workload.format is " + scenario.workload.format,
         {"workload.pattern",
          "workload.bytes",
          "workload.fan_in",
          "workload.start",
          "workload.stagger"}},
        {!fabric.pfc, "fabric.pfc is false", {"fabric.lossless_classes", "fabric.headroom"}},
        {!switches.trimming, "fabric.trimming is false", {"fabric.trim_class"}},
        {switches.trimming && lossless,
         "class " + std::to_string(dataClass) + " is lossless",
         {"fabric.trimming"}},
        {switches.trimming && !lossless && switches.trim_class == dataClass,
         "fabric.trim_class is the class of the data",
         {"fabric.trimming"}},
        {ownServers && scenario.cluster.accelerators_per_server == 1,
         "cluster.accelerators_per_server is 1",
         {"cluster.scale_up", "cluster.scale_up_bandwidth", "cluster.scale_up_latency"}},
        {switches.buffer_policy != "static",
         "fabric.buffer_policy is " + switches.buffer_policy,
         {"fabric.static_threshold"}},
        {switches.buffer_policy == "static",
         "fabric.buffer_policy is static",
         {"fabric.alpha", "fabric.egress_alpha"}},
        {switches.buffer_model != "pools",
         "fabric.buffer_model is " + switches.buffer_model,
         {"fabric.xon",
          "fabric.ingress_pool",
          "fabric.egress_lossless_pool",
          "fabric.egress_lossy_pool",
          "fabric.egress_reserve",
          "fabric.egress_alpha"}},
        {switches.pfc_watchdog == "off",
         "fabric.pfc_watchdog is off",
         {"fabric.pfc_watchdog_detection",
          "fabric.pfc_watchdog_restoration",
          "fabric.pfc_watchdog_poll"}},
        {!fabric.pfc,
         "fabric.pfc is false",
         {"fabric.pfc_watchdog", "fabric.headroom_oversubscription"}},
        {scenario.transport.kind == "rdma" && scenario.transport.verb != "read",
         "transport.verb is not read",
         {"transport.max_reads"}},
        {!fabric.ecn,
         "fabric.ecn is false",
         {"fabric.ecn_kmin", "fabric.ecn_kmax", "fabric.ecn_pmax", "fabric.ecn_mark_at_dequeue"}},
        {!HasHash(scenario),
         "fabric.load_balancing is " + fabric.load_balancing,
         {"fabric.ecmp_seed", "fabric.ecmp_hash", "fabric.ecmp_hash_queue_pair"}},
        {scenario.transport.kind != "rdma",
         "transport.kind is " + scenario.transport.kind,
         {"transport.ack_interval",
          "transport.verb",
          "transport.max_reads",
          "transport.port_selection",
          "transport.transmit_delay",
          "transport.receive_delay",
          "transport.ack_delay",
          "transport.cnp_delay",
          "transport.reliability",
          "transport.reliability_attributes",
          "transport.timers",
          "transport.timeout",
          "transport.retry_count",
          "transport.traffic_class",
          "transport.path_selector",
          "transport.path_selector_attributes",
          "transport.path_pins"}},
        {scenario.parallelism.context_parallel_size == 1,
         "parallelism.context_parallel_size is 1",
         {"parallelism.cp_comm_type", "parallelism.hierarchical_context_parallel_size"}},
        {scenario.output.folder.empty(), "output.folder is empty", {"output.pcap"}},
    };
    // One list for each reason.
    std::vector<std::pair<std::string, std::string>> lists;
    for (const Rule& rule : rules)
    {
        for (const std::string& field : rule.fields)
        {
            if (!rule.off || scenario.given.count(field) == 0)
            {
                continue;
            }
            const auto same = std::find_if(lists.begin(), lists.end(), [&rule](const auto& list) {
                return list.first == rule.why;
            });
            if (same == lists.end())
            {
                lists.emplace_back(rule.why, field);
            }
            else
            {
                same->second += ", " + field;
            }
        }
    }
    std::string text;
    for (const auto& [why, list] : lists)
    {
        text += (text.empty() ? "" : "; ") + list + " (" + why + ")";
    }
    return text;
}

} // namespace llm
} // namespace ns3
