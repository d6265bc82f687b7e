/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DRAGONFLY_TOPOLOGY_H
#define DRAGONFLY_TOPOLOGY_H

#include "fabric-topology.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Dragonfly (Kim et al., ISCA 2008): groups of a routers with p endpoints each, all routers of a
 * group linked to each other, and h links of each router to other groups, so that every two groups
 * are linked. Balanced: a = 2 p = 2 h. At most a h + 1 groups; with that many, N = a p (a h + 1).
 *
 * Routing is minimal: at most one link within the first group, one between groups, one within the
 * last. There are no virtual channels, so that these paths can wait for each other in a circle
 * under PFC; adaptive and Valiant routing would need them and are not offered.
 *
 * Routers are named "router-GROUP-0", ...
 */
class DragonflyTopology : public FabricTopology
{
  public:
    /** Numbers of the parts. */
    struct Shape
    {
        uint32_t routersPerGroup{4}; //!< a
        uint32_t hostsPerRouter{2};  //!< p
        uint32_t globalLinks{2};     //!< h, of each router
        uint32_t groups{0};          //!< g; 0: a h + 1. g - 1 divides a h
    };

    /**
     * @param shape numbers of the parts.
     * @param local link within a group.
     * @param global link between groups.
     * @throw ConfigError if a number is out of range, or links between groups cannot be spread
     *        evenly.
     */
    DragonflyTopology(const Shape& shape, const FabricLink& local, const FabricLink& global);

    std::string Describe() const override;
    uint32_t GetEndpointCount() const override;
    std::vector<Place> PlaceSwitches() const override;
    /** @return routers. */
    uint64_t GetRouterCount() const;

  protected:
    void Wire(FabricNetwork& network) const override;

  private:
    Shape m_shape;       //!< numbers of the parts
    FabricLink m_local;  //!< within a group
    FabricLink m_global; //!< between groups
};

} // namespace llm
} // namespace ns3

#endif // DRAGONFLY_TOPOLOGY_H
