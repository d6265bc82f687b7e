/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-distinct-uses.h"

#include <map>
#include <set>
#include <tuple>

namespace ns3
{
namespace llm
{

namespace
{

/** What equal uses have in common; the last says in which exchange's place it is. */
using Key = std::tuple<CollectiveKind, ParallelDimension, std::string, uint64_t, std::size_t>;

/** @return pipeline ranks for people. */
std::string
Describe(const std::set<uint32_t>& ranks, uint32_t all)
{
    const uint32_t first = *ranks.begin();
    const uint32_t last = *ranks.rbegin();
    if (ranks.size() == all)
    {
        return "all";
    }
    if (ranks.size() == 1)
    {
        return std::to_string(first);
    }
    return std::to_string(first) + (ranks.size() == 2 ? ", " : " .. ") + std::to_string(last);
}

} // namespace

std::vector<DistinctUse>
ListDistinctUses(const TrafficModel& model, uint32_t pipelineRanks)
{
    std::vector<DistinctUse> uses;
    std::map<Key, std::size_t> places;
    std::vector<std::set<uint32_t>> ranks;
    std::vector<const ExchangeBytes*> exchanges; // numbered as they are met
    for (uint32_t rank = 0; rank < pipelineRanks; ++rank)
    {
        std::map<std::size_t, uint64_t> counts;
        for (const auto& use : model.ListCollectives(rank))
        {
            std::size_t exchange = 0;
            while (exchange < exchanges.size() && exchanges[exchange] != use.exchange)
            {
                ++exchange;
            }
            if (exchange == exchanges.size())
            {
                exchanges.push_back(use.exchange);
            }
            const Key key{use.kind, use.dimension, use.groupKind, use.bytes, exchange};
            const auto [place, fresh] = places.emplace(key, uses.size());
            if (fresh)
            {
                uses.push_back({use, rank, ""});
                uses.back().use.count = 0;
                ranks.emplace_back();
            }
            counts[place->second] += use.count;
            ranks[place->second].insert(rank);
        }
        for (const auto& [place, count] : counts)
        {
            if (count > uses[place].use.count)
            {
                uses[place].use.count = count;
                uses[place].pipelineRank = rank;
            }
        }
    }
    for (std::size_t i = 0; i < uses.size(); ++i)
    {
        uses[i].where = Describe(ranks[i], pipelineRanks);
    }
    return uses;
}

} // namespace llm
} // namespace ns3
