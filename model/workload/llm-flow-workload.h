/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_WORKLOAD_H
#define LLM_FLOW_WORKLOAD_H

#include "llm-flow-list.h"
#include "llm-stored-workload.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Flows as a workload: each is one message at its start time, to the tick, on a connection of its
 * own, so that flows of a pair run side by side with congestion control of their own. A rank's
 * iteration is over when all that it sends is acknowledged and all that it receives is there; start
 * times count from the start of each iteration.
 */
class FlowWorkload : public StoredWorkload
{
  public:
    /** Connections per pair of ranks; further flows take them again in turn. */
    static constexpr uint32_t MAX_PER_PAIR = 1024;

    /**
     * @param list flows.
     * @param ranks number of ranks; 0: as many as the list names.
     * @throw ConfigError if a flow names a rank beyond, or there are none.
     */
    FlowWorkload(const FlowList& list, uint32_t ranks);

    /** @return the flows, sorted by start time; a message's tag is the index. */
    const std::vector<Flow>& GetFlows() const
    {
        return m_flows;
    }

  private:
    /** Fill m_ranks. */
    void MakePrograms(uint32_t ranks);

    std::vector<Flow> m_flows; //!< sorted by start time
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_WORKLOAD_H
