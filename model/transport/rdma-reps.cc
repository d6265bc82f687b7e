/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reps.h"

#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReps);

namespace
{

constexpr uint64_t STREAM_OF_REPS = 0x52455053; //!< apart from the streams of users

/** @return present tick of a queue pair's fabric. */
int64_t
NowOf(const RdmaQueuePair& queuePair)
{
    return queuePair.GetNic()->GetPort()->GetEventQueue().Now();
}

} // namespace

TypeId
RdmaReps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaReps")
            .SetParent<RdmaPathSelector>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaReps>()
            .AddAttribute("Buffer",
                          "Source ports that a queue pair keeps.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaReps::m_buffer),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("Entropies",
                          "Source ports that are explored, from 49152 on.",
                          UintegerValue(ENTROPIES),
                          MakeUintegerAccessor(&RdmaReps::m_entropies),
                          MakeUintegerChecker<uint32_t>(1, ENTROPIES))
            .AddAttribute("FreezeTime",
                          "After a timeout only source ports that were good are used, for so long.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&RdmaReps::m_freezeTime),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("ExplorePackets",
                          "Packets that explore after that.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaReps::m_explorePackets),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

RdmaReps::RdmaReps()
    : m_buffer(8),
      m_entropies(ENTROPIES),
      m_explorePackets(16)
{
}

RdmaReps::~RdmaReps() = default;

uint32_t
RdmaReps::AddQueuePair(const RdmaQueuePair& queuePair)
{
    return AddState((uint64_t{queuePair.GetEndpoint()} << 32) | queuePair.GetNumber());
}

uint32_t
RdmaReps::AddState(uint64_t object)
{
    if (m_states.empty())
    {
        m_philox = Philox::FromSeed(STREAM_OF_REPS);
    }
    m_states.emplace_back();
    m_states.back().object = object;
    m_states.back().ring.resize(m_buffer);
    return static_cast<uint32_t>(m_states.size() - 1);
}

uint16_t
RdmaReps::ChooseInitial(const RdmaQueuePair& queuePair)
{
    return HashConnection(queuePair);
}

bool
RdmaReps::IsPerPacket() const
{
    return true;
}

bool
RdmaReps::WantsFeedback() const
{
    return true;
}

uint16_t
RdmaReps::Choose(const RdmaQueuePair& queuePair, uint64_t)
{
    const uint32_t slot = queuePair.GetPathSlot();
    return Next(slot, m_states[slot].frozen ? NowOf(queuePair) : 0);
}

void
RdmaReps::Feedback(const RdmaQueuePair& queuePair, uint16_t entropy, RdmaPathEvent event)
{
    Hear(queuePair.GetPathSlot(),
         entropy,
         event,
         event == RdmaPathEvent::TIMEOUT ? NowOf(queuePair) : 0);
}

std::vector<std::pair<std::string, uint64_t>>
RdmaReps::GetCounters() const
{
    return {{"recycled_entropies", m_recycled}, {"explored_entropies", m_explored}};
}

uint16_t
RdmaReps::Explore(State& state)
{
    ++m_explored;
    const uint64_t scaled = uint64_t{m_philox.Draw(state.drawn++, state.object)} * m_entropies;
    return static_cast<uint16_t>(FIRST_ENTROPY + (scaled >> 32));
}

uint16_t
RdmaReps::Next(uint32_t slot, int64_t now)
{
    State& state = m_states[slot];
    if (state.frozen && now >= state.frozenUntil)
    {
        state.frozen = false;
        state.explore = m_explorePackets;
        state.fresh = 0;
    }
    if (state.explore > 0)
    {
        --state.explore;
        return Explore(state);
    }
    if (state.fresh > 0)
    {
        ++m_recycled;
        const uint32_t oldest = (state.head + m_buffer - state.fresh) % m_buffer;
        --state.fresh;
        return state.ring[oldest];
    }
    if (state.frozen && state.filled > 0)
    {
        ++m_recycled;
        // Round and round: head is the oldest place of a ring that is full, and 0 of one that is
        // not.
        const uint32_t place = state.head % state.filled;
        state.head = (place + 1) % state.filled;
        return state.ring[place];
    }
    return Explore(state);
}

void
RdmaReps::Hear(uint32_t slot, uint16_t entropy, RdmaPathEvent event, int64_t now)
{
    State& state = m_states[slot];
    if (event == RdmaPathEvent::TIMEOUT && !state.frozen && state.explore == 0)
    {
        state.frozen = true;
        state.frozenUntil = now + m_freezeTime.GetTimeStep();
    }
    if (event != RdmaPathEvent::ACKED || entropy == 0)
    {
        return;
    }
    state.ring[state.head] = entropy;
    state.head = (state.head + 1) % m_buffer;
    state.fresh = std::min(state.fresh + 1, m_buffer);
    state.filled = std::min(state.filled + 1, m_buffer);
}

} // namespace llm
} // namespace ns3
