/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_FIELDS_H
#define LLM_SCENARIO_FIELDS_H

#include "llm-scenario-field.h"
#include "llm-scenario.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** @return every field of a Scenario, in the order of the manual. */
const std::vector<ScenarioField>& GetScenarioFields();

/** @param field which. @param scenario whose. @return its value as JSON text. */
std::string FormatScenarioValue(const ScenarioField& field, const Scenario& scenario);

/** @return every field with its default and description, for a terminal of 80 columns. */
std::string FormatScenarioHelp();

/** @return the same as reStructuredText tables, one per section. */
std::string FormatScenarioManual();

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_FIELDS_H
