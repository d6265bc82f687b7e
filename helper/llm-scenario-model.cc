/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-model.h"

#include "llm-json-text.h"
#include "llm-shipped-files.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::ordered_json;

/** @return true if a file of that name can be read. */
bool
IsFile(const std::string& name)
{
    std::error_code error;
    return std::filesystem::is_regular_file(name, error);
}

/** @return the file that model.config means. */
std::string
FindModelFile(const Scenario& scenario)
{
    const std::string& name = scenario.model.config;
    const std::string shipped = GetShippedFile("models", name);
    const std::string beside = name.substr(0, 1) == "/" ? name : scenario.directory + name;
    for (const auto& candidate : {beside, name, shipped})
    {
        if (IsFile(candidate))
        {
            return candidate;
        }
    }
    const std::vector<std::string> names = ListShippedFiles("models");
    const std::string nearest = NearestName(name, names);
    throw ConfigError(scenario.source,
                      "model.config",
                      "there is neither a file " + beside + " nor a shipped model '" + name + "'" +
                          (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

/** @return text with the values of keys replaced. */
std::string
Override(const Scenario& scenario, const std::string& text, const std::string& source)
{
    Json json = ParseJsonText(text, source);
    if (!json.is_object())
    {
        return text; // the reader of models says what is wrong with it
    }
    std::vector<std::string> keys;
    for (const auto& item : json.items())
    {
        keys.push_back(item.key());
    }
    for (const auto& [key, value] : scenario.model.overrides)
    {
        if (!json.contains(key))
        {
            throw ConfigError(scenario.source,
                              "model.overrides." + key,
                              "there is no such key in " + source + "; did you mean '" +
                                  NearestName(key, keys) + "'?");
        }
        const Json parsed = Json::parse(value, nullptr, false);
        json[key] = parsed.is_discarded() ? Json(value) : parsed;
    }
    return json.dump();
}

} // namespace

ModelConfig
ReadScenarioModel(const Scenario& scenario)
{
    const std::string& config = scenario.model.config;
    if (config.substr(0, 1) == "{")
    {
        return ModelConfig::ParseText(Override(scenario, config, scenario.source),
                                      scenario.source,
                                      "model.config");
    }
    const std::string file = FindModelFile(scenario);
    if (scenario.model.overrides.empty())
    {
        return ModelConfig::ReadFile(file);
    }
    ModelConfig model =
        ModelConfig::ParseText(Override(scenario, ReadTextFile(file, "the model file"), file),
                               file);
    model.name = std::filesystem::path(file).stem().string();
    return model;
}

} // namespace llm
} // namespace ns3
