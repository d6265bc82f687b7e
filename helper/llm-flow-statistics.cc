/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-flow-statistics.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace llm
{

void
FlowStatistics::Connect(Ptr<MessageTransport> transport)
{
    transport->TraceConnectWithoutContext("MessageEnd",
                                          MakeCallback(&FlowStatistics::MessageEnd, this));
}

void
FlowStatistics::MessageEnd(const Message& message, int64_t now)
{
    if (message.bytes > 0)
    {
        m_ticks.push_back(now - message.start);
    }
}

int64_t
FlowStatistics::GetPercentile(double percent)
{
    if (m_ticks.empty())
    {
        return 0;
    }
    // Nearest rank: the ceil(p n / 100)-th smallest. In hundredths of a percent, to stay exact.
    const auto hundredths = static_cast<uint64_t>(std::lround(percent * 100));
    const uint64_t rank = (hundredths * m_ticks.size() + 9999) / 10000;
    const auto nth = m_ticks.begin() + static_cast<std::ptrdiff_t>(rank == 0 ? 0 : rank - 1);
    std::nth_element(m_ticks.begin(), nth, m_ticks.end());
    return *nth;
}

FlowTimes
FlowStatistics::GetTimes()
{
    FlowTimes times;
    times.count = GetCount();
    times.median = GetPercentile(50);
    times.p90 = GetPercentile(90);
    times.p99 = GetPercentile(99);
    times.longest = GetPercentile(100);
    return times;
}

} // namespace llm
} // namespace ns3
