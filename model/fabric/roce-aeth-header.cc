/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-aeth-header.h"

#include "ns3/fabric-frame.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RoceAethHeader);

TypeId
RoceAethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RoceAethHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RoceAethHeader>();
    return tid;
}

TypeId
RoceAethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceAethHeader::Print(std::ostream& os) const
{
    os << "syndrome=" << static_cast<uint32_t>(m_syndrome) << " msn=" << m_msn;
}

uint32_t
RoceAethHeader::GetSerializedSize() const
{
    return wire::AETH;
}

void
RoceAethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(static_cast<uint32_t>(m_syndrome) << 24 | m_msn);
}

uint32_t
RoceAethHeader::Deserialize(Buffer::Iterator start)
{
    const uint32_t word = start.ReadNtohU32();
    m_syndrome = static_cast<uint8_t>(word >> 24);
    m_msn = word & 0xFFFFFF;
    return wire::AETH;
}

void
RoceAethHeader::SetSyndrome(uint8_t syndrome)
{
    m_syndrome = syndrome;
}

uint8_t
RoceAethHeader::GetSyndrome() const
{
    return m_syndrome;
}

void
RoceAethHeader::SetMsn(uint32_t msn)
{
    m_msn = msn & 0xFFFFFF;
}

uint32_t
RoceAethHeader::GetMsn() const
{
    return m_msn;
}

} // namespace llm
} // namespace ns3
