/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ZERO_BUBBLE_H1_SCHEDULE_H
#define LLM_ZERO_BUBBLE_H1_SCHEDULE_H

#include "llm-pipeline-schedule.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * ZB-H1 (Qi et al. 2024, arXiv 2401.10241, s.2.1): 1F1B with the backward pass cut in two. The
 * weight gradients (W) of rank r lag r microbatches behind the input gradients (B), so that they
 * fill the bubble at the end. With the r microbatches whose W is due, each rank holds what the
 * first one holds in 1F1B: min(p, m). Bubble (p - 1)(F + B - W) if W <= B.
 */
class ZeroBubbleH1Schedule : public PipelineSchedule
{
  public:
    /**
     * @param rank r.
     * @param ranks p, > rank.
     * @param microbatches m.
     */
    ZeroBubbleH1Schedule(uint32_t rank, uint32_t ranks, uint64_t microbatches);

    bool Next(PipelinePass& pass) override;
    uint64_t Count(PassKind kind, uint32_t chunk) const override;

  private:
    uint64_t m_lag;          //!< r: W behind B
    uint64_t m_warmup;       //!< forwards ahead of the first B
    uint64_t m_microbatches; //!< m
    uint64_t m_forward{0};   //!< next F
    uint64_t m_backward{0};  //!< next B
    uint64_t m_weight{0};    //!< next W
};

} // namespace llm
} // namespace ns3

#endif // LLM_ZERO_BUBBLE_H1_SCHEDULE_H
