/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_LOAD_BALANCER_H
#define FABRIC_LOAD_BALANCER_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

class FabricSwitch;

/**
 * @ingroup llm-training
 *
 * The equal-cost ports that a load balancer chooses from, by their place 0 .. GetCount()-1, and
 * what their switch knows of them. Passed by value: two machine words. Valid until the call
 * returns.
 */
class FabricCandidates
{
  public:
    /**
     * @param owner switch whose ports these are.
     * @param group destination group that they lead to.
     * @param count how many there are.
     */
    FabricCandidates(const FabricSwitch* owner, uint32_t group, uint32_t count)
        : m_switch(owner),
          m_group(group),
          m_count(count)
    {
    }

    /** @return how many there are. */
    uint32_t GetCount() const
    {
        return m_count;
    }

    /** @return destination group (the endpoints of one edge) that all of them lead to. */
    uint32_t GetGroup() const
    {
        return m_group;
    }

    /** @param place of a port. @return its index at the switch; ascending with the place. */
    uint16_t GetPortIndex(uint32_t place) const;
    /** @param place of a port. @return its rate, bit/s. */
    uint64_t GetBitRate(uint32_t place) const;
    /** @param place of a port. @return tick from which its transmitter is free; may be past. */
    int64_t GetBusyUntil(uint32_t place) const;
    /** @param place of a port. @param trafficClass 0..7. @return bytes queued in the class. */
    uint64_t GetQueueBytes(uint32_t place, uint8_t trafficClass) const;
    /** @param place of a port. @return bits of the classes that PFC holds back there. */
    uint8_t GetPausedClasses(uint32_t place) const;

    /**
     * How long a port has work for, as its rate has it: the frame that it sends and what is queued
     * in the class. Pauses and other classes are not foreseen.
     * @param place of a port.
     * @param trafficClass 0..7.
     * @param now present tick.
     * @return ticks from now until a frame that comes now would start, 0 if at once; half of all
     *         time where the link is down.
     */
    int64_t GetWaitTicks(uint32_t place, uint8_t trafficClass, int64_t now) const;

  private:
    const FabricSwitch* m_switch; //!< owner
    uint32_t m_group;             //!< destination
    uint32_t m_count;             //!< how many
};

/** Who a load balancer works for. */
struct FabricSwitchIdentity
{
    uint32_t index{0};     //!< of the switch in the fabric
    uint32_t tier{0};      //!< links to the nearest switch with endpoints: 0 at the edge
    uint32_t ports{0};     //!< of the switch
    uint64_t randomKey{0}; //!< of the fabric: ns-3's seed and run, and the stream
};

/**
 * @ingroup llm-training
 *
 * Chooses one of several equal-cost egress ports for a frame. One instance per switch.
 *
 * To add a policy derive from this class, or from HashedLoadBalancer for one that falls back on the
 * ECMP hash, or from PacketLoadBalancer for one that decides for each packet. The TypeId name is
 * then good for `fabric.load_balancing`. What a policy may look at: the frame, which is not yet
 * queued (Frame::ingress is the port where it came in), and the candidates. Its random numbers come
 * from Philox, by the fabric's key, the switch and the policy's own count of questions.
 */
class FabricLoadBalancer : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();

    /** Once, before traffic. @param identity of the switch. @throw ConfigError for attributes that
     *  cannot be. */
    virtual void Configure(const FabricSwitchIdentity& identity) = 0;

    /**
     * @param frame to forward.
     * @param ports to choose from, at least 2.
     * @param now present tick.
     * @return place of the port, 0 .. ports.GetCount()-1.
     */
    virtual uint32_t Select(const Frame& frame, FabricCandidates ports, int64_t now) = 0;

    /**
     * What Select says of every frame of a flow, without any effect.
     * @param frame with the fields that identify a flow, and ingress.
     * @param ports to choose from.
     * @return place of the port; nothing if it does not follow from the flow alone (the default).
     */
    virtual std::optional<uint32_t> Predict(const Frame& frame, FabricCandidates ports) const;

    /** @return true if frames of a flow never overtake each other (the default). */
    virtual bool KeepsOrder() const;

    /** @return names and values of what it has counted, for reports; summed over switches. */
    virtual std::vector<std::pair<std::string, uint64_t>> GetCounters() const;
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_LOAD_BALANCER_H
