/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-wire.h"

#include "dot1q-header.h"
#include "fabric-ip-fields.h"
#include "pfc-header.h"
#include "roce-aeth-header.h"
#include "roce-bth-header.h"
#include "roce-icrc-trailer.h"
#include "roce-immdt-header.h"
#include "roce-reth-header.h"

#include "ns3/assert.h"
#include "ns3/ethernet-header.h"
#include "ns3/ethernet-trailer.h"
#include "ns3/ipv4-header.h"
#include "ns3/udp-header.h"

#include <algorithm>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint16_t ROCE_PORT = 4791;       //!< UDP destination port of RoCEv2
constexpr uint16_t IPV4_PROTOCOL = 0x0800; //!< EtherType
constexpr uint8_t UDP_PROTOCOL = 17;       //!< IPv4 protocol
constexpr uint32_t CNP_RESERVED = 16;      //!< zero bytes behind the BTH of a CNP
constexpr uint8_t SELECTIVE_ARRIVED = 1;   //!< first byte behind the AETH
constexpr uint8_t SELECTIVE_TRIMMED = 2;   //!< first byte behind the AETH
constexpr uint8_t ECN_ECT0 = 2;            //!< IPv4 ECN field
constexpr uint8_t ECN_CE = 3;              //!< IPv4 ECN field
constexpr uint32_t ROCE_MIN = wire::IPV4 + wire::UDP + wire::BTH + wire::ICRC; //!< layer 3 bytes

/** @return the variant of a verb by the FIRST and LAST flags. */
RoceOpcode
SelectOpcode(uint8_t flags, RoceOpcode first, RoceOpcode middle, RoceOpcode last, RoceOpcode only)
{
    switch (flags & (Frame::FIRST | Frame::LAST))
    {
    case Frame::FIRST | Frame::LAST:
        return only;
    case Frame::FIRST:
        return first;
    case Frame::LAST:
        return last;
    default:
        return middle;
    }
}

/** @return BTH opcode of an RDMA frame. */
RoceOpcode
GetOpcode(const Frame& frame)
{
    switch (frame.kind)
    {
    case FrameKind::WRITE:
        return SelectOpcode(
            frame.flags,
            RoceOpcode::WRITE_FIRST,
            RoceOpcode::WRITE_MIDDLE,
            frame.flags & Frame::IMMEDIATE ? RoceOpcode::WRITE_LAST_IMM : RoceOpcode::WRITE_LAST,
            frame.flags & Frame::IMMEDIATE ? RoceOpcode::WRITE_ONLY_IMM : RoceOpcode::WRITE_ONLY);
    case FrameKind::SEND:
        return SelectOpcode(
            frame.flags,
            RoceOpcode::SEND_FIRST,
            RoceOpcode::SEND_MIDDLE,
            frame.flags & Frame::IMMEDIATE ? RoceOpcode::SEND_LAST_IMM : RoceOpcode::SEND_LAST,
            frame.flags & Frame::IMMEDIATE ? RoceOpcode::SEND_ONLY_IMM : RoceOpcode::SEND_ONLY);
    case FrameKind::READ_RESPONSE:
        return SelectOpcode(frame.flags,
                            RoceOpcode::READ_RESPONSE_FIRST,
                            RoceOpcode::READ_RESPONSE_MIDDLE,
                            RoceOpcode::READ_RESPONSE_LAST,
                            RoceOpcode::READ_RESPONSE_ONLY);
    case FrameKind::READ_REQUEST:
        return RoceOpcode::READ_REQUEST;
    case FrameKind::CNP:
        return RoceOpcode::CNP;
    default:
        return RoceOpcode::ACKNOWLEDGE;
    }
}

/** @return true for a selective ACK or NAK. */
bool
IsSelective(const Frame& frame)
{
    return (frame.kind == FrameKind::ACK || frame.kind == FrameKind::NAK) &&
           (frame.flags & Frame::SELECTIVE);
}

/** @return true for a later WRITE packet that carries an address as the first does. */
bool
IsAddressed(const Frame& frame)
{
    if (frame.kind != FrameKind::WRITE || (frame.flags & (Frame::FIRST | Frame::INT)))
    {
        return false;
    }
    const RoceOpcode opcode = GetOpcode(frame);
    return frame.bytes >= wire::ROCE_BASE + (HasImmDt(opcode) ? wire::IMMDT : 0) +
                              (frame.payload + 3) / 4 * 4 + wire::RETH;
}

/** @return the bytes behind the AETH of a selective ACK or NAK. */
std::vector<uint8_t>
MakeSelective(const Frame& frame)
{
    const bool trimmed = frame.kind == FrameKind::NAK && (frame.flags & Frame::TRIMMED);
    return {static_cast<uint8_t>(trimmed ? SELECTIVE_TRIMMED : SELECTIVE_ARRIVED),
            static_cast<uint8_t>(frame.messageBytes >> 16),
            static_cast<uint8_t>(frame.messageBytes >> 8),
            static_cast<uint8_t>(frame.messageBytes)};
}

/**
 * Pad to the length of the frame, and append the FCS, if asked. What is padded is what the shortest
 * Ethernet frame needs, or telemetry, whose format is not modelled: it stands behind the ICRC.
 */
void
FinishEthernet(Ptr<Packet> packet, uint32_t frameBytes, bool withFcs)
{
    const uint32_t bytes = std::max(wire::MIN_FRAME, frameBytes) - wire::FCS;
    if (packet->GetSize() < bytes)
    {
        const std::vector<uint8_t> zeros(bytes - packet->GetSize(), 0);
        packet->AddAtEnd(Create<Packet>(zeros.data(), static_cast<uint32_t>(zeros.size())));
    }
    if (withFcs)
    {
        EthernetTrailer trailer;
        trailer.SetFcs(ComputeFcs(packet));
        packet->AddTrailer(trailer);
    }
}

/** Put the Ethernet header in front. */
void
AddEthernet(Ptr<Packet> packet, Mac48Address from, Mac48Address to, uint16_t etherType)
{
    EthernetHeader ethernet;
    ethernet.SetSource(from);
    ethernet.SetDestination(to);
    ethernet.SetLengthType(etherType);
    packet->AddHeader(ethernet);
}

/** @return the bytes of a PFC frame, not padded. */
Ptr<Packet>
MakePfc(const Frame& frame, Mac48Address portAddress)
{
    PfcHeader pfc;
    for (uint8_t i = 0; i < 8; ++i)
    {
        if (frame.ingress >> i & 1)
        {
            const uint64_t timers = i < 4 ? frame.pfcTimersLow : frame.pfcTimersHigh;
            pfc.SetPause(i, static_cast<uint16_t>(timers >> 16 * (i % 4)));
        }
    }
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(pfc);
    AddEthernet(packet, portAddress, PfcHeader::GetDestination(), PfcHeader::PROTOCOL);
    return packet;
}

/** @return AETH syndrome. */
uint8_t
GetSyndrome(const Frame& frame)
{
    switch (frame.kind)
    {
    case FrameKind::NAK:
        return RoceAethHeader::NAK_PSN_SEQUENCE;
    case FrameKind::RNR_NAK:
        return static_cast<uint8_t>(RoceAethHeader::RNR_NAK | (frame.messageBytes & 0x1F));
    default:
        return RoceAethHeader::ACK;
    }
}

/** @return BTH and what stands behind it, up to the ICRC. */
Ptr<Packet>
MakeTransport(const Frame& frame)
{
    const bool addressed = IsAddressed(frame);
    RoceOpcode opcode = GetOpcode(frame);
    if (addressed)
    {
        opcode = HasImmDt(opcode) ? RoceOpcode::WRITE_ONLY_IMM : RoceOpcode::WRITE_ONLY;
    }
    const uint32_t pad = (4 - frame.payload % 4) % 4;
    std::vector<uint8_t> body(opcode == RoceOpcode::CNP ? CNP_RESERVED : frame.payload + pad, 0);
    for (uint32_t i = 0; i < frame.payload; ++i)
    {
        body[i] = static_cast<uint8_t>(frame.offset + i);
    }
    if (IsSelective(frame))
    {
        body = MakeSelective(frame);
    }
    Ptr<Packet> packet = Create<Packet>(body.data(), static_cast<uint32_t>(body.size()));
    const bool immediate = HasImmDt(opcode);
    if (immediate)
    {
        RoceImmDtHeader data;
        data.SetData(frame.messageBytes);
        packet->AddHeader(data);
    }
    if (HasReth(opcode))
    {
        RoceRethHeader reth;
        reth.SetVirtualAddress(frame.offset);
        reth.SetRemoteKey(frame.queuePair);
        // What is one message to those who look is one packet.
        reth.SetDmaLength(immediate || addressed ? frame.payload : frame.messageBytes);
        packet->AddHeader(reth);
    }
    if (HasAeth(opcode))
    {
        RoceAethHeader aeth;
        aeth.SetSyndrome(GetSyndrome(frame));
        const uint64_t msn =
            frame.kind == FrameKind::READ_RESPONSE ? frame.messageBytes : frame.msn;
        aeth.SetMsn(static_cast<uint32_t>(msn & RoceBthHeader::MASK_24));
        packet->AddHeader(aeth);
    }
    RoceBthHeader bth;
    bth.SetOpcode(opcode);
    bth.SetPadCount(static_cast<uint8_t>(pad));
    bth.SetBecn(frame.kind > FrameKind::READ_RESPONSE && // on data the bit is Frame::INT
                (opcode == RoceOpcode::CNP || (frame.flags & Frame::BECN) != 0));
    bth.SetDestinationQp(frame.queuePair);
    bth.SetAckRequest((frame.flags & Frame::ACK_REQ) != 0);
    bth.SetPsn(frame.psn);
    packet->AddHeader(bth);
    return packet;
}

/** @return the bytes of an RDMA frame, not padded. */
Ptr<Packet>
MakeRoce(const Frame& frame, const RoceAddressBook& book, const DscpTable& dscp)
{
    Ptr<Packet> packet = MakeTransport(frame);
    const uint32_t udpBytes = wire::UDP + packet->GetSize() + wire::ICRC;

    UdpHeader udp;
    udp.SetSourcePort(frame.entropy);
    udp.SetDestinationPort(ROCE_PORT);
    udp.ForcePayloadSize(static_cast<uint16_t>(udpBytes));
    packet->AddHeader(udp);

    uint8_t ecn = 0;
    if (frame.flags & (Frame::ECT | Frame::CE))
    {
        ecn = frame.flags & Frame::CE ? ECN_CE : ECN_ECT0;
    }
    Ipv4Header ipv4;
    ipv4.EnableChecksum();
    ipv4.SetTos(static_cast<uint8_t>(dscp.at(frame.trafficClass) << 2 | ecn));
    ipv4.SetPayloadSize(static_cast<uint16_t>(udpBytes));
    ipv4.SetIdentification(static_cast<uint16_t>(frame.psn));
    ipv4.SetDontFragment();
    ipv4.SetTtl(frame.ttl);
    ipv4.SetProtocol(UDP_PROTOCOL);
    ipv4.SetSource(book.GetIpv4(frame.source));
    ipv4.SetDestination(book.GetIpv4(frame.destination));
    packet->AddHeader(ipv4);

    RoceIcrcTrailer icrc;
    icrc.SetIcrc(RoceIcrcTrailer::Compute(packet));
    packet->AddTrailer(icrc);
    AddEthernet(packet, book.GetMac(frame.source), book.GetMac(frame.destination), IPV4_PROTOCOL);
    return packet;
}

/** @return the bytes of a frame of the ordinary stack, not padded. */
Ptr<Packet>
MakeOrdinary(const Frame& frame, const RoceAddressBook& book)
{
    Ptr<Packet> packet = MakeLayer3Packet(frame);
    AddEthernet(packet,
                book.GetMac(frame.source),
                frame.destination == BROADCAST_ENDPOINT ? Mac48Address::GetBroadcast()
                                                        : book.GetMac(frame.destination),
                static_cast<uint16_t>(frame.messageBytes));
    return packet;
}

/** Set kind and the flags that the opcode says. @return false if a Frame cannot say it. */
bool
SetOpcode(RoceOpcode opcode, Frame& frame)
{
    switch (opcode)
    {
    case RoceOpcode::WRITE_FIRST:
    case RoceOpcode::WRITE_MIDDLE:
    case RoceOpcode::WRITE_LAST:
    case RoceOpcode::WRITE_ONLY:
    case RoceOpcode::WRITE_LAST_IMM:
    case RoceOpcode::WRITE_ONLY_IMM:
        frame.kind = FrameKind::WRITE;
        break;
    case RoceOpcode::SEND_FIRST:
    case RoceOpcode::SEND_MIDDLE:
    case RoceOpcode::SEND_LAST:
    case RoceOpcode::SEND_ONLY:
    case RoceOpcode::SEND_LAST_IMM:
    case RoceOpcode::SEND_ONLY_IMM:
        frame.kind = FrameKind::SEND;
        break;
    case RoceOpcode::READ_RESPONSE_FIRST:
    case RoceOpcode::READ_RESPONSE_MIDDLE:
    case RoceOpcode::READ_RESPONSE_LAST:
    case RoceOpcode::READ_RESPONSE_ONLY:
        frame.kind = FrameKind::READ_RESPONSE;
        break;
    case RoceOpcode::READ_REQUEST:
        frame.kind = FrameKind::READ_REQUEST;
        return true;
    case RoceOpcode::ACKNOWLEDGE:
        frame.kind = FrameKind::ACK;
        return true;
    case RoceOpcode::CNP:
        frame.kind = FrameKind::CNP;
        return true;
    default:
        return false;
    }
    const uint8_t immediate = HasImmDt(opcode) ? +Frame::IMMEDIATE : 0;
    for (const uint8_t flags : {0, +Frame::FIRST, +Frame::LAST, Frame::FIRST | Frame::LAST})
    {
        frame.flags = flags | immediate;
        if (GetOpcode(frame) == opcode)
        {
            break;
        }
    }
    return true;
}

/** Read what stands behind the AETH of a selective ACK or NAK, if it is one. */
void
ParseSelective(Ptr<const Packet> packet, Frame& frame)
{
    uint8_t body[wire::SELECTIVE];
    if (frame.payload != sizeof(body))
    {
        return;
    }
    packet->CopyData(body, sizeof(body));
    frame.payload = 0;
    frame.flags |= Frame::SELECTIVE;
    frame.flags |= body[0] == SELECTIVE_TRIMMED ? +Frame::TRIMMED : 0;
    frame.messageBytes = uint32_t{body[1]} << 16 | uint32_t{body[2]} << 8 | body[3];
}

/** Read the extended headers and the payload length. @return empty or what is wrong. */
std::string
ParseExtended(Ptr<Packet> packet, RoceOpcode opcode, uint32_t pad, Frame& frame)
{
    const uint32_t extended =
        (HasReth(opcode) ? wire::RETH : 0) + (HasAeth(opcode) ? wire::AETH : 0) +
        (HasImmDt(opcode) ? wire::IMMDT : 0) + (opcode == RoceOpcode::CNP ? CNP_RESERVED : 0);
    if (packet->GetSize() < extended + pad || packet->GetSize() % 4 != 0)
    {
        return std::to_string(packet->GetSize()) + " bytes behind the BTH do not fit the opcode";
    }
    frame.payload = static_cast<uint16_t>(packet->GetSize() - extended - pad);
    if (HasReth(opcode))
    {
        RoceRethHeader reth;
        packet->RemoveHeader(reth);
        frame.offset = reth.GetVirtualAddress();
        frame.messageBytes = reth.GetDmaLength();
    }
    if (HasImmDt(opcode))
    {
        RoceImmDtHeader immediate;
        packet->RemoveHeader(immediate);
        frame.messageBytes = immediate.GetData();
    }
    if (frame.kind == FrameKind::READ_RESPONSE && HasAeth(opcode))
    {
        RoceAethHeader aeth;
        packet->RemoveHeader(aeth);
        frame.messageBytes = aeth.GetMsn();
    }
    if (frame.kind == FrameKind::ACK)
    {
        RoceAethHeader aeth;
        packet->RemoveHeader(aeth);
        frame.msn = aeth.GetMsn();
        if (aeth.GetSyndrome() == RoceAethHeader::NAK_PSN_SEQUENCE)
        {
            frame.kind = FrameKind::NAK;
        }
        else if (aeth.GetSyndrome() >> 5 == RoceAethHeader::RNR_NAK >> 5)
        {
            frame.kind = FrameKind::RNR_NAK;
            frame.messageBytes = aeth.GetSyndrome() & 0x1F;
        }
        else if (aeth.GetSyndrome() >= RoceAethHeader::RNR_NAK)
        {
            return "AETH syndrome " + std::to_string(aeth.GetSyndrome()) + " has no frame kind";
        }
        ParseSelective(packet, frame);
    }
    if (frame.kind >= FrameKind::READ_REQUEST && frame.payload != 0)
    {
        return std::to_string(frame.payload) + " bytes of payload where none can be";
    }
    return "";
}

/** Read an IPv4 packet to the RoCEv2 port. @return empty or what is wrong. */
std::string
ParseRoce(Ptr<Packet> packet, const RoceAddressFinder& finder, const DscpTable& dscp, Frame& frame)
{
    RoceIcrcTrailer icrc;
    packet->RemoveTrailer(icrc);
    if (icrc.GetIcrc() != RoceIcrcTrailer::Compute(packet))
    {
        return "wrong ICRC";
    }
    Ipv4Header ipv4;
    UdpHeader udp;
    RoceBthHeader bth;
    packet->RemoveHeader(ipv4);
    packet->RemoveHeader(udp);
    packet->RemoveHeader(bth);
    if (!SetOpcode(bth.GetOpcode(), frame))
    {
        return "opcode " + std::to_string(static_cast<uint32_t>(bth.GetOpcode())) +
               " has no frame kind";
    }
    frame.source = finder.FindEndpoint(ipv4.GetSource());
    frame.destination = finder.FindEndpoint(ipv4.GetDestination());
    frame.queuePair = bth.GetDestinationQp();
    frame.psn = bth.GetPsn();
    frame.entropy = udp.GetSourcePort();
    frame.ttl = ipv4.GetTtl();
    const uint8_t code = ipv4.GetTos() >> 2;
    const auto* entry = std::find(dscp.begin(), dscp.end(), code);
    frame.trafficClass =
        static_cast<uint8_t>(entry == dscp.end() ? code >> 3 : entry - dscp.begin());
    const uint8_t ecn = ipv4.GetTos() & 3;
    frame.flags |= bth.GetAckRequest() ? Frame::ACK_REQ : 0;
    frame.flags |= ecn != 0 ? Frame::ECT : 0;
    frame.flags |= ecn == ECN_CE ? Frame::CE : 0;
    frame.flags |= bth.GetBecn() && frame.kind > FrameKind::READ_RESPONSE ? Frame::BECN : 0;
    return ParseExtended(packet, bth.GetOpcode(), bth.GetPadCount(), frame);
}

/** Read a MAC control frame. @return empty or what is wrong. */
std::string
ParsePfc(Ptr<Packet> packet, Frame& frame)
{
    PfcHeader pfc;
    packet->RemoveHeader(pfc);
    if (!pfc.IsPfc())
    {
        return "a MAC control frame that is not PFC";
    }
    frame.kind = FrameKind::PFC;
    frame.ingress = pfc.GetClasses();
    for (uint8_t i = 0; i < 8; ++i)
    {
        uint64_t& timers = i < 4 ? frame.pfcTimersLow : frame.pfcTimersHigh;
        timers |= static_cast<uint64_t>(pfc.GetQuanta(i)) << 16 * (i % 4);
    }
    return "";
}

/**
 * Look whether a layer 3 packet is RoCEv2, and cut off Ethernet's padding behind IPv4.
 * @return empty or what is wrong.
 */
std::string
CheckIpv4(Ptr<Packet> packet, bool& isRoce)
{
    isRoce = false;
    uint8_t start[wire::IPV4];
    packet->CopyData(start, sizeof(start));
    const uint32_t headerBytes = (start[0] & 0x0F) * 4;
    const uint32_t length = start[2] << 8 | start[3];
    if (start[0] >> 4 != 4 || headerBytes < wire::IPV4 || length < headerBytes)
    {
        return "no IPv4 header";
    }
    if (length > packet->GetSize())
    {
        return "IPv4 length " + std::to_string(length) + ", but " +
               std::to_string(packet->GetSize()) + " bytes are there";
    }
    Ipv4Header ipv4;
    ipv4.EnableChecksum();
    packet->PeekHeader(ipv4);
    const bool hasChecksum = start[10] != 0 || start[11] != 0;
    packet->RemoveAtEnd(packet->GetSize() - length);
    if (ipv4.GetProtocol() == UDP_PROTOCOL && headerBytes == wire::IPV4 &&
        ipv4.GetFragmentOffset() == 0 && length >= ROCE_MIN)
    {
        Ptr<Packet> rest = packet->Copy();
        Ipv4Header outer;
        rest->RemoveHeader(outer);
        UdpHeader udp;
        rest->PeekHeader(udp);
        isRoce = udp.GetDestinationPort() == ROCE_PORT;
    }
    // The ordinary stack of ns-3 leaves 0 unless asked for checksums.
    if (!ipv4.IsChecksumOk() && (isRoce || hasChecksum))
    {
        return "wrong IPv4 checksum";
    }
    return "";
}

} // namespace

uint32_t
ComputeFrameBytes(const Frame& frame)
{
    if (frame.kind == FrameKind::PFC)
    {
        return wire::PFC_FRAME;
    }
    if (frame.kind == FrameKind::PACKET)
    {
        return std::max(wire::ETHERNET + frame.packet->GetSize() + wire::FCS, wire::MIN_FRAME);
    }
    const RoceOpcode opcode = GetOpcode(frame);
    return std::max(wire::ROCE_BASE + (HasReth(opcode) ? wire::RETH : 0) +
                        (HasAeth(opcode) ? wire::AETH : 0) + (HasImmDt(opcode) ? wire::IMMDT : 0) +
                        (opcode == RoceOpcode::CNP ? CNP_RESERVED : 0) +
                        (IsSelective(frame) ? wire::SELECTIVE : 0) + (frame.payload + 3) / 4 * 4,
                    wire::MIN_FRAME);
}

Ptr<Packet>
MakeLayer3Packet(const Frame& frame)
{
    Ptr<Packet> packet = frame.packet->Copy();
    const auto protocol = static_cast<uint16_t>(frame.messageBytes);
    FabricIpFields fields;
    if (!fields.Read(packet, protocol))
    {
        return packet;
    }
    const bool marked = (frame.flags & Frame::CE) && !fields.IsMarked();
    const bool older = frame.ttl > 0 && frame.ttl < fields.GetTtl();
    if (marked || older)
    {
        FabricIpFields::Update(packet, protocol, older ? frame.ttl : fields.GetTtl(), marked);
    }
    return packet;
}

Ptr<Packet>
MakeWirePacket(const Frame& frame,
               const RoceAddressBook& book,
               bool withFcs,
               Mac48Address portAddress,
               const DscpTable& dscp)
{
    Ptr<Packet> packet;
    switch (frame.kind)
    {
    case FrameKind::PFC:
        packet = MakePfc(frame, portAddress);
        break;
    case FrameKind::PACKET:
        packet = MakeOrdinary(frame, book);
        break;
    default:
        packet = MakeRoce(frame, book, dscp);
        break;
    }
    FinishEthernet(packet, frame.bytes, withFcs);
    NS_ASSERT_MSG(packet->GetSize() + (withFcs ? 0 : wire::FCS) == frame.bytes,
                  "frame of " << frame.bytes << " bytes, but " << packet->GetSize() << " made");
    return packet;
}

std::string
ParseWirePacket(Ptr<const Packet> packet,
                bool hasFcs,
                const RoceAddressFinder& finder,
                Frame& frame,
                const DscpTable& dscp)
{
    frame = Frame{};
    Ptr<Packet> rest = packet->Copy();
    if (rest->GetSize() < wire::MIN_FRAME - (hasFcs ? 0 : wire::FCS))
    {
        return std::to_string(rest->GetSize()) + " bytes are too short for Ethernet";
    }
    frame.bytes = static_cast<uint16_t>(rest->GetSize() + (hasFcs ? 0 : wire::FCS));
    if (hasFcs)
    {
        EthernetTrailer trailer;
        rest->RemoveTrailer(trailer);
        if (trailer.GetFcs() != ComputeFcs(rest))
        {
            return "wrong FCS";
        }
    }
    EthernetHeader ethernet;
    rest->RemoveHeader(ethernet);
    uint16_t etherType = ethernet.GetLengthType();
    if (etherType == Dot1qHeader::PROTOCOL)
    {
        Dot1qHeader tag;
        rest->RemoveHeader(tag);
        etherType = tag.GetEtherType();
        frame.bytes =
            static_cast<uint16_t>(std::max(frame.bytes - tag.GetSerializedSize(), wire::MIN_FRAME));
    }
    if (etherType == PfcHeader::PROTOCOL)
    {
        return ParsePfc(rest, frame);
    }
    bool isRoce = false;
    if (etherType == IPV4_PROTOCOL)
    {
        std::string wrong = CheckIpv4(rest, isRoce);
        if (wrong.empty() && isRoce)
        {
            wrong = ParseRoce(rest, finder, dscp, frame);
        }
        if (!wrong.empty() || isRoce)
        {
            return wrong;
        }
    }
    frame.kind = FrameKind::PACKET;
    frame.source = finder.FindEndpoint(ethernet.GetSource());
    frame.destination = finder.FindEndpoint(ethernet.GetDestination());
    frame.messageBytes = etherType;
    frame.packet = PeekPointer(rest);
    frame.packet->Ref();
    return "";
}

} // namespace llm
} // namespace ns3
