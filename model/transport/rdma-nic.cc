/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>
#include <string>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmRdmaNic");
NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

namespace
{

constexpr uint32_t PACE_BITS = 20;            //!< fractional bits of a pacing interval
constexpr uint64_t MAX_OUTSTANDING = 1 << 23; //!< half the PSN space, packets
constexpr uint8_t INITIAL_TTL = 64;           //!< IPv4 TTL of what NICs send
__extension__ typedef unsigned __int128 Wide; //!< product of rate and resolution

/** @param low 32 bits of a number. @param near a close one. @return all 64 bits. */
inline uint64_t
Extend(uint32_t low, uint64_t near)
{
    return near + static_cast<int64_t>(static_cast<int32_t>(low - static_cast<uint32_t>(near)));
}

} // namespace

// -- RdmaQueuePair

RdmaQueuePair::RdmaQueuePair(RdmaNic* nic,
                             uint32_t number,
                             uint32_t localRank,
                             uint32_t remoteRank,
                             uint16_t channel)
    : m_nic(nic),
      m_number(number),
      m_localRank(localRank),
      m_remoteRank(remoteRank),
      m_channel(channel)
{
}

void
RdmaQueuePair::ArmTimer(uint32_t id, Time at)
{
    m_ccTimerAt[id] = at.GetTimeStep();
    m_nic->AddTimer(m_ccTimerAt[id],
                    m_number,
                    id == 0 ? RdmaNic::TimerKind::CONTROL_0 : RdmaNic::TimerKind::CONTROL_1);
}

void
RdmaQueuePair::CancelTimer(uint32_t id)
{
    m_ccTimerAt[id] = NEVER;
}

void
RdmaQueuePair::ControlChanged()
{
    m_nic->ReadControl(*this, m_nic->m_events->Now());
}

// -- RdmaNic

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaNic>()
            .AddTraceSource("CnpSent",
                            "The responder of a queue pair sends a CNP.",
                            MakeTraceSourceAccessor(&RdmaNic::m_cnpSentTrace),
                            "ns3::llm::RdmaNic::QueuePairTracedCallback")
            .AddTraceSource("CnpReceived",
                            "A CNP has arrived for the requester of a queue pair.",
                            MakeTraceSourceAccessor(&RdmaNic::m_cnpReceivedTrace),
                            "ns3::llm::RdmaNic::QueuePairTracedCallback")
            .AddTraceSource("RetransmissionTimeout",
                            "The oldest unacknowledged packet of a queue pair timed out.",
                            MakeTraceSourceAccessor(&RdmaNic::m_timeoutTrace),
                            "ns3::llm::RdmaNic::QueuePairTracedCallback")
            .AddTraceSource("Rate",
                            "Congestion control changed the rate of a queue pair, bit/s.",
                            MakeTraceSourceAccessor(&RdmaNic::m_rateTrace),
                            "ns3::llm::RdmaNic::ValueTracedCallback")
            .AddTraceSource("Window",
                            "Congestion control changed the window of a queue pair, bytes.",
                            MakeTraceSourceAccessor(&RdmaNic::m_windowTrace),
                            "ns3::llm::RdmaNic::ValueTracedCallback");
    return tid;
}

RdmaNic::RdmaNic() = default;

RdmaNic::~RdmaNic() = default;

void
RdmaNic::Shutdown()
{
    for (const auto& qp : m_queuePairs)
    {
        if (qp->m_congestion)
        {
            qp->m_congestion->SetHost(nullptr);
            qp->m_congestion = nullptr;
        }
    }
    m_queuePairs.clear();
    m_workSlabs.clear();
    m_reliabilityPtr = nullptr;
    m_pathsPtr = nullptr;
}

void
RdmaNic::DoDispose()
{
    Shutdown();
    Object::DoDispose();
}

void
RdmaNic::Attach(FramePort* port,
                uint32_t nodeId,
                const RdmaNicConfig& config,
                Ptr<RdmaReliability> reliability,
                Ptr<RdmaPathSelector> paths,
                RdmaWorkListener* listener)
{
    m_port = port;
    m_events = &port->GetEventQueue();
    m_pool = &port->GetFramePool();
    m_config = config;
    m_reliabilityPtr = reliability;
    m_reliability = PeekPointer(reliability);
    m_pathsPtr = paths;
    m_paths = PeekPointer(paths);
    m_perPacketPath = paths->IsPerPacket();
    m_listener = listener;
    m_ticksPerSecond = static_cast<uint64_t>(Seconds(1).GetTimeStep());
    m_eventId = m_events->Register(FabricEventKind::NIC_TIMER, this, nodeId);
    port->SetEndpoint(this);
}

RdmaQueuePair*
RdmaNic::CreateQueuePair(uint32_t localRank, uint32_t remoteRank, uint16_t channel)
{
    const auto number = static_cast<uint32_t>(m_queuePairs.size()) + FIRST_NUMBER;
    m_queuePairs.push_back(
        std::make_unique<RdmaQueuePair>(this, number, localRank, remoteRank, channel));
    RdmaQueuePair* qp = m_queuePairs.back().get();
    qp->m_nextPsn = m_config.initialPsn;
    qp->m_unackedPsn = m_config.initialPsn;
    qp->m_highPsn = m_config.initialPsn;
    qp->m_endPsn = m_config.initialPsn;
    qp->m_receiver.expectedPsn = m_config.initialPsn;
    return qp;
}

void
RdmaNic::Connect(RdmaQueuePair* local,
                 RdmaQueuePair* peer,
                 uint8_t trafficClass,
                 Ptr<RdmaCongestionOps> ops,
                 const RdmaPathInfo& path)
{
    local->m_peer = peer;
    local->m_endpoint = m_port->GetEndpointIndex();
    local->m_remoteEndpoint = peer->m_nic->m_port->GetEndpointIndex();
    local->m_remoteNumber = peer->m_number;
    local->m_trafficClass = trafficClass;
    local->m_entropy =
        m_paths->ChooseInitial(local->m_endpoint, local->m_remoteEndpoint, local->m_channel);
    local->m_congestion = ops;
    local->m_ops = PeekPointer(ops);
    local->m_needs = ops->GetNeeds();
    ops->SetHost(local);
    ops->Init(path);
    ReadControl(*local, m_events->Now());
}

void
RdmaNic::Post(RdmaQueuePair* queuePair, const Message& message, int64_t now)
{
    if (message.bytes == 0)
    {
        m_emptyMessages.push_back(message);
        AddTimer(now, 0, TimerKind::EMPTY_WORK);
        return;
    }
    RdmaQueuePair& qp = *queuePair;
    uint64_t left = message.bytes;
    while (left > 0)
    {
        RdmaWork* work = AllocateWork();
        work->next = nullptr;
        work->bytes = std::min(left, m_config.maxWorkBytes);
        left -= work->bytes;
        work->offset = qp.m_lastWork ? qp.m_lastWork->offset + qp.m_lastWork->bytes : qp.m_ackedBytes;
        work->firstPsn = qp.m_endPsn;
        work->endPsn = work->firstPsn + (work->bytes + m_config.pathMtu - 1) / m_config.pathMtu;
        work->lastOfMessage = left == 0;
        work->failed = false;
        work->message = message;
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
    if (qp.m_failed)
    {
        AddTimer(now, qp.m_number, TimerKind::FAILURE); // not from within Send
        return;
    }
    if (qp.m_idle)
    {
        qp.m_idle = false;
        qp.m_ops->OnIdleRestart(TimeStep(now), TimeStep(now - qp.m_lastSendAt));
    }
    Activate(qp, now);
}

RdmaWork*
RdmaNic::AllocateWork()
{
    if (!m_freeWork)
    {
        constexpr std::size_t SLAB = 16;
        m_workSlabs.emplace_back(new RdmaWork[SLAB]);
        for (std::size_t i = SLAB; i-- > 0;)
        {
            FreeWork(&m_workSlabs.back()[i]);
        }
    }
    RdmaWork* work = m_freeWork;
    m_freeWork = work->next;
    return work;
}

void
RdmaNic::FreeWork(RdmaWork* work)
{
    work->next = m_freeWork;
    m_freeWork = work;
}

// -- sending

bool
RdmaNic::MaySend(const RdmaQueuePair& qp) const
{
    if (!qp.m_currentWork || qp.m_failed)
    {
        return false;
    }
    const uint64_t inFlight = qp.m_sentBytes - qp.m_ackedBytes;
    if (inFlight == 0)
    {
        return true; // a window below one packet still lets one through
    }
    const uint64_t end = qp.m_currentWork->offset + qp.m_currentWork->bytes;
    const uint64_t payload = std::min<uint64_t>(m_config.pathMtu, end - qp.m_sentBytes);
    return inFlight + payload <= qp.m_window &&
           qp.m_nextPsn - qp.m_unackedPsn < MAX_OUTSTANDING - 1;
}

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
    ReadyRing& ring = m_rings[qp.m_trafficClass];
    qp.m_ready = true;
    if (ring.last)
    {
        qp.m_readyNext = ring.last->m_readyNext;
        ring.last->m_readyNext = &qp;
    }
    else
    {
        qp.m_readyNext = &qp;
    }
    ring.last = &qp;
    m_port->DataReady(static_cast<uint8_t>(1U << qp.m_trafficClass), now);
}

void
RdmaNic::Retire(ReadyRing& ring, bool maySend)
{
    RdmaQueuePair& qp = *ring.last->m_readyNext;
    if (ring.last == &qp)
    {
        ring.last = nullptr;
    }
    else
    {
        ring.last->m_readyNext = qp.m_readyNext;
    }
    qp.m_ready = false;
    if (maySend)
    {
        qp.m_paceAt = qp.m_nextSendAt;
        AddTimer(qp.m_paceAt, qp.m_number, TimerKind::PACE);
    }
}

Frame*
RdmaNic::PullFrame(uint8_t trafficClass, int64_t now, bool& more)
{
    ReadyRing& ring = m_rings[trafficClass];
    while (ring.last)
    {
        RdmaQueuePair& qp = *ring.last->m_readyNext;
        const bool maySend = MaySend(qp);
        if (!maySend || qp.m_nextSendAt > now)
        {
            Retire(ring, maySend);
            continue;
        }
        Frame* frame = BuildData(qp, now);
        // Alone in the ring, it need not stay there if it cannot follow itself at once.
        if (ring.last == &qp)
        {
            const bool again = MaySend(qp);
            if (!again ||
                qp.m_nextSendAt > now + m_port->GetTransmitTicks(frame->WireBytes()))
            {
                Retire(ring, again);
            }
        }
        else
        {
            ring.last = &qp; // its turn comes again behind all others
        }
        more = ring.last != nullptr;
        return frame;
    }
    more = false;
    return nullptr;
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
    frame->bytes = static_cast<uint16_t>(((payload + 3) & ~3U) + wire::ROCE_BASE +
                                         (first ? wire::RETH : 0));
    frame->entropy = m_perPacketPath ? m_paths->Choose(qp, psn) : qp.m_entropy;
    frame->ingress = 0;
    frame->kind = FrameKind::WRITE;
    frame->trafficClass = qp.m_trafficClass;
    frame->ttl = INITIAL_TTL;
    uint8_t flags = m_config.ecnCapable ? Frame::ECT : 0;
    flags |= first ? Frame::FIRST : 0;
    flags |= last ? Frame::LAST : 0;

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
    if (++qp.m_sinceAckRequest >= m_config.ackInterval || last || !MaySend(qp))
    {
        flags |= Frame::ACK_REQ;
        qp.m_sinceAckRequest = 0;
    }
    frame->flags = flags;

    const uint32_t wireBytes = frame->WireBytes();
    const uint64_t fraction = now == qp.m_nextSendAt ? qp.m_paceFraction : 0;
    const uint64_t interval = wireBytes * qp.m_ticksPerByte + fraction;
    qp.m_nextSendAt = now + static_cast<int64_t>(interval >> PACE_BITS);
    qp.m_paceFraction = static_cast<uint32_t>(interval & ((1U << PACE_BITS) - 1));
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
    if (completed)
    {
        m_listener->WorkDelivered(*completed, now);
    }
}

void
RdmaNic::Answer(RdmaQueuePair& qp, Frame* frame, FrameKind kind, int64_t now)
{
    const uint64_t expected = qp.m_receiver.expectedPsn;
    const bool echo =
        (frame->flags & Frame::CE) && (qp.m_peer->m_needs & RdmaCongestionOps::NEEDS_ECN_ECHO);
    frame->kind = kind;
    frame->msn = qp.m_messagesReceived;
    frame->source = qp.m_endpoint;
    frame->destination = qp.m_remoteEndpoint;
    frame->queuePair = qp.m_remoteNumber;
    frame->psn = static_cast<uint32_t>(kind == FrameKind::NAK ? expected : expected - 1);
    frame->messageBytes = 0;
    frame->bytes = wire::ACK_FRAME;
    frame->payload = 0;
    frame->entropy = qp.m_entropy;
    frame->ingress = 0;
    frame->trafficClass = qp.m_trafficClass;
    frame->flags = static_cast<uint8_t>((frame->flags & Frame::RETRANSMIT) |
                                        (echo ? Frame::BECN : 0));
    frame->ttl = INITIAL_TTL;
    m_port->SendFrame(frame, now);
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
    m_port->SendFrame(frame, now);
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
        qp.m_ops->OnAck(info);
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
        m_listener->WorkAcknowledged(*work, now);
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

// -- timers

void
RdmaNic::RestartTimeout(RdmaQueuePair& qp, int64_t now)
{
    qp.m_timeoutAt = now + m_config.timeoutTicks;
    if (qp.m_timeoutTimer == RdmaQueuePair::NEVER)
    {
        qp.m_timeoutTimer = qp.m_timeoutAt;
        AddTimer(qp.m_timeoutTimer, qp.m_number, TimerKind::TIMEOUT);
    }
}

void
RdmaNic::HandleTimeout(RdmaQueuePair& qp, int64_t now)
{
    ++qp.m_counters.timeouts;
    m_timeoutTrace(qp);
    qp.m_timeoutAt = RdmaQueuePair::NEVER;
    if (++qp.m_retries > m_config.retryCount)
    {
        qp.m_failed = true;
        ReportFailure(qp);
        return;
    }
    qp.m_ops->OnLoss(TimeStep(now), RdmaLossKind::TIMEOUT);
    GoBack(qp, m_reliability->ResumeAfterTimeout(qp.m_unackedPsn, qp.m_firstWork->firstPsn));
    RestartTimeout(qp, now);
    Activate(qp, now);
}

void
RdmaNic::ReportFailure(const RdmaQueuePair& qp)
{
    // The work stays where it is: the responder may be in the middle of it.
    const std::string reason = "no acknowledgement of PSN " + std::to_string(qp.m_unackedPsn) +
                               " after " + std::to_string(m_config.retryCount) + " retries";
    for (RdmaWork* work = qp.m_firstWork; work; work = work->next)
    {
        if (work->lastOfMessage && !work->failed)
        {
            work->failed = true;
            m_listener->WorkFailed(qp, *work, reason);
        }
    }
}

void
RdmaNic::ReadControl(RdmaQueuePair& qp, int64_t now)
{
    const uint64_t rate = std::min(qp.m_ops->GetRate(), m_port->GetBitRate());
    const uint64_t window = qp.m_ops->GetWindow();
    qp.m_ticksPerByte = static_cast<uint64_t>(
        (static_cast<Wide>(8 * m_ticksPerSecond) << PACE_BITS) / std::max<uint64_t>(rate, 1));
    m_rateTrace(qp, rate);
    if (window != qp.m_window)
    {
        qp.m_window = window;
        m_windowTrace(qp, window);
    }
    if (qp.m_lastWireBytes)
    {
        // As if the last packet had been paced at the new rate.
        qp.m_nextSendAt =
            qp.m_lastSendAt +
            static_cast<int64_t>((qp.m_lastWireBytes * qp.m_ticksPerByte) >> PACE_BITS);
        qp.m_paceFraction = 0;
        if (qp.m_paceAt != RdmaQueuePair::NEVER && qp.m_nextSendAt < qp.m_paceAt)
        {
            qp.m_paceAt = std::max(qp.m_nextSendAt, now);
            AddTimer(qp.m_paceAt, qp.m_number, TimerKind::PACE);
        }
    }
    if (qp.m_peer)
    {
        Activate(qp, now);
    }
}

bool
RdmaNic::IsLater(const Timer& a, const Timer& b)
{
    if (a.tick != b.tick)
    {
        return a.tick > b.tick;
    }
    return a.queuePair != b.queuePair ? a.queuePair > b.queuePair : a.kind > b.kind;
}

void
RdmaNic::AddTimer(int64_t tick, uint32_t queuePair, TimerKind kind)
{
    m_timers.push_back({tick, queuePair, kind});
    std::push_heap(m_timers.begin(), m_timers.end(), IsLater);
    if (tick < m_armedAt)
    {
        m_armedAt = tick;
        m_events->ScheduleAt(tick, FabricEventKind::NIC_TIMER, m_eventId);
    }
}

void
RdmaNic::HandleFabricEvent(FabricEventKind, int64_t now)
{
    if (now != m_armedAt)
    {
        return; // an earlier firing has done the work
    }
    m_armedAt = INT64_MIN; // what the handlers add is seen by the loop or armed below
    while (!m_timers.empty() && m_timers.front().tick <= now)
    {
        const Timer timer = m_timers.front();
        std::pop_heap(m_timers.begin(), m_timers.end(), IsLater);
        m_timers.pop_back();
        FireTimer(timer, now);
    }
    m_armedAt = INT64_MAX;
    if (!m_timers.empty())
    {
        m_armedAt = m_timers.front().tick;
        m_events->ScheduleAt(m_armedAt, FabricEventKind::NIC_TIMER, m_eventId);
    }
}

void
RdmaNic::FireTimer(const Timer& timer, int64_t now)
{
    if (timer.kind == TimerKind::EMPTY_WORK)
    {
        std::vector<Message> messages;
        messages.swap(m_emptyMessages);
        for (const Message& message : messages)
        {
            RdmaWork work;
            work.lastOfMessage = true;
            work.message = message;
            m_listener->WorkDelivered(work, now);
            m_listener->WorkAcknowledged(work, now);
        }
        return;
    }
    RdmaQueuePair& qp = *m_queuePairs[timer.queuePair - FIRST_NUMBER];
    switch (timer.kind)
    {
    case TimerKind::PACE:
        if (qp.m_paceAt == timer.tick)
        {
            qp.m_paceAt = RdmaQueuePair::NEVER;
            Activate(qp, now);
        }
        break;
    case TimerKind::TIMEOUT:
        qp.m_timeoutTimer = RdmaQueuePair::NEVER;
        if (qp.m_timeoutAt > now)
        {
            if (qp.m_timeoutAt != RdmaQueuePair::NEVER)
            {
                qp.m_timeoutTimer = qp.m_timeoutAt;
                AddTimer(qp.m_timeoutTimer, qp.m_number, TimerKind::TIMEOUT);
            }
        }
        else
        {
            HandleTimeout(qp, now);
        }
        break;
    case TimerKind::FAILURE:
        ReportFailure(qp);
        break;
    default: {
        const uint32_t id = timer.kind == TimerKind::CONTROL_0 ? 0 : 1;
        if (qp.m_ccTimerAt[id] == timer.tick)
        {
            qp.m_ccTimerAt[id] = RdmaQueuePair::NEVER;
            qp.m_ops->OnTimer(TimeStep(now), id);
        }
        break;
    }
    }
}

} // namespace llm
} // namespace ns3
