/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-shared-buffer.h"

#include "ns3/llm-config-error.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricSharedBuffer);

TypeId
FabricSharedBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricSharedBuffer")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FabricSharedBuffer>()
            .AddAttribute("Size",
                          "Packet memory of the switch, bytes.",
                          UintegerValue(uint64_t{32} << 20),
                          MakeUintegerAccessor(&FabricSharedBuffer::m_bufferSize),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Reserve",
                          "Guaranteed bytes of each lossless (ingress port, class).",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&FabricSharedBuffer::m_reserveSize),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("XonOffset",
                          "A paused class resumes when its shared bytes are this far below the "
                          "threshold, bytes.",
                          UintegerValue(3072),
                          MakeUintegerAccessor(&FabricSharedBuffer::m_xonOffset),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("LosslessClasses",
                          "Bit per traffic class that PFC protects; 0 turns PFC off.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&FabricSharedBuffer::m_losslessClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Policy",
                          "Threshold of the shared pool.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSharedBuffer::m_policyPtr),
                          MakePointerChecker<FabricBufferPolicy>());
    return tid;
}

FabricSharedBuffer::FabricSharedBuffer()
    : m_bufferSize(uint64_t{32} << 20),
      m_reserveSize(4096),
      m_xonOffset(3072),
      m_losslessClasses(1 << 3)
{
}

FabricSharedBuffer::~FabricSharedBuffer() = default;

void
FabricSharedBuffer::Configure(const std::vector<uint64_t>& headroomPerPort, const std::string& name)
{
    if (!m_policyPtr)
    {
        m_policyPtr = CreateObject<DynamicThreshold>();
    }
    m_policy = PeekPointer(m_policyPtr);
    const std::size_t ports = headroomPerPort.size();
    m_ingress.assign(ports * 8, Share());
    m_egress.assign(ports * 8, Share());
    m_limits.assign(ports * 8, Headroom());
    const auto classes = static_cast<uint64_t>(__builtin_popcount(m_losslessClasses));
    const uint64_t headroom =
        classes * std::accumulate(headroomPerPort.begin(), headroomPerPort.end(), uint64_t{0});
    const uint64_t reserve = classes * ports * m_reserveSize;
    if (headroom + reserve >= m_bufferSize)
    {
        throw ConfigError(
            name,
            "buffer",
            "headroom of " + std::to_string(headroom) + " B and reserve of " +
                std::to_string(reserve) + " B for " + std::to_string(ports) + " ports and " +
                std::to_string(classes) + " lossless classes do not fit into a buffer of " +
                std::to_string(m_bufferSize) + " B; enlarge the buffer or shorten the links");
    }
    m_sharedSize = m_bufferSize - headroom - reserve;
    for (std::size_t port = 0; port < ports; ++port)
    {
        for (uint8_t c = 0; c < 8; ++c)
        {
            m_limits[port * 8 + c].limit = IsLossless(c) ? headroomPerPort[port] : 0;
        }
    }
}

FabricSharedBuffer::Verdict
FabricSharedBuffer::AdmitLossless(uint32_t index, uint32_t bytes)
{
    Share& share = m_ingress[index];
    const uint64_t reserveLeft = m_reserveSize - share.reserved;
    if (bytes <= reserveLeft && share.shared == 0 && share.headroom == 0)
    {
        share.reserved += bytes;
        m_reserved += bytes;
        NotePeak();
        return Verdict::ACCEPT;
    }
    if (share.headroom == 0 && m_shared + bytes <= m_sharedSize &&
        share.shared + bytes <= m_policy->GetThreshold(m_sharedSize, m_shared))
    {
        share.shared += bytes;
        m_shared += bytes;
        NotePeak();
        return Verdict::ACCEPT;
    }
    Headroom& headroom = m_limits[index];
    if (share.headroom + bytes > headroom.limit)
    {
        return Verdict::DROP_HEADROOM;
    }
    share.headroom += bytes;
    headroom.peak = std::max(headroom.peak, share.headroom);
    m_headroom += bytes;
    NotePeak();
    return Verdict::ACCEPT;
}

FabricSharedBuffer::Verdict
FabricSharedBuffer::AdmitLossy(Share& share, uint32_t bytes)
{
    if (m_shared + bytes > m_sharedSize ||
        share.shared + bytes > m_policy->GetThreshold(m_sharedSize, m_shared))
    {
        return Verdict::DROP_BUFFER;
    }
    share.shared += bytes;
    m_shared += bytes;
    NotePeak();
    return Verdict::ACCEPT;
}

void
FabricSharedBuffer::ReleaseLossless(Share& share, uint32_t bytes)
{
    uint64_t left = bytes;
    if (share.headroom)
    {
        const uint64_t part = std::min(left, share.headroom);
        share.headroom -= part;
        m_headroom -= part;
        left -= part;
    }
    const uint64_t part = std::min(left, share.shared);
    share.shared -= part;
    m_shared -= part;
    left -= part;
    share.reserved -= left;
    m_reserved -= left;
}

void
FabricSharedBuffer::ReleaseLossy(Share& share, uint32_t bytes)
{
    share.shared -= bytes;
    m_shared -= bytes;
}

uint64_t
FabricSharedBuffer::GetIngressUsed(uint32_t port, uint8_t trafficClass) const
{
    const Share& share = m_ingress[port * 8 + trafficClass];
    return share.reserved + share.shared + share.headroom;
}

uint64_t
FabricSharedBuffer::GetHeadroomPeak(uint32_t port, uint8_t trafficClass) const
{
    return m_limits[port * 8 + trafficClass].peak;
}

uint64_t
FabricSharedBuffer::GetHeadroomLimit(uint32_t port, uint8_t trafficClass) const
{
    return m_limits[port * 8 + trafficClass].limit;
}

uint64_t
FabricSharedBuffer::GetEgressUsed(uint32_t port, uint8_t trafficClass) const
{
    return m_egress[port * 8 + trafficClass].shared;
}

uint64_t
FabricSharedBuffer::SumOfShares() const
{
    uint64_t sum = 0;
    for (const auto* shares : {&m_ingress, &m_egress})
    {
        for (const Share& share : *shares)
        {
            sum += share.reserved + share.shared + share.headroom;
        }
    }
    return sum;
}

} // namespace llm
} // namespace ns3
