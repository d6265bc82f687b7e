/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The packet path of a NIC: data out, data in, acknowledgements.

#include "rdma-nic-numbers.h"
#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

using namespace rdmanic;

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

[[gnu::always_inline]] inline Frame*
RdmaNic::MakeData(RdmaQueuePair& qp, const RdmaWork& work, uint64_t psn, uint64_t offset)
{
    const uint64_t left = work.offset + work.bytes - offset;
    const auto payload = static_cast<uint32_t>(std::min<uint64_t>(m_config.pathMtu, left));
    const bool first = psn == work.firstPsn;
    const bool last = payload == left;

    Frame* frame = m_pool->Allocate();
    frame->offset = offset;
    frame->source = qp.m_endpoint;
    frame->destination = qp.m_remoteEndpoint;
    frame->queuePair = qp.m_remoteNumber;
    frame->psn = static_cast<uint32_t>(psn);
    frame->messageBytes = static_cast<uint32_t>(work.bytes);
    frame->payload = static_cast<uint16_t>(payload);
    frame->bytes = static_cast<uint16_t>(((payload + 3) & ~3U) + m_config.packetHeader +
                                         (first ? work.firstBytes : m_laterBytes));
    frame->entropy = qp.m_perPacketPath ? qp.m_paths->Choose(qp, psn) : qp.m_entropy;
    frame->ingress = 0;
    frame->kind = work.kind;
    frame->trafficClass = qp.m_trafficClass;
    frame->ttl = INITIAL_TTL;
    uint8_t flags = m_config.ecnCapable ? Frame::ECT : 0;
    flags |= first ? Frame::FIRST : 0;
    flags |= last ? Frame::LAST : 0;
    if (last && work.immediate)
    {
        flags |= Frame::IMMEDIATE;
        frame->bytes += wire::IMMDT;
        frame->messageBytes = work.message.immediateData;
    }
    frame->flags = flags;
    ++qp.m_counters.dataPackets;
    return frame;
}

[[gnu::always_inline]] inline void
RdmaNic::FinishData(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    StartTelemetry(qp, frame);
    Pace(qp, frame->WireBytes(), now);
    if (qp.m_timeoutAt == RdmaQueuePair::NEVER)
    {
        RestartTimeout(qp, now);
    }
}

Frame*
RdmaNic::BuildData(RdmaQueuePair& qp, int64_t now)
{
    return qp.m_special ? BuildSpecial(qp, now) : BuildNext(qp, now);
}

Frame*
RdmaNic::BuildNext(RdmaQueuePair& qp, int64_t now)
{
    const RdmaWork& work = *qp.m_currentWork;
    const uint64_t psn = qp.m_nextPsn;
    Frame* frame = MakeData(qp, work, psn, qp.m_sentBytes);
    const uint32_t payload = frame->payload;
    uint8_t flags = frame->flags;
    const bool last = flags & Frame::LAST;

    ++qp.m_nextPsn;
    qp.m_sentBytes += payload;
    if (psn < qp.m_highPsn)
    {
        flags |= Frame::RETRANSMIT;
        qp.m_counters.payloadRetransmitted += payload;
        qp.m_counters.resentAfterTimeout += qp.m_afterTimeout ? payload : 0;
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
    frame->flags = flags;
    FinishData(qp, frame, now);
    return frame;
}

Frame*
RdmaNic::BuildMissing(RdmaQueuePair& qp, int64_t now)
{
    const uint64_t psn = qp.m_selective->window.TakeLost();
    const RdmaWork& work = *FindWork(qp, psn);
    if (work.kind == FrameKind::READ_REQUEST)
    {
        return BuildMissingRead(qp, work, psn, now);
    }
    Frame* frame = MakeData(qp, work, psn, BytesBelow(work, psn));
    frame->flags |= Frame::RETRANSMIT | Frame::ACK_REQ;
    qp.m_counters.payloadRetransmitted += frame->payload;
    qp.m_counters.resentAfterTimeout += qp.m_afterTimeout ? frame->payload : 0;
    FinishData(qp, frame, now);
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
    case FrameKind::READ_REQUEST:
        ReceiveReadRequest(qp, frame, now);
        break;
    case FrameKind::READ_RESPONSE:
        ReceiveResponse(qp, frame, now);
        break;
    case FrameKind::READ_ACK:
        ReceiveReadAck(qp, frame, now);
        break;
    case FrameKind::RNR_NAK:
        ReceiveRnrNak(qp, frame, now);
        break;
    default:
        if (!m_config.postedReceives || !RefuseUnready(qp, frame, now))
        {
            ReceiveData(qp, frame, now);
        }
        break;
    }
}

void
RdmaNic::ReceiveData(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    const uint64_t psn = Extend(frame->psn, qp.m_receiver.expectedPsn);
    const uint32_t payload = frame->payload;
    const uint8_t flags = frame->flags;
    const RdmaReceiveVerdict verdict = payload != 0
                                           ? m_reliability->Receive(qp.m_receiver, psn)
                                           : m_reliability->ReceiveTrimmed(qp.m_receiver, psn);
    AnswerCongestion(qp, *frame, now);
    if (verdict.payload != RdmaReceiveVerdict::Payload::ACCEPT)
    {
        ReceiveUnusual(qp, frame, verdict, now);
        return;
    }
    qp.m_counters.payloadReceived += payload;
    qp.m_receivedOfWork += payload;
    const RdmaWork* completed = nullptr;
    if (flags & Frame::LAST)
    {
        completed = qp.m_incoming;
        qp.m_incoming = completed->next;
        qp.m_receivedOfWork = 0;
        qp.m_receiver.messageStart = psn + 1;
        ++qp.m_messagesReceived;
    }
    if (flags & Frame::ACK_REQ)
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
        qp.m_listener->WorkDelivered(qp, *completed, now);
    }
}

void
RdmaNic::FillAnswer(RdmaQueuePair& qp, Frame* frame, FrameKind kind)
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
    frame->bytes = static_cast<uint16_t>(m_config.ackBytes);
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
}

void
RdmaNic::Answer(RdmaQueuePair& qp, Frame* frame, FrameKind kind, int64_t now)
{
    FillAnswer(qp, frame, kind);
    SendAnswer(qp, frame, now);
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
    if (qp.m_special)
    {
        ReceiveAckSpecial(qp, frame, now);
        return;
    }
    const bool nak = frame->kind == FrameKind::NAK;
    const uint64_t psn = Extend(nak ? frame->psn : frame->psn + 1, qp.m_unackedPsn);
    const uint64_t acked = psn > qp.m_unackedPsn ? Acknowledge(qp, psn, now) : 0;
    if (qp.m_needs & (RdmaCongestionOps::NEEDS_ACK | NEEDS_PATH_FEEDBACK))
    {
        TellOfAck(qp, *frame, acked, now);
    }
    const bool trimmed = frame->flags & Frame::TRIMMED;
    m_pool->Free(frame);
    if (nak)
    {
        HandleNak(qp, psn, trimmed, now);
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
        if (qp.m_special & RdmaQueuePair::READS)
        {
            CountReads(qp);
        }
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
        const bool read = work->kind == FrameKind::READ_REQUEST;
        if (read)
        {
            --qp.m_verbs->requester.outstanding;
        }
        if (qp.m_listener)
        {
            if (read)
            {
                qp.m_listener->WorkDelivered(qp, *work, now);
            }
            qp.m_listener->WorkAcknowledged(qp, *work, now);
        }
        FreeWork(work);
    }
    BecomeIdle(qp, now);
    return acked;
}

void
RdmaNic::BecomeIdle(RdmaQueuePair& qp, int64_t now)
{
    if (qp.m_unackedPsn == qp.m_endPsn && !qp.m_idle &&
        !(qp.m_special & (RdmaQueuePair::FAILED | RdmaQueuePair::RESPONDS)))
    {
        qp.m_idle = true;
        qp.m_ops->OnIdle(TimeStep(now));
    }
}

void
RdmaNic::GoBack(RdmaQueuePair& qp, uint64_t psn)
{
    qp.m_nextPsn = psn;
    qp.m_currentWork = FindWork(qp, psn);
    qp.m_sentBytes = BytesBelow(*qp.m_currentWork, psn);
    qp.m_sinceAckRequest = 0;
    if (qp.m_special & RdmaQueuePair::READS)
    {
        CountReads(qp);
    }
    if (psn < qp.m_unackedPsn)
    {
        // The responder has thrown away what it had acknowledged of this message.
        qp.m_unackedPsn = psn;
        qp.m_ackedBytes = qp.m_sentBytes;
    }
}

} // namespace llm
} // namespace ns3
