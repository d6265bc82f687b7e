/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_WORKLOAD_H
#define LLM_SCENARIO_WORKLOAD_H

#include "llm-scenario.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-imported-workload.h"
#include "ns3/llm-operation-traffic.h"
#include "ns3/llm-traffic-model.h"
#include "ns3/llm-training-step.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** The collectives that a scenario names an algorithm for. */
constexpr std::array<CollectiveKind, 6> SCENARIO_COLLECTIVES{CollectiveKind::ALL_REDUCE,
                                                             CollectiveKind::ALL_GATHER,
                                                             CollectiveKind::REDUCE_SCATTER,
                                                             CollectiveKind::BROADCAST,
                                                             CollectiveKind::REDUCE,
                                                             CollectiveKind::ALL_TO_ALL};

/**
 * @param collectives of a scenario.
 * @param kind of collective.
 * @return the algorithm that the scenario names for it.
 */
const std::string& GetAlgorithmName(const Scenario::Collectives& collectives, CollectiveKind kind);

/**
 * @param collectives of a scenario, to be changed.
 * @param kind of collective.
 * @param algorithm that shall do it.
 */
void SetAlgorithmName(Scenario::Collectives& collectives,
                      CollectiveKind kind,
                      const std::string& algorithm);

/**
 * @param collectives of a scenario.
 * @param kind of collective.
 * @return how the scenario wants it done.
 */
CollectiveSelector::Wish GetCollectiveWish(const Scenario::Collectives& collectives,
                                           CollectiveKind kind);

/**
 * The algorithms, with the cost models of the scenario's links.
 * @param scenario whose.
 * @param scaleUpBitsPerSecond rate of an accelerator's scale-up port.
 * @return the selector.
 */
std::shared_ptr<CollectiveSelector> MakeScenarioSelector(const Scenario& scenario,
                                                         uint64_t scaleUpBitsPerSecond);

/**
 * @param scenario whose.
 * @param ranks how many.
 * @return server of every rank, by placement; empty where each accelerator is alone.
 */
std::vector<uint32_t> GetScenarioServers(const Scenario& scenario, uint32_t ranks);

/**
 * @ingroup llm-training
 *
 * What a scenario trains, without a network to train on: the step of a model under a layout, the
 * algorithms of its collectives, and the closed form of its traffic. Programs that simulate and
 * programs that only reckon start from the same.
 *
 * A scenario may name a workload of somebody else's instead. Then there is no step and no closed
 * form of it, but the sum over its operations.
 */
class ScenarioWorkload
{
  public:
    /**
     * @param scenario what is wanted.
     * @throw ConfigError if model, layout, training and collectives do not fit together.
     */
    explicit ScenarioWorkload(const Scenario& scenario);
    /**
     * The same for a model that is at hand.
     * @param scenario what is wanted; its section model is not looked at.
     * @param model what is trained.
     * @throw ConfigError as above.
     */
    ScenarioWorkload(const Scenario& scenario, const ModelConfig& model);
    // The closed form refers to the rest.
    ScenarioWorkload(const ScenarioWorkload&) = delete;
    ScenarioWorkload& operator=(const ScenarioWorkload&) = delete;

    /** @return the scenario. */
    const Scenario& GetScenario() const;
    /** @return the work. */
    std::shared_ptr<const WorkloadSource> GetSource() const;
    /** @return the training step; null if the work is somebody else's. */
    const std::shared_ptr<TrainingStep>& GetStep() const;
    /** @return the workload of somebody else; null if there is a step. */
    const std::shared_ptr<const ImportedWorkload>& GetImported() const;
    /** @return compute and scale-up speed. */
    const Accelerator& GetAccelerator() const;
    /** @return algorithms. */
    const std::shared_ptr<CollectiveSelector>& GetSelector() const;
    /** @return the closed form of the step's traffic. @throw ConfigError if there is no step. */
    const TrafficModel& GetModel() const;
    /** @param from rank. @param to rank. @param dimension which. @return bytes per iteration. */
    uint64_t GetPairBytes(uint32_t from, uint32_t to, ParallelDimension dimension) const;
    /** @param rank which. @return whom it sends to, per iteration. */
    std::vector<PeerTraffic> GetPeers(uint32_t rank) const;
    /** @return bytes that all ranks send per iteration. */
    uint64_t GetTotalBytes() const;

    /**
     * Decides how a collective is done, and sets its channels and slices.
     * @param spec what is to be done.
     * @return the way that the scenario names, and why.
     * @throw ConfigError if there is none.
     */
    CollectiveSelector::CollectivePlan Choose(CollectiveSpec& spec) const;

    /** @return the same for TrafficModel: it knows from the group how many ranks share a server. */
    TrafficModel::Chooser GetChooser() const;

    /**
     * Where the placement is known only when the network stands.
     * @param serverOf server of every rank; empty: each rank is alone.
     */
    void SetServers(const std::vector<uint32_t>& serverOf);

    /** @return server of every rank, by placement; empty: each rank is alone. */
    const std::vector<uint32_t>& GetServers() const;

  private:
    /** @return the algorithm for a collective of a group. */
    const CollectiveAlgorithm* ChooseFor(CollectiveSpec& spec, const ProcessGroup& group) const;
    /** @return ranks that the scenario asks for; 0: as many as there are endpoints. */
    uint32_t GetWantedRanks() const;
    /** Make the step of a model. */
    void MakeStep(const ModelConfig& model);
    /** Read somebody else's workload. */
    void Import();
    /** Selector, servers; check the names of algorithms. */
    void MakeSelector();
    /** Ranks of a server, by group. */
    void CountRanksPerNode();

    Scenario m_scenario;                                //!< what is wanted
    Accelerator m_accelerator;                          //!< speed
    std::shared_ptr<TrainingStep> m_step;               //!< the work, or null
    std::shared_ptr<const ImportedWorkload> m_imported; //!< the work, or null
    std::shared_ptr<CollectiveSelector> m_selector;     //!< algorithms
    std::vector<uint32_t> m_serverOf;                   //!< by rank
    std::vector<uint32_t> m_ranksPerNode;               //!< by group, see CollectiveSpec
    std::unique_ptr<TrafficModel> m_model;              //!< closed form of the step
    std::unique_ptr<OperationTraffic> m_traffic;        //!< sum over what was imported
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_WORKLOAD_H
