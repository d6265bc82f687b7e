/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-power-tcp.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPowerTcp);

TypeId
RdmaPowerTcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaPowerTcp")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaPowerTcp>()
            .AddAttribute("Gamma",
                          "Weight of the newest window, 0 to 1 (PowerTCP, NSDI 2022: 0.9).",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_gamma),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Flows",
                          "Number of flows that a NIC is expected to have: the additive increase "
                          "is the bandwidth-delay product divided by it (NSDI 2022, s. 3.3).",
                          DoubleValue(10),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_flows),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("MinRate",
                          "Least rate; the least window is it times the base RTT.",
                          DataRateValue(DataRate(100000000)),
                          MakeDataRateAccessor(&RdmaPowerTcp::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("IntBytesPerHop",
                          "Bytes by which each switch lengthens a data frame, and each record its "
                          "ACK (as HPCC: 8); 0: telemetry is free.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPowerTcp::m_bytesPerHop),
                          MakeUintegerChecker<uint8_t>(0, 64));
    return tid;
}

RdmaPowerTcp::RdmaPowerTcp()
    : m_gamma(0),
      m_flows(1),
      m_bytesPerHop(0)
{
}

RdmaPowerTcp::~RdmaPowerTcp() = default;

uint32_t
RdmaPowerTcp::GetNeeds() const
{
    return NEEDS_ACK | NEEDS_INT;
}

uint8_t
RdmaPowerTcp::GetIntBytesPerHop() const
{
    return m_bytesPerHop;
}

void
RdmaPowerTcp::Init(const RdmaPathInfo& path)
{
    m_line = static_cast<double>(path.lineRate.GetBitRate());
    m_tau = std::max(1.0, static_cast<double>(path.baseRtt.GetTimeStep()));
    m_ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    m_fullWindow = std::max(1.0, static_cast<double>(path.bdp));
    m_leastWindow =
        std::min(m_fullWindow, m_fullWindow * static_cast<double>(m_minRate.GetBitRate()) / m_line);
    m_beta = m_fullWindow / m_flows;
    m_current = m_fullWindow;
    m_old = m_fullWindow;
    m_next = m_fullWindow;
    Publish();
}

void
RdmaPowerTcp::OnAck(const RdmaAckInfo& ack)
{
    if (ack.intHops == 0)
    {
        return;
    }
    if (!m_started || m_before.size() != ack.intHops)
    {
        // Nothing to compare with: the first ACK, or another path.
        m_updatedBefore = m_started ? m_updatedBefore : ack.nextPsn;
        m_started = true;
        Remember(ack);
        return;
    }
    const bool measured = Measure(ack);
    Remember(ack);
    if (!measured)
    {
        return;
    }
    // What was measured is due to the window at which the acknowledged packet was sent.
    const bool newRound = ack.ackedPsn > m_updatedBefore;
    m_old = newRound ? m_next : m_old;
    constexpr double LEAST_POWER = 1e-3; // a window does not grow without bound in one step
    const double window =
        m_gamma * (m_old / std::max(m_power, LEAST_POWER) + m_beta) + (1 - m_gamma) * m_current;
    m_current = std::min(m_fullWindow, std::max(m_leastWindow, window));
    if (newRound)
    {
        m_next = m_current;
        m_updatedBefore = ack.nextPsn;
    }
    Publish();
}

void
RdmaPowerTcp::Remember(const RdmaAckInfo& ack)
{
    m_before.assign(ack.intRecords, ack.intRecords + ack.intHops);
}

bool
RdmaPowerTcp::Measure(const RdmaAckInfo& ack)
{
    double most = -1;
    double elapsed = 0;
    for (uint32_t i = 0; i < ack.intHops; ++i)
    {
        const IntRecord& now = ack.intRecords[i];
        const IntRecord& before = m_before[i];
        if (now.time <= before.time)
        {
            continue;
        }
        const auto dt = static_cast<double>(now.time - before.time);
        const double bytesPerTick = static_cast<double>(now.bitRate) / 8 / m_ticksPerSecond;
        const double bdp = bytesPerTick * m_tau;
        const auto queue = static_cast<double>(now.queueBytes);
        const double growth = (queue - static_cast<double>(before.queueBytes)) / dt;
        const double mu = static_cast<double>(now.bytesSent - before.bytesSent) / dt;
        const double current = std::max(0.0, growth + mu);
        const double power = current * (queue + bdp) / (bytesPerTick * bdp);
        if (power > most)
        {
            most = power;
            elapsed = dt;
        }
    }
    if (most < 0)
    {
        return false;
    }
    const double weight = std::min(elapsed, m_tau) / m_tau;
    m_power = (1 - weight) * m_power + weight * most;
    return true;
}

void
RdmaPowerTcp::Publish()
{
    const double rate = std::min(m_line, m_line * (m_current / m_fullWindow));
    SetRateAndWindow(std::max<uint64_t>(1, static_cast<uint64_t>(rate)),
                     static_cast<uint64_t>(m_current));
}

} // namespace llm
} // namespace ns3
