/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_INTERLEAVED_SCHEDULE_H
#define LLM_INTERLEAVED_SCHEDULE_H

#include "llm-one-forward-one-backward.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Interleaved 1F1B (Narayanan 2021 s.2.2, Megatron-Core): each of the p ranks has v chunks of
 * layers; chunk c of rank r is virtual stage c p + r. Microbatches advance in groups of p, each
 * group through all chunks of a rank before the next one comes. A rank warms up with
 * 2 (p - r - 1) + (v - 1) p passes, all m v of them if there are no more, then alternates.
 */
class InterleavedSchedule : public PipelineSchedule
{
  public:
    /**
     * @param rank r.
     * @param ranks p, > rank.
     * @param chunks v, >= 1.
     * @param microbatches m, a multiple of p.
     */
    InterleavedSchedule(uint32_t rank, uint32_t ranks, uint32_t chunks, uint64_t microbatches);

    bool Next(PipelinePass& pass) override;
    uint64_t Count(PassKind kind, uint32_t chunk) const override;

  private:
    uint64_t m_ranks;               //!< p
    uint64_t m_chunks;              //!< v
    uint64_t m_microbatches;        //!< m
    OneForwardOneBackward m_passes; //!< over all m v passes, as if each were a microbatch
};

} // namespace llm
} // namespace ns3

#endif // LLM_INTERLEAVED_SCHEDULE_H
