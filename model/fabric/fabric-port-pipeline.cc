/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What is not ordinary on a frame's way in and out: trace sinks, a switch that takes time, or that
// forwards before the last bit has come.

#include "fabric-port.h"
#include "fabric-switch.h"
#include "llm-fabric.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

void
FabricPort::SetPipeline(uint32_t earlyBytes)
{
    m_earlyBytes = earlyBytes;
    m_pipelineId = m_events->Register(FabricEventKind::FORWARD, this, m_node->GetId(), &m_pipeline);
    m_rare |= PIPELINE;
    if (earlyBytes)
    {
        m_peer->m_rare |= EARLY_PEER;
    }
}

void
FabricPort::TransmitRarely(Frame& frame)
{
    if (m_rare & TRANSMIT_SINK)
    {
        TraceTransmit(frame);
    }
    if ((m_rare & EARLY_PEER) && frame.WireBytes() > m_peer->m_earlyBytes)
    {
        frame.time -= m_clock.GetTicks(frame.WireBytes() - m_peer->m_earlyBytes);
    }
}

bool
FabricPort::ReceiveRarely(Frame* frame, int64_t now)
{
    if ((m_rare & FAULTY) && Lose(frame))
    {
        return true;
    }
    if (m_rare & RECEIVE_SINK)
    {
        TraceReceive(*frame);
    }
    if (!(m_rare & PIPELINE) || frame->kind == FrameKind::PFC)
    {
        return false;
    }
    int64_t last = now;
    if (m_earlyBytes && frame->WireBytes() > m_earlyBytes)
    {
        last += m_peer->m_clock.GetTicks(frame->WireBytes() - m_earlyBytes);
    }
    m_switch->ReceiveEarly(frame, this, now, last);
    return true;
}

void
FabricPort::Defer(Frame* frame, uint32_t egress, int64_t ready)
{
    const int64_t now = m_events->Now();
    if (ready <= now && m_pipeline.IsEmpty())
    {
        m_switch->GetPorts()[egress]->Forward(frame, now);
        return;
    }
    frame->time = ready;
    frame->ingress = static_cast<uint16_t>(egress);
    if (m_pipeline.IsEmpty())
    {
        m_events->ScheduleAt(ready, FabricEventKind::FORWARD, m_pipelineId);
    }
    m_pipeline.Push(frame);
}

void
FabricPort::LeavePipeline(int64_t now)
{
    Frame* frame = m_pipeline.Pop();
    if (!m_pipeline.IsEmpty())
    {
        m_events->ScheduleAt(std::max(now, m_pipeline.Front()->time),
                             FabricEventKind::FORWARD,
                             m_pipelineId);
    }
    FabricPort* egress = m_switch->GetPorts()[frame->ingress];
    frame->ingress = static_cast<uint16_t>(m_portIndex);
    egress->Forward(frame, now);
}

void
FabricPort::EnqueueRarely(uint8_t trafficClass)
{
    m_queueTrace(this, trafficClass, m_queues[trafficClass].bytes);
    if ((m_discarding & Bit(trafficClass)) || (m_rare & LINK_DOWN))
    {
        Discard(trafficClass, m_events->Now());
    }
}

void
FabricPort::NoteTrim(const Frame& frame, uint32_t payload)
{
    ++m_counters.trims;
    m_counters.trimPayload += payload;
    m_trimTrace(this, frame, payload);
}

std::vector<uint16_t>
FabricPort::GetQueuedFrom(uint8_t trafficClass) const
{
    std::vector<uint16_t> ports;
    for (const Frame* frame = m_queues[trafficClass].frames.Front(); frame; frame = frame->next)
    {
        ports.push_back(frame->ingress);
    }
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    return ports;
}

uint64_t
FabricPort::GetPipelineBytes() const
{
    uint64_t sum = 0;
    for (const Frame* frame = m_pipeline.Front(); frame; frame = frame->next)
    {
        sum += frame->bytes;
    }
    return sum;
}

} // namespace llm
} // namespace ns3
