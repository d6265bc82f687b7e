/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dctcp.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDctcp);

TypeId
RdmaDctcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaDctcp")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaDctcp>()
            .AddAttribute("G",
                          "Weight of the newest RTT in alpha, 0 to 1 (DCTCP, SIGCOMM 2010: 1/16).",
                          DoubleValue(0.0625),
                          MakeDoubleAccessor(&RdmaDctcp::m_g),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("InitialAlpha",
                          "First alpha, 0 to 1 (RFC 8257: 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaDctcp::m_initialAlpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("RateAi",
                          "Additive step of the rate per RTT. 615 Mb/s are 1000 B per 13 us, as "
                          "in the HPCC paper's comparison.",
                          DataRateValue(DataRate(615000000)),
                          MakeDataRateAccessor(&RdmaDctcp::m_rateAi),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Least rate.",
                          DataRateValue(DataRate(100000000)),
                          MakeDataRateAccessor(&RdmaDctcp::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("WindowBdp",
                          "Payload that may be in flight at line rate, as a multiple of the path's "
                          "bandwidth-delay product; it shrinks with the rate. 0: unlimited, and "
                          "then a queue of many RTTs slows the reaction to itself.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaDctcp::m_windowBdp),
                          MakeDoubleChecker<double>(0, 1e6));
    return tid;
}

RdmaDctcp::RdmaDctcp()
    : m_g(0),
      m_initialAlpha(0),
      m_windowBdp(0)
{
}

RdmaDctcp::~RdmaDctcp() = default;

uint32_t
RdmaDctcp::GetNeeds() const
{
    return NEEDS_ACK | NEEDS_ECN_ECHO | NEEDS_ACK_PER_PACKET;
}

void
RdmaDctcp::Init(const RdmaPathInfo& path)
{
    m_line = static_cast<double>(path.lineRate.GetBitRate());
    m_fullWindow = m_windowBdp * static_cast<double>(path.bdp);
    m_mtu = std::max<uint64_t>(path.mtu, 1);
    m_current = m_line;
    m_alpha = m_initialAlpha;
    Publish();
}

void
RdmaDctcp::OnAck(const RdmaAckInfo& ack)
{
    m_acked += ack.ackedBytes;
    m_marked += ack.ecnEcho ? ack.ackedBytes : 0;
    if (!m_started)
    {
        m_started = true;
        m_roundEnd = ack.nextPsn;
    }
    const bool newRound = ack.ackedPsn > m_roundEnd;
    if (newRound)
    {
        m_roundEnd = ack.nextPsn;
        const double share =
            m_acked > 0 ? static_cast<double>(m_marked) / static_cast<double>(m_acked) : 0;
        m_alpha = (1 - m_g) * m_alpha + m_g * share;
        m_acked = 0;
        m_marked = 0;
    }
    m_reduced = m_reduced && ack.ackedPsn <= m_reducedEnd;
    if (m_reduced)
    {
        return;
    }
    if (ack.ecnEcho)
    {
        m_current *= 1 - m_alpha / 2;
        m_reduced = true;
        m_reducedEnd = ack.nextPsn;
    }
    else if (newRound)
    {
        m_current += static_cast<double>(m_rateAi.GetBitRate());
    }
    const double floor = std::max(1.0, static_cast<double>(m_minRate.GetBitRate()));
    m_current = std::min(m_line, std::max(floor, m_current));
    Publish();
}

void
RdmaDctcp::Publish()
{
    uint64_t window = UNLIMITED;
    if (m_fullWindow > 0)
    {
        window = std::max(m_mtu, static_cast<uint64_t>(m_fullWindow * (m_current / m_line)));
    }
    SetRateAndWindow(static_cast<uint64_t>(m_current), window);
}

} // namespace llm
} // namespace ns3
