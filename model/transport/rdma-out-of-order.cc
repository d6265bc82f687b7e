/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-out-of-order.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaOutOfOrder);

namespace
{
constexpr int64_t DEFAULT_REORDER_RTTS = 2; //!< of ReorderTime, base RTTs
} // namespace

TypeId
RdmaOutOfOrder::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaOutOfOrder")
            .SetParent<RdmaSelectiveReliability>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaOutOfOrder>()
            .AddAttribute("ReorderTime",
                          "A packet that is missing so long behind others counts as lost; 0: two "
                          "base RTTs of the path. More than paths differ by, queues included.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaOutOfOrder::m_reorderTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReorderDegree",
                          "A packet counts as lost when one so many packets behind it has "
                          "arrived; 0: never for this reason.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaOutOfOrder::m_reorderDegree),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MaxPackets",
                          "Packets from the oldest unacknowledged to the newest; 0: 2^23.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaOutOfOrder::m_maxPackets),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

RdmaOutOfOrder::RdmaOutOfOrder()
    : m_reorderDegree(0),
      m_maxPackets(0)
{
}

RdmaOutOfOrder::~RdmaOutOfOrder() = default;

void
RdmaOutOfOrder::Connect(RdmaSelectiveSender& sender,
                        const RdmaPathInfo& path,
                        int64_t timeoutTicks) const
{
    sender.maxPackets = m_maxPackets ? m_maxPackets : UINT64_MAX;
    sender.timeoutTicks = timeoutTicks;
    sender.longTimeoutTicks = timeoutTicks;
    sender.reorderTicks = m_reorderTime.IsZero() ? DEFAULT_REORDER_RTTS * path.baseRtt.GetTimeStep()
                                                 : m_reorderTime.GetTimeStep();
}

bool
RdmaOutOfOrder::FindLosses(RdmaSelectiveSender& sender) const
{
    const uint64_t base = sender.window.GetBase();
    const uint64_t arrivedEnd = sender.window.GetArrivedEnd();
    if (m_reorderDegree == 0 || arrivedEnd <= base + m_reorderDegree)
    {
        return false;
    }
    bool found = false;
    const uint64_t end = arrivedEnd - m_reorderDegree;
    for (uint64_t psn = std::max(sender.searched, base); psn < end; ++psn)
    {
        if (sender.window.GetState(psn) == RdmaSendWindow::State::FLYING)
        {
            found |= sender.window.MarkLost(psn);
        }
    }
    sender.searched = std::max(sender.searched, end);
    return found;
}

bool
RdmaOutOfOrder::FindOverdue(RdmaSelectiveSender& sender) const
{
    bool found = false;
    for (uint64_t psn = sender.window.GetBase(); psn < sender.overdue; ++psn)
    {
        if (sender.window.GetState(psn) == RdmaSendWindow::State::FLYING)
        {
            found |= sender.window.MarkLost(psn);
        }
        else
        {
            sender.window.Forget(psn); // lost again if it is still missing the next time
        }
    }
    return found;
}

void
RdmaOutOfOrder::HandleTimeout(RdmaSelectiveSender& sender) const
{
    LoseAll(sender);
}

RdmaReceiveVerdict::Reply
RdmaOutOfOrder::GetEarlyReply() const
{
    return RdmaReceiveVerdict::Reply::SELECTIVE_ACK;
}

} // namespace llm
} // namespace ns3
