/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-poisson-traffic.h"

#include "ns3/double.h"
#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(PoissonTraffic);

TypeId
PoissonTraffic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::PoissonTraffic")
                            .SetParent<FlowGenerator>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<PoissonTraffic>()
                            .AddAttribute("Load",
                                          "Payload that is offered, as a part of what the senders' "
                                          "links carry.",
                                          DoubleValue(0.3),
                                          MakeDoubleAccessor(&PoissonTraffic::m_load),
                                          MakeDoubleChecker<double>(1e-9, 10));
    return tid;
}

PoissonTraffic::PoissonTraffic()
    : m_sizes(FlowSizeDistribution::Fixed(1))
{
}

void
PoissonTraffic::SetSizes(const FlowSizeDistribution& sizes)
{
    m_sizes = sizes;
}

void
PoissonTraffic::SetSendRate(uint64_t bitsPerSecond)
{
    m_sendRate = bitsPerSecond;
}

void
PoissonTraffic::CheckSettings() const
{
    if (m_sendRate == 0)
    {
        throw ConfigError("PoissonTraffic", "", "needs the senders' rate; call SetSendRate");
    }
}

double
PoissonTraffic::GetMeanInterval() const
{
    const auto ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    return ticksPerSecond * 8 * m_sizes.GetMean() / (m_load * static_cast<double>(m_sendRate));
}

double
PoissonTraffic::GetOfferedLoad() const
{
    const auto [begin, end] = GetPeriod();
    const double seconds = TimeStep(std::max<int64_t>(end - begin, 1)).GetSeconds();
    return static_cast<double>(GetStartedBytes()) * 8 / (static_cast<double>(m_sendRate) * seconds);
}

int64_t
PoissonTraffic::DrawInterval()
{
    return static_cast<int64_t>(DrawExponential() * GetMeanInterval() + 0.5);
}

int64_t
PoissonTraffic::GetFirstDelay()
{
    return DrawInterval();
}

void
PoissonTraffic::Generate()
{
    const uint32_t from = m_senders[DrawIndex(m_senders.size())];
    uint32_t to = from;
    if (m_receivers.size() == 1 && m_receivers.front() == from)
    {
        ScheduleNext(DrawInterval()); // who may only receive sends nothing
        return;
    }
    while (to == from)
    {
        to = m_receivers[DrawIndex(m_receivers.size())];
    }
    StartFlow(from, to, m_sizes.Draw(DrawUniform()));
    ScheduleNext(DrawInterval());
}

} // namespace llm
} // namespace ns3
