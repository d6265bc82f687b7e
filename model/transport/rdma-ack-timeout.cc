/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-ack-timeout.h"

#include <algorithm>
#include <array>

namespace ns3
{
namespace llm
{

Time
RdmaAckTimeout::FromExponent(uint32_t exponent)
{
    return NanoSeconds(uint64_t{4096} << std::min(exponent, MAX_EXPONENT));
}

Time
RdmaAckTimeout::Scale(Time baseRtt)
{
    if (!baseRtt.IsStrictlyPositive())
    {
        return FromExponent(INFINIBAND_EXPONENT);
    }
    const int64_t least = SCALE_RTTS * baseRtt.GetTimeStep();
    uint32_t exponent = 0;
    while (exponent < MAX_EXPONENT && FromExponent(exponent).GetTimeStep() < least)
    {
        ++exponent;
    }
    return FromExponent(exponent);
}

Time
RdmaAckTimeout::GetRnrDelay(uint32_t code)
{
    // Units of 10 us.
    static const std::array<uint32_t, 32> DELAYS{
        65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
        48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
        2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
    return MicroSeconds(10 * uint64_t{DELAYS[code % DELAYS.size()]});
}

} // namespace llm
} // namespace ns3
