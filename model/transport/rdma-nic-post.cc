/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Posting work at a NIC: messages and work requests become packets to send.

#include "rdma-nic-numbers.h"
#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

void
RdmaNic::Post(RdmaQueuePair* queuePair, const Message& message, int64_t now, RdmaWorkOrigin origin)
{
    if (message.bytes == 0)
    {
        m_emptyMessages.push_back({queuePair, message});
        AddTimer(now, 0, TimerKind::EMPTY_WORK);
        return;
    }
    if (m_config.transmitDelayTicks > 0)
    {
        const int64_t tick = now + m_config.transmitDelayTicks;
        m_delayedPosts.push_back({tick, queuePair, origin, message});
        AddTimer(tick, 0, TimerKind::POST);
        return;
    }
    PostNow(*queuePair, message, now, origin);
}

void
RdmaNic::PostDelayed(int64_t now)
{
    while (!m_delayedPosts.empty() && m_delayedPosts.front().tick <= now)
    {
        const DelayedPost post = m_delayedPosts.front();
        m_delayedPosts.pop_front();
        PostNow(*post.queuePair, post.message, now, post.origin);
    }
}

RdmaWork*
RdmaNic::MakeWork(RdmaQueuePair& qp, const Message& message, uint64_t bytes)
{
    RdmaWork* work = AllocateWork();
    work->next = nullptr;
    work->bytes = bytes;
    work->offset = qp.m_lastWork ? qp.m_lastWork->offset + qp.m_lastWork->bytes : qp.m_ackedBytes;
    work->firstPsn = qp.m_endPsn;
    work->endPsn = work->firstPsn + (bytes + m_config.pathMtu - 1) / m_config.pathMtu;
    work->kind = FrameKind::WRITE;
    work->firstBytes = static_cast<uint8_t>(m_config.firstPacketHeader);
    work->failed = false;
    work->message = message;
    if (message.verb == RDMA_SEND || message.verb == RDMA_SEND_IMM)
    {
        work->kind = FrameKind::SEND;
        work->firstBytes = static_cast<uint8_t>(m_laterBytes);
    }
    else if (message.verb == RDMA_READ)
    {
        RdmaReadRequester& requester = GetVerbs(qp).requester;
        qp.m_special |= RdmaQueuePair::READS;
        work->kind = FrameKind::READ_REQUEST;
        work->bytes = 0;
        work->readBytes = bytes;
        work->readOffset = requester.posted * m_config.pathMtu;
        requester.posted += work->endPsn - work->firstPsn;
    }
    return work;
}

void
RdmaNic::Append(RdmaQueuePair& qp, RdmaWork* work)
{
    qp.m_endPsn = work->endPsn;
    if (qp.m_lastWork)
    {
        qp.m_lastWork->next = work;
    }
    else
    {
        qp.m_firstWork = work;
    }
    qp.m_lastWork = work;
    if (!qp.m_currentWork)
    {
        qp.m_currentWork = work;
    }
    if (!qp.m_peer->m_incoming)
    {
        qp.m_peer->m_incoming = work;
    }
}

void
RdmaNic::PostNow(RdmaQueuePair& qp, const Message& message, int64_t now, RdmaWorkOrigin origin)
{
    // A READ of half the PSN space could not be told from what came before.
    const uint64_t most =
        message.verb == RDMA_READ
            ? std::min(m_config.maxWorkBytes, m_config.pathMtu * (rdmanic::MAX_OUTSTANDING / 2))
            : m_config.maxWorkBytes;
    uint64_t left = message.bytes;
    while (left > 0)
    {
        RdmaWork* work = MakeWork(qp, message, std::min(left, most));
        work->origin = origin;
        work->firstOfMessage = left == message.bytes;
        left -= std::min(left, most);
        work->lastOfMessage = left == 0;
        const bool immediate = message.verb == RDMA_WRITE_IMM || message.verb == RDMA_SEND_IMM;
        work->immediate = immediate && left == 0 ? +Frame::IMMEDIATE : 0;
        Append(qp, work);
    }
    if (qp.HasFailed())
    {
        AddTimer(now, qp.m_number, TimerKind::FAILURE); // not from within Send
        return;
    }
    if (!qp.m_nicPort->m_port->CanReach(qp.m_remoteEndpoint))
    {
        GuardUnsent(qp, now);
    }
    if (qp.m_idle)
    {
        qp.m_idle = false;
        qp.m_ops->OnIdleRestart(TimeStep(now), TimeStep(now - qp.m_lastSendAt));
    }
    Activate(qp, now);
}

} // namespace llm
} // namespace ns3
