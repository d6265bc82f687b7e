/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-delay-power-tcp.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDelayPowerTcp);

TypeId
RdmaDelayPowerTcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaDelayPowerTcp")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaDelayPowerTcp>()
            .AddAttribute("Gamma",
                          "Weight of the newest window, 0 to 1 (PowerTCP, NSDI 2022: 0.9).",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&RdmaDelayPowerTcp::m_gamma),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Flows",
                          "Number of flows that a NIC is expected to have: the additive increase "
                          "is the bandwidth-delay product divided by it (NSDI 2022, s. 3.3).",
                          DoubleValue(10),
                          MakeDoubleAccessor(&RdmaDelayPowerTcp::m_flows),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("MinRate",
                          "Least rate.",
                          DataRateValue(DataRate(100000000)),
                          MakeDataRateAccessor(&RdmaDelayPowerTcp::m_minRate),
                          MakeDataRateChecker());
    return tid;
}

RdmaDelayPowerTcp::RdmaDelayPowerTcp()
    : m_gamma(0),
      m_flows(1)
{
}

RdmaDelayPowerTcp::~RdmaDelayPowerTcp() = default;

uint32_t
RdmaDelayPowerTcp::GetNeeds() const
{
    return NEEDS_ACK;
}

void
RdmaDelayPowerTcp::Init(const RdmaPathInfo& path)
{
    m_line = static_cast<double>(path.lineRate.GetBitRate());
    m_tau = std::max(1.0, static_cast<double>(path.GetLeastRtt().GetTimeStep()));
    m_fullWindow = std::max(1.0, static_cast<double>(path.bdp));
    m_leastWindow =
        std::min(m_fullWindow, m_fullWindow * static_cast<double>(m_minRate.GetBitRate()) / m_line);
    m_beta = m_fullWindow / m_flows;
    m_current = m_fullWindow;
    m_old = m_fullWindow;
    Publish();
}

void
RdmaDelayPowerTcp::OnAck(const RdmaAckInfo& ack)
{
    if (ack.rtt.IsZero())
    {
        return;
    }
    const int64_t now = ack.now.GetTimeStep();
    const int64_t rtt = ack.rtt.GetTimeStep();
    const bool first = m_rtt == 0;
    const int64_t elapsed = now - m_ackAt;
    if (!first && elapsed > 0)
    {
        const auto dt = static_cast<double>(elapsed);
        const double gradient = static_cast<double>(rtt - m_rtt) / dt;
        const double power = std::max(0.0, gradient + 1) * static_cast<double>(rtt) / m_tau;
        const double weight = std::min(dt, m_tau) / m_tau;
        m_power = (1 - weight) * m_power + weight * power;
    }
    m_rtt = rtt;
    m_ackAt = now;
    if (first)
    {
        m_updatedBefore = ack.nextPsn;
    }
    if (ack.ackedPsn <= m_updatedBefore)
    {
        return;
    }
    m_updatedBefore = ack.nextPsn;
    constexpr double LEAST_POWER = 1e-3; // a window does not grow without bound in one step
    const double window =
        m_gamma * (m_old / std::max(m_power, LEAST_POWER) + m_beta) + (1 - m_gamma) * m_current;
    m_current = std::min(m_fullWindow, std::max(m_leastWindow, window));
    m_old = m_current;
    Publish();
}

void
RdmaDelayPowerTcp::Publish()
{
    const double rate = std::min(m_line, m_line * (m_current / m_fullWindow));
    SetRateAndWindow(std::max<uint64_t>(1, static_cast<uint64_t>(rate)),
                     static_cast<uint64_t>(m_current));
}

} // namespace llm
} // namespace ns3
