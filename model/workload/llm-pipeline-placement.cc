/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pipeline-placement.h"

#include "llm-dualpipe-placement.h"

namespace ns3
{
namespace llm
{

uint32_t
PipelinePlacement::GetDirectionCount() const
{
    return 1;
}

uint32_t
PipelinePlacement::GetDirection(const PipelinePlace& /* place */) const
{
    return 0;
}

bool
PipelinePlacement::IsFirst(const PipelinePlace& place) const
{
    return GetStage(place) == 0;
}

bool
PipelinePlacement::IsLast(const PipelinePlace& place) const
{
    return GetStage(place) + 1 == GetStageCount();
}

PipelinePlace
PipelinePlacement::GetNext(const PipelinePlace& place) const
{
    return GetPlace(GetStage(place) + 1, GetDirection(place));
}

PipelinePlace
PipelinePlacement::GetPrevious(const PipelinePlace& place) const
{
    return GetPlace(GetStage(place) - 1, GetDirection(place));
}

LoopingPlacement::LoopingPlacement(uint32_t ranks, uint32_t chunks)
    : m_ranks(ranks),
      m_chunks(chunks)
{
}

uint32_t
LoopingPlacement::GetRankCount() const
{
    return m_ranks;
}

uint32_t
LoopingPlacement::GetChunkCount() const
{
    return m_chunks;
}

uint32_t
LoopingPlacement::GetStageCount() const
{
    return m_ranks * m_chunks;
}

uint32_t
LoopingPlacement::GetStage(const PipelinePlace& place) const
{
    return place.chunk * m_ranks + place.rank;
}

PipelinePlace
LoopingPlacement::GetPlace(uint32_t stage, uint32_t /* direction */) const
{
    return {stage % m_ranks, stage / m_ranks};
}

std::unique_ptr<PipelinePlacement>
MakePipelinePlacement(const ParallelConfig& config)
{
    if (config.pipeline_schedule == "dualpipe")
    {
        return std::make_unique<DualPipePlacement>(config.pipeline_model_parallel_size);
    }
    return std::make_unique<LoopingPlacement>(config.pipeline_model_parallel_size,
                                              config.virtual_pipeline_model_parallel_size);
}

} // namespace llm
} // namespace ns3
