/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-traffic-volumes.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

TrafficVolumes::TrafficVolumes(const TrafficModel& model,
                               const std::vector<uint32_t>& serverOf,
                               const Visitor& visitor)
{
    for (std::size_t i = 0; i < DIMENSIONS; ++i)
    {
        m_volumes[i].dimension = static_cast<ParallelDimension>(i);
    }
    for (uint32_t rank = 0; rank < serverOf.size(); ++rank)
    {
        std::array<uint64_t, DIMENSIONS> sent{};
        std::array<uint64_t, DIMENSIONS> sentAway{};
        for (const auto& peer : model.GetPeers(rank))
        {
            const auto i = static_cast<std::size_t>(peer.dimension);
            const bool away = serverOf[rank] != serverOf[peer.peer];
            Volume& volume = m_volumes[i];
            (away ? volume.betweenServers : volume.withinServers) += peer.bytes;
            ++volume.rankPairs;
            sent[i] += peer.bytes;
            sentAway[i] += away ? peer.bytes : 0;
            m_servers[{serverOf[rank], serverOf[peer.peer], peer.dimension}] += peer.bytes;
            if (visitor)
            {
                visitor(rank, peer);
            }
        }
        for (std::size_t i = 0; i < DIMENSIONS; ++i)
        {
            Volume& volume = m_volumes[i];
            if (sent[i] > volume.busiest)
            {
                volume.busiest = sent[i];
                volume.busiestRank = rank;
            }
            volume.busiestBetween = std::max(volume.busiestBetween, sentAway[i]);
        }
    }
}

std::vector<TrafficVolumes::Volume>
TrafficVolumes::GetVolumes() const
{
    std::vector<Volume> volumes;
    for (const auto& volume : m_volumes)
    {
        if (volume.rankPairs > 0)
        {
            volumes.push_back(volume);
        }
    }
    return volumes;
}

const TrafficVolumes::Volume&
TrafficVolumes::GetVolume(ParallelDimension dimension) const
{
    return m_volumes[static_cast<std::size_t>(dimension)];
}

std::vector<TrafficVolumes::ServerPair>
TrafficVolumes::GetServerPairs() const
{
    std::vector<ServerPair> pairs;
    pairs.reserve(m_servers.size());
    for (const auto& [key, bytes] : m_servers)
    {
        pairs.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), bytes});
    }
    return pairs;
}

} // namespace llm
} // namespace ns3
