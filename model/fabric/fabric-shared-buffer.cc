/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-shared-buffer.h"

#include "llm-dynamic-threshold.h"

#include "ns3/double.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/llm-config-error.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>

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
                          MakePointerChecker<FabricBufferPolicy>())
            .AddAttribute("HeadroomOversubscription",
                          "Sum of the headroom of all ports and classes over the memory that is "
                          "set aside for it; above 1 they share a pool of headroom.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&FabricSharedBuffer::m_oversubscription),
                          MakeDoubleChecker<double>(1, 1e6));
    return tid;
}

FabricSharedBuffer::FabricSharedBuffer()
    : m_bufferSize(uint64_t{32} << 20),
      m_reserveSize(4096),
      m_xonOffset(3072),
      m_losslessClasses(1 << 3),
      m_oversubscription(1)
{
}

FabricSharedBuffer::~FabricSharedBuffer() = default;

void
FabricSharedBuffer::Configure(const std::vector<FabricBufferPort>& ports,
                              const FabricEventQueue& events,
                              const std::string& name)
{
    if (!m_policyPtr)
    {
        m_policyPtr = CreateObject<DynamicThreshold>();
    }
    m_policy = PeekPointer(m_policyPtr);
    m_events = &events;
    m_ingress.assign(ports.size() * 8, Share());
    m_egress.assign(ports.size() * 8, Share());
    m_limits.assign(ports.size() * 8, Headroom());
    const auto classes = static_cast<uint64_t>(__builtin_popcount(m_losslessClasses));
    uint64_t headroom = 0;
    for (std::size_t port = 0; port < ports.size(); ++port)
    {
        for (uint8_t c = 0; c < 8; ++c)
        {
            m_limits[port * 8 + c].limit = IsLossless(c) ? ports[port].headroom : 0;
            headroom += m_limits[port * 8 + c].limit;
        }
    }
    ShareOut(classes * ports.size() * m_reserveSize, headroom, ports.size(), name);
    for (uint8_t c = 0; c < 8; ++c)
    {
        m_accounting[c] = m_policy->IsPerQueue() ? Accounting::OTHER
                          : IsLossless(c)        ? Accounting::LOSSLESS
                                                 : Accounting::LOSSY;
    }
    if (m_policy->IsPerQueue())
    {
        std::vector<uint64_t> rates;
        for (const FabricBufferPort& port : ports)
        {
            rates.push_back(port.bitsPerSecond);
        }
        m_policy->Configure(rates);
    }
}

void
FabricSharedBuffer::ShareOut(uint64_t reserve,
                             uint64_t headroom,
                             std::size_t ports,
                             const std::string& name)
{
    m_headroomPool = headroom;
    if (m_oversubscription > 1)
    {
        uint64_t largest = 0;
        for (const Headroom& limit : m_limits)
        {
            largest = std::max(largest, limit.limit);
        }
        const auto pool = static_cast<uint64_t>(static_cast<double>(headroom) / m_oversubscription);
        m_headroomPool = std::max(pool, largest);
    }
    if (m_headroomPool + reserve >= m_bufferSize)
    {
        throw ConfigError(
            name,
            "buffer",
            "headroom of " + std::to_string(m_headroomPool) + " B and reserve of " +
                std::to_string(reserve) + " B for " + std::to_string(ports) + " ports and " +
                std::to_string(__builtin_popcount(m_losslessClasses)) +
                " lossless classes do not fit into a buffer of " + std::to_string(m_bufferSize) +
                " B; enlarge the buffer or shorten the links");
    }
    m_sharedSize = m_bufferSize - m_headroomPool - reserve;
}

bool
FabricSharedBuffer::TakeHeadroom(uint32_t index, uint32_t bytes)
{
    Share& share = m_ingress[index];
    Headroom& headroom = m_limits[index];
    if (share.headroom + bytes > headroom.limit || m_headroom + bytes > m_headroomPool)
    {
        return false;
    }
    share.headroom += bytes;
    headroom.peak = std::max(headroom.peak, share.headroom);
    m_headroom += bytes;
    return true;
}

template <typename Threshold>
inline FabricSharedBuffer::Verdict
FabricSharedBuffer::AdmitLosslessUnder(uint32_t index, uint32_t bytes, Threshold threshold)
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
        share.shared + bytes <= threshold())
    {
        share.shared += bytes;
        m_shared += bytes;
        NotePeak();
        return Verdict::ACCEPT;
    }
    if (!TakeHeadroom(index, bytes))
    {
        return Verdict::DROP_HEADROOM;
    }
    NotePeak();
    return Verdict::ACCEPT;
}

template <typename Threshold>
inline FabricSharedBuffer::Verdict
FabricSharedBuffer::AdmitLossyUnder(Share& share, uint32_t bytes, Threshold threshold)
{
    if (m_shared + bytes > m_sharedSize || share.shared + bytes > threshold())
    {
        return Verdict::DROP_BUFFER;
    }
    share.shared += bytes;
    m_shared += bytes;
    NotePeak();
    return Verdict::ACCEPT;
}

FabricSharedBuffer::Verdict
FabricSharedBuffer::AdmitLossless(uint32_t index, uint32_t bytes)
{
    return AdmitLosslessUnder(index, bytes, [this] {
        return m_policy->GetThreshold(m_sharedSize, m_shared);
    });
}

FabricSharedBuffer::Verdict
FabricSharedBuffer::AdmitLossy(Share& share, uint32_t bytes)
{
    return AdmitLossyUnder(share, bytes, [this] {
        return m_policy->GetThreshold(m_sharedSize, m_shared);
    });
}

void
FabricSharedBuffer::ReleaseShare(Share& share, uint32_t bytes)
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

// -- policies that treat queues apart

int64_t
FabricSharedBuffer::Now() const
{
    return m_events->Now();
}

uint64_t
FabricSharedBuffer::GetQueueThreshold(uint32_t port, uint8_t trafficClass)
{
    return m_policy->GetQueueThreshold(port, trafficClass, m_sharedSize, m_shared, Now());
}

void
FabricSharedBuffer::TellPolicy(uint32_t port,
                               uint8_t trafficClass,
                               const Share& share,
                               uint32_t drained)
{
    m_policy
        ->QueueChanged(port, trafficClass, share.shared, drained, m_sharedSize, m_shared, Now());
}

FabricSharedBuffer::Verdict
FabricSharedBuffer::DoAdmit(uint32_t ingress, uint32_t egress, uint8_t trafficClass, uint32_t bytes)
{
    const bool lossless = IsLossless(trafficClass);
    const uint32_t port = lossless ? ingress : egress;
    const uint32_t index = port * 8 + trafficClass;
    const auto threshold = [this, port, trafficClass] {
        return GetQueueThreshold(port, trafficClass);
    };
    const Verdict verdict = lossless ? AdmitLosslessUnder(index, bytes, threshold)
                                     : AdmitLossyUnder(m_egress[index], bytes, threshold);
    if (verdict == Verdict::ACCEPT)
    {
        TellPolicy(port, trafficClass, lossless ? m_ingress[index] : m_egress[index], 0);
    }
    return verdict;
}

void
FabricSharedBuffer::DoRelease(uint32_t ingress,
                              uint32_t egress,
                              uint8_t trafficClass,
                              uint32_t bytes)
{
    const bool lossless = IsLossless(trafficClass);
    const uint32_t port = lossless ? ingress : egress;
    Share& share = (lossless ? m_ingress : m_egress)[port * 8 + trafficClass];
    ReleaseShare(share, bytes);
    TellPolicy(port, trafficClass, share, bytes);
}

bool
FabricSharedBuffer::DoBeginPause(uint32_t ingress, uint8_t trafficClass)
{
    Share& share = m_ingress[ingress * 8 + trafficClass];
    if (!IsLossless(trafficClass) || share.paused ||
        (share.headroom == 0 &&
         (share.shared == 0 || share.shared < GetQueueThreshold(ingress, trafficClass))))
    {
        return false;
    }
    share.paused = true;
    return true;
}

bool
FabricSharedBuffer::DoEndPause(uint32_t ingress, uint8_t trafficClass)
{
    Share& share = m_ingress[ingress * 8 + trafficClass];
    if (share.shared > 0 && share.shared + m_xonOffset > GetQueueThreshold(ingress, trafficClass))
    {
        return false;
    }
    share.paused = false;
    return true;
}

// -- looking

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

std::string
FabricSharedBuffer::Check(uint64_t queued) const
{
    if (GetUsed() == queued && SumOfShares() == queued)
    {
        return "";
    }
    return std::to_string(queued) + " B are queued, the buffer counts " +
           std::to_string(GetUsed()) + " B, its shares sum to " + std::to_string(SumOfShares()) +
           " B";
}

} // namespace llm
} // namespace ns3
