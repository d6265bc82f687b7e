/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-ip-helper.h"

#include "ns3/boolean.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/ipv6-static-routing.h"
#include "ns3/ipv6.h"
#include "ns3/llm-config-error.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint16_t IPV6_MIN_MTU = 1280; //!< RFC 8200 s.5

/** @param node any. @param message what is wrong with it. */
[[noreturn]] void
Refuse(const Ptr<Node>& node, const std::string& message)
{
    throw ConfigError("FabricIpHelper", "node " + std::to_string(node->GetId()), message);
}

/** @param node with a stack. @param fabric it is in. @param stack of the node, or null.
 *  @return the interface of the fabric's port, -1 without. */
template <typename Stack>
int32_t
FindInterface(const Ptr<Node>& node, const Ptr<Fabric>& fabric, const Ptr<Stack>& stack)
{
    return stack ? stack->GetInterfaceForDevice(fabric->GetEndpointPort(fabric->GetEndpoint(node)))
                 : -1;
}

/** @param node with @p ipv6. @param interface of it. @return its address beyond the link, from
 * which routes over it take their source address. */
Ipv6Address
GetGlobalAddress(const Ptr<Node>& node, const Ptr<Ipv6>& ipv6, uint32_t interface)
{
    for (uint32_t i = 0; i < ipv6->GetNAddresses(interface); ++i)
    {
        const Ipv6Address address = ipv6->GetAddress(interface, i).GetAddress();
        if (!address.IsLinkLocal())
        {
            return address;
        }
    }
    Refuse(node, "has only a link-local IPv6 address in the fabric; assign one to its port");
}

/** @param node gets what is missing. @param ipv4 whether it needs IPv4. @param ipv6 or IPv6. */
void
InstallStacks(const Ptr<Node>& node, bool ipv4, bool ipv6)
{
    const bool hasIpv4 = node->GetObject<Ipv4>() != nullptr;
    const bool hasIpv6 = node->GetObject<Ipv6>() != nullptr;
    if (hasIpv4 >= ipv4 && hasIpv6 >= ipv6)
    {
        return;
    }
    if (hasIpv4 || hasIpv6)
    {
        Refuse(node,
               std::string("has an ") + (hasIpv4 ? "IPv4" : "IPv6") +
                   " stack only, to which ns-3 can add no other; install both at once");
    }
    InternetStackHelper stack;
    stack.SetIpv4StackInstall(ipv4);
    stack.SetIpv6StackInstall(ipv6);
    stack.Install(node);
    if (ipv6)
    {
        // Addresses are unique by construction, and may be used from the start.
        node->GetObject<Icmpv6L4Protocol>()->SetAttribute("DAD", BooleanValue(false));
    }
}

} // namespace

void
FabricIpHelper::SetMtu(uint16_t mtu)
{
    m_mtu = mtu;
}

void
FabricIpHelper::SetIpv4(bool on)
{
    m_ipv4 = on;
}

void
FabricIpHelper::SetIpv6(bool on)
{
    m_ipv6 = on;
}

void
FabricIpHelper::SetIpv4Network(Ipv4Address network, Ipv4Mask mask)
{
    m_ipv4Network = network.CombineMask(mask);
    m_ipv4Mask = mask;
}

void
FabricIpHelper::SetIpv6Network(Ipv6Address network, Ipv6Prefix prefix)
{
    m_ipv6Network = network.CombinePrefix(prefix);
    m_ipv6Prefix = prefix;
}

Ipv4Address
FabricIpHelper::GetAddress(uint32_t endpoint)
{
    return FabricIpHelper().GetIpv4(endpoint);
}

Ipv4Address
FabricIpHelper::GetIpv4(uint32_t endpoint) const
{
    return Ipv4Address(m_ipv4Network.Get() + endpoint + 1);
}

Ipv6Address
FabricIpHelper::GetIpv6(uint32_t endpoint) const
{
    uint8_t bytes[16];
    m_ipv6Network.GetBytes(bytes);
    uint64_t sum = uint64_t{endpoint} + 1;
    for (int i = 15; i >= 0 && sum > 0; --i)
    {
        sum += bytes[i];
        bytes[i] = static_cast<uint8_t>(sum);
        sum >>= 8;
    }
    return Ipv6Address(bytes);
}

void
FabricIpHelper::Install(Ptr<Fabric> fabric, const NodeContainer& endpoints) const
{
    if (m_ipv6 && m_mtu < IPV6_MIN_MTU)
    {
        throw ConfigError("FabricIpHelper",
                          "MTU",
                          "is " + std::to_string(m_mtu) + " B; IPv6 needs at least " +
                              std::to_string(IPV6_MIN_MTU) + " B");
    }
    for (uint32_t i = 0; i < endpoints.GetN(); ++i)
    {
        const Ptr<Node> node = endpoints.Get(i);
        const uint32_t endpoint = fabric->GetEndpoint(node);
        const Ipv4Address address = GetIpv4(endpoint);
        // The last address of an IPv4 network is its broadcast address.
        if (m_ipv4 && (!m_ipv4Mask.IsMatch(address, m_ipv4Network) ||
                       address == m_ipv4Network.GetSubnetDirectedBroadcast(m_ipv4Mask)))
        {
            Refuse(node,
                   "is endpoint " + std::to_string(endpoint) + ", but a network with a prefix of " +
                       std::to_string(m_ipv4Mask.GetPrefixLength()) +
                       " bits has fewer addresses; give it a shorter one");
        }
        InstallStacks(node, m_ipv4, m_ipv6);
        const Ptr<FabricPort> port = fabric->GetEndpointPort(endpoint);
        port->SetAttribute("Mtu", UintegerValue(m_mtu));
        if (m_ipv4 && node->GetObject<Ipv4>()->GetInterfaceForDevice(port) < 0)
        {
            const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
            const uint32_t interface = ipv4->AddInterface(port);
            ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, m_ipv4Mask));
            ipv4->SetMetric(interface, 1);
            ipv4->SetUp(interface);
        }
        if (m_ipv6 && node->GetObject<Ipv6>()->GetInterfaceForDevice(port) < 0)
        {
            const Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>();
            const uint32_t interface = ipv6->AddInterface(port);
            ipv6->SetMetric(interface, 1);
            ipv6->SetUp(interface);
            ipv6->AddAddress(interface, Ipv6InterfaceAddress(GetIpv6(endpoint), m_ipv6Prefix));
        }
    }
}

void
FabricIpHelper::AddIpv4Gateway(Ptr<Fabric> fabric,
                               Ptr<Node> gateway,
                               Ipv4Address network,
                               Ipv4Mask mask) const
{
    const Ptr<Ipv4> own = gateway->GetObject<Ipv4>();
    const int32_t toFabric = FindInterface(gateway, fabric, own);
    if (toFabric < 0)
    {
        Refuse(gateway, "has no IPv4 address in the fabric, as a gateway needs; install it first");
    }
    const Ipv4Address address = own->GetAddress(toFabric, 0).GetLocal();
    fabric->GetAddresses().Announce(fabric->GetEndpoint(gateway), network, mask);
    own->SetAttribute("IpForward", BooleanValue(true));
    for (uint32_t endpoint = 0; endpoint < fabric->GetEndpointCount(); ++endpoint)
    {
        const Ptr<Node> node = fabric->GetEndpointPort(endpoint)->GetNode();
        const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
        const int32_t interface = FindInterface(node, fabric, ipv4);
        if (node == gateway || interface < 0)
        {
            continue;
        }
        const Ptr<Ipv4StaticRouting> routes = Ipv4StaticRoutingHelper().GetStaticRouting(ipv4);
        if (!routes)
        {
            Refuse(node, "has no static IPv4 routing, in which the way to the gateway is entered");
        }
        routes->AddNetworkRouteTo(network, mask, address, static_cast<uint32_t>(interface));
    }
}

void
FabricIpHelper::AddIpv6Gateway(Ptr<Fabric> fabric,
                               Ptr<Node> gateway,
                               Ipv6Address network,
                               Ipv6Prefix prefix) const
{
    const Ptr<Ipv6> own = gateway->GetObject<Ipv6>();
    const int32_t toFabric = FindInterface(gateway, fabric, own);
    if (toFabric < 0)
    {
        Refuse(gateway, "has no IPv6 address in the fabric, as a gateway needs; install it first");
    }
    const Ipv6Address address = GetGlobalAddress(gateway, own, toFabric);
    fabric->GetAddresses().Announce(fabric->GetEndpoint(gateway), network, prefix);
    own->SetAttribute("IpForward", BooleanValue(true));
    for (uint32_t endpoint = 0; endpoint < fabric->GetEndpointCount(); ++endpoint)
    {
        const Ptr<Node> node = fabric->GetEndpointPort(endpoint)->GetNode();
        const Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>();
        const int32_t interface = FindInterface(node, fabric, ipv6);
        if (node == gateway || interface < 0)
        {
            continue;
        }
        const Ptr<Ipv6StaticRouting> routes = Ipv6StaticRoutingHelper().GetStaticRouting(ipv6);
        if (!routes)
        {
            Refuse(node, "has no static IPv6 routing, in which the way to the gateway is entered");
        }
        routes->AddNetworkRouteTo(network, prefix, address, static_cast<uint32_t>(interface));
    }
}

} // namespace llm
} // namespace ns3
