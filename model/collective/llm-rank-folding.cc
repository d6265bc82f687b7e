/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-rank-folding.h"

namespace ns3
{
namespace llm
{

uint32_t
FloorLog2(uint32_t value)
{
    uint32_t k = 0;
    while (value >>= 1)
    {
        ++k;
    }
    return k;
}

uint32_t
CeilLog2(uint32_t value)
{
    return value <= 1 ? 0 : FloorLog2(value - 1) + 1;
}

RankFolding::RankFolding(uint32_t groupSize)
    : m_cores(UINT32_C(1) << FloorLog2(groupSize)),
      m_folded(groupSize - m_cores)
{
}

uint32_t
RankFolding::GetCores() const
{
    return m_cores;
}

uint32_t
RankFolding::GetFolded() const
{
    return m_folded;
}

bool
RankFolding::IsFolded(uint32_t rank) const
{
    return rank < 2 * m_folded && rank % 2 == 0;
}

bool
RankFolding::StandsForTwo(uint32_t rank) const
{
    return rank < 2 * m_folded && rank % 2 == 1;
}

uint32_t
RankFolding::CoreOf(uint32_t rank) const
{
    return rank < 2 * m_folded ? rank / 2 : rank - m_folded;
}

uint32_t
RankFolding::RankOf(uint32_t core) const
{
    return core < m_folded ? 2 * core + 1 : core + m_folded;
}

uint32_t
RankFolding::FirstRankOf(uint32_t core) const
{
    return core < m_folded ? 2 * core : core + m_folded;
}

std::vector<uint32_t>
RankFolding::GetPartners(uint32_t rank) const
{
    if (IsFolded(rank))
    {
        return {rank + 1};
    }
    std::vector<uint32_t> partners;
    for (uint32_t distance = 1; distance < m_cores; distance *= 2)
    {
        partners.push_back(RankOf(CoreOf(rank) ^ distance));
    }
    if (StandsForTwo(rank))
    {
        partners.push_back(rank - 1);
    }
    return partners;
}

} // namespace llm
} // namespace ns3
