/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-placement-pool.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llm
{

PlacementPool::PlacementPool(const FabricNetwork& network, uint64_t key)
    : m_network(network),
      m_key(key),
      m_holder(network.endpoints.GetN(), FREE)
{
}

const std::vector<std::string>&
PlacementPool::GetPolicies()
{
    static const std::vector<std::string> policies{"packed", "spread", "random", "list"};
    return policies;
}

Placement
PlacementPool::Take(const std::string& job,
                    uint32_t ranks,
                    const std::string& policy,
                    const std::vector<uint32_t>& list)
{
    const auto endpoints = static_cast<uint32_t>(m_holder.size());
    std::vector<uint32_t> chosen = list;
    if (policy != "list")
    {
        chosen = Arrange(policy);
        if (chosen.size() < ranks && !m_jobs.empty())
        {
            throw ConfigError("placement",
                              "",
                              "the job has " + std::to_string(ranks) + " ranks, but only " +
                                  std::to_string(chosen.size()) + " of the fabric's " +
                                  std::to_string(endpoints) + " endpoints are free");
        }
        if (chosen.size() < ranks)
        {
            return Placement::Packed(ranks, endpoints); // says what is wrong
        }
        chosen.resize(ranks);
    }
    Placement placement = Placement::Explicit(ranks, endpoints, chosen);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        const uint32_t holder = m_holder[chosen[rank]];
        if (holder != FREE)
        {
            throw ConfigError("placement",
                              "rank " + std::to_string(rank),
                              "endpoint " + std::to_string(chosen[rank]) + " is taken by job '" +
                                  m_jobs[holder] + "'; an accelerator runs one rank");
        }
    }
    for (const uint32_t endpoint : chosen)
    {
        m_holder[endpoint] = static_cast<uint32_t>(m_jobs.size());
    }
    m_jobs.push_back(job);
    return placement;
}

std::vector<uint32_t>
PlacementPool::Arrange(const std::string& policy) const
{
    std::vector<uint32_t> free;
    for (uint32_t endpoint = 0; endpoint < m_holder.size(); ++endpoint)
    {
        if (m_holder[endpoint] == FREE)
        {
            free.push_back(endpoint);
        }
    }
    return policy == "spread" ? Spread(free) : policy == "random" ? Shuffle(free) : free;
}

std::vector<uint32_t>
PlacementPool::Spread(const std::vector<uint32_t>& free) const
{
    // By leaf, in order of their first endpoint; one leaf alone tells nothing, then by server.
    const uint32_t* leafOf = m_network.fabric->GetGroups();
    const bool oneLeaf =
        std::all_of(leafOf, leafOf + m_holder.size(), [&](uint32_t g) { return g == leafOf[0]; });
    std::vector<std::pair<uint32_t, std::vector<uint32_t>>> bins;
    for (const uint32_t endpoint : free)
    {
        const uint32_t bin = oneLeaf ? m_network.serverOf[endpoint] : leafOf[endpoint];
        auto found = std::find_if(bins.begin(), bins.end(), [bin](const auto& entry) {
            return entry.first == bin;
        });
        if (found == bins.end())
        {
            found = bins.insert(bins.end(), {bin, {}});
        }
        found->second.push_back(endpoint);
    }
    std::vector<uint32_t> order;
    for (std::size_t round = 0; order.size() < free.size(); ++round)
    {
        for (const auto& [bin, endpoints] : bins)
        {
            if (round < endpoints.size())
            {
                order.push_back(endpoints[round]);
            }
        }
    }
    return order;
}

std::vector<uint32_t>
PlacementPool::Shuffle(std::vector<uint32_t> free) const
{
    // Fisher and Yates.
    const Philox random(m_key);
    for (std::size_t i = 0; i + 1 < free.size(); ++i)
    {
        const uint64_t left = free.size() - i;
        const uint64_t draw = random.Draw(i, m_jobs.size());
        std::swap(free[i], free[i + static_cast<std::size_t>((draw * left) >> 32)]);
    }
    return free;
}

} // namespace llm
} // namespace ns3
