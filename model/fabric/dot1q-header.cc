/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dot1q-header.h"

#include "ns3/fabric-frame.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(Dot1qHeader);

TypeId
Dot1qHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::Dot1qHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<Dot1qHeader>();
    return tid;
}

TypeId
Dot1qHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
Dot1qHeader::Print(std::ostream& os) const
{
    os << "priority=" << static_cast<uint32_t>(m_priority) << " vlan=" << m_vlanId << " type=0x"
       << std::hex << m_etherType << std::dec << (m_dropEligible ? " DEI" : "");
}

uint32_t
Dot1qHeader::GetSerializedSize() const
{
    return 4;
}

void
Dot1qHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(
        static_cast<uint16_t>(m_priority << 13 | (m_dropEligible ? 0x1000 : 0) | m_vlanId));
    start.WriteHtonU16(m_etherType);
}

uint32_t
Dot1qHeader::Deserialize(Buffer::Iterator start)
{
    const uint16_t tag = start.ReadNtohU16();
    m_priority = static_cast<uint8_t>(tag >> 13);
    m_dropEligible = (tag & 0x1000) != 0;
    m_vlanId = tag & 0xFFF;
    m_etherType = start.ReadNtohU16();
    return 4;
}

void
Dot1qHeader::SetPriority(uint8_t priority)
{
    m_priority = priority & 7;
}

uint8_t
Dot1qHeader::GetPriority() const
{
    return m_priority;
}

void
Dot1qHeader::SetDropEligible(bool dropEligible)
{
    m_dropEligible = dropEligible;
}

bool
Dot1qHeader::GetDropEligible() const
{
    return m_dropEligible;
}

void
Dot1qHeader::SetVlanId(uint16_t vlanId)
{
    m_vlanId = vlanId & 0xFFF;
}

uint16_t
Dot1qHeader::GetVlanId() const
{
    return m_vlanId;
}

void
Dot1qHeader::SetEtherType(uint16_t etherType)
{
    m_etherType = etherType;
}

uint16_t
Dot1qHeader::GetEtherType() const
{
    return m_etherType;
}

} // namespace llm
} // namespace ns3
