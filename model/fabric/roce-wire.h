/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_WIRE_H
#define ROCE_WIRE_H

#include "roce-address-book.h"

#include "ns3/fabric-frame.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/** IPv4 DSCP of each traffic class. */
using DscpTable = std::array<uint8_t, 8>;

/**
 * The customary table: class 3 is lossless RDMA (26, AF31), class 6 CNPs (48, CS6), the others
 * their class selector. The upper three bits are the class.
 */
constexpr DscpTable DEFAULT_DSCP{0, 8, 16, 26, 32, 40, 48, 56};

/** Endpoint index where it stands for everybody (destination of a broadcast). */
constexpr uint32_t BROADCAST_ENDPOINT = UINT32_MAX;

/**
 * @param frame kind, flags and payload count.
 * @return bytes of the Ethernet frame with FCS; PACKET: from the size of its packet.
 */
uint32_t ComputeFrameBytes(const Frame& frame);

/**
 * @ingroup llm-training
 *
 * The real bytes of a frame, for whoever looks: Ethernet, IPv4, UDP, BTH and what follows, with
 * right checksums and ICRC.
 *
 * What a Frame does not say is chosen so: payload byte k of a queue pair is k modulo 256; each
 * queue pair writes into one zero-based memory region whose R_Key is the QP number, so that the
 * virtual address is the offset; the IPv4 identification is the PSN's low half (the datagram is
 * never fragmented, RFC 6864); P_Key is 0xFFFF; AETH of a READ response carries MSN 0.
 *
 * Two things are not in the InfiniBand specification. A selective ACK or NAK has four bytes behind
 * the AETH: 1 if the packet that it is about arrived, 2 if it came trimmed, and its PSN. A WRITE
 * that carries an address although it is not the first of its message is shown as RDMA WRITE Only
 * of its own payload, as adapters with adaptive routing send it (while telemetry lengthens it, its
 * address is not shown: the bytes stand behind the ICRC).
 *
 * The FCS is left out by default, as in ns-3's other pcap files: a capture of a real port has
 * none either, and dissectors then need no hint.
 *
 * @param frame of any kind. PACKET: its packet is copied, with tags.
 * @param book addresses of frame.source and frame.destination; BROADCAST_ENDPOINT is not asked.
 * @param withFcs append the Ethernet CRC.
 * @param portAddress MAC address of the sending port: source of a PFC frame, unused otherwise.
 * @param dscp by traffic class.
 * @return a new packet of ComputeFrameBytes(frame) bytes, less 4 without FCS.
 */
Ptr<Packet> MakeWirePacket(const Frame& frame,
                           const RoceAddressBook& book,
                           bool withFcs = false,
                           Mac48Address portAddress = Mac48Address(),
                           const DscpTable& dscp = DEFAULT_DSCP);

/**
 * @param frame of kind PACKET.
 * @return a copy, with tags, of its layer 3 packet as switches left it: IPv4 and IPv6 with the
 * frame's TTL and its CE mark.
 */
Ptr<Packet> MakeLayer3Packet(const Frame& frame);

/**
 * @ingroup llm-training
 *
 * The other way round from RoceAddressBook.
 */
class RoceAddressFinder
{
  public:
    virtual ~RoceAddressFinder() = default;
    /** @param address IPv4. @return endpoint index, UINT32_MAX if unknown. */
    virtual uint32_t FindEndpoint(Ipv4Address address) const = 0;
    /** @param address MAC. @return endpoint index, UINT32_MAX if unknown or broadcast. */
    virtual uint32_t FindEndpoint(Mac48Address address) const = 0;
};

/**
 * @ingroup llm-training
 *
 * Read real bytes back into a frame. Everything is checked: lengths, checksum, ICRC, FCS.
 *
 * What the wire does not carry becomes 0: times, RETRANSMIT, the upper half of PSN and MSN, and
 * offset and messageBytes of packets without RETH. Anything that is neither PFC nor UDP to port
 * 4791 becomes a PACKET that owns a reference to its layer 3 bytes.
 *
 * @param packet as MakeWirePacket makes it; an 802.1Q tag is accepted and dropped.
 * @param hasFcs whether the last four bytes are the FCS.
 * @param finder of endpoints.
 * @param frame gets the fields.
 * @param dscp by traffic class; an unknown DSCP counts as the class of its upper three bits.
 * @return empty, or one line saying what is wrong; the frame is then undefined and owns nothing.
 */
std::string ParseWirePacket(Ptr<const Packet> packet,
                            bool hasFcs,
                            const RoceAddressFinder& finder,
                            Frame& frame,
                            const DscpTable& dscp = DEFAULT_DSCP);

} // namespace llm
} // namespace ns3

#endif // ROCE_WIRE_H
