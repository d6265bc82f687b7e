/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ONE_FORWARD_ONE_BACKWARD_H
#define LLM_ONE_FORWARD_ONE_BACKWARD_H

#include "llm-pipeline-schedule.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One forward, one backward (Narayanan 2021 s.2.2, PipeDream-Flush): rank r of p warms up with
 * min(p - r - 1, m) forwards, then alternates, then finishes the outstanding backwards. Holds at
 * most p - r microbatches. With one rank it alternates from the start.
 */
class OneForwardOneBackward : public PipelineSchedule
{
  public:
    /**
     * @param rank r.
     * @param ranks p, > rank.
     * @param microbatches m.
     */
    OneForwardOneBackward(uint32_t rank, uint32_t ranks, uint64_t microbatches);

    /**
     * @param warmup forwards ahead of the first pair; all, if there are no more.
     * @param microbatches m.
     * @return a schedule that warms up for so long.
     */
    static OneForwardOneBackward WithWarmup(uint64_t warmup, uint64_t microbatches);

    bool Next(PipelinePass& pass) override;
    uint64_t Count(PassKind kind, uint32_t chunk) const override;

  private:
    OneForwardOneBackward(uint64_t warmup, uint64_t microbatches);

    uint64_t m_warmup;       //!< forwards ahead of the first backward
    uint64_t m_microbatches; //!< m
    uint64_t m_forward{0};   //!< next forward
    uint64_t m_backward{0};  //!< next backward
};

} // namespace llm
} // namespace ns3

#endif // LLM_ONE_FORWARD_ONE_BACKWARD_H
