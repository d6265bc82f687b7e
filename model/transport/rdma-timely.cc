/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-timely.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTimely);

TypeId
RdmaTimely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaTimely")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaTimely>()
            .AddAttribute("Alpha",
                          "Weight of the newest RTT difference, 0 to 1 (TIMELY, SIGCOMM 2015).",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&RdmaTimely::m_alpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "Strength of decreases, 0 to 1 (TIMELY: 0.8).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaTimely::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("TLow",
                          "RTT below which the rate always rises (TIMELY: 50 us).",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaTimely::m_tLow),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("THigh",
                          "RTT above which the rate always falls (TIMELY: 500 us).",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&RdmaTimely::m_tHigh),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinRtt",
                          "RTT that gradients are a share of (TIMELY: 20 us); 0: the path's own.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&RdmaTimely::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Delta",
                          "Additive step of the rate (TIMELY: 10 Mb/s at 10 Gb/s).",
                          DataRateValue(DataRate(10000000)),
                          MakeDataRateAccessor(&RdmaTimely::m_delta),
                          MakeDataRateChecker())
            .AddAttribute("DeltaReferenceRate",
                          "Line rate for which Delta is given: it grows in proportion to the NIC's "
                          "line rate. 0: it is the same for all.",
                          DataRateValue(DataRate(10000000000)),
                          MakeDataRateAccessor(&RdmaTimely::m_reference),
                          MakeDataRateChecker())
            .AddAttribute("HaiFactor",
                          "Multiple of Delta in hyper increase (TIMELY: 5).",
                          DoubleValue(5),
                          MakeDoubleAccessor(&RdmaTimely::m_haiFactor),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("HaiThreshold",
                          "Updates in a row without a positive gradient from which on the increase "
                          "is hyper (TIMELY: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaTimely::m_haiAfter),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinRate",
                          "Least rate.",
                          DataRateValue(DataRate(100000000)),
                          MakeDataRateAccessor(&RdmaTimely::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("InitialRate",
                          "First rate; 0: line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaTimely::m_initialRate),
                          MakeDataRateChecker())
            .AddAttribute("OncePerRtt",
                          "Whether the rate is updated once per RTT instead of with every ACK.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaTimely::m_oncePerRtt),
                          MakeBooleanChecker());
    return tid;
}

RdmaTimely::RdmaTimely()
    : m_alpha(0),
      m_beta(0),
      m_haiFactor(0),
      m_haiAfter(0),
      m_oncePerRtt(true)
{
}

RdmaTimely::~RdmaTimely() = default;

uint32_t
RdmaTimely::GetNeeds() const
{
    return NEEDS_ACK;
}

void
RdmaTimely::Init(const RdmaPathInfo& path)
{
    m_line = static_cast<double>(path.lineRate.GetBitRate());
    const auto reference = static_cast<double>(m_reference.GetBitRate());
    m_step = static_cast<double>(m_delta.GetBitRate()) * (reference > 0 ? m_line / reference : 1);
    const Time minRtt = m_minRtt.IsZero() ? path.GetLeastRtt() : m_minRtt;
    m_minRttTicks = std::max(1.0, static_cast<double>(minRtt.GetTimeStep()));
    const auto first = static_cast<double>(m_initialRate.GetBitRate());
    m_current = first > 0 ? std::min(first, m_line) : m_line;
    SetRate(static_cast<uint64_t>(m_current));
}

void
RdmaTimely::OnAck(const RdmaAckInfo& ack)
{
    if (ack.rtt.IsZero())
    {
        return;
    }
    const auto rtt = static_cast<double>(ack.rtt.GetTimeStep());
    if (m_previous < 0)
    {
        m_previous = rtt; // a difference needs two
        m_updatedBefore = ack.nextPsn;
        return;
    }
    if (m_oncePerRtt && ack.ackedPsn <= m_updatedBefore)
    {
        return;
    }
    m_updatedBefore = ack.nextPsn;
    Update(rtt);
}

void
RdmaTimely::Update(double rtt)
{
    m_difference = (1 - m_alpha) * m_difference + m_alpha * (rtt - m_previous);
    m_previous = rtt;
    const double gradient = GetGradient();
    const auto high = static_cast<double>(m_tHigh.GetTimeStep());
    if (rtt < static_cast<double>(m_tLow.GetTimeStep()))
    {
        m_calm = 0;
        m_current += m_step;
    }
    else if (rtt > high)
    {
        m_calm = 0;
        m_current *= 1 - m_beta * (1 - high / rtt);
    }
    else if (gradient <= 0)
    {
        ++m_calm;
        m_current += m_calm >= m_haiAfter ? m_haiFactor * m_step : m_step;
    }
    else
    {
        m_calm = 0;
        m_current *= std::max(0.0, 1 - m_beta * gradient);
    }
    const double floor = std::max(1.0, static_cast<double>(m_minRate.GetBitRate()));
    m_current = std::min(m_line, std::max(floor, m_current));
    SetRate(static_cast<uint64_t>(m_current));
}

} // namespace llm
} // namespace ns3
