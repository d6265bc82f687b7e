/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_OPERATION_TRAFFIC_H
#define LLM_OPERATION_TRAFFIC_H

#include "llm-traffic-model.h"

#include "ns3/llm-step-program.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The traffic of any workload, summed operation by operation: sends as they stand there,
 * collectives by the closed form of their algorithm. What TrafficModel is for the step of a model,
 * this is for a workload that somebody brings along. Making it also runs the WorkloadChecker: a
 * workload that could not end is refused. Memory grows with the pairs of ranks that talk.
 */
class OperationTraffic
{
  public:
    /**
     * @param source the work; its first iteration is looked at.
     * @param chooser picks algorithms.
     * @param name of the workload, for errors.
     * @throw ConfigError if the operations of the ranks do not fit together.
     */
    OperationTraffic(const WorkloadSource& source,
                     const TrafficModel::Chooser& chooser,
                     const std::string& name);

    /** @return operations of all ranks per iteration. */
    uint64_t GetOperations() const;
    /** @return bytes that all ranks send per iteration. */
    uint64_t GetTotal() const;
    /** @param from global rank that sends. @param to global rank that receives. @param dimension
     *  which. @return bytes per iteration. */
    uint64_t GetPairBytes(uint32_t from, uint32_t to, ParallelDimension dimension) const;
    /** @param rank global rank. @return whom it sends to, by peer and then dimension. */
    std::vector<PeerTraffic> GetPeers(uint32_t rank) const;

  private:
    /** From, to, dimension. */
    using Pair = std::tuple<uint32_t, uint32_t, ParallelDimension>;
    /** Rank, group, kind, bytes, root, number of the exchange (0: none), dimension. */
    using Use = std::tuple<uint32_t,
                           uint32_t,
                           OperationKind,
                           uint64_t,
                           uint32_t,
                           std::size_t,
                           ParallelDimension>;

    void AddUse(const WorkloadSource& source,
                const TrafficModel::Chooser& chooser,
                const Use& use,
                const ExchangeBytes* exchange,
                uint64_t count);

    uint64_t m_operations{0};         //!< of all ranks
    uint64_t m_total{0};              //!< bytes
    std::map<Pair, uint64_t> m_pairs; //!< bytes by pair
};

} // namespace llm
} // namespace ns3

#endif // LLM_OPERATION_TRAFFIC_H
