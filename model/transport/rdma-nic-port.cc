/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic-port.h"

#include "rdma-nic.h"

#include "ns3/llm-philox.h"

namespace ns3
{
namespace llm
{

RdmaNicPort::RdmaNicPort(RdmaNic* nic, FramePort* port, int32_t quantum)
    : m_nic(nic),
      m_port(port),
      m_quantum(quantum)
{
    m_bitRate = port->GetBitRate();
    port->SetEndpoint(this);
}

void
RdmaNicPort::Insert(RdmaQueuePair& qp, int64_t now)
{
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
RdmaNicPort::Retire(ReadyRing& ring, bool maySend)
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
        m_nic->AddTimer(qp.m_paceAt, qp.m_number, RdmaNic::TimerKind::PACE);
    }
}

void
RdmaNicPort::Remove(RdmaQueuePair& qp)
{
    ReadyRing& ring = m_rings[qp.m_trafficClass];
    RdmaQueuePair* before = &qp;
    while (before->m_readyNext != &qp)
    {
        before = before->m_readyNext;
    }
    before->m_readyNext = qp.m_readyNext;
    if (ring.last == &qp)
    {
        ring.last = before == &qp ? nullptr : before;
    }
    qp.m_ready = false;
}

Frame*
RdmaNicPort::PullFrame(uint8_t trafficClass, int64_t now, bool& more)
{
    ReadyRing& ring = m_rings[trafficClass];
    while (ring.last)
    {
        RdmaQueuePair& qp = *ring.last->m_readyNext;
        const bool maySend = m_nic->MaySend(qp);
        if (!maySend || qp.m_nextSendAt > now)
        {
            Retire(ring, maySend);
            continue;
        }
        Frame* frame = m_nic->BuildData(qp, now);
        const uint32_t wireBytes = frame->WireBytes();
        // Alone in the ring, it need not stay there if it cannot follow itself at once.
        if (ring.last == &qp)
        {
            const bool again = m_nic->MaySend(qp);
            if (!again || qp.m_nextSendAt > now + m_port->GetTransmitTicks(wireBytes))
            {
                Retire(ring, again);
            }
        }
        else
        {
            qp.m_deficit -= static_cast<int32_t>(wireBytes);
            if (qp.m_deficit <= 0)
            {
                qp.m_deficit += m_quantum;
                ring.last = &qp; // its turn comes again behind all others
            }
        }
        more = ring.last != nullptr;
        return frame;
    }
    more = false;
    return nullptr;
}

void
RdmaNicPort::ReceiveFrame(Frame* frame, int64_t now)
{
    m_nic->m_arrival = this;
    m_nic->ReceiveFrame(frame, now);
}

void
RdmaNicPort::LinkChanged(bool, int64_t now)
{
    const bool otherRate = m_bitRate != m_port->GetBitRate();
    m_bitRate = m_port->GetBitRate();
    m_nic->Rebind(now, otherRate ? this : nullptr);
}

// -- queue pairs and ports

uint8_t
RdmaNic::SelectPort(const RdmaQueuePair& qp)
{
    const auto ports = static_cast<uint32_t>(m_ports.size());
    if (m_config.portSelection == PORT_ROUND_ROBIN)
    {
        return static_cast<uint8_t>(m_nextPort++ % ports);
    }
    const Philox hash(qp.m_localRank);
    return static_cast<uint8_t>(hash(qp.m_channel, qp.m_remoteRank)[0] % ports);
}

RdmaNicPort*
RdmaNic::FindPort(const RdmaQueuePair& qp) const
{
    std::size_t index = qp.m_homePort;
    for (std::size_t i = 0; i < m_ports.size(); ++i)
    {
        RdmaNicPort* port = m_ports[index].get();
        if (port->m_port->CanReach(qp.m_remoteEndpoint))
        {
            return port;
        }
        index = (index + 1) % m_ports.size();
    }
    return qp.m_nicPort; // where none leads there, it may as well stay
}

void
RdmaNic::Bind(RdmaQueuePair* local, RdmaQueuePair* peer)
{
    local->m_peer = peer;
    local->m_endpoint = GetPort()->GetEndpointIndex();
    local->m_remoteEndpoint = peer->m_nic->GetPort()->GetEndpointIndex();
    local->m_remoteNumber = peer->m_number;
    local->m_homePort = SelectPort(*local);
    local->m_nicPort = m_ports[local->m_homePort].get();
    local->m_nicPort = FindPort(*local);
    local->m_deficit = local->m_nicPort->m_quantum;
}

void
RdmaNic::Rebind(int64_t now, const RdmaNicPort* changed)
{
    for (const auto& qp : m_queuePairs)
    {
        RdmaNicPort* port = FindPort(*qp);
        if (port != qp->m_nicPort)
        {
            const bool ready = qp->m_ready;
            if (ready)
            {
                qp->m_nicPort->Remove(*qp);
            }
            qp->m_nicPort = port;
            if (ready)
            {
                port->Insert(*qp, now);
            }
            ++m_rebindings;
            ReadControl(*qp, now); // the rate of the port may be another
        }
        else if (port == changed)
        {
            // Pacing stops at the line rate; a congestion control that is content would leave it.
            ReadControl(*qp, now);
        }
        if (!port->m_port->CanReach(qp->m_remoteEndpoint))
        {
            GuardUnsent(*qp, now);
        }
    }
}

} // namespace llm
} // namespace ns3
