/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-delay-port.h"

namespace ns3
{
namespace llm
{

RdmaDelayPort::RdmaDelayPort(FramePort* port, uint32_t nodeId, const RdmaNicDelays& delays)
    : m_port(port),
      m_eventId(port->GetEventQueue().Register(FabricEventKind::NIC_TIMER, this, nodeId))
{
    m_received.delay = delays.receiveTicks;
    m_acks.delay = delays.ackTicks;
    m_cnps.delay = delays.cnpTicks;
}

void
RdmaDelayPort::Enter(Line& line, Frame* frame, int64_t now)
{
    frame->time = now + line.delay;
    line.frames.Push(frame);
    GetEventQueue().ScheduleAt(frame->time, FabricEventKind::NIC_TIMER, m_eventId);
}

Frame*
RdmaDelayPort::Leave(Line& line, int64_t now)
{
    return line.frames.IsEmpty() || line.frames.Front()->time > now ? nullptr : line.frames.Pop();
}

void
RdmaDelayPort::HandleFabricEvent(FabricEventKind, int64_t now)
{
    while (Frame* frame = Leave(m_received, now))
    {
        m_endpoint->ReceiveFrame(frame, now);
    }
    for (Line* line : {&m_acks, &m_cnps})
    {
        while (Frame* frame = Leave(*line, now))
        {
            m_port->SendFrame(frame, now);
        }
    }
}

void
RdmaDelayPort::SendFrame(Frame* frame, int64_t now)
{
    Line& line = frame->kind == FrameKind::CNP ? m_cnps : m_acks;
    if (line.delay == 0)
    {
        m_port->SendFrame(frame, now);
        return;
    }
    Enter(line, frame, now);
}

void
RdmaDelayPort::ReceiveFrame(Frame* frame, int64_t now)
{
    if (m_received.delay == 0)
    {
        m_endpoint->ReceiveFrame(frame, now);
        return;
    }
    Enter(m_received, frame, now);
}

void
RdmaDelayPort::SetEndpoint(FrameEndpoint* endpoint)
{
    m_endpoint = endpoint;
    m_port->SetEndpoint(endpoint ? this : nullptr);
}

Frame*
RdmaDelayPort::PullFrame(uint8_t trafficClass, int64_t now, bool& more)
{
    return m_endpoint->PullFrame(trafficClass, now, more);
}

void
RdmaDelayPort::LinkChanged(bool up, int64_t now)
{
    m_endpoint->LinkChanged(up, now);
}

void
RdmaDelayPort::DataReady(uint8_t classes, int64_t now)
{
    m_port->DataReady(classes, now);
}

int64_t
RdmaDelayPort::GetBusyUntil() const
{
    return m_port->GetBusyUntil();
}

int64_t
RdmaDelayPort::GetTransmitTicks(uint32_t wireBytes) const
{
    return m_port->GetTransmitTicks(wireBytes);
}

uint64_t
RdmaDelayPort::GetBitRate() const
{
    return m_port->GetBitRate();
}

uint8_t
RdmaDelayPort::GetPausedClasses() const
{
    return m_port->GetPausedClasses();
}

FramePool&
RdmaDelayPort::GetFramePool()
{
    return m_port->GetFramePool();
}

int64_t
RdmaDelayPort::GetDelay() const
{
    return m_port->GetDelay();
}

FabricEventQueue&
RdmaDelayPort::GetEventQueue()
{
    return m_port->GetEventQueue();
}

uint32_t
RdmaDelayPort::GetEndpointIndex() const
{
    return m_port->GetEndpointIndex();
}

bool
RdmaDelayPort::CanReach(uint32_t endpoint) const
{
    return m_port->CanReach(endpoint);
}

} // namespace llm
} // namespace ns3
