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
#include <string>

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
 * The order in which a pipeline rank runs the forward and backward passes of its microbatches.
 * Produced lazily: memory does not grow with the number of microbatches. The passes of one kind and
 * chunk come in the order of their microbatches.
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
 * Checks pipeline_schedule against p and v.
 * @param config sizes and name.
 * @param source name of the file, for errors.
 * @param path where the config stands in it; may be empty.
 * @throw ConfigError.
 */
void CheckPipelineSchedule(const ParallelConfig& config,
                           const std::string& source,
                           const std::string& path);

/**
 * @param config sizes and name, already checked.
 * @param microbatches m, >= 1.
 * @return why the schedule cannot run so many microbatches, one line; empty: it can.
 */
std::string FindMicrobatchError(const ParallelConfig& config, uint64_t microbatches);

/**
 * Makes a schedule by the name in ParallelConfig::pipeline_schedule:
 *
 * | name     | class                                               | needs                    |
 * | -------- | --------------------------------------------------- | ------------------------ |
 * | gpipe    | GPipeSchedule                                       |                          |
 * | 1f1b     | OneForwardOneBackward; InterleavedSchedule if v > 1 | v > 1: p > 1, m % p == 0 |
 * | zb_h1    | ZeroBubbleH1Schedule                                |                          |
 * | dualpipe | DualPipeSchedule                                    | p, m even, m >= 2 p      |
 *
 * v above 1 is for 1f1b alone; dualpipe has its two chunks in any case.
 *
 * @param config a layout's resolved config, already checked.
 * @param rank r: coordinate on the axis PP.
 * @param microbatches m: per iteration and model replica, already checked.
 * @return the passes of that rank.
 */
std::unique_ptr<PipelineSchedule> MakePipelineSchedule(const ParallelConfig& config,
                                                       uint32_t rank,
                                                       uint64_t microbatches);

} // namespace llm
} // namespace ns3

#endif // LLM_PIPELINE_SCHEDULE_H
