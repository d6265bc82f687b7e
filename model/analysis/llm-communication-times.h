/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COMMUNICATION_TIMES_H
#define LLM_COMMUNICATION_TIMES_H

#include "llm-traffic-model.h"

#include "ns3/llm-step-program.h"

#include <cstdint>
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
 * Time of each communication on a network where nobody is in the way: alpha-beta times of the
 * algorithms that a run would use, over scale-up links within servers and over the network between
 * them. What WorkloadTimeline asks for.
 */
class CommunicationTimes
{
  public:
    /**
     * @param source the work; it must outlive this object.
     * @param chooser picks algorithms.
     * @param serverOf server of each rank; it must outlive this object.
     * @param links of each rank.
     */
    CommunicationTimes(const WorkloadSource& source,
                       TrafficModel::Chooser chooser,
                       const std::vector<uint32_t>& serverOf,
                       const CollectiveLinks& links);

    /**
     * @param rank whose operation.
     * @param operation a collective or a SEND.
     * @return picoseconds.
     */
    int64_t Get(uint32_t rank, const Operation& operation);

  private:
    /** Group, kind, bytes, root, exchange. */
    using Key = std::tuple<uint32_t, OperationKind, uint64_t, uint32_t, const ExchangeBytes*>;

    int64_t Reckon(const Operation& operation) const;

    const WorkloadSource& m_source;          //!< the work
    TrafficModel::Chooser m_chooser;         //!< algorithms
    const std::vector<uint32_t>& m_serverOf; //!< by rank
    CollectiveLinks m_links;                 //!< of each rank
    std::map<Key, int64_t> m_known;          //!< times of collectives
};

} // namespace llm
} // namespace ns3

#endif // LLM_COMMUNICATION_TIMES_H
