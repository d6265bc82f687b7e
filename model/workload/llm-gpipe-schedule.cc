/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-gpipe-schedule.h"

namespace ns3
{
namespace llm
{

GPipeSchedule::GPipeSchedule(uint64_t microbatches)
    : m_microbatches(microbatches)
{
}

bool
GPipeSchedule::Next(PipelinePass& pass)
{
    if (m_next == 2 * m_microbatches)
    {
        return false;
    }
    pass = PipelinePass();
    pass.kind = m_next < m_microbatches ? PassKind::FORWARD : PassKind::BACKWARD;
    pass.microbatch = m_next % m_microbatches;
    ++m_next;
    return true;
}

uint64_t
GPipeSchedule::Count(PassKind kind, uint32_t /* chunk */) const
{
    return kind == PassKind::FORWARD || kind == PassKind::BACKWARD ? m_microbatches : 0;
}

} // namespace llm
} // namespace ns3
