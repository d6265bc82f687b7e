/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-wire-vectors.h"

#include "ns3/arp-header.h"
#include "ns3/dot1q-header.h"
#include "ns3/ethernet-header.h"
#include "ns3/ethernet-trailer.h"
#include "ns3/fabric-frame.h"
#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/pcap-file.h"
#include "ns3/pfc-header.h"
#include "ns3/roce-aeth-header.h"
#include "ns3/roce-bth-header.h"
#include "ns3/roce-icrc-trailer.h"
#include "ns3/roce-immdt-header.h"
#include "ns3/roce-reth-header.h"
#include "ns3/roce-wire.h"
#include "ns3/test.h"
#include "ns3/udp-header.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Bytes = std::vector<uint8_t>; //!< of a frame

/// @return the bytes of a packet
Bytes
ToBytes(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

/// @return a packet of these bytes
Ptr<Packet>
ToPacket(const Bytes& bytes)
{
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

/// @return hexadecimal digits
std::string
ToHex(const Bytes& bytes)
{
    std::string text;
    for (const uint8_t byte : bytes)
    {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

/// @return bytes of hexadecimal digits
Bytes
FromHex(const std::string& text)
{
    Bytes bytes;
    for (std::size_t i = 0; i < text.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/// @return the known answer of that name
const WireVector&
FindVector(const std::string& name)
{
    for (const auto& vector : WIRE_VECTORS)
    {
        if (name == vector.name)
        {
            return vector;
        }
    }
    std::abort();
}

/// Endpoint i has 02:00:00:00:00:(i+1) and 10.0.0.(i+1).
class TestAddresses : public RoceAddressBook, public RoceAddressFinder
{
  public:
    Ipv4Address GetIpv4(uint32_t endpoint) const override
    {
        return Ipv4Address(0x0A000001 + endpoint);
    }

    Mac48Address GetMac(uint32_t endpoint) const override
    {
        const uint8_t bytes[6] = {2, 0, 0, 0, 0, static_cast<uint8_t>(endpoint + 1)};
        Mac48Address address;
        address.CopyFrom(bytes);
        return address;
    }

    uint32_t FindEndpoint(Ipv4Address address) const override
    {
        return address.Get() - 0x0A000001;
    }

    uint32_t FindEndpoint(Mac48Address address) const override
    {
        uint8_t bytes[6];
        address.CopyTo(bytes);
        return bytes[0] == 2 ? bytes[5] - 1U : BROADCAST_ENDPOINT;
    }
};

/// What differs between the RoCE vectors.
struct RoceFields
{
    const char* name;         //!< of the vector
    RoceOpcode opcode;        //!< BTH
    uint32_t psn;             //!< BTH
    uint32_t payload;         //!< bytes
    uint32_t firstByte;       //!< value of the first payload byte, then counting
    uint16_t identification;  //!< IPv4
    bool ackRequest{false};   //!< BTH
    uint32_t dmaLength{0};    //!< RETH
    uint8_t syndrome{0};      //!< AETH
    uint32_t msn{0};          //!< AETH
    uint32_t immediate{0};    //!< ImmDt
    bool backwards{false};    //!< from the second host to the first
    uint8_t tos{26 << 2 | 2}; //!< DSCP 26, ECT(0)
    uint8_t ttl{64};          //!< IPv4
    bool becn{false};         //!< BTH
    bool solicited{false};    //!< BTH
    bool vlan{false};         //!< priority 3, VLAN 100
};

/// @return the fields of every RoCE vector
std::vector<RoceFields>
GetRoceFields()
{
    using Op = RoceOpcode;
    std::vector<RoceFields> all = {
        {"write_first", Op::WRITE_FIRST, 100, 256, 0, 1, false, 700},
        {"write_middle", Op::WRITE_MIDDLE, 101, 256, 0, 2},
        {"write_last", Op::WRITE_LAST, 102, 188, 0, 3, true},
        {"write_middle_ce", Op::WRITE_MIDDLE, 101, 256, 0, 2},
        {"write_only_pad3", Op::WRITE_ONLY, 103, 5, 0, 4, true, 5},
        {"write_only_imm", Op::WRITE_ONLY_IMM, 104, 8, 0, 5, true, 8, 0, 0, 0xCAFEF00D},
        {"send_first", Op::SEND_FIRST, 105, 256, 0, 6},
        {"send_middle", Op::SEND_MIDDLE, 106, 256, 0, 7},
        {"send_last", Op::SEND_LAST, 107, 4, 0, 8, true},
        {"send_only", Op::SEND_ONLY, 108, 64, 0, 9, true},
        {"read_request", Op::READ_REQUEST, 109, 0, 0, 10, true, 256},
        {"read_resp_only", Op::READ_RESPONSE_ONLY, 109, 256, 0, 1, false, 0, 0x1F, 7, 0, true},
        {"ack", Op::ACKNOWLEDGE, 102, 0, 0, 2, false, 0, RoceAethHeader::ACK, 1, 0, true},
        {"nak_psn_seq", Op::ACKNOWLEDGE, 101, 0, 0, 3, false, 0, 0x60, 0, 0, true},
        {"nak_rnr", Op::ACKNOWLEDGE, 108, 0, 0, 4, false, 0, 0x2E, 5, 0, true},
        {"nak_rem_access", Op::ACKNOWLEDGE, 103, 0, 0, 5, false, 0, 0x62, 1, 0, true},
        {"cnp", Op::CNP, 0, 0, 0, 6, false, 0, 0, 0, 0, true, 48 << 2, 64, true},
        {"write_only_vlan", Op::WRITE_ONLY, 110, 16, 0, 11, true, 16},
        {"write_only_1024", Op::WRITE_ONLY, 111, 1024, 0, 12, true, 1024},
    };
    for (auto& fields : all)
    {
        const std::string name = fields.name;
        if (name == "write_middle_ce")
        {
            fields.tos = 26 << 2 | 3;
            fields.ttl = 62;
        }
        fields.solicited = name == "send_only";
        fields.vlan = name == "write_only_vlan";
    }
    return all;
}

/// @return a vector's frame, put together from the module's headers, without FCS
Ptr<Packet>
BuildRoce(const RoceFields& fields)
{
    const TestAddresses book;
    const uint32_t from = fields.backwards ? 1 : 0;
    const uint32_t pad = (4 - fields.payload % 4) % 4;
    Bytes body(fields.opcode == RoceOpcode::CNP ? 16 : fields.payload + pad, 0);
    for (uint32_t i = 0; i < fields.payload; ++i)
    {
        body[i] = static_cast<uint8_t>(fields.firstByte + i);
    }
    Ptr<Packet> packet = ToPacket(body);
    if (HasImmDt(fields.opcode))
    {
        RoceImmDtHeader immediate;
        immediate.SetData(fields.immediate);
        packet->AddHeader(immediate);
    }
    if (HasReth(fields.opcode))
    {
        RoceRethHeader reth;
        reth.SetVirtualAddress(0x00007F0000001000);
        reth.SetRemoteKey(0x12345678);
        reth.SetDmaLength(fields.dmaLength);
        packet->AddHeader(reth);
    }
    if (HasAeth(fields.opcode))
    {
        RoceAethHeader aeth;
        aeth.SetSyndrome(fields.syndrome);
        aeth.SetMsn(fields.msn);
        packet->AddHeader(aeth);
    }
    RoceBthHeader bth;
    bth.SetOpcode(fields.opcode);
    bth.SetSolicitedEvent(fields.solicited);
    bth.SetPadCount(static_cast<uint8_t>(pad));
    bth.SetBecn(fields.becn);
    bth.SetDestinationQp(fields.backwards ? 0x11 : 0x22);
    bth.SetAckRequest(fields.ackRequest);
    bth.SetPsn(fields.psn);
    packet->AddHeader(bth);

    UdpHeader udp;
    udp.SetSourcePort(50000);
    udp.SetDestinationPort(4791);
    udp.ForcePayloadSize(static_cast<uint16_t>(packet->GetSize() + 8 + 4));
    packet->AddHeader(udp);
    Ipv4Header ipv4;
    ipv4.EnableChecksum();
    ipv4.SetTos(fields.tos);
    ipv4.SetPayloadSize(static_cast<uint16_t>(packet->GetSize() + 4));
    ipv4.SetIdentification(fields.identification);
    ipv4.SetDontFragment();
    ipv4.SetTtl(fields.ttl);
    ipv4.SetProtocol(17);
    ipv4.SetSource(book.GetIpv4(from));
    ipv4.SetDestination(book.GetIpv4(1 - from));
    packet->AddHeader(ipv4);
    RoceIcrcTrailer icrc;
    icrc.SetIcrc(RoceIcrcTrailer::Compute(packet));
    packet->AddTrailer(icrc);

    if (fields.vlan)
    {
        Dot1qHeader tag;
        tag.SetPriority(3);
        tag.SetVlanId(100);
        tag.SetEtherType(0x0800);
        packet->AddHeader(tag);
    }
    EthernetHeader ethernet;
    ethernet.SetSource(book.GetMac(from));
    ethernet.SetDestination(book.GetMac(1 - from));
    ethernet.SetLengthType(fields.vlan ? Dot1qHeader::PROTOCOL : 0x0800);
    packet->AddHeader(ethernet);
    return packet;
}

/// @ingroup llm-training-tests
/// The headers write the reference frames byte for byte.
class RoceVectorsTestCase : public TestCase
{
  public:
    RoceVectorsTestCase()
        : TestCase("headers, ICRC and FCS reproduce the RoCEv2 reference frames")
    {
    }

  private:
    void DoRun() override
    {
        const auto all = GetRoceFields();
        NS_TEST_EXPECT_MSG_EQ(all.size(), 19, "with three PFC frames, 22");
        for (const auto& fields : all)
        {
            const WireVector& vector = FindVector(fields.name);
            const Ptr<Packet> packet = BuildRoce(fields);
            NS_TEST_EXPECT_MSG_EQ(ToHex(ToBytes(packet)), vector.hex, fields.name);
            NS_TEST_EXPECT_MSG_EQ(packet->GetSize() + wire::FCS + wire::PREAMBLE_IFG,
                                  vector.bytesOnWire,
                                  fields.name);
            EthernetTrailer trailer;
            trailer.SetFcs(ComputeFcs(packet));
            packet->AddTrailer(trailer);
            NS_TEST_EXPECT_MSG_EQ(ToHex(ToBytes(packet)),
                                  std::string(vector.hex) + vector.fcs,
                                  fields.name);
            CheckReadBack(fields);
        }
    }

    /// Read the reference frame with the headers.
    void CheckReadBack(const RoceFields& fields)
    {
        Bytes bytes = FromHex(FindVector(fields.name).hex);
        bytes.erase(bytes.begin(), bytes.begin() + (fields.vlan ? 46 : 42));
        const Ptr<Packet> packet = ToPacket(bytes);
        RoceBthHeader bth;
        packet->RemoveHeader(bth);
        NS_TEST_EXPECT_MSG_EQ((bth.GetOpcode() == fields.opcode), true, fields.name);
        NS_TEST_EXPECT_MSG_EQ(bth.GetPsn(), fields.psn, fields.name);
        NS_TEST_EXPECT_MSG_EQ(bth.GetDestinationQp(),
                              (fields.backwards ? 0x11 : 0x22),
                              fields.name);
        NS_TEST_EXPECT_MSG_EQ(bth.GetAckRequest(), fields.ackRequest, fields.name);
        NS_TEST_EXPECT_MSG_EQ(bth.GetBecn(), fields.becn, fields.name);
        NS_TEST_EXPECT_MSG_EQ(bth.GetFecn(), false, fields.name);
        NS_TEST_EXPECT_MSG_EQ(bth.GetMigrationRequest(), false, fields.name);
        NS_TEST_EXPECT_MSG_EQ(bth.GetSolicitedEvent(), fields.solicited, fields.name);
        NS_TEST_EXPECT_MSG_EQ(bth.GetPartitionKey(), 0xFFFF, fields.name);
        NS_TEST_EXPECT_MSG_EQ(+bth.GetPadCount(), (4 - fields.payload % 4) % 4, fields.name);
        if (HasReth(fields.opcode))
        {
            RoceRethHeader reth;
            packet->RemoveHeader(reth);
            NS_TEST_EXPECT_MSG_EQ(reth.GetVirtualAddress(), 0x7F0000001000, fields.name);
            NS_TEST_EXPECT_MSG_EQ(reth.GetRemoteKey(), 0x12345678, fields.name);
            NS_TEST_EXPECT_MSG_EQ(reth.GetDmaLength(), fields.dmaLength, fields.name);
        }
        if (HasAeth(fields.opcode))
        {
            RoceAethHeader aeth;
            packet->RemoveHeader(aeth);
            NS_TEST_EXPECT_MSG_EQ(+aeth.GetSyndrome(), +fields.syndrome, fields.name);
            NS_TEST_EXPECT_MSG_EQ(aeth.GetMsn(), fields.msn, fields.name);
        }
        if (HasImmDt(fields.opcode))
        {
            RoceImmDtHeader immediate;
            packet->RemoveHeader(immediate);
            NS_TEST_EXPECT_MSG_EQ(immediate.GetData(), fields.immediate, fields.name);
        }
    }
};

/// @return a frame with sensible fields, from endpoint 0 to 1
Frame
MakeFrame(FrameKind kind, uint8_t flags = 0, uint16_t payload = 0)
{
    Frame frame{};
    frame.kind = kind;
    frame.flags = flags;
    frame.payload = payload;
    frame.source = 0;
    frame.destination = 1;
    frame.queuePair = 0x22;
    frame.psn = 100;
    frame.entropy = 50000;
    frame.trafficClass = 3;
    frame.ttl = 64;
    if (kind != FrameKind::PACKET)
    {
        frame.bytes = static_cast<uint16_t>(ComputeFrameBytes(frame));
    }
    return frame;
}

/// @return a PFC frame
Frame
MakePfcFrame(const std::vector<std::pair<uint8_t, uint16_t>>& pauses)
{
    Frame frame = MakeFrame(FrameKind::PFC);
    for (const auto& [trafficClass, quanta] : pauses)
    {
        frame.ingress = static_cast<uint16_t>(frame.ingress | 1 << trafficClass);
        uint64_t& timers = trafficClass < 4 ? frame.pfcTimersLow : frame.pfcTimersHigh;
        timers |= static_cast<uint64_t>(quanta) << 16 * (trafficClass % 4);
    }
    return frame;
}

/// @ingroup llm-training-tests
/// Pause frames as on the wire.
class PfcVectorsTestCase : public TestCase
{
  public:
    PfcVectorsTestCase()
        : TestCase("PFC frames reproduce the 802.1Qbb reference frames and are read back")
    {
    }

  private:
    /// One frame.
    void Check(const char* name, const Frame& frame)
    {
        const TestAddresses book;
        const WireVector& vector = FindVector(name);
        const Ptr<Packet> packet = MakeWirePacket(frame, book, true, book.GetMac(1));
        NS_TEST_EXPECT_MSG_EQ(ToHex(ToBytes(packet)), std::string(vector.hex) + vector.fcs, name);
        NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), frame.bytes, name);
        NS_TEST_EXPECT_MSG_EQ(frame.WireBytes(), vector.bytesOnWire, name);
        Frame back;
        NS_TEST_EXPECT_MSG_EQ(ParseWirePacket(packet, true, book, back), "", name);
        NS_TEST_EXPECT_MSG_EQ((back.kind == FrameKind::PFC), true, name);
        NS_TEST_EXPECT_MSG_EQ(back.ingress, frame.ingress, name);
        NS_TEST_EXPECT_MSG_EQ(back.pfcTimersLow, frame.pfcTimersLow, name);
        NS_TEST_EXPECT_MSG_EQ(back.pfcTimersHigh, frame.pfcTimersHigh, name);
        NS_TEST_EXPECT_MSG_EQ(back.bytes, frame.bytes, name);
    }

    void DoRun() override
    {
        Check("pfc_pause_c3", MakePfcFrame({{3, 0xFFFF}}));
        Check("pfc_resume_c3", MakePfcFrame({{3, 0}}));
        Check("pfc_pause_c3c4", MakePfcFrame({{3, 0x0040}, {4, 0x1000}}));
    }
};

/// @ingroup llm-training-tests
/// Reference frames become frames of the fabric, and these the same bytes again.
class FrameVectorsTestCase : public TestCase
{
  public:
    FrameVectorsTestCase()
        : TestCase("reference frames are read as frames of the fabric and written again")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& fields : GetRoceFields())
        {
            const std::string name = fields.name;
            Frame frame;
            const std::string wrong =
                ParseWirePacket(ToPacket(FromHex(FindVector(name).hex)), false, m_book, frame);
            if (name == "nak_rem_access")
            {
                NS_TEST_EXPECT_MSG_NE(wrong.find("has no frame kind"), std::string::npos, wrong);
                continue;
            }
            NS_TEST_ASSERT_MSG_EQ(wrong, "", name);
            CheckFields(fields, frame);
            const bool immediate = (frame.flags & Frame::IMMEDIATE) != 0;
            NS_TEST_EXPECT_MSG_EQ(immediate, (name == "write_only_imm"), name);
            CheckWritten(fields, frame);
        }
    }

    /// The frame says what the vector says.
    void CheckFields(const RoceFields& fields, const Frame& frame)
    {
        const std::string name = fields.name;
        NS_TEST_EXPECT_MSG_EQ(frame.source, (fields.backwards ? 1 : 0), name);
        NS_TEST_EXPECT_MSG_EQ(frame.destination, (fields.backwards ? 0 : 1), name);
        NS_TEST_EXPECT_MSG_EQ(frame.queuePair, (fields.backwards ? 0x11 : 0x22), name);
        NS_TEST_EXPECT_MSG_EQ(frame.psn, fields.psn, name);
        NS_TEST_EXPECT_MSG_EQ(frame.payload, fields.payload, name);
        NS_TEST_EXPECT_MSG_EQ(frame.entropy, 50000, name);
        NS_TEST_EXPECT_MSG_EQ(+frame.ttl, +fields.ttl, name);
        NS_TEST_EXPECT_MSG_EQ(+frame.trafficClass, (name == "cnp" ? 6 : 3), name);
        NS_TEST_EXPECT_MSG_EQ(((frame.flags & Frame::CE) != 0), (name == "write_middle_ce"), name);
        NS_TEST_EXPECT_MSG_EQ(((frame.flags & Frame::ECT) != 0), (name != "cnp"), name);
        NS_TEST_EXPECT_MSG_EQ(((frame.flags & Frame::BECN) != 0), fields.becn, name);
        NS_TEST_EXPECT_MSG_EQ(((frame.flags & Frame::ACK_REQ) != 0), fields.ackRequest, name);
        NS_TEST_EXPECT_MSG_EQ((frame.kind == FrameKind::RNR_NAK), (name == "nak_rnr"), name);
        if (frame.flags & Frame::IMMEDIATE)
        {
            NS_TEST_EXPECT_MSG_EQ(frame.messageBytes, 0xCAFEF00D, name);
        }
        else if (frame.kind == FrameKind::RNR_NAK)
        {
            NS_TEST_EXPECT_MSG_EQ(frame.messageBytes, (fields.syndrome & 0x1F), name);
        }
        else if (frame.kind != FrameKind::READ_RESPONSE)
        {
            NS_TEST_EXPECT_MSG_EQ(frame.messageBytes, fields.dmaLength, name);
        }
        if (HasReth(fields.opcode))
        {
            NS_TEST_EXPECT_MSG_EQ(frame.offset, 0x7F0000001000, name);
        }
        NS_TEST_EXPECT_MSG_EQ((frame.kind == FrameKind::NAK), (name == "nak_psn_seq"), name);
        if (fields.opcode == RoceOpcode::ACKNOWLEDGE)
        {
            NS_TEST_EXPECT_MSG_EQ(frame.msn, fields.msn, name);
        }
        NS_TEST_EXPECT_MSG_EQ(frame.bytes + (fields.vlan ? 4 : 0) + wire::PREAMBLE_IFG,
                              FindVector(name).bytesOnWire,
                              name);
    }

    /// Written again, all is the same but what a frame does not carry.
    void CheckWritten(const RoceFields& fields, const Frame& frame)
    {
        const std::string name = fields.name;
        Bytes expected = FromHex(FindVector(name).hex);
        if (fields.vlan)
        {
            expected.erase(expected.begin() + 12, expected.begin() + 16);
        }
        Bytes written = ToBytes(MakeWirePacket(frame, m_book));
        NS_TEST_ASSERT_MSG_EQ(written.size(), expected.size(), name);
        // Identification, IPv4 checksum, ICRC; solicited event.
        std::vector<std::size_t> free{18, 19, 24, 25};
        for (std::size_t i = 1; i <= 4; ++i)
        {
            free.push_back(expected.size() - i);
        }
        if (HasReth(fields.opcode)) // R_Key
        {
            free.insert(free.end(), {62, 63, 64, 65});
        }
        if (fields.solicited)
        {
            free.push_back(43);
        }
        if (fields.opcode == RoceOpcode::READ_RESPONSE_ONLY) // MSN
        {
            free.insert(free.end(), {55, 56, 57});
        }
        for (const std::size_t i : free)
        {
            written[i] = expected[i];
        }
        NS_TEST_EXPECT_MSG_EQ(ToHex(written), ToHex(expected), name);
    }

    const TestAddresses m_book; //!< addresses
};

/// @ingroup llm-training-tests
/// Marking and forwarding do not touch the ICRC.
class IcrcInvarianceTestCase : public TestCase
{
  public:
    IcrcInvarianceTestCase()
        : TestCase("a CE mark and a lower TTL change TOS, TTL and checksum, not the ICRC")
    {
    }

  private:
    void DoRun() override
    {
        const TestAddresses book;
        Frame frame = MakeFrame(FrameKind::WRITE, Frame::FIRST | Frame::ECT, 1000);
        frame.messageBytes = 5000;
        const Bytes before = ToBytes(MakeWirePacket(frame, book));
        frame.flags |= Frame::CE;
        frame.ttl -= 2;
        const Bytes after = ToBytes(MakeWirePacket(frame, book));
        std::vector<std::size_t> changed;
        for (std::size_t i = 0; i < before.size(); ++i)
        {
            if (before[i] != after[i])
            {
                changed.push_back(i);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((changed == std::vector<std::size_t>{15, 22, 24, 25}), true, "bytes");
        NS_TEST_EXPECT_MSG_EQ(+before[15], (26 << 2 | 2), "ECT(0)");
        NS_TEST_EXPECT_MSG_EQ(+after[15], (26 << 2 | 3), "CE");

        frame.psn += 1;
        const Bytes other = ToBytes(MakeWirePacket(frame, book));
        NS_TEST_EXPECT_MSG_NE(ToHex(Bytes(other.end() - 4, other.end())),
                              ToHex(Bytes(after.end() - 4, after.end())),
                              "another PSN, another ICRC");
    }
};

/// @ingroup llm-training-tests
/// What the fabric reckons with is what stands on the wire.
class FrameBytesTestCase : public TestCase
{
  public:
    FrameBytesTestCase()
        : TestCase("Frame::bytes equals the bytes made, for every kind")
    {
    }

  private:
    /// One frame: expected size with FCS.
    void Check(const Frame& frame, uint32_t expected)
    {
        const TestAddresses book;
        const std::string what = "kind " + std::to_string(static_cast<int>(frame.kind)) +
                                 " flags " + std::to_string(frame.flags) + " payload " +
                                 std::to_string(frame.payload);
        NS_TEST_EXPECT_MSG_EQ(ComputeFrameBytes(frame), expected, what);
        NS_TEST_EXPECT_MSG_EQ(MakeWirePacket(frame, book, true)->GetSize(), expected, what);
        NS_TEST_EXPECT_MSG_EQ(MakeWirePacket(frame, book, false)->GetSize(), expected - 4, what);
    }

    void DoRun() override
    {
        const uint8_t only = Frame::FIRST | Frame::LAST;
        for (const auto& [payload, padded] : {std::pair<uint16_t, uint32_t>{4, 4},
                                              {5, 8},
                                              {1000, 1000},
                                              {4095, 4096},
                                              {4096, 4096}})
        {
            Check(MakeFrame(FrameKind::WRITE, Frame::FIRST, payload), 78 + padded);
            Check(MakeFrame(FrameKind::WRITE, 0, payload), 62 + padded);
            Check(MakeFrame(FrameKind::WRITE, Frame::LAST, payload), 62 + padded);
            Check(MakeFrame(FrameKind::WRITE, only, payload), 78 + padded);
            Check(MakeFrame(FrameKind::SEND, Frame::FIRST, payload), 62 + padded);
            Check(MakeFrame(FrameKind::SEND, only, payload), 62 + padded);
            Check(MakeFrame(FrameKind::READ_RESPONSE, Frame::FIRST, payload), 66 + padded);
            Check(MakeFrame(FrameKind::READ_RESPONSE, 0, payload), 62 + padded);
            Check(MakeFrame(FrameKind::READ_RESPONSE, Frame::LAST, payload), 66 + padded);
            Check(MakeFrame(FrameKind::READ_RESPONSE, only, payload), 66 + padded);
        }
        Check(MakeFrame(FrameKind::WRITE, only, 0), 78);
        Check(MakeFrame(FrameKind::SEND, only, 0), wire::MIN_FRAME);
        Check(MakeFrame(FrameKind::READ_REQUEST), 78);
        Check(MakeFrame(FrameKind::ACK), wire::ACK_FRAME);
        Check(MakeFrame(FrameKind::NAK), 66);
        Check(MakeFrame(FrameKind::RNR_NAK), 66);
        Check(MakeFrame(FrameKind::SEND, only | Frame::IMMEDIATE, 8), 74);
        Check(MakeFrame(FrameKind::WRITE, only | Frame::IMMEDIATE, 8), 90);
        Check(MakeFrame(FrameKind::WRITE, Frame::LAST | Frame::IMMEDIATE, 8), 74);
        Check(MakeFrame(FrameKind::CNP), wire::CNP_FRAME);
        Check(MakeFrame(FrameKind::PFC), 64);

        // A WRITE of 1 MiB on the wire, by path MTU.
        for (const auto& [mtu, onWire] : {std::pair<uint32_t, uint32_t>{256, 1384464},
                                          {512, 1216528},
                                          {1024, 1132560},
                                          {2048, 1090576},
                                          {4096, 1069584}})
        {
            uint32_t sum = 0;
            for (uint32_t sent = 0; sent < 1048576; sent += mtu)
            {
                const int flags =
                    (sent == 0 ? Frame::FIRST : 0) | (sent + mtu == 1048576 ? Frame::LAST : 0);
                sum += MakeFrame(FrameKind::WRITE,
                                 static_cast<uint8_t>(flags),
                                 static_cast<uint16_t>(mtu))
                           .WireBytes();
            }
            NS_TEST_EXPECT_MSG_EQ(sum, onWire, "path MTU " << mtu);
        }
    }
};

/// @ingroup llm-training-tests
/// Frames survive the way over real bytes.
class RoundTripTestCase : public TestCase
{
  public:
    RoundTripTestCase()
        : TestCase("random frames of every RDMA kind come back from their bytes")
    {
    }

  private:
    /// @return a frame with random fields
    Frame Draw(std::mt19937& random)
    {
        const FrameKind kinds[] = {FrameKind::WRITE,
                                   FrameKind::SEND,
                                   FrameKind::READ_RESPONSE,
                                   FrameKind::READ_REQUEST,
                                   FrameKind::ACK,
                                   FrameKind::NAK,
                                   FrameKind::RNR_NAK,
                                   FrameKind::CNP};
        const FrameKind kind = kinds[random() % 8];
        const bool data = kind <= FrameKind::READ_RESPONSE;
        // On data the bit of BECN is Frame::INT, which is not on the wire.
        uint32_t flags =
            random() & (Frame::ACK_REQ | Frame::ECT | (data ? +Frame::ECT : +Frame::BECN));
        flags |= data ? random() & (Frame::FIRST | Frame::LAST) : 0;
        const bool mayImmediate = kind == FrameKind::WRITE || kind == FrameKind::SEND;
        flags |= mayImmediate && flags & Frame::LAST && random() % 2 ? +Frame::IMMEDIATE : 0;
        flags |= flags & Frame::ECT && random() % 2 ? Frame::CE : 0;
        flags |= kind == FrameKind::CNP ? +Frame::BECN : 0;
        // SEND of less than a word would be padded by Ethernet; its length is then unknown.
        Frame frame = MakeFrame(kind,
                                static_cast<uint8_t>(flags),
                                static_cast<uint16_t>(data ? 1 + random() % 4096 : 0));
        const bool hasReth = kind == FrameKind::READ_REQUEST ||
                             (kind == FrameKind::WRITE && (flags & Frame::FIRST) != 0);
        if (hasReth)
        {
            frame.offset = static_cast<uint64_t>(random()) << 32 | random();
            frame.messageBytes = random();
        }
        if (flags & Frame::IMMEDIATE)
        {
            frame.messageBytes = random();
        }
        if (kind == FrameKind::RNR_NAK)
        {
            frame.messageBytes = random() % 32;
        }
        if (kind == FrameKind::READ_RESPONSE && flags & (Frame::FIRST | Frame::LAST))
        {
            frame.messageBytes = random() & 0xFFFFFF;
        }
        if (kind == FrameKind::ACK || kind == FrameKind::NAK || kind == FrameKind::RNR_NAK)
        {
            frame.msn = random() & 0xFFFFFF;
        }
        frame.source = random() % 200;
        frame.destination = random() % 200;
        frame.queuePair = random() & 0xFFFFFF;
        frame.psn = random() & 0xFFFFFF;
        frame.entropy = static_cast<uint16_t>(random());
        frame.trafficClass = random() % 8;
        frame.ttl = static_cast<uint8_t>(random());
        return frame;
    }

    void DoRun() override
    {
        const TestAddresses book;
        const DscpTable odd{1, 2, 3, 4, 5, 6, 7, 63};
        std::mt19937 random(7);
        for (int i = 0; i < 1000; ++i)
        {
            const Frame sent = Draw(random);
            const bool fcs = i % 2 == 0;
            const DscpTable& dscp = i % 3 == 0 ? odd : DEFAULT_DSCP;
            const Ptr<Packet> packet = MakeWirePacket(sent, book, fcs, Mac48Address(), dscp);
            Frame got;
            NS_TEST_ASSERT_MSG_EQ(ParseWirePacket(packet, fcs, book, got, dscp), "", "frame " << i);
            NS_TEST_ASSERT_MSG_EQ((got.kind == sent.kind), true, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(+got.flags, +sent.flags, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.offset, sent.offset, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.messageBytes, sent.messageBytes, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.source, sent.source, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.destination, sent.destination, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.queuePair, sent.queuePair, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.psn, sent.psn, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.payload, sent.payload, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.bytes, sent.bytes, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.entropy, sent.entropy, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(+got.trafficClass, +sent.trafficClass, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(+got.ttl, +sent.ttl, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.time, 0, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ(got.sentAt, 0, "frame " << i);
        }
    }
};

/// @ingroup llm-training-tests
/// 24 bits.
class WrapTestCase : public TestCase
{
  public:
    WrapTestCase()
        : TestCase("PSN, QP number and MSN wrap at 24 bits on the wire")
    {
    }

  private:
    void DoRun() override
    {
        const TestAddresses book;
        for (const auto& [inside, onWire] : {std::pair<uint32_t, uint32_t>{0x00FFFFFF, 0xFFFFFF},
                                             {0x01000000, 0},
                                             {0x01000001, 1},
                                             {0xFFFFFFFF, 0xFFFFFF}})
        {
            Frame frame = MakeFrame(FrameKind::ACK);
            frame.psn = inside;
            frame.queuePair = inside;
            frame.msn = 0xABC000000 + inside;
            Frame back;
            NS_TEST_EXPECT_MSG_EQ(ParseWirePacket(MakeWirePacket(frame, book), false, book, back),
                                  "",
                                  inside);
            NS_TEST_EXPECT_MSG_EQ(back.psn, onWire, inside);
            NS_TEST_EXPECT_MSG_EQ(back.queuePair, onWire, inside);
            NS_TEST_EXPECT_MSG_EQ(back.msn, onWire, inside);
            NS_TEST_EXPECT_MSG_EQ(+back.flags, 0, "no neighbouring bit is set");
        }
    }
};

/// @ingroup llm-training-tests
/// Damage is noticed.
class DamageTestCase : public TestCase
{
  public:
    DamageTestCase()
        : TestCase("a flipped bit or a cut frame is refused with a reason")
    {
    }

  private:
    void DoRun() override
    {
        const TestAddresses book;
        Frame frame = MakeFrame(FrameKind::WRITE, Frame::FIRST | Frame::LAST, 21);
        frame.messageBytes = 21;
        const Bytes whole = ToBytes(MakeWirePacket(frame, book, true));
        Frame back;
        for (std::size_t bit = 0; bit < whole.size() * 8; ++bit)
        {
            Bytes damaged = whole;
            damaged[bit / 8] = static_cast<uint8_t>(damaged[bit / 8] ^ 1 << bit % 8);
            NS_TEST_EXPECT_MSG_EQ(ParseWirePacket(ToPacket(damaged), true, book, back),
                                  "wrong FCS",
                                  "bit " << bit);
            damaged.resize(whole.size() - 4);
            // Not covered without FCS: Ethernet, TOS and TTL by the IPv4 checksum only, UDP
            // checksum, FECN and BECN.
            const std::size_t byte = bit / 8;
            const bool covered =
                byte >= 15 && byte < damaged.size() && byte != 40 && byte != 41 && byte != 46;
            const std::string wrong = ParseWirePacket(ToPacket(damaged), false, book, back);
            if (covered && wrong.empty() && back.kind == FrameKind::PACKET)
            {
                // Another UDP port: no RoCE any more.
                NS_TEST_EXPECT_MSG_EQ((byte == 36 || byte == 37), true, "bit " << bit);
                back.packet->Unref();
            }
            else if (covered)
            {
                NS_TEST_EXPECT_MSG_NE(wrong, "", "bit " << bit);
            }
            else if (wrong.empty() && back.kind == FrameKind::PACKET)
            {
                back.packet->Unref();
            }
        }
        for (std::size_t size = 0; size < whole.size() - 4; ++size)
        {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
            NS_TEST_EXPECT_MSG_NE(ParseWirePacket(ToPacket(cut), false, book, back),
                                  "",
                                  size << " bytes");
        }
    }
};

/// @return an IPv4/UDP packet of the ordinary stack
Ptr<Packet>
MakeOrdinaryPacket(uint32_t payload, bool withChecksum = true)
{
    const TestAddresses book;
    Ptr<Packet> packet = Create<Packet>(payload);
    UdpHeader udp;
    udp.SetSourcePort(1000);
    udp.SetDestinationPort(9);
    packet->AddHeader(udp);
    Ipv4Header ipv4;
    if (withChecksum)
    {
        ipv4.EnableChecksum();
    }
    ipv4.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    ipv4.SetTtl(64);
    ipv4.SetProtocol(17);
    ipv4.SetSource(book.GetIpv4(2));
    ipv4.SetDestination(book.GetIpv4(3));
    packet->AddHeader(ipv4);
    return packet;
}

/// @return a frame that carries a packet; the caller keeps the packet alive
Frame
MakePacketFrame(Ptr<Packet> packet, uint32_t etherType, uint32_t destination)
{
    Frame frame = MakeFrame(FrameKind::PACKET);
    frame.packet = PeekPointer(packet);
    frame.messageBytes = etherType;
    frame.source = 2;
    frame.destination = destination;
    frame.bytes = static_cast<uint16_t>(ComputeFrameBytes(frame));
    return frame;
}

/// @return an ARP request
Ptr<Packet>
MakeArpPacket()
{
    const TestAddresses book;
    ArpHeader arp;
    arp.SetRequest(book.GetMac(2), book.GetIpv4(2), Mac48Address::GetBroadcast(), book.GetIpv4(3));
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(arp);
    return packet;
}

/// @ingroup llm-training-tests
/// Frames of the ordinary stack.
class OrdinaryPacketTestCase : public TestCase
{
  public:
    OrdinaryPacketTestCase()
        : TestCase("a frame of the ordinary stack gets Ethernet around its packet, and back")
    {
    }

  private:
    void DoRun() override
    {
        const TestAddresses book;
        const Ptr<Packet> packet = MakeOrdinaryPacket(100);
        const Bytes inside = ToBytes(packet);
        const Frame frame = MakePacketFrame(packet, 0x0800, 3);
        NS_TEST_EXPECT_MSG_EQ(frame.bytes, 14 + 128 + 4, "size");
        const Ptr<Packet> whole = MakeWirePacket(frame, book, true);
        NS_TEST_EXPECT_MSG_EQ(whole->GetSize(), frame.bytes, "size");
        NS_TEST_EXPECT_MSG_EQ(ToHex(ToBytes(packet)), ToHex(inside), "the packet stays as it was");
        Frame back;
        NS_TEST_ASSERT_MSG_EQ(ParseWirePacket(whole, true, book, back), "", "read");
        NS_TEST_ASSERT_MSG_EQ((back.kind == FrameKind::PACKET), true, "kind");
        NS_TEST_EXPECT_MSG_EQ(back.source, 2, "source");
        NS_TEST_EXPECT_MSG_EQ(back.destination, 3, "destination");
        NS_TEST_EXPECT_MSG_EQ(back.messageBytes, 0x0800, "EtherType");
        NS_TEST_EXPECT_MSG_EQ(back.bytes, frame.bytes, "size");
        const Ptr<Packet> layer3(back.packet, false);
        NS_TEST_EXPECT_MSG_EQ(ToHex(ToBytes(layer3)), ToHex(inside), "layer 3");

        // What the fabric did to it shows, and only there.
        Frame marked = frame;
        marked.ttl = 61;
        marked.flags = Frame::ECT | Frame::CE;
        const Bytes seen = ToBytes(MakeWirePacket(marked, book));
        NS_TEST_EXPECT_MSG_EQ(+seen[14 + 1], 3, "CE");
        NS_TEST_EXPECT_MSG_EQ(+seen[14 + 8], 61, "TTL");
        NS_TEST_ASSERT_MSG_EQ(ParseWirePacket(ToPacket(seen), false, book, back),
                              "",
                              "with a right checksum");
        back.packet->Unref();
        // Most ns-3 simulations go without IPv4 checksums.
        const Ptr<Packet> unchecked = MakeOrdinaryPacket(100, false);
        NS_TEST_ASSERT_MSG_EQ(
            ParseWirePacket(MakeWirePacket(MakePacketFrame(unchecked, 0x0800, 3), book),
                            false,
                            book,
                            back),
            "",
            "without a checksum");
        NS_TEST_EXPECT_MSG_EQ(ToHex(ToBytes(Ptr<Packet>(back.packet, false))),
                              ToHex(ToBytes(unchecked)),
                              "layer 3 without a checksum");
        NS_TEST_EXPECT_MSG_EQ(ToHex(ToBytes(packet)), ToHex(inside), "the packet stays as it was");

        // Shorter than Ethernet allows: padded, and IPv4 is cut to its length again.
        const Ptr<Packet> tiny = MakeOrdinaryPacket(1);
        const Frame small = MakePacketFrame(tiny, 0x0800, 3);
        NS_TEST_EXPECT_MSG_EQ(small.bytes, 64, "shortest frame");
        NS_TEST_ASSERT_MSG_EQ(ParseWirePacket(MakeWirePacket(small, book), false, book, back),
                              "",
                              "read");
        const Ptr<Packet> cut(back.packet, false);
        NS_TEST_EXPECT_MSG_EQ(cut->GetSize(), 29, "padding is gone");

        const Ptr<Packet> arp = MakeArpPacket();
        const Frame broadcast = MakePacketFrame(arp, 0x0806, BROADCAST_ENDPOINT);
        const Bytes bytes = ToBytes(MakeWirePacket(broadcast, book));
        NS_TEST_EXPECT_MSG_EQ(bytes.size(), 60, "padded");
        NS_TEST_EXPECT_MSG_EQ(ToHex(Bytes(bytes.begin(), bytes.begin() + 14)),
                              "ffffffffffff0200000000030806",
                              "Ethernet header");
    }
};

/// @ingroup llm-training-tests
/// ACKs and NAKs that name a packet.
class SelectiveTestCase : public TestCase
{
  public:
    SelectiveTestCase()
        : TestCase("an ACK or NAK that names a packet is 4 bytes longer and comes back whole")
    {
    }

  private:
    void DoRun() override
    {
        const TestAddresses book;
        for (const FrameKind kind : {FrameKind::ACK, FrameKind::NAK})
        {
            for (const uint8_t trimmed : {0, +Frame::TRIMMED})
            {
                if (trimmed && kind == FrameKind::ACK)
                {
                    continue;
                }
                Frame frame =
                    MakeFrame(kind, static_cast<uint8_t>(Frame::ECT | Frame::SELECTIVE | trimmed));
                frame.messageBytes = 0xABCDEF;
                frame.msn = 7;
                NS_TEST_EXPECT_MSG_EQ(frame.bytes, wire::ACK_FRAME + 4, "length");
                const Ptr<Packet> packet = MakeWirePacket(frame, book);
                const Bytes bytes = ToBytes(packet);
                NS_TEST_ASSERT_MSG_EQ(bytes.size(), wire::ACK_FRAME, "without FCS");
                // Ethernet, IPv4, UDP, BTH, AETH
                const Bytes behind(bytes.begin() + 58, bytes.begin() + 62);
                const Bytes expected{static_cast<uint8_t>(trimmed ? 2 : 1), 0xAB, 0xCD, 0xEF};
                NS_TEST_EXPECT_MSG_EQ((behind == expected), true, "what is behind the AETH");
                Frame back{};
                NS_TEST_ASSERT_MSG_EQ(ParseWirePacket(packet, false, book, back), "", "read");
                NS_TEST_EXPECT_MSG_EQ((back.kind == kind), true, "kind");
                NS_TEST_EXPECT_MSG_EQ(+back.flags, +frame.flags, "flags");
                NS_TEST_EXPECT_MSG_EQ(back.messageBytes, 0xABCDEF, "packet");
                NS_TEST_EXPECT_MSG_EQ(back.msn, 7, "MSN");
                NS_TEST_EXPECT_MSG_EQ(back.payload, 0, "no payload");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The real dissector.
class DissectorTestCase : public TestCase
{
  public:
    explicit DissectorTestCase(bool withFcs)
        : TestCase(std::string("tshark dissects every kind of frame, ") +
                   (withFcs ? "with" : "without") + " FCS"),
          m_withFcs(withFcs)
    {
    }

  private:
    /// @return what a command prints
    static std::vector<std::string> Run(const std::string& command)
    {
        std::vector<std::string> lines;
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
        std::string text;
        char buffer[4096];
        while (pipe && fgets(buffer, sizeof(buffer), pipe.get()))
        {
            text += buffer;
        }
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);)
        {
            lines.push_back(line);
        }
        return lines;
    }

    /// Append a frame to the file.
    void Write(const Frame& frame)
    {
        const TestAddresses book;
        ++m_frames;
        // The second number is nanoseconds in this mode.
        m_file.Write(1,
                     1000 * m_frames + 7,
                     MakeWirePacket(frame, book, m_withFcs, book.GetMac(9)));
    }

    /// A file with every kind.
    void WriteAll(const std::string& name)
    {
        m_file.Open(name, std::ios::out | std::ios::binary);
        // f bit and length of the FCS in the network field; ns-3 writes the field as it is.
        m_file.Init(m_withFcs ? 0x24000001 : 1, PcapFile::SNAPLEN_DEFAULT, 0, false, true);
        Frame frame = MakeFrame(FrameKind::WRITE, Frame::FIRST | Frame::ECT, 1024);
        frame.messageBytes = 3000;
        frame.offset = 0x100000000;
        Write(frame);
        frame = MakeFrame(FrameKind::WRITE, Frame::ECT | Frame::CE, 1024);
        frame.psn = 0x1000000;
        Write(frame);
        Write(MakeFrame(FrameKind::WRITE, Frame::LAST | Frame::ECT | Frame::ACK_REQ, 951));
        Write(MakeFrame(FrameKind::SEND, Frame::FIRST | Frame::LAST | Frame::ECT, 17));
        frame = MakeFrame(FrameKind::SEND, Frame::FIRST | Frame::LAST | Frame::IMMEDIATE, 16);
        frame.messageBytes = 0x12345678;
        Write(frame);
        frame = MakeFrame(FrameKind::RNR_NAK);
        frame.messageBytes = 14;
        Write(frame);
        frame = MakeFrame(FrameKind::READ_REQUEST, Frame::ECT);
        frame.messageBytes = 2048;
        Write(frame);
        Write(MakeFrame(FrameKind::READ_RESPONSE, Frame::FIRST | Frame::ECT, 1024));
        frame = MakeFrame(FrameKind::ACK, Frame::ECT);
        frame.msn = 42;
        Write(frame);
        Write(MakeFrame(FrameKind::NAK, Frame::ECT));
        frame = MakeFrame(FrameKind::ACK, Frame::ECT | Frame::SELECTIVE);
        frame.messageBytes = 105;
        Write(frame);
        frame = MakeFrame(FrameKind::NAK, Frame::ECT | Frame::SELECTIVE | Frame::TRIMMED);
        frame.messageBytes = 0x1000002;
        Write(frame);
        frame = MakeFrame(FrameKind::WRITE, Frame::ECT, 1024);
        frame.offset = 0x2000;
        frame.bytes += wire::RETH; // out-of-order placement
        Write(frame);
        frame = MakeFrame(FrameKind::CNP);
        frame.trafficClass = 6;
        frame.psn = 0;
        Write(frame);
        Write(MakePfcFrame({{3, 0xFFFF}}));
        const Ptr<Packet> ordinary = MakeOrdinaryPacket(100);
        Write(MakePacketFrame(ordinary, 0x0800, 3));
        const Ptr<Packet> arp = MakeArpPacket();
        Write(MakePacketFrame(arp, 0x0806, BROADCAST_ENDPOINT));
        m_file.Close();
    }

    /// A file with a frame cut in the BTH and one with a wrong IPv4 checksum.
    void WriteBroken(const std::string& name)
    {
        const TestAddresses book;
        m_file.Open(name, std::ios::out | std::ios::binary);
        m_file.Init(1, PcapFile::SNAPLEN_DEFAULT, 0, false, true);
        Bytes cut = ToBytes(MakeWirePacket(MakeFrame(FrameKind::ACK), book));
        cut.resize(14 + 20 + 8 + 6);
        cut[17] = 20 + 8 + 6;
        cut[39] = 8 + 6;
        m_file.Write(1, 0, cut.data(), static_cast<uint32_t>(cut.size()));
        Bytes wrong = ToBytes(MakeWirePacket(MakeFrame(FrameKind::ACK), book));
        ++wrong[25];
        m_file.Write(1, 0, wrong.data(), static_cast<uint32_t>(wrong.size()));
        m_file.Close();
    }

    /// @return the frames that tshark finds fault with
    static std::vector<std::string> FindBad(const std::string& name)
    {
        return Run("tshark -n -r '" + name +
                   "' -o ip.check_checksum:TRUE -o eth.check_fcs:TRUE "
                   "-Y '_ws.malformed or _ws.short or ip.checksum.status==0 or "
                   "eth.fcs.status==0 or eth.trailer or udp.length.bad' 2>/dev/null");
    }

    void DoRun() override
    {
        const std::string name = CreateTempDirFilename(m_withFcs ? "fcs.pcap" : "plain.pcap");
        const std::string broken = CreateTempDirFilename("broken.pcap");
        WriteAll(name);
        WriteBroken(broken);
        if (Run("command -v tshark").empty())
        {
            std::cerr << "tshark is not installed: dissection not checked\n";
            return;
        }
        const std::vector<std::string> bad = FindBad(name);
        NS_TEST_EXPECT_MSG_EQ(bad.size(), 0, (bad.empty() ? "" : bad[0]));
        NS_TEST_EXPECT_MSG_NE(FindBad(broken).size(), 0, "the dissector finds faults");

        // Opcode, PSN, QP, padding, AckReq, VA, DMALen, syndrome, MSN, DSCP, ECN, PFC quanta of
        // class 3, UDP source port, ARP opcode; the time and length in front.
        const std::string expected[] = {
            "6,100,0x000022,0,0,0x0000000100000000,3000,,,26,2,,50000,",
            "7,0,0x000022,0,0,,,,,26,3,,50000,",
            "8,100,0x000022,1,1,,,,,26,2,,50000,",
            "4,100,0x000022,3,0,,,,,26,2,,50000,",
            "5,100,0x000022,0,0,,,,,26,0,,50000,",
            "17,100,0x000022,0,0,,,46,0,26,0,,50000,",
            "12,100,0x000022,0,0,0x0000000000000000,2048,,,26,2,,50000,",
            "13,100,0x000022,0,0,,,31,0,26,2,,50000,",
            "17,100,0x000022,0,0,,,31,42,26,2,,50000,",
            "17,100,0x000022,0,0,,,96,0,26,2,,50000,",
            "17,100,0x000022,0,0,,,31,0,26,2,,50000,",
            "17,100,0x000022,0,0,,,96,0,26,2,,50000,",
            "10,100,0x000022,0,0,0x0000000000002000,1024,,,26,2,,50000,",
            "129,0,0x000022,0,0,,,,,48,0,,50000,",
            ",,,,,,,,,,,65535,,",
            ",,,,,,,,,0,0,,1000,",
            ",,,,,,,,,,,,,1"};
        const uint32_t sizes[] =
            {1098, 1082, 1010, 78, 78, 62, 74, 1086, 62, 62, 66, 66, 1098, 74, 60, 142, 60};
        const std::vector<std::string> lines =
            Run("tshark -n -r '" + name +
                "' -T fields -E separator=, -E occurrence=f -e frame.time_epoch -e frame.len "
                "-e infiniband.bth.opcode -e infiniband.bth.psn -e infiniband.bth.destqp "
                "-e infiniband.bth.padcnt -e infiniband.bth.a -e infiniband.reth.va "
                "-e infiniband.reth.dmalen -e infiniband.aeth.syndrome -e infiniband.aeth.msn "
                "-e ip.dsfield.dscp -e ip.dsfield.ecn -e macc.cbfc.pause_time.c3 -e udp.srcport "
                "-e arp.opcode 2>/dev/null");
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 17, "frames");
        for (std::size_t i = 0; i < lines.size(); ++i)
        {
            char start[64];
            std::snprintf(start,
                          sizeof(start),
                          "1.%09u,%u,",
                          static_cast<uint32_t>(1000 * (i + 1) + 7),
                          sizes[i] + (m_withFcs ? wire::FCS : 0));
            NS_TEST_EXPECT_MSG_EQ(PlainBooleans(lines[i]), start + expected[i], "frame " << i + 1);
        }
    }

    /// @return a line in which newer versions' True and False are 1 and 0
    static std::string PlainBooleans(std::string line)
    {
        for (const auto& [word, digit] :
             {std::pair<std::string, std::string>{",True,", ",1,"}, {",False,", ",0,"}})
        {
            const std::size_t place = line.find(word);
            if (place != std::string::npos)
            {
                line.replace(place, word.size(), digit);
            }
        }
        return line;
    }

    const bool m_withFcs; //!< which kind of file
    PcapFile m_file;      //!< written
    uint32_t m_frames{0}; //!< in it
};

/// @ingroup llm-training-tests
/// The suite of the wire format.
class LlmTrainingWireTestSuite : public TestSuite
{
  public:
    LlmTrainingWireTestSuite()
        : TestSuite("llm-training-wire", Type::UNIT)
    {
        AddTestCase(new RoceVectorsTestCase);
        AddTestCase(new PfcVectorsTestCase);
        AddTestCase(new FrameVectorsTestCase);
        AddTestCase(new IcrcInvarianceTestCase);
        AddTestCase(new FrameBytesTestCase);
        AddTestCase(new RoundTripTestCase);
        AddTestCase(new WrapTestCase);
        AddTestCase(new DamageTestCase);
        AddTestCase(new OrdinaryPacketTestCase);
        AddTestCase(new SelectiveTestCase);
        AddTestCase(new DissectorTestCase(false));
        AddTestCase(new DissectorTestCase(true));
    }
};

LlmTrainingWireTestSuite g_llmTrainingWireTestSuite; //!< registers the suite

} // namespace
