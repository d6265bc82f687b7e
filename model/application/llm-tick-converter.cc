/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-tick-converter.h"

#include "ns3/nstime.h"

namespace ns3
{
namespace llm
{

TickConverter::TickConverter()
    : m_psPerTick(TimeStep(1).ToInteger(Time::PS))
{
    if (m_psPerTick == 0)
    {
        m_ticksPerPs = PicoSeconds(1).GetTimeStep();
    }
}

int64_t
TickConverter::Convert(int64_t ps)
{
    if (m_ticksPerPs)
    {
        return ps * m_ticksPerPs;
    }
    m_restPs += ps;
    const int64_t ticks = m_restPs / m_psPerTick;
    m_restPs -= ticks * m_psPerTick;
    return ticks;
}

int64_t
TickConverter::ToPs(int64_t ticks) const
{
    return m_ticksPerPs ? ticks / m_ticksPerPs : ticks * m_psPerTick;
}

} // namespace llm
} // namespace ns3
