/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TOPOLOGY_DRAWING_H
#define LLM_TOPOLOGY_DRAWING_H

#include "fabric-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Draws a network as SVG: endpoints as small squares, coloured by server, switches as boxes with
 * their names, links as lines, the faster the thicker, several between two nodes as one with their
 * number. Switches stand in rows by their distance from endpoints, unless the topology knows better
 * (FabricTopology::PlaceSwitches).
 */
class TopologyDrawing
{
  public:
    /** Most nodes that are drawn. */
    static constexpr uint32_t MAX_NODES = 4096;

    /**
     * @param topology that the network was built by.
     * @param network to draw.
     * @return the drawing.
     * @throw ConfigError if there are more than MAX_NODES nodes.
     */
    static std::string MakeSvg(const FabricTopology& topology, const FabricNetwork& network);
};

} // namespace llm
} // namespace ns3

#endif // LLM_TOPOLOGY_DRAWING_H
