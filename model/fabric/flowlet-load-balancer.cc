/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flowlet-load-balancer.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FlowletLoadBalancer);

TypeId
FlowletLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FlowletLoadBalancer")
            .SetParent<HashedLoadBalancer>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FlowletLoadBalancer>()
            .AddAttribute("Gap",
                          "Pause after which a flow may take another port; longer than paths "
                          "differ in delay, or frames overtake each other.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&FlowletLoadBalancer::m_gap),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("TableSize",
                          "Entries of a switch's flowlet table; flows that fall into one share it.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&FlowletLoadBalancer::m_tableSize),
                          MakeUintegerChecker<uint32_t>(1, 1U << 24));
    return tid;
}

FlowletLoadBalancer::FlowletLoadBalancer()
    : m_tableSize(16384)
{
}

FlowletLoadBalancer::~FlowletLoadBalancer() = default;

void
FlowletLoadBalancer::Configure(const FabricSwitchIdentity& identity)
{
    HashedLoadBalancer::Configure(identity);
    m_gapTicks = m_gap.GetTimeStep();
    m_dice.Configure(identity.randomKey, identity.index);
    m_entries.clear(); // grown by the first frame: most switches have one way to everywhere
}

uint32_t
FlowletLoadBalancer::Select(const Frame& frame, FabricCandidates ports, int64_t now)
{
    if (m_entries.empty())
    {
        m_entries.resize(m_tableSize);
    }
    Entry& entry = m_entries[Hash(frame) % m_tableSize];
    if (entry.place >= ports.GetCount() || now - entry.lastAt > m_gapTicks)
    {
        const uint32_t place = m_dice.Roll(ports.GetCount());
        ++m_flowlets;
        m_moves += entry.place != NO_PLACE && entry.place != place ? 1 : 0;
        entry.place = place;
    }
    entry.lastAt = now;
    return entry.place;
}

std::vector<std::pair<std::string, uint64_t>>
FlowletLoadBalancer::GetCounters() const
{
    return {{"flowlets", m_flowlets}, {"flowlets_on_another_port", m_moves}};
}

} // namespace llm
} // namespace ns3
