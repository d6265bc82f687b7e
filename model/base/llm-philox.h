/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PHILOX_H
#define LLM_PHILOX_H

#include "ns3/rng-seed-manager.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Philox4x32-10: random numbers that are a pure function of a key and a counter (J. Salmon et al.,
 * "Parallel random numbers: as easy as 1, 2, 3", SC11). What a packet meets then depends on who
 * asks and on its own count of questions, never on who asked before.
 *
 * Name the counter by (id of the object, how many numbers it has drawn). Decide by comparing whole
 * numbers: with threshold = p * 2^32, "number < threshold" is true with probability p.
 */
class Philox
{
  public:
    using Numbers = std::array<uint32_t, 4>; //!< what one counter gives

    /** @param key of the stream. */
    constexpr explicit Philox(uint64_t key = 0)
        : m_key(key)
    {
    }

    /**
     * @param stream number of the stream, from AssignStreams.
     * @return the stream of ns-3's present seed and run.
     */
    static Philox FromSeed(uint64_t stream)
    {
        return Philox(MakeKey(RngSeedManager::GetSeed(), RngSeedManager::GetRun(), stream));
    }

    /**
     * @param seed as in ns-3.
     * @param run as in ns-3.
     * @param stream number of the stream.
     * @return key that all three enter.
     */
    static constexpr uint64_t MakeKey(uint32_t seed, uint64_t run, uint64_t stream)
    {
        const Numbers numbers = Philox(seed)(run, stream);
        return numbers[0] | (static_cast<uint64_t>(numbers[1]) << 32);
    }

    /**
     * @param sequence low half of the counter.
     * @param object high half of the counter.
     * @return four numbers, each uniform over 32 bits.
     */
    constexpr Numbers operator()(uint64_t sequence, uint64_t object) const
    {
        uint32_t c0 = static_cast<uint32_t>(sequence);
        uint32_t c1 = static_cast<uint32_t>(sequence >> 32);
        uint32_t c2 = static_cast<uint32_t>(object);
        uint32_t c3 = static_cast<uint32_t>(object >> 32);
        uint32_t k0 = static_cast<uint32_t>(m_key);
        uint32_t k1 = static_cast<uint32_t>(m_key >> 32);
        for (int round = 0; round < ROUNDS; ++round)
        {
            const uint64_t p0 = MULTIPLIER_0 * c0;
            const uint64_t p1 = MULTIPLIER_1 * c2;
            c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
            c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
            c1 = static_cast<uint32_t>(p1);
            c3 = static_cast<uint32_t>(p0);
            k0 += WEYL_0;
            k1 += WEYL_1;
        }
        return {c0, c1, c2, c3};
    }

    /**
     * @param sequence how many numbers the object has drawn.
     * @param object its id.
     * @return one number, uniform over 32 bits. Four consecutive sequences share a block of
     *         operator(), so an object that keeps its last block computes one in four times.
     */
    constexpr uint32_t Draw(uint64_t sequence, uint64_t object) const
    {
        return (*this)(sequence / 4, object)[sequence % 4];
    }

    /** @return the key. */
    constexpr uint64_t GetKey() const
    {
        return m_key;
    }

  private:
    static constexpr int ROUNDS = 10;                     //!< ten: the full strength
    static constexpr uint64_t MULTIPLIER_0 = 0xD2511F53U; //!< Salmon 2011, table of constants
    static constexpr uint64_t MULTIPLIER_1 = 0xCD9E8D57U; //!< the same
    static constexpr uint32_t WEYL_0 = 0x9E3779B9U;       //!< golden ratio
    static constexpr uint32_t WEYL_1 = 0xBB67AE85U;       //!< sqrt(3) - 1

    uint64_t m_key; //!< of the stream
};

} // namespace llm
} // namespace ns3

#endif // LLM_PHILOX_H
