/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ADDRESS_TABLE_H
#define FABRIC_ADDRESS_TABLE_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace llm
{

class Fabric;
class FabricIpFields;

/**
 * @ingroup llm-training
 *
 * Which endpoint of a fabric an IP address belongs to, as the fabric forwards ordinary packets by
 * IP destination: first the addresses that stacks have on their interface of the fabric's port,
 * then those that are made up for endpoints without an IPv4 stack (10.0.0.1 + endpoint), then the
 * prefixes that gateways announce, the longest first. Addresses are given before traffic starts.
 */
class FabricAddressTable
{
  public:
    /** @param fabric whose endpoints. */
    explicit FabricAddressTable(const Fabric& fabric);

    /** @param endpoint index. @return its first IPv4 address, or one that is made up. */
    Ipv4Address GetIpv4(uint32_t endpoint) const;
    /** @param address of one node. @return its endpoint or gateway, UINT32_MAX if unknown. */
    uint32_t Find(Ipv4Address address);
    /** @param address of one node. @return its endpoint or gateway, UINT32_MAX if unknown. */
    uint32_t Find(Ipv6Address address);
    /** @param fields of a packet. @return where it goes, UINT32_MAX if unknown or to many. */
    uint32_t Find(const FabricIpFields& fields);

    /**
     * An endpoint is the gateway to a network outside.
     * @param endpoint index.
     * @param network address.
     * @param mask of it.
     * @throw ConfigError if another endpoint announces the same.
     */
    void Announce(uint32_t endpoint, Ipv4Address network, Ipv4Mask mask);
    /** The same for IPv6. @param endpoint index. @param network address. @param prefix of it. */
    void Announce(uint32_t endpoint, Ipv6Address network, Ipv6Prefix prefix);

  private:
    /** A network behind a gateway. */
    template <typename Address, typename Mask>
    struct Prefix
    {
        Address network;   //!< address
        Mask mask;         //!< which bits of it count
        uint32_t endpoint; //!< gateway
    };

    /** Prefixes of one family, the longest first. */
    template <typename Address, typename Mask>
    using Prefixes = std::vector<Prefix<Address, Mask>>;

    /** Put a prefix in its place. */
    template <typename Address, typename Mask>
    void Insert(Prefixes<Address, Mask>& prefixes, const Prefix<Address, Mask>& added) const;
    /** Look into cache, stacks and prefixes. */
    template <typename Address, typename Mask>
    uint32_t FindIn(std::map<Address, uint32_t>& known,
                    const Prefixes<Address, Mask>& prefixes,
                    Address address);
    /** Read the addresses of all stacks. */
    void ReadStacks();

    const Fabric& m_fabric;                           //!< whose endpoints
    std::map<Ipv4Address, uint32_t> m_ipv4;           //!< endpoint by address
    std::map<Ipv6Address, uint32_t> m_ipv6;           //!< endpoint by address
    Prefixes<Ipv4Address, Ipv4Mask> m_ipv4Prefixes;   //!< behind gateways
    Prefixes<Ipv6Address, Ipv6Prefix> m_ipv6Prefixes; //!< behind gateways
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_ADDRESS_TABLE_H
