/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-uplink-balance.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

std::vector<FabricUplinkBalance>
MeasureUplinks(const Fabric& fabric, const std::function<uint64_t(const FabricPort&)>& load)
{
    std::vector<uint32_t> tierOf;
    for (uint32_t s = 0; s < fabric.GetSwitches().size(); ++s)
    {
        tierOf.push_back(fabric.GetTier(s));
    }
    std::vector<FabricUplinkBalance> tiers;
    for (uint32_t s = 0; s < tierOf.size(); ++s)
    {
        for (const FabricPort* port : fabric.GetSwitches()[s]->GetPorts())
        {
            const FabricSwitch* above = port->GetPeer()->GetSwitch();
            if (!above || tierOf[above->GetIndex()] <= tierOf[s])
            {
                continue;
            }
            if (tiers.size() <= tierOf[s])
            {
                tiers.resize(tierOf[s] + 1);
            }
            FabricUplinkBalance& balance = tiers[tierOf[s]];
            const uint64_t amount = load(*port);
            balance.tier = tierOf[s];
            ++balance.ports;
            balance.used += amount > 0 ? 1 : 0;
            balance.sum += amount;
            balance.busiest = std::max(balance.busiest, amount);
        }
    }
    return tiers;
}

} // namespace llm
} // namespace ns3
