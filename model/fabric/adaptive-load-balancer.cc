/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "adaptive-load-balancer.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(AdaptiveLoadBalancer);

TypeId
AdaptiveLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::AdaptiveLoadBalancer")
            .SetParent<PacketLoadBalancer>()
            .SetGroupName("LlmTraining")
            .AddConstructor<AdaptiveLoadBalancer>()
            .AddAttribute("Choices",
                          "Random ports that are compared for each packet. 0: all ports.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&AdaptiveLoadBalancer::m_choices),
                          MakeUintegerChecker<uint32_t>(0, 64))
            .AddAttribute("Memory",
                          "With Choices: the best ports of the packet before, towards the same "
                          "destinations, that are compared too.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&AdaptiveLoadBalancer::m_memory),
                          MakeUintegerChecker<uint32_t>(0, 64))
            .AddAttribute("TiesByFlow",
                          "Of equal ports take the first from where the flow's hash points, "
                          "instead of from a random one.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&AdaptiveLoadBalancer::m_tiesByFlow),
                          MakeBooleanChecker())
            .AddAttribute("Resolution",
                          "Ports are equal whose waits differ by less than this. With waits known "
                          "exactly, flows of equal packets fall into step: each keeps a port, and "
                          "they meet further on.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&AdaptiveLoadBalancer::m_resolution),
                          MakeTimeChecker(TimeStep(0)));
    return tid;
}

AdaptiveLoadBalancer::AdaptiveLoadBalancer()
    : m_choices(0),
      m_memory(0),
      m_tiesByFlow(false)
{
}

AdaptiveLoadBalancer::~AdaptiveLoadBalancer() = default;

void
AdaptiveLoadBalancer::Configure(const FabricSwitchIdentity& identity)
{
    PacketLoadBalancer::Configure(identity);
    m_dice.Configure(identity.randomKey, identity.index);
    m_step = std::max<int64_t>(m_resolution.GetTimeStep(), 1);
    m_best.clear();
    m_samples.resize(std::size_t{m_choices} + m_memory);
}

uint32_t
AdaptiveLoadBalancer::SelectForPacket(const Frame& frame, FabricCandidates ports, int64_t now)
{
    return m_choices ? SelectOfSome(frame, ports, now) : SelectOfAll(frame, ports, now);
}

int64_t
AdaptiveLoadBalancer::GetGrade(FabricCandidates ports,
                               uint32_t place,
                               const Frame& frame,
                               int64_t now) const
{
    return ports.GetWaitTicks(place, frame.trafficClass, now) / m_step;
}

void
AdaptiveLoadBalancer::Count(int64_t grade)
{
    ++m_packets;
    m_waits += grade > 0 ? 1 : 0;
}

uint32_t
AdaptiveLoadBalancer::SelectOfAll(const Frame& frame, FabricCandidates ports, int64_t now)
{
    const uint32_t count = ports.GetCount();
    uint32_t place = m_tiesByFlow ? ChooseByHash(frame, count) : m_dice.Roll(count);
    uint32_t best = place;
    int64_t least = GetGrade(ports, place, frame, now);
    for (uint32_t i = 1; i < count && least > 0; ++i)
    {
        place = place + 1 == count ? 0 : place + 1;
        const int64_t grade = GetGrade(ports, place, frame, now);
        if (grade < least)
        {
            least = grade;
            best = place;
        }
    }
    Count(least);
    return best;
}

uint32_t
AdaptiveLoadBalancer::SelectOfSome(const Frame& frame, FabricCandidates ports, int64_t now)
{
    const uint32_t count = ports.GetCount();
    const std::size_t mine = std::size_t{ports.GetGroup()} * m_memory;
    while (m_best.size() < mine + m_memory)
    {
        m_best.push_back(m_dice.Roll(count));
    }
    for (std::size_t i = 0; i < m_samples.size(); ++i)
    {
        // Routes may have changed since a place was remembered.
        const uint32_t place =
            i < m_choices ? m_dice.Roll(count) : m_best[mine + i - m_choices] % count;
        m_samples[i] = {GetGrade(ports, place, frame, now), place};
    }
    std::stable_sort(m_samples.begin(), m_samples.end(), [](const Sample& a, const Sample& b) {
        return a.grade < b.grade;
    });
    for (std::size_t i = 0; i < m_memory; ++i)
    {
        m_best[mine + i] = m_samples[i].place;
    }
    Count(m_samples.front().grade);
    return m_samples.front().place;
}

std::vector<std::pair<std::string, uint64_t>>
AdaptiveLoadBalancer::GetCounters() const
{
    return {{"adaptive_frames", m_packets}, {"adaptive_frames_that_waited", m_waits}};
}

} // namespace llm
} // namespace ns3
