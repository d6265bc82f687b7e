/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-ip-fields.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"

#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint8_t ECN_CE = 3;           //!< congestion experienced
constexpr uint8_t ICMPV6_PROTOCOL = 58; //!< next header

/** @param protocol of layer 4. @param body packet without its IP header. @return hash. */
uint16_t
FlowEntropy(uint8_t protocol, const Ptr<const Packet>& body)
{
    uint8_t ports[4] = {0, 0, 0, 0};
    body->CopyData(ports, sizeof(ports));
    uint32_t x = protocol;
    for (const uint8_t byte : ports)
    {
        x = x * 31 + byte;
    }
    x *= 0x9e3779b1U;
    return static_cast<uint16_t>(x >> 16);
}

} // namespace

bool
FabricIpFields::Read(const Ptr<const Packet>& packet, uint16_t protocol)
{
    Ptr<Packet> body = packet->Copy();
    m_isIpv6 = protocol == IPV6_PROTOCOL;
    if (protocol == IPV4_PROTOCOL)
    {
        Ipv4Header header;
        body->RemoveHeader(header);
        m_trafficClass = header.GetTos();
        m_ttl = header.GetTtl();
        m_protocol = header.GetProtocol();
        m_ipv4 = header.GetDestination();
    }
    else if (protocol == IPV6_PROTOCOL)
    {
        Ipv6Header header;
        body->RemoveHeader(header);
        m_trafficClass = header.GetTrafficClass();
        m_ttl = header.GetHopLimit();
        m_protocol = header.GetNextHeader();
        m_ipv6 = header.GetDestination();
    }
    else
    {
        return false;
    }
    m_entropy = FlowEntropy(m_protocol, body);
    return true;
}

bool
FabricIpFields::IsMulticast() const
{
    return m_isIpv6 ? m_ipv6.IsMulticast() : m_ipv4.IsMulticast() || m_ipv4.IsBroadcast();
}

bool
FabricIpFields::IsIpv6Housekeeping() const
{
    // Multicast listener reports have a hop-by-hop header (0) in front.
    return m_isIpv6 && m_ipv6.IsMulticast() && (m_protocol == ICMPV6_PROTOCOL || m_protocol == 0);
}

std::string
FabricIpFields::GetDestinationText() const
{
    std::ostringstream text;
    if (m_isIpv6)
    {
        text << m_ipv6;
    }
    else
    {
        text << m_ipv4;
    }
    return text.str();
}

void
FabricIpFields::Update(const Ptr<Packet>& packet, uint16_t protocol, uint8_t ttl, bool marked)
{
    if (protocol == IPV4_PROTOCOL)
    {
        uint8_t start[12];
        packet->CopyData(start, sizeof(start));
        Ipv4Header header;
        packet->RemoveHeader(header);
        if (start[10] != 0 || start[11] != 0) // ns-3 leaves 0 unless asked for checksums
        {
            header.EnableChecksum();
        }
        header.SetTtl(ttl);
        if (marked)
        {
            header.SetEcn(Ipv4Header::ECN_CE);
        }
        packet->AddHeader(header);
    }
    else if (protocol == IPV6_PROTOCOL)
    {
        Ipv6Header header;
        packet->RemoveHeader(header);
        header.SetHopLimit(ttl);
        if (marked)
        {
            header.SetTrafficClass(static_cast<uint8_t>(header.GetTrafficClass() | ECN_CE));
        }
        packet->AddHeader(header);
    }
}

} // namespace llm
} // namespace ns3
