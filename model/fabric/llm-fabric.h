/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FABRIC_H
#define LLM_FABRIC_H

#include "fabric-address-table.h"
#include "fabric-channel.h"
#include "fabric-deadlock-detector.h"
#include "fabric-port.h"
#include "fabric-switch.h"
#include "roce-address-book.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/fabric-frame.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
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
 *
 * An endpoint may have several links: dual ToR, planes, several rails of one NIC. Its ports are a
 * bond with one IPv4 and one MAC address (those of the first port). Planes that only endpoints
 * join are legal as long as every two endpoints share one.
 */
class Fabric : public Object, public RoceAddressBook
{
  public:
    /** What Build does about cyclic buffer dependencies of lossless classes. */
    enum DeadlockCheck
    {
        CHECK_OFF,  //!< does not look
        CHECK_WARN, //!< tells by GetDependencyCycle and the log
        CHECK_ERROR //!< throws ConfigError
    };

    /** @return type id. */
    static TypeId GetTypeId();
    Fabric();
    ~Fabric() override;

    /**
     * Run on the event core of another fabric or transport, so that one job can use both (see
     * RoutedTransport). Two fabrics without a common job need not.
     * @param queue outlives this fabric.
     * @throw ConfigError after the first AddEndpoint or AddSwitch.
     */
    void ShareEventQueue(FabricEventQueue& queue);

    /** Let endpoints be linked to each other without a switch, and groups of endpoints out of each
     *  other's reach; before Build. For scale-up domains. */
    void AllowIslands();

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
     * Pin what a switch does with frames to one endpoint; other endpoints keep shortest paths. As
     * long as no link to any of @p via is up, the shortest paths apply.
     * @param at switch.
     * @param destination endpoint.
     * @param via next nodes, neighbours of @p at; all links to them share the load.
     * @throw ConfigError if a node is unknown, of the wrong kind or no neighbour, or after Build.
     */
    void AddStaticRoute(Ptr<Node> at, Ptr<Node> destination, const std::vector<Ptr<Node>>& via);

    /**
     * Narrows the choice of a switch among the shortest paths.
     * @param at index of the switch.
     * @param ports all that lie on a shortest path, ascending; at least one must stay.
     */
    using RouteFilter = std::function<void(uint32_t at, std::vector<uint16_t>& ports)>;

    /** @param filter asked for every switch and destination group, before Build. */
    void SetRouteFilter(RouteFilter filter);

    /**
     * Compute routes, size buffers; once, after the last Connect.
     * @throw ConfigError if a buffer cannot hold its headroom, an endpoint has no link, two
     *        endpoints cannot reach each other, or static routes lead in a circle.
     */
    void Build();

    /**
     * Compute all routes anew, over links that are up, at once; at any time after Build. Frames for
     * endpoints that nothing leads to are dropped where that shows (DropReason::NO_ROUTE).
     */
    void RecomputeRoutes();

    /** @return number of endpoints. */
    uint32_t GetEndpointCount() const;
    /** @param endpoint index. @return its first port, which its IP stack uses. */
    Ptr<FabricPort> GetEndpointPort(uint32_t endpoint) const;
    /** @param endpoint index. @return its ports, in the order of Connect. */
    const std::vector<Ptr<FabricPort>>& GetEndpointPorts(uint32_t endpoint) const;
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
     * @return ticks from its first bit to its last bit's arrival over idle links, along the first
     * of the shortest paths, through switches that store and forward or cut through.
     */
    int64_t GetPathTicks(uint32_t a, uint32_t b, uint32_t wireBytes) const;
    /** @return ports that a frame leaves from @p a to @p b, on the first of the shortest paths;
     *  over links that are down if there is no other. @throw ConfigError if there never was one. */
    std::vector<const FabricPort*> GetPath(uint32_t a, uint32_t b) const;
    /** @return lowest rate on the first of the shortest paths, bit/s. */
    uint64_t GetPathRate(uint32_t a, uint32_t b) const;

    /** @param switchIndex 0 and up. @return links from that switch to the nearest one with
     *  endpoints: 0 at the edge. Valid after Build. */
    uint32_t GetTier(uint32_t switchIndex) const;
    /**
     * The way of a flow through load balancers that decide by flow (ecmp, static).
     * @param source sending endpoint.
     * @param destination receiving endpoint, another one.
     * @param entropy UDP source port.
     * @param queuePair destination queue pair number.
     * @param trafficClass 0..7.
     * @param port of @p source, in the order of Connect.
     * @return ports that every data frame of it leaves from, the first at @p source.
     * @throw ConfigError if there is no route, or a load balancer on the way does not decide by
     *        flow.
     */
    std::vector<const FabricPort*> TracePath(uint32_t source,
                                             uint32_t destination,
                                             uint16_t entropy,
                                             uint32_t queuePair,
                                             uint8_t trafficClass = 3,
                                             uint32_t port = 0) const;

    /** @return event core. */
    FabricEventQueue& GetEventQueue();
    /** @return frames. */
    FramePool& GetFramePool();
    /** @return sums over all ports. */
    FabricTotals GetTotals() const;
    /** A class of a port was paused. @param now present tick. */
    void NotePause(int64_t now);
    /** @return the detector of deadlocks; nullptr if none was set. */
    Ptr<FabricDeadlockDetector> GetDeadlockDetector() const;
    /** @return cyclic buffer dependency that Build found, in one line; empty: none, or not asked.
     */
    const std::string& GetDependencyCycle() const;
    /** @return RDMA payload bytes per packet, 256, 512, 1024, 2048 or 4096. */
    uint32_t GetPathMtu() const;
    /** @return longest layer 3 packet of ordinary applications, bytes. */
    uint32_t GetMaxPacket() const;
    /** @return longest frame that headroom is computed for, with preamble and gap. */
    uint32_t GetMaxWireBytes() const;
    /** @return true if serialisation times are cut to whole nanoseconds. */
    bool IsFlooring() const;
    /** @return key of the fabric's random numbers: ns-3's seed and run, and the stream. */
    uint64_t GetRandomKey() const;
    /**
     * @param stream first stream number of this fabric.
     * @return number of streams used, 1.
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @return destination group by endpoint; valid after Build. A group is the endpoints with the
     *         same set of edge switches. Endpoints with two links to one switch, or with static
     *         routes, form groups of their own.
     */
    const uint32_t* GetGroups() const;
    /** @param dscp of an ordinary IPv4 packet. @return its traffic class. */
    uint8_t GetTrafficClass(uint8_t dscp) const;
    /** @param dscp 0..63. @param trafficClass 0..7 that packets with it use; default 0. */
    void SetTrafficClass(uint8_t dscp, uint8_t trafficClass);

    /**
     * Links went down or up: have routes follow after the attribute Reconvergence. Called by ports
     * and switches. A link that has changed back by then changes no route.
     * @param ports one of each link, or both.
     */
    void LinksChanged(const std::vector<FabricPort*>& ports);
    /** Signature of RoutesRecomputed. @param linksDown links that routes avoid. */
    typedef void (*RoutesTracedCallback)(uint32_t linksDown);

    // -- addresses
    Ipv4Address GetIpv4(uint32_t endpoint) const override;
    Mac48Address GetMac(uint32_t endpoint) const override;
    /** @return which endpoint has which IP address, and what gateways announce. */
    FabricAddressTable& GetAddresses();

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
    /** Look for cyclic buffer dependencies. */
    void CheckDeadlocks();
    /** Make one port. */
    Ptr<FabricPort> MakePort(Ptr<Node> node, Ptr<FabricChannel> channel, DataRate rate);

    /** A pinned route. */
    struct StaticRoute
    {
        uint32_t at;               //!< switch index
        uint32_t endpoint;         //!< destination
        std::vector<uint32_t> via; //!< ns-3 node ids of the next nodes
    };

    /** Endpoints that all switches treat alike. */
    struct Group
    {
        std::vector<uint32_t> edges; //!< switches that its endpoints are linked to, ascending
        bool hasStaticRoutes;        //!< some switch does not follow the shortest paths
    };

    /** @return the path of GetPath over all links, whether they are up or not. */
    std::vector<const FabricPort*> GetBuiltPath(uint32_t a, uint32_t b) const;
    /** @return index of the switch that a port belongs to. */
    uint32_t SwitchOf(const FabricPort* port) const;
    /** Fill every switch's tables. */
    void ComputeRoutes();
    /** Form destination groups and tell each switch what is attached to it. */
    void FormGroups();
    /** Fill m_distance and the routes of one group. @param neighbour by switch and port. */
    void RouteGroup(uint32_t group, const std::vector<std::vector<uint32_t>>& neighbour);
    /** Override routes with the static ones. */
    void PinRoutes();
    /** @throw ConfigError if two endpoints do not reach each other. */
    void CheckReachability() const;
    /** @throw ConfigError if frames to a group with static routes could go round in a circle. */
    void CheckStaticRoutes() const;
    /** Compute routes anew for the changes of links that are due. */
    void Reconverge();
    /** Tell that routes are new. */
    void NotifyRoutes();

    /** A change of a link that routes have yet to follow. */
    struct LinkChange
    {
        int64_t due;      //!< tick
        FabricPort* port; //!< one end
    };

    std::unique_ptr<FabricEventQueue> m_ownEvents; //!< unless another one is shared
    FabricEventQueue* m_events;                    //!< event core
    FramePool m_pool;                              //!< frames
    std::vector<Ptr<Node>> m_endpointNodes;        //!< by endpoint
    std::vector<Ptr<FabricSwitch>> m_switches;     //!< by switch
    std::vector<Ptr<Node>> m_switchNodes;          //!< by switch
    std::vector<Ptr<FabricPort>> m_ports;          //!< by port id
    std::vector<Ptr<FabricChannel>> m_channels;    //!< all links
    std::map<uint32_t, Role> m_roles;              //!< by ns-3 node id
    FabricAddressTable m_addresses{*this};         //!< endpoint by IP address
    std::vector<uint32_t> m_groupOf;               //!< group by endpoint
    std::vector<std::vector<uint16_t>> m_distance; //!< switch hops [group][switch]
    std::vector<Group> m_groups;                   //!< destination groups
    std::vector<StaticRoute> m_staticRoutes;       //!< by AddStaticRoute
    RouteFilter m_routeFilter;                     //!< unset: all shortest paths
    std::array<uint8_t, 64> m_classOfDscp{};       //!< of ordinary packets
    uint32_t m_pathMtu;                            //!< attribute PathMtu
    uint32_t m_maxPacket;                          //!< attribute MaxPacket
    int64_t m_stream{0};                           //!< random stream
    bool m_built{false};                           //!< Build was called
    bool m_islands{false};                         //!< AllowIslands was called
    bool m_floorNanoseconds{false};                //!< attribute FloorNanoseconds
    DeadlockCheck m_deadlockCheck{CHECK_OFF};      //!< attribute DeadlockCheck
    std::string m_dependencyCycle;                 //!< what it found
    Ptr<FabricDeadlockDetector> m_detector;        //!< attribute DeadlockDetector
    Time m_reconvergence;                          //!< attribute Reconvergence
    std::deque<LinkChange> m_linkChanges;          //!< by time
    TracedCallback<uint32_t> m_routesRecomputed;   //!< routes are new

    std::vector<std::vector<Ptr<FabricPort>>> m_endpointPorts; //!< by endpoint, in order of Connect
};

} // namespace llm
} // namespace ns3

#endif // LLM_FABRIC_H
