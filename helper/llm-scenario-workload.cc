/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-workload.h"

#include "llm-error-context.h"
#include "llm-scenario-fabric.h"
#include "llm-scenario-import.h"
#include "llm-scenario-model.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/llm-philox.h"

#include <algorithm>
#include <functional>

namespace ns3
{
namespace llm
{

namespace
{
constexpr double AUTO_LATENCY_PS = 5e6; //!< per step, that collectives named "auto" reckon with
constexpr uint64_t JITTER_STREAM = 0x6a697474; //!< of the random numbers of compute times

/** @return the accelerator with measured times read and the jitter's seed drawn. */
AcceleratorConfig
ResolveAccelerator(const Scenario& scenario)
{
    AcceleratorConfig config = scenario.accelerator;
    config.jitter_seed = Philox::MakeKey(static_cast<uint32_t>(scenario.seed),
                                         scenario.run,
                                         JITTER_STREAM + scenario.job);
    const std::string& times = scenario.measured_times;
    if (times.substr(0, 1) == "{")
    {
        config.measured_times =
            MeasuredTimes::ParseText(times, scenario.source, "accelerator.measured_times");
    }
    else if (!times.empty())
    {
        config.measured_times =
            MeasuredTimes::ReadFile(times.substr(0, 1) == "/" ? times : scenario.directory + times);
    }
    return config;
}

/** @return the field of a kind. */
template <typename C>
auto&
NameOf(C& collectives, CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return collectives.all_reduce;
    case CollectiveKind::ALL_GATHER:
        return collectives.all_gather;
    case CollectiveKind::REDUCE_SCATTER:
        return collectives.reduce_scatter;
    case CollectiveKind::BROADCAST:
        return collectives.broadcast;
    case CollectiveKind::REDUCE:
        return collectives.reduce;
    case CollectiveKind::ALL_TO_ALL:
        break;
    }
    return collectives.all_to_all;
}

} // namespace

const std::string&
GetAlgorithmName(const Scenario::Collectives& collectives, CollectiveKind kind)
{
    return NameOf(collectives, kind);
}

void
SetAlgorithmName(Scenario::Collectives& collectives,
                 CollectiveKind kind,
                 const std::string& algorithm)
{
    NameOf(collectives, kind) = algorithm;
}

CollectiveSelector::Wish
GetCollectiveWish(const Scenario::Collectives& collectives, CollectiveKind kind)
{
    return {GetAlgorithmName(collectives, kind),
            collectives.channels,
            collectives.slice_bytes,
            collectives.protocol};
}

std::shared_ptr<CollectiveSelector>
MakeScenarioSelector(const Scenario& scenario, uint64_t scaleUpBitsPerSecond)
{
    const auto networkRate = static_cast<double>(scenario.fabric.host_rate);
    auto selector = std::make_shared<CollectiveSelector>(AUTO_LATENCY_PS, networkRate);
    selector->SetNcclCostModel(
        NcclCostModel(static_cast<double>(scaleUpBitsPerSecond), networkRate));
    return selector;
}

std::vector<uint32_t>
GetScenarioServers(const Scenario& scenario, uint32_t ranks)
{
    std::vector<uint32_t> servers;
    const uint32_t perServer = scenario.cluster.accelerators_per_server;
    if (perServer <= 1)
    {
        return servers;
    }
    const std::vector<uint32_t>& placement = scenario.cluster.placement;
    servers.reserve(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        servers.push_back((rank < placement.size() ? placement[rank] : rank) / perServer);
    }
    return servers;
}

ScenarioWorkload::ScenarioWorkload(const Scenario& scenario)
    : m_scenario(ResolveScenarioServers(scenario)),
      m_accelerator(ResolveAccelerator(scenario), scenario.source, "accelerator")
{
    if (scenario.workload.format == "model")
    {
        for (const char* path : {"workload.file", "workload.groups", "workload.flows"})
        {
            if (scenario.given.count(path) > 0)
            {
                throw ConfigError(scenario.source,
                                  path,
                                  "needs workload.format: simai, chakra, goal or flows");
            }
        }
        MakeStep(ReadScenarioModel(scenario));
    }
    else
    {
        Import();
    }
}

ScenarioWorkload::ScenarioWorkload(const Scenario& scenario, const ModelConfig& model)
    : m_scenario(scenario),
      m_accelerator(ResolveAccelerator(scenario), scenario.source, "accelerator")
{
    MakeStep(model);
}

void
ScenarioWorkload::MakeStep(const ModelConfig& model)
{
    const std::string& source = m_scenario.source;
    const uint32_t wanted = GetWantedRanks();
    const uint32_t ranks =
        wanted > 0 ? wanted : MakeScenarioTopology(m_scenario, 1)->GetEndpointCount();
    const ParallelLayout layout(m_scenario.parallelism, ranks, source, "parallelism");
    TrainingConfig training = m_scenario.training;
    if (training.moe_token_dispatcher_type == "flex" && training.moe_ranks_per_node == 0)
    {
        training.moe_ranks_per_node = m_scenario.cluster.accelerators_per_server;
    }
    WithContext(source, "training", [&] {
        m_step = std::make_shared<TrainingStep>(model,
                                                layout,
                                                training,
                                                m_accelerator,
                                                source,
                                                "training");
    });
    MakeSelector();
    m_model = std::make_unique<TrafficModel>(*m_step, GetChooser());
}

void
ScenarioWorkload::Import()
{
    for (const auto& path : m_scenario.given)
    {
        for (const char* section : {"model.", "parallelism.", "training."})
        {
            if (path.compare(0, std::string(section).size(), section) == 0)
            {
                throw ConfigError(m_scenario.source,
                                  path,
                                  "stands beside workload.format '" + m_scenario.workload.format +
                                      "', which brings its own; leave one of them out");
            }
        }
    }
    const uint32_t wanted = std::max(m_scenario.cluster.accelerators, 1U);
    m_imported =
        ReadScenarioImport(m_scenario, m_accelerator, *MakeScenarioTopology(m_scenario, wanted));
    MakeSelector();
    m_traffic =
        std::make_unique<OperationTraffic>(*m_imported, GetChooser(), m_imported->GetFileName());
}

void
ScenarioWorkload::MakeSelector()
{
    m_selector =
        MakeScenarioSelector(m_scenario, m_accelerator.GetConfig().scale_up_bits_per_second);
    m_serverOf = GetScenarioServers(m_scenario, GetSource()->GetWorldSize());
    CountRanksPerNode();
    // Names of algorithms that this job never asks for must be right, too.
    for (const auto kind : SCENARIO_COLLECTIVES)
    {
        CollectiveSpec spec;
        spec.kind = kind;
        Choose(spec);
    }
}

void
ScenarioWorkload::CountRanksPerNode()
{
    m_ranksPerNode.clear();
    for (const ProcessGroup& group : GetSource()->GetGroups())
    {
        m_ranksPerNode.push_back(GetRanksPerNode(group.ranks, m_serverOf));
    }
}

void
ScenarioWorkload::SetServers(const std::vector<uint32_t>& serverOf)
{
    if (serverOf == m_serverOf)
    {
        return;
    }
    m_serverOf = serverOf;
    CountRanksPerNode();
    if (m_step)
    {
        m_model = std::make_unique<TrafficModel>(*m_step, GetChooser());
    }
    else
    {
        m_traffic = std::make_unique<OperationTraffic>(*m_imported,
                                                       GetChooser(),
                                                       m_imported->GetFileName());
    }
}

TrafficModel::Chooser
ScenarioWorkload::GetChooser() const
{
    return [this](CollectiveSpec& spec, const ProcessGroup& group, ParallelDimension) {
        return ChooseFor(spec, group);
    };
}

uint32_t
ScenarioWorkload::GetWantedRanks() const
{
    const ParallelConfig& p = m_scenario.parallelism;
    const uint64_t product = uint64_t{p.tensor_model_parallel_size} *
                             p.pipeline_model_parallel_size * p.context_parallel_size *
                             std::max(p.data_parallel_size, 1U);
    if (m_scenario.cluster.accelerators > 0)
    {
        return m_scenario.cluster.accelerators;
    }
    const bool endless =
        m_scenario.fabric.topology == "single-switch" && m_scenario.fabric.hosts == 0;
    if (p.data_parallel_size == 0 && !endless)
    {
        return 0;
    }
    if (product > UINT32_MAX)
    {
        throw ConfigError(m_scenario.source,
                          "parallelism",
                          "TP x PP x CP x DP is " + std::to_string(product) +
                              " ranks; at most 4294967295 are possible");
    }
    return static_cast<uint32_t>(product);
}

const Scenario&
ScenarioWorkload::GetScenario() const
{
    return m_scenario;
}

const std::shared_ptr<TrainingStep>&
ScenarioWorkload::GetStep() const
{
    return m_step;
}

const std::shared_ptr<CollectiveSelector>&
ScenarioWorkload::GetSelector() const
{
    return m_selector;
}

std::shared_ptr<const WorkloadSource>
ScenarioWorkload::GetSource() const
{
    if (m_step)
    {
        return m_step;
    }
    return m_imported;
}

const std::shared_ptr<const ImportedWorkload>&
ScenarioWorkload::GetImported() const
{
    return m_imported;
}

const Accelerator&
ScenarioWorkload::GetAccelerator() const
{
    return m_accelerator;
}

const TrafficModel&
ScenarioWorkload::GetModel() const
{
    if (!m_model)
    {
        throw ConfigError(m_scenario.source,
                          "workload.format",
                          "is '" + m_scenario.workload.format +
                              "'; a closed form exists for models only");
    }
    return *m_model;
}

const CollectiveAlgorithm*
ScenarioWorkload::ChooseFor(CollectiveSpec& spec, const ProcessGroup& group) const
{
    const auto& groups = m_step ? m_step->GetGroups() : m_imported->GetGroups();
    const std::less<> before;
    const bool isOurs =
        !groups.empty() && !before(&group, &groups.front()) && !before(&groups.back(), &group);
    spec.ranksPerNode =
        isOurs ? m_ranksPerNode[&group - groups.data()] : GetRanksPerNode(group.ranks, m_serverOf);
    try
    {
        return Choose(spec).algorithm;
    }
    catch (const ConfigError& error)
    {
        throw ConfigError(error.GetSource(),
                          error.GetPath(),
                          error.GetMessage() + "; " + DescribeGroup(group));
    }
}

uint64_t
ScenarioWorkload::GetPairBytes(uint32_t from, uint32_t to, ParallelDimension dimension) const
{
    return m_model ? m_model->GetPairBytes(from, to, dimension)
                   : m_traffic->GetPairBytes(from, to, dimension);
}

std::vector<PeerTraffic>
ScenarioWorkload::GetPeers(uint32_t rank) const
{
    return m_model ? m_model->GetPeers(rank) : m_traffic->GetPeers(rank);
}

uint64_t
ScenarioWorkload::GetTotalBytes() const
{
    return m_model ? m_model->GetTotal() : m_traffic->GetTotal();
}

const std::vector<uint32_t>&
ScenarioWorkload::GetServers() const
{
    return m_serverOf;
}

CollectiveSelector::CollectivePlan
ScenarioWorkload::Choose(CollectiveSpec& spec) const
{
    CollectiveSelector::CollectivePlan plan =
        m_selector->Plan(spec,
                         GetCollectiveWish(m_scenario.collectives, spec.kind),
                         m_scenario.source,
                         std::string("collectives.") + ToString(spec.kind));
    spec.channels = plan.channels;
    spec.sliceBytes = plan.sliceBytes;
    return plan;
}

} // namespace llm
} // namespace ns3
