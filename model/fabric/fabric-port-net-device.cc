/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The ns-3 side of a port: NetDevice, and ordinary packets that share its queues with RDMA.

#include "fabric-channel.h"
#include "fabric-ecn-marker.h"
#include "fabric-ip-fields.h"
#include "fabric-loss-model.h"
#include "fabric-port.h"
#include "fabric-switch.h"
#include "llm-fabric.h"
#include "roce-wire.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#endif

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmFabricPortNetDevice");

bool
FabricPort::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
FabricPort::SendFrom(Ptr<Packet> packet, const Address&, const Address&, uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << protocolNumber);
    // A fabric forwards by IP destination; other protocols have no route, and nothing goes to many.
    FabricIpFields fields;
    const bool isIp = !m_switch && fields.Read(packet, protocolNumber);
    const uint32_t destination = isIp ? m_fabric->GetAddresses().Find(fields) : UINT32_MAX;
    const uint32_t bytes =
        std::max<uint32_t>(wire::MIN_FRAME, wire::ETHERNET + packet->GetSize() + wire::FCS);
    if (destination == UINT32_MAX || destination == m_endpointIndex || packet->GetSize() > m_mtu)
    {
        if (!isIp || !fields.IsIpv6Housekeeping())
        {
            ++m_counters.drops;
            NS_LOG_WARN(GetLabel() << " cannot send " << packet->GetSize() << " B to "
                                   << (isIp ? fields.GetDestinationText() : "no IP address")
                                   << ": it goes to one endpoint or to what a gateway announces");
        }
        m_macTxDropTrace(packet);
        return false;
    }
    FabricEntry entry(*m_events);
    const int64_t now = m_events->Now();
    const uint8_t trafficClass = m_fabric->GetTrafficClass(fields.GetDscp());
    if (m_queues[trafficClass].bytes + bytes > m_packetQueueLimit || (m_rare & LINK_DOWN))
    {
        m_macTxDropTrace(packet);
        ++m_counters.drops;
        return false;
    }
    Frame* frame = m_fabric->GetFramePool().Allocate();
    packet->Ref();
    frame->packet = PeekPointer(packet);
    frame->kind = FrameKind::PACKET;
    frame->trafficClass = trafficClass;
    frame->flags = static_cast<uint8_t>((fields.IsEcnCapable() ? Frame::ECT : 0) |
                                        (fields.IsMarked() ? Frame::CE : 0));
    frame->ttl = fields.GetTtl();
    frame->bytes = static_cast<uint16_t>(bytes);
    frame->payload = 0;
    frame->entropy = fields.GetEntropy();
    frame->ingress = 0;
    frame->source = m_endpointIndex;
    frame->destination = destination;
    frame->queuePair = 0;
    frame->psn = 0;
    frame->messageBytes = protocolNumber;
    frame->offset = 0;
    SendFrame(frame, now);
    return true;
}

void
FabricPort::DeliverPacket(Frame* frame)
{
    Ptr<Packet> packet = MakeLayer3Packet(*frame);
    frame->packet->Unref();
    const auto protocol = static_cast<uint16_t>(frame->messageBytes);
    const Mac48Address from = m_fabric->GetMac(frame->source);
    m_fabric->GetFramePool().Free(frame);
    // In the node's own context and behind the fabric's events of this instant, on every back end.
    // The node's stack sits on the first port, whichever a packet came in by.
    Simulator::ScheduleWithContext(m_node->GetId(),
                                   Time(0),
                                   &FabricPort::ReceivePacket,
                                   m_fabric->GetEndpointPort(m_endpointIndex),
                                   packet,
                                   protocol,
                                   from);
}

void
FabricPort::ReceivePacket(Ptr<Packet> packet, uint16_t protocol, Mac48Address from)
{
    if (!m_promiscCallback.IsNull())
    {
        m_promiscCallback(this, packet, protocol, from, m_address, NetDevice::PACKET_HOST);
    }
    if (!m_receiveCallback.IsNull())
    {
        m_receiveCallback(this, packet, protocol, from);
    }
}

void
FabricPort::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricPort::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricPort::GetChannel() const
{
    return m_channel;
}

void
FabricPort::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricPort::GetAddress() const
{
    return m_address;
}

bool
FabricPort::SetMtu(const uint16_t mtu)
{
    // Headroom is computed for Fabric::MaxPacket; a longer packet could overrun it.
    if (m_fabric && mtu > m_fabric->GetMaxPacket())
    {
        return false;
    }
    m_mtu = mtu;
    return true;
}

uint16_t
FabricPort::GetMtu() const
{
    return m_mtu;
}

bool
FabricPort::IsLinkUp() const
{
    return m_peer && !(m_rare & LINK_DOWN);
}

void
FabricPort::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChangeCallbacks.ConnectWithoutContext(callback);
}

bool
FabricPort::IsBroadcast() const
{
    return true;
}

Address
FabricPort::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricPort::IsMulticast() const
{
    return false;
}

Address
FabricPort::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
FabricPort::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
FabricPort::IsBridge() const
{
    return false;
}

bool
FabricPort::IsPointToPoint() const
{
    // ns-3's parallel simulators look for lookahead on such links only. Its global routing takes
    // the node at the other end of such a link for a router, and else the port for a stub network,
    // as which a gateway's ordinary neighbours learn of the fabric.
#ifdef NS3_MPI
    return MpiInterface::IsEnabled();
#else
    return false;
#endif
}

Ptr<Node>
FabricPort::GetNode() const
{
    return m_node;
}

void
FabricPort::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FabricPort::NeedsArp() const
{
    return false; // the fabric forwards by IP destination
}

void
FabricPort::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_receiveCallback = cb;
}

void
FabricPort::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb)
{
    m_promiscCallback = cb;
}

bool
FabricPort::SupportsSendFrom() const
{
    return true;
}

} // namespace llm
} // namespace ns3
