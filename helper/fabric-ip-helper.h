/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_IP_HELPER_H
#define FABRIC_IP_HELPER_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
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
 * Puts ns-3's IPv4 and IPv6 stacks on endpoints of a fabric, so that ordinary applications and TCP
 * sockets send over the same ports as RDMA. The endpoints are in one network, endpoint e at its
 * address 1 + e; the fabric forwards by IP destination, so that neither ARP, neighbour discovery
 * nor routes among endpoints are needed. It carries nothing to many: broadcasts and multicasts are
 * dropped at the sender's port (MacTxDrop).
 *
 * A node that also has other ns-3 devices can be a gateway to what is behind them.
 *
 * An address that is given by hand, with ns-3's own helpers, does as well.
 */
class FabricIpHelper
{
  public:
    /** @param mtu of the IP interfaces, bytes; at most the fabric's MaxPacket, or headroom is
     *         computed too small. At least 1280 with IPv6. */
    void SetMtu(uint16_t mtu);
    /** @param on whether endpoints get IPv4. Default: true. */
    void SetIpv4(bool on);
    /** @param on whether endpoints get IPv6. Default: false. */
    void SetIpv6(bool on);
    /** Two fabrics on one node need networks of their own. Default: 10.0.0.0/8.
     *  @param network address. @param mask of it. */
    void SetIpv4Network(Ipv4Address network, Ipv4Mask mask);
    /** Default: fd00::/64. @param network address. @param prefix of it. */
    void SetIpv6Network(Ipv6Address network, Ipv6Prefix prefix);

    /**
     * @param fabric built.
     * @param endpoints nodes of the fabric; those that have a stack keep it and get an interface,
     *        unless they have it.
     * @throw ConfigError if a node has only one of two stacks that are wanted, or the network has
     *        too few addresses.
     */
    void Install(Ptr<Fabric> fabric, const NodeContainer& endpoints) const;

    /**
     * Make a node the fabric's gateway to a network: the fabric sends there what is addressed to
     * it, and the endpoints that have a stack get a route. The gateway forwards; that the nodes
     * outside have a route to the fabric is the caller's affair (a default route to the gateway,
     * or Ipv4GlobalRoutingHelper).
     * @param fabric with stacks installed.
     * @param gateway endpoint that has other devices too.
     * @param network outside; 0.0.0.0 for everything.
     * @param mask of it.
     * @throw ConfigError if the gateway has no stack, or the network another gateway.
     */
    void AddIpv4Gateway(Ptr<Fabric> fabric,
                        Ptr<Node> gateway,
                        Ipv4Address network,
                        Ipv4Mask mask) const;
    /** The same for IPv6. @param fabric see above. @param gateway see above. @param network
     *  outside. @param prefix of it. */
    void AddIpv6Gateway(Ptr<Fabric> fabric,
                        Ptr<Node> gateway,
                        Ipv6Address network,
                        Ipv6Prefix prefix) const;

    /** @param endpoint index. @return the IPv4 address that Install gives it. */
    Ipv4Address GetIpv4(uint32_t endpoint) const;
    /** @param endpoint index. @return the IPv6 address that Install gives it. */
    Ipv6Address GetIpv6(uint32_t endpoint) const;
    /** @param endpoint index. @return the IPv4 address that Install gives it by default. */
    static Ipv4Address GetAddress(uint32_t endpoint);

  private:
    uint16_t m_mtu{1500};                  //!< of the interfaces
    bool m_ipv4{true};                     //!< install it
    bool m_ipv6{false};                    //!< install it
    Ipv4Address m_ipv4Network{"10.0.0.0"}; //!< of endpoints
    Ipv4Mask m_ipv4Mask{"255.0.0.0"};      //!< of the network
    Ipv6Address m_ipv6Network{"fd00::"};   //!< of endpoints
    Ipv6Prefix m_ipv6Prefix{64};           //!< of the network
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_IP_HELPER_H
