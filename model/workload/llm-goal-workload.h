/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GOAL_WORKLOAD_H
#define LLM_GOAL_WORKLOAD_H

#include "llm-stored-workload.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A schedule in the GOAL language of LogGOPSim and ATLAHS, as text: sends, receives and
 * computations of each rank, and which needs which.
 *
 *     num_ranks 2
 *     rank 0 {
 *       a: calc 500
 *       b: send 4096b to 1 tag 7
 *       b requires a
 *     }
 *     rank 1 { c: recv 4096b from 0 tag 7 }
 *
 * Meaning here: an operation starts when all that it requires is over and all that it irequires has
 * started, in no other order. "calc n" computes for n ns; computations of one cpu run one after the
 * other, as they become ready; sends and receives keep no cpu busy. "nic k" takes connection k of
 * the pair, as an accelerator has one port. Without a tag the tag is 0. The n-th send of a pair and
 * tag belongs to the n-th receive; receives from any rank or of any tag are refused. Statements may
 * stand in any order within a rank, but names before their use, and ranks in any order.
 *
 * Files that GoalWriter wrote carry annotations ("//@ ps=1234567") for exact times, dimensions and
 * connections, and so run exactly as what they were made from.
 */
class GoalWorkload : public StoredWorkload
{
  public:
    /**
     * @param fileName GOAL text.
     * @throw ConfigError naming file and line.
     */
    explicit GoalWorkload(const std::string& fileName);
};

} // namespace llm
} // namespace ns3

#endif // LLM_GOAL_WORKLOAD_H
