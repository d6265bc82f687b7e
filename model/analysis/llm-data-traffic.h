/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DATA_TRAFFIC_H
#define LLM_DATA_TRAFFIC_H

#include "llm-traffic-uses.h"

namespace ns3
{
namespace llm
{

/**
 * What data parallelism sends, per iteration and rank. With d ranks in the group, P parameters of g
 * gradient bytes and q parameter bytes each, m microbatches, sent around a ring (ZeRO, Rajbhandari
 * 2020 s.7; n instances of HSDP; padding apart):
 *
 * | strategy                              | bytes                                             |
 * | ------------------------------------- | ------------------------------------------------- |
 * | no_shard                              | 2 (d - 1) / d P g                                 |
 * | optim                                 | (d - 1) / d P (g + q)                             |
 * | optim_grads                           | (d - 1) / d P (m g + q)                           |
 * | optim_grads_params                    | (d - 1) / d P m (g + 2 q)                         |
 * | the same, not reshard_after_forward   | (d - 1) / d P (m g + q)                           |
 * | any of these but the first, HSDP      | d / n for d, and 2 (n - 1) / n P n / d g for each |
 * |                                       | reduction                                         |
 *
 * @param at a stage.
 * @param uses get it.
 */
void AddDataTraffic(const StageTraffic& at, TrafficUses& uses);

} // namespace llm
} // namespace ns3

#endif // LLM_DATA_TRAFFIC_H
