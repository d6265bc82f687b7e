/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-port.h"

#include "fabric-channel.h"
#include "fabric-ecn-marker.h"
#include "fabric-loss-model.h"
#include "fabric-switch.h"
#include "llm-fabric.h"
#include "roce-wire.h"

#include "ns3/boolean.h"
#include "ns3/ipv4-header.h"
#include "ns3/llm-config-error.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmFabricPort");
NS_OBJECT_ENSURE_REGISTERED(FabricPort);

namespace
{

constexpr int32_t ROUND_BYTES = 9216; //!< quantum of the round robin: one jumbo frame

/** @param mask not 0. @return index of the highest bit. */
inline uint8_t
HighestClass(uint8_t mask)
{
    return static_cast<uint8_t>(31 - __builtin_clz(mask));
}

/** @param mask not 0. @return index of the lowest bit. */
inline uint8_t
LowestClass(uint8_t mask)
{
    return static_cast<uint8_t>(__builtin_ctz(mask));
}

/** @param trafficClass 0..7. @return its bit. */
inline uint8_t
Bit(uint8_t trafficClass)
{
    return static_cast<uint8_t>(1U << trafficClass);
}

} // namespace

const char*
ToString(DropReason reason)
{
    switch (reason)
    {
    case DropReason::BUFFER:
        return "buffer";
    case DropReason::HEADROOM:
        return "headroom";
    case DropReason::LOSS_MODEL:
        return "loss_model";
    case DropReason::NO_ROUTE:
        return "no_route";
    case DropReason::TTL:
        return "ttl";
    case DropReason::QUEUE:
        return "queue";
    }
    return "unknown";
}

TypeId
FabricPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricPort")
            .SetParent<NetDevice>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FabricPort>()
            .AddAttribute("StrictClasses",
                          "Bit per traffic class with strict priority, the highest first; the "
                          "others share by deficit round robin.",
                          UintegerValue(0xC0),
                          MakeUintegerAccessor(&FabricPort::m_strictClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("EcnMarkAtDequeue",
                          "Mark when a frame leaves the queue instead of when it enters.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricPort::m_markAtDequeue),
                          MakeBooleanChecker())
            .AddAttribute("PauseQuanta",
                          "Timer value of the XOFF frames that this port sends, in quanta of 512 "
                          "bit times; refreshed when half of it has passed.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&FabricPort::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("PacketQueueLimit",
                          "Bytes of ordinary ns-3 packets that a host queues here before Send "
                          "refuses more.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&FabricPort::m_packetQueueLimit),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Mtu",
                          "Layer 3 MTU of the ordinary ns-3 stack, bytes.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&FabricPort::SetMtu, &FabricPort::GetMtu),
                          MakeUintegerChecker<uint16_t>(68, 9194))
            .AddTraceSource("PfcSent",
                            "A pause frame is sent from here (port, class, quanta; 0 is XON).",
                            MakeTraceSourceAccessor(&FabricPort::m_pfcSentTrace),
                            "ns3::llm::FabricPort::PfcTracedCallback")
            .AddTraceSource("PfcPause",
                            "A class of this transmitter is paused (port, class, quanta).",
                            MakeTraceSourceAccessor(&FabricPort::m_pfcPauseTrace),
                            "ns3::llm::FabricPort::PfcTracedCallback")
            .AddTraceSource("PfcResume",
                            "A class of this transmitter may send again (port, class, 0).",
                            MakeTraceSourceAccessor(&FabricPort::m_pfcResumeTrace),
                            "ns3::llm::FabricPort::PfcTracedCallback")
            .AddTraceSource("EcnMark",
                            "A frame is marked CE here (port, frame).",
                            MakeTraceSourceAccessor(&FabricPort::m_ecnMarkTrace),
                            "ns3::llm::FabricPort::FrameTracedCallback")
            .AddTraceSource("FrameDrop",
                            "A frame is dropped here (port, frame, reason).",
                            MakeTraceSourceAccessor(&FabricPort::m_dropTrace),
                            "ns3::llm::FabricPort::DropTracedCallback")
            .AddTraceSource("QueueBytes",
                            "An egress queue changed (port, class, bytes queued).",
                            MakeTraceSourceAccessor(&FabricPort::m_queueTrace),
                            "ns3::llm::FabricPort::QueueTracedCallback")
            .AddTraceSource("MacTx",
                            "A frame leaves this port, with real header bytes.",
                            MakeTraceSourceAccessor(&FabricPort::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of the ordinary stack is refused by the transmit queue.",
                            MakeTraceSourceAccessor(&FabricPort::m_macTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A frame arrived at this port.",
                            MakeTraceSourceAccessor(&FabricPort::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A frame arrived at this port.",
                            MakeTraceSourceAccessor(&FabricPort::m_macPromiscRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "A frame's first bit leaves.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "A frame's last bit leaves; fired with its first bit, since nothing "
                            "can stop it.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A frame's last bit arrived.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame was dropped at this port, for whatever reason.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Every frame sent or received here (non-promiscuous sniffer).",
                            MakeTraceSourceAccessor(&FabricPort::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "Every frame sent or received here (promiscuous sniffer).",
                            MakeTraceSourceAccessor(&FabricPort::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

FabricPort::FabricPort() = default;

FabricPort::~FabricPort() = default;

void
FabricPort::DoDispose()
{
    for (ClassQueue& queue : m_queues)
    {
        while (!queue.frames.IsEmpty())
        {
            Frame* frame = queue.frames.Pop();
            if (frame->kind == FrameKind::PACKET)
            {
                frame->packet->Unref();
            }
        }
    }
    while (!m_wire.IsEmpty())
    {
        Frame* frame = m_wire.Pop();
        if (frame->kind == FrameKind::PACKET)
        {
            frame->packet->Unref();
        }
    }
    m_node = nullptr;
    m_channel = nullptr;
    m_marker = nullptr;
    m_loss = nullptr;
    m_lossModel = nullptr;
    m_endpoint = nullptr;
    NetDevice::DoDispose();
}

// -- building

void
FabricPort::Attach(Fabric* fabric,
                   FabricChannel* channel,
                   DataRate rate,
                   FabricSwitch* switchOrNull,
                   uint32_t portIndex,
                   uint32_t endpoint)
{
    m_fabric = fabric;
    m_channel = channel;
    m_switch = switchOrNull;
    m_portIndex = portIndex;
    m_endpointIndex = endpoint;
    m_events = &fabric->GetEventQueue();
    m_clock.SetRate(rate.GetBitRate(), Seconds(1).GetTimeStep());
    const uint32_t node = m_node->GetId();
    m_portId = m_events->Register(FabricEventKind::TRANSMIT, this, node, &m_wire);
    const uint32_t arrival = m_events->Register(FabricEventKind::ARRIVAL, this, node, &m_wire);
    const uint32_t pause = m_events->Register(FabricEventKind::PAUSE_TIMER, this, node, &m_wire);
    NS_ABORT_MSG_IF(arrival != m_portId || pause != m_portId, "port ids differ by kind");
    m_address = Mac48Address::Allocate();
}

void
FabricPort::SetPeer(FabricPort* peer, int64_t delay)
{
    m_peer = peer;
    m_delay = delay;
}

void
FabricPort::SetEcnMarker(Ptr<FabricEcnMarker> marker)
{
    m_marker = marker;
    m_ecnFloor = UINT64_MAX;
    if (marker)
    {
        marker->Configure(m_clock.GetBitRate(), m_portId, m_fabric->GetRandomKey());
        m_ecnFloor = marker->GetFloor();
    }
}

void
FabricPort::SetLossModel(Ptr<FabricLossModel> model)
{
    m_loss = model;
    m_lossModel = PeekPointer(model);
    if (model)
    {
        model->Configure(m_portId, m_fabric->GetRandomKey());
    }
}

// -- FramePort

void
FabricPort::SetEndpoint(FrameEndpoint* endpoint)
{
    m_endpoint = endpoint;
}

void
FabricPort::SendFrame(Frame* frame, int64_t now)
{
    Enqueue(frame, now);
    Kick(now);
}

void
FabricPort::DataReady(uint8_t classes, int64_t now)
{
    m_ready |= classes;
    Kick(now);
}

int64_t
FabricPort::GetBusyUntil() const
{
    return m_clock.GetBusyUntil();
}

int64_t
FabricPort::GetTransmitTicks(uint32_t wireBytes) const
{
    return m_clock.GetTicks(wireBytes);
}

uint64_t
FabricPort::GetBitRate() const
{
    return m_clock.GetBitRate();
}

uint8_t
FabricPort::GetPausedClasses() const
{
    return m_paused;
}

FramePool&
FabricPort::GetFramePool()
{
    return m_fabric->GetFramePool();
}

int64_t
FabricPort::GetDelay() const
{
    return m_delay;
}

FabricEventQueue&
FabricPort::GetEventQueue()
{
    return *m_events;
}

uint32_t
FabricPort::GetEndpointIndex() const
{
    return m_endpointIndex;
}

// -- the packet path

void
FabricPort::HandleFabricEvent(FabricEventKind kind, int64_t now)
{
    switch (kind)
    {
    case FabricEventKind::ARRIVAL: {
        Frame* frame = m_wire.Pop();
        if (!m_wire.IsEmpty())
        {
            m_events->ScheduleAt(m_wire.Front()->time, FabricEventKind::ARRIVAL, m_portId);
        }
        Receive(frame, now);
        break;
    }
    case FabricEventKind::TRANSMIT:
        m_armed = false;
        TransmitNext(now);
        break;
    default:
        HandlePauseTimer(now);
        break;
    }
}

void
FabricPort::Receive(Frame* frame, int64_t now)
{
    if (m_lossModel && m_lossModel->IsLost(*frame))
    {
        if (frame->kind <= FrameKind::READ_RESPONSE)
        {
            ++m_counters.lostDataFrames;
            m_counters.lostDataBytes += frame->bytes;
            m_counters.lostDataPayload += frame->payload;
        }
        Drop(frame, DropReason::LOSS_MODEL);
        return;
    }
    if (m_sinks & RECEIVE_SINK)
    {
        TraceReceive(*frame);
    }
    if (frame->kind == FrameKind::PFC)
    {
        ReceivePfc(*frame, now);
        m_fabric->GetFramePool().Free(frame);
        return;
    }
    if (m_switch)
    {
        m_switch->Receive(frame, this, now);
    }
    else if (frame->kind == FrameKind::PACKET)
    {
        DeliverPacket(frame);
    }
    else if (m_endpoint)
    {
        m_endpoint->ReceiveFrame(frame, now);
    }
    else
    {
        Drop(frame, DropReason::NO_ROUTE);
    }
}

void
FabricPort::Forward(Frame* frame, int64_t now)
{
    const uint8_t bit = Bit(frame->trafficClass);
    // Free and not armed: then nothing that may go is waiting.
    if (m_clock.GetBusyUntil() <= now && !m_armed && !((m_waiting | m_paused) & bit))
    {
        m_switch->Departing(*frame, m_portIndex, now);
        StartTransmission(frame, now);
        return;
    }
    Enqueue(frame, now);
    Kick(now);
}

void
FabricPort::Enqueue(Frame* frame, int64_t now)
{
    const uint8_t c = frame->trafficClass;
    ClassQueue& queue = m_queues[c];
    if (queue.bytes > m_ecnFloor && !m_markAtDequeue &&
        (frame->flags & (Frame::ECT | Frame::CE)) == Frame::ECT && m_marker->Mark(queue.bytes))
    {
        frame->flags |= Frame::CE;
        ++m_counters.ecnMarks;
        m_ecnMarkTrace(this, *frame);
    }
    queue.frames.Push(frame);
    queue.bytes += frame->bytes;
    m_counters.queuePeak = std::max(m_counters.queuePeak, queue.bytes);
    m_waiting |= Bit(c);
    if (m_sinks & QUEUE_SINK)
    {
        m_queueTrace(this, c, queue.bytes);
    }
    (void)now;
}

Frame*
FabricPort::Dequeue(uint8_t trafficClass)
{
    ClassQueue& queue = m_queues[trafficClass];
    Frame* frame = queue.frames.Pop();
    queue.bytes -= frame->bytes;
    if (queue.frames.IsEmpty())
    {
        m_waiting &= static_cast<uint8_t>(~Bit(trafficClass));
    }
    if (queue.bytes > m_ecnFloor && m_markAtDequeue &&
        (frame->flags & (Frame::ECT | Frame::CE)) == Frame::ECT && m_marker->Mark(queue.bytes))
    {
        frame->flags |= Frame::CE;
        ++m_counters.ecnMarks;
        m_ecnMarkTrace(this, *frame);
    }
    if (m_sinks & QUEUE_SINK)
    {
        m_queueTrace(this, trafficClass, queue.bytes);
    }
    return frame;
}

uint8_t
FabricPort::SelectClass(uint8_t eligible)
{
    const uint8_t strict = eligible & m_strictClasses;
    if (strict)
    {
        return HighestClass(strict);
    }
    if ((eligible & (eligible - 1)) == 0)
    {
        return LowestClass(eligible);
    }
    // Deficit round robin; a class that left the ring starts anew with an empty deficit.
    while (true)
    {
        if ((eligible & Bit(m_turn)) && m_deficit[m_turn] > 0)
        {
            return m_turn;
        }
        if (!(eligible & Bit(m_turn)))
        {
            m_deficit[m_turn] = 0;
        }
        m_turn = (m_turn + 1) & 7;
        if (eligible & Bit(m_turn))
        {
            m_deficit[m_turn] += ROUND_BYTES;
        }
    }
}

void
FabricPort::TransmitNext(int64_t now)
{
    if (!m_control.IsEmpty())
    {
        StartTransmission(m_control.Pop(), now);
        Kick(now);
        return;
    }
    while (const uint8_t eligible = Eligible())
    {
        const uint8_t c = SelectClass(eligible);
        Frame* frame;
        if (m_waiting & Bit(c))
        {
            frame = Dequeue(c);
            if (m_switch)
            {
                m_switch->Departing(*frame, m_portIndex, now);
            }
        }
        else
        {
            bool more;
            frame = m_endpoint->PullFrame(c, now, more);
            if (!more)
            {
                m_ready &= static_cast<uint8_t>(~Bit(c));
            }
            if (!frame)
            {
                continue;
            }
        }
        // Only what is sent in competition counts: who had the link alone owes nothing.
        const uint8_t sharing = eligible & static_cast<uint8_t>(~m_strictClasses);
        if ((sharing & Bit(c)) && (sharing & (sharing - 1)))
        {
            m_deficit[c] -= frame->bytes;
        }
        StartTransmission(frame, now);
        break;
    }
    Kick(now);
}

void
FabricPort::StartTransmission(Frame* frame, int64_t now)
{
    const int64_t end = m_clock.Transmit(now, frame->WireBytes());
    ++m_counters.txFrames;
    m_counters.txBytes += frame->bytes;
    if (frame->kind <= FrameKind::READ_RESPONSE)
    {
        ++m_counters.txDataFrames;
        m_counters.txDataBytes += frame->bytes;
        m_counters.txDataPayload += frame->payload;
        if (!m_switch)
        {
            frame->sentAt = end;
            if (frame->flags & Frame::RETRANSMIT)
            {
                m_counters.txRetransmitted += frame->payload;
            }
        }
    }
    if (m_sinks & TRANSMIT_SINK)
    {
        TraceTransmit(*frame, end);
    }
    frame->time = end + m_delay;
    FrameFifo& wire = m_peer->m_wire;
    if (wire.IsEmpty())
    {
        m_events->ScheduleAt(frame->time, FabricEventKind::ARRIVAL, m_peer->m_portId);
    }
    wire.Push(frame);
}

void
FabricPort::Kick(int64_t now)
{
    if (m_armed || (m_control.IsEmpty() && !Eligible()))
    {
        return;
    }
    const int64_t free = m_clock.GetBusyUntil();
    if (free > now)
    {
        m_armed = true;
        m_events->ScheduleAt(free, FabricEventKind::TRANSMIT, m_portId);
    }
    else
    {
        TransmitNext(now);
    }
}

// -- PFC

int64_t
FabricPort::QuantaToTicks(uint32_t quanta) const
{
    return m_clock.GetTicks(static_cast<uint64_t>(quanta) * 64);
}

int64_t
FabricPort::GetRefreshTicks() const
{
    // Never faster than the link can carry, whatever PauseQuanta says.
    const int64_t frame = m_clock.GetTicks(wire::PFC_FRAME + wire::PREAMBLE_IFG) + 1;
    return std::max(QuantaToTicks(m_pauseQuanta) / 2, frame);
}

void
FabricPort::PausePeer(uint8_t trafficClass, int64_t now)
{
    m_pausing |= Bit(trafficClass);
    SendPfc(Bit(trafficClass), m_pauseQuanta, now);
    if (m_refreshAt == FabricEventQueue::NEVER)
    {
        m_refreshAt = now + GetRefreshTicks();
        ArmPauseTimer(m_refreshAt);
    }
}

void
FabricPort::ResumePeer(uint8_t trafficClass, int64_t now)
{
    m_pausing &= static_cast<uint8_t>(~Bit(trafficClass));
    if (!m_pausing)
    {
        m_refreshAt = FabricEventQueue::NEVER;
    }
    SendPfc(Bit(trafficClass), 0, now);
}

void
FabricPort::SendPfc(uint8_t classes, uint16_t quanta, int64_t now)
{
    Frame* frame = m_fabric->GetFramePool().Allocate();
    frame->kind = FrameKind::PFC;
    frame->trafficClass = 7;
    frame->flags = 0;
    frame->ttl = 0;
    frame->bytes = wire::PFC_FRAME;
    frame->payload = 0;
    frame->entropy = 0;
    frame->source = m_portId;
    frame->destination = 0;
    frame->queuePair = 0;
    frame->psn = 0;
    frame->messageBytes = 0;
    frame->ingress = classes;
    frame->pfcTimersLow = 0;
    frame->pfcTimersHigh = 0;
    for (uint8_t c = 0; c < 8; ++c)
    {
        if (classes & Bit(c))
        {
            uint64_t& timers = c < 4 ? frame->pfcTimersLow : frame->pfcTimersHigh;
            timers |= static_cast<uint64_t>(quanta) << (16 * (c % 4));
            ++(quanta ? m_counters.pfcXoffSent : m_counters.pfcXonSent);
            m_pfcSentTrace(this, c, quanta);
        }
    }
    m_control.Push(frame);
    Kick(now);
}

void
FabricPort::ReceivePfc(const Frame& frame, int64_t now)
{
    uint8_t resumed = 0;
    for (uint8_t c = 0; c < 8; ++c)
    {
        if (!(frame.ingress & Bit(c)))
        {
            continue;
        }
        const uint64_t timers = c < 4 ? frame.pfcTimersLow : frame.pfcTimersHigh;
        const auto quanta = static_cast<uint16_t>(timers >> (16 * (c % 4)));
        if (quanta == 0)
        {
            if (m_paused & Bit(c))
            {
                EndPause(c, now);
                resumed |= Bit(c);
            }
            continue;
        }
        if (!(m_paused & Bit(c)))
        {
            m_paused |= Bit(c);
            m_pausedSince[c] = now;
            ++m_counters.pauses;
            m_pfcPauseTrace(this, c, quanta);
        }
        m_pausedUntil[c] = now + QuantaToTicks(quanta);
        ArmPauseTimer(m_pausedUntil[c]);
    }
    if (resumed)
    {
        Kick(now);
    }
}

void
FabricPort::EndPause(uint8_t trafficClass, int64_t now)
{
    m_paused &= static_cast<uint8_t>(~Bit(trafficClass));
    m_counters.pausedTicks += now - m_pausedSince[trafficClass];
    m_pfcResumeTrace(this, trafficClass, 0);
}

void
FabricPort::ArmPauseTimer(int64_t tick)
{
    if (tick < m_timerAt)
    {
        m_timerAt = tick;
        m_events->ScheduleAt(tick, FabricEventKind::PAUSE_TIMER, m_portId);
    }
}

void
FabricPort::HandlePauseTimer(int64_t now)
{
    if (now != m_timerAt)
    {
        return; // an earlier one was armed since and has done the work
    }
    m_timerAt = FabricEventQueue::NEVER;
    int64_t next = FabricEventQueue::NEVER;
    bool resumed = false;
    for (uint8_t c = 0; c < 8; ++c)
    {
        if (!(m_paused & Bit(c)))
        {
            continue;
        }
        if (m_pausedUntil[c] <= now)
        {
            EndPause(c, now);
            resumed = true;
        }
        else
        {
            next = std::min(next, m_pausedUntil[c]);
        }
    }
    if (m_refreshAt <= now)
    {
        m_refreshAt = now + GetRefreshTicks();
        SendPfc(m_pausing, m_pauseQuanta, now);
    }
    next = std::min(next, m_refreshAt);
    if (next != FabricEventQueue::NEVER)
    {
        ArmPauseTimer(next);
    }
    if (resumed)
    {
        Kick(now);
    }
}

// -- looking

FabricPortCounters
FabricPort::GetCounters() const
{
    FabricPortCounters counters = m_counters;
    const FabricPortCounters& sent = m_peer->m_counters;
    counters.rxFrames = sent.txFrames;
    counters.rxBytes = sent.txBytes;
    counters.rxDataFrames = sent.txDataFrames - m_counters.lostDataFrames;
    counters.rxDataBytes = sent.txDataBytes - m_counters.lostDataBytes;
    counters.rxDataPayload = sent.txDataPayload - m_counters.lostDataPayload;
    for (const Frame* frame = m_wire.Front(); frame; frame = frame->next)
    {
        // Still on its way.
        --counters.rxFrames;
        counters.rxBytes -= frame->bytes;
        if (frame->kind <= FrameKind::READ_RESPONSE)
        {
            --counters.rxDataFrames;
            counters.rxDataBytes -= frame->bytes;
            counters.rxDataPayload -= frame->payload;
        }
    }
    return counters;
}

uint64_t
FabricPort::GetQueueBytes() const
{
    uint64_t sum = 0;
    for (const ClassQueue& queue : m_queues)
    {
        sum += queue.bytes;
    }
    return sum;
}

std::string
FabricPort::GetLabel() const
{
    if (!m_node)
    {
        return "port " + std::to_string(m_portId);
    }
    const std::string name = Names::FindName(m_node);
    return (name.empty() ? "node" + std::to_string(m_node->GetId()) : name) + ":" +
           std::to_string(m_ifIndex);
}

void
FabricPort::NotifyDrop(const Frame& frame, DropReason reason)
{
    ++m_counters.drops;
    if (frame.kind <= FrameKind::READ_RESPONSE)
    {
        m_counters.dropPayload += frame.payload;
    }
    m_dropTrace(this, frame, reason);
    if (m_sinks & EVENT_SINK)
    {
        m_phyRxDropTrace(MakeWirePacket(frame, *m_fabric, false, m_address));
    }
}

void
FabricPort::Drop(Frame* frame, DropReason reason)
{
    NotifyDrop(*frame, reason);
    if (frame->kind == FrameKind::PACKET)
    {
        frame->packet->Unref();
    }
    m_fabric->GetFramePool().Free(frame);
}

void
FabricPort::TraceTransmit(const Frame& frame, int64_t)
{
    Ptr<const Packet> packet = MakeWirePacket(frame, *m_fabric, false, m_address);
    m_macTxTrace(packet);
    m_promiscSnifferTrace(packet);
    m_snifferTrace(packet);
    m_phyTxBeginTrace(packet);
    m_phyTxEndTrace(packet);
}

void
FabricPort::TraceReceive(const Frame& frame)
{
    Ptr<const Packet> packet = MakeWirePacket(frame, *m_fabric, false, m_peer->m_address);
    m_phyRxEndTrace(packet);
    m_promiscSnifferTrace(packet);
    m_snifferTrace(packet);
    m_macPromiscRxTrace(packet);
    m_macRxTrace(packet);
}

} // namespace llm
} // namespace ns3
