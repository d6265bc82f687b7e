/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-interleaved-schedule.h"

namespace ns3
{
namespace llm
{

InterleavedSchedule::InterleavedSchedule(uint32_t rank,
                                         uint32_t ranks,
                                         uint32_t chunks,
                                         uint64_t microbatches)
    : m_ranks(ranks),
      m_chunks(chunks),
      m_microbatches(microbatches),
      m_passes(OneForwardOneBackward::WithWarmup(2ULL * (ranks - rank - 1) +
                                                     static_cast<uint64_t>(chunks - 1) * ranks,
                                                 microbatches * chunks))
{
}

bool
InterleavedSchedule::Next(PipelinePass& pass)
{
    if (!m_passes.Next(pass))
    {
        return false;
    }
    const uint64_t group = pass.microbatch / (m_ranks * m_chunks);
    const uint64_t inGroup = pass.microbatch % (m_ranks * m_chunks);
    const uint64_t chunk = inGroup / m_ranks;
    pass.chunk = static_cast<uint32_t>(pass.IsBackward() ? m_chunks - 1 - chunk : chunk);
    pass.microbatch = group * m_ranks + inGroup % m_ranks;
    return true;
}

uint64_t
InterleavedSchedule::Count(PassKind kind, uint32_t /* chunk */) const
{
    return kind == PassKind::FORWARD || kind == PassKind::BACKWARD ? m_microbatches : 0;
}

} // namespace llm
} // namespace ns3
