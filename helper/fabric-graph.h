/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_GRAPH_H
#define FABRIC_GRAPH_H

#include "fabric-topology.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Any network: hosts, switches, links, and routes that are not shortest paths. What readers of
 * topology files return and GraphTopology builds. Each part remembers the place in its file, for
 * errors.
 */
struct FabricGraph
{
    /** A host (one endpoint) or a switch. */
    struct Vertex
    {
        std::string name;                          //!< of the ns-3 node; unique
        bool isSwitch{false};                      //!< or host
        uint32_t number{0};                        //!< in the file, which flows refer to
        std::string path;                          //!< in the file
        std::map<std::string, std::string> fabric; //!< switch: attributes of FabricSwitch
        std::map<std::string, std::string> buffer; //!< switch: attributes of FabricSharedBuffer
    };

    /** A full-duplex link. */
    struct Edge
    {
        uint32_t a{0};    //!< vertex
        uint32_t b{0};    //!< vertex
        FabricLink link;  //!< rate, delay, loss
        std::string path; //!< in the file
    };

    /** What one switch does with frames to some hosts. */
    struct Route
    {
        uint32_t at{0};            //!< vertex, a switch
        std::vector<uint32_t> to;  //!< vertices, hosts
        std::vector<uint32_t> via; //!< vertices, neighbours of at
        std::string path;          //!< in the file
    };

    std::string source;               //!< file, for errors
    std::string summary;              //!< what was read, one line
    std::vector<Vertex> vertices;     //!< endpoints and switches get their indices in this order
    std::vector<Edge> edges;          //!< ports get their indices in this order
    std::vector<Route> routes;        //!< all others are shortest paths
    uint32_t serverSize{0};           //!< hosts that share a scale-up domain; 0: not said
    uint64_t scaleUpBitsPerSecond{0}; //!< of a host's scale-up links together; 0: not said
    int64_t scaleUpLatencyPs{0};      //!< of a message within a server
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_GRAPH_H
