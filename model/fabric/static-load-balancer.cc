/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "static-load-balancer.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(StaticLoadBalancer);

TypeId
StaticLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::StaticLoadBalancer")
            .SetParent<HashedLoadBalancer>()
            .SetGroupName("LlmTraining")
            .AddConstructor<StaticLoadBalancer>()
            .AddAttribute("DestinationModulo",
                          "Flows that are not pinned go by the number of their destination, of n "
                          "ports at tier t (0 at the edge) to floor(destination / n^t) mod n. "
                          "false: by the hash.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&StaticLoadBalancer::m_destinationModulo),
                          MakeBooleanChecker());
    return tid;
}

StaticLoadBalancer::StaticLoadBalancer()
    : m_destinationModulo(false)
{
}

StaticLoadBalancer::~StaticLoadBalancer() = default;

void
StaticLoadBalancer::Configure(const FabricSwitchIdentity& identity)
{
    HashedLoadBalancer::Configure(identity);
    m_tier = identity.tier;
}

bool
StaticLoadBalancer::IsBefore(const Line& a, const Line& b)
{
    return a.flow != b.flow ? a.flow < b.flow : a.queuePair < b.queuePair;
}

void
StaticLoadBalancer::Pin(uint32_t source, uint32_t destination, uint32_t queuePair, uint32_t place)
{
    if (source == ANY && destination == ANY)
    {
        throw ConfigError("StaticLoadBalancer",
                          "Pin",
                          "pins neither a source nor a destination; give at least one of them");
    }
    if (queuePair != ANY && (source == ANY || destination == ANY))
    {
        throw ConfigError("StaticLoadBalancer",
                          "Pin",
                          "pins queue pair " + std::to_string(queuePair) +
                              ", which needs both a source and a destination");
    }
    const Line line{(uint64_t{source} << 32) | destination, queuePair, place};
    const auto at = std::lower_bound(m_lines.begin(), m_lines.end(), line, IsBefore);
    if (at != m_lines.end() && !IsBefore(line, *at))
    {
        at->place = place;
        return;
    }
    m_lines.insert(at, line);
}

const StaticLoadBalancer::Line*
StaticLoadBalancer::Find(uint32_t source, uint32_t destination, uint32_t queuePair) const
{
    const Line line{(uint64_t{source} << 32) | destination, queuePair, 0};
    const auto at = std::lower_bound(m_lines.begin(), m_lines.end(), line, IsBefore);
    return at != m_lines.end() && !IsBefore(line, *at) ? &*at : nullptr;
}

const StaticLoadBalancer::Line*
StaticLoadBalancer::Find(const Frame& frame) const
{
    if (m_lines.empty())
    {
        return nullptr;
    }
    const Line* line = Find(frame.source, frame.destination, frame.queuePair);
    line = line ? line : Find(frame.source, frame.destination, ANY);
    line = line ? line : Find(frame.source, ANY, ANY);
    return line ? line : Find(ANY, frame.destination, ANY);
}

uint32_t
StaticLoadBalancer::ChooseUnpinned(const Frame& frame, uint32_t count) const
{
    if (!m_destinationModulo)
    {
        return ChooseByHash(frame, count);
    }
    uint32_t number = frame.destination;
    for (uint32_t t = 0; t < m_tier; ++t)
    {
        number /= count;
    }
    return number % count;
}

uint32_t
StaticLoadBalancer::Select(const Frame& frame, FabricCandidates ports, int64_t)
{
    const Line* line = Find(frame);
    ++(line ? m_pinned : m_unpinned);
    return line ? line->place % ports.GetCount() : ChooseUnpinned(frame, ports.GetCount());
}

std::optional<uint32_t>
StaticLoadBalancer::Predict(const Frame& frame, FabricCandidates ports) const
{
    const Line* line = Find(frame);
    return line ? line->place % ports.GetCount() : ChooseUnpinned(frame, ports.GetCount());
}

std::vector<std::pair<std::string, uint64_t>>
StaticLoadBalancer::GetCounters() const
{
    return {{"pinned_frames", m_pinned}, {"frames_that_no_pin_fits", m_unpinned}};
}

} // namespace llm
} // namespace ns3
