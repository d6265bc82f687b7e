/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TROUBLE_TARGETS_H
#define LLM_TROUBLE_TARGETS_H

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
 * What people call the parts of a network: "leaf0:spine1" for the links between two nodes,
 * "leaf0:3" for the link at a port (as ports are labelled everywhere: node and interface), "host3"
 * for all links of a host or for the host itself, "server0" for its hosts, "spine1" for a switch,
 * "rank5" for the host that a rank was placed on. What does not exist is a ConfigError that names
 * what was probably meant.
 */
class TroubleTargets
{
  public:
    /** @param network that is meant; kept alive by its fabric. */
    explicit TroubleTargets(const FabricNetwork& network);

    /**
     * Make ranks known.
     * @param prefix before "rank0", "rank1", ...; empty if there is one job.
     * @param endpoints by rank.
     */
    void NameRanks(const std::string& prefix, const std::vector<uint32_t>& endpoints);

    /** @param name "node:node", "node:interface" or "host3".
     *  @return a port of each link, the one nearest to the first node. @throw ConfigError */
    std::vector<FabricPort*> FindLinks(const std::string& name) const;
    /** @param name of a switch. @return it. @throw ConfigError */
    FabricSwitch* FindSwitch(const std::string& name) const;
    /** @param name "host3", "server0" or "rank5". @return endpoints. @throw ConfigError */
    std::vector<uint32_t> FindHosts(const std::string& name) const;
    /** @param endpoint index. @return its ports. */
    std::vector<FabricPort*> GetPorts(uint32_t endpoint) const;
    /** @param endpoint index. @return its node. */
    Ptr<Node> GetNode(uint32_t endpoint) const;

  private:
    std::vector<FabricPort*> m_ports;                       //!< all, by port id
    std::map<std::string, FabricSwitch*> m_switches;        //!< by name
    std::map<std::string, std::vector<uint32_t>> m_hosts;   //!< endpoints by name
    std::vector<Ptr<Node>> m_nodes;                         //!< by endpoint
    std::map<uint32_t, std::vector<FabricPort*>> m_portsOf; //!< by endpoint
};

} // namespace llm
} // namespace ns3

#endif // LLM_TROUBLE_TARGETS_H
