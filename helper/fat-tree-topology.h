/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAT_TREE_TOPOLOGY_H
#define FAT_TREE_TOPOLOGY_H

#include "fabric-topology.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * k-ary fat-tree (Al-Fares et al., SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches,
 * (k/2)^2 cores, k^3/4 endpoints. Aggregation switch a of each pod is linked to cores
 * a k/2 ... a k/2 + k/2 - 1. Oversubscribed, edge switches have more than k/2 endpoints. Switches
 * are named "edge0", "agg0", "core0", ...
 */
class FatTreeTopology : public FabricTopology
{
  public:
    /**
     * @param k ports per switch, even, 2 .. 254.
     * @param uplink link between switches.
     * @param oversubscription endpoints of an edge switch for each of its k/2 uplinks, above 0; 2
     *        makes k^3/2 endpoints.
     * @throw ConfigError if k is odd or out of range, or endpoints do not come out whole.
     */
    FatTreeTopology(uint32_t k, const FabricLink& uplink, double oversubscription = 1);

    std::string Describe() const override;
    uint32_t GetEndpointCount() const override;

  protected:
    void Wire(FabricNetwork& network) const override;

  private:
    uint32_t m_k;            //!< ports per switch
    FabricLink m_uplink;     //!< between switches
    uint32_t m_hostsPerEdge; //!< endpoints of an edge switch
};

} // namespace llm
} // namespace ns3

#endif // FAT_TREE_TOPOLOGY_H
