/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-bth-header.h"

#include "ns3/fabric-frame.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RoceBthHeader);

bool
HasReth(RoceOpcode opcode)
{
    switch (opcode)
    {
    case RoceOpcode::WRITE_FIRST:
    case RoceOpcode::WRITE_ONLY:
    case RoceOpcode::WRITE_ONLY_IMM:
    case RoceOpcode::READ_REQUEST:
        return true;
    default:
        return false;
    }
}

bool
HasAeth(RoceOpcode opcode)
{
    switch (opcode)
    {
    case RoceOpcode::READ_RESPONSE_FIRST:
    case RoceOpcode::READ_RESPONSE_LAST:
    case RoceOpcode::READ_RESPONSE_ONLY:
    case RoceOpcode::ACKNOWLEDGE:
        return true;
    default:
        return false;
    }
}

bool
HasImmDt(RoceOpcode opcode)
{
    switch (opcode)
    {
    case RoceOpcode::SEND_LAST_IMM:
    case RoceOpcode::SEND_ONLY_IMM:
    case RoceOpcode::WRITE_LAST_IMM:
    case RoceOpcode::WRITE_ONLY_IMM:
        return true;
    default:
        return false;
    }
}

TypeId
RoceBthHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RoceBthHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RoceBthHeader>();
    return tid;
}

TypeId
RoceBthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceBthHeader::Print(std::ostream& os) const
{
    os << "opcode=" << static_cast<uint32_t>(m_opcode) << " qp=" << m_destinationQp
       << " psn=" << m_psn << " pad=" << static_cast<uint32_t>(m_padCount)
       << (m_solicitedEvent ? " SE" : "") << (m_migrationRequest ? " M" : "")
       << (m_fecn ? " FECN" : "") << (m_becn ? " BECN" : "") << (m_ackRequest ? " A" : "");
}

uint32_t
RoceBthHeader::GetSerializedSize() const
{
    return wire::BTH;
}

void
RoceBthHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(static_cast<uint8_t>(m_opcode));
    start.WriteU8(static_cast<uint8_t>((m_solicitedEvent ? 0x80 : 0) |
                                       (m_migrationRequest ? 0x40 : 0) | m_padCount << 4 |
                                       m_transportVersion));
    start.WriteHtonU16(m_partitionKey);
    start.WriteHtonU32((m_fecn ? 0x80000000 : 0) | (m_becn ? 0x40000000 : 0) | m_destinationQp);
    start.WriteHtonU32((m_ackRequest ? 0x80000000 : 0) | m_psn);
}

uint32_t
RoceBthHeader::Deserialize(Buffer::Iterator start)
{
    m_opcode = static_cast<RoceOpcode>(start.ReadU8());
    const uint8_t bits = start.ReadU8();
    m_solicitedEvent = (bits & 0x80) != 0;
    m_migrationRequest = (bits & 0x40) != 0;
    m_padCount = bits >> 4 & 3;
    m_transportVersion = bits & 0x0F;
    m_partitionKey = start.ReadNtohU16();
    const uint32_t third = start.ReadNtohU32();
    m_fecn = (third & 0x80000000) != 0;
    m_becn = (third & 0x40000000) != 0;
    m_destinationQp = third & MASK_24;
    const uint32_t fourth = start.ReadNtohU32();
    m_ackRequest = (fourth & 0x80000000) != 0;
    m_psn = fourth & MASK_24;
    return wire::BTH;
}

void
RoceBthHeader::SetOpcode(RoceOpcode opcode)
{
    m_opcode = opcode;
}

RoceOpcode
RoceBthHeader::GetOpcode() const
{
    return m_opcode;
}

void
RoceBthHeader::SetSolicitedEvent(bool on)
{
    m_solicitedEvent = on;
}

bool
RoceBthHeader::GetSolicitedEvent() const
{
    return m_solicitedEvent;
}

void
RoceBthHeader::SetMigrationRequest(bool on)
{
    m_migrationRequest = on;
}

bool
RoceBthHeader::GetMigrationRequest() const
{
    return m_migrationRequest;
}

void
RoceBthHeader::SetPadCount(uint8_t bytes)
{
    m_padCount = bytes & 3;
}

uint8_t
RoceBthHeader::GetPadCount() const
{
    return m_padCount;
}

void
RoceBthHeader::SetPartitionKey(uint16_t key)
{
    m_partitionKey = key;
}

uint16_t
RoceBthHeader::GetPartitionKey() const
{
    return m_partitionKey;
}

void
RoceBthHeader::SetFecn(bool on)
{
    m_fecn = on;
}

bool
RoceBthHeader::GetFecn() const
{
    return m_fecn;
}

void
RoceBthHeader::SetBecn(bool on)
{
    m_becn = on;
}

bool
RoceBthHeader::GetBecn() const
{
    return m_becn;
}

void
RoceBthHeader::SetDestinationQp(uint32_t queuePair)
{
    m_destinationQp = queuePair & MASK_24;
}

uint32_t
RoceBthHeader::GetDestinationQp() const
{
    return m_destinationQp;
}

void
RoceBthHeader::SetAckRequest(bool on)
{
    m_ackRequest = on;
}

bool
RoceBthHeader::GetAckRequest() const
{
    return m_ackRequest;
}

void
RoceBthHeader::SetPsn(uint32_t psn)
{
    m_psn = psn & MASK_24;
}

uint32_t
RoceBthHeader::GetPsn() const
{
    return m_psn;
}

} // namespace llm
} // namespace ns3
