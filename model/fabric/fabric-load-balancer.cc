/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-load-balancer.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricLoadBalancer);
NS_OBJECT_ENSURE_REGISTERED(EcmpLoadBalancer);

namespace
{

/** @param x any. @return all bits mixed (finaliser of SplitMix64, Steele et al. 2014). */
inline uint64_t
Mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

} // namespace

TypeId
FabricLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricLoadBalancer").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

TypeId
EcmpLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::EcmpLoadBalancer")
            .SetParent<FabricLoadBalancer>()
            .SetGroupName("LlmTraining")
            .AddConstructor<EcmpLoadBalancer>()
            .AddAttribute("Seed",
                          "Seed of the hash. 0: derived from the fabric's random key and the index "
                          "of the switch, so that no two switches hash alike.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EcmpLoadBalancer::m_seedAttribute),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HashDestinationQp",
                          "Hash the destination queue pair too (E-ECMP).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&EcmpLoadBalancer::m_hashQueuePair),
                          MakeBooleanChecker());
    return tid;
}

EcmpLoadBalancer::EcmpLoadBalancer()
    : m_seedAttribute(0),
      m_hashQueuePair(false)
{
}

EcmpLoadBalancer::~EcmpLoadBalancer() = default;

void
EcmpLoadBalancer::Configure(uint32_t switchIndex, uint64_t key)
{
    m_seed = m_seedAttribute ? Mix(m_seedAttribute) : Mix(key ^ Mix(uint64_t{switchIndex} + 1));
}

uint32_t
EcmpLoadBalancer::Select(const Frame& frame, uint32_t count)
{
    uint64_t x = (static_cast<uint64_t>(frame.source) << 32) | frame.destination;
    x = (x ^ m_seed) * 0x9e3779b97f4a7c15ULL;
    x ^= x >> 32;
    x += frame.entropy;
    if (m_hashQueuePair)
    {
        x += static_cast<uint64_t>(frame.queuePair) << 16;
    }
    const auto hash = static_cast<uint32_t>(Mix(x) >> 32);
    return static_cast<uint32_t>((static_cast<uint64_t>(hash) * count) >> 32);
}

} // namespace llm
} // namespace ns3
