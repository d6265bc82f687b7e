/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_READER_H
#define LLM_SCENARIO_READER_H

#include "llm-scenario.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Reads scenarios: JSON, in which comments are allowed. Checks form, range and spelling of every
 * field against the table of ScenarioFields; whether fields fit together is for those who use
 * them. An unknown or doubled key is an error that names the nearest known one.
 */
class ScenarioReader
{
  public:
    /**
     * @param fileName scenario.
     * @param overrides "path=value" each, applied in order after the file; the value is JSON, or a
     *        bare string. Errors in them name "command line" as their source.
     * @return the scenario.
     * @throw ConfigError naming file and line of a syntax error, or file and JSON path.
     */
    static Scenario ReadFile(const std::string& fileName,
                             const std::vector<std::string>& overrides = {});

    /**
     * @param text JSON.
     * @param source name for errors.
     * @param overrides see ReadFile.
     * @return the scenario.
     * @throw ConfigError see ReadFile.
     */
    static Scenario ParseText(const std::string& text,
                              const std::string& source,
                              const std::vector<std::string>& overrides = {});
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_READER_H
