/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "fabric-load-balancer.h"
#include "fabric-shared-buffer.h"

#include "ns3/fabric-frame.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

class Fabric;
class FabricEcnMarker;
class FabricPfcWatchdog;
class FabricPort;

/**
 * @ingroup llm-training
 *
 * An output-queued switch with a shared buffer, aggregated to its node. A frame is admitted to the
 * buffer, its egress port chosen among the shortest paths by the load balancer, and queued there.
 * Forwarding state is per destination group (the endpoints of one edge switch), not per host.
 *
 * By default it stores a frame and forwards it at once. With Latency it does so later; with
 * CutThrough it counts from the frame's header, unless the egress port is faster than the ingress
 * port, which would run dry. The frame occupies the buffer from its header (or last bit) on. A
 * frame that a loss model takes is not forwarded either.
 *
 * With Trimming, a data frame of a lossy class for which the buffer has no room is cut to its
 * headers and goes on in TrimClass, so that the receiver learns of the loss at once.
 */
class FabricSwitch final : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    FabricSwitch();
    ~FabricSwitch() override;

    /**
     * @param fabric owner.
     * @param index of this switch in the fabric, in topology order.
     */
    void Attach(Fabric* fabric, uint32_t index);
    /** @param port new port. @return its index. */
    uint32_t AddPort(FabricPort* port);
    /** Size the buffer and give each port its marker; once, before traffic. */
    void Configure();

    /**
     * Switch it off, or on again. Off: all its links go down (FabricPort::SetLinkUp says what that
     * means), and what its buffer holds is lost. On: those links come up that nobody took down on
     * their own account. Routes follow after the fabric's attribute Reconvergence. Call from ns-3
     * events or between runs, after Fabric::Build.
     * @param up what it shall be.
     */
    void SetUp(bool up);

    /** @return false while it is switched off. */
    bool IsUp() const
    {
        return m_up;
    }

    /** Forget all routes. @param groups number of destination groups. */
    void ClearRoutes(uint32_t groups);
    /** @param group destination. @param ports indices of all ports on a shortest path, ascending.
     */
    void SetRoute(uint32_t group, const std::vector<uint16_t>& ports);
    /** @param endpoint attached to this switch. @param port where. */
    void SetLocal(uint32_t endpoint, uint16_t port);
    /** @param group of endpoints that were, or will be, given to SetLocal. */
    void AddLocalGroup(uint32_t group);

    /**
     * A frame has come in.
     * @param frame owned from here.
     * @param port where.
     * @param now present tick.
     */
    void Receive(Frame* frame, FabricPort* port, int64_t now);

    /**
     * A frame, or enough of it, has come in at a switch with a latency or with cut-through.
     * @param frame owned from here.
     * @param port where.
     * @param now present tick.
     * @param last tick of the frame's last bit.
     */
    void ReceiveEarly(Frame* frame, FabricPort* port, int64_t now, int64_t last);

    /**
     * A frame's transmission starts at a port of this switch.
     * @param frame that leaves.
     * @param egress port index.
     * @param now present tick.
     */
    void Departing(const Frame& frame, uint32_t egress, int64_t now);

    /** @return shared buffer. */
    FabricSharedBuffer& GetBuffer()
    {
        return *m_buffer;
    }

    /** @return shared buffer. */
    const FabricSharedBuffer& GetBuffer() const
    {
        return *m_buffer;
    }

    /** @return ports by index. */
    const std::vector<FabricPort*>& GetPorts() const
    {
        return m_ports;
    }

    /** @return index in the fabric. */
    uint32_t GetIndex() const
    {
        return m_index;
    }

    /**
     * @param ingress rate of the link where a frame comes in, bit/s.
     * @param egress rate of the link where it leaves, bit/s.
     * @return link bytes of a frame that must be there before it is forwarded; UINT32_MAX: all.
     */
    uint32_t GetEarlyBytes(uint64_t ingress, uint64_t egress) const;

    /** @return ticks from there to its place in the egress queue. */
    int64_t GetLatency() const
    {
        return m_latency.GetTimeStep();
    }

    /** @return empty if the buffer's books equal what is queued, to the byte; else what does not.
     */
    std::string CheckBuffer() const;

    /** @return name of the node, or "switch N". */
    std::string GetLabel() const;

    /** @return ports that lead to @p endpoint; empty if none. For tools and tests. */
    std::vector<uint16_t> GetRoute(uint32_t endpoint) const;
    /** @return true if a frame for @p endpoint has a way from here. */
    bool HasRoute(uint32_t endpoint) const;

    /**
     * @param frame with the fields that identify a flow, and ingress.
     * @return index of the port that every frame of the flow leaves at; nothing if there is no
     *         route, or if the load balancer does not decide by flow.
     */
    std::optional<uint16_t> PredictRoute(const Frame& frame) const;

    /** @param group destination, not the own one. @param place among its equal-cost ports. @return
     *  index of the port. */
    uint16_t GetNextHop(uint32_t group, uint32_t place) const
    {
        return m_nextHops[m_routes[group].first + place];
    }

    /** @return load balancer; valid after Configure. */
    FabricLoadBalancer& GetLoadBalancer() const
    {
        return *m_balancer;
    }

  protected:
    void DoDispose() override;

  private:
    /** A set of equal-cost ports: a range of m_nextHops. */
    struct PortSet
    {
        uint32_t first{0}; //!< index of the first; ATTACHED: in m_local
        uint32_t count{0}; //!< how many; 0: unreachable, or attached
    };

    /** @return egress port for a frame, or NO_PORT if it was dropped. */
    uint32_t Route(Frame* frame, FabricPort* port, int64_t now);
    /** Find a way and a place. @return egress port, or NO_PORT if the frame was dropped. */
    uint32_t Accept(Frame* frame, FabricPort* port, int64_t now);
    /** The buffer has no room. @return egress port, or NO_PORT if the frame was dropped. */
    uint32_t Refuse(Frame* frame,
                    FabricPort* port,
                    uint32_t egress,
                    FabricSharedBuffer::Verdict verdict);

    Fabric* m_fabric{nullptr};                  //!< owner
    FramePool* m_pool{nullptr};                 //!< of the fabric
    FabricSharedBuffer* m_buffer{nullptr};      //!< same as m_bufferPtr
    FabricLoadBalancer* m_balancer{nullptr};    //!< same as m_balancerPtr
    const uint32_t* m_groupOf{nullptr};         //!< group by endpoint, of the fabric
    uint32_t m_localGroup{UINT32_MAX};          //!< first of the groups that are attached
    uint32_t m_index{0};                        //!< in the fabric
    std::vector<FabricPort*> m_ports;           //!< by index
    std::vector<PortSet> m_routes;              //!< by group
    std::vector<uint16_t> m_nextHops;           //!< storage of the sets
    std::vector<uint16_t> m_local;              //!< port by endpoint less m_firstLocal
    uint32_t m_firstLocal{0};                   //!< lowest local endpoint
    Ptr<FabricSharedBuffer> m_bufferPtr;        //!< attribute Buffer
    Ptr<FabricLoadBalancer> m_balancerPtr;      //!< attribute LoadBalancer
    Ptr<FabricEcnMarker> m_markerPrototype;     //!< attribute EcnMarker
    uint64_t m_headroom{0};                     //!< attribute Headroom
    Time m_pauseResponse;                       //!< attribute PauseResponse
    Time m_latency;                             //!< attribute Latency
    Ptr<FabricPfcWatchdog> m_watchdogPrototype; //!< attribute PfcWatchdog
    uint32_t m_headerBytes{64};                 //!< attribute HeaderBytes
    bool m_cutThrough{false};                   //!< attribute CutThrough
    bool m_trimming{false};                     //!< attribute Trimming
    bool m_up{true};                            //!< as SetUp said
    uint8_t m_trimClass{6};                     //!< attribute TrimClass
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_SWITCH_H
