/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RECOMPUTE_TRAFFIC_H
#define LLM_RECOMPUTE_TRAFFIC_H

#include "llm-traffic-uses.h"

namespace ns3
{
namespace llm
{

/**
 * What full activation recomputation adds to tensor parallelism: the forward of a recomputed layer
 * once more, that is 2 all-reduces of X = b s h q bytes per microbatch (Narayanan 2021 s.3.2), or 2
 * all-gathers and 2 reduce-scatters under sequence parallelism. Experts without shared ones do
 * without theirs.
 *
 * @param at a stage.
 * @param uses get it.
 */
void AddRecomputeTraffic(const StageTraffic& at, TrafficUses& uses);

} // namespace llm
} // namespace ns3

#endif // LLM_RECOMPUTE_TRAFFIC_H
