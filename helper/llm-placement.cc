/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-placement.h"

#include "ns3/llm-config-error.h"

#include <map>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/** @return "3" or "3-7". */
std::string
Range(uint32_t first, uint32_t last)
{
    return first == last ? std::to_string(first)
                         : std::to_string(first) + "-" + std::to_string(last);
}

/** @return ranks and endpoints of one server, as runs of consecutive pairs. */
std::string
DescribeRuns(const std::vector<std::pair<uint32_t, uint32_t>>& pairs)
{
    std::string text;
    for (std::size_t i = 0; i < pairs.size();)
    {
        std::size_t j = i;
        while (j + 1 < pairs.size() && pairs[j + 1].first == pairs[j].first + 1 &&
               pairs[j + 1].second == pairs[j].second + 1)
        {
            ++j;
        }
        text += (text.empty() ? "" : ", ") + std::string("rank ") +
                Range(pairs[i].first, pairs[j].first) + " on host " +
                Range(pairs[i].second, pairs[j].second);
        i = j + 1;
    }
    return text;
}

} // namespace

Placement
Placement::Packed(uint32_t ranks, uint32_t endpoints)
{
    if (ranks > endpoints)
    {
        throw ConfigError("placement",
                          "",
                          "the job has " + std::to_string(ranks) + " ranks, the fabric only " +
                              std::to_string(endpoints) + " endpoints");
    }
    Placement placement;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        placement.m_endpoints.push_back(rank);
    }
    return placement;
}

Placement
Placement::Explicit(uint32_t ranks, uint32_t endpoints, const std::vector<uint32_t>& list)
{
    if (list.size() != ranks)
    {
        throw ConfigError("placement",
                          "",
                          "lists " + std::to_string(list.size()) + " endpoints for a job of " +
                              std::to_string(ranks) + " ranks");
    }
    std::vector<uint32_t> rankAt(endpoints, UINT32_MAX);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        if (list[rank] >= endpoints)
        {
            throw ConfigError("placement",
                              "rank " + std::to_string(rank),
                              "endpoint " + std::to_string(list[rank]) +
                                  " does not exist: the fabric has " + std::to_string(endpoints) +
                                  ", counted from 0");
        }
        uint32_t& holder = rankAt[list[rank]];
        if (holder != UINT32_MAX)
        {
            throw ConfigError("placement",
                              "rank " + std::to_string(rank),
                              "endpoint " + std::to_string(list[rank]) + " already holds rank " +
                                  std::to_string(holder));
        }
        holder = rank;
    }
    Placement placement;
    placement.m_endpoints = list;
    return placement;
}

const std::vector<uint32_t>&
Placement::GetEndpoints() const
{
    return m_endpoints;
}

std::string
Placement::Describe(const FabricNetwork& network) const
{
    std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> byServer;
    for (uint32_t rank = 0; rank < m_endpoints.size(); ++rank)
    {
        byServer[network.serverOf[m_endpoints[rank]]].emplace_back(rank, m_endpoints[rank]);
    }
    std::string text;
    for (const auto& [server, pairs] : byServer)
    {
        text += "server " + std::to_string(server) + ": " + DescribeRuns(pairs) + "\n";
    }
    return text;
}

} // namespace llm
} // namespace ns3
