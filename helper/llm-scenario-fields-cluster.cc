/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-placement-pool.h"
#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"

namespace ns3
{
namespace llm
{

void
AddClusterFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection cluster(fields, "cluster", &Scenario::cluster);
    cluster.Count("accelerators", &Scenario::Cluster::accelerators)
        .Range(0, MAX_RANKS)
        .Doc("ranks of the job; 0: TP x PP x CP x DP where data_parallel_size is given, else "
             "every endpoint of the fabric");
    cluster.Count("accelerators_per_server", &Scenario::Cluster::accelerators_per_server)
        .Range(1, MAX_RANKS)
        .Doc("endpoints that share a scale-up domain; 1: none do");
    cluster.Choice("scale_up", &Scenario::Cluster::scale_up)
        .Choices({"analytic", "switch", "mesh"})
        .Doc("scale-up domain: a formula, or packets over a switch per server or over a link "
             "between "
             "every two of its accelerators");
    ScenarioFieldSection acceleratorOfCluster(fields, "cluster", &Scenario::accelerator);
    acceleratorOfCluster.Rate("scale_up_bandwidth", &AcceleratorConfig::scale_up_bits_per_second)
        .Range(0, 1e18)
        .Doc("scale-up link of each accelerator, one direction; 0: preset");
    cluster.Duration("scale_up_latency", &Scenario::Cluster::scale_up_latency_ps)
        .Range(0, MAX_PS)
        .Doc("latency of a message in the scale-up domain");
    cluster.Choice("placement_policy", &Scenario::Cluster::placement_policy)
        .Choices(PlacementPool::GetPolicies())
        .Doc("endpoints of the ranks: packed in order, spread over the leaves in turn, random "
             "by seed and run, or the list in placement");
    cluster.CountList("placement", &Scenario::Cluster::placement)
        .Range(0, MAX_RANKS)
        .Doc("endpoint of each rank; empty: by placement_policy");
}

} // namespace llm
} // namespace ns3
