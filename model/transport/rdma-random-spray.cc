/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-random-spray.h"

#include "rdma-queue-pair.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRandomSpray);

namespace
{
constexpr uint64_t STREAM_OF_SPRAY = 0x5350524159; //!< apart from the streams of users
} // namespace

TypeId
RdmaRandomSpray::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaRandomSpray")
            .SetParent<RdmaPathSelector>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaRandomSpray>()
            .AddAttribute(
                "Entropies",
                "Source ports that a packet's is one of, from 49152 on. Few of them reach "
                "few paths, and some paths more often than others.",
                UintegerValue(ENTROPIES),
                MakeUintegerAccessor(&RdmaRandomSpray::m_entropies),
                MakeUintegerChecker<uint32_t>(1, ENTROPIES));
    return tid;
}

RdmaRandomSpray::RdmaRandomSpray()
    : m_entropies(ENTROPIES)
{
}

RdmaRandomSpray::~RdmaRandomSpray() = default;

uint32_t
RdmaRandomSpray::AddQueuePair(const RdmaQueuePair& queuePair)
{
    if (m_states.empty())
    {
        m_philox = Philox::FromSeed(STREAM_OF_SPRAY);
    }
    State state;
    state.object = (uint64_t{queuePair.GetEndpoint()} << 32) | queuePair.GetNumber();
    m_states.push_back(state);
    return static_cast<uint32_t>(m_states.size() - 1);
}

uint16_t
RdmaRandomSpray::ChooseInitial(const RdmaQueuePair& queuePair)
{
    return HashConnection(queuePair);
}

bool
RdmaRandomSpray::IsPerPacket() const
{
    return true;
}

uint16_t
RdmaRandomSpray::Choose(const RdmaQueuePair& queuePair, uint64_t)
{
    State& state = m_states[queuePair.GetPathSlot()];
    const std::size_t place = state.drawn % state.numbers.size();
    if (place == 0)
    {
        state.numbers = m_philox(state.drawn / state.numbers.size(), state.object);
    }
    ++state.drawn;
    const uint64_t scaled = uint64_t{state.numbers[place]} * m_entropies;
    return static_cast<uint16_t>(FIRST_ENTROPY + (scaled >> 32));
}

} // namespace llm
} // namespace ns3
