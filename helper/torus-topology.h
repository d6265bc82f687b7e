/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TORUS_TOPOLOGY_H
#define TORUS_TOPOLOGY_H

#include "fabric-topology.h"

#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A torus or mesh of any number of dimensions: each endpoint has a switch of its own, that is
 * linked to its neighbours in every dimension. Endpoint and switch i have the coordinates of i as a
 * number whose first digit changes fastest. Wrapped, the ends of a dimension of more than two are
 * linked, too.
 *
 * Routes are all shortest paths, or in order of dimensions: one path, first along the first
 * dimension in which the coordinates differ. In a wrapped dimension, paths can wait for each other
 * in a circle under PFC: real ones have virtual channels against it, this one has not.
 *
 * Switches are named "chip0", ...
 */
class TorusTopology : public FabricTopology
{
  public:
    /** Lengths and routes. */
    struct Shape
    {
        std::vector<uint32_t> dimensions{4, 4}; //!< length of each, at least 1
        bool wrap{true};                        //!< torus, or mesh
        bool inDimensionOrder{false};           //!< one path, or all shortest paths
    };

    /**
     * @param shape lengths and routes.
     * @param link between neighbours.
     * @throw ConfigError if there is no dimension, one is of length 0, or there are more than
     *        1048576 endpoints.
     */
    TorusTopology(const Shape& shape, const FabricLink& link);

    std::string Describe() const override;
    uint32_t GetEndpointCount() const override;
    std::vector<Place> PlaceSwitches() const override;

  protected:
    void Wire(FabricNetwork& network) const override;

  private:
    Shape m_shape;     //!< lengths and routes
    FabricLink m_link; //!< between neighbours
};

} // namespace llm
} // namespace ns3

#endif // TORUS_TOPOLOGY_H
