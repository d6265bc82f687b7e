/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_IMPORT_H
#define LLM_SCENARIO_IMPORT_H

#include "fabric-topology.h"
#include "llm-scenario.h"

#include "ns3/llm-accelerator.h"
#include "ns3/llm-imported-workload.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

namespace ns3
{
namespace llm
{

class ScenarioWorkload;

/**
 * @ingroup llm-training
 *
 * Read the workload that a scenario names.
 * @param scenario its workload.format is not "model".
 * @param accelerator for computations whose time is not said.
 * @param topology of the fabric: its endpoints are the ranks of a file that does not say how many,
 *        unless the scenario does.
 * @return the workload.
 * @throw ConfigError if there is no such file, if something in it is wrong, or if it has another
 *        number of ranks than the scenario.
 */
std::shared_ptr<const ImportedWorkload> ReadScenarioImport(const Scenario& scenario,
                                                           const Accelerator& accelerator,
                                                           const FabricTopology& topology);

/**
 * @ingroup llm-training
 *
 * Write what a scenario trains as Chakra execution traces.
 * @param workload what.
 * @param prefix of the files' names.
 * @param out gets a line about it.
 * @throw ConfigError if that cannot be done.
 */
void ExportChakra(const ScenarioWorkload& workload, const std::string& prefix, std::ostream& out);

/**
 * @ingroup llm-training
 *
 * Write what a scenario trains as a GOAL schedule, its collectives by the scenario's algorithms.
 * @param workload what.
 * @param fileName where to.
 * @param out gets a line about it.
 * @throw ConfigError if that cannot be done.
 */
void ExportGoal(const ScenarioWorkload& workload, const std::string& fileName, std::ostream& out);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_IMPORT_H
