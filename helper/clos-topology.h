/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLOS_TOPOLOGY_H
#define CLOS_TOPOLOGY_H

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
 * A folded Clos network of any number of tiers, an extended generalised fat tree XGFT(h; m; w) of
 * Öhring et al. (1995) whose endpoints have one link in each plane. A switch of tier t has down[t]
 * neighbours below and up[t] above, a link each; so there are
 *
 *     down[0] * ... * down[h-1]                                        endpoints,
 *     up[0] * ... * up[t-1] * down[t+1] * ... * down[h-1]              switches in tier t, per
 * plane.
 *
 * Planes are whole networks of their own that endpoints alone join. Switches are named "tier1-0",
 * "tier2-0", ..., with several planes "plane0-tier1-0", ...
 */
class ClosTopology : public FabricTopology
{
  public:
    /** Numbers of neighbours, by tier from the edge. */
    struct Shape
    {
        std::vector<uint32_t> down; //!< below a switch of each tier; at the edge: endpoints
        std::vector<uint32_t> up;   //!< above a switch of each tier but the highest
        uint32_t planes{1};         //!< networks side by side

        /**
         * @param tiers of switches, at least 1.
         * @param radix ports of every switch.
         * @param oversubscription links down for each link up, below the highest tier.
         * @return shape of the largest such network.
         * @throw ConfigError if ports cannot be divided so.
         */
        static Shape FromRadix(uint32_t tiers, uint32_t radix, double oversubscription);
    };

    /**
     * @param shape numbers of neighbours.
     * @param uplink link between switches.
     * @throw ConfigError if a number is 0, lists do not fit together or a switch would have more
     *        than 65535 ports.
     */
    ClosTopology(const Shape& shape, const FabricLink& uplink);

    std::string Describe() const override;
    uint32_t GetEndpointCount() const override;
    /** @return switches of all tiers and planes. */
    uint64_t GetSwitchCount() const;
    /** @param tier from 0 at the edge. @return switches of that tier, all planes. */
    uint64_t GetSwitchCount(std::size_t tier) const;
    /** @param tier from 0, not the highest. @return capacity below a switch over that above. */
    double GetOversubscription(std::size_t tier) const;

  protected:
    void Wire(FabricNetwork& network) const override;

  private:
    /** @return switches of one tier and plane. */
    uint64_t CountTier(std::size_t tier) const;

    Shape m_shape;       //!< numbers of neighbours
    FabricLink m_uplink; //!< between switches
};

} // namespace llm
} // namespace ns3

#endif // CLOS_TOPOLOGY_H
