/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCALE_UP_TOPOLOGY_H
#define SCALE_UP_TOPOLOGY_H

#include "fabric-topology.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/nstime.h"

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
 * The scale-up domains of a network's servers as a second fabric over the same nodes, to be used by
 * PacketScaleUpTransport. Each server is an island:
 * - a switch, as NVSwitch: every accelerator has one link to it, at the accelerator's bandwidth,
 *   with half of the latency;
 * - a mesh, as in DGX-1: every two accelerators have a link, which has the bandwidth of an
 *   accelerator divided by the number of its peers, and the whole latency.
 *
 * Switches are named "nvswitch0", ..., one per server; with several jobs that share a server, what
 * follows is "nvswitch0-2".
 */
class ScaleUpTopology
{
  public:
    /** How the accelerators of a server are linked. */
    enum class Kind : uint8_t
    {
        SWITCH, //!< star
        MESH    //!< every two
    };

    /** Link speed and distance. */
    struct Settings
    {
        Kind kind{Kind::SWITCH};        //!< shape
        DataRate bandwidth{"3600Gbps"}; //!< of each accelerator, one direction
        Time latency{MicroSeconds(1)};  //!< from accelerator to accelerator, > 0
        uint32_t framePayload{4096};    //!< bytes, for headroom
    };

    /**
     * @param network its endpoints and servers.
     * @param users endpoints; servers with fewer than two of them are left out.
     * @param settings speed and distance.
     * @param queue that events of the new fabric go through: that of the network's fabric, so that
     *        all is in one order; outlives the fabric.
     * @return the fabric, built; its endpoints are numbered anew, ask it for that of a node.
     * @throw ConfigError if latency or bandwidth are not positive.
     */
    static Ptr<Fabric> Build(const FabricNetwork& network,
                             const std::vector<uint32_t>& users,
                             const Settings& settings,
                             FabricEventQueue& queue);
};

} // namespace llm
} // namespace ns3

#endif // SCALE_UP_TOPOLOGY_H
