/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_IDEAL_COMPLETION_H
#define LLM_IDEAL_COMPLETION_H

#include "ns3/llm-fabric.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * When a message would be delivered if it were alone: its packets, back to back at line rate from
 * its sender's port, over the first of the shortest paths, each stored and forwarded by every
 * switch. The yardstick of slowdowns: completion time over this is 1 for a flow that met nobody.
 */
class IdealCompletion
{
  public:
    /** Bytes of packets. */
    struct Packets
    {
        uint32_t payload{4096}; //!< of a full packet
        uint32_t header{82};    //!< link time of every packet beside its payload
        uint32_t first{16};     //!< and of the first, in addition
        uint32_t multiple{4};   //!< payload is filled up to a multiple of it
    };

    /**
     * @param fabric built; outlives this object.
     * @param endpoints by rank.
     * @param packets their bytes.
     */
    IdealCompletion(Ptr<Fabric> fabric,
                    const std::vector<uint32_t>& endpoints,
                    const Packets& packets);

    /** @param from rank. @param to rank. @param bytes of the message. @return ticks; 0 if there are
     *  no bytes, or no path at present. */
    int64_t GetTicks(uint32_t from, uint32_t to, uint64_t bytes);

  private:
    /** A link of a path. */
    struct Hop
    {
        int64_t first;  //!< ticks of a full first packet
        int64_t middle; //!< ticks of a full packet
        const FabricPort* port;
    };

    /** A path. */
    struct Path
    {
        std::vector<Hop> hops; //!< links in order; empty: none
        int64_t delay{0};      //!< of all links
    };

    /** @return path between endpoints. */
    const Path& FindPath(uint32_t from, uint32_t to);

    Ptr<Fabric> m_fabric;                       //!< paths
    std::vector<uint32_t> m_endpoints;          //!< by rank
    Packets m_packets;                          //!< bytes
    std::unordered_map<uint64_t, Path> m_paths; //!< by ranks; never iterated
};

} // namespace llm
} // namespace ns3

#endif // LLM_IDEAL_COMPLETION_H
