/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PIPELINE_SCHEDULE_H
#define LLM_PIPELINE_SCHEDULE_H

#include "llm-parallel-config.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llm
{

/** What a pass computes. */
enum class PassKind : uint8_t
{
    FORWARD,         //!< F
    BACKWARD,        //!< gradients of input and weights
    BACKWARD_INPUT,  //!< B: gradient of the input only; the stage before can go on
    BACKWARD_WEIGHT, //!< W: gradients of the weights, any time after B
};

/** One pass of one microbatch through one chunk of layers. */
struct PipelinePass
{
    PassKind kind{PassKind::FORWARD}; //!< what
    uint32_t chunk{0};                //!< which of the rank's chunks, 0 .. v-1
    uint64_t microbatch{0};           //!< from 0
    /** The pass that follows runs together with this one (DualPipe's F&B): neither waits for what
     *  the other communicates, and both take the time of their sum. */
    bool pairsWithNext{false};

    /** @return whether it is BACKWARD or BACKWARD_INPUT: it gets and gives gradients. */
    bool IsBackward() const
    {
        return kind == PassKind::BACKWARD || kind == PassKind::BACKWARD_INPUT;
    }
};

/**
 * @ingroup llm-training
 *
 * The order in which a pipeline stage runs the forward and backward passes of its microbatches.
 * Produced lazily: memory does not grow with the number of microbatches.
 */
class PipelineSchedule
{
  public:
    virtual ~PipelineSchedule() = default;
    /** @param pass gets the next one. @return false at the end of the iteration. */
    virtual bool Next(PipelinePass& pass) = 0;
    /**
     * Closed form, whatever Next() has given out already.
     * @param kind of passes.
     * @param chunk of the rank.
     * @return how many of them an iteration has.
     */
    virtual uint64_t Count(PassKind kind, uint32_t chunk) const = 0;
};

/**
 * @ingroup llm-training
 *
 * One forward, one backward (Narayanan 2021 s.2.2, PipeDream-Flush): stage r of p warms up with
 * min(p - r - 1, m) forwards, then alternates, then finishes the outstanding backwards. Holds at
 * most p - r microbatches. With one stage it alternates from the start.
 */
class OneForwardOneBackward : public PipelineSchedule
{
  public:
    /**
     * @param stage r.
     * @param stages p, > stage.
     * @param microbatches m.
     */
    OneForwardOneBackward(uint32_t stage, uint32_t stages, uint64_t microbatches);

    bool Next(PipelinePass& pass) override;
    uint64_t Count(PassKind kind, uint32_t chunk) const override;

  private:
    uint64_t m_warmup;       //!< forwards ahead of the first backward
    uint64_t m_microbatches; //!< m
    uint64_t m_forward{0};   //!< next forward
    uint64_t m_backward{0};  //!< next backward
};

/**
 * @param config a layout's resolved config: schedule, p, v.
 * @param rank coordinate on the axis PP.
 * @param microbatches m: per iteration and model replica.
 * @return the passes of that rank.
 */
std::unique_ptr<PipelineSchedule> MakePipelineSchedule(const ParallelConfig& config,
                                                       uint32_t rank,
                                                       uint64_t microbatches);

} // namespace llm
} // namespace ns3

#endif // LLM_PIPELINE_SCHEDULE_H
