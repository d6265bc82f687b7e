/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TICK_CONVERTER_H
#define LLM_TICK_CONVERTER_H

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Turns picoseconds into simulator ticks and carries what is left to the next call, so that a
 * chain of durations is never wrong by a tick, whatever the resolution of ns3::Time.
 */
class TickConverter
{
  public:
    /** Use the present resolution of ns3::Time. */
    TickConverter();

    /**
     * @param ps picoseconds, >= 0.
     * @return whole ticks in ps and the rest of earlier calls.
     */
    int64_t Convert(int64_t ps);

    /** @param ticks a span in ticks. @return the same in picoseconds. */
    int64_t ToPs(int64_t ticks) const;

  private:
    int64_t m_psPerTick{0};  //!< 0 if a tick is shorter than a picosecond
    int64_t m_ticksPerPs{0}; //!< 0 if a tick is a picosecond or longer
    int64_t m_restPs{0};     //!< carried
};

} // namespace llm
} // namespace ns3

#endif // LLM_TICK_CONVERTER_H
