/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hashed-load-balancer.h"

#include "ns3/boolean.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(HashedLoadBalancer);

namespace
{
constexpr uint32_t FIRST_ADDRESS = (10U << 24) + 1; //!< of endpoint 0, without a stack
} // namespace

TypeId
HashedLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::HashedLoadBalancer")
            .SetParent<FabricLoadBalancer>()
            .SetGroupName("LlmTraining")
            .AddAttribute("Seed",
                          "Seed of the hash. 0: derived from the fabric's random key and the index "
                          "of the switch, so that no two switches hash alike. Another value holds "
                          "at every switch that gets it: traffic polarises, as in real networks.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&HashedLoadBalancer::m_seedAttribute),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "SeedPerTier",
                "Derive the seed in use from Seed and the tier of the switch: alike within "
                "a tier, different between tiers.",
                BooleanValue(false),
                MakeBooleanAccessor(&HashedLoadBalancer::m_seedPerTier),
                MakeBooleanChecker())
            .AddAttribute("RotateByTier",
                          "Rotate the hash to the right by so many bits for each tier above the "
                          "edge before a port is taken by it (0 to 31).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&HashedLoadBalancer::m_rotateByTier),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("HashFunction",
                          "Hash function: ns3::llm::Crc32Hash, Crc16Hash, Murmur3Hash, XorHash or "
                          "another FabricHash; a strong mix of 64 bits if not set.",
                          PointerValue(),
                          MakePointerAccessor(&HashedLoadBalancer::m_function),
                          MakePointerChecker<FabricHash>())
            .AddAttribute("HashSource",
                          "Hash the source address.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&HashedLoadBalancer::m_hashSource),
                          MakeBooleanChecker())
            .AddAttribute("HashDestination",
                          "Hash the destination address.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&HashedLoadBalancer::m_hashDestination),
                          MakeBooleanChecker())
            .AddAttribute("HashSourcePort",
                          "Hash the UDP source port, which senders vary (entropy).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&HashedLoadBalancer::m_hashSourcePort),
                          MakeBooleanChecker())
            .AddAttribute("HashDestinationQp",
                          "Hash the destination queue pair too (E-ECMP).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&HashedLoadBalancer::m_hashQueuePair),
                          MakeBooleanChecker())
            .AddAttribute("HashIngressPort",
                          "Hash the port where a frame came in too.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&HashedLoadBalancer::m_hashIngress),
                          MakeBooleanChecker());
    return tid;
}

HashedLoadBalancer::HashedLoadBalancer()
    : m_hashSource(true),
      m_hashDestination(true),
      m_hashSourcePort(true),
      m_hashQueuePair(false),
      m_hashIngress(false),
      m_seedPerTier(false),
      m_rotateByTier(0),
      m_seedAttribute(0)
{
}

HashedLoadBalancer::~HashedLoadBalancer() = default;

void
HashedLoadBalancer::DoDispose()
{
    m_function = nullptr;
    FabricLoadBalancer::DoDispose();
}

void
HashedLoadBalancer::Configure(const FabricSwitchIdentity& identity)
{
    m_seed = m_seedAttribute ? MixBits(m_seedAttribute)
                             : MixBits(identity.randomKey ^ MixBits(uint64_t{identity.index} + 1));
    if (m_seedPerTier)
    {
        const uint64_t common = m_seedAttribute ? m_seedAttribute : identity.randomKey;
        m_seed = MixBits(MixBits(common) + identity.tier);
    }
    m_rotation = static_cast<uint8_t>((m_rotateByTier * identity.tier) % 32);
    m_general = m_function || m_rotation || m_hashQueuePair || m_hashIngress || !m_hashSource ||
                !m_hashDestination || !m_hashSourcePort;
}

uint32_t
HashedLoadBalancer::GeneralHash(const Frame& frame) const
{
    uint32_t hash;
    if (m_function)
    {
        FabricFlowFields fields;
        fields.source = m_hashSource ? FIRST_ADDRESS + frame.source : 0;
        fields.destination = m_hashDestination ? FIRST_ADDRESS + frame.destination : 0;
        fields.sourcePort = m_hashSourcePort ? frame.entropy : 0;
        fields.queuePair = m_hashQueuePair ? frame.queuePair : 0;
        fields.ingress = m_hashIngress ? static_cast<uint16_t>(frame.ingress + 1) : 0;
        hash = m_function->Hash(fields, m_seed);
    }
    else
    {
        Frame part = frame;
        part.source = m_hashSource ? frame.source : 0;
        part.destination = m_hashDestination ? frame.destination : 0;
        part.entropy = m_hashSourcePort ? frame.entropy : 0;
        uint64_t extra = m_hashQueuePair ? uint64_t{frame.queuePair} << 16 : 0;
        extra += m_hashIngress ? (static_cast<uint64_t>(frame.ingress) + 1) << 40 : 0;
        hash = Mix(part, extra);
    }
    return m_rotation ? (hash >> m_rotation) | (hash << (32 - m_rotation)) : hash;
}

uint32_t
HashedLoadBalancer::GeneralChoice(const Frame& frame, uint32_t count) const
{
    const uint32_t hash = GeneralHash(frame);
    return m_function ? hash % count : Reduce(hash, count);
}

} // namespace llm
} // namespace ns3
