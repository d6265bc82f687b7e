/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MOE_TIMES_H
#define LLM_MOE_TIMES_H

#include "llm-recipe-context.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Compute times of a layer with experts on one rank for one microbatch, in picoseconds, by roofline
 * as PartTimes. Backward takes twice as long. With a fixed time per layer the experts take what a
 * dense MLP would, however many tokens they get, and the rest takes none.
 */
class MoeTimes
{
  public:
    /** @param context of the recipe; it must outlive this object. */
    explicit MoeTimes(const RecipeContext& context);

    /** @param tokens of this rank. @return norm, router and the weighted sum of the outputs. */
    int64_t GetRouterPs(uint64_t tokens) const;
    /** @param tokens of the tensor-parallel group. @return the rank's part of the shared experts;
     *  0 without. */
    int64_t GetSharedPs(uint64_t tokens) const;
    /** @param slots tokens that the rank's routed experts get, each counted once per expert.
     *  @return all of them, forward. */
    int64_t GetExpertsPs(uint64_t slots) const;
    /** @param slots as above. @return all of them, backward. */
    int64_t GetExpertsBackwardPs(uint64_t slots) const;

  private:
    const RecipeContext& m_context; //!< shape
    double m_element;               //!< bytes of a weight or activation
    double m_hidden;                //!< h
    double m_matrices;              //!< of an MLP
};

} // namespace llm
} // namespace ns3

#endif // LLM_MOE_TIMES_H
