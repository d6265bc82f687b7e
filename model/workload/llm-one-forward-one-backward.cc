/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-one-forward-one-backward.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

OneForwardOneBackward::OneForwardOneBackward(uint32_t rank, uint32_t ranks, uint64_t microbatches)
    : OneForwardOneBackward(ranks - rank - 1, microbatches)
{
}

OneForwardOneBackward::OneForwardOneBackward(uint64_t warmup, uint64_t microbatches)
    : m_warmup(std::min(warmup, microbatches)),
      m_microbatches(microbatches)
{
}

OneForwardOneBackward
OneForwardOneBackward::WithWarmup(uint64_t warmup, uint64_t microbatches)
{
    return OneForwardOneBackward(warmup, microbatches);
}

bool
OneForwardOneBackward::Next(PipelinePass& pass)
{
    if (m_backward == m_microbatches)
    {
        return false;
    }
    const bool backward = m_forward == m_microbatches || m_forward - m_backward > m_warmup;
    pass = PipelinePass();
    pass.kind = backward ? PassKind::BACKWARD : PassKind::FORWARD;
    pass.microbatch = backward ? m_backward++ : m_forward++;
    return true;
}

uint64_t
OneForwardOneBackward::Count(PassKind kind, uint32_t /* chunk */) const
{
    return kind == PassKind::FORWARD || kind == PassKind::BACKWARD ? m_microbatches : 0;
}

} // namespace llm
} // namespace ns3
