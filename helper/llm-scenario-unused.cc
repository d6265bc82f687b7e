/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-unused.h"

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
    const std::string topology = "fabric.topology is " + fabric.topology;
    const std::vector<Rule> rules{
        {fabric.topology != "single-switch", topology, {"fabric.hosts"}},
        {fabric.topology != "leaf-spine",
         topology,
         {"fabric.leaves", "fabric.spines", "fabric.hosts_per_leaf"}},
        {fabric.topology != "fat-tree", topology, {"fabric.k"}},
        {fabric.topology == "single-switch",
         topology,
         {"fabric.uplink_rate", "fabric.uplink_delay"}},
        {!fabric.pfc, "fabric.pfc is false", {"fabric.lossless_classes", "fabric.headroom"}},
        {!fabric.ecn,
         "fabric.ecn is false",
         {"fabric.ecn_kmin", "fabric.ecn_kmax", "fabric.ecn_pmax", "fabric.ecn_mark_at_dequeue"}},
        {scenario.transport.kind != "rdma",
         "transport.kind is " + scenario.transport.kind,
         {"transport.ack_interval", "transport.traffic_class"}},
        {scenario.parallelism.context_parallel_size == 1,
         "parallelism.context_parallel_size is 1",
         {"parallelism.cp_comm_type", "parallelism.hierarchical_context_parallel_size"}},
        {scenario.output.folder.empty(), "output.folder is empty", {"output.pcap"}},
    };
    std::string text;
    for (const Rule& rule : rules)
    {
        std::string list;
        for (const std::string& field : rule.fields)
        {
            if (rule.off && scenario.given.count(field) > 0)
            {
                list += (list.empty() ? "" : ", ") + field;
            }
        }
        if (!list.empty())
        {
            text += (text.empty() ? "" : "; ") + list + " (" + rule.why + ")";
        }
    }
    return text;
}

} // namespace llm
} // namespace ns3
