/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-port.h"

#include "fabric-channel.h"
#include "fabric-ecn-marker.h"
#include "fabric-loss-model.h"
#include "fabric-pfc-watchdog.h"
#include "fabric-switch.h"
#include "llm-fabric.h"

#include "ns3/llm-config-error.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

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

} // namespace

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
    for (FrameFifo* way : {&m_wire, &m_pipeline})
    {
        while (!way->IsEmpty())
        {
            Frame* frame = way->Pop();
            if (frame->kind == FrameKind::PACKET)
            {
                frame->packet->Unref();
            }
        }
    }
    m_node = nullptr;
    m_channel = nullptr;
    m_marker = nullptr;
    if (m_watchdog)
    {
        m_watchdog->Dispose();
    }
    m_watchdog = nullptr;
    m_loss = nullptr;
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
    if (fabric->IsFlooring())
    {
        m_clock.FloorNanoseconds();
    }
    const uint32_t node = m_node->GetId();
    m_portNumber = static_cast<uint32_t>(fabric->GetPorts().size());
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
        marker->Configure(m_clock.GetBitRate(), m_portNumber, m_fabric->GetRandomKey());
        m_ecnFloor = marker->GetFloor();
    }
}

void
FabricPort::SetLossModel(Ptr<FabricLossModel> model)
{
    m_loss = model;
    if (model)
    {
        model->Configure(m_portNumber, m_fabric->GetRandomKey());
    }
    UpdateFaulty();
}

// -- FramePort

void
FabricPort::SetEndpoint(FrameEndpoint* endpoint)
{
    if (endpoint && m_endpoint && endpoint != m_endpoint)
    {
        throw ConfigError(GetLabel(), "", "has an RDMA transport already; a port serves one");
    }
    m_endpoint = endpoint;
}

void
FabricPort::SendFrame(Frame* frame, int64_t now)
{
    Enqueue(frame);
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
    return m_rare & LINK_DOWN ? 0 : m_paused;
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

bool
FabricPort::CanReach(uint32_t endpoint) const
{
    return IsLinkUp() && m_peer->IsLinkUp() &&
           (m_peer->m_switch ? m_peer->m_switch->HasRoute(endpoint)
                             : m_peer->m_endpointIndex == endpoint);
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
    case FabricEventKind::FORWARD:
        LeavePipeline(now);
        break;
    default:
        HandlePauseTimer(now);
        break;
    }
}

void
FabricPort::Receive(Frame* frame, int64_t now)
{
    if ((m_rare & (RECEIVE_SINK | PIPELINE | FAULTY)) && ReceiveRarely(frame, now))
    {
        return;
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
    Enqueue(frame);
    Kick(now);
}

void
FabricPort::Enqueue(Frame* frame)
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
    if (m_rare & (QUEUE_SINK | DISCARDING | LINK_DOWN))
    {
        EnqueueRarely(c);
    }
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
    if (m_rare & QUEUE_SINK)
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
            m_deficit[m_turn] += m_quantum[m_turn];
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
    if ((frame->flags & Frame::INT) && frame->kind <= FrameKind::READ_RESPONSE && m_switch)
    {
        AppendInt(*frame, now);
    }
    const uint32_t wireBytes = frame->WireBytes();
    const int64_t end = m_clock.Transmit(now, wireBytes);
    m_bytesSent += wireBytes;
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
    frame->time = end + m_delay;
    if (m_rare & (TRANSMIT_SINK | EARLY_PEER))
    {
        TransmitRarely(*frame);
    }
    FrameFifo& wire = m_peer->m_wire;
    if (wire.IsEmpty())
    {
        m_events->ScheduleAt(frame->time, FabricEventKind::ARRIVAL, m_peer->m_portId);
    }
    wire.Push(frame);
}

void
FabricPort::AppendInt(Frame& frame, int64_t now) const
{
    FramePool::AppendInt(
        frame,
        {now, m_clock.GetBitRate(), m_bytesSent, m_queues[frame.trafficClass].bytes});
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

} // namespace llm
} // namespace ns3
