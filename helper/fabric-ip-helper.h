/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_IP_HELPER_H
#define FABRIC_IP_HELPER_H

#include "ns3/llm-fabric.h"
#include "ns3/node-container.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Puts ns-3's IPv4 stack on endpoints of a fabric, so that ordinary applications and TCP sockets
 * send over the same ports as RDMA. Endpoint e gets 10.0.0.1 + e in one network 10.0.0.0/8; the
 * fabric routes by destination, so no routes are needed.
 */
class FabricIpHelper
{
  public:
    /** @param mtu of the IP interfaces, bytes; at most the fabric's MaxPacket, or headroom is
     *         computed too small. */
    void SetMtu(uint16_t mtu);

    /**
     * @param fabric built.
     * @param endpoints nodes of the fabric; those that have an IPv4 stack keep it and get an
     *        interface.
     */
    void Install(Ptr<Fabric> fabric, const NodeContainer& endpoints) const;

    /** @param endpoint index. @return the address that Install gives it. */
    static Ipv4Address GetAddress(uint32_t endpoint);

  private:
    uint16_t m_mtu{1500}; //!< of the interfaces
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_IP_HELPER_H
