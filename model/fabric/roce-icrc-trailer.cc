/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-icrc-trailer.h"

#include "ns3/assert.h"
#include "ns3/fabric-frame.h"

#include <boost/crc.hpp>
#include <vector>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RoceIcrcTrailer);

namespace
{

/** @return a packet's bytes. */
std::vector<uint8_t>
CopyBytes(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

} // namespace

uint32_t
ComputeFcs(Ptr<const Packet> packet)
{
    const std::vector<uint8_t> bytes = CopyBytes(packet);
    boost::crc_32_type crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

TypeId
RoceIcrcTrailer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RoceIcrcTrailer")
                            .SetParent<Trailer>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RoceIcrcTrailer>();
    return tid;
}

TypeId
RoceIcrcTrailer::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceIcrcTrailer::Print(std::ostream& os) const
{
    os << "icrc=" << m_icrc;
}

uint32_t
RoceIcrcTrailer::GetSerializedSize() const
{
    return wire::ICRC;
}

void
RoceIcrcTrailer::Serialize(Buffer::Iterator end) const
{
    end.Prev(wire::ICRC);
    end.WriteU32(m_icrc); // least significant byte first, on any host
}

uint32_t
RoceIcrcTrailer::Deserialize(Buffer::Iterator end)
{
    end.Prev(wire::ICRC);
    m_icrc = end.ReadU32();
    return wire::ICRC;
}

uint32_t
RoceIcrcTrailer::Compute(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes = CopyBytes(packet);
    NS_ASSERT_MSG(bytes.size() >= wire::IPV4 + wire::UDP + wire::BTH, "too short for RoCEv2");
    const std::size_t variant[] = {1,                           // IPv4 TOS
                                   8,                           // IPv4 TTL
                                   10,                          // IPv4 checksum
                                   11,                          //
                                   wire::IPV4 + 6,              // UDP checksum
                                   wire::IPV4 + 7,              //
                                   wire::IPV4 + wire::UDP + 4}; // BTH FECN, BECN, reserved
    for (const std::size_t position : variant)
    {
        bytes[position] = 0xFF;
    }
    // Eight bytes of ones stand for the InfiniBand local route header that RoCE does not have.
    const std::vector<uint8_t> ones(8, 0xFF);
    boost::crc_32_type crc;
    crc.process_bytes(ones.data(), ones.size());
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

void
RoceIcrcTrailer::SetIcrc(uint32_t icrc)
{
    m_icrc = icrc;
}

uint32_t
RoceIcrcTrailer::GetIcrc() const
{
    return m_icrc;
}

} // namespace llm
} // namespace ns3
