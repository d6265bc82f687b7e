/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Loss recovery of a NIC: what arrives out of order, selective acknowledgements, what is sent
// again.

#include "rdma-nic-numbers.h"
#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

using namespace rdmanic;

// -- responder

void
RdmaNic::DiscardProgress(RdmaQueuePair& qp)
{
    qp.m_counters.payloadReceived -= qp.m_receivedOfWork;
    qp.m_counters.payloadOutOfOrder += qp.m_receivedOfWork;
    qp.m_receivedOfWork = 0;
}

void
RdmaNic::ReceiveUnusual(RdmaQueuePair& qp,
                        Frame* frame,
                        const RdmaReceiveVerdict& verdict,
                        int64_t now)
{
    const uint32_t payload = frame->payload;
    const RdmaWork* completed = qp.m_incoming;
    uint64_t count = 0;
    qp.m_counters.trimsReceived += payload == 0 ? 1 : 0;
    switch (verdict.payload)
    {
    case RdmaReceiveVerdict::Payload::DUPLICATE:
        qp.m_counters.payloadDuplicate += payload;
        break;
    case RdmaReceiveVerdict::Payload::OUT_OF_ORDER:
        qp.m_counters.payloadOutOfOrder += payload;
        break;
    case RdmaReceiveVerdict::Payload::DISCARD:
        DiscardProgress(qp);
        qp.m_counters.payloadOutOfOrder += payload;
        break;
    case RdmaReceiveVerdict::Payload::RESTART:
        DiscardProgress(qp);
        qp.m_counters.payloadReceived += payload;
        qp.m_receivedOfWork = payload;
        break;
    case RdmaReceiveVerdict::Payload::ADVANCE:
        // The next message may be whole as well, and the one behind it.
        while (qp.m_incoming && qp.m_incoming->endPsn <= qp.m_receiver.expectedPsn)
        {
            qp.m_receiver.messageStart = qp.m_incoming->endPsn;
            qp.m_incoming = qp.m_incoming->next;
            ++qp.m_messagesReceived;
            ++count;
        }
        qp.m_counters.payloadReceived += payload;
        break;
    case RdmaReceiveVerdict::Payload::PLACED:
        ++qp.m_counters.placedEarly;
        qp.m_counters.payloadReceived += payload;
        break;
    default:
        break;
    }
    Reply(qp, frame, verdict, now);
    for (; count > 0; --count)
    {
        const RdmaWork& work = *completed;
        completed = work.next;
        if (qp.m_listener && work.kind != FrameKind::READ_REQUEST)
        {
            qp.m_listener->WorkDelivered(qp, work, now);
        }
    }
}

void
RdmaNic::Reply(RdmaQueuePair& qp, Frame* frame, const RdmaReceiveVerdict& verdict, int64_t now)
{
    const bool asked = frame->flags & Frame::ACK_REQ;
    const uint32_t psn = frame->psn;
    const uint8_t trimmed = frame->payload == 0 ? +Frame::TRIMMED : 0;
    bool selective = false;
    FrameKind kind = FrameKind::ACK;
    switch (verdict.reply)
    {
    case RdmaReceiveVerdict::Reply::AS_ASKED:
        if (!asked)
        {
            m_pool->Free(frame);
            return;
        }
        break;
    case RdmaReceiveVerdict::Reply::ACK:
        break;
    case RdmaReceiveVerdict::Reply::NAK:
        kind = FrameKind::NAK;
        break;
    case RdmaReceiveVerdict::Reply::SELECTIVE_ACK:
        selective = true;
        break;
    case RdmaReceiveVerdict::Reply::SELECTIVE_NAK:
        kind = FrameKind::NAK;
        selective = true;
        break;
    case RdmaReceiveVerdict::Reply::NOTHING:
        m_pool->Free(frame);
        return;
    }
    FillAnswer(qp, frame, kind);
    if (selective)
    {
        frame->messageBytes = psn;
        frame->bytes += wire::SELECTIVE;
        frame->flags |= Frame::SELECTIVE;
    }
    if (kind == FrameKind::NAK)
    {
        frame->flags |= trimmed;
        ++qp.m_counters.naksSent;
    }
    else
    {
        ++qp.m_counters.acksSent;
    }
    SendAnswer(qp, frame, now);
}

// -- requester

bool
RdmaNic::MaySendSpecial(const RdmaQueuePair& qp) const
{
    if (qp.HasFailed())
    {
        return false;
    }
    return ((qp.m_special & RdmaQueuePair::RESPONDS) && MaySendResponse(qp)) || MaySendRequest(qp);
}

bool
RdmaNic::MaySendRequest(const RdmaQueuePair& qp) const
{
    if (qp.m_special & RdmaQueuePair::NOT_READY)
    {
        return false;
    }
    if (qp.m_selective)
    {
        return MaySendSelective(qp);
    }
    if (!qp.m_currentWork)
    {
        return false;
    }
    if (qp.m_currentWork->kind == FrameKind::READ_REQUEST)
    {
        return MayRead(qp);
    }
    const uint64_t inFlight = qp.GetInFlight();
    const uint64_t end = qp.m_currentWork->offset + qp.m_currentWork->bytes;
    const uint64_t payload = std::min<uint64_t>(m_config.pathMtu, end - qp.m_sentBytes);
    return (inFlight == 0 || inFlight + payload <= qp.m_window) &&
           qp.m_nextPsn - qp.m_unackedPsn < MAX_OUTSTANDING - 1;
}

bool
RdmaNic::MaySendSelective(const RdmaQueuePair& qp) const
{
    const uint64_t inFlight = qp.GetInFlight();
    if (qp.m_selective->window.GetLostPackets() > 0)
    {
        return inFlight == 0 || inFlight + m_config.pathMtu <= qp.m_window;
    }
    if (qp.m_currentWork && qp.m_currentWork->kind == FrameKind::READ_REQUEST)
    {
        return MayRead(qp);
    }
    if (!qp.m_currentWork ||
        qp.m_nextPsn - qp.m_unackedPsn >= std::min(qp.m_selective->maxPackets, MAX_OUTSTANDING - 1))
    {
        return false;
    }
    const uint64_t end = qp.m_currentWork->offset + qp.m_currentWork->bytes;
    const uint64_t payload = std::min<uint64_t>(m_config.pathMtu, end - qp.m_sentBytes);
    return inFlight == 0 || inFlight + payload <= qp.m_window;
}

Frame*
RdmaNic::BuildSpecial(RdmaQueuePair& qp, int64_t now)
{
    if (qp.m_special & RdmaQueuePair::RESPONDS)
    {
        // Requests and responses take turns.
        bool& turn = qp.m_verbs->responder.turn;
        if (MaySendResponse(qp) && (turn || !MaySendRequest(qp)))
        {
            turn = false;
            return BuildResponse(qp, now);
        }
        turn = true;
    }
    if (qp.m_selective)
    {
        return BuildSelective(qp, now);
    }
    return qp.m_currentWork->kind == FrameKind::READ_REQUEST ? BuildReadRequest(qp, now)
                                                             : BuildNext(qp, now);
}

Frame*
RdmaNic::BuildSelective(RdmaQueuePair& qp, int64_t now)
{
    RdmaSendWindow& window = qp.m_selective->window;
    if (window.GetLostPackets() > 0)
    {
        return BuildMissing(qp, now);
    }
    if (qp.m_currentWork->kind == FrameKind::READ_REQUEST)
    {
        for (uint64_t psn = qp.m_nextPsn; psn < qp.m_currentWork->endPsn; ++psn)
        {
            window.Push(0); // the responses are not this side's payload
        }
        return BuildReadRequest(qp, now);
    }
    const uint64_t end = qp.m_currentWork->offset + qp.m_currentWork->bytes;
    window.Push(static_cast<uint32_t>(std::min<uint64_t>(m_config.pathMtu, end - qp.m_sentBytes)));
    return BuildNext(qp, now);
}

void
RdmaNic::TellOfAck(RdmaQueuePair& qp, const Frame& frame, uint64_t acked, int64_t now)
{
    if (qp.m_needs & RdmaCongestionOps::NEEDS_ACK)
    {
        RdmaAckInfo info;
        info.now = TimeStep(now);
        info.rtt = frame.flags & Frame::RETRANSMIT ? TimeStep(0) : TimeStep(now - frame.sentAt);
        info.ackedBytes = acked;
        info.ackedPsn = qp.m_unackedPsn;
        info.nextPsn = qp.m_nextPsn;
        info.inFlight = qp.GetInFlight();
        if (qp.m_verbs)
        {
            // Packets of both kinds: what grows with every packet, and is reached when all are
            // acknowledged.
            const RdmaReadResponder& responder = qp.m_verbs->responder;
            info.ackedPsn += responder.acknowledged;
            info.nextPsn += responder.next;
            info.inFlight += (responder.next - responder.acknowledged) * m_config.pathMtu;
        }
        info.ecnEcho = frame.flags & Frame::BECN;
        if (qp.m_needs & RdmaCongestionOps::NEEDS_INT)
        {
            info.intHops = FramePool::CountInt(frame);
            info.intRecords = FramePool::GetInt(frame);
        }
        qp.m_ops->OnAck(info);
    }
    if (qp.m_needs & NEEDS_PATH_FEEDBACK)
    {
        RdmaPathEvent event = frame.flags & Frame::BECN ? RdmaPathEvent::ECN : RdmaPathEvent::ACKED;
        if (frame.kind == FrameKind::NAK && (frame.flags & Frame::TRIMMED))
        {
            event = RdmaPathEvent::TRIMMED;
        }
        qp.m_paths->Feedback(qp, frame.entropy, event);
    }
}

void
RdmaNic::TellOfLoss(RdmaQueuePair& qp, RdmaLossKind kind, int64_t now)
{
    ++qp.m_counters.recoveries;
    qp.m_afterTimeout = false;
    qp.m_ops->OnLoss(TimeStep(now), kind);
    if ((qp.m_needs & NEEDS_PATH_FEEDBACK) && kind == RdmaLossKind::NAK)
    {
        qp.m_paths->Feedback(qp, 0, RdmaPathEvent::LOST);
    }
}

void
RdmaNic::HandleNak(RdmaQueuePair& qp, uint64_t psn, bool trimmed, int64_t now)
{
    if (!qp.m_firstWork)
    {
        return;
    }
    const uint64_t start = qp.m_firstWork->firstPsn;
    const bool news = psn == qp.m_unackedPsn || (psn == start && m_goBack->DiscardsProgress());
    if (news && psn < qp.m_nextPsn)
    {
        TellOfLoss(qp, trimmed ? RdmaLossKind::TRIM : RdmaLossKind::NAK, now);
        GoBack(qp, m_goBack->ResumeAfterNak(psn, start));
        RestartTimeout(qp, now);
    }
}

uint64_t
RdmaNic::NoteAnswer(RdmaQueuePair& qp, const Frame& frame, int64_t now)
{
    RdmaSendWindow& window = qp.m_selective->window;
    const uint64_t before = window.GetBase();
    const uint64_t cumulative =
        Extend(frame.kind == FrameKind::NAK ? frame.psn : frame.psn + 1, before);
    uint64_t acked = 0;
    if ((frame.flags & Frame::SELECTIVE) && !(frame.flags & Frame::TRIMMED))
    {
        const uint64_t psn = Extend(frame.messageBytes, before);
        if (psn >= before && psn < window.GetEnd())
        {
            acked = window.MarkArrived(psn);
        }
    }
    const uint64_t psn =
        qp.m_special & RdmaQueuePair::READS ? LimitToResponses(qp, cumulative) : cumulative;
    if (psn > before)
    {
        acked += window.Advance(psn);
        Acknowledge(qp, psn, now);
    }
    return acked;
}

void
RdmaNic::ReceiveAckSpecial(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    if (qp.HasFailed())
    {
        m_pool->Free(frame); // too late: its messages are told to have failed
        return;
    }
    if (!qp.m_selective)
    {
        ReceiveAckOfReader(qp, frame, now);
        return;
    }
    RdmaSelectiveSender& sender = *qp.m_selective;
    const uint64_t acked = NoteAnswer(qp, *frame, now);
    TellOfAck(qp, *frame, acked, now);
    const bool trimmed = frame->kind == FrameKind::NAK && (frame->flags & Frame::TRIMMED);
    const uint64_t psn = Extend(frame->messageBytes, sender.window.GetBase());
    m_pool->Free(frame);
    if (trimmed && psn >= sender.window.GetBase() && psn < sender.window.GetEnd() &&
        sender.window.MarkLost(psn))
    {
        TellOfLoss(qp, RdmaLossKind::TRIM, now);
    }
    FindLosses(qp, now);
    Activate(qp, now);
}

void
RdmaNic::FindLosses(RdmaQueuePair& qp, int64_t now)
{
    if (m_selective->FindLosses(*qp.m_selective))
    {
        TellOfLoss(qp, RdmaLossKind::NAK, now);
        RestartTimeout(qp, now);
    }
    ArmReorder(qp, now);
}

void
RdmaNic::AdvanceTo(RdmaQueuePair& qp, uint64_t psn, int64_t now)
{
    if (psn > qp.m_selective->window.GetBase())
    {
        qp.m_selective->window.Advance(psn);
        Acknowledge(qp, psn, now);
    }
}

// -- timers

bool
RdmaNic::ExtendTimeout(RdmaQueuePair& qp, int64_t now)
{
    RdmaSelectiveSender& sender = *qp.m_selective;
    const int64_t more = sender.longTimeoutTicks - sender.timeoutTicks;
    if (more <= 0 || sender.extendedTo == qp.m_timeoutAt ||
        qp.m_nextPsn - qp.m_unackedPsn <= sender.fewPackets)
    {
        return false;
    }
    qp.m_timeoutAt = std::max(now, qp.m_timeoutAt + more);
    sender.extendedTo = qp.m_timeoutAt;
    qp.m_timeoutTimer = qp.m_timeoutAt;
    AddTimer(qp.m_timeoutTimer, qp.m_number, TimerKind::TIMEOUT);
    return true;
}

void
RdmaNic::ArmReorder(RdmaQueuePair& qp, int64_t now)
{
    RdmaSelectiveSender& sender = *qp.m_selective;
    if (sender.reorderTicks > 0 && sender.reorderAt == RdmaQueuePair::NEVER &&
        sender.window.HasHoles())
    {
        sender.overdue = sender.window.GetArrivedEnd();
        sender.reorderAt = now + sender.reorderTicks;
        AddTimer(sender.reorderAt, qp.m_number, TimerKind::REORDER);
    }
}

void
RdmaNic::HandleReorder(RdmaQueuePair& qp, int64_t now)
{
    qp.m_selective->reorderAt = RdmaQueuePair::NEVER;
    if (qp.HasFailed())
    {
        return;
    }
    if (m_selective->FindOverdue(*qp.m_selective))
    {
        TellOfLoss(qp, RdmaLossKind::NAK, now);
        // What is sent again and again for nothing must come to an end, by the timeout.
        if (qp.m_timeoutAt == RdmaQueuePair::NEVER)
        {
            RestartTimeout(qp, now);
        }
    }
    ArmReorder(qp, now);
    Activate(qp, now);
}

} // namespace llm
} // namespace ns3
