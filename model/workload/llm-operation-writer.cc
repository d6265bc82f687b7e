/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-operation-writer.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/**
 * Tags of messages within groups. They have bit 62, which those of the pipeline lack, and
 * the sender's view of the offset: in a group of two, both neighbours are the same rank.
 */
uint64_t
MakeGroupTag(ParallelDimension dimension, int32_t senderOffset)
{
    return (UINT64_C(1) << 62) | (static_cast<uint64_t>(dimension) << 32) |
           static_cast<uint32_t>(senderOffset);
}

} // namespace

OperationWriter::OperationWriter(const TrainingStep& step, uint32_t rank)
    : m_step(step),
      m_rank(rank)
{
}

uint32_t
OperationWriter::GetRank() const
{
    return m_rank;
}

std::size_t
OperationWriter::GetSize() const
{
    return m_written.size() - m_taken;
}

bool
OperationWriter::Take(Operation& operation)
{
    if (m_taken == m_written.size())
    {
        return false;
    }
    operation = std::move(m_written[m_taken++]);
    if (m_taken == m_written.size())
    {
        m_written.clear();
        m_taken = 0;
    }
    return true;
}

void
OperationWriter::SetLabels(StepPhase phase, int32_t microbatch)
{
    m_phase = phase;
    m_microbatch = microbatch;
}

Operation&
OperationWriter::Append(OperationKind kind, OperationStream stream, const OperationLinks& waits)
{
    m_written.emplace_back();
    Operation& operation = m_written.back();
    operation.id = m_nextId++;
    operation.kind = kind;
    operation.stream = stream;
    operation.phase = m_phase;
    operation.microbatch = m_microbatch;
    for (const auto& wait : waits)
    {
        // The order of the stream implies the rest.
        if (wait.stream != stream &&
            std::find(operation.waits.begin(), operation.waits.end(), wait.id) ==
                operation.waits.end())
        {
            operation.waits.push_back(wait.id);
        }
    }
    return operation;
}

OperationLink
OperationWriter::Write(const RecipeStep& step, const OperationLinks& waits, int64_t layer)
{
    Operation& operation = Append(step.kind, step.stream, waits);
    operation.layer = static_cast<int32_t>(layer);
    if (step.kind == OperationKind::COMPUTE)
    {
        operation.durationPs = step.durationPs;
        return {operation.id, operation.stream};
    }
    operation.dimension = step.dimension;
    operation.bytes = step.bytes;
    operation.exchange = step.exchange;
    if (step.kind == OperationKind::SEND || step.kind == OperationKind::RECV)
    {
        SetPeer(operation, step);
    }
    else
    {
        operation.group = FindGroup(step.group);
    }
    return {operation.id, operation.stream};
}

void
OperationWriter::SetPeer(Operation& operation, const RecipeStep& step)
{
    const std::vector<uint32_t>& ranks = m_step.GetGroups()[FindGroup(step.group)].ranks;
    const auto size = static_cast<int64_t>(ranks.size());
    const int64_t place =
        static_cast<int64_t>(m_step.GetLayout().GetGroupRank(step.group, m_rank)) + step.peerOffset;
    operation.peer = ranks[static_cast<std::size_t>((place % size + size) % size)];
    operation.tag =
        MakeGroupTag(step.dimension,
                     step.kind == OperationKind::SEND ? step.peerOffset : -step.peerOffset);
}

uint32_t
OperationWriter::FindGroup(const char* kind)
{
    for (const auto& [known, index] : m_groups)
    {
        if (known == kind)
        {
            return index;
        }
    }
    m_groups.emplace_back(kind, m_step.GetGroupId(kind, m_rank));
    return m_groups.back().second;
}

} // namespace llm
} // namespace ns3
