/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpcc);

TypeId
RdmaHpcc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaHpcc")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaHpcc>()
            .AddAttribute("Eta",
                          "Utilisation that is aimed at, 0 to 1 (HPCC, SIGCOMM 2019: 0.95).",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&RdmaHpcc::m_eta),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MaxStage",
                          "Additive updates in a row, after which one is multiplicative (HPCC: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaHpcc::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("WindowAi",
                          "Additive step W_AI, bytes (HPCC: bandwidth-delay product times 1 - Eta, "
                          "divided by the number of flows; 80 B in its evaluation).",
                          DoubleValue(80),
                          MakeDoubleAccessor(&RdmaHpcc::m_windowAi),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("FastReact",
                          "Whether the window reacts to every ACK, not only once per RTT.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaHpcc::m_fastReact),
                          MakeBooleanChecker())
            .AddAttribute("MinRate",
                          "Least rate; the least window is it times the base RTT.",
                          DataRateValue(DataRate(100000000)),
                          MakeDataRateAccessor(&RdmaHpcc::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("IntBytesPerHop",
                          "Bytes by which each switch lengthens a data frame, and each record its "
                          "ACK (HPCC: 8); 0: telemetry is free.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaHpcc::m_bytesPerHop),
                          MakeUintegerChecker<uint8_t>(0, 64));
    return tid;
}

RdmaHpcc::RdmaHpcc()
    : m_eta(1),
      m_maxStage(0),
      m_windowAi(0),
      m_fastReact(true),
      m_bytesPerHop(0)
{
}

RdmaHpcc::~RdmaHpcc() = default;

uint32_t
RdmaHpcc::GetNeeds() const
{
    return NEEDS_ACK | NEEDS_INT;
}

uint8_t
RdmaHpcc::GetIntBytesPerHop() const
{
    return m_bytesPerHop;
}

void
RdmaHpcc::Init(const RdmaPathInfo& path)
{
    m_line = static_cast<double>(path.lineRate.GetBitRate());
    m_t = std::max(1.0, static_cast<double>(path.baseRtt.GetTimeStep()));
    m_ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    m_fullWindow = std::max(1.0, static_cast<double>(path.bdp));
    m_leastWindow =
        std::min(m_fullWindow, m_fullWindow * static_cast<double>(m_minRate.GetBitRate()) / m_line);
    m_current = m_fullWindow;
    m_reference = m_fullWindow;
    Publish();
}

void
RdmaHpcc::OnAck(const RdmaAckInfo& ack)
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
    const bool update = ack.ackedPsn > m_updatedBefore;
    const bool measured = Measure(ack);
    Remember(ack);
    if (!measured || (!update && !m_fastReact))
    {
        return;
    }
    uint32_t stage = 0;
    if (m_utilization >= m_eta || m_stage >= m_maxStage)
    {
        m_current = m_reference / (m_utilization / m_eta) + m_windowAi;
    }
    else
    {
        m_current = m_reference + m_windowAi;
        stage = m_stage + 1;
    }
    m_current = std::min(m_fullWindow, std::max(m_leastWindow, m_current));
    if (update)
    {
        m_reference = m_current;
        m_stage = stage;
        m_updatedBefore = ack.nextPsn;
    }
    Publish();
}

void
RdmaHpcc::Remember(const RdmaAckInfo& ack)
{
    m_before.assign(ack.intRecords, ack.intRecords + ack.intHops);
}

bool
RdmaHpcc::Measure(const RdmaAckInfo& ack)
{
    double most = -1;
    double tau = 0;
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
        const auto queue = static_cast<double>(std::min(now.queueBytes, before.queueBytes));
        const double u = queue / (bytesPerTick * m_t) +
                         static_cast<double>(now.bytesSent - before.bytesSent) / dt / bytesPerTick;
        if (u > most)
        {
            most = u;
            tau = dt;
        }
    }
    if (most < 0)
    {
        return false;
    }
    const double weight = std::min(tau, m_t) / m_t;
    m_utilization = (1 - weight) * m_utilization + weight * most;
    return m_utilization > 0;
}

void
RdmaHpcc::Publish()
{
    const double rate = std::min(m_line, m_line * (m_current / m_fullWindow));
    SetRateAndWindow(std::max<uint64_t>(1, static_cast<uint64_t>(rate)),
                     static_cast<uint64_t>(m_current));
}

} // namespace llm
} // namespace ns3
