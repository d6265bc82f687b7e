/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SHIPPED_FILES_H
#define LLM_SHIPPED_FILES_H

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * @param kind "models" or "scenarios".
 * @return the folder of the shipped files of that kind, without a final slash: the one of the
 * source tree, or where that is gone, of the installation.
 */
std::string GetShippedFolder(const std::string& kind);

/**
 * @ingroup llm-training
 *
 * @param kind "models" or "scenarios".
 * @param name of a shipped file, without ".json".
 * @return its path, whether or not it exists.
 */
std::string GetShippedFile(const std::string& kind, const std::string& name);

/**
 * @ingroup llm-training
 *
 * @param kind "models" or "scenarios".
 * @return names of the shipped files of that kind, without ".json", in alphabetic order.
 */
std::vector<std::string> ListShippedFiles(const std::string& kind);

/**
 * @ingroup llm-training
 *
 * @param name what somebody wrote on a command line: a file, or the name of a shipped scenario.
 * @return the file that they mean; one that is named as a file need not exist.
 * @throw ConfigError if there is neither such a file nor such a scenario.
 */
std::string FindScenarioFile(const std::string& name);

} // namespace llm
} // namespace ns3

#endif // LLM_SHIPPED_FILES_H
