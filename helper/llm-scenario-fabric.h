/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_FABRIC_H
#define LLM_SCENARIO_FABRIC_H

#include "fabric-topology.h"
#include "llm-scenario.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Settle how many endpoints make a server, where the scenario does not say it but its topology
 * file or its kind of workload does: hosts of flows are servers of their own. From files that know
 * of scale-up links, their speed is taken, too.
 * @param scenario whose.
 * @return it with cluster.accelerators_per_server as it will be used.
 * @throw ConfigError if scenario and file disagree.
 */
Scenario ResolveScenarioServers(const Scenario& scenario);

/**
 * @param scenario what is wanted.
 * @param ranks of the job, for a single switch whose size is not given.
 * @return the topology, with links and switches as the scenario has them.
 * @throw ConfigError if no such topology can be built.
 */
std::unique_ptr<FabricTopology> MakeScenarioTopology(const Scenario& scenario, uint32_t ranks);

/**
 * @param scenario what is wanted.
 * @param topology as MakeScenarioTopology gives it.
 * @return the network, built, with ECN, PFC and losses as the scenario has them.
 * @throw ConfigError if a switch's buffer cannot hold its headroom, ECN thresholds contradict
 *        each other, or servers do not come out whole.
 */
FabricNetwork BuildScenarioFabric(const Scenario& scenario, const FabricTopology& topology);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_FABRIC_H
