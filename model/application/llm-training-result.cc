/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-result.h"

#include "ns3/nstime.h"

namespace ns3
{
namespace llm
{

namespace
{
/** @param bytes moved. @param ticks in this time. @return bytes per second, 0 for no time. */
double
Bandwidth(double bytes, int64_t ticks)
{
    return ticks > 0 ? bytes / TimeStep(ticks).GetSeconds() : 0;
}
} // namespace

double
CollectiveRecord::GetAlgorithmBandwidth() const
{
    return Bandwidth(static_cast<double>(bytes), end - start);
}

double
CollectiveRecord::GetBusBandwidth() const
{
    return GetAlgorithmBandwidth() * BusBandwidthFactor(kind, groupSize);
}

double
CollectiveSummary::GetBusBandwidth() const
{
    return Bandwidth(busBytes, ticks);
}

} // namespace llm
} // namespace ns3
