/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-shipped-files.h"

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

} // namespace llm
} // namespace ns3
