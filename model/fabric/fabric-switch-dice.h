/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SWITCH_DICE_H
#define FABRIC_SWITCH_DICE_H

#include "ns3/llm-philox.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Random choices of one switch: the n-th follows from the fabric's key, the switch and n alone.
 */
class FabricSwitchDice
{
  public:
    /** @param key of the fabric. @param switchIndex of the switch. */
    void Configure(uint64_t key, uint32_t switchIndex)
    {
        m_philox = Philox(key);
        m_object = STREAM_OF_SWITCHES | switchIndex;
        m_drawn = 0;
    }

    /** @param count >= 1. @return 0 .. count-1, each as likely, but for count / 2^32. */
    uint32_t Roll(uint32_t count)
    {
        const auto place = static_cast<uint32_t>(m_drawn % 4);
        if (place == 0)
        {
            m_numbers = m_philox(m_drawn / 4, m_object);
        }
        ++m_drawn;
        return static_cast<uint32_t>((static_cast<uint64_t>(m_numbers[place]) * count) >> 32);
    }

  private:
    static constexpr uint64_t STREAM_OF_SWITCHES = uint64_t{3} << 40; //!< apart from ports

    Philox m_philox;             //!< of the fabric
    uint64_t m_object{0};        //!< this switch
    uint64_t m_drawn{0};         //!< how many so far
    Philox::Numbers m_numbers{}; //!< of the last block
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_SWITCH_DICE_H
