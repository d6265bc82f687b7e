/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-incast-traffic.h"

#include "ns3/llm-config-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(IncastTraffic);

TypeId
IncastTraffic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::IncastTraffic")
            .SetParent<FlowGenerator>()
            .SetGroupName("LlmTraining")
            .AddConstructor<IncastTraffic>()
            .AddAttribute("FanIn",
                          "Senders to each receiver, drawn anew for every incast; 0: all.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IncastTraffic::m_fanIn),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Bytes",
                          "Bytes from each sender.",
                          UintegerValue(500000),
                          MakeUintegerAccessor(&IncastTraffic::m_bytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Period",
                          "Time from incast to incast.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&IncastTraffic::m_period),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("Count",
                          "Number of incasts; 0: until StopTime or Stop.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IncastTraffic::m_count),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

IncastTraffic::IncastTraffic() = default;

void
IncastTraffic::CheckSettings() const
{
    for (const uint32_t receiver : m_receivers)
    {
        const auto others =
            m_senders.size() -
            static_cast<std::size_t>(std::count(m_senders.begin(), m_senders.end(), receiver));
        if (m_fanIn > others)
        {
            throw ConfigError("IncastTraffic",
                              "FanIn",
                              "is " + std::to_string(m_fanIn) + ", but only " +
                                  std::to_string(others) + " senders can send to rank " +
                                  std::to_string(receiver));
        }
    }
}

void
IncastTraffic::Generate()
{
    for (const uint32_t receiver : m_receivers)
    {
        SendTo(receiver);
    }
    if (++m_done == m_count)
    {
        Finish();
        return;
    }
    ScheduleNext(m_period.GetTimeStep());
}

void
IncastTraffic::SendTo(uint32_t receiver)
{
    m_shuffled = m_senders;
    m_shuffled.erase(std::remove(m_shuffled.begin(), m_shuffled.end(), receiver), m_shuffled.end());
    const std::size_t fanIn = m_fanIn == 0 ? m_shuffled.size() : m_fanIn;
    for (std::size_t i = 0; i < fanIn; ++i)
    {
        if (m_fanIn > 0)
        {
            // Fisher and Yates: the first fanIn of a shuffle.
            std::swap(m_shuffled[i], m_shuffled[i + DrawIndex(m_shuffled.size() - i)]);
        }
        StartFlow(m_shuffled[i], receiver, m_bytes);
    }
}

} // namespace llm
} // namespace ns3
