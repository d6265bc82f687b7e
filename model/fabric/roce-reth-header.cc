/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-reth-header.h"

#include "ns3/fabric-frame.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RoceRethHeader);

TypeId
RoceRethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RoceRethHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RoceRethHeader>();
    return tid;
}

TypeId
RoceRethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceRethHeader::Print(std::ostream& os) const
{
    os << "va=" << m_virtualAddress << " rkey=" << m_remoteKey << " length=" << m_dmaLength;
}

uint32_t
RoceRethHeader::GetSerializedSize() const
{
    return wire::RETH;
}

void
RoceRethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU64(m_virtualAddress);
    start.WriteHtonU32(m_remoteKey);
    start.WriteHtonU32(m_dmaLength);
}

uint32_t
RoceRethHeader::Deserialize(Buffer::Iterator start)
{
    m_virtualAddress = start.ReadNtohU64();
    m_remoteKey = start.ReadNtohU32();
    m_dmaLength = start.ReadNtohU32();
    return wire::RETH;
}

void
RoceRethHeader::SetVirtualAddress(uint64_t virtualAddress)
{
    m_virtualAddress = virtualAddress;
}

uint64_t
RoceRethHeader::GetVirtualAddress() const
{
    return m_virtualAddress;
}

void
RoceRethHeader::SetRemoteKey(uint32_t remoteKey)
{
    m_remoteKey = remoteKey;
}

uint32_t
RoceRethHeader::GetRemoteKey() const
{
    return m_remoteKey;
}

void
RoceRethHeader::SetDmaLength(uint32_t dmaLength)
{
    m_dmaLength = dmaLength;
}

uint32_t
RoceRethHeader::GetDmaLength() const
{
    return m_dmaLength;
}

} // namespace llm
} // namespace ns3
