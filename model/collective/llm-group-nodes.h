/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GROUP_NODES_H
#define LLM_GROUP_NODES_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * How a group lies on servers, for CollectiveSpec::ranksPerNode.
 * @param ranks of the group, in group-rank order.
 * @param serverOf server by global rank; empty: each rank is alone.
 * @return length of the runs in which consecutive members share a server, if all runs are equally
 *         long and no server has two of them; else 0: they share servers in another way.
 */
uint32_t GetRanksPerNode(const std::vector<uint32_t>& ranks, const std::vector<uint32_t>& serverOf);

} // namespace llm
} // namespace ns3

#endif // LLM_GROUP_NODES_H
