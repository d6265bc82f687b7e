/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TENSOR_TRAFFIC_H
#define LLM_TENSOR_TRAFFIC_H

#include "llm-traffic-uses.h"

namespace ns3
{
namespace llm
{

/**
 * What tensor parallelism sends, of every layer that is dense or whose experts leave it so.
 *
 * Per layer and microbatch, with X = b s h q bytes: 4 all-reduces of X (Narayanan 2021 s.3.2), or 6
 * all-gathers and 4 reduce-scatters under sequence parallelism (Korthikanti 2022 s.4.2 and the
 * input, gathered again for the gradients of the weights).
 *
 * @param at a stage.
 * @param uses get it.
 */
void AddTensorTraffic(const StageTraffic& at, TrafficUses& uses);

/**
 * What tensor parallelism sends of latent attention, under sequence parallelism: what is gathered
 * and scattered is compressed (r_q, r_kv, d_r elements of a token in place of h), the input stays
 * where it is unless queries are not compressed.
 *
 * @param step what is trained.
 * @param forwards layers times passes forward.
 * @param backwards layers times passes backward.
 * @param uses get it.
 */
void AddLatentTensorTraffic(const TrainingStep& step,
                            uint64_t forwards,
                            uint64_t backwards,
                            TrafficUses& uses);

} // namespace llm
} // namespace ns3

#endif // LLM_TENSOR_TRAFFIC_H
