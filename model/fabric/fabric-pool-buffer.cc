/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-pool-buffer.h"

#include "llm-dynamic-threshold.h"
#include "llm-static-threshold.h"

#include "ns3/double.h"
#include "ns3/llm-config-error.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricPoolBuffer);

TypeId
FabricPoolBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricPoolBuffer")
            .SetParent<FabricSharedBuffer>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FabricPoolBuffer>()
            .AddAttribute("IngressPool",
                          "Bytes that priority groups share above their reserves; 0: all that "
                          "reserves and headroom leave.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPoolBuffer::m_ingressPool),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EgressLosslessPool",
                          "Bytes of lossless queues together, reserves included; 0: Size.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPoolBuffer::m_egressLosslessPool),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EgressLossyPool",
                          "Bytes of lossy queues together, reserves included; 0: Size.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPoolBuffer::m_egressLossyPool),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("LossyReserve",
                          "Guaranteed bytes of each lossy (ingress port, class).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPoolBuffer::m_lossyReserve),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EgressReserve",
                          "Guaranteed bytes of each (egress port, class).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPoolBuffer::m_egressReserve),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Xon",
                          "A paused class resumes with so many bytes above its reserve, or when it "
                          "is XonOffset below its threshold, whichever is more.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPoolBuffer::m_xon),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("IngressLossyPolicy",
                          "Threshold of lossy classes at ingress; a StaticThreshold of the whole "
                          "pool if not set.",
                          PointerValue(),
                          MakePointerAccessor(&FabricPoolBuffer::m_ingressLossyPolicy),
                          MakePointerChecker<FabricBufferPolicy>())
            .AddAttribute("EgressLosslessPolicy",
                          "Threshold of lossless classes at egress; a StaticThreshold of the whole "
                          "pool if not set.",
                          PointerValue(),
                          MakePointerAccessor(&FabricPoolBuffer::m_egressLosslessPolicy),
                          MakePointerChecker<FabricBufferPolicy>())
            .AddAttribute("EgressLossyPolicy",
                          "Threshold of lossy classes at egress; a DynamicThreshold with alpha 1 "
                          "if not set.",
                          PointerValue(),
                          MakePointerAccessor(&FabricPoolBuffer::m_egressLossyPolicy),
                          MakePointerChecker<FabricBufferPolicy>());
    return tid;
}

FabricPoolBuffer::FabricPoolBuffer()
    : m_ingressPool(0),
      m_egressLosslessPool(0),
      m_egressLossyPool(0),
      m_lossyReserve(0),
      m_egressReserve(0),
      m_xon(0)
{
}

FabricPoolBuffer::~FabricPoolBuffer() = default;

void
FabricPoolBuffer::DoDispose()
{
    m_ingressLossyPolicy = nullptr;
    m_egressLosslessPolicy = nullptr;
    m_egressLossyPolicy = nullptr;
    m_ingressByPort.clear();
    m_egressByPort.clear();
    FabricSharedBuffer::DoDispose();
}

// -- set-up

void
FabricPoolBuffer::SetIngressProfile(uint32_t port,
                                    uint8_t trafficClass,
                                    const IngressProfile& profile)
{
    m_ingressByPort[{port, trafficClass}] = profile;
}

void
FabricPoolBuffer::SetEgressProfile(uint32_t port,
                                   uint8_t trafficClass,
                                   const EgressProfile& profile)
{
    m_egressByPort[{port, trafficClass}] = profile;
}

void
FabricPoolBuffer::Configure(const std::vector<FabricBufferPort>& ports,
                            const FabricEventQueue& events,
                            const std::string& name)
{
    if (!m_policyPtr)
    {
        m_policyPtr = CreateObject<DynamicThreshold>();
    }
    if (!m_ingressLossyPolicy)
    {
        m_ingressLossyPolicy = CreateObject<StaticThreshold>();
    }
    if (!m_egressLosslessPolicy)
    {
        m_egressLosslessPolicy = CreateObject<StaticThreshold>();
    }
    if (!m_egressLossyPolicy)
    {
        m_egressLossyPolicy = CreateObject<DynamicThreshold>();
        m_egressLossyPolicy->SetAttribute("Alpha", DoubleValue(1));
    }
    m_policy = PeekPointer(m_policyPtr);
    m_events = &events;
    m_accounting.fill(Accounting::OTHER);
    const auto [reserve, headroom] = ConfigureIngress(ports);
    ShareOut(reserve, headroom, ports.size(), name);
    if (m_ingressPool > m_sharedSize)
    {
        throw ConfigError(name,
                          "buffer",
                          "the ingress pool of " + std::to_string(m_ingressPool) +
                              " B does not fit beside reserves and headroom, which leave " +
                              std::to_string(m_sharedSize) + " B of " +
                              std::to_string(m_bufferSize) + " B");
    }
    m_sharedSize = m_ingressPool ? m_ingressPool : m_sharedSize;
    ConfigureEgress(ports.size(), name);
    ConfigurePolicies(ports);
}

std::pair<uint64_t, uint64_t>
FabricPoolBuffer::ConfigureIngress(const std::vector<FabricBufferPort>& ports)
{
    m_ingress.assign(ports.size() * 8, Share());
    m_limits.assign(ports.size() * 8, Headroom());
    m_groups.assign(ports.size() * 8, Group());
    uint64_t reserve = 0;
    uint64_t headroom = 0;
    for (uint32_t port = 0; port < ports.size(); ++port)
    {
        for (uint8_t c = 0; c < 8; ++c)
        {
            const bool lossless = IsLossless(c);
            IngressProfile profile;
            profile.reserve = lossless ? m_reserveSize : m_lossyReserve;
            profile.headroom = ports[port].headroom;
            profile.xon = m_xon;
            profile.xonOffset = m_xonOffset;
            const auto given = m_ingressByPort.find({port, c});
            if (given != m_ingressByPort.end())
            {
                profile = given->second;
            }
            Group& group = m_groups[port * 8 + c];
            group.reserve = profile.reserve;
            group.xon = profile.xon;
            group.xonOffset = profile.xonOffset;
            group.policy = profile.policy ? PeekPointer(profile.policy)
                           : lossless     ? m_policy
                                          : PeekPointer(m_ingressLossyPolicy);
            m_limits[port * 8 + c].limit = lossless ? profile.headroom : 0;
            reserve += group.reserve;
            headroom += m_limits[port * 8 + c].limit;
        }
    }
    return {reserve, headroom};
}

void
FabricPoolBuffer::ConfigureEgress(std::size_t ports, const std::string& name)
{
    m_queues.assign(ports * 8, Queue());
    std::array<uint64_t, 2> reserves{};
    for (uint32_t port = 0; port < ports; ++port)
    {
        for (uint8_t c = 0; c < 8; ++c)
        {
            EgressProfile profile;
            profile.reserve = m_egressReserve;
            const auto given = m_egressByPort.find({port, c});
            if (given != m_egressByPort.end())
            {
                profile = given->second;
            }
            Queue& queue = m_queues[port * 8 + c];
            queue.reserve = profile.reserve;
            queue.policy = profile.policy  ? PeekPointer(profile.policy)
                           : IsLossless(c) ? PeekPointer(m_egressLosslessPolicy)
                                           : PeekPointer(m_egressLossyPolicy);
            reserves[IsLossless(c)] += queue.reserve;
        }
    }
    for (const bool lossless : {false, true})
    {
        const uint64_t wanted = lossless ? m_egressLosslessPool : m_egressLossyPool;
        const uint64_t size = wanted ? wanted : m_bufferSize;
        if (size > m_bufferSize || reserves[lossless] >= size)
        {
            throw ConfigError(name,
                              "buffer",
                              std::string("the egress pool of ") +
                                  (lossless ? "lossless" : "lossy") + " classes has " +
                                  std::to_string(size) + " B for reserves of " +
                                  std::to_string(reserves[lossless]) + " B, in a buffer of " +
                                  std::to_string(m_bufferSize) + " B; it must lie between the two");
        }
        m_egressPools[lossless].size = size - reserves[lossless];
    }
}

void
FabricPoolBuffer::ConfigurePolicies(const std::vector<FabricBufferPort>& ports)
{
    std::vector<uint64_t> rates;
    for (const FabricBufferPort& port : ports)
    {
        rates.push_back(port.bitsPerSecond);
    }
    std::set<FabricBufferPolicy*> done; // membership only
    const auto configure = [&](FabricBufferPolicy* policy) {
        if (policy->IsPerQueue() && done.insert(policy).second)
        {
            policy->Configure(rates);
            m_anyPerQueue = true;
        }
    };
    for (const Group& group : m_groups)
    {
        configure(group.policy);
    }
    const std::set<FabricBufferPolicy*> ingress = done;
    for (const Queue& queue : m_queues)
    {
        if (ingress.count(queue.policy) > 0)
        {
            queue.policy->Configure(rates); // says that each pool needs its own
        }
        configure(queue.policy);
    }
}

// -- the packet path

uint64_t
FabricPoolBuffer::GetIngressThreshold(uint32_t port, uint8_t trafficClass) const
{
    FabricBufferPolicy* policy = m_groups[port * 8 + trafficClass].policy;
    return policy->IsPerQueue()
               ? policy->GetQueueThreshold(port, trafficClass, m_sharedSize, m_shared, Now())
               : policy->GetThreshold(m_sharedSize, m_shared);
}

uint64_t
FabricPoolBuffer::GetEgressThreshold(uint32_t port, uint8_t trafficClass) const
{
    FabricBufferPolicy* policy = m_queues[port * 8 + trafficClass].policy;
    const Pool& pool = m_egressPools[IsLossless(trafficClass)];
    return policy->IsPerQueue()
               ? policy->GetQueueThreshold(port, trafficClass, pool.size, pool.used, Now())
               : policy->GetThreshold(pool.size, pool.used);
}

FabricSharedBuffer::Verdict
FabricPoolBuffer::DoAdmit(uint32_t ingress, uint32_t egress, uint8_t trafficClass, uint32_t bytes)
{
    // Egress is asked first, since it can be asked without taking anything.
    Queue& queue = m_queues[egress * 8 + trafficClass];
    Pool& pool = m_egressPools[IsLossless(trafficClass)];
    const bool queueReserve = queue.shared == 0 && queue.reserved + bytes <= queue.reserve;
    if (!queueReserve && (pool.used + bytes > pool.size ||
                          queue.shared + bytes > GetEgressThreshold(egress, trafficClass)))
    {
        return Verdict::DROP_BUFFER;
    }
    const uint32_t index = ingress * 8 + trafficClass;
    Share& share = m_ingress[index];
    if (share.headroom == 0 && share.shared == 0 &&
        share.reserved + bytes <= m_groups[index].reserve)
    {
        share.reserved += bytes;
        m_reserved += bytes;
    }
    else if (share.headroom == 0 && m_shared + bytes <= m_sharedSize &&
             share.shared + bytes <= GetIngressThreshold(ingress, trafficClass))
    {
        share.shared += bytes;
        m_shared += bytes;
    }
    else if (!TakeHeadroom(index, bytes))
    {
        return IsLossless(trafficClass) ? Verdict::DROP_HEADROOM : Verdict::DROP_BUFFER;
    }
    (queueReserve ? queue.reserved : queue.shared) += bytes;
    pool.used += queueReserve ? 0 : bytes;
    NotePeak();
    TellPolicies(ingress, egress, trafficClass, 0);
    return Verdict::ACCEPT;
}

void
FabricPoolBuffer::DoRelease(uint32_t ingress, uint32_t egress, uint8_t trafficClass, uint32_t bytes)
{
    ReleaseShare(m_ingress[ingress * 8 + trafficClass], bytes);
    Queue& queue = m_queues[egress * 8 + trafficClass];
    const uint64_t part = std::min<uint64_t>(bytes, queue.shared);
    queue.shared -= part;
    m_egressPools[IsLossless(trafficClass)].used -= part;
    queue.reserved -= bytes - part;
    TellPolicies(ingress, egress, trafficClass, bytes);
}

void
FabricPoolBuffer::TellPolicies(uint32_t ingress,
                               uint32_t egress,
                               uint8_t trafficClass,
                               uint32_t drained)
{
    if (!m_anyPerQueue)
    {
        return;
    }
    FabricBufferPolicy* atIngress = m_groups[ingress * 8 + trafficClass].policy;
    if (atIngress->IsPerQueue())
    {
        atIngress->QueueChanged(ingress,
                                trafficClass,
                                m_ingress[ingress * 8 + trafficClass].shared,
                                drained,
                                m_sharedSize,
                                m_shared,
                                Now());
    }
    const Queue& queue = m_queues[egress * 8 + trafficClass];
    if (queue.policy->IsPerQueue())
    {
        const Pool& pool = m_egressPools[IsLossless(trafficClass)];
        queue.policy->QueueChanged(egress,
                                   trafficClass,
                                   queue.shared,
                                   drained,
                                   pool.size,
                                   pool.used,
                                   Now());
    }
}

bool
FabricPoolBuffer::DoBeginPause(uint32_t ingress, uint8_t trafficClass)
{
    Share& share = m_ingress[ingress * 8 + trafficClass];
    if (!IsLossless(trafficClass) || share.paused ||
        (share.headroom == 0 &&
         (share.shared == 0 || share.shared < GetIngressThreshold(ingress, trafficClass))))
    {
        return false;
    }
    share.paused = true;
    return true;
}

bool
FabricPoolBuffer::DoEndPause(uint32_t ingress, uint8_t trafficClass)
{
    Share& share = m_ingress[ingress * 8 + trafficClass];
    const Group& group = m_groups[ingress * 8 + trafficClass];
    if (share.shared > group.xon &&
        share.shared + group.xonOffset > GetIngressThreshold(ingress, trafficClass))
    {
        return false;
    }
    share.paused = false;
    return true;
}

// -- looking

uint64_t
FabricPoolBuffer::GetEgressUsed(uint32_t port, uint8_t trafficClass) const
{
    const Queue& queue = m_queues[port * 8 + trafficClass];
    return queue.reserved + queue.shared;
}

uint64_t
FabricPoolBuffer::GetEgressPoolUsed(bool lossless) const
{
    return m_egressPools[lossless].used;
}

std::string
FabricPoolBuffer::Check(uint64_t queued) const
{
    const std::string wrong = FabricSharedBuffer::Check(queued);
    if (!wrong.empty())
    {
        return wrong;
    }
    uint64_t reserved = 0;
    uint64_t shared = 0;
    for (const Queue& queue : m_queues)
    {
        reserved += queue.reserved;
        shared += queue.shared;
    }
    const uint64_t pools = m_egressPools[0].used + m_egressPools[1].used;
    if (reserved + shared == queued && shared == pools)
    {
        return "";
    }
    return std::to_string(queued) + " B are queued, the queues at egress count " +
           std::to_string(reserved) + " B of their reserves and " + std::to_string(shared) +
           " B of the pools, which count " + std::to_string(pools) + " B";
}

} // namespace llm
} // namespace ns3
