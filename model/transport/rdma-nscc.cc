/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nscc.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNscc);

TypeId
RdmaNscc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaNscc")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaNscc>()
            .AddAttribute("TargetRtts",
                          "Target queueing delay as a multiple of the base RTT (UET 1.0: 1; 0.75 "
                          "with packet trimming).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaNscc::m_targetRtts),
                          MakeDoubleChecker<double>(1e-3))
            .AddAttribute("Gamma",
                          "Strength of decreases, 0 to 1 (UET 1.0: 0.8).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaNscc::m_gamma),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxWindowBdp",
                          "Greatest and first window, as a multiple of the bandwidth-delay product "
                          "(UET 1.0: 1.5).",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&RdmaNscc::m_maxBdp),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("DelayWeight",
                          "Weight of the newest sample in the average delay, 0 to 1.",
                          DoubleValue(0.0125),
                          MakeDoubleAccessor(&RdmaNscc::m_delayWeight),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("FastDelay",
                          "Queueing delay below which the increase becomes fast.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&RdmaNscc::m_fastDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReferenceRate",
                          "Line rate of the reference network.",
                          DataRateValue(DataRate(100000000000)),
                          MakeDataRateAccessor(&RdmaNscc::m_refRate),
                          MakeDataRateChecker())
            .AddAttribute("ReferenceRtt",
                          "Base RTT of the reference network.",
                          TimeValue(MicroSeconds(12)),
                          MakeTimeAccessor(&RdmaNscc::m_refRtt),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

RdmaNscc::RdmaNscc()
    : m_targetRtts(1),
      m_gamma(0),
      m_maxBdp(0),
      m_delayWeight(0)
{
}

RdmaNscc::~RdmaNscc() = default;

uint32_t
RdmaNscc::GetNeeds() const
{
    return NEEDS_ACK | NEEDS_ECN_ECHO | NEEDS_ACK_PER_PACKET;
}

void
RdmaNscc::Init(const RdmaPathInfo& path)
{
    m_line = path.lineRate.GetBitRate();
    m_mtu = std::max<uint32_t>(path.mtu, 1);
    m_baseRtt = std::max<int64_t>(1, path.baseRtt.GetTimeStep());
    m_leastRtt = path.GetLeastRtt().GetTimeStep();
    const double reference =
        static_cast<double>(m_refRate.GetBitRate()) / 8 * m_refRtt.GetSeconds();
    const double rtt = TimeStep(static_cast<uint64_t>(m_baseRtt)).GetSeconds();
    Constants& c = m_constants;
    c.bdp = std::max(m_mtu, static_cast<double>(path.bdp));
    c.scalingA = c.bdp / std::max(1.0, reference);
    c.targetDelay = m_targetRtts * rtt;
    c.scalingB = c.targetDelay / m_refRtt.GetSeconds();
    c.alpha = 4 * m_mtu * c.scalingA * c.scalingB / c.targetDelay;
    c.fairIncrease = 5 * m_mtu * c.scalingA;
    c.eta = 0.15 * m_mtu * c.scalingA;
    c.fastScale = 0.25 * c.scalingA;
    c.maxWindow = std::max(m_mtu, m_maxBdp * c.bdp);
    c.quickAdaptDelay = 4 * c.targetDelay;
    m_adaptPeriod = static_cast<int64_t>(static_cast<double>(m_baseRtt) * (1 + m_targetRtts));
    m_cwnd = c.maxWindow;
    Publish();
}

double
RdmaNscc::GetDecreaseFactor(double delay) const
{
    return std::max(1 - m_gamma * (delay - m_constants.targetDelay) / delay, 0.5);
}

void
RdmaNscc::OnAck(const RdmaAckInfo& ack)
{
    const auto acked = static_cast<double>(ack.ackedBytes);
    m_achieved += acked;
    if (ack.rtt.IsZero())
    {
        return;
    }
    const int64_t queued = std::max<int64_t>(0, ack.rtt.GetTimeStep() - m_leastRtt);
    const double delay = TimeStep(static_cast<uint64_t>(queued)).GetSeconds();
    m_average += m_delayWeight * (delay - m_average);
    if (QuickAdapt(ack, delay))
    {
        Publish();
        return;
    }
    if (m_ignore > 0)
    {
        m_ignore -= acked; // says nothing of the present window
        return;
    }
    React(ack, delay);
    m_sinceFulfil += acked;
    const int64_t now = ack.now.GetTimeStep();
    if (m_sinceFulfil >= 8 * m_mtu || now - m_fulfilledAt >= m_baseRtt)
    {
        Fulfil(now);
    }
    Publish();
}

void
RdmaNscc::React(const RdmaAckInfo& ack, double delay)
{
    const Constants& c = m_constants;
    const auto acked = static_cast<double>(ack.ackedBytes);
    if (!ack.ecnEcho)
    {
        if (delay >= c.targetDelay)
        {
            m_fastBytes = 0;
            m_increase += c.fairIncrease * acked;
        }
        else if (!GrowFast(acked, delay))
        {
            m_increase += c.alpha * acked * (c.targetDelay - delay);
        }
        return;
    }
    m_fastBytes = 0;
    const int64_t now = ack.now.GetTimeStep();
    const bool rested = !m_hasDecreased || now - m_decreasedAt >= m_baseRtt;
    if (delay >= c.targetDelay && rested && m_average > c.targetDelay)
    {
        m_cwnd *= GetDecreaseFactor(m_average);
        m_decreasedAt = now;
        m_hasDecreased = true;
    }
}

bool
RdmaNscc::GrowFast(double acked, double delay)
{
    if (delay >= m_fastDelay.GetSeconds())
    {
        m_fastBytes = 0;
        return false;
    }
    m_fastBytes += acked;
    if (m_fastBytes <= m_cwnd)
    {
        return false;
    }
    m_cwnd += acked * m_constants.fastScale;
    m_fastBytes = std::max(m_fastBytes, m_cwnd); // once begun, it lasts until there is a delay
    return true;
}

bool
RdmaNscc::QuickAdapt(const RdmaAckInfo& ack, double delay)
{
    const int64_t now = ack.now.GetTimeStep();
    if (m_adaptAt == 0)
    {
        m_adaptAt = now + m_adaptPeriod;
        m_achieved = 0;
    }
    if (now < m_adaptAt)
    {
        return false;
    }
    const bool wanted = m_lossInEpoch || delay > m_constants.quickAdaptDelay;
    m_adaptedInEpoch = wanted && m_achieved < m_constants.maxWindow / 8;
    if (m_adaptedInEpoch)
    {
        m_cwnd = std::max(m_achieved, m_mtu);
        m_ignore = static_cast<double>(ack.inFlight);
        m_increase = 0;
        m_sinceFulfil = 0;
    }
    m_adaptAt = now + m_adaptPeriod;
    m_achieved = 0;
    m_lossInEpoch = false;
    return m_adaptedInEpoch;
}

void
RdmaNscc::Fulfil(int64_t now)
{
    m_cwnd += m_increase / m_cwnd;
    m_increase = 0;
    m_sinceFulfil = 0;
    m_fulfilledAt = now;
    if (now - m_etaAt >= m_baseRtt)
    {
        m_cwnd += m_constants.eta;
        m_etaAt = now;
    }
}

void
RdmaNscc::OnLoss(Time, RdmaLossKind)
{
    m_lossInEpoch = true;
    if (!m_adaptedInEpoch)
    {
        m_cwnd -= m_mtu; // the packet that is known to be lost
    }
    Publish();
}

void
RdmaNscc::Publish()
{
    m_cwnd = std::min(m_constants.maxWindow, std::max(m_mtu, m_cwnd));
    SetRateAndWindow(m_line, static_cast<uint64_t>(m_cwnd));
}

} // namespace llm
} // namespace ns3
