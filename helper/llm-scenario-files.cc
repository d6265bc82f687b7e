/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-files.h"

#include "llm-shipped-files.h"

#include "ns3/llm-config-error.h"

#include <filesystem>

namespace ns3
{
namespace llm
{

std::string
FindFileOfScenario(const Scenario& scenario,
                   const std::string& path,
                   const std::string& name,
                   const std::string& shipped,
                   const std::string& suffix)
{
    if (name.empty())
    {
        throw ConfigError(scenario.source, path, "is missing: which file?");
    }
    const std::string beside = name.substr(0, 1) == "/" ? name : scenario.directory + name;
    for (const auto& candidate : {beside, name, GetShippedFolder(shipped) + "/" + name})
    {
        std::error_code error;
        if (std::filesystem::is_regular_file(candidate, error) ||
            (!suffix.empty() && std::filesystem::is_regular_file(candidate + suffix, error)))
        {
            return candidate;
        }
    }
    throw ConfigError(scenario.source, path, "there is no file " + beside);
}

} // namespace llm
} // namespace ns3
