/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-output-folder.h"

#include "ns3/llm-config-error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ns3
{
namespace llm
{

OutputFolder::OutputFolder(const std::string& path)
    : m_path(path)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error || !std::filesystem::is_directory(path, error))
    {
        throw ConfigError(path,
                          "",
                          "the output folder cannot be made" +
                              (error ? ": " + error.message() : std::string(": it is a file")));
    }
    const std::string trial = GetFile(".trial");
    errno = 0;
    std::ofstream file(trial);
    if (!file)
    {
        throw ConfigError(path,
                          "",
                          std::string("files cannot be written to the output folder: ") +
                              std::strerror(errno));
    }
    file.close();
    std::filesystem::remove(trial, error);
}

std::string
OutputFolder::GetFile(const std::string& name) const
{
    return (std::filesystem::path(m_path) / name).string();
}

} // namespace llm
} // namespace ns3
