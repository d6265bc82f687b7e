/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-round-robin-spray.h"

#include "rdma-queue-pair.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRoundRobinSpray);

TypeId
RdmaRoundRobinSpray::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RdmaRoundRobinSpray")
                            .SetParent<RdmaPathSelector>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RdmaRoundRobinSpray>()
                            .AddAttribute("Entropies",
                                          "Source ports that packets go round, from 49152 on.",
                                          UintegerValue(ENTROPIES),
                                          MakeUintegerAccessor(&RdmaRoundRobinSpray::m_entropies),
                                          MakeUintegerChecker<uint32_t>(1, ENTROPIES));
    return tid;
}

RdmaRoundRobinSpray::RdmaRoundRobinSpray()
    : m_entropies(ENTROPIES)
{
}

RdmaRoundRobinSpray::~RdmaRoundRobinSpray() = default;

uint32_t
RdmaRoundRobinSpray::AddQueuePair(const RdmaQueuePair& queuePair)
{
    m_next.push_back((HashConnection(queuePair) - FIRST_ENTROPY) % m_entropies);
    return static_cast<uint32_t>(m_next.size() - 1);
}

uint16_t
RdmaRoundRobinSpray::ChooseInitial(const RdmaQueuePair& queuePair)
{
    return HashConnection(queuePair);
}

bool
RdmaRoundRobinSpray::IsPerPacket() const
{
    return true;
}

uint16_t
RdmaRoundRobinSpray::Choose(const RdmaQueuePair& queuePair, uint64_t)
{
    uint32_t& next = m_next[queuePair.GetPathSlot()];
    const auto entropy = static_cast<uint16_t>(FIRST_ENTROPY + next);
    next = next + 1 == m_entropies ? 0 : next + 1;
    return entropy;
}

} // namespace llm
} // namespace ns3
