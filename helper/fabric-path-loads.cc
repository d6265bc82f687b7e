/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-path-loads.h"

#include "ns3/rdma-path-selector.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

FabricPathLoads::FabricPathLoads(const Fabric& fabric)
    : m_fabric(fabric),
      m_loads(fabric.GetPorts().size())
{
}

void
FabricPathLoads::AddFlow(uint32_t source,
                         uint32_t destination,
                         uint16_t entropy,
                         uint32_t queuePair,
                         uint64_t amount,
                         uint8_t trafficClass)
{
    for (const FabricPort* port :
         m_fabric.TracePath(source, destination, entropy, queuePair, trafficClass))
    {
        m_loads[port->GetPortId()] += amount;
    }
}

uint64_t
FabricPathLoads::GetLoad(const FabricPort& port) const
{
    return m_loads[port.GetPortId()];
}

const FabricPort&
FabricPathLoads::GetBusiest() const
{
    const FabricPort* busiest = PeekPointer(m_fabric.GetPorts().front());
    for (const auto& port : m_fabric.GetPorts())
    {
        if (static_cast<double>(GetLoad(*port)) * static_cast<double>(busiest->GetBitRate()) >
            static_cast<double>(GetLoad(*busiest)) * static_cast<double>(port->GetBitRate()))
        {
            busiest = PeekPointer(port);
        }
    }
    return *busiest;
}

double
FabricPathLoads::GetBusiestSeconds() const
{
    const FabricPort& port = GetBusiest();
    return static_cast<double>(GetLoad(port)) * 8 / static_cast<double>(port.GetBitRate());
}

std::vector<FabricUplinkBalance>
FabricPathLoads::GetUplinks() const
{
    return MeasureUplinks(m_fabric, [this](const FabricPort& port) { return GetLoad(port); });
}

uint32_t
GetPathNumber(const std::vector<const FabricPort*>& path, uint32_t destination, uint32_t* paths)
{
    uint32_t number = 0;
    uint32_t radix = 1;
    for (const FabricPort* port : path)
    {
        if (!port->IsSwitchPort())
        {
            continue;
        }
        const std::vector<uint16_t> ways = port->GetSwitch()->GetRoute(destination);
        const auto place = std::find(ways.begin(), ways.end(), port->GetPortIndex());
        number += radix * static_cast<uint32_t>(place - ways.begin());
        radix *= static_cast<uint32_t>(ways.size());
    }
    if (paths)
    {
        *paths = radix;
    }
    return number;
}

uint16_t
FindEntropyOfPath(const Fabric& fabric,
                  uint32_t source,
                  uint32_t destination,
                  uint32_t queuePair,
                  uint8_t trafficClass,
                  uint32_t path)
{
    for (uint32_t i = 0; i < RdmaPathSelector::ENTROPIES; ++i)
    {
        const auto entropy = static_cast<uint16_t>(RdmaPathSelector::FIRST_ENTROPY + i);
        uint32_t paths;
        const uint32_t number =
            GetPathNumber(fabric.TracePath(source, destination, entropy, queuePair, trafficClass),
                          destination,
                          &paths);
        if (number == path % paths)
        {
            return entropy;
        }
    }
    return 0;
}

} // namespace llm
} // namespace ns3
