/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-simai-workload.h"

#include "llm-simai-program.h"

#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

SimaiWorkload::SimaiWorkload(const std::string& fileName, uint32_t ranks)
    : SimaiWorkload(SimaiFile::Read(fileName), ranks)
{
}

SimaiWorkload::SimaiWorkload(const SimaiFile& file, uint32_t ranks)
    : ImportedWorkload(file.fileName),
      m_file(file),
      m_ranks(ranks)
{
    CheckSizes();
    MakeGroups();
    MakeBlocks();
    // The ranks of a stage do alike.
    for (uint32_t stage = 0; stage < m_file.pipeline; ++stage)
    {
        SimaiProgram program(*this, stage * m_tensor);
        uint64_t count = 0;
        for (Operation operation; program.Next(operation);)
        {
            ++count;
        }
        m_counts.push_back(count);
        if (stage == 1 && stage + 2 < m_file.pipeline)
        {
            // So are all stages but the first and the last.
            m_counts.resize(m_file.pipeline - 1, count);
            stage = m_file.pipeline - 2;
        }
    }
    Summarise();
}

void
SimaiWorkload::Fail(const std::string& message) const
{
    throw ConfigError(m_file.fileName, "line 1", message);
}

void
SimaiWorkload::CheckSizes()
{
    if (m_file.ranks > 0 && m_ranks > 0 && m_file.ranks != m_ranks)
    {
        Fail("all_gpus is " + std::to_string(m_file.ranks) + ", but there shall be " +
             std::to_string(m_ranks) + " ranks");
    }
    m_ranks = m_file.ranks > 0 ? m_file.ranks : m_ranks;
    if (m_ranks == 0)
    {
        Fail("the file does not say for how many ranks it is (all_gpus); that has to be given");
    }
    m_tensor = m_file.tensor > 0 ? m_file.tensor : 1;
    const uint64_t model = uint64_t{m_tensor} * m_file.pipeline;
    if (m_ranks % model != 0)
    {
        Fail(std::to_string(m_ranks) + " ranks are no multiple of TP " + std::to_string(m_tensor) +
             " x PP " + std::to_string(m_file.pipeline));
    }
    m_data = static_cast<uint32_t>(m_ranks / model);
    if (m_ranks / m_tensor % m_file.expert != 0)
    {
        Fail("ep " + std::to_string(m_file.expert) + " does not divide the " +
             std::to_string(m_ranks / m_tensor) + " TP groups of " + std::to_string(m_ranks) +
             " ranks");
    }
}

uint32_t
SimaiWorkload::GetGroupSize(SimaiGroup group) const
{
    switch (group)
    {
    case SimaiGroup::ALL:
        return m_ranks;
    case SimaiGroup::TENSOR:
        return m_tensor;
    case SimaiGroup::DATA:
        return m_data;
    case SimaiGroup::EXPERT:
        return m_file.expert;
    case SimaiGroup::DATA_EXPERT:
        break;
    }
    return m_ranks / m_tensor / m_file.expert;
}

uint32_t
SimaiWorkload::NumberOf(SimaiGroup group, uint32_t rank) const
{
    const uint32_t tensorGroup = rank / m_tensor;
    const uint32_t tensorRank = rank % m_tensor;
    switch (group)
    {
    case SimaiGroup::ALL:
        return 0;
    case SimaiGroup::TENSOR:
        return tensorGroup;
    case SimaiGroup::DATA:
        return rank % (m_ranks / m_data);
    case SimaiGroup::EXPERT:
        return tensorGroup / m_file.expert * m_tensor + tensorRank;
    case SimaiGroup::DATA_EXPERT:
        break;
    }
    return tensorGroup % m_file.expert * m_tensor + tensorRank;
}

void
SimaiWorkload::MakeGroups()
{
    static const std::array<const char*, GROUPS> names{"all", "tp", "dp", "ep", "dp-ep"};
    static const std::array<ParallelDimension, GROUPS> dimensions{ParallelDimension::DATA,
                                                                  ParallelDimension::TENSOR,
                                                                  ParallelDimension::DATA,
                                                                  ParallelDimension::EXPERT,
                                                                  ParallelDimension::DATA};
    std::array<bool, GROUPS> used{};
    for (const SimaiRow& row : m_file.rows)
    {
        for (const auto* phase : {&row.forward, &row.inputGradient, &row.weightGradient})
        {
            used[static_cast<std::size_t>(phase->group)] |= phase->communicates;
            m_alone += phase->communicates && phase->bytes > 0 && GetGroupSize(phase->group) == 1;
        }
    }
    for (std::size_t kind = 0; kind < GROUPS; ++kind)
    {
        const auto group = static_cast<SimaiGroup>(kind);
        m_first[kind] = static_cast<uint32_t>(m_groups.size());
        if (!used[kind] || GetGroupSize(group) == 1)
        {
            continue;
        }
        m_groups.resize(m_groups.size() + m_ranks / GetGroupSize(group));
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            ProcessGroup& members = m_groups[GetGroupId(group, rank)];
            members.name = names[kind];
            members.dimension = dimensions[kind];
            members.ranks.push_back(rank);
        }
    }
}

void
SimaiWorkload::MakeBlocks()
{
    // With experts SimAI's groups lie across stages, which cannot wait for each other then.
    if (m_file.pipeline == 1 || m_file.pipelineBytes == 0 || m_file.expert > 1)
    {
        return;
    }
    for (uint32_t row = 0; row < m_file.rows.size(); ++row)
    {
        if (m_file.rows[row].name == "embedding_layer")
        {
            m_blocks.push_back(row);
        }
    }
    if (m_blocks.empty() && m_file.accumulation == 1)
    {
        m_blocks.push_back(0);
    }
    if (m_blocks.size() != m_file.accumulation)
    {
        Fail("pp_comm is sent around the rows of each of ga " +
             std::to_string(m_file.accumulation) +
             " microbatches, which begin with embedding_layer, but there are " +
             std::to_string(m_blocks.size()) + " such rows");
    }
}

void
SimaiWorkload::Summarise()
{
    uint64_t operations = 0;
    for (const uint64_t count : m_counts)
    {
        operations += count * (m_ranks / m_file.pipeline);
    }
    SetSummary(std::string("SimAI, ") + ToString(m_file.policy) + ", " + std::to_string(m_ranks) +
               " ranks = TP " + std::to_string(m_tensor) + " x PP " +
               std::to_string(m_file.pipeline) + " x DP " + std::to_string(m_data) + ", EP " +
               std::to_string(m_file.expert) + ", " + std::to_string(m_file.rows.size()) +
               " rows, " + std::to_string(operations) + " operations");
    if (m_file.broadcasts > 0)
    {
        AddNote(std::to_string(m_file.broadcasts) + " BROADCAST" +
                (m_file.broadcasts == 1 ? "" : "s") +
                ", which SimAI drops, run from the first rank of the group");
    }
    if (m_alone > 0)
    {
        AddNote(std::to_string(m_alone) + " communication" + (m_alone == 1 ? "" : "s") +
                " over groups of one rank send nothing");
    }
    if (!m_blocks.empty())
    {
        AddNote("pp_comm is sent per microbatch from stage to stage, as in GPipe");
    }
    else if (m_file.pipeline > 1 && m_file.pipelineBytes > 0)
    {
        AddNote(
            "ignored: pp_comm, as EP groups of consecutive TP groups lie across the stages; SimAI "
            "sends nothing between stages either");
    }
    else if (m_file.pipeline > 1)
    {
        AddNote("without pp_comm the pipeline's stages send each other nothing");
    }
    if (m_file.virtualPipeline > 1)
    {
        AddNote("ignored: vpp " + std::to_string(m_file.virtualPipeline) +
                ", the rows hold every chunk");
    }
    if (m_file.dependencies > 0)
    {
        AddNote("ignored: column 2 of " + std::to_string(m_file.dependencies) +
                " rows, rows run in order");
    }
}

uint32_t
SimaiWorkload::GetWorldSize() const
{
    return m_ranks;
}

const std::vector<ProcessGroup>&
SimaiWorkload::GetGroups() const
{
    return m_groups;
}

std::unique_ptr<StepProgram>
SimaiWorkload::CreateProgram(uint32_t rank, uint32_t) const
{
    return std::make_unique<SimaiProgram>(*this, rank);
}

uint64_t
SimaiWorkload::CountOperations(uint32_t rank) const
{
    return m_counts[GetStage(rank)];
}

const SimaiFile&
SimaiWorkload::GetFile() const
{
    return m_file;
}

uint32_t
SimaiWorkload::GetGroupId(SimaiGroup group, uint32_t rank) const
{
    return m_first[static_cast<std::size_t>(group)] + NumberOf(group, rank);
}

uint32_t
SimaiWorkload::GetStage(uint32_t rank) const
{
    return rank / m_tensor % m_file.pipeline;
}

const std::vector<uint32_t>&
SimaiWorkload::GetBlocks() const
{
    return m_blocks;
}

} // namespace llm
} // namespace ns3
