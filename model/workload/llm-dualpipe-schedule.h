/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DUALPIPE_SCHEDULE_H
#define LLM_DUALPIPE_SCHEDULE_H

#include "llm-pipeline-schedule.h"

#include <array>
#include <cstdint>
#include <deque>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * DualPipe (DeepSeek-V3, arXiv 2412.19437, s.3.2.1; the eight steps are those of DeepSeek's own
 * implementation). Microbatches enter at both ends of the pipeline: the first m/2 at rank 0, the
 * others at rank p-1. So each rank holds two chunks of layers: chunk 0 is stage r of the first
 * half, chunk 1 stage p-1-r of the second, and every stage is on two ranks.
 *
 * In the long middle, a forward of one direction runs together with a backward of the other.
 * Where that would only lengthen the bubble, backward is cut in input (B) and weight gradients (W)
 * as in zero-bubble schedules. At most p + 1 microbatches are in flight on a rank; the bubble is
 * (p/2 - 1)(F&B + (B + W) - 3 W).
 */
class DualPipeSchedule : public PipelineSchedule
{
  public:
    /**
     * @param rank r.
     * @param ranks p, > rank, even.
     * @param microbatches m of both directions, even and at least 2 p.
     */
    DualPipeSchedule(uint32_t rank, uint32_t ranks, uint64_t microbatches);

    bool Next(PipelinePass& pass) override;
    uint64_t Count(PassKind kind, uint32_t chunk) const override;

  private:
    /** Directions as a rank sees them: microbatches that enter at the end of the pipeline which is
     *  nearer to it come first. */
    enum Direction : uint32_t
    {
        NEAR,
        FAR
    };

    static constexpr uint32_t STEPS = 8; //!< of DeepSeek's implementation

    void WriteStep(uint32_t step, uint64_t round);
    void WriteMainStep(uint64_t round);
    void Forward(Direction direction, bool pairsWithNext = false);
    void Backward(Direction direction, bool inputOnly = false);
    void Weight();
    PipelinePass MakePass(PassKind kind, Direction direction, uint64_t number) const;

    uint64_t m_half;                        //!< microbatches per direction
    uint32_t m_nearChunk;                   //!< chunk of the near direction
    uint32_t m_depth;                       //!< ranks between this one and its end of the pipeline
    bool m_middle;                          //!< one of the two ranks in the middle
    std::array<uint64_t, STEPS> m_rounds;   //!< of each step
    uint32_t m_step{0};                     //!< current step
    uint64_t m_round{0};                    //!< rounds of it that are written
    std::array<uint64_t, 2> m_forward{};    //!< next F by direction
    std::array<uint64_t, 2> m_backward{};   //!< next backward by direction
    std::deque<PipelinePass> m_written;     //!< passes of the current round
    std::deque<PipelinePass> m_weightsLeft; //!< W not yet written; at most p
};

} // namespace llm
} // namespace ns3

#endif // LLM_DUALPIPE_SCHEDULE_H
