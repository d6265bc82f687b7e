/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RANK_FOLDING_H
#define LLM_RANK_FOLDING_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/** @param value >= 1. @return the largest k with 2^k <= value. */
uint32_t FloorLog2(uint32_t value);

/** @param value >= 1. @return the smallest k with 2^k >= value. */
uint32_t CeilLog2(uint32_t value);

/**
 * @ingroup llm-training
 *
 * How algorithms that halve and double treat groups that are no power of two (Thakur, Rabenseifner
 * and Gropp 2005): with p the largest power of two that fits and r = n - p, each even rank below 2r
 * hands its part over to the odd rank behind it and waits. The p others, the cores, go on.
 */
class RankFolding
{
  public:
    /** @param groupSize n >= 1. */
    explicit RankFolding(uint32_t groupSize);

    /** @return p, the number of cores. */
    uint32_t GetCores() const;
    /** @return r, the number of folded ranks. */
    uint32_t GetFolded() const;
    /** @param rank any. @return whether the rank hands over to rank + 1. */
    bool IsFolded(uint32_t rank) const;
    /** @param rank one that is not folded. @return whether it also stands for rank - 1. */
    bool StandsForTwo(uint32_t rank) const;
    /** @param rank any. @return the core that is, or stands for, the rank. */
    uint32_t CoreOf(uint32_t rank) const;
    /** @param core 0 .. p-1. @return its rank. */
    uint32_t RankOf(uint32_t core) const;
    /** @param core 0 .. p. @return the first rank that it stands for; n for p. */
    uint32_t FirstRankOf(uint32_t core) const;

    /** @param rank any. @return the ranks that it exchanges with. */
    std::vector<uint32_t> GetPartners(uint32_t rank) const;

  private:
    uint32_t m_cores;  //!< p
    uint32_t m_folded; //!< r
};

} // namespace llm
} // namespace ns3

#endif // LLM_RANK_FOLDING_H
