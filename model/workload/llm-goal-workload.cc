/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-goal-workload.h"

#include "llm-goal-parser.h"

#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

GoalWorkload::GoalWorkload(const std::string& fileName)
    : StoredWorkload(fileName)
{
    GoalParser parser(fileName);
    m_ranks.resize(parser.ReadHead());
    uint64_t dependencies = 0;
    bool anyNic = false;
    for (GoalParser::Rank rank; parser.ReadRank(rank);)
    {
        for (const Operation& operation : rank.operations)
        {
            dependencies += operation.waits.size() + operation.startWaits.size();
            m_channels = std::max(m_channels, operation.channel + 1U);
        }
        anyNic = anyNic || rank.hasNic;
        const std::size_t circle = StoreOrdered(rank.rank, rank.operations);
        if (circle < rank.operations.size())
        {
            throw ConfigError(fileName,
                              "line " + std::to_string(rank.lines[circle]),
                              "rank " + std::to_string(rank.rank) +
                                  ": this operation requires itself, by way of others");
        }
    }
    m_channels = std::max(m_channels, parser.GetChannels());
    SetSummary("GOAL, " + std::to_string(m_ranks.size()) + " ranks, " + SummariseOperations() +
               ", " + std::to_string(dependencies) + " dependencies");
    if (anyNic)
    {
        AddNote("nic k is connection k of a pair, as an accelerator has one port");
    }
    AddNote(parser.IsAnnotated() ? "exact times, dimensions and connections by its annotations"
                                 : "what bytes are for is not said, they are listed as data; "
                                   "nothing is ignored but comments");
}

} // namespace llm
} // namespace ns3
