/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAFFIC_USES_H
#define LLM_TRAFFIC_USES_H

#include "ns3/llm-collective-algorithm.h"
#include "ns3/llm-training-step.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llm
{

/** A collective that the ranks of a pipeline coordinate run several times per iteration. */
struct CollectiveUse
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};      //!< what
    ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
    const char* groupKind{"dp"}; //!< over the rank's group of this kind, see ParallelLayout
    uint64_t bytes{0};           //!< size, as in CollectiveSpec
    uint64_t count{0};           //!< times per iteration
    const ExchangeBytes* exchange{nullptr}; //!< ALL_TO_ALL of uneven parts; null: even
    /** By coordinate on ParallelAxis::EP, where groups differ in it: takes the place of bytes,
     * which is the most of them. */
    std::vector<uint64_t> bytesByExpertRank{};
};

/** Messages to a neighbour within a group, as in the ring of context parallelism. */
struct NeighbourUse
{
    ParallelDimension dimension{ParallelDimension::CONTEXT}; //!< what for
    const char* groupKind{"cp"}; //!< to a rank of the rank's group of this kind
    int32_t offset{1};           //!< group ranks away, cyclic
    uint64_t bytes{0};           //!< of each message
    uint64_t count{0};           //!< times per iteration
};

/** Messages to another stage of the same pipeline. */
struct PipelineUse
{
    uint32_t toRank{0}; //!< coordinate of the receiver on the axis PP
    uint64_t bytes{0};  //!< of each message
    uint64_t count{0};  //!< times per iteration
};

/** All that a rank sends in an iteration; ranks of one pipeline coordinate are alike. */
struct TrafficUses
{
    std::vector<CollectiveUse> collectives; //!< those over groups of one rank, or no times, too
    std::vector<NeighbourUse> neighbours;   //!< those in groups of one rank, or no times, too
    std::vector<PipelineUse> pipeline;      //!< to other ranks only
    /** What uneven all-to-alls exchange. */
    std::vector<std::shared_ptr<const ExchangeBytes>> exchanges;
};

/** A stage at one of its places, as the closed forms of the dimensions see it. */
struct StageTraffic
{
    const TrainingStep& step; //!< what is trained
    PipelinePlace place;      //!< pipeline coordinate and chunk
    const StageWork& work;    //!< the layers there
    uint64_t microbatches{0}; //!< that pass there per iteration
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAFFIC_USES_H
