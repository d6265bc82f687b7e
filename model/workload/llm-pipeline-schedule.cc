/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pipeline-schedule.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

OneForwardOneBackward::OneForwardOneBackward(uint32_t stage, uint32_t stages, uint64_t microbatches)
    : m_warmup(std::min<uint64_t>(stages - stage - 1, microbatches)),
      m_microbatches(microbatches)
{
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

std::unique_ptr<PipelineSchedule>
MakePipelineSchedule(const ParallelConfig& config, uint32_t rank, uint64_t microbatches)
{
    return std::make_unique<OneForwardOneBackward>(rank,
                                                   config.pipeline_model_parallel_size,
                                                   microbatches);
}

} // namespace llm
} // namespace ns3
