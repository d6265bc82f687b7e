/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Trouble of a port: its link goes down and up, changes its rate, loses frames.

#include "fabric-ecn-marker.h"
#include "fabric-loss-model.h"
#include "fabric-port.h"
#include "fabric-switch.h"
#include "llm-fabric.h"

#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

void
FabricPort::UpdateFaulty()
{
    const bool faulty = m_loss || m_doomed > 0;
    m_rare = static_cast<uint8_t>(faulty ? m_rare | FAULTY : m_rare & ~FAULTY);
}

Ptr<FabricLossModel>
FabricPort::GetLossModel() const
{
    return m_loss;
}

bool
FabricPort::Lose(Frame* frame)
{
    const bool cut = m_doomed > 0;
    if (!cut && !(m_loss && m_loss->IsLost(*frame)))
    {
        return false;
    }
    if (frame->kind <= FrameKind::READ_RESPONSE)
    {
        ++m_counters.lostDataFrames;
        m_counters.lostDataBytes += frame->bytes;
        m_counters.lostDataPayload += frame->payload;
    }
    if (cut)
    {
        --m_doomed;
        UpdateFaulty();
    }
    Drop(frame, cut ? DropReason::LINK_DOWN : DropReason::LOSS_MODEL);
    return true;
}

void
FabricPort::SetRate(DataRate rate)
{
    if (rate.GetBitRate() == 0)
    {
        throw ConfigError(GetLabel(), "rate", "is 0; take the link down instead");
    }
    FabricEntry entry(*m_events);
    const int64_t now = m_events->Now();
    for (FabricPort* port : {this, m_peer})
    {
        port->m_clock.SetRate(rate.GetBitRate(), Seconds(1).GetTimeStep());
        port->NotifyEndpoint(now);
    }
}

void
FabricPort::SetLinkUp(bool up)
{
    m_wantedUp = up;
    m_peer->m_wantedUp = up;
    if (UpdateLink())
    {
        m_fabric->LinksChanged({this});
    }
}

bool
FabricPort::UpdateLink()
{
    const auto works = [](const FabricPort& port) {
        return port.m_wantedUp && (!port.m_switch || port.m_switch->IsUp());
    };
    const bool up = works(*this) && works(*m_peer);
    if (up == IsLinkUp())
    {
        return false;
    }
    FabricEntry entry(*m_events);
    const int64_t now = m_events->Now();
    // Both ends know before either acts: what one sends, the other must be there to receive.
    for (FabricPort* port : {this, m_peer})
    {
        port->m_rare ^= LINK_DOWN;
    }
    for (FabricPort* port : {this, m_peer})
    {
        if (up)
        {
            port->RestoreLink(now);
        }
        else
        {
            port->CutLink(now);
        }
    }
    for (FabricPort* port : {this, m_peer})
    {
        port->NotifyEndpoint(now);
        port->m_linkChangeCallbacks();
    }
    return true;
}

void
FabricPort::NotifyEndpoint(int64_t now)
{
    if (m_endpoint)
    {
        m_endpoint->LinkChanged(IsLinkUp(), now);
    }
}

bool
FabricPort::FollowLink()
{
    const bool up = IsLinkUp();
    if (m_routed == up && m_peer->m_routed == up)
    {
        return false;
    }
    m_routed = up;
    m_peer->m_routed = up;
    return true;
}

void
FabricPort::CutLink(int64_t now)
{
    ++m_counters.linkDowns;
    m_doomed = 0;
    for (const Frame* frame = m_wire.Front(); frame; frame = frame->next)
    {
        ++m_doomed;
    }
    UpdateFaulty();
    for (uint8_t c = 0; c < 8; ++c)
    {
        if (m_paused & Bit(c))
        {
            EndPause(c, now);
        }
        m_pausedUntil[c] = FabricEventQueue::NEVER;
    }
    m_paused = 0xFF; // nothing is eligible, until the link is up
    m_refreshAt = FabricEventQueue::NEVER;
    while (!m_control.IsEmpty())
    {
        Drop(m_control.Pop(), DropReason::LINK_DOWN);
    }
    for (uint8_t c = 0; c < 8; ++c)
    {
        if (m_waiting & Bit(c))
        {
            Discard(c, now);
        }
    }
}

void
FabricPort::RestoreLink(int64_t now)
{
    m_paused = m_discarding; // what the PFC watchdog drops, it still drops
    m_pausedSince.fill(now);
    if (m_pausing)
    {
        m_refreshAt = now + GetRefreshTicks();
        ArmPauseTimer(m_refreshAt);
        SendPfc(m_pausing, m_pauseQuanta, now);
    }
    Kick(now);
}

} // namespace llm
} // namespace ns3
