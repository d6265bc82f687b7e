/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_IP_FIELDS_H
#define FABRIC_IP_FIELDS_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What a fabric reads of a packet of the ordinary ns-3 stack, IPv4 or IPv6, and what its switches
 * write into it.
 */
class FabricIpFields
{
  public:
    static constexpr uint16_t IPV4_PROTOCOL = 0x0800; //!< EtherType
    static constexpr uint16_t IPV6_PROTOCOL = 0x86DD; //!< EtherType

    /**
     * Read the header.
     * @param packet layer 3 packet.
     * @param protocol EtherType.
     * @return false if it is neither IPv4 nor IPv6; nothing else may be asked then.
     */
    bool Read(const Ptr<const Packet>& packet, uint16_t protocol);

    /** @return true for IPv6. */
    bool IsIpv6() const
    {
        return m_isIpv6;
    }

    /** @return destination; IPv4 only. */
    Ipv4Address GetIpv4() const
    {
        return m_ipv4;
    }

    /** @return destination; IPv6 only. */
    Ipv6Address GetIpv6() const
    {
        return m_ipv6;
    }

    /** @return DSCP, the upper six bits of TOS or traffic class. */
    uint8_t GetDscp() const
    {
        return m_trafficClass >> 2;
    }

    /** @return true if the packet may be marked instead of dropped (RFC 3168). */
    bool IsEcnCapable() const
    {
        return (m_trafficClass & 3) != 0;
    }

    /** @return true if it is marked. */
    bool IsMarked() const
    {
        return (m_trafficClass & 3) == 3;
    }

    /** @return TTL or hop limit. */
    uint8_t GetTtl() const
    {
        return m_ttl;
    }

    /** @return hash of protocol and ports, alike for all packets of a flow. */
    uint16_t GetEntropy() const
    {
        return m_entropy;
    }

    /** @return true if it goes to many: broadcast or multicast. */
    bool IsMulticast() const;
    /** @return true for what an IPv6 stack says to its link by itself: neighbour and router
     *  discovery, multicast listener reports (RFC 4861, RFC 3810). */
    bool IsIpv6Housekeeping() const;
    /** @return destination, for people. */
    std::string GetDestinationText() const;

    /**
     * Write what happened on the way; a checksum that was computed is computed again.
     * @param packet layer 3 packet, changed.
     * @param protocol EtherType; of any other protocol nothing changes.
     * @param ttl hops that are left.
     * @param marked whether it was marked.
     */
    static void Update(const Ptr<Packet>& packet, uint16_t protocol, uint8_t ttl, bool marked);

  private:
    bool m_isIpv6{false};      //!< else IPv4
    uint8_t m_trafficClass{0}; //!< TOS or traffic class
    uint8_t m_ttl{0};          //!< or hop limit
    uint8_t m_protocol{0};     //!< of layer 4
    uint16_t m_entropy{0};     //!< of the flow
    Ipv4Address m_ipv4;        //!< destination
    Ipv6Address m_ipv6;        //!< destination
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_IP_FIELDS_H
