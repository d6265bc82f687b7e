/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_DICE_H
#define LLM_TRAINING_DICE_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/** Deterministic random numbers (splitmix64). */
class Dice
{
  public:
    explicit Dice(uint64_t seed)
        : m_state(seed)
    {
    }

    /** @return 0 .. sides - 1. */
    uint64_t Throw(uint64_t sides)
    {
        m_state += 0x9e3779b97f4a7c15ULL;
        uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return (z ^ (z >> 31)) % sides;
    }

    /** @return one of the values. */
    template <typename T>
    T Pick(const std::vector<T>& values)
    {
        return values[Throw(values.size())];
    }

  private:
    uint64_t m_state; //!< of the sequence
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_DICE_H
