/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-link-clock.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{
__extension__ typedef unsigned __int128 Wide; //!< bits times ticks per second, at femtoseconds
} // namespace

void
FabricLinkClock::SetRate(uint64_t bitsPerSecond, int64_t ticksPerSecond)
{
    m_bitsPerSecond = bitsPerSecond;
    m_ticksPerSecond = static_cast<uint64_t>(ticksPerSecond);
    const uint64_t ticksPerEightSeconds = 8 * m_ticksPerSecond;
    m_ticksPerByte = ticksPerEightSeconds % bitsPerSecond == 0
                         ? static_cast<int64_t>(ticksPerEightSeconds / bitsPerSecond)
                         : 0;
    if (m_remainder == FLOOR)
    {
        m_ticksPerByte = 0;
    }
    else
    {
        m_remainder = 0;
    }
}

void
FabricLinkClock::FloorNanoseconds()
{
    // The slow way does it, so that exact clocks do not have to ask.
    m_remainder = FLOOR;
    m_ticksPerByte = 0;
}

int64_t
FabricLinkClock::TransmitWithRemainder(int64_t now, uint32_t wireBytes)
{
    if (m_remainder == FLOOR)
    {
        m_busyUntil = std::max(m_busyUntil, now) + GetTicksRounded(wireBytes);
        return m_busyUntil;
    }
    if (now > m_busyUntil)
    {
        m_busyUntil = now;
        m_remainder = 0;
    }
    const Wide bitTicks = static_cast<Wide>(wireBytes) * 8 * m_ticksPerSecond + m_remainder;
    m_busyUntil += static_cast<int64_t>(bitTicks / m_bitsPerSecond);
    m_remainder = static_cast<uint64_t>(bitTicks % m_bitsPerSecond);
    return m_busyUntil;
}

int64_t
FabricLinkClock::GetTicksRounded(uint64_t wireBytes) const
{
    const auto ticks = static_cast<uint64_t>(static_cast<Wide>(wireBytes) * 8 * m_ticksPerSecond /
                                             m_bitsPerSecond);
    const uint64_t nanosecond = std::max<uint64_t>(m_ticksPerSecond / 1000000000, 1);
    return static_cast<int64_t>(m_remainder == FLOOR ? ticks - ticks % nanosecond : ticks);
}

uint64_t
FabricLinkClock::GetBytes(int64_t ticks) const
{
    const Wide divisor = static_cast<Wide>(8) * m_ticksPerSecond;
    return static_cast<uint64_t>((static_cast<Wide>(ticks) * m_bitsPerSecond + divisor - 1) /
                                 divisor);
}

} // namespace llm
} // namespace ns3
