/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Priority flow control of a port: pause frames out and in, their timers and refreshes.

#include "fabric-pfc-watchdog.h"
#include "fabric-port.h"
#include "fabric-switch.h"
#include "llm-fabric.h"

#include "ns3/node.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

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
    if (m_rare & LINK_DOWN)
    {
        return; // RestoreLink says what still holds
    }
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
        if (m_watchdog && m_watchdog->TakePause(c, quanta, now))
        {
            continue; // it has taken the class away from the peer
        }
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
            m_fabric->NotePause(now);
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
FabricPort::SetPfcWatchdog(Ptr<FabricPfcWatchdog> watchdog)
{
    m_watchdog = watchdog;
    if (watchdog)
    {
        watchdog->Configure(this, *m_events, m_node->GetId());
    }
}

void
FabricPort::BeginDiscard(uint8_t trafficClass, int64_t now)
{
    m_discarding |= Bit(trafficClass);
    m_rare |= DISCARDING;
    Discard(trafficClass, now);
}

void
FabricPort::EndDiscard(uint8_t trafficClass, int64_t now)
{
    m_discarding &= static_cast<uint8_t>(~Bit(trafficClass));
    if (!m_discarding)
    {
        m_rare &= static_cast<uint8_t>(~DISCARDING);
    }
    IgnorePause(trafficClass, now);
}

void
FabricPort::IgnorePause(uint8_t trafficClass, int64_t now)
{
    if (GetPausedClasses() & Bit(trafficClass))
    {
        EndPause(trafficClass, now);
        Kick(now);
    }
}

void
FabricPort::NoteStorm(uint8_t trafficClass, bool begins)
{
    ++(begins ? m_counters.pfcStorms : m_counters.pfcStormsEnded);
    m_stormTrace(this, trafficClass, begins);
}

void
FabricPort::Discard(uint8_t trafficClass, int64_t now)
{
    ClassQueue& queue = m_queues[trafficClass];
    const DropReason reason = m_rare & LINK_DOWN ? DropReason::LINK_DOWN : DropReason::PFC_STORM;
    while (!queue.frames.IsEmpty())
    {
        Frame* frame = queue.frames.Pop();
        queue.bytes -= frame->bytes;
        if (m_switch)
        {
            m_switch->Departing(*frame, m_portIndex, now);
        }
        Drop(frame, reason);
    }
    m_waiting &= static_cast<uint8_t>(~Bit(trafficClass));
    m_queueTrace(this, trafficClass, 0);
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
        if (!(m_paused & Bit(c)) || (m_discarding & Bit(c)))
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

} // namespace llm
} // namespace ns3
