/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-distinct-uses.h"

#include "ns3/llm-group-nodes.h"

#include <iterator>
#include <map>
#include <tuple>

namespace ns3
{
namespace llm
{

namespace
{

/** What equal uses have in common; the last is the number of the exchange. */
using Key = std::tuple<CollectiveKind,
                       ParallelDimension,
                       std::string,
                       uint64_t,
                       std::vector<uint64_t>,
                       std::size_t>;

/** @return whether everybody gives everybody the same in both. */
bool
IsEqual(const ExchangeBytes* left, const ExchangeBytes* right)
{
    if (left == right || !left || !right)
    {
        return left == right;
    }
    const uint32_t n = left->GetGroupSize();
    if (n != right->GetGroupSize() || left->GetMeanBytes() != right->GetMeanBytes())
    {
        return false;
    }
    for (uint32_t from = 0; from < n; ++from)
    {
        for (uint32_t to = 0; to < n; ++to)
        {
            if (left->Get(from, to) != right->Get(from, to))
            {
                return false;
            }
        }
    }
    return true;
}

} // namespace

std::string
DescribeRanks(const std::set<uint32_t>& ranks, uint32_t all)
{
    if (ranks.size() == all)
    {
        return "all";
    }
    std::string text;
    for (auto first = ranks.begin(); first != ranks.end();)
    {
        auto last = first;
        while (std::next(last) != ranks.end() && *std::next(last) == *last + 1)
        {
            ++last;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(*first);
        text += last == first ? "" : "-" + std::to_string(*last);
        first = std::next(last);
    }
    return text;
}

CollectiveSpec
MakeUseSpec(const TrainingStep& step,
            const CollectiveUse& use,
            uint32_t rank,
            const std::vector<uint32_t>& serverOf)
{
    const ProcessGroup& group = step.GetGroups()[step.GetGroupId(use.groupKind, rank)];
    CollectiveSpec spec;
    spec.kind = use.kind;
    spec.groupSize = static_cast<uint32_t>(group.ranks.size());
    spec.bytes =
        use.bytesByExpertRank.empty()
            ? use.bytes
            : use.bytesByExpertRank[step.GetLayout().GetCoordinate(rank, ParallelAxis::EP)];
    spec.exchange = use.exchange;
    spec.ranksPerNode = GetRanksPerNode(group.ranks, serverOf);
    return spec;
}

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
            while (exchange < exchanges.size() && !IsEqual(exchanges[exchange], use.exchange))
            {
                ++exchange;
            }
            if (exchange == exchanges.size())
            {
                exchanges.push_back(use.exchange);
            }
            const Key key{use.kind,
                          use.dimension,
                          use.groupKind,
                          use.bytes,
                          use.bytesByExpertRank,
                          exchange};
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
        uses[i].where = DescribeRanks(ranks[i], pipelineRanks);
    }
    return uses;
}

} // namespace llm
} // namespace ns3
