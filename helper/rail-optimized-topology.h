/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RAIL_OPTIMIZED_TOPOLOGY_H
#define RAIL_OPTIMIZED_TOPOLOGY_H

#include "fabric-topology.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Rails: accelerator r of every server of a segment is linked to the same ToR, so that equal
 * accelerators of a segment are two links apart; between rails and segments lead spines, with links
 * to every ToR. Endpoint s g + r is accelerator r of server s, of g.
 *
 * Each accelerator has one ToR, or two, which then share its rail: with one plane both lead to all
 * spines, with two planes the second ToR and half of the spines are a network of their own that
 * only endpoints join (Alibaba HPN, SIGCOMM 2024: 15 segments of 128 servers of 8 accelerators with
 * 2 x 200 Gb/s, per plane 120 ToRs with 60 uplinks of 400 Gb/s to 60 spines).
 *
 * Switches are named "tor-SEGMENT-RAIL" or "tor-SEGMENT-RAIL-0" and -1, and "spine0", ... or
 * "spine-PLANE-0", ...
 */
class RailOptimizedTopology : public FabricTopology
{
  public:
    /** Numbers of the parts. */
    struct Shape
    {
        uint32_t segments{1};          //!< groups of servers with ToRs of their own
        uint32_t serversPerSegment{4}; //!< servers
        uint32_t rails{8};             //!< accelerators of a server
        uint32_t torsPerRail{1};       //!< 1, or 2: dual ToR
        uint32_t planes{1};            //!< 1, or 2: each ToR of a pair has its own spines
        uint32_t spines{8};            //!< of each plane
        uint32_t linksPerPair{1};      //!< parallel links between a ToR and a spine
    };

    /**
     * @param shape numbers of the parts.
     * @param uplink link between ToR and spine.
     * @throw ConfigError if a number is 0 or out of range, or a switch would have more than 65535
     *        ports.
     */
    RailOptimizedTopology(const Shape& shape, const FabricLink& uplink);

    std::string Describe() const override;
    uint32_t GetEndpointCount() const override;
    uint32_t GetServerSize() const override;
    /** @return ToRs, all planes. */
    uint64_t GetTorCount() const;
    /** @return spines, all planes. */
    uint64_t GetSpineCount() const;
    /** @return capacity below a ToR over that above. */
    double GetOversubscription() const;

  protected:
    void Wire(FabricNetwork& network) const override;

  private:
    Shape m_shape;       //!< numbers of the parts
    FabricLink m_uplink; //!< ToR to spine
};

} // namespace llm
} // namespace ns3

#endif // RAIL_OPTIMIZED_TOPOLOGY_H
