/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_OUTPUT_FOLDER_H
#define LLM_OUTPUT_FOLDER_H

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A folder that results are written to. Made when it is missing; that files can be written there
 * is tried at once, not when the run is over.
 */
class OutputFolder
{
  public:
    /**
     * @param path relative to the working directory, or absolute.
     * @throw ConfigError naming the path if it cannot be made or written to.
     */
    explicit OutputFolder(const std::string& path);

    /** @param name of a file. @return its path. */
    std::string GetFile(const std::string& name) const;

  private:
    std::string m_path; //!< without a slash at the end
};

} // namespace llm
} // namespace ns3

#endif // LLM_OUTPUT_FOLDER_H
