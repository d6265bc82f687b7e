/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GPIPE_SCHEDULE_H
#define LLM_GPIPE_SCHEDULE_H

#include "llm-pipeline-schedule.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * All forwards, then all backwards (GPipe, Huang et al. 2019; drawn as in Narayanan 2021 fig. 3).
 * Every rank holds the activations of all m microbatches.
 */
class GPipeSchedule : public PipelineSchedule
{
  public:
    /** @param microbatches m. */
    explicit GPipeSchedule(uint64_t microbatches);

    bool Next(PipelinePass& pass) override;
    uint64_t Count(PassKind kind, uint32_t chunk) const override;

  private:
    uint64_t m_microbatches; //!< m
    uint64_t m_next{0};      //!< passes given out
};

} // namespace llm
} // namespace ns3

#endif // LLM_GPIPE_SCHEDULE_H
