/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_EXPERT_TRAFFIC_H
#define LLM_EXPERT_TRAFFIC_H

#include "llm-traffic-uses.h"

namespace ns3
{
namespace llm
{

/**
 * What expert parallelism sends. Per layer with experts and microbatch, with T = b s / (c t) tokens
 * of a rank, K experts for each, q bytes per element, n_x the slots of a rank that go to rank x of
 * the ep group (T K / e if all experts are equally popular, ExpertRouting else):
 *
 * - alltoall: an all-gather of E counts of 8 bytes from each rank of the etp-ep group, unless they
 *   are padded; in either direction two all-to-alls of n_x h q bytes, and over etp two all-gathers
 *   and two reduce-scatters of et e n_x h q bytes at coordinate x;
 * - allgather: two all-gathers and two reduce-scatters of et e T h q bytes over etp-ep;
 * - flex: in either direction, over the network to the rank at the same place of node y as many
 *   tokens as have an expert there, twice; and within a node, for each of its ranks, those that the
 *   rank at the same place of each node has for it, twice.
 *
 * On the way to the experts fp8 tokens take h + 4 ceil(h / 128) bytes in place of h q.
 *
 * @param at a stage.
 * @param uses get it.
 */
void AddExpertTraffic(const StageTraffic& at, TrafficUses& uses);

} // namespace llm
} // namespace ns3

#endif // LLM_EXPERT_TRAFFIC_H
