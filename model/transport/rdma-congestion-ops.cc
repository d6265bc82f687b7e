/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-congestion-ops.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionOps);
NS_OBJECT_ENSURE_REGISTERED(RdmaNoCongestionControl);

Time
RdmaPathInfo::GetLeastRtt() const
{
    const uint64_t line = lineRate.GetBitRate();
    if (line == 0)
    {
        return baseRtt;
    }
    const auto perSecond = static_cast<uint64_t>(Seconds(1).GetTimeStep());
    const auto own =
        static_cast<int64_t>(static_cast<double>(wireBytes) * 8 * static_cast<double>(perSecond) /
                             static_cast<double>(line));
    return TimeStep(static_cast<uint64_t>(std::max<int64_t>(0, baseRtt.GetTimeStep() - own)));
}

TypeId
RdmaCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaCongestionOps").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

RdmaCongestionOps::RdmaCongestionOps() = default;

RdmaCongestionOps::~RdmaCongestionOps() = default;

void
RdmaCongestionOps::OnSend(Time, uint32_t)
{
}

void
RdmaCongestionOps::OnAck(const RdmaAckInfo&)
{
}

void
RdmaCongestionOps::OnCnp(Time)
{
}

void
RdmaCongestionOps::OnLoss(Time, RdmaLossKind)
{
}

void
RdmaCongestionOps::OnTimer(Time, uint32_t)
{
}

void
RdmaCongestionOps::OnIdle(Time)
{
}

void
RdmaCongestionOps::OnIdleRestart(Time, Time)
{
}

uint8_t
RdmaCongestionOps::GetIntBytesPerHop() const
{
    return 0;
}

void
RdmaCongestionOps::SetHost(RdmaCongestionHost* host)
{
    m_host = host;
}

void
RdmaCongestionOps::SetRate(uint64_t bitsPerSecond)
{
    if (bitsPerSecond != m_rate)
    {
        m_rate = bitsPerSecond;
        if (m_host)
        {
            m_host->ControlChanged();
        }
    }
}

void
RdmaCongestionOps::SetWindow(uint64_t bytes)
{
    if (bytes != m_window)
    {
        m_window = bytes;
        if (m_host)
        {
            m_host->ControlChanged();
        }
    }
}

void
RdmaCongestionOps::SetRateAndWindow(uint64_t bitsPerSecond, uint64_t bytes)
{
    if (bitsPerSecond != m_rate || bytes != m_window)
    {
        m_rate = bitsPerSecond;
        m_window = bytes;
        if (m_host)
        {
            m_host->ControlChanged();
        }
    }
}

TypeId
RdmaNoCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaNoCongestionControl")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaNoCongestionControl>()
            .AddAttribute("Window",
                          "Payload bytes that may be in flight; 0: unlimited.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNoCongestionControl::m_fixedWindow),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

RdmaNoCongestionControl::RdmaNoCongestionControl()
    : m_fixedWindow(0)
{
}

RdmaNoCongestionControl::~RdmaNoCongestionControl() = default;

uint32_t
RdmaNoCongestionControl::GetNeeds() const
{
    return NEEDS_NOTHING;
}

void
RdmaNoCongestionControl::Init(const RdmaPathInfo& path)
{
    SetRate(path.lineRate.GetBitRate());
    SetWindow(m_fixedWindow ? m_fixedWindow : UNLIMITED);
}

} // namespace llm
} // namespace ns3
