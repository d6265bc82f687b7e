/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PATH_LOADS_H
#define FABRIC_PATH_LOADS_H

#include "fabric-uplink-balance.h"

#include "ns3/llm-fabric.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What flows put on each link, before a run: every flow is walked through the switches with the
 * hash that they will use. Only for load balancers that decide by flow (ecmp, static).
 */
class FabricPathLoads
{
  public:
    /** @param fabric built; outlives this object. */
    explicit FabricPathLoads(const Fabric& fabric);

    /**
     * @param source sending endpoint.
     * @param destination receiving endpoint.
     * @param entropy UDP source port.
     * @param queuePair destination queue pair number.
     * @param amount that the flow adds to each link of its path, in whatever unit.
     * @param trafficClass 0..7.
     * @throw ConfigError if a load balancer on the way does not decide by flow.
     */
    void AddFlow(uint32_t source,
                 uint32_t destination,
                 uint16_t entropy,
                 uint32_t queuePair,
                 uint64_t amount,
                 uint8_t trafficClass = 3);

    /** @param port of the fabric. @return sum of what leaves there. */
    uint64_t GetLoad(const FabricPort& port) const;
    /** @return port with the highest quotient of load and rate; the first of equals. */
    const FabricPort& GetBusiest() const;
    /** @return seconds that the busiest port needs, its load being bytes of link time. */
    double GetBusiestSeconds() const;

    /** @return how even the ways up from each tier are loaded. */
    std::vector<FabricUplinkBalance> GetUplinks() const;

  private:
    const Fabric& m_fabric;        //!< walked through
    std::vector<uint64_t> m_loads; //!< by port id
};

/**
 * Number of a path among the shortest ones: the places that the switches on the way choose, the
 * first switch's varying fastest.
 * @param path as Fabric::TracePath gives it.
 * @param destination its end.
 * @param paths gets how many there are if each switch of a tier has as many ways; may be null.
 * @return 0 .. paths - 1.
 */
uint32_t GetPathNumber(const std::vector<const FabricPort*>& path,
                       uint32_t destination,
                       uint32_t* paths = nullptr);

/**
 * Search the source port by which the switches send a flow over a path.
 * @param fabric built.
 * @param source sending endpoint.
 * @param destination receiving endpoint.
 * @param queuePair destination queue pair number.
 * @param trafficClass 0..7.
 * @param path number of it, as of GetPathNumber; taken modulo their number.
 * @return 49152 .. 65535; 0 if none leads there.
 * @throw ConfigError if a load balancer on the way does not decide by flow.
 */
uint16_t FindEntropyOfPath(const Fabric& fabric,
                           uint32_t source,
                           uint32_t destination,
                           uint32_t queuePair,
                           uint8_t trafficClass,
                           uint32_t path);

} // namespace llm
} // namespace ns3

#endif // FABRIC_PATH_LOADS_H
