/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-int-base.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaIntBase);

TypeId
RdmaIntBase::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaIntBase")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddAttribute("MinRate",
                          "Least rate; the least window is it times the base RTT.",
                          DataRateValue(DataRate(100000000)),
                          MakeDataRateAccessor(&RdmaIntBase::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("IntBytesPerHop",
                          "Bytes by which each switch lengthens a data frame, and each record its "
                          "ACK (HPCC: 8); 0: telemetry is free.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaIntBase::m_bytesPerHop),
                          MakeUintegerChecker<uint8_t>(0, 64));
    return tid;
}

RdmaIntBase::RdmaIntBase()
    : m_bytesPerHop(0)
{
}

RdmaIntBase::~RdmaIntBase() = default;

uint32_t
RdmaIntBase::GetNeeds() const
{
    return NEEDS_ACK | NEEDS_INT;
}

uint8_t
RdmaIntBase::GetIntBytesPerHop() const
{
    return m_bytesPerHop;
}

void
RdmaIntBase::Init(const RdmaPathInfo& path)
{
    m_line = static_cast<double>(path.lineRate.GetBitRate());
    m_baseRtt = std::max(1.0, static_cast<double>(path.baseRtt.GetTimeStep()));
    m_ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    m_fullWindow = std::max(1.0, static_cast<double>(path.bdp));
    m_leastWindow =
        std::min(m_fullWindow, m_fullWindow * static_cast<double>(m_minRate.GetBitRate()) / m_line);
    m_current = m_fullWindow;
    Publish();
}

void
RdmaIntBase::OnAck(const RdmaAckInfo& ack)
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
    const bool newRound = ack.ackedPsn > m_updatedBefore;
    const bool measured = Measure(ack);
    Remember(ack);
    if (!measured || !UpdateWindow(newRound))
    {
        return;
    }
    m_updatedBefore = newRound ? ack.nextPsn : m_updatedBefore;
    Publish();
}

void
RdmaIntBase::SetWindowBytes(double bytes)
{
    m_current = std::min(m_fullWindow, std::max(m_leastWindow, bytes));
}

void
RdmaIntBase::Remember(const RdmaAckInfo& ack)
{
    m_before.assign(ack.intRecords, ack.intRecords + ack.intHops);
}

bool
RdmaIntBase::Measure(const RdmaAckInfo& ack)
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
        const double said = MeasureHop(now, before, dt, bytesPerTick);
        if (said > most)
        {
            most = said;
            elapsed = dt;
        }
    }
    if (most < 0)
    {
        return false;
    }
    const double weight = std::min(elapsed, m_baseRtt) / m_baseRtt;
    m_signal = (1 - weight) * m_signal + weight * most;
    return true;
}

void
RdmaIntBase::Publish()
{
    const double rate = std::min(m_line, m_line * (m_current / m_fullWindow));
    SetRateAndWindow(std::max<uint64_t>(1, static_cast<uint64_t>(rate)),
                     static_cast<uint64_t>(m_current));
}

} // namespace llm
} // namespace ns3
