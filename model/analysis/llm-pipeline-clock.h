/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PIPELINE_CLOCK_H
#define LLM_PIPELINE_CLOCK_H

#include "ns3/llm-training-step.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What a pipeline schedule costs, communication aside: the time of an iteration's passes, the
 * bubble, the activations that a rank holds. It looks at passes, not at their operations, and at
 * one rank for each coordinate of the pipeline. Time grows with p v m.
 */
class PipelineClock
{
  public:
    /** @param step what is trained; it must outlive this object. */
    explicit PipelineClock(const TrainingStep& step);

    /** @param stage which. @param kind of pass. @return its compute, picoseconds; where the load of
     *  experts differs, the slowest rank in each layer. */
    int64_t GetPassPs(uint32_t stage, PassKind kind) const;
    /** @param pipelineRank coordinate on the axis PP. @return compute of all its passes,
     *  picoseconds. */
    int64_t GetComputePs(uint32_t pipelineRank) const;

    /**
     * Runs the schedules of all ranks: a pass starts when its rank is free and what it needs from
     * other stages is there; a pair starts when both can and ends as one.
     * @return when the last pass is over, picoseconds.
     */
    int64_t GetPassesPs() const;

    /**
     * Idle over busy time of a balanced pipeline in closed form, with F, B, W the mean times of a
     * rank's forward, input gradients and weight gradients of a microbatch:
     * - gpipe, 1f1b: (p - 1) / m, with v chunks (p - 1) / (m v) (Narayanan 2021 s.2.2);
     * - zb_h1: (p - 1)(F + B - W) / (m (F + B + W)) (Qi et al. 2024 table 2), as long as W is
     *   neither above F nor above B; generally with max(F, B, F + B - W), as its schedule shows;
     * - dualpipe: (p/2 - 1)(F + 2 B - W) / (m (F + B + W)): DeepSeek-V3 table 2, where F&B takes
     *   the sum F + B + W and B is all of backward; exact for F = B = W.
     * @return the fraction.
     */
    double GetPublishedBubble() const;

    /**
     * @param pipelineRank coordinate on the axis PP.
     * @param chunkBytes what a microbatch leaves on each of its chunks from the end of its forward
     *        to that of its backward, weight gradients included.
     * @return the most that the rank holds at a time.
     */
    uint64_t GetPeakBytes(uint32_t pipelineRank, const std::vector<uint64_t>& chunkBytes) const;

  private:
    static constexpr std::size_t KINDS = 4; //!< of passes

    const TrainingStep& m_step;                           //!< what is trained
    std::vector<std::array<int64_t, KINDS>> m_stageTimes; //!< by stage and kind
};

} // namespace llm
} // namespace ns3

#endif // LLM_PIPELINE_CLOCK_H
