/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-data-traffic.h"

namespace ns3
{
namespace llm
{

void
AddDataTraffic(const StageTraffic& at, TrafficUses& uses)
{
    for (const auto& full : at.work.buckets)
    {
        uses.collectives.push_back({CollectiveKind::ALL_REDUCE,
                                    ParallelDimension::DATA,
                                    full.group,
                                    full.bucket.bytes,
                                    1});
    }
}

} // namespace llm
} // namespace ns3
