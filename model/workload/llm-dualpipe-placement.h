/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DUALPIPE_PLACEMENT_H
#define LLM_DUALPIPE_PLACEMENT_H

#include "llm-pipeline-placement.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Two pipelines in opposite directions over the same ranks (DualPipe, DeepSeek-V3 s.3.2.1): chunk 0
 * of rank r is stage r of direction 0, chunk 1 is stage p-1-r of direction 1.
 */
class DualPipePlacement : public PipelinePlacement
{
  public:
    /** @param ranks p, even. */
    explicit DualPipePlacement(uint32_t ranks);

    uint32_t GetRankCount() const override;
    uint32_t GetChunkCount() const override;
    uint32_t GetStageCount() const override;
    uint32_t GetStage(const PipelinePlace& place) const override;
    PipelinePlace GetPlace(uint32_t stage, uint32_t direction) const override;
    uint32_t GetDirectionCount() const override;
    uint32_t GetDirection(const PipelinePlace& place) const override;

  private:
    uint32_t m_ranks; //!< p
};

} // namespace llm
} // namespace ns3

#endif // LLM_DUALPIPE_PLACEMENT_H
