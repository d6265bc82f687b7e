/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-import.h"

#include "llm-error-context.h"
#include "llm-scenario-workload.h"
#include "llm-shipped-files.h"

#include "ns3/llm-chakra-workload.h"
#include "ns3/llm-chakra-writer.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-goal-workload.h"
#include "ns3/llm-goal-writer.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/llm-simai-workload.h"
#include "ns3/llm-units.h"

#include <filesystem>
#include <fstream>

namespace ns3
{
namespace llm
{

namespace
{

/** @return whether there is a file of that name, or traces of that prefix. */
bool
Exists(const std::string& name)
{
    std::error_code error;
    return std::filesystem::is_regular_file(name, error) ||
           std::filesystem::is_regular_file(name + ".0.et", error);
}

/** @return the file that a field names. @param path of the field. @param name its value. */
std::string
FindFile(const Scenario& scenario, const std::string& path, const std::string& name)
{
    if (name.empty())
    {
        throw ConfigError(scenario.source, path, "is missing: which file?");
    }
    const std::string beside = name.substr(0, 1) == "/" ? name : scenario.directory + name;
    for (const auto& candidate : {beside, name, GetShippedFolder("workloads") + "/" + name})
    {
        if (Exists(candidate))
        {
            return candidate;
        }
    }
    throw ConfigError(scenario.source, path, "there is no file " + beside);
}

} // namespace

std::shared_ptr<const ImportedWorkload>
ReadScenarioImport(const Scenario& scenario, const Accelerator& accelerator, uint32_t endpoints)
{
    const Scenario::Workload& workload = scenario.workload;
    const uint32_t wanted = scenario.cluster.accelerators;
    const std::string file = FindFile(scenario, "workload.file", workload.file);
    if (!workload.groups.empty() && workload.format != "chakra")
    {
        throw ConfigError(scenario.source,
                          "workload.groups",
                          "is for chakra only; workload.format is '" + workload.format + "'");
    }
    std::shared_ptr<const ImportedWorkload> imported;
    if (workload.format == "goal")
    {
        imported = std::make_shared<GoalWorkload>(file);
    }
    else if (workload.format == "chakra")
    {
        const std::string groups =
            workload.groups.empty() ? "" : FindFile(scenario, "workload.groups", workload.groups);
        imported = std::make_shared<ChakraWorkload>(file, groups, accelerator);
    }
    else
    {
        const SimaiFile read = SimaiFile::Read(file);
        const bool endless =
            scenario.fabric.topology == "single-switch" && scenario.fabric.hosts == 0;
        if (read.ranks == 0 && wanted == 0 && endless)
        {
            throw ConfigError(scenario.source,
                              "cluster.accelerators",
                              "must be given: " + file + " does not say for how many ranks it is");
        }
        const uint32_t ranks = read.ranks > 0 ? 0 : wanted > 0 ? wanted : endpoints;
        imported = std::make_shared<SimaiWorkload>(read, ranks);
    }
    if (wanted > 0 && wanted != imported->GetWorldSize())
    {
        throw ConfigError(scenario.source,
                          "cluster.accelerators",
                          "is " + std::to_string(wanted) + ", but " + file + " is for " +
                              std::to_string(imported->GetWorldSize()) + " ranks");
    }
    return imported;
}

void
ExportChakra(const ScenarioWorkload& workload, const std::string& prefix, std::ostream& out)
{
    const auto source = workload.GetSource();
    const uint64_t nodes = ChakraWriter(*source).Write(prefix);
    out << "Chakra: " << source->GetWorldSize() << " files " << prefix << ".0.et ..., " << nodes
        << " nodes; one iteration, collectives as they are" << std::endl;
}

void
ExportGoal(const ScenarioWorkload& workload, const std::string& fileName, std::ostream& out)
{
    const Scenario& scenario = workload.GetScenario();
    const auto source = workload.GetSource();
    std::ofstream file(fileName, std::ios::binary | std::ios::trunc);
    if (!file)
    {
        throw ConfigError(fileName, "", "cannot be written");
    }
    const GoalWriter writer(
        *source,
        scenario.collectives.channels,
        [&workload, &scenario](CollectiveSpec& spec, const ProcessGroup& group, ParallelDimension) {
            spec.ranksPerNode = GetRanksPerNode(group.ranks, workload.GetServers());
            const CollectiveSelector::CollectivePlan plan = workload.Choose(spec);
            if (plan.protocol != NcclProtocol::NONE)
            {
                throw ConfigError(scenario.source,
                                  "collectives.protocol",
                                  "GOAL has no words for NCCL's protocols; export with "
                                  "--set collectives.protocol=none");
            }
            return plan.algorithm;
        });
    const GoalWriter::Totals totals = writer.Write(
        file,
        (scenario.name.empty() ? scenario.source : scenario.name) + ", written by llm-training");
    file.close();
    if (!file)
    {
        throw ConfigError(fileName, "", "cannot be written");
    }
    out << "GOAL: " << fileName << ", " << source->GetWorldSize() << " ranks, " << totals.sends
        << " sends of " << totals.bytes << " B, " << totals.receives << " receives, "
        << totals.calcs << " calcs; one iteration, collectives by the scenario's algorithms"
        << std::endl;
}

} // namespace llm
} // namespace ns3
