/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LEAF_SPINE_TOPOLOGY_H
#define LEAF_SPINE_TOPOLOGY_H

#include "fabric-topology.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Two tiers: every leaf has the same number of endpoints and of links to every spine. Switches are
 * named "leaf0", ... and "spine0", ... Oversubscription follows from counts and rates.
 */
class LeafSpineTopology : public FabricTopology
{
  public:
    /**
     * @param leaves edge switches, >= 1.
     * @param spines second tier, >= 1.
     * @param hostsPerLeaf endpoints of each leaf, >= 1.
     * @param uplink link between each leaf and each spine.
     * @param linksPerPair parallel links of that kind, >= 1.
     * @throw ConfigError if a count is 0 or a switch would have more than 65535 ports.
     */
    LeafSpineTopology(uint32_t leaves,
                      uint32_t spines,
                      uint32_t hostsPerLeaf,
                      const FabricLink& uplink,
                      uint32_t linksPerPair = 1);

    std::string Describe() const override;
    uint32_t GetEndpointCount() const override;
    /** @return host capacity of a leaf over its uplink capacity; 1 is non-blocking. */
    double GetOversubscription() const;

  protected:
    void Wire(FabricNetwork& network) const override;

  private:
    uint32_t m_leaves;       //!< edge switches
    uint32_t m_spines;       //!< second tier
    uint32_t m_hostsPerLeaf; //!< endpoints of a leaf
    FabricLink m_uplink;     //!< leaf to spine
    uint32_t m_linksPerPair; //!< between a leaf and a spine
};

} // namespace llm
} // namespace ns3

#endif // LEAF_SPINE_TOPOLOGY_H
