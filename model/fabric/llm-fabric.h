/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FABRIC_H
#define LLM_FABRIC_H

#include "fabric-channel.h"
#include "fabric-port.h"
#include "fabric-switch.h"
#include "roce-address-book.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/fabric-frame.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{
namespace llm
{

/** Sums over all ports of a fabric, for the books. */
struct FabricTotals
{
    FabricPortCounters hosts;    //!< sum over host ports
    FabricPortCounters switches; //!< sum over switch ports
    uint64_t packetHops{0};      //!< frames that left a port, all ports
    uint64_t bytesBuffered{0};   //!< in switch buffers now
    uint64_t framesLive{0};      //!< frames that exist now
    uint32_t pausedPorts{0};     //!< ports with a paused class now
};

/**
 * @ingroup llm-training
 *
 * A network of endpoints, switches and links: builds the ports, owns the event core and the frame
 * pool, computes shortest paths. Several fabrics can live in one simulation.
 *
 * Build in this order: AddEndpoint and AddSwitch for every node, Connect for every link, Build.
 * Indices are given in call order and decide ties, so build alike on every run.
 */
class Fabric : public Object, public RoceAddressBook
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    Fabric();
    ~Fabric() override;

    /**
     * @param node a host with one accelerator.
     * @return endpoint index.
     */
    uint32_t AddEndpoint(Ptr<Node> node);

    /**
     * @param node becomes a switch: a FabricSwitch is created with default attributes, unless the
     *        caller aggregated one before.
     * @return the switch.
     */
    Ptr<FabricSwitch> AddSwitch(Ptr<Node> node);

    /**
     * @param a endpoint or switch node.
     * @param b endpoint or switch node.
     * @param rate of both directions.
     * @param delay propagation delay, > 0.
     * @return the link.
     * @throw ConfigError if a node is unknown, or the rate or delay is not positive.
     */
    Ptr<FabricChannel> Connect(Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay);

    /**
     * Compute routes, size buffers; once, after the last Connect.
     * @throw ConfigError if a buffer cannot hold its headroom, an endpoint has no link, or two
     *        endpoints cannot reach each other.
     */
    void Build();

    /** @return number of endpoints. */
    uint32_t GetEndpointCount() const;
    /** @param endpoint index. @return its port. */
    Ptr<FabricPort> GetEndpointPort(uint32_t endpoint) const;
    /** @param node host. @return endpoint index. @throw ConfigError if it is none. */
    uint32_t GetEndpoint(Ptr<Node> node) const;
    /** @return all switches, by index. */
    const std::vector<Ptr<FabricSwitch>>& GetSwitches() const;
    /** @return all ports, by port id. */
    const std::vector<Ptr<FabricPort>>& GetPorts() const;
    /** @return number of links between endpoints a and b on a shortest path. */
    uint32_t GetHops(uint32_t a, uint32_t b) const;
    /**
     * @param a sending endpoint.
     * @param b receiving endpoint.
     * @param wireBytes frame with preamble and gap.
     * @return ticks from its first bit to its last bit's arrival over idle store-and-forward links,
     *         along the first of the shortest paths.
     */
    int64_t GetPathTicks(uint32_t a, uint32_t b, uint32_t wireBytes) const;
    /** @return lowest rate on the first of the shortest paths, bit/s. */
    uint64_t GetPathRate(uint32_t a, uint32_t b) const;

    /** @return event core. */
    FabricEventQueue& GetEventQueue();
    /** @return frames. */
    FramePool& GetFramePool();
    /** @return sums over all ports. */
    FabricTotals GetTotals() const;
    /** @return RDMA payload bytes per packet, 256, 512, 1024, 2048 or 4096. */
    uint32_t GetPathMtu() const;
    /** @return longest layer 3 packet of ordinary applications, bytes. */
    uint32_t GetMaxPacket() const;
    /** @return longest frame that headroom is computed for, with preamble and gap. */
    uint32_t GetMaxWireBytes() const;
    /** @return key of the fabric's random numbers: ns-3's seed and run, and the stream. */
    uint64_t GetRandomKey() const;
    /**
     * @param stream first stream number of this fabric.
     * @return number of streams used, 1.
     */
    int64_t AssignStreams(int64_t stream);

    /** @return destination group by endpoint; valid after Build. */
    const uint32_t* GetGroups() const;
    /** @param dscp of an ordinary IPv4 packet. @return its traffic class. */
    uint8_t GetTrafficClass(uint8_t dscp) const;
    /** @param dscp 0..63. @param trafficClass 0..7 that packets with it use; default 0. */
    void SetTrafficClass(uint8_t dscp, uint8_t trafficClass);

    // -- addresses
    Ipv4Address GetIpv4(uint32_t endpoint) const override;
    Mac48Address GetMac(uint32_t endpoint) const override;
    /** @param address of an endpoint. @return its index, UINT32_MAX if unknown. */
    uint32_t FindEndpoint(Ipv4Address address);

  protected:
    void DoDispose() override;

  private:
    /** What a node is in the fabric. */
    struct Role
    {
        bool isSwitch;  //!< or endpoint
        uint32_t index; //!< switch or endpoint index
    };

    /** @return role of a node. @throw ConfigError if it has none. */
    Role GetRole(Ptr<Node> node) const;
    /** Make one port. */
    Ptr<FabricPort> MakePort(Ptr<Node> node, Ptr<FabricChannel> channel, DataRate rate);
    /** @return ports that a frame leaves from @p a to @p b, on the first of the shortest paths. */
    std::vector<const FabricPort*> GetPath(uint32_t a, uint32_t b) const;
    /** Fill every switch's tables. */
    void ComputeRoutes();

    std::unique_ptr<FabricEventQueue> m_events;    //!< event core
    FramePool m_pool;                              //!< frames
    std::vector<Ptr<Node>> m_endpointNodes;        //!< by endpoint
    std::vector<Ptr<FabricPort>> m_endpointPorts;  //!< by endpoint
    std::vector<Ptr<FabricSwitch>> m_switches;     //!< by switch
    std::vector<Ptr<Node>> m_switchNodes;          //!< by switch
    std::vector<Ptr<FabricPort>> m_ports;          //!< by port id
    std::vector<Ptr<FabricChannel>> m_channels;    //!< all links
    std::map<uint32_t, Role> m_roles;              //!< by ns-3 node id
    std::map<uint32_t, uint32_t> m_byAddress;      //!< endpoint by IPv4 address
    std::vector<uint32_t> m_groupOf;               //!< group by endpoint
    std::vector<std::vector<uint16_t>> m_distance; //!< switch hops [group][switch]
    std::vector<uint32_t> m_groupSwitch;           //!< switch by group
    std::array<uint8_t, 64> m_classOfDscp{};       //!< of ordinary packets
    uint32_t m_pathMtu;                            //!< attribute PathMtu
    uint32_t m_maxPacket;                          //!< attribute MaxPacket
    int64_t m_stream{0};                           //!< random stream
    bool m_built{false};                           //!< Build was called
};

} // namespace llm
} // namespace ns3

#endif // LLM_FABRIC_H
