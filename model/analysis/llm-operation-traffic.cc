/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-operation-traffic.h"

#include "llm-workload-checker.h"

#include "ns3/llm-collective-operation.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

OperationTraffic::OperationTraffic(const WorkloadSource& source,
                                   const TrafficModel::Chooser& chooser,
                                   const std::string& name)
{
    // A step repeats few collectives many times: they are counted first and reckoned once.
    std::map<Use, uint64_t> uses;
    std::vector<const ExchangeBytes*> exchanges{nullptr};
    std::map<const ExchangeBytes*, std::size_t> numberOf{{nullptr, 0}};
    WorkloadChecker checker(source, name);
    checker.SetObserver([&](uint32_t rank, const Operation& operation) {
        switch (operation.kind)
        {
        case OperationKind::COMPUTE:
        case OperationKind::RECV:
            return;
        case OperationKind::SEND:
            m_pairs[{rank, operation.peer, operation.dimension}] += operation.bytes;
            m_total += operation.bytes;
            return;
        default:
            if (numberOf.emplace(operation.exchange, exchanges.size()).second)
            {
                exchanges.push_back(operation.exchange);
            }
            ++uses[{rank,
                    operation.group,
                    operation.kind,
                    operation.bytes,
                    operation.root,
                    numberOf.at(operation.exchange),
                    operation.dimension}];
        }
    });
    m_operations = checker.Run();
    for (const auto& [use, count] : uses)
    {
        AddUse(source, chooser, use, exchanges[std::get<5>(use)], count);
    }
}

void
OperationTraffic::AddUse(const WorkloadSource& source,
                         const TrafficModel::Chooser& chooser,
                         const Use& use,
                         const ExchangeBytes* exchange,
                         uint64_t count)
{
    const auto& [rank, groupIndex, kind, bytes, root, number, dimension] = use;
    const ProcessGroup& group = source.GetGroups()[groupIndex];
    CollectiveSpec spec;
    spec.kind = GetCollectiveKind(kind);
    spec.groupSize = static_cast<uint32_t>(group.ranks.size());
    spec.bytes = bytes;
    spec.root = root;
    spec.exchange = number > 0 ? exchange : nullptr;
    const CollectiveAlgorithm* algorithm = chooser(spec, group, dimension);
    const auto place = std::find(group.ranks.begin(), group.ranks.end(), rank);
    const auto groupRank = static_cast<uint32_t>(place - group.ranks.begin());
    for (const uint32_t peer : algorithm->PredictPeers(spec, groupRank))
    {
        const uint64_t sum = count * algorithm->PredictPairBytes(spec, groupRank, peer);
        if (sum > 0)
        {
            m_pairs[{rank, group.ranks[peer], dimension}] += sum;
            m_total += sum;
        }
    }
}

uint64_t
OperationTraffic::GetOperations() const
{
    return m_operations;
}

uint64_t
OperationTraffic::GetTotal() const
{
    return m_total;
}

uint64_t
OperationTraffic::GetPairBytes(uint32_t from, uint32_t to, ParallelDimension dimension) const
{
    const auto found = m_pairs.find({from, to, dimension});
    return found == m_pairs.end() ? 0 : found->second;
}

std::vector<PeerTraffic>
OperationTraffic::GetPeers(uint32_t rank) const
{
    std::vector<PeerTraffic> peers;
    for (auto it = m_pairs.lower_bound({rank, 0, static_cast<ParallelDimension>(0)});
         it != m_pairs.end() && std::get<0>(it->first) == rank;
         ++it)
    {
        peers.push_back({std::get<1>(it->first), std::get<2>(it->first), it->second});
    }
    return peers;
}

} // namespace llm
} // namespace ns3
