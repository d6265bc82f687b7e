/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-algorithm.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace llm
{

const char*
ToString(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return "all_reduce";
    case CollectiveKind::ALL_GATHER:
        return "all_gather";
    case CollectiveKind::REDUCE_SCATTER:
        return "reduce_scatter";
    case CollectiveKind::BROADCAST:
        return "broadcast";
    case CollectiveKind::REDUCE:
        return "reduce";
    case CollectiveKind::ALL_TO_ALL:
        return "all_to_all";
    }
    return "unknown";
}

std::string
CheckCollectiveSpec(const CollectiveSpec& spec)
{
    if (spec.groupSize == 0)
    {
        return "a group of 0 ranks; at least 1 is needed";
    }
    if (spec.channels == 0)
    {
        return "0 channels; at least 1 is needed";
    }
    if (spec.root >= spec.groupSize)
    {
        return "root " + std::to_string(spec.root) + " is not in a group of " +
               std::to_string(spec.groupSize) + " ranks";
    }
    constexpr uint64_t most = UINT64_C(1) << 62;
    if (spec.bytes > most)
    {
        return std::to_string(spec.bytes) + " bytes; at most " + std::to_string(most) +
               " can be counted";
    }
    if (spec.ranksPerNode > 0 && spec.groupSize % spec.ranksPerNode != 0)
    {
        return std::to_string(spec.ranksPerNode) + " ranks per node in a group of " +
               std::to_string(spec.groupSize) + "; a divisor is needed";
    }
    if (spec.exchange && spec.kind != CollectiveKind::ALL_TO_ALL)
    {
        return std::string("uneven parts in ") + ToString(spec.kind) +
               "; only all_to_all exchanges parts";
    }
    if (spec.exchange && spec.exchange->GetGroupSize() != spec.groupSize)
    {
        return "uneven parts of " + std::to_string(spec.exchange->GetGroupSize()) +
               " ranks in a group of " + std::to_string(spec.groupSize);
    }
    return "";
}

bool
HasNothingToDo(const CollectiveSpec& spec)
{
    if (!spec.exchange)
    {
        return spec.groupSize == 1 || spec.bytes == 0;
    }
    for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
    {
        if (spec.exchange->GetSent(rank) > spec.exchange->Get(rank, rank))
        {
            return false;
        }
    }
    return true;
}

uint64_t
CollectiveAlgorithm::PredictBytes(const CollectiveSpec& spec, uint32_t from) const
{
    uint64_t sum = 0;
    for (const uint32_t to : PredictPeers(spec, from))
    {
        sum += PredictPairBytes(spec, from, to);
    }
    return sum;
}

std::vector<uint32_t>
CollectiveAlgorithm::PredictPeers(const CollectiveSpec& spec, uint32_t from) const
{
    if (HasNothingToDo(spec))
    {
        return {};
    }
    std::vector<uint32_t> peers = ListCandidates(spec, from);
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    peers.erase(std::remove_if(peers.begin(),
                               peers.end(),
                               [&](uint32_t to) { return PredictPairBytes(spec, from, to) == 0; }),
                peers.end());
    return peers;
}

std::vector<uint32_t>
CollectiveAlgorithm::ListCandidates(const CollectiveSpec& spec, uint32_t) const
{
    std::vector<uint32_t> all(spec.groupSize);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

namespace
{

/** @return the links that count: those of a group in one node are all scale-up links. */
CollectiveLinks
LinksOf(const CollectiveSpec& spec, const CollectiveLinks& links)
{
    return spec.ranksPerNode == spec.groupSize ? CollectiveLinks{links.scaleUp, links.scaleUp}
                                               : links;
}

} // namespace

double
CollectiveAlgorithm::PredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    return HasNothingToDo(spec) ? 0.0 : DoPredictTimePs(spec, LinksOf(spec, links));
}

double
CollectiveAlgorithm::PredictTimePs(const CollectiveSpec& spec,
                                   double alphaPs,
                                   double bitsPerSecond) const
{
    const CollectiveLink link{alphaPs, bitsPerSecond};
    return PredictTimePs(spec, {link, link});
}

double
CollectiveAlgorithm::PredictPipelinedTimePs(const CollectiveSpec& spec,
                                            const CollectiveLinks& links) const
{
    return HasNothingToDo(spec) ? 0.0 : DoPredictPipelinedTimePs(spec, LinksOf(spec, links));
}

double
CollectiveAlgorithm::DoPredictPipelinedTimePs(const CollectiveSpec& spec,
                                              const CollectiveLinks& links) const
{
    return DoPredictTimePs(spec, links);
}

double
BusBandwidthFactor(CollectiveKind kind, uint32_t groupSize)
{
    const double share = groupSize > 1 ? (groupSize - 1.0) / groupSize : 0.0;
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return 2 * share;
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::ALL_TO_ALL:
        return share;
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return 1.0;
    }
    return 1.0;
}

} // namespace llm
} // namespace ns3
