/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-address-table.h"

#include "fabric-ip-fields.h"
#include "fabric-port.h"
#include "llm-fabric.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/llm-config-error.h"
#include "ns3/node.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

/** @param endpoint without an address from a stack. @return 10.0.0.1 and up. */
Ipv4Address
MadeUpAddress(uint32_t endpoint)
{
    return Ipv4Address((10U << 24) + endpoint + 1);
}

/** @return whether an address lies in a network. */
bool
Contains(Ipv4Address network, Ipv4Mask mask, Ipv4Address address)
{
    return mask.IsMatch(network, address);
}

/** @return whether an address lies in a network. */
bool
Contains(Ipv6Address network, Ipv6Prefix prefix, Ipv6Address address)
{
    return prefix.IsMatch(network, address);
}

} // namespace

FabricAddressTable::FabricAddressTable(const Fabric& fabric)
    : m_fabric(fabric)
{
}

Ipv4Address
FabricAddressTable::GetIpv4(uint32_t endpoint) const
{
    const Ptr<FabricPort> port = m_fabric.GetEndpointPort(endpoint);
    const Ptr<Ipv4> ipv4 = port->GetNode()->GetObject<Ipv4>();
    if (ipv4)
    {
        const int32_t interface = ipv4->GetInterfaceForDevice(port);
        if (interface >= 0 && ipv4->GetNAddresses(interface) > 0)
        {
            return ipv4->GetAddress(interface, 0).GetLocal();
        }
    }
    return MadeUpAddress(endpoint);
}

void
FabricAddressTable::ReadStacks()
{
    const uint32_t endpoints = m_fabric.GetEndpointCount();
    for (uint32_t endpoint = 0; endpoint < endpoints; ++endpoint)
    {
        const Ptr<FabricPort> port = m_fabric.GetEndpointPort(endpoint);
        const Ptr<Ipv4> ipv4 = port->GetNode()->GetObject<Ipv4>();
        const int32_t interface4 = ipv4 ? ipv4->GetInterfaceForDevice(port) : -1;
        for (uint32_t i = 0; interface4 >= 0 && i < ipv4->GetNAddresses(interface4); ++i)
        {
            m_ipv4.emplace(ipv4->GetAddress(interface4, i).GetLocal(), endpoint);
        }
        const Ptr<Ipv6> ipv6 = port->GetNode()->GetObject<Ipv6>();
        const int32_t interface6 = ipv6 ? ipv6->GetInterfaceForDevice(port) : -1;
        for (uint32_t i = 0; interface6 >= 0 && i < ipv6->GetNAddresses(interface6); ++i)
        {
            m_ipv6.emplace(ipv6->GetAddress(interface6, i).GetAddress(), endpoint);
        }
    }
    // What a stack was given goes before what is made up for endpoints without one.
    for (uint32_t endpoint = 0; endpoint < endpoints; ++endpoint)
    {
        if (GetIpv4(endpoint) == MadeUpAddress(endpoint))
        {
            m_ipv4.emplace(MadeUpAddress(endpoint), endpoint);
        }
    }
}

template <typename Address, typename Mask>
uint32_t
FabricAddressTable::FindIn(std::map<Address, uint32_t>& known,
                           const Prefixes<Address, Mask>& prefixes,
                           Address address)
{
    auto found = known.find(address);
    if (found == known.end())
    {
        ReadStacks();
        found = known.find(address);
    }
    if (found != known.end())
    {
        return found->second;
    }
    for (const auto& prefix : prefixes)
    {
        if (Contains(prefix.network, prefix.mask, address))
        {
            known.emplace(address, prefix.endpoint);
            return prefix.endpoint;
        }
    }
    return UINT32_MAX;
}

uint32_t
FabricAddressTable::Find(Ipv4Address address)
{
    return FindIn(m_ipv4, m_ipv4Prefixes, address);
}

uint32_t
FabricAddressTable::Find(Ipv6Address address)
{
    return FindIn(m_ipv6, m_ipv6Prefixes, address);
}

uint32_t
FabricAddressTable::Find(const FabricIpFields& fields)
{
    if (fields.IsMulticast())
    {
        return UINT32_MAX;
    }
    return fields.IsIpv6() ? Find(fields.GetIpv6()) : Find(fields.GetIpv4());
}

template <typename Address, typename Mask>
void
FabricAddressTable::Insert(Prefixes<Address, Mask>& prefixes,
                           const Prefix<Address, Mask>& added) const
{
    for (const auto& prefix : prefixes)
    {
        if (prefix.network == added.network && prefix.mask == added.mask &&
            prefix.endpoint != added.endpoint)
        {
            std::ostringstream text;
            text << added.network << '/' << static_cast<uint32_t>(added.mask.GetPrefixLength())
                 << " is announced by endpoint " << prefix.endpoint << " already, and now by "
                 << added.endpoint << "; a network has one gateway";
            throw ConfigError("Fabric", "Announce", text.str());
        }
    }
    const auto place = std::find_if(prefixes.begin(), prefixes.end(), [&added](const auto& one) {
        return one.mask.GetPrefixLength() < added.mask.GetPrefixLength();
    });
    prefixes.insert(place, added);
}

void
FabricAddressTable::Announce(uint32_t endpoint, Ipv4Address network, Ipv4Mask mask)
{
    Insert(m_ipv4Prefixes, {network.CombineMask(mask), mask, endpoint});
}

void
FabricAddressTable::Announce(uint32_t endpoint, Ipv6Address network, Ipv6Prefix prefix)
{
    Insert(m_ipv6Prefixes, {network.CombinePrefix(prefix), prefix, endpoint});
}

} // namespace llm
} // namespace ns3
