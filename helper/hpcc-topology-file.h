/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TOPOLOGY_FILE_H
#define HPCC_TOPOLOGY_FILE_H

#include "fabric-graph.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Reads topology files of the HPCC family of simulators. All are tokens separated by white space:
 *
 *     <nodes> <switches> <links>
 *     <switch id> ...
 *     <node> <node> <rate> <delay> <loss>         a link each
 *
 * Headers that are understood: the one above (HPCC, conweave, astra-sim); "nodes switches tors
 * links" (ns3-datacenter), and the same with two capacities behind it (Reverie); "nodes
 * gpus_per_server nvswitches switches links gpu_type" (SimAI). Nodes that are no switches are
 * hosts, and become endpoints in the order of their ids. Of a SimAI file the NVSwitches become the
 * scale-up domains: gpus_per_server hosts each, with the rate and delay of the links to them.
 */
class HpccTopologyFile
{
  public:
    /**
     * @param fileName file.
     * @return the network.
     * @throw ConfigError naming file and line: a token that is no number, rate or time; a node that
     *        does not exist; fewer or more links than the header says.
     */
    static FabricGraph Read(const std::string& fileName);

    /**
     * @param text content.
     * @param source name for errors.
     * @return see Read.
     * @throw ConfigError see Read.
     */
    static FabricGraph Parse(const std::string& text, const std::string& source);
};

} // namespace llm
} // namespace ns3

#endif // HPCC_TOPOLOGY_FILE_H
