/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_FILES_H
#define LLM_SCENARIO_FILES_H

#include "llm-scenario.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Find a file that a scenario names: beside the scenario, in the working directory, or among those
 * that are shipped.
 * @param scenario whose.
 * @param path of the field, for errors.
 * @param name its value.
 * @param shipped folder of examples/ with files of this kind.
 * @param suffix that may be missing in the name, as ".0.et".
 * @return the file's name, without a missing suffix.
 * @throw ConfigError if the name is empty or there is no such file.
 */
std::string FindFileOfScenario(const Scenario& scenario,
                               const std::string& path,
                               const std::string& name,
                               const std::string& shipped,
                               const std::string& suffix = "");

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_FILES_H
