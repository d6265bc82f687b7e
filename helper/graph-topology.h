/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRAPH_TOPOLOGY_H
#define GRAPH_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Builds a FabricGraph as it is: any network of hosts and switches. Nodes keep the names of the
 * graph; the host link of the base class is not used.
 */
class GraphTopology : public FabricTopology
{
  public:
    /**
     * @param graph to build.
     * @throw ConfigError naming the place in the graph's file: a name twice, a host without link,
     *        a link to itself, between two hosts or without rate or delay, an unknown attribute.
     */
    explicit GraphTopology(FabricGraph graph);

    std::string Describe() const override;
    uint32_t GetEndpointCount() const override;
    uint32_t GetServerSize() const override;
    std::vector<uint32_t> GetEndpointNumbers() const override;

    /** @return what is built. */
    const FabricGraph& GetGraph() const
    {
        return m_graph;
    }

  protected:
    void Wire(FabricNetwork& network) const override;

  private:
    /** @throw ConfigError if vertices or edges make no sense. */
    void Check() const;

    FabricGraph m_graph; //!< what is built
};

} // namespace llm
} // namespace ns3

#endif // GRAPH_TOPOLOGY_H
