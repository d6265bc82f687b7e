/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_LINK_CLOCK_H
#define FABRIC_LINK_CLOCK_H

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * When a transmitter is free again. Serialisation times are carried with their remainder, so that
 * back-to-back frames never drift: at 400 Gb/s and nanosecond ticks a byte is 0.02 ticks.
 */
class FabricLinkClock
{
  public:
    /**
     * @param bitsPerSecond rate, > 0.
     * @param ticksPerSecond resolution of simulated time.
     */
    void SetRate(uint64_t bitsPerSecond, int64_t ticksPerSecond);

    /** Cut the time of each frame to whole nanoseconds from now on, if ticks are finer. */
    void FloorNanoseconds();

    /** @return tick from which the transmitter is free, rounded down. */
    int64_t GetBusyUntil() const
    {
        return m_busyUntil;
    }

    /** @return rate, bit/s. */
    uint64_t GetBitRate() const
    {
        return m_bitsPerSecond;
    }

    /**
     * Occupy the transmitter.
     * @param now present tick; a start before GetBusyUntil() is a programming error.
     * @param wireBytes bytes of link time.
     * @return tick of the last bit, rounded down.
     */
    int64_t Transmit(int64_t now, uint32_t wireBytes)
    {
        if (m_ticksPerByte)
        {
            m_busyUntil = now + m_ticksPerByte * wireBytes;
            return m_busyUntil;
        }
        return TransmitWithRemainder(now, wireBytes);
    }

    /** @param wireBytes bytes. @return ticks on the link, rounded down. */
    int64_t GetTicks(uint64_t wireBytes) const
    {
        return m_ticksPerByte ? static_cast<int64_t>(wireBytes) * m_ticksPerByte
                              : GetTicksRounded(wireBytes);
    }

    /** @param ticks duration. @return bytes that the link carries in it, rounded up. */
    uint64_t GetBytes(int64_t ticks) const;

  private:
    /** Remainder of a clock that keeps none: times are whole nanoseconds. */
    static constexpr uint64_t FLOOR = UINT64_MAX;

    /** Transmit where a byte is no whole number of ticks. */
    int64_t TransmitWithRemainder(int64_t now, uint32_t wireBytes);
    /** GetTicks where a byte is no whole number of ticks. */
    int64_t GetTicksRounded(uint64_t wireBytes) const;

    int64_t m_busyUntil{0};       //!< end of the last frame, rounded down
    int64_t m_ticksPerByte{0};    //!< exact, or 0 if it is a fraction
    uint64_t m_remainder{0};      //!< of the end of the last frame, in 1/rate ticks; or FLOOR
    uint64_t m_bitsPerSecond{1};  //!< rate
    uint64_t m_ticksPerSecond{1}; //!< resolution
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_LINK_CLOCK_H
