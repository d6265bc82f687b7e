/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PIPELINE_PLACEMENT_H
#define LLM_PIPELINE_PLACEMENT_H

#include "llm-parallel-config.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llm
{

/** Where a piece of the model is: a chunk of layers on a pipeline rank. */
struct PipelinePlace
{
    uint32_t rank{0};  //!< coordinate on the axis PP, 0 .. p-1
    uint32_t chunk{0}; //!< which of the rank's chunks, 0 .. v-1
};

/** @return whether both are the same place. */
inline bool
operator==(const PipelinePlace& left, const PipelinePlace& right)
{
    return left.rank == right.rank && left.chunk == right.chunk;
}

/**
 * @ingroup llm-training
 *
 * Which pipeline rank holds which layers. The model is cut into stages, numbered in forward order;
 * each place holds one. Microbatches go through the stages 0, 1, .. of their direction. Most
 * schedules know one direction. With two (DualPipe) every stage is at two places, one for each
 * direction, and half of the microbatches go each way.
 */
class PipelinePlacement
{
  public:
    virtual ~PipelinePlacement() = default;

    /** @return p. */
    virtual uint32_t GetRankCount() const = 0;
    /** @return chunks per rank: v, or 2 for DualPipe. */
    virtual uint32_t GetChunkCount() const = 0;
    /** @return stages that the model is cut into. */
    virtual uint32_t GetStageCount() const = 0;
    /** @param place where. @return the stage there. */
    virtual uint32_t GetStage(const PipelinePlace& place) const = 0;
    /** @param stage which. @param direction 0 .. GetDirectionCount() - 1. @return its place. */
    virtual PipelinePlace GetPlace(uint32_t stage, uint32_t direction) const = 0;
    /** @return 1, or 2 if microbatches enter at both ends. */
    virtual uint32_t GetDirectionCount() const;
    /** @param place where. @return the direction of the microbatches that pass there. */
    virtual uint32_t GetDirection(const PipelinePlace& place) const;

    /** @param place where. @return whether the embedding is there. */
    bool IsFirst(const PipelinePlace& place) const;
    /** @param place where. @return whether the output layer is there. */
    bool IsLast(const PipelinePlace& place) const;
    /** @param place not the last of its direction. @return where activations go. */
    PipelinePlace GetNext(const PipelinePlace& place) const;
    /** @param place not the first of its direction. @return where gradients go. */
    PipelinePlace GetPrevious(const PipelinePlace& place) const;
};

/**
 * @ingroup llm-training
 *
 * Stages go around the ranks v times: chunk c of rank r is stage c p + r (Narayanan 2021 s.2.2).
 * With v = 1 this is the plain pipeline.
 */
class LoopingPlacement : public PipelinePlacement
{
  public:
    /** @param ranks p, >= 1. @param chunks v, >= 1. */
    LoopingPlacement(uint32_t ranks, uint32_t chunks);

    uint32_t GetRankCount() const override;
    uint32_t GetChunkCount() const override;
    uint32_t GetStageCount() const override;
    uint32_t GetStage(const PipelinePlace& place) const override;
    PipelinePlace GetPlace(uint32_t stage, uint32_t direction) const override;

  private:
    uint32_t m_ranks;  //!< p
    uint32_t m_chunks; //!< v
};

/** @param config a layout's resolved config. @return the placement that its schedule needs. */
std::unique_ptr<PipelinePlacement> MakePipelinePlacement(const ParallelConfig& config);

} // namespace llm
} // namespace ns3

#endif // LLM_PIPELINE_PLACEMENT_H
