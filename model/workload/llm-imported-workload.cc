/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-imported-workload.h"

#include <filesystem>

namespace ns3
{
namespace llm
{

ImportedWorkload::ImportedWorkload(const std::string& fileName)
    : m_fileName(fileName)
{
}

const std::string&
ImportedWorkload::GetFileName() const
{
    return m_fileName;
}

std::string
ImportedWorkload::Describe() const
{
    // Where it lies on somebody's disk does not belong into results.
    std::string text = std::filesystem::path(m_fileName).filename().string() + ": " + m_summary;
    for (const auto& note : m_notes)
    {
        text += "; " + note;
    }
    return text;
}

const std::vector<std::string>&
ImportedWorkload::GetNotes() const
{
    return m_notes;
}

void
ImportedWorkload::SetSummary(const std::string& summary)
{
    m_summary = summary;
}

void
ImportedWorkload::AddNote(const std::string& note)
{
    m_notes.push_back(note);
}

} // namespace llm
} // namespace ns3
