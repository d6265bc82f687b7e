/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GOAL_WRITER_H
#define LLM_GOAL_WRITER_H

#include "llm-collective-algorithm.h"

#include "ns3/llm-step-program.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes a workload as a GOAL schedule (text), for LogGOPSim, ATLAHS and back to GoalWorkload.
 *
 * GOAL knows sends, receives and computations only, so collectives are written out as the
 * transfers of their algorithm. A stream becomes a cpu, its order dependencies. A collective's
 * transfers carry a tag of their own, odd; tags of sends are doubled. Times are rounded to whole
 * ns. What GOAL has no words for (picoseconds, what bytes serve, which connection carries them)
 * stands in annotations, comments that begin with "//@". Read back by GoalWorkload, every message
 * is sent in the same order, over the same connection and at the same time as by the workload
 * itself.
 */
class GoalWriter
{
  public:
    /** Picks the algorithm of a collective; gets a spec with kind, groupSize, bytes, root and
     *  exchange filled in, and sets the rest of it as the run will have it. */
    using Chooser = std::function<const CollectiveAlgorithm*(CollectiveSpec& spec,
                                                             const ProcessGroup& group,
                                                             ParallelDimension dimension)>;

    /** What has been written. */
    struct Totals
    {
        uint64_t sends{0};    //!< send statements
        uint64_t receives{0}; //!< recv statements
        uint64_t calcs{0};    //!< calc statements, joins included
        uint64_t bytes{0};    //!< of all sends
    };

    /**
     * @param source the work; it must outlive this object.
     * @param channels connections per pair and dimension that collectives are spread over at most.
     * @param chooser picks algorithms.
     */
    GoalWriter(const WorkloadSource& source, uint32_t channels, Chooser chooser);

    /**
     * Write the first iteration.
     * @param out where to.
     * @param title one line about it, for a comment at the top.
     * @return how much it was.
     * @throw ConfigError if a tag does not fit, or an algorithm computes in the network.
     */
    Totals Write(std::ostream& out, const std::string& title) const;

  private:
    struct RankState;

    void WriteRank(std::ostream& out, uint32_t rank, Totals& totals) const;
    void WritePair(RankState& state, const Operation& operation) const;
    void WriteCollective(RankState& state, const Operation& operation) const;
    void WriteChannel(RankState& state,
                      const Operation& operation,
                      TransferProgram& program,
                      uint32_t channel,
                      uint64_t tag) const;
    CollectiveSpec MakeSpec(const Operation& operation,
                            const CollectiveAlgorithm*& algorithm) const;
    void ColourGroups();

    const WorkloadSource& m_source;  //!< the work
    Chooser m_chooser;               //!< picks algorithms
    std::vector<uint32_t> m_colours; //!< by group: no two groups that share a rank have the same
    uint32_t m_colourCount{1};       //!< number of colours
    uint32_t m_channels{1};          //!< connections per pair and dimension
};

} // namespace llm
} // namespace ns3

#endif // LLM_GOAL_WRITER_H
