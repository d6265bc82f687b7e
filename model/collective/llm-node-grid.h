/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NODE_GRID_H
#define LLM_NODE_GRID_H

#include "llm-collective-algorithm.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @param name of an algorithm that works by nodes.
 * @param spec any.
 * @return empty if the group's ranks lie in nodes regularly, else one line.
 */
std::string CheckRanksPerNode(const std::string& name, const CollectiveSpec& spec);

/**
 * @ingroup llm-training
 *
 * A group as nodes of equal size: rank = node * g + place. Ranks of the same place are a rail.
 */
class NodeGrid
{
  public:
    /** @param spec with 1 <= ranksPerNode, a divisor of groupSize. */
    explicit NodeGrid(const CollectiveSpec& spec)
        : m_places(spec.ranksPerNode),
          m_nodes(spec.groupSize / spec.ranksPerNode)
    {
    }

    /** @return g, ranks per node. */
    uint32_t GetPlaces() const
    {
        return m_places;
    }

    /** @return nodes. */
    uint32_t GetNodes() const
    {
        return m_nodes;
    }

    /** @param rank group rank. @return its node. */
    uint32_t NodeOf(uint32_t rank) const
    {
        return rank / m_places;
    }

    /** @param rank group rank. @return its place in the node, which is its rail. */
    uint32_t PlaceOf(uint32_t rank) const
    {
        return rank % m_places;
    }

    /** @param node which, taken modulo the nodes. @param place which, taken modulo g.
     *  @return the group rank. */
    uint32_t RankAt(uint32_t node, uint32_t place) const
    {
        return node % m_nodes * m_places + place % m_places;
    }

  private:
    uint32_t m_places; //!< g
    uint32_t m_nodes;  //!< n / g
};

} // namespace llm
} // namespace ns3

#endif // LLM_NODE_GRID_H
