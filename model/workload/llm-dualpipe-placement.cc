/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-dualpipe-placement.h"

namespace ns3
{
namespace llm
{

DualPipePlacement::DualPipePlacement(uint32_t ranks)
    : m_ranks(ranks)
{
}

uint32_t
DualPipePlacement::GetRankCount() const
{
    return m_ranks;
}

uint32_t
DualPipePlacement::GetChunkCount() const
{
    return 2;
}

uint32_t
DualPipePlacement::GetStageCount() const
{
    return m_ranks;
}

uint32_t
DualPipePlacement::GetStage(const PipelinePlace& place) const
{
    return place.chunk == 0 ? place.rank : m_ranks - 1 - place.rank;
}

PipelinePlace
DualPipePlacement::GetPlace(uint32_t stage, uint32_t direction) const
{
    return {direction == 0 ? stage : m_ranks - 1 - stage, direction};
}

uint32_t
DualPipePlacement::GetDirectionCount() const
{
    return 2;
}

uint32_t
DualPipePlacement::GetDirection(const PipelinePlace& place) const
{
    return place.chunk;
}

} // namespace llm
} // namespace ns3
