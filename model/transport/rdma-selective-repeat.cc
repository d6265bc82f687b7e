/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-selective-repeat.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSelectiveRepeat);

TypeId
RdmaSelectiveRepeat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaSelectiveRepeat")
            .SetParent<RdmaSelectiveReliability>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaSelectiveRepeat>()
            .AddAttribute("BdpFlowControl",
                          "Limit packets in flight to the bandwidth-delay product of the unloaded "
                          "path, or to MaxPackets.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaSelectiveRepeat::m_bdpFlowControl),
                          MakeBooleanChecker())
            .AddAttribute("MaxPackets",
                          "With BdpFlowControl: packets in flight; 0: from line rate and base RTT "
                          "of the path.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSelectiveRepeat::m_maxPackets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("LowTimeout",
                          "Retransmission timeout while at most LowTimeoutPackets are in flight "
                          "(RTO_low; the paper's is 100 us); 0: 5/16 of the transport's.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSelectiveRepeat::m_lowTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HighTimeout",
                          "Retransmission timeout with more packets in flight (RTO_high; the "
                          "paper's is 320 us); 0: the transport's.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&RdmaSelectiveRepeat::m_highTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LowTimeoutPackets",
                          "N of the paper: so many packets in flight are few.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaSelectiveRepeat::m_fewPackets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ResendAllAfterTimeout",
                          "A timeout means that all packets in flight are lost that have not "
                          "arrived, and not only the oldest.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaSelectiveRepeat::m_resendAll),
                          MakeBooleanChecker());
    return tid;
}

RdmaSelectiveRepeat::RdmaSelectiveRepeat()
    : m_bdpFlowControl(true),
      m_maxPackets(0),
      m_fewPackets(0),
      m_resendAll(true)
{
}

RdmaSelectiveRepeat::~RdmaSelectiveRepeat() = default;

void
RdmaSelectiveRepeat::Connect(RdmaSelectiveSender& sender,
                             const RdmaPathInfo& path,
                             int64_t timeoutTicks) const
{
    if (m_bdpFlowControl)
    {
        sender.maxPackets = m_maxPackets ? m_maxPackets : GetPacketsInBdp(path);
    }
    sender.longTimeoutTicks = m_highTimeout.IsZero() ? timeoutTicks : m_highTimeout.GetTimeStep();
    const int64_t low = m_lowTimeout.IsZero() ? timeoutTicks / 16 * 5 : m_lowTimeout.GetTimeStep();
    sender.timeoutTicks = std::max<int64_t>(1, std::min(low, sender.longTimeoutTicks));
    sender.fewPackets = m_fewPackets;
}

void
RdmaSelectiveRepeat::BeginRound(RdmaSelectiveSender& sender)
{
    sender.roundEnd = sender.window.GetEnd();
    sender.searched = sender.window.GetBase();
}

void
RdmaSelectiveRepeat::SearchRound(RdmaSelectiveSender& sender)
{
    const uint64_t end = std::min(sender.window.GetArrivedEnd(), sender.roundEnd);
    uint64_t psn = std::max(sender.searched, sender.window.GetBase());
    for (; psn < end; ++psn)
    {
        if (sender.window.GetState(psn) == RdmaSendWindow::State::FLYING)
        {
            sender.window.MarkLost(psn);
        }
    }
    sender.searched = std::max(sender.searched, end);
}

bool
RdmaSelectiveRepeat::FindLosses(RdmaSelectiveSender& sender) const
{
    // A packet that has arrived above a missing one was told of by a NAK.
    if (!sender.window.HasHoles())
    {
        return false;
    }
    const bool begins = sender.window.GetBase() >= sender.roundEnd;
    if (begins)
    {
        BeginRound(sender);
    }
    SearchRound(sender);
    return begins;
}

void
RdmaSelectiveRepeat::HandleTimeout(RdmaSelectiveSender& sender) const
{
    BeginRound(sender);
    if (m_resendAll)
    {
        LoseAll(sender);
        sender.searched = sender.roundEnd;
        return;
    }
    for (uint64_t psn = sender.window.GetBase(); psn < sender.window.GetArrivedEnd(); ++psn)
    {
        sender.window.MarkLost(psn);
    }
    sender.window.MarkLost(sender.window.GetBase());
    sender.searched = std::max(sender.window.GetArrivedEnd(), sender.window.GetBase() + 1);
}

RdmaReceiveVerdict::Reply
RdmaSelectiveRepeat::GetEarlyReply() const
{
    return RdmaReceiveVerdict::Reply::SELECTIVE_NAK;
}

} // namespace llm
} // namespace ns3
