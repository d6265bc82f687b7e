/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_CONTEXT_TRAFFIC_H
#define LLM_CONTEXT_TRAFFIC_H

#include "llm-traffic-uses.h"

namespace ns3
{
namespace llm
{

/**
 * What context parallelism sends, per layer and microbatch, with n = b s / (c t) tokens and heads:
 *
 * - p2p: messages of W = n k_v (d_k + d_v) q bytes to the next rank of the ring of c: c - 1 forward
 *   (keys and values), c - 1 and c backward (the same again, their gradients);
 * - all_gather: an all-gather forward and a reduce-scatter backward, of c W bytes in all;
 * - a2a: all-to-alls of n a d_k q (queries), n k_v d_k q (keys), n k_v d_v q (values) and n a d_v q
 *   (outputs), forward and backward;
 * - a2a+p2p: these over parts of g ranks, and the ring of c / g ranks with messages of W.
 *
 * k_v = a under latent attention. The core runs forward twice where activations are recomputed,
 * selectively or fully.
 *
 * @param at a stage.
 * @param uses get it.
 */
void AddContextTraffic(const StageTraffic& at, TrafficUses& uses);

} // namespace llm
} // namespace ns3

#endif // LLM_CONTEXT_TRAFFIC_H
