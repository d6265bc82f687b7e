/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-shipped-files.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ns3
{
namespace llm
{

std::string
GetShippedFolder(const std::string& kind)
{
    const std::string folder = LLM_TRAINING_SOURCE_DIR "/examples/" + kind;
#ifdef LLM_TRAINING_DATA_DIR
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
    {
        return LLM_TRAINING_DATA_DIR "/" + kind;
    }
#endif
    return folder;
}

std::string
GetShippedFile(const std::string& kind, const std::string& name)
{
    return GetShippedFolder(kind) + "/" + name + ".json";
}

std::vector<std::string>
ListShippedFiles(const std::string& kind)
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(GetShippedFolder(kind), error))
    {
        if (entry.path().extension() == ".json")
        {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string
FindScenarioFile(const std::string& name)
{
    std::error_code error;
    const bool path =
        name.find('/') != std::string::npos || std::filesystem::path(name).extension() == ".json";
    if (path || std::filesystem::exists(name, error))
    {
        return name;
    }
    const std::vector<std::string> shipped = ListShippedFiles("scenarios");
    if (std::find(shipped.begin(), shipped.end(), name) == shipped.end())
    {
        const std::string nearest = NearestName(name, shipped);
        throw ConfigError("command line",
                          name,
                          "there is neither such a file nor a shipped scenario of that name" +
                              (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    return GetShippedFile("scenarios", name);
}

} // namespace llm
} // namespace ns3
