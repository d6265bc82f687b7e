/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_PATHS_H
#define LLM_SCENARIO_PATHS_H

#include "fabric-topology.h"
#include "llm-scenario.h"

#include "ns3/llm-fabric.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-path-selector.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @param scenario what is wanted.
 * @return makes the load balancer of each switch.
 * @throw ConfigError for an unknown name or attribute, and for pins that no table is for.
 */
ObjectFactory MakeScenarioLoadBalancers(const Scenario& scenario);

/**
 * Write fabric.pins into the tables of the switches.
 * @param scenario what is wanted.
 * @param fabric built.
 * @throw ConfigError for switches and endpoints that do not exist.
 */
void PinScenarioRoutes(const Scenario& scenario, const Fabric& fabric);

/**
 * @param scenario what is wanted.
 * @param ranks of the job.
 * @return path selector of all queue pairs.
 * @throw ConfigError for an unknown name or attribute, and for pins that cannot be.
 */
Ptr<RdmaPathSelector> MakeScenarioPathSelector(const Scenario& scenario, uint32_t ranks);

/**
 * @param network after a run.
 * @return what load balancers and path selectors have counted, summed by name.
 */
std::vector<std::pair<std::string, uint64_t>> CollectPathCounters(const FabricNetwork& network);

/** @param scenario valid. @return whether the load balancers have a use for a hash. */
bool HasHash(const Scenario& scenario);

/** @param scenario valid. @return "ecmp at switches, single at senders". */
std::string DescribeScenarioPaths(const Scenario& scenario);

/** @param scenario valid. @return what packets that overtake each other do to a reliability that is
 *  not made for it; empty if nothing. */
std::string WarnOfReordering(const Scenario& scenario);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_PATHS_H
