/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// RDMA READ at a NIC: requests, responses, and what may have come before what.

#include "rdma-nic-numbers.h"
#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

using namespace rdmanic;

namespace
{

/** @return whether a verdict means that the payload is used. */
bool
IsTaken(RdmaReceiveVerdict::Payload payload)
{
    switch (payload)
    {
    case RdmaReceiveVerdict::Payload::ACCEPT:
    case RdmaReceiveVerdict::Payload::ADVANCE:
    case RdmaReceiveVerdict::Payload::PLACED:
    case RdmaReceiveVerdict::Payload::RESTART:
        return true;
    default:
        return false;
    }
}

/** @return whether a response was sent before. */
bool
IsSent(const RdmaReadResponder& responder, uint64_t number)
{
    return number < responder.sent ||
           (number > responder.sent && responder.sentEarly.Has(responder.sent, number));
}

/** A response is sent for the first time. */
void
NoteSent(RdmaReadResponder& responder, uint64_t number)
{
    if (number > responder.sent)
    {
        responder.sentEarly.Add(responder.sent, number);
        return;
    }
    ++responder.sent;
    responder.sent += responder.sentEarly.Take(responder.sent);
}

} // namespace

RdmaVerbState&
RdmaNic::GetVerbs(RdmaQueuePair& qp) const
{
    if (!qp.m_verbs)
    {
        qp.m_verbs = std::make_unique<RdmaVerbState>();
        if (m_selective)
        {
            qp.m_verbs->requester.receiver.early = std::make_unique<RdmaReceiveWindow>();
        }
    }
    return *qp.m_verbs;
}

// -- requester: asking

bool
RdmaNic::MayRead(const RdmaQueuePair& qp) const
{
    const RdmaWork& work = *qp.m_currentWork;
    return qp.m_verbs->requester.outstanding < m_config.maxReads &&
           work.endPsn - qp.m_unackedPsn < MAX_OUTSTANDING - 1;
}

Frame*
RdmaNic::MakeReadRequest(RdmaQueuePair& qp, const RdmaWork& work, uint64_t psn, uint64_t packets)
{
    const uint64_t before = (psn - work.firstPsn) * m_config.pathMtu;
    Frame* frame = m_pool->Allocate();
    frame->offset = work.readOffset + before;
    frame->source = qp.m_endpoint;
    frame->destination = qp.m_remoteEndpoint;
    frame->queuePair = qp.m_remoteNumber;
    frame->psn = static_cast<uint32_t>(psn);
    frame->messageBytes =
        static_cast<uint32_t>(std::min(work.readBytes - before, packets * m_config.pathMtu));
    frame->payload = 0;
    frame->bytes = wire::ROCE_BASE + wire::RETH;
    frame->entropy = qp.m_perPacketPath ? qp.m_paths->Choose(qp, psn) : qp.m_entropy;
    frame->ingress = 0;
    frame->kind = FrameKind::READ_REQUEST;
    frame->trafficClass = qp.m_trafficClass;
    frame->ttl = INITIAL_TTL;
    frame->flags = m_config.ecnCapable ? Frame::ECT : 0;
    ++qp.m_counters.readRequests;
    return frame;
}

Frame*
RdmaNic::BuildReadRequest(RdmaQueuePair& qp, int64_t now)
{
    const RdmaWork& work = *qp.m_currentWork;
    const uint64_t psn = qp.m_nextPsn;
    Frame* frame = MakeReadRequest(qp, work, psn, work.endPsn - psn);
    qp.m_nextPsn = work.endPsn;
    qp.m_highPsn = std::max(qp.m_highPsn, qp.m_nextPsn);
    qp.m_currentWork = work.next;
    qp.m_sinceAckRequest = 0;
    ++qp.m_verbs->requester.outstanding;
    Pace(qp, frame->WireBytes(), now);
    if (qp.m_timeoutAt == RdmaQueuePair::NEVER)
    {
        RestartTimeout(qp, now);
    }
    return frame;
}

Frame*
RdmaNic::BuildMissingRead(RdmaQueuePair& qp, const RdmaWork& work, uint64_t psn, int64_t now)
{
    RdmaSendWindow& window = qp.m_selective->window;
    uint64_t end = psn + 1;
    while (end < work.endPsn && window.GetLostPackets() > 0 &&
           window.GetState(end) == RdmaSendWindow::State::LOST)
    {
        window.TakeLost();
        ++end;
    }
    Frame* frame = MakeReadRequest(qp, work, psn, end - psn);
    Pace(qp, frame->WireBytes(), now);
    if (qp.m_timeoutAt == RdmaQueuePair::NEVER)
    {
        RestartTimeout(qp, now);
    }
    return frame;
}

void
RdmaNic::CountReads(RdmaQueuePair& qp)
{
    uint32_t reads = 0;
    for (const RdmaWork* work = qp.m_firstWork; work != qp.m_currentWork; work = work->next)
    {
        reads += work->kind == FrameKind::READ_REQUEST ? 1 : 0;
    }
    qp.m_verbs->requester.outstanding = reads;
}

uint64_t
RdmaNic::FindMissingResponse(const RdmaQueuePair& qp) const
{
    const uint64_t expected = qp.m_verbs->requester.receiver.expectedPsn;
    for (const RdmaWork* work = qp.m_firstWork; work; work = work->next)
    {
        if (work->kind == FrameKind::READ_REQUEST)
        {
            const uint64_t first = work->readOffset / m_config.pathMtu;
            if (expected < first + (work->endPsn - work->firstPsn))
            {
                return work->firstPsn + (expected - first);
            }
        }
    }
    return UINT64_MAX;
}

void
RdmaNic::AskAgain(RdmaQueuePair& qp, int64_t now)
{
    const uint64_t missing = FindMissingResponse(qp);
    if (missing >= qp.m_nextPsn)
    {
        return; // it is about to be asked for, or none is missing
    }
    const RdmaWork& work = *FindWork(qp, missing);
    ++qp.m_counters.recoveries;
    qp.m_afterTimeout = false;
    GoBack(qp, m_goBack->ResumeAfterNak(missing, work.firstPsn));
    RestartTimeout(qp, now);
}

// -- requester: answers

void
RdmaNic::ReceiveAckOfReader(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    const bool nak = frame->kind == FrameKind::NAK;
    const uint64_t told = Extend(nak ? frame->psn : frame->psn + 1, qp.m_unackedPsn);
    // An answer to a later request says that the responses before it were sent: they are lost
    // (InfiniBand Vol. 1, 9.7.5.1.1, implied NAK).
    const uint64_t missing = FindMissingResponse(qp);
    const uint64_t psn = std::min(told, missing);
    const uint64_t acked = psn > qp.m_unackedPsn ? Acknowledge(qp, psn, now) : 0;
    TellOfAck(qp, *frame, acked, now);
    const bool trimmed = frame->flags & Frame::TRIMMED;
    m_pool->Free(frame);
    RdmaReceiverState& receiver = qp.m_verbs->requester.receiver;
    if (told > missing)
    {
        if (!receiver.nakSent)
        {
            receiver.nakSent = true;
            AskAgain(qp, now);
        }
    }
    else if (nak)
    {
        HandleNak(qp, psn, trimmed, now);
    }
    Activate(qp, now);
}

uint64_t
RdmaNic::LimitToResponses(RdmaQueuePair& qp, uint64_t cumulative) const
{
    RdmaReadRequester& requester = qp.m_verbs->requester;
    requester.responderTook = std::max(requester.responderTook, cumulative);
    return std::min(requester.responderTook, FindMissingResponse(qp));
}

void
RdmaNic::TakeResponse(RdmaQueuePair& qp,
                      const RdmaReceiveVerdict& verdict,
                      uint32_t payload,
                      bool last)
{
    RdmaReadRequester& requester = qp.m_verbs->requester;
    const auto discard = [&qp, &requester] {
        qp.m_counters.payloadReceived -= requester.receivedOfWork;
        qp.m_counters.payloadOutOfOrder += requester.receivedOfWork;
        requester.receivedOfWork = 0;
    };
    qp.m_counters.trimsReceived += payload == 0 ? 1 : 0;
    switch (verdict.payload)
    {
    case RdmaReceiveVerdict::Payload::DUPLICATE:
        qp.m_counters.payloadDuplicate += payload;
        return;
    case RdmaReceiveVerdict::Payload::OUT_OF_ORDER:
        qp.m_counters.payloadOutOfOrder += payload;
        return;
    case RdmaReceiveVerdict::Payload::DISCARD:
        discard();
        qp.m_counters.payloadOutOfOrder += payload;
        return;
    case RdmaReceiveVerdict::Payload::TRIMMED:
        return;
    case RdmaReceiveVerdict::Payload::RESTART:
        discard();
        break;
    case RdmaReceiveVerdict::Payload::PLACED:
        ++qp.m_counters.placedEarly;
        break;
    default:
        break;
    }
    qp.m_counters.payloadReceived += payload;
    requester.receivedOfWork += payload;
    if (last && m_goBack)
    {
        requester.receivedOfWork = 0;
        requester.receiver.messageStart = requester.receiver.expectedPsn;
    }
}

void
RdmaNic::ReceiveResponse(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    RdmaReceiverState& receiver = qp.m_verbs->requester.receiver;
    const uint32_t payload = frame->payload;
    const uint64_t response = frame->offset / m_config.pathMtu;
    const uint64_t psn = Extend(frame->psn, qp.m_unackedPsn);
    const RdmaReceiveVerdict verdict = payload != 0
                                           ? m_reliability->Receive(receiver, response)
                                           : m_reliability->ReceiveTrimmed(receiver, response);
    AnswerCongestion(qp, *frame, now);
    TakeResponse(qp, verdict, payload, frame->flags & Frame::LAST);
    const bool taken = IsTaken(verdict.payload);
    if ((frame->flags & Frame::ACK_REQ) &&
        (taken || verdict.payload == RdmaReceiveVerdict::Payload::DUPLICATE))
    {
        FillAnswer(qp, frame, FrameKind::READ_ACK);
        frame->psn = static_cast<uint32_t>(psn);
        frame->msn = receiver.expectedPsn;
        m_arrival->m_port->SendFrame(frame, now);
    }
    else
    {
        m_pool->Free(frame);
    }
    if (qp.HasFailed())
    {
        return; // too late: its messages are told to have failed
    }
    if (m_selective)
    {
        NoteResponse(qp, psn, taken, payload == 0, now);
    }
    else if (taken)
    {
        Acknowledge(qp, psn + 1, now); // and with it all requests before (9.7.5.1.2)
    }
    else if (verdict.reply == RdmaReceiveVerdict::Reply::NAK)
    {
        AskAgain(qp, now);
    }
    Activate(qp, now);
}

void
RdmaNic::NoteResponse(RdmaQueuePair& qp, uint64_t psn, bool taken, bool trimmed, int64_t now)
{
    RdmaSelectiveSender& sender = *qp.m_selective;
    const bool open = psn >= sender.window.GetBase() && psn < sender.window.GetEnd();
    if (taken && open)
    {
        sender.window.MarkArrived(psn);
    }
    if (trimmed && open && sender.window.MarkLost(psn))
    {
        ++qp.m_counters.recoveries;
    }
    // What is whole without a gap needs no other acknowledgement.
    uint64_t cumulative = std::max(sender.window.GetBase(), LimitToResponses(qp, 0));
    while (cumulative < sender.window.GetEnd() &&
           sender.window.GetState(cumulative) == RdmaSendWindow::State::ARRIVED)
    {
        ++cumulative;
    }
    AdvanceTo(qp, cumulative, now);
    FindLosses(qp, now);
}

// -- responder

bool
RdmaNic::MaySendResponse(const RdmaQueuePair& qp) const
{
    const RdmaReadResponder& responder = qp.m_verbs->responder;
    if (responder.queue.empty() || !responder.queue.front().ready)
    {
        return false;
    }
    if (qp.m_window == RdmaCongestionOps::UNLIMITED ||
        responder.queue.front().offset / m_config.pathMtu < responder.next)
    {
        return true; // sent again, it is in flight already
    }
    const uint64_t inFlight =
        qp.GetInFlight() + (responder.next - responder.acknowledged) * m_config.pathMtu;
    return inFlight == 0 || inFlight + m_config.pathMtu <= qp.m_window;
}

bool
RdmaNic::WantsReadAcks(const RdmaQueuePair& qp)
{
    return (qp.m_needs & (RdmaCongestionOps::NEEDS_ACK | NEEDS_PATH_FEEDBACK)) ||
           qp.m_window != RdmaCongestionOps::UNLIMITED;
}

Frame*
RdmaNic::BuildResponse(RdmaQueuePair& qp, int64_t now)
{
    RdmaReadResponder& responder = qp.m_verbs->responder;
    RdmaReadResponse& item = responder.queue.front();
    const auto payload =
        static_cast<uint32_t>(std::min<uint64_t>(m_config.pathMtu, item.end - item.offset));
    const uint64_t number = item.offset / m_config.pathMtu;
    const bool first = !item.started;
    const bool last = item.offset + payload == item.end;

    Frame* frame = m_pool->Allocate();
    frame->offset = item.offset;
    frame->source = qp.m_endpoint;
    frame->destination = qp.m_remoteEndpoint;
    frame->queuePair = qp.m_remoteNumber;
    frame->psn = static_cast<uint32_t>(item.psn);
    frame->messageBytes = static_cast<uint32_t>(qp.m_messagesReceived);
    frame->payload = static_cast<uint16_t>(payload);
    frame->bytes = static_cast<uint16_t>(((payload + 3) & ~3U) + wire::ROCE_BASE +
                                         (first || last ? wire::AETH : 0));
    frame->entropy = qp.m_perPacketPath ? qp.m_paths->Choose(qp, item.psn) : qp.m_entropy;
    frame->ingress = 0;
    frame->kind = FrameKind::READ_RESPONSE;
    frame->trafficClass = qp.m_trafficClass;
    frame->ttl = INITIAL_TTL;
    uint8_t flags = m_config.ecnCapable ? Frame::ECT : 0;
    flags |= first ? Frame::FIRST : 0;
    flags |= last ? Frame::LAST : 0;
    ++qp.m_counters.dataPackets;
    if (IsSent(responder, number))
    {
        flags |= Frame::RETRANSMIT;
        qp.m_counters.payloadRetransmitted += payload;
    }
    else
    {
        NoteSent(responder, number);
        qp.m_counters.payloadSent += payload;
        qp.m_counters.payloadInResponses += payload;
    }
    responder.next = std::max(responder.next, number + 1);
    item.started = true;
    item.offset += payload;
    ++item.psn;
    if (last)
    {
        EndResponse(qp, now);
    }
    if (WantsReadAcks(qp) &&
        (++responder.sinceAckRequest >= qp.m_ackInterval || last || !MaySendResponse(qp)))
    {
        flags |= Frame::ACK_REQ;
        responder.sinceAckRequest = 0;
    }
    frame->flags = flags;
    StartTelemetry(qp, frame);
    Pace(qp, frame->WireBytes(), now);
    return frame;
}

void
RdmaNic::EndResponse(RdmaQueuePair& qp, int64_t now)
{
    RdmaReadResponder& responder = qp.m_verbs->responder;
    bool waits = false;
    for (FrameFifo& answers = responder.queue.front().answers; !answers.IsEmpty();)
    {
        responder.answers.Push(answers.Pop());
        waits = true;
    }
    responder.queue.pop_front();
    if (waits)
    {
        AddTimer(now, qp.m_number, TimerKind::ANSWERS); // not ahead of the last response
    }
    if (responder.queue.empty())
    {
        qp.m_special &= static_cast<uint8_t>(~RdmaQueuePair::RESPONDS);
        BecomeIdle(qp, now);
    }
}

void
RdmaNic::SendAnswers(RdmaQueuePair& qp, int64_t now)
{
    RdmaReadResponder& responder = qp.m_verbs->responder;
    while (!responder.answers.IsEmpty())
    {
        responder.answerPort->m_port->SendFrame(responder.answers.Pop(), now);
    }
}

void
RdmaNic::DeferAnswer(RdmaQueuePair& qp, Frame* frame)
{
    RdmaReadResponder& responder = qp.m_verbs->responder;
    responder.answerPort = m_arrival;
    responder.queue.back().answers.Push(frame);
}

void
RdmaNic::QueueResponse(RdmaQueuePair& qp, const Frame& frame, uint64_t psn, bool again, int64_t now)
{
    RdmaReadResponder& responder = GetVerbs(qp).responder;
    const uint64_t number = frame.offset / m_config.pathMtu;
    RdmaReadResponse item;
    item.offset = frame.offset;
    item.end = frame.offset + frame.messageBytes;
    item.psn = psn;
    if (again && m_goBack)
    {
        // Who goes back has all before, and will ask for all behind again.
        ForgetResponses(qp, frame.offset, item);
        responder.next = std::min(responder.next, number);
    }
    if (IsSent(responder, number))
    {
        responder.acknowledged = std::min(std::max(responder.acknowledged, number), responder.next);
        TellOfLoss(qp, RdmaLossKind::NAK, now);
    }
    if (qp.m_idle)
    {
        qp.m_idle = false;
        qp.m_ops->OnIdleRestart(TimeStep(now), TimeStep(now - qp.m_lastSendAt));
    }
    qp.m_special |= RdmaQueuePair::RESPONDS;
    if (m_config.transmitDelayTicks > 0)
    {
        item.ready = false;
        AddTimer(now + m_config.transmitDelayTicks, qp.m_number, TimerKind::RESPONSE);
    }
    if (number < responder.next)
    {
        responder.queue.push_front(item); // what it waits for may keep the window closed
    }
    else
    {
        responder.queue.push_back(item);
    }
    Activate(qp, now);
}

void
RdmaNic::ReadyResponse(RdmaQueuePair& qp, int64_t now)
{
    for (RdmaReadResponse& item : qp.m_verbs->responder.queue)
    {
        if (!item.ready)
        {
            item.ready = true;
            break;
        }
    }
    Activate(qp, now);
}

void
RdmaNic::ForgetResponses(RdmaQueuePair& qp, uint64_t offset, RdmaReadResponse& heir)
{
    std::deque<RdmaReadResponse>& queue = qp.m_verbs->responder.queue;
    while (!queue.empty() && queue.back().end > offset)
    {
        RdmaReadResponse& item = queue.back();
        FrameFifo answers;
        for (FrameFifo* list : {&item.answers, &heir.answers})
        {
            while (!list->IsEmpty())
            {
                answers.Push(list->Pop());
            }
        }
        heir.answers = answers;
        queue.pop_back();
    }
}

RdmaReceiveVerdict
RdmaNic::TakeReadRequest(RdmaQueuePair& qp, uint64_t psn, uint64_t packets)
{
    RdmaReceiveVerdict verdict = m_reliability->Receive(qp.m_receiver, psn);
    bool taken = IsTaken(verdict.payload);
    // It stands for as many packets.
    for (uint64_t i = 1; i < packets && (taken || m_selective); ++i)
    {
        const RdmaReceiveVerdict next = m_reliability->Receive(qp.m_receiver, psn + i);
        if (!taken && IsTaken(next.payload))
        {
            taken = true;
            verdict = next;
        }
        if (next.payload == RdmaReceiveVerdict::Payload::ADVANCE)
        {
            verdict.payload = RdmaReceiveVerdict::Payload::ADVANCE;
        }
    }
    return verdict;
}

void
RdmaNic::ReceiveReadRequest(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    const uint64_t psn = Extend(frame->psn, qp.m_receiver.expectedPsn);
    const uint64_t packets = (frame->messageBytes + m_config.pathMtu - 1) / m_config.pathMtu;
    const RdmaReceiveVerdict verdict = TakeReadRequest(qp, psn, packets);
    AnswerCongestion(qp, *frame, now);
    if (verdict.payload == RdmaReceiveVerdict::Payload::DISCARD ||
        verdict.payload == RdmaReceiveVerdict::Payload::RESTART)
    {
        DiscardProgress(qp);
    }
    const bool again = verdict.payload == RdmaReceiveVerdict::Payload::DUPLICATE ||
                       verdict.payload == RdmaReceiveVerdict::Payload::RESTART;
    const RdmaWork* completed = qp.m_incoming;
    while (qp.m_incoming && qp.m_incoming->endPsn <= qp.m_receiver.expectedPsn)
    {
        qp.m_receiver.messageStart = qp.m_incoming->endPsn;
        qp.m_incoming = qp.m_incoming->next;
        ++qp.m_messagesReceived;
    }
    const RdmaWork* const end = qp.m_incoming;
    if (IsTaken(verdict.payload) || again)
    {
        QueueResponse(qp, *frame, psn, again, now);
    }
    if (verdict.reply == RdmaReceiveVerdict::Reply::NAK ||
        verdict.reply == RdmaReceiveVerdict::Reply::ACK)
    {
        frame->payload = 1; // whole, not trimmed
        Reply(qp, frame, verdict, now);
    }
    else
    {
        m_pool->Free(frame); // the responses say it all
    }
    while (completed != end)
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
RdmaNic::ReceiveReadAck(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    RdmaReadResponder& responder = GetVerbs(qp).responder;
    const uint64_t before = responder.acknowledged;
    responder.acknowledged = std::min(std::max(before, frame->msn), responder.next);
    const uint64_t acked = responder.acknowledged - std::min(before, responder.acknowledged);
    TellOfAck(qp, *frame, acked * m_config.pathMtu, now);
    m_pool->Free(frame);
    BecomeIdle(qp, now);
    Activate(qp, now);
}

} // namespace llm
} // namespace ns3
