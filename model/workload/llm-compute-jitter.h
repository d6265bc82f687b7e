/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COMPUTE_JITTER_H
#define LLM_COMPUTE_JITTER_H

#include "llm-accelerator.h"
#include "llm-step-program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Makes accelerators uneven: each compute operation takes between 1 - jitter and 1 + jitter of its
 * time, evenly distributed, and stragglers take some times as long on top. What an operation takes
 * is a function of seed, rank, iteration and operation number, so it depends neither on the order
 * in which ranks are asked nor on what else is drawn.
 */
class ComputeJitter
{
  public:
    /** @param config its jitter and stragglers. */
    explicit ComputeJitter(const AcceleratorConfig& config);

    /** @return false if every operation takes its time. */
    bool IsActive() const;

    /**
     * @param durationPs of an operation, picoseconds.
     * @param rank, iteration, operation whose.
     * @return what it takes, to the picosecond.
     */
    int64_t Apply(int64_t durationPs, uint32_t rank, uint32_t iteration, uint64_t operation) const;

    /**
     * @param program of a rank.
     * @param rank, iteration whose.
     * @return the same with uneven compute operations; program itself if jitter is not active.
     */
    std::unique_ptr<StepProgram> Wrap(std::unique_ptr<StepProgram> program,
                                      uint32_t rank,
                                      uint32_t iteration) const;

  private:
    double m_jitter;                    //!< half of the width
    uint64_t m_seed;                    //!< of the random numbers
    double m_slowdown;                  //!< of stragglers
    std::vector<uint32_t> m_stragglers; //!< sorted
};

} // namespace llm
} // namespace ns3

#endif // LLM_COMPUTE_JITTER_H
