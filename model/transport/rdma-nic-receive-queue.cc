/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Receive queue of a queue pair: receives that SENDs and immediate data consume, RNR NAKs.

#include "rdma-ack-timeout.h"
#include "rdma-nic-numbers.h"
#include "rdma-nic.h"

namespace ns3
{
namespace llm
{

using namespace rdmanic;

void
RdmaNic::PostReceive(RdmaQueuePair* queuePair, uint64_t workRequestId)
{
    GetVerbs(*queuePair).receives.posted.push_back(workRequestId);
}

uint64_t
RdmaNic::TakeReceive(RdmaQueuePair& qp)
{
    std::deque<uint64_t>& posted = GetVerbs(qp).receives.posted;
    if (posted.empty())
    {
        return 0; // receives are not checked
    }
    const uint64_t id = posted.front();
    posted.pop_front();
    return id;
}

bool
RdmaNic::RefuseUnready(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    const uint8_t flags = frame->flags;
    const bool consumes =
        frame->kind == FrameKind::SEND
            ? (flags & Frame::FIRST) && qp.m_incoming && qp.m_incoming->firstOfMessage
            : (flags & Frame::IMMEDIATE) != 0;
    const uint64_t expected = qp.m_receiver.expectedPsn;
    if (!consumes || Extend(frame->psn, expected) != expected ||
        !GetVerbs(qp).receives.posted.empty())
    {
        return false;
    }
    ++qp.m_counters.rnrNaksSent;
    qp.m_counters.payloadOutOfOrder += frame->payload;
    qp.m_receiver.nakSent = true; // what is on its way behind it is dropped without a word
    FillAnswer(qp, frame, FrameKind::RNR_NAK);
    frame->psn = static_cast<uint32_t>(expected);
    frame->messageBytes = m_config.rnrTimer;
    SendAnswer(qp, frame, now);
    return true;
}

void
RdmaNic::ReceiveRnrNak(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    uint64_t psn = Extend(frame->psn, qp.m_unackedPsn);
    const uint32_t code = frame->messageBytes;
    m_pool->Free(frame);
    if (qp.HasFailed())
    {
        return;
    }
    RdmaReceiveQueue& receives = GetVerbs(qp).receives;
    psn = std::min(psn, FindMissingResponse(qp));
    if (psn > qp.m_unackedPsn)
    {
        Acknowledge(qp, psn, now);
    }
    if (psn == qp.m_unackedPsn && psn < qp.m_nextPsn)
    {
        receives.refusals = receives.refusedPsn == psn ? receives.refusals + 1 : 1;
        receives.refusedPsn = psn;
        if (m_config.rnrRetryCount < INFINITE_RNR_RETRIES &&
            receives.refusals > m_config.rnrRetryCount)
        {
            receives.gaveUp = true;
            qp.m_special |= RdmaQueuePair::FAILED;
            qp.m_timeoutAt = RdmaQueuePair::NEVER;
            ReportFailure(qp);
            return;
        }
        GoBack(qp, psn);
        qp.m_timeoutAt = RdmaQueuePair::NEVER;
        qp.m_special |= RdmaQueuePair::NOT_READY;
        AddTimer(now + RdmaAckTimeout::GetRnrDelay(code).GetTimeStep(),
                 qp.m_number,
                 TimerKind::NOT_READY);
    }
    Activate(qp, now);
}

void
RdmaNic::EndNotReady(RdmaQueuePair& qp, int64_t now)
{
    qp.m_special &= static_cast<uint8_t>(~RdmaQueuePair::NOT_READY);
    Activate(qp, now);
}

} // namespace llm
} // namespace ns3
