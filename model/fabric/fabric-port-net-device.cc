/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The ns-3 side of a port: NetDevice, and ordinary packets that share its queues with RDMA.

#include "fabric-channel.h"
#include "fabric-ecn-marker.h"
#include "fabric-loss-model.h"
#include "fabric-port.h"
#include "fabric-switch.h"
#include "llm-fabric.h"
#include "roce-wire.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmFabricPortNetDevice");

namespace
{

/** @param header of a packet. @param packet without it. @return hash for the UDP source port. */
uint16_t
FlowEntropy(const Ipv4Header& header, const Ptr<const Packet>& packet)
{
    uint8_t ports[4] = {0, 0, 0, 0};
    packet->CopyData(ports, sizeof(ports));
    uint32_t x = header.GetProtocol();
    for (const uint8_t byte : ports)
    {
        x = x * 31 + byte;
    }
    x *= 0x9e3779b1U;
    return static_cast<uint16_t>(x >> 16);
}

} // namespace

bool
FabricPort::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
FabricPort::SendFrom(Ptr<Packet> packet, const Address&, const Address&, uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << protocolNumber);
    if (m_switch || protocolNumber != Ipv4L3Protocol::PROT_NUMBER)
    {
        // A fabric forwards by IPv4 destination; other protocols have no route.
        m_macTxDropTrace(packet);
        return false;
    }
    Ipv4Header header;
    packet->PeekHeader(header);
    const uint32_t destination = m_fabric->FindEndpoint(header.GetDestination());
    const uint32_t bytes =
        std::max<uint32_t>(wire::MIN_FRAME, wire::ETHERNET + packet->GetSize() + wire::FCS);
    if (destination == UINT32_MAX || destination == m_endpointIndex || packet->GetSize() > m_mtu)
    {
        m_macTxDropTrace(packet);
        return false;
    }
    FabricEntry entry(*m_events);
    const int64_t now = m_events->Now();
    const uint8_t trafficClass = m_fabric->GetTrafficClass(header.GetDscp());
    if (m_queues[trafficClass].bytes + bytes > m_packetQueueLimit)
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
    const Ipv4Header::EcnType ecn = header.GetEcn();
    frame->flags = static_cast<uint8_t>((ecn != Ipv4Header::ECN_NotECT ? Frame::ECT : 0) |
                                        (ecn == Ipv4Header::ECN_CE ? Frame::CE : 0));
    frame->ttl = header.GetTtl();
    frame->bytes = static_cast<uint16_t>(bytes);
    frame->payload = 0;
    Ptr<Packet> body = packet->Copy();
    body->RemoveHeader(header);
    frame->entropy = FlowEntropy(header, body);
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
    return m_peer != nullptr;
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
    return true; // ns-3's parallel simulators look for lookahead on such links only
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
    return false; // the fabric forwards by IPv4 destination
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
