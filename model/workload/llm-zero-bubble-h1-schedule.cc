/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-zero-bubble-h1-schedule.h"

namespace ns3
{
namespace llm
{

ZeroBubbleH1Schedule::ZeroBubbleH1Schedule(uint32_t rank, uint32_t ranks, uint64_t microbatches)
    : m_lag(rank),
      m_warmup(ranks - rank - 1),
      m_microbatches(microbatches)
{
}

bool
ZeroBubbleH1Schedule::Next(PipelinePass& pass)
{
    if (m_weight == m_microbatches)
    {
        return false;
    }
    pass = PipelinePass();
    if (m_backward == m_microbatches || m_backward - m_weight > m_lag)
    {
        pass.kind = PassKind::BACKWARD_WEIGHT;
        pass.microbatch = m_weight++;
    }
    else if (m_forward == m_microbatches || m_forward - m_backward > m_warmup)
    {
        pass.kind = PassKind::BACKWARD_INPUT;
        pass.microbatch = m_backward++;
    }
    else
    {
        pass.microbatch = m_forward++;
    }
    return true;
}

uint64_t
ZeroBubbleH1Schedule::Count(PassKind kind, uint32_t /* chunk */) const
{
    return kind == PassKind::BACKWARD ? 0 : m_microbatches;
}

} // namespace llm
} // namespace ns3
