/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-immdt-header.h"

#include "ns3/fabric-frame.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RoceImmDtHeader);

TypeId
RoceImmDtHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RoceImmDtHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RoceImmDtHeader>();
    return tid;
}

TypeId
RoceImmDtHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceImmDtHeader::Print(std::ostream& os) const
{
    os << "immediate=" << m_data;
}

uint32_t
RoceImmDtHeader::GetSerializedSize() const
{
    return wire::IMMDT;
}

void
RoceImmDtHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_data);
}

uint32_t
RoceImmDtHeader::Deserialize(Buffer::Iterator start)
{
    m_data = start.ReadNtohU32();
    return wire::IMMDT;
}

void
RoceImmDtHeader::SetData(uint32_t data)
{
    m_data = data;
}

uint32_t
RoceImmDtHeader::GetData() const
{
    return m_data;
}

} // namespace llm
} // namespace ns3
