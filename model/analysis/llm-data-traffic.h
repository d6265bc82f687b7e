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
 * What data parallelism sends: gradients, bucket by bucket, all-reduced once per iteration.
 * @param at a stage.
 * @param uses get it.
 */
void AddDataTraffic(const StageTraffic& at, TrafficUses& uses);

} // namespace llm
} // namespace ns3

#endif // LLM_DATA_TRAFFIC_H
