/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAFFIC_VOLUMES_H
#define LLM_TRAFFIC_VOLUMES_H

#include "llm-traffic-model.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The traffic matrix of a training step, summed up: by dimension, by rank, by pair of servers. It
 * walks over all ranks once and keeps no pair of ranks; who wants those is told them on the way.
 */
class TrafficVolumes
{
  public:
    /** Is told each rank and what it sends to one other rank for one purpose. */
    using Visitor = std::function<void(uint32_t, const PeerTraffic&)>;

    /** Bytes that go from one server to another, or stay within one, for one purpose. */
    struct ServerPair
    {
        uint32_t from{0};                                     //!< server
        uint32_t to{0};                                       //!< server
        ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
        uint64_t bytes{0};                                    //!< per iteration
    };

    /** Traffic for one purpose, per iteration. */
    struct Volume
    {
        ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
        uint64_t withinServers{0};                            //!< bytes, all ranks
        uint64_t betweenServers{0};                           //!< bytes, all ranks
        uint64_t busiest{0};        //!< bytes that the rank which sends most sends
        uint64_t busiestBetween{0}; //!< the same of what leaves the server
        uint32_t busiestRank{0};    //!< the first rank that sends so much
        uint64_t rankPairs{0};      //!< pairs of ranks with such traffic
    };

    /**
     * @param model closed form.
     * @param serverOf server of each rank; ranks on one server share a scale-up domain.
     * @param visitor may be empty.
     */
    TrafficVolumes(const TrafficModel& model,
                   const std::vector<uint32_t>& serverOf,
                   const Visitor& visitor = {});

    /** @return dimensions that have traffic. */
    std::vector<Volume> GetVolumes() const;
    /** @param dimension which. @return its traffic, perhaps none. */
    const Volume& GetVolume(ParallelDimension dimension) const;
    /** @return pairs of servers with traffic, by sender, receiver and dimension. */
    std::vector<ServerPair> GetServerPairs() const;

  private:
    static constexpr std::size_t DIMENSIONS = static_cast<std::size_t>(ParallelDimension::COUNT);

    std::array<Volume, DIMENSIONS> m_volumes{}; //!< by dimension
    std::map<std::tuple<uint32_t, uint32_t, ParallelDimension>, uint64_t>
        m_servers; //!< from, to, what for
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAFFIC_VOLUMES_H
