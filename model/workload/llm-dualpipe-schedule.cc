/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-dualpipe-schedule.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

DualPipeSchedule::DualPipeSchedule(uint32_t rank, uint32_t ranks, uint64_t microbatches)
    : m_half(microbatches / 2),
      m_nearChunk(rank < ranks / 2 ? 0 : 1),
      m_depth(std::min(rank, ranks - 1 - rank)),
      m_middle(m_depth == ranks / 2 - 1)
{
    const uint64_t toMiddle = ranks / 2 - 1 - m_depth;
    const uint64_t depth = m_depth;
    m_rounds = {2 * toMiddle,
                depth + 1,
                toMiddle,
                m_half + depth + 1 - ranks,
                toMiddle,
                depth + 1,
                toMiddle,
                depth + 1};
}

bool
DualPipeSchedule::Next(PipelinePass& pass)
{
    while (m_written.empty())
    {
        if (m_step == STEPS)
        {
            return false;
        }
        if (m_round == m_rounds[m_step])
        {
            ++m_step;
            m_round = 0;
            continue;
        }
        WriteStep(m_step, m_round++);
    }
    pass = m_written.front();
    m_written.pop_front();
    return true;
}

void
DualPipeSchedule::WriteStep(uint32_t step, uint64_t round)
{
    switch (step)
    {
    case 0:
        Forward(NEAR);
        break;
    case 1:
        Forward(NEAR);
        Forward(FAR);
        break;
    case 2:
        Backward(FAR, true);
        Weight();
        Forward(FAR);
        break;
    case 3:
        WriteMainStep(round);
        break;
    case 4:
        Backward(FAR);
        Forward(FAR, true);
        Backward(NEAR);
        break;
    case 5:
        // Of these 2 (depth + 1) backwards the second half leaves its weights for later.
        Backward(FAR, 2 * round > m_depth);
        Backward(NEAR, 2 * round + 1 > m_depth);
        break;
    case 6:
        Weight();
        Backward(NEAR, true);
        break;
    default:
        Weight();
    }
}

void
DualPipeSchedule::WriteMainStep(uint64_t round)
{
    // The first pair of the middle ranks would be one that all others wait for: it stays apart.
    Forward(NEAR, round > 0 || !m_middle);
    Backward(FAR);
    Forward(FAR, true);
    Backward(NEAR);
}

PipelinePass
DualPipeSchedule::MakePass(PassKind kind, Direction direction, uint64_t number) const
{
    PipelinePass pass;
    pass.kind = kind;
    pass.chunk = direction == NEAR ? m_nearChunk : 1 - m_nearChunk;
    pass.microbatch = pass.chunk * m_half + number;
    return pass;
}

void
DualPipeSchedule::Forward(Direction direction, bool pairsWithNext)
{
    m_written.push_back(MakePass(PassKind::FORWARD, direction, m_forward[direction]++));
    m_written.back().pairsWithNext = pairsWithNext;
}

void
DualPipeSchedule::Backward(Direction direction, bool inputOnly)
{
    const uint64_t number = m_backward[direction]++;
    m_written.push_back(
        MakePass(inputOnly ? PassKind::BACKWARD_INPUT : PassKind::BACKWARD, direction, number));
    if (inputOnly)
    {
        m_weightsLeft.push_back(MakePass(PassKind::BACKWARD_WEIGHT, direction, number));
    }
}

void
DualPipeSchedule::Weight()
{
    m_written.push_back(m_weightsLeft.front());
    m_weightsLeft.pop_front();
}

uint64_t
DualPipeSchedule::Count(PassKind kind, uint32_t chunk) const
{
    // Step 2 splits far backwards, step 6 near ones, step 5 the second half of an alternation of
    // depth + 1 each that begins with a far one.
    const uint64_t split =
        m_rounds[2] + (chunk == m_nearChunk ? m_depth / 2 + 1 : m_depth - m_depth / 2);
    switch (kind)
    {
    case PassKind::FORWARD:
        return m_half;
    case PassKind::BACKWARD:
        return m_half - split;
    default:
        return split;
    }
}

} // namespace llm
} // namespace ns3
