/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-import.h"

#include "llm-error-context.h"
#include "llm-scenario-files.h"
#include "llm-scenario-workload.h"

#include "ns3/llm-chakra-workload.h"
#include "ns3/llm-chakra-writer.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-flow-file.h"
#include "ns3/llm-flow-pattern.h"
#include "ns3/llm-flow-workload.h"
#include "ns3/llm-goal-workload.h"
#include "ns3/llm-goal-writer.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-simai-workload.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <fstream>

namespace ns3
{
namespace llm
{

namespace
{

/** @return the flows that stand in a scenario. */
FlowList
ListFlows(const Scenario& scenario)
{
    FlowList list;
    list.source = scenario.source;
    list.kind = "flows";
    for (std::size_t i = 0; i < scenario.workload.flows.size(); ++i)
    {
        const Scenario::FlowEntry& entry = scenario.workload.flows[i];
        if (entry.from == entry.to)
        {
            throw ConfigError(scenario.source,
                              "workload.flows[" + std::to_string(i) + "].to",
                              "a flow from " + std::to_string(entry.from) + " to itself");
        }
        const uint32_t trafficClass =
            entry.given.count("class") > 0 ? entry.traffic_class : scenario.transport.traffic_class;
        list.flows.push_back({entry.from,
                              entry.to,
                              entry.bytes,
                              entry.start_ps,
                              static_cast<uint8_t>(trafficClass)});
        list.ranks = std::max({list.ranks, entry.from + 1, entry.to + 1});
    }
    return list;
}

/** @return the flows of a scenario's pattern. */
FlowList
MakePattern(const Scenario& scenario, uint32_t ranks)
{
    constexpr uint64_t stream = 0x666c6f77; // of the random numbers of patterns
    const Scenario::Workload& workload = scenario.workload;
    FlowPattern::Settings settings;
    settings.ranks = ranks;
    settings.bytes = workload.bytes;
    settings.startPs = workload.start_ps;
    settings.staggerPs = workload.stagger_ps;
    settings.fanIn = workload.fan_in;
    settings.trafficClass = static_cast<uint8_t>(scenario.transport.traffic_class);
    settings.key = Philox::MakeKey(static_cast<uint32_t>(scenario.seed), scenario.run, stream);
    return FlowPattern::Make(workload.pattern, settings, scenario.source);
}

/** @return flows as a workload. @param topology names the hosts that a file speaks of. */
std::shared_ptr<const ImportedWorkload>
ReadFlows(const Scenario& scenario, const FabricTopology& topology)
{
    const Scenario::Workload& workload = scenario.workload;
    const bool endless = scenario.fabric.topology == "single-switch" && scenario.fabric.hosts == 0;
    const uint32_t wanted = scenario.cluster.accelerators;
    const uint32_t ranks = wanted > 0 ? wanted : endless ? 0 : topology.GetEndpointCount();
    if (workload.format == "pattern")
    {
        if (ranks == 0)
        {
            throw ConfigError(
                scenario.source,
                "cluster.accelerators",
                "must be given, or fabric.hosts: a pattern has as many ranks as there "
                "are");
        }
        return std::make_shared<FlowWorkload>(MakePattern(scenario, ranks), ranks);
    }
    if (workload.flows.empty() == workload.file.empty())
    {
        throw ConfigError(scenario.source,
                          "workload.flows",
                          workload.file.empty() ? "is missing: list flows, or name a workload.file"
                                                : "stands beside workload.file; leave one out");
    }
    if (!workload.flows.empty())
    {
        return std::make_shared<FlowWorkload>(ListFlows(scenario), ranks);
    }
    const FlowList list =
        FlowFile::Read(FindFileOfScenario(scenario, "workload.file", workload.file, "workloads"),
                       topology.GetEndpointNumbers(),
                       static_cast<uint8_t>(scenario.transport.traffic_class));
    return std::make_shared<FlowWorkload>(list, ranks);
}

} // namespace

std::shared_ptr<const ImportedWorkload>
ReadScenarioImport(const Scenario& scenario,
                   const Accelerator& accelerator,
                   const FabricTopology& topology)
{
    const Scenario::Workload& workload = scenario.workload;
    const uint32_t wanted = scenario.cluster.accelerators;
    if (workload.format == "flows" || workload.format == "pattern")
    {
        return ReadFlows(scenario, topology);
    }
    const std::string file =
        FindFileOfScenario(scenario, "workload.file", workload.file, "workloads", ".0.et");
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
            workload.groups.empty()
                ? ""
                : FindFileOfScenario(scenario, "workload.groups", workload.groups, "workloads");
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
        const uint32_t ranks = read.ranks > 0 ? 0
                               : wanted > 0   ? wanted
                                              : topology.GetEndpointCount();
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
