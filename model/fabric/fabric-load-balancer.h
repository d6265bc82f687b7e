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

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Chooses one of several equal-cost egress ports for a frame. One instance per switch.
 */
class FabricLoadBalancer : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();

    /**
     * @param switchIndex of the switch in the fabric.
     * @param key random key of the fabric (seed, run and stream).
     */
    virtual void Configure(uint32_t switchIndex, uint64_t key) = 0;

    /**
     * @param frame to forward.
     * @param count number of ports, >= 2.
     * @return 0 .. count-1.
     */
    virtual uint32_t Select(const Frame& frame, uint32_t count) = 0;
};

/**
 * @ingroup llm-training
 *
 * Equal-cost multi-path: a hash of source, destination and UDP source port (and, by attribute, the
 * destination QP) with a seed per switch. Every frame of a flow takes one path. Equal seeds at all
 * tiers polarise traffic, as with real switches; the default seeds differ.
 */
class EcmpLoadBalancer final : public FabricLoadBalancer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    EcmpLoadBalancer();
    ~EcmpLoadBalancer() override;
    void Configure(uint32_t switchIndex, uint64_t key) override;
    uint32_t Select(const Frame& frame, uint32_t count) override;

  private:
    uint64_t m_seedAttribute; //!< attribute Seed; 0: from the fabric's key and the switch index
    bool m_hashQueuePair;     //!< attribute HashDestinationQp
    uint64_t m_seed{0};       //!< in use
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_LOAD_BALANCER_H
