/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pfc-header.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(PfcHeader);

Mac48Address
PfcHeader::GetDestination()
{
    return Mac48Address("01:80:c2:00:00:01");
}

TypeId
PfcHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::PfcHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<PfcHeader>();
    return tid;
}

TypeId
PfcHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
PfcHeader::Print(std::ostream& os) const
{
    os << "classes=" << static_cast<uint32_t>(m_classes) << " quanta=";
    for (uint32_t i = 0; i < 8; ++i)
    {
        os << (i > 0 ? "," : "") << m_quanta[i];
    }
}

uint32_t
PfcHeader::GetSerializedSize() const
{
    return SIZE;
}

void
PfcHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_opcode);
    start.WriteHtonU16(m_classes);
    for (const uint16_t quanta : m_quanta)
    {
        start.WriteHtonU16(quanta);
    }
}

uint32_t
PfcHeader::Deserialize(Buffer::Iterator start)
{
    m_opcode = start.ReadNtohU16();
    m_classes = static_cast<uint8_t>(start.ReadNtohU16());
    for (uint16_t& quanta : m_quanta)
    {
        quanta = start.ReadNtohU16();
    }
    return SIZE;
}

void
PfcHeader::SetPause(uint8_t trafficClass, uint16_t quanta)
{
    m_classes = static_cast<uint8_t>(m_classes | 1 << trafficClass);
    m_quanta.at(trafficClass) = quanta;
}

uint8_t
PfcHeader::GetClasses() const
{
    return m_classes;
}

uint16_t
PfcHeader::GetQuanta(uint8_t trafficClass) const
{
    return m_quanta.at(trafficClass);
}

bool
PfcHeader::IsPfc() const
{
    return m_opcode == OPCODE;
}

} // namespace llm
} // namespace ns3
