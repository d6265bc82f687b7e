/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "single-switch-topology.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

namespace ns3
{
namespace llm
{

SingleSwitchTopology::SingleSwitchTopology(uint32_t hosts)
    : m_hosts(hosts)
{
    if (hosts == 0 || hosts > 65535)
    {
        throw ConfigError("single-switch",
                          "hosts",
                          "a switch has 1 to 65535 ports, not " + std::to_string(hosts));
    }
}

std::string
SingleSwitchTopology::Describe() const
{
    return "single switch: " + std::to_string(m_hosts) + " hosts at " +
           FormatBitRate(GetHostLink().rate.GetBitRate());
}

uint32_t
SingleSwitchTopology::GetEndpointCount() const
{
    return m_hosts;
}

void
SingleSwitchTopology::Wire(FabricNetwork& network) const
{
    Ptr<Node> center = AddSwitch(network, "switch0");
    for (uint32_t i = 0; i < m_hosts; ++i)
    {
        AddEndpoint(network, center);
    }
}

} // namespace llm
} // namespace ns3
