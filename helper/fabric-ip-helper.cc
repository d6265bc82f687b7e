/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-ip-helper.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

void
FabricIpHelper::SetMtu(uint16_t mtu)
{
    m_mtu = mtu;
}

Ipv4Address
FabricIpHelper::GetAddress(uint32_t endpoint)
{
    return Ipv4Address((10U << 24) + endpoint + 1);
}

void
FabricIpHelper::Install(Ptr<Fabric> fabric, const NodeContainer& endpoints) const
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    for (uint32_t i = 0; i < endpoints.GetN(); ++i)
    {
        const Ptr<Node> node = endpoints.Get(i);
        if (!node->GetObject<Ipv4>())
        {
            stack.Install(node);
        }
        const uint32_t endpoint = fabric->GetEndpoint(node);
        const Ptr<FabricPort> port = fabric->GetEndpointPort(endpoint);
        port->SetAttribute("Mtu", UintegerValue(m_mtu));
        const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
        const uint32_t interface = ipv4->AddInterface(port);
        ipv4->AddAddress(interface,
                         Ipv4InterfaceAddress(GetAddress(endpoint), Ipv4Mask("255.0.0.0")));
        ipv4->SetMetric(interface, 1);
        ipv4->SetUp(interface);
    }
}

} // namespace llm
} // namespace ns3
