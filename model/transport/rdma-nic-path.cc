/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The packet path of a NIC: data out, data in, acknowledgements.

#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint8_t INITIAL_TTL = 64; //!< IPv4 TTL of what NICs send

/** @param low 32 bits of a number. @param near a close one. @return all 64 bits. */
inline uint64_t
Extend(uint32_t low, uint64_t near)
{
    return near + static_cast<int64_t>(static_cast<int32_t>(low - static_cast<uint32_t>(near)));
}

} // namespace

// -- sending

void
RdmaNic::Activate(RdmaQueuePair& qp, int64_t now)
{
    if (qp.m_ready || qp.m_paceAt != RdmaQueuePair::NEVER || !MaySend(qp))
    {
        return;
    }
    if (qp.m_nextSendAt > now)
    {
        qp.m_paceAt = qp.m_nextSendAt;
        AddTimer(qp.m_paceAt, qp.m_number, TimerKind::PACE);
        return;
    }
    qp.m_nicPort->Insert(qp, now);
}

Frame*
RdmaNic::BuildData(RdmaQueuePair& qp, int64_t now)
{
    const RdmaWork& work = *qp.m_currentWork;
    const uint64_t psn = qp.m_nextPsn;
    const uint64_t left = work.offset + work.bytes - qp.m_sentBytes;
    const auto payload = static_cast<uint32_t>(std::min<uint64_t>(m_config.pathMtu, left));
    const bool first = psn == work.firstPsn;
    const bool last = payload == left;

    Frame* frame = m_pool->Allocate();
    frame->offset = qp.m_sentBytes;
    frame->source = qp.m_endpoint;
    frame->destination = qp.m_remoteEndpoint;
    frame->queuePair = qp.m_remoteNumber;
    frame->psn = static_cast<uint32_t>(psn);
    frame->messageBytes = static_cast<uint32_t>(work.bytes);
    frame->payload = static_cast<uint16_t>(payload);
    frame->bytes =
        static_cast<uint16_t>(((payload + 3) & ~3U) + wire::ROCE_BASE + (first ? wire::RETH : 0));
    frame->entropy = qp.m_perPacketPath ? qp.m_paths->Choose(qp, psn) : qp.m_entropy;
    frame->ingress = 0;
    frame->kind = FrameKind::WRITE;
    frame->trafficClass = qp.m_trafficClass;
    frame->ttl = INITIAL_TTL;
    uint8_t flags = m_config.ecnCapable ? Frame::ECT : 0;
    flags |= first ? Frame::FIRST : 0;
    flags |= last ? Frame::LAST : 0;
    if (last && m_config.writeWithImmediate && work.lastOfMessage)
    {
        flags |= Frame::IMMEDIATE;
        frame->bytes += wire::IMMDT;
    }

    ++qp.m_nextPsn;
    qp.m_sentBytes += payload;
    ++qp.m_counters.dataPackets;
    if (psn < qp.m_highPsn)
    {
        flags |= Frame::RETRANSMIT;
        qp.m_counters.payloadRetransmitted += payload;
    }
    else
    {
        qp.m_highPsn = qp.m_nextPsn;
        qp.m_counters.payloadSent += payload;
    }
    if (last)
    {
        qp.m_currentWork = work.next;
    }
    // Ask for an ACK at the interval, at the end, and where the window lets nothing follow.
    if (++qp.m_sinceAckRequest >= qp.m_ackInterval || last || !MaySend(qp))
    {
        flags |= Frame::ACK_REQ;
        qp.m_sinceAckRequest = 0;
    }
    if (qp.m_needs & RdmaCongestionOps::NEEDS_INT)
    {
        flags |= Frame::INT;
        FramePool::StartInt(*frame, qp.m_intBytesPerHop);
    }
    frame->flags = flags;

    const uint32_t wireBytes = frame->WireBytes();
    const uint64_t fraction = now == qp.m_nextSendAt ? qp.m_paceFraction : 0;
    const uint64_t interval = wireBytes * qp.m_ticksPerByte + fraction;
    qp.m_nextSendAt = now + static_cast<int64_t>(interval >> RdmaQueuePair::PACE_BITS);
    qp.m_paceFraction = static_cast<uint32_t>(interval & ((1U << RdmaQueuePair::PACE_BITS) - 1));
    qp.m_lastSendAt = now;
    qp.m_lastWireBytes = wireBytes;
    if (qp.m_timeoutAt == RdmaQueuePair::NEVER)
    {
        RestartTimeout(qp, now);
    }
    if (qp.m_needs & RdmaCongestionOps::NEEDS_SEND)
    {
        qp.m_ops->OnSend(TimeStep(now), wireBytes);
    }
    return frame;
}

// -- receiving

void
RdmaNic::ReceiveFrame(Frame* frame, int64_t now)
{
    RdmaQueuePair& qp = *m_queuePairs[frame->queuePair - FIRST_NUMBER];
    switch (frame->kind)
    {
    case FrameKind::ACK:
    case FrameKind::NAK:
        ReceiveAck(qp, frame, now);
        break;
    case FrameKind::CNP:
        m_pool->Free(frame);
        ++qp.m_counters.cnpsReceived;
        m_cnpReceivedTrace(qp);
        qp.m_ops->OnCnp(TimeStep(now));
        break;
    default:
        ReceiveData(qp, frame, now);
        break;
    }
}

void
RdmaNic::ReceiveData(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    const uint64_t psn = Extend(frame->psn, qp.m_receiver.expectedPsn);
    const RdmaReceiveVerdict verdict = m_reliability->Receive(qp.m_receiver, psn);
    const uint32_t payload = frame->payload;
    const uint8_t flags = frame->flags;
    if ((flags & Frame::CE) && now >= qp.m_nextCnpAt &&
        (qp.m_peer->m_needs & RdmaCongestionOps::NEEDS_CNP))
    {
        qp.m_nextCnpAt = now + m_config.cnpIntervalTicks;
        SendCnp(qp, now);
    }
    const RdmaWork* completed = nullptr;
    switch (verdict.payload)
    {
    case RdmaReceiveVerdict::Payload::ACCEPT:
        qp.m_counters.payloadReceived += payload;
        qp.m_receivedOfWork += payload;
        if (flags & Frame::LAST)
        {
            completed = qp.m_incoming;
            qp.m_incoming = completed->next;
            qp.m_receivedOfWork = 0;
            ++qp.m_messagesReceived;
        }
        break;
    case RdmaReceiveVerdict::Payload::DUPLICATE:
        qp.m_counters.payloadDuplicate += payload;
        break;
    case RdmaReceiveVerdict::Payload::OUT_OF_ORDER:
        qp.m_counters.payloadOutOfOrder += payload;
        break;
    }
    if (verdict.sendNak)
    {
        ++qp.m_counters.naksSent;
        Answer(qp, frame, FrameKind::NAK, now);
    }
    else if ((flags & Frame::ACK_REQ) &&
             verdict.payload != RdmaReceiveVerdict::Payload::OUT_OF_ORDER)
    {
        ++qp.m_counters.acksSent;
        Answer(qp, frame, FrameKind::ACK, now);
    }
    else
    {
        m_pool->Free(frame);
    }
    if (completed && qp.m_listener)
    {
        qp.m_listener->WorkDelivered(*completed, now);
    }
}

void
RdmaNic::Answer(RdmaQueuePair& qp, Frame* frame, FrameKind kind, int64_t now)
{
    const uint64_t expected = qp.m_receiver.expectedPsn;
    const uint32_t needs = qp.m_peer->m_needs;
    const bool echo = (frame->flags & Frame::CE) &&
                      (needs & (RdmaCongestionOps::NEEDS_ECN_ECHO | NEEDS_PATH_FEEDBACK));
    frame->kind = kind;
    frame->msn = qp.m_messagesReceived;
    frame->source = qp.m_endpoint;
    frame->destination = qp.m_remoteEndpoint;
    frame->queuePair = qp.m_remoteNumber;
    frame->psn = static_cast<uint32_t>(kind == FrameKind::NAK ? expected : expected - 1);
    frame->messageBytes = 0;
    frame->bytes = wire::ACK_FRAME;
    frame->payload = 0;
    if (!(needs & NEEDS_PATH_FEEDBACK))
    {
        frame->entropy = qp.m_entropy;
    }
    frame->ingress = 0;
    frame->trafficClass = qp.m_trafficClass;
    frame->flags =
        static_cast<uint8_t>((frame->flags & Frame::RETRANSMIT) | (echo ? Frame::BECN : 0));
    frame->ttl = INITIAL_TTL;
    if (needs & RdmaCongestionOps::NEEDS_INT)
    {
        // The same frame goes back: its telemetry is in place.
        frame->bytes += static_cast<uint16_t>(FramePool::GetIntBytes(*frame));
    }
    m_arrival->m_port->SendFrame(frame, now);
}

void
RdmaNic::SendCnp(RdmaQueuePair& qp, int64_t now)
{
    Frame* frame = m_pool->Allocate();
    frame->sentAt = now;
    frame->offset = 0;
    frame->source = qp.m_endpoint;
    frame->destination = qp.m_remoteEndpoint;
    frame->queuePair = qp.m_remoteNumber;
    frame->psn = 0;
    frame->messageBytes = 0;
    frame->bytes = wire::CNP_FRAME;
    frame->payload = 0;
    frame->entropy = qp.m_entropy;
    frame->ingress = 0;
    frame->kind = FrameKind::CNP;
    frame->trafficClass = m_config.cnpClass;
    frame->flags = Frame::BECN | (m_config.ecnCapable ? Frame::ECT : 0);
    frame->ttl = INITIAL_TTL;
    ++qp.m_counters.cnpsSent;
    m_cnpSentTrace(qp);
    m_arrival->m_port->SendFrame(frame, now);
}

void
RdmaNic::ReceiveAck(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    if (qp.m_failed)
    {
        m_pool->Free(frame); // too late: its messages are told to have failed
        return;
    }
    const bool nak = frame->kind == FrameKind::NAK;
    const uint64_t psn = Extend(nak ? frame->psn : frame->psn + 1, qp.m_unackedPsn);
    const uint64_t acked = psn > qp.m_unackedPsn ? Acknowledge(qp, psn, now) : 0;
    if (qp.m_needs & RdmaCongestionOps::NEEDS_ACK)
    {
        RdmaAckInfo info;
        info.now = TimeStep(now);
        info.rtt = frame->flags & Frame::RETRANSMIT ? TimeStep(0) : TimeStep(now - frame->sentAt);
        info.ackedBytes = acked;
        info.ackedPsn = qp.m_unackedPsn;
        info.nextPsn = qp.m_nextPsn;
        info.inFlight = qp.GetInFlight();
        info.ecnEcho = frame->flags & Frame::BECN;
        if (qp.m_needs & RdmaCongestionOps::NEEDS_INT)
        {
            info.intHops = FramePool::CountInt(*frame);
            info.intRecords = FramePool::GetInt(*frame);
        }
        qp.m_ops->OnAck(info);
    }
    if (qp.m_needs & NEEDS_PATH_FEEDBACK)
    {
        qp.m_paths->Feedback(qp,
                             nak ? 0 : frame->entropy,
                             nak                            ? RdmaPathEvent::LOST
                             : (frame->flags & Frame::BECN) ? RdmaPathEvent::ECN
                                                            : RdmaPathEvent::ACKED);
    }
    m_pool->Free(frame);
    if (nak && psn == qp.m_unackedPsn && psn < qp.m_nextPsn)
    {
        qp.m_ops->OnLoss(TimeStep(now), RdmaLossKind::NAK);
        GoBack(qp, m_reliability->ResumeAfterNak(psn, qp.m_firstWork->firstPsn));
        RestartTimeout(qp, now);
    }
    Activate(qp, now);
}

RdmaWork*
RdmaNic::FindWork(const RdmaQueuePair& qp, uint64_t psn)
{
    RdmaWork* work = qp.m_firstWork;
    while (work && work->endPsn <= psn)
    {
        work = work->next;
    }
    return work;
}

uint64_t
RdmaNic::BytesBelow(const RdmaWork& work, uint64_t psn) const
{
    return work.offset + std::min(work.bytes, (psn - work.firstPsn) * m_config.pathMtu);
}

uint64_t
RdmaNic::Acknowledge(RdmaQueuePair& qp, uint64_t psn, int64_t now)
{
    const uint64_t before = qp.m_ackedBytes;
    qp.m_unackedPsn = psn;
    qp.m_retries = 0;
    if (psn > qp.m_nextPsn)
    {
        // The packet that we were about to repeat had arrived after all.
        qp.m_nextPsn = psn;
        qp.m_currentWork = FindWork(qp, psn);
        qp.m_sentBytes = qp.m_currentWork ? BytesBelow(*qp.m_currentWork, psn)
                                          : qp.m_lastWork->offset + qp.m_lastWork->bytes;
    }
    RdmaWork* done = nullptr;
    RdmaWork** end = &done;
    while (qp.m_firstWork && qp.m_firstWork->endPsn <= psn)
    {
        RdmaWork* work = qp.m_firstWork;
        qp.m_ackedBytes = work->offset + work->bytes;
        qp.m_firstWork = work->next;
        *end = work;
        end = &work->next;
    }
    *end = nullptr;
    if (!qp.m_firstWork)
    {
        qp.m_lastWork = nullptr;
    }
    else if (psn > qp.m_firstWork->firstPsn)
    {
        qp.m_ackedBytes = BytesBelow(*qp.m_firstWork, psn);
    }
    if (qp.m_unackedPsn == qp.m_nextPsn)
    {
        qp.m_timeoutAt = RdmaQueuePair::NEVER;
    }
    else
    {
        RestartTimeout(qp, now);
    }
    const uint64_t acked = qp.m_ackedBytes - before;
    while (done)
    {
        RdmaWork* work = done;
        done = work->next;
        if (qp.m_listener)
        {
            qp.m_listener->WorkAcknowledged(qp, *work, now);
        }
        FreeWork(work);
    }
    if (qp.m_unackedPsn == qp.m_endPsn && !qp.m_failed)
    {
        qp.m_idle = true;
        qp.m_ops->OnIdle(TimeStep(now));
    }
    return acked;
}

void
RdmaNic::GoBack(RdmaQueuePair& qp, uint64_t psn)
{
    qp.m_nextPsn = psn;
    qp.m_currentWork = FindWork(qp, psn);
    qp.m_sentBytes = BytesBelow(*qp.m_currentWork, psn);
    qp.m_sinceAckRequest = 0;
}

} // namespace llm
} // namespace ns3
