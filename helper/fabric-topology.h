/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TOPOLOGY_H
#define FABRIC_TOPOLOGY_H

#include "ns3/data-rate.h"
#include "ns3/fabric-switch.h"
#include "ns3/llm-fabric.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Rate and propagation delay of a kind of link. */
struct FabricLink
{
    DataRate rate{"400Gbps"};     //!< both directions
    Time delay{NanoSeconds(500)}; //!< propagation delay, > 0
    double loss{0};               //!< probability that a frame is lost, each direction
};

/** What a topology builder made. */
struct FabricNetwork
{
    Ptr<Fabric> fabric;             //!< built, ready for traffic
    NodeContainer endpoints;        //!< one accelerator each, by endpoint index
    NodeContainer switches;         //!< by switch index
    std::vector<uint32_t> serverOf; //!< server (scale-up domain) by endpoint index
    uint32_t serverCount{0};        //!< servers
};

/**
 * @ingroup llm-training
 *
 * Builds a fabric of one shape: endpoints, switches, links. Endpoints are numbered edge switch by
 * edge switch, and grouped in that order into servers of equal size that share a scale-up domain.
 * Nodes get ns-3 names ("host3", "leaf0", ...), so that Config paths and reports can speak of them.
 *
 * A new topology is a subclass with three short functions.
 */
class FabricTopology
{
  public:
    /** Makes the switch object of each switch node. */
    using SwitchMaker = std::function<Ptr<FabricSwitch>()>;

    virtual ~FabricTopology() = default;

    /** @return one line for people, e.g. "leaf-spine: 4 leaves x 4 hosts, 2 spines". */
    virtual std::string Describe() const = 0;
    /** @return number of endpoints. */
    virtual uint32_t GetEndpointCount() const = 0;

    /** Where a switch stands in a drawing, pixels from anywhere. */
    struct Place
    {
        double x{0}; //!< to the right
        double y{0}; //!< down
    };

    /** @return places of the switches in a drawing, by index; empty: in rows by tier. */
    virtual std::vector<Place> PlaceSwitches() const;

    /** @return endpoints that share a scale-up domain, where the shape says it; 0: any. */
    virtual uint32_t GetServerSize() const;

    /** @return numbers of the endpoints in the file that the shape comes from, by endpoint; empty:
     *  their indices. */
    virtual std::vector<uint32_t> GetEndpointNumbers() const;

    /** @param link between endpoints and their switch. */
    void SetHostLink(const FabricLink& link);
    /** @param nodes that become the first endpoints, in this order; the others are made. They keep
     *         the names that they have, and may be endpoints of other fabrics. */
    void SetHosts(const NodeContainer& nodes);
    /** @param prefix of every node name, so that two fabrics can live in one simulation. */
    void SetNamePrefix(const std::string& prefix);
    /** @param maker of switches; without it they have default attributes. */
    void SetSwitchMaker(const SwitchMaker& maker);

    /**
     * @param fabric empty; its attributes are the caller's affair.
     * @param endpointsPerServer accelerators that share a scale-up domain, >= 1.
     * @return the network, with Fabric::Build called.
     * @throw ConfigError if servers do not come out whole, a name is taken, or the fabric refuses.
     */
    FabricNetwork Build(Ptr<Fabric> fabric, uint32_t endpointsPerServer) const;

  protected:
    /** @param network gets nodes and links, by the functions below. */
    virtual void Wire(FabricNetwork& network) const = 0;

    /** @param name of the node, without prefix. @return a new endpoint without a link. */
    Ptr<Node> AddHost(FabricNetwork& network, const std::string& name) const;
    /** @return a new endpoint, linked to @p edge by the host link. */
    Ptr<Node> AddEndpoint(FabricNetwork& network, Ptr<Node> edge) const;
    /** @param edges switches. @return a new endpoint, linked to each of them by the host link. */
    Ptr<Node> AddEndpoint(FabricNetwork& network, const std::vector<Ptr<Node>>& edges) const;
    /** @param name of the node, without prefix. @return a new switch. */
    Ptr<Node> AddSwitch(FabricNetwork& network, const std::string& name) const;
    /** Link two nodes. */
    static void Connect(FabricNetwork& network, Ptr<Node> a, Ptr<Node> b, const FabricLink& link);
    /** @return the host link. */
    const FabricLink& GetHostLink() const;

  private:
    /** Give a node its ns-3 name. */
    void Name(Ptr<Node> node, const std::string& name) const;

    FabricLink m_hostLink;     //!< endpoint to switch
    NodeContainer m_hosts;     //!< that exist
    std::string m_prefix;      //!< of names
    SwitchMaker m_switchMaker; //!< of switches
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_TOPOLOGY_H
