/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_IMPORTED_WORKLOAD_H
#define LLM_IMPORTED_WORKLOAD_H

#include "llm-step-program.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A workload that was read from somebody's file. It says what it read, and what it did not use and
 * why.
 */
class ImportedWorkload : public WorkloadSource
{
  public:
    /** @param fileName where it comes from. */
    explicit ImportedWorkload(const std::string& fileName);

    /** @return where it comes from. */
    const std::string& GetFileName() const;
    /** @return one line: name of the file without its folder, what was read, then the notes. */
    std::string Describe() const;
    /** @return what was ignored or is meant in a way of its own, and why. */
    const std::vector<std::string>& GetNotes() const;

  protected:
    /** @param summary what was read, without the file's name. */
    void SetSummary(const std::string& summary);
    /** @param note what was ignored, and why. */
    void AddNote(const std::string& note);

  private:
    std::string m_fileName;           //!< where it comes from
    std::string m_summary;            //!< what was read
    std::vector<std::string> m_notes; //!< what was not used
};

} // namespace llm
} // namespace ns3

#endif // LLM_IMPORTED_WORKLOAD_H
