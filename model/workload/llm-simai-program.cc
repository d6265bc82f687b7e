/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-simai-program.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

SimaiProgram::SimaiProgram(const SimaiWorkload& workload, uint32_t rank)
    : m_workload(workload),
      m_file(workload.GetFile()),
      m_rank(rank),
      m_stage(workload.GetStage(rank))
{
}

bool
SimaiProgram::Next(Operation& operation)
{
    while (m_read == m_written.size())
    {
        if (m_part == Part::OVER)
        {
            return false;
        }
        m_written.clear();
        m_read = 0;
        WriteRow();
    }
    operation = std::move(m_written[m_read++]);
    return true;
}

void
SimaiProgram::WriteRow()
{
    m_label = m_row;
    if (m_file.policy == SimaiPolicy::MICRO)
    {
        WriteMicro(m_row);
        m_part = ++m_row == m_file.rows.size() ? Part::OVER : Part::FORWARD;
    }
    else if (m_part == Part::FORWARD)
    {
        WriteForward(m_row);
        if (++m_row == m_file.rows.size())
        {
            m_part = Part::BACKWARD;
        }
    }
    else
    {
        WriteBackward(--m_row);
        m_part = m_row == 0 ? Part::OVER : Part::BACKWARD;
    }
}

void
SimaiProgram::WriteForward(uint32_t index)
{
    m_phase = StepPhase::FORWARD;
    const SimaiRow& row = m_file.rows[index];
    const std::size_t block = BlockOf(index);
    const bool pipeline = block < m_workload.GetBlocks().size();
    if (pipeline && index == m_workload.GetBlocks()[block])
    {
        HandOver(true, true, static_cast<uint32_t>(block));
    }
    Compute(row.forward.durationPs);
    if (Communicate(row.forward))
    {
        m_chain = {m_written.back().id};
    }
    if (pipeline && EndsBlock(index))
    {
        HandOver(false, true, static_cast<uint32_t>(block));
    }
}

void
SimaiProgram::WriteBackward(uint32_t index)
{
    m_label = index;
    const SimaiRow& row = m_file.rows[index];
    const std::size_t block = BlockOf(index);
    const bool pipeline = block < m_workload.GetBlocks().size();
    m_phase = StepPhase::BACKWARD;
    if (pipeline && EndsBlock(index))
    {
        HandOver(true, false, static_cast<uint32_t>(block));
    }
    if (m_file.policy == SimaiPolicy::HYBRID_TRANSFORMER_FWD_IN_BCKWD &&
        std::binary_search(m_file.initiates.begin(), m_file.initiates.end(), index))
    {
        WriteAgain(index);
    }
    Compute(row.inputGradient.durationPs);
    std::vector<uint64_t> input;
    if (Communicate(row.inputGradient))
    {
        input.push_back(m_written.back().id);
    }
    Compute(row.weightGradient.durationPs);
    m_phase = StepPhase::GRADIENT;
    if (Communicate(row.weightGradient) && row.updatePs > 0)
    {
        const std::vector<uint64_t> chain = m_chain;
        m_chain = {m_written.back().id};
        Compute(row.updatePs, OperationStream::OTHER);
        m_chain = chain;
    }
    m_phase = StepPhase::BACKWARD;
    m_chain.insert(m_chain.end(), input.begin(), input.end());
    if (pipeline && index == m_workload.GetBlocks()[block])
    {
        HandOver(false, false, static_cast<uint32_t>(block));
    }
}

void
SimaiProgram::WriteMicro(uint32_t index)
{
    m_phase = StepPhase::GRADIENT;
    Compute(m_file.rows[index].weightGradient.durationPs);
    Communicate(m_file.rows[index].weightGradient);
}

void
SimaiProgram::WriteAgain(uint32_t index)
{
    const auto behind =
        std::upper_bound(m_file.checkpoints.begin(), m_file.checkpoints.end(), index);
    for (uint32_t again = *(behind - 1); again < index; ++again)
    {
        Compute(m_file.rows[again].forward.durationPs);
        if (Communicate(m_file.rows[again].forward))
        {
            m_chain = {m_written.back().id};
        }
    }
}

std::size_t
SimaiProgram::BlockOf(uint32_t row) const
{
    const std::vector<uint32_t>& blocks = m_workload.GetBlocks();
    const auto behind = std::upper_bound(blocks.begin(), blocks.end(), row);
    return behind == blocks.begin() ? blocks.size()
                                    : static_cast<std::size_t>(behind - blocks.begin()) - 1;
}

bool
SimaiProgram::EndsBlock(uint32_t row) const
{
    const std::vector<uint32_t>& blocks = m_workload.GetBlocks();
    return row + 1 == m_file.rows.size() ||
           std::binary_search(blocks.begin(), blocks.end(), row + 1);
}

void
SimaiProgram::HandOver(bool receive, bool forward, uint32_t block)
{
    // Forward from the stage before to the one behind, backward the other way round.
    const bool before = receive == forward;
    if (before ? m_stage == 0 : m_stage + 1 == m_file.pipeline)
    {
        return;
    }
    const uint32_t distance = m_workload.GetGroupSize(SimaiGroup::TENSOR);
    const OperationStream stream =
        receive ? (forward ? OperationStream::RECV_FORWARD : OperationStream::RECV_BACKWARD)
                : (forward ? OperationStream::SEND_FORWARD : OperationStream::SEND_BACKWARD);
    Operation& operation = Append(receive ? OperationKind::RECV : OperationKind::SEND, stream);
    operation.dimension = ParallelDimension::PIPELINE;
    operation.peer = before ? m_rank - distance : m_rank + distance;
    operation.bytes = m_file.pipelineBytes;
    operation.tag = 2 * uint64_t{block} + (forward ? 0 : 1);
    operation.microbatch = static_cast<int32_t>(block);
    if (receive)
    {
        operation.waits.clear();
        m_chain.push_back(operation.id);
    }
}

Operation&
SimaiProgram::Append(OperationKind kind, OperationStream stream)
{
    m_written.emplace_back();
    Operation& operation = m_written.back();
    operation.id = m_nextId++;
    operation.kind = kind;
    operation.stream = stream;
    operation.phase = m_phase;
    operation.layer = static_cast<int32_t>(m_label);
    operation.waits = m_chain;
    return operation;
}

void
SimaiProgram::Compute(int64_t durationPs, OperationStream stream)
{
    if (durationPs == 0)
    {
        return;
    }
    Operation& operation = Append(OperationKind::COMPUTE, stream);
    operation.durationPs = durationPs;
    if (stream == OperationStream::COMPUTE)
    {
        m_chain = {operation.id};
    }
}

bool
SimaiProgram::Communicate(const SimaiPhase& phase)
{
    if (!phase.communicates || phase.bytes == 0 || m_workload.GetGroupSize(phase.group) == 1)
    {
        return false;
    }
    const uint32_t group = m_workload.GetGroupId(phase.group, m_rank);
    const ParallelDimension dimension = m_workload.GetGroups()[group].dimension;
    const OperationStream stream = dimension == ParallelDimension::TENSOR ? OperationStream::TENSOR
                                   : dimension == ParallelDimension::EXPERT
                                       ? OperationStream::EXPERT
                                       : OperationStream::DATA;
    Operation& operation = Append(phase.kind, stream);
    operation.dimension = dimension;
    operation.group = group;
    operation.bytes = phase.bytes;
    return true;
}

} // namespace llm
} // namespace ns3
