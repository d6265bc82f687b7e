/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-flex-dispatch.h"

#include "llm-node-exchange.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3
{
namespace llm
{

FlexDispatch::FlexDispatch(const RecipeContext& context, Exchanges& exchanges)
    : ExpertDispatch(context, exchanges),
      m_membersPerNode(CountMembersPerNode(context.layout, context.training.moe_ranks_per_node))
{
    if (m_membersPerNode == 0)
    {
        throw ConfigError("FlexDispatch",
                          "moe_ranks_per_node",
                          "nodes of " + std::to_string(context.training.moe_ranks_per_node) +
                              " ranks do not hold equally many of an expert-parallel group");
    }
    m_nodes = m_expertSize / m_membersPerNode;
}

uint32_t
FlexDispatch::CountMembersPerNode(const ParallelLayout& layout, uint32_t ranksPerNode)
{
    uint32_t perNode = 0;
    for (uint32_t index = 0; index < layout.GetGroupCount("ep"); ++index)
    {
        const std::vector<uint32_t> ranks = layout.GetGroup("ep", index);
        std::size_t begin = 0;
        while (begin < ranks.size())
        {
            const uint32_t node = ranks[begin] / ranksPerNode;
            std::size_t end = begin;
            while (end < ranks.size() && ranks[end] / ranksPerNode == node)
            {
                ++end;
            }
            const auto members = static_cast<uint32_t>(end - begin);
            perNode = perNode == 0 ? members : perNode;
            if (members != perNode)
            {
                return 0;
            }
            begin = end;
        }
    }
    return perNode;
}

FlexDispatch::Hop
FlexDispatch::MakeHop(bool within, const std::vector<uint64_t>& tokens) const
{
    const NodeHop hop = within ? NodeHop::WITHIN : NodeHop::BETWEEN;
    std::vector<uint64_t> there;
    std::vector<uint64_t> back;
    for (const uint64_t count : tokens)
    {
        there.push_back(count * GetDispatchBytes());
        back.push_back(count * GetCombineBytes());
    }
    return {Keep(std::make_unique<NodeExchange>(hop, there, m_membersPerNode, false)),
            Keep(std::make_unique<NodeExchange>(hop, back, m_membersPerNode, true))};
}

void
FlexDispatch::Prepare()
{
    const std::vector<uint64_t> ranks = GetRouting().GetCopies(m_layer, m_expertSize);
    std::vector<uint64_t> nodes = GetRouting().GetCopies(m_layer, m_nodes);
    for (uint32_t node = 0; node < m_nodes; ++node)
    {
        // Both are rounded: a node gets at least what one of its ranks gets, at most their sum.
        const auto first = ranks.begin() + static_cast<std::ptrdiff_t>(node) * m_membersPerNode;
        const auto last = first + m_membersPerNode;
        nodes[node] = std::clamp(nodes[node],
                                 *std::max_element(first, last),
                                 std::accumulate(first, last, static_cast<uint64_t>(0)));
    }
    m_between = MakeHop(false, nodes);
    m_within = MakeHop(true, ranks);
}

void
FlexDispatch::ChainCounts(RecipeWriter& /* writer */) const
{
}

void
FlexDispatch::ChainDispatch(RecipeWriter& writer, uint32_t /* expertRank */) const
{
    if (m_nodes > 1)
    {
        Chain(writer, OperationKind::ALL_TO_ALL, "ep", 0, m_between.there);
    }
    if (m_membersPerNode > 1)
    {
        Chain(writer, OperationKind::ALL_TO_ALL, "ep", 0, m_within.there);
    }
}

void
FlexDispatch::ChainCombine(RecipeWriter& writer, uint32_t /* expertRank */) const
{
    if (m_membersPerNode > 1)
    {
        Chain(writer, OperationKind::ALL_TO_ALL, "ep", 0, m_within.back);
    }
    if (m_nodes > 1)
    {
        Chain(writer, OperationKind::ALL_TO_ALL, "ep", 0, m_between.back);
    }
}

} // namespace llm
} // namespace ns3
