/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_TROUBLE_H
#define LLM_SCENARIO_TROUBLE_H

#include "llm-csv-file.h"
#include "llm-output-folder.h"
#include "llm-scenario.h"
#include "llm-trouble-schedule.h"

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
 * The events of a scenario: checked and scheduled, written to events.csv, kept for the report.
 */
class ScenarioTrouble
{
  public:
    /**
     * @param scenario its events.
     * @param network built.
     */
    ScenarioTrouble(const Scenario& scenario, const FabricNetwork& network);

    /** As TroubleTargets::NameRanks; before Schedule. */
    void NameRanks(const std::string& prefix, const std::vector<uint32_t>& endpoints);
    /** Schedule all events. @throw ConfigError "events[2]: ..." */
    void Schedule();
    /** @param folder where events.csv goes. */
    void WriteTo(const OutputFolder& folder);
    /** No job is left to be troubled. */
    void Cancel();

    /** @return what has happened. */
    const std::vector<TroubleRecord>& GetRecords() const
    {
        return m_schedule.GetRecords();
    }

  private:
    /** @param event of the scenario. @param path of it, for errors. */
    void Add(const Scenario::Event& event, const std::string& path);

    const Scenario& m_scenario;      //!< outlives this
    TroubleSchedule m_schedule;      //!< what happens when
    std::unique_ptr<CsvFile> m_file; //!< events.csv
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_TROUBLE_H
