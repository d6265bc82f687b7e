/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_FIELD_TABLES_H
#define LLM_SCENARIO_FIELD_TABLES_H

#include "llm-scenario-field.h"
#include "llm-scenario.h"

#include <vector>

namespace ns3
{
namespace llm
{

constexpr double MAX_COUNT = 4294967295.0; //!< of a 32-bit field
constexpr double MAX_PS = 9.2e18;          //!< of a duration
constexpr double MAX_RANKS = 1048576;      //!< far above any cluster

// The parts of the table that GetScenarioFields returns, one file each:
// llm-scenario-fields-general.cc ... Each takes the table and adds its fields to it.

/** Names, seeds, iterations. @param fields table. */
void AddGeneralFields(std::vector<ScenarioField>& fields);
/** Sections model and workload. @param fields table. */
void AddModelFields(std::vector<ScenarioField>& fields);
/** Lists jobs, background, incasts, tcp, udp. @param fields table. */
void AddCompanyFields(std::vector<ScenarioField>& fields);
/** Section parallelism. @param fields table. */
void AddParallelismFields(std::vector<ScenarioField>& fields);
/** Section training. @param fields table. */
void AddTrainingFields(std::vector<ScenarioField>& fields);
/** Section accelerator. @param fields table. */
void AddAcceleratorFields(std::vector<ScenarioField>& fields);
/** Section cluster. @param fields table. */
void AddClusterFields(std::vector<ScenarioField>& fields);
/** Section fabric: shape and links. @param fields table. */
void AddTopologyFields(std::vector<ScenarioField>& fields);
/** Section fabric: switches. @param fields table. */
void AddSwitchFields(std::vector<ScenarioField>& fields);
/** Section fabric: what else switches can do. @param fields table. */
void AddSwitchFeatureFields(std::vector<ScenarioField>& fields);
/** Section fabric: load balancing. @param fields table. */
void AddPathFields(std::vector<ScenarioField>& fields);
/** Section transport. @param fields table. */
void AddTransportFields(std::vector<ScenarioField>& fields);
/** Section transport: paths. @param fields table. */
void AddPathSelectorFields(std::vector<ScenarioField>& fields);
/** Section collectives. @param fields table. */
void AddCollectivesFields(std::vector<ScenarioField>& fields);
/** The list events. @param fields table. */
void AddEventFields(std::vector<ScenarioField>& fields);
/** Simulator, output, watchdog. @param fields table. */
void AddRunFields(std::vector<ScenarioField>& fields);

/** @return the fields of an element of jobs, which is a Scenario of its own. */
const std::vector<ScenarioField>& GetJobFields();
/** @return the fields of an element of background. */
const std::vector<ScenarioField>& GetBackgroundFields();
/** @return the fields of an element of incasts. */
const std::vector<ScenarioField>& GetIncastFields();
/** @return the fields of an element of tcp. */
const std::vector<ScenarioField>& GetTcpFields();
/** @return the fields of an element of udp. */
const std::vector<ScenarioField>& GetUdpFields();

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_FIELD_TABLES_H
