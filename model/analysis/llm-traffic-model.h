/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAFFIC_MODEL_H
#define LLM_TRAFFIC_MODEL_H

#include "llm-memory-model.h"
#include "llm-pipeline-clock.h"
#include "llm-traffic-uses.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace llm
{

/** Bytes that one rank sends to another per iteration. */
struct PeerTraffic
{
    uint32_t peer{0};                                     //!< global rank that receives
    ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
    uint64_t bytes{0};                                    //!< per iteration, above 0
};

/**
 * @ingroup llm-training
 *
 * The closed form of a training step: how many bytes each rank sends to each other one, and what
 * for; FLOPs, ideal times, memory. Computed from formulas (each given in the source where it is
 * used), not by running programs. Memory does not grow with ranks or microbatches.
 *
 * Bytes are payload that ranks send. Messages within a scale-up domain count like all others.
 */
class TrafficModel
{
  public:
    /**
     * Picks the algorithm for a collective. It gets a spec with kind, groupSize, bytes, root and
     * exchange filled in, sets channels and sliceBytes as the run will have them, and returns an
     * algorithm that outlives the model. Called often; it should be quick.
     */
    using Chooser = std::function<const CollectiveAlgorithm*(CollectiveSpec& spec,
                                                             const ProcessGroup& group,
                                                             ParallelDimension dimension)>;

    /**
     * @param step what is trained; it must outlive this object.
     * @param chooser picks algorithms.
     */
    TrafficModel(const TrainingStep& step, Chooser chooser);

    /**
     * @param pipelineRank coordinate on the axis PP.
     * @return what each of its ranks sends; nothing in groups of one rank, and nothing no times.
     */
    const TrafficUses& GetUses(uint32_t pipelineRank) const;
    /** @param pipelineRank coordinate on the axis PP. @return the collectives of each of its ranks.
     */
    const std::vector<CollectiveUse>& ListCollectives(uint32_t pipelineRank) const;

    /** @param rank global rank. @param dimension which. @return bytes it sends per iteration. */
    uint64_t GetBytesSent(uint32_t rank, ParallelDimension dimension) const;
    /** @param rank global rank. @return bytes it sends per iteration, for all purposes. */
    uint64_t GetBytesSent(uint32_t rank) const;
    /**
     * @param from global rank that sends.
     * @param to global rank that receives.
     * @param dimension which.
     * @return bytes per iteration.
     */
    uint64_t GetPairBytes(uint32_t from, uint32_t to, ParallelDimension dimension) const;
    /** @param rank global rank. @return whom it sends to, by peer and then dimension. */
    std::vector<PeerTraffic> GetPeers(uint32_t rank) const;
    /** @param dimension which. @return bytes that all ranks send per iteration. */
    uint64_t GetTotal(ParallelDimension dimension) const;
    /** @return bytes that all ranks send per iteration, for all purposes. */
    uint64_t GetTotal() const;

    /** @param rank global rank. @param dimension which. @return its collectives per iteration. */
    uint64_t GetCollectiveCount(uint32_t rank, ParallelDimension dimension) const;
    /** @param rank global rank. @return its pipeline sends per iteration. */
    uint64_t GetSendCount(uint32_t rank) const;

    /** @return model FLOPs of an iteration over all ranks, with the unpadded vocabulary. */
    double GetFlops() const;
    /**
     * @param iterationPs time of an iteration, in picoseconds.
     * @return model FLOPs utilisation: FLOPs over what all accelerators could do at their peak.
     */
    double GetMfu(double iterationPs) const;
    /** @return tokens of an iteration, of all model replicas. */
    double GetTokens() const;
    /** @param iterationPs time of an iteration, in picoseconds. @return tokens per second. */
    double GetTokensPerSecond(double iterationPs) const;
    /** @param stage which. @return compute of one microbatch on a rank, experts at even load. */
    PassTimes GetPassTimes(uint32_t stage) const;
    /** @param stage which. @return compute of one microbatch forward on a rank, picoseconds. */
    int64_t GetForwardPs(uint32_t stage) const;
    /** @param stage which. @return compute of one microbatch backward on a rank, picoseconds. */
    int64_t GetBackwardPs(uint32_t stage) const;
    /** @param pipelineRank coordinate on the axis PP. @return all compute of such a rank per
     *  iteration, picoseconds. */
    int64_t GetComputePs(uint32_t pipelineRank) const;
    /** @return idle over busy time of a balanced pipeline without communication, in closed form;
     *  see PipelineClock::GetPublishedBubble. */
    double GetBubbleFraction() const;
    /**
     * @return time of an iteration if communication took none: the passes as the schedule has
     *         them, and the longest optimizer.
     */
    int64_t GetIdealIterationPs() const;

    /**
     * @param pipelineRank coordinate on the axis PP.
     * @return estimate for each of its ranks, see MemoryModel.
     */
    MemoryEstimate EstimateMemory(uint32_t pipelineRank) const;
    /** @return one line if some rank needs more memory than its accelerator has; else empty. */
    std::string GetMemoryWarning() const;

  private:
    /** A use as it looks to one group. */
    struct Resolved
    {
        CollectiveSpec spec;                           //!< what
        const CollectiveAlgorithm* algorithm{nullptr}; //!< how
        const ProcessGroup* group{nullptr};            //!< who
    };

    int64_t GetOptimizerPs(uint32_t pipelineRank) const;
    TrafficUses MakeUses(uint32_t pipelineRank) const;
    Resolved Resolve(uint32_t group, const CollectiveUse& use) const;
    uint32_t GetPipelineRank(uint32_t rank) const;
    uint32_t GetRankAt(uint32_t rank, uint32_t pipelineRank) const;
    uint32_t GetNeighbour(uint32_t rank, const NeighbourUse& use) const;
    uint64_t GetCollectiveTotal(uint32_t pipelineRank, const CollectiveUse& use) const;

    const TrainingStep& m_step;      //!< what is trained
    const ParallelLayout& m_layout;  //!< its grid
    Chooser m_chooser;               //!< picks algorithms
    PipelineClock m_clock;           //!< what its schedule costs
    MemoryModel m_memory;            //!< of its ranks
    std::vector<TrafficUses> m_uses; //!< by coordinate on the axis PP
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAFFIC_MODEL_H
