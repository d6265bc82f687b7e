/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-reader.h"

#include "llm-json-text.h"
#include "llm-scenario-fields.h"
#include "llm-scenario-object-reader.h"

#include "ns3/llm-config-error.h"

#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

Scenario
ScenarioReader::ReadFile(const std::string& fileName, const std::vector<std::string>& overrides)
{
    Scenario scenario = ParseText(ReadTextFile(fileName, "the scenario"), fileName, overrides);
    const auto slash = fileName.rfind('/');
    scenario.directory = slash == std::string::npos ? "" : fileName.substr(0, slash + 1);
    return scenario;
}

Scenario
ScenarioReader::ParseText(const std::string& text,
                          const std::string& source,
                          const std::vector<std::string>& overrides)
{
    const nlohmann::ordered_json json = ParseJsonText(text, source);
    Scenario scenario;
    scenario.source = source;
    ScenarioObjectReader reader(GetScenarioFields(), &scenario, scenario.given);
    reader.Read(json, source);
    for (const auto& override : overrides)
    {
        const auto equals = override.find('=');
        if (equals == std::string::npos || equals == 0)
        {
            throw ConfigError("command line", "", "--set needs PATH=VALUE, got '" + override + "'");
        }
        reader.Override(override.substr(0, equals), override.substr(equals + 1), "command line");
    }
    return scenario;
}

} // namespace llm
} // namespace ns3
