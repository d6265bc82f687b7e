/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_JOURNEY_LAYOUTS_H
#define LLM_JOURNEY_LAYOUTS_H

#include "llm-journey-text.h"
#include "llm-journey.h"
#include "llm-report-document.h"
#include "llm-scenario-workload.h"
#include "llm-wire-cost.h"

#include "ns3/llm-distinct-uses.h"
#include "ns3/llm-network-demand.h"
#include "ns3/llm-traffic-volumes.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The third part of a journey: one layout, from what each rank holds to what goes over its link.
 */
class JourneyLayout
{
  public:
    /** The message whose way to packets and bits is told. */
    struct MainMessage
    {
        std::string name;  //!< what it is
        uint64_t bytes{0}; //!< its length; 0: there is none
    };

    /**
     * @param scenario model, layout, training, link.
     * @param latencyPs alpha.
     * @throw ConfigError if these do not fit together even with RelaxLayout.
     */
    JourneyLayout(const Scenario& scenario, int64_t latencyPs);

    /** @return "DP-8", "TP-2 x PP-2 x DP-4", "1 accelerator". */
    const std::string& GetName() const;
    /** @return the step. */
    const TrainingStep& GetStep() const;
    /** @return the model as it stands in its file. */
    const ModelConfig& GetModel() const;

    /** @param document gets the chapter of this layout. */
    void Tell(ReportDocument& document) const;

    /** @return the largest message of what this layout sends most of. */
    MainMessage GetMainMessage() const;
    /** @return what the busiest rank of a dimension sends over its link per step. */
    std::map<ParallelDimension, WireCost> GetWireCosts() const;
    /** @return what the network must give. */
    const std::vector<NetworkDemand>& GetDemands() const;
    /** @return the longest compute of a rank per step, picoseconds. */
    int64_t GetComputePs() const;

  private:
    std::vector<DistinctUse> ListUses() const;
    CollectiveSpec MakeSpec(const CollectiveUse& use, uint32_t rank) const;
    uint32_t GetRankOf(uint32_t stage) const;
    void TellSharing(ReportSection& section) const;
    void TellRanks(ReportSection& section) const;
    void TellData(ReportSection& section, const std::vector<DistinctUse>& uses) const;
    void TellTensor(ReportSection& section, const std::vector<DistinctUse>& uses) const;
    void TellExperts(ReportSection& section, const std::vector<DistinctUse>& uses) const;
    void TellContext(ReportSection& section, const std::vector<DistinctUse>& uses) const;
    void TellPipeline(ReportSection& section) const;
    void TellOthers(ReportSection& section, const std::vector<DistinctUse>& uses) const;
    void TellAlgorithms(ReportSection& section,
                        const std::string& key,
                        const DistinctUse& use) const;
    const DistinctUse* FindMain(const std::vector<DistinctUse>& uses,
                                ParallelDimension dimension) const;
    double GetPayloadRate() const;

    std::string m_name;                           //!< "DP-8"
    double m_alphaPs;                             //!< alpha
    ModelConfig m_model;                          //!< as in its file
    std::vector<std::string> m_notes;             //!< of RelaxLayout
    std::unique_ptr<ScenarioWorkload> m_workload; //!< the step
    std::unique_ptr<TrafficVolumes> m_volumes;    //!< what ranks send
    std::vector<NetworkDemand> m_demands;         //!< what the network must give
};

} // namespace llm
} // namespace ns3

#endif // LLM_JOURNEY_LAYOUTS_H
