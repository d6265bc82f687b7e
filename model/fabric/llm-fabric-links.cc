/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How a Fabric's routes follow links that go down and come up.

#include "llm-fabric.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace llm
{

void
Fabric::LinksChanged(const std::vector<FabricPort*>& ports)
{
    const int64_t due = m_events->Now() + m_reconvergence.GetTimeStep();
    for (FabricPort* port : ports)
    {
        m_linkChanges.push_back({due, port});
    }
    if (!m_built || m_reconvergence.IsZero())
    {
        Reconverge();
    }
    else if (!ports.empty())
    {
        Simulator::Schedule(m_reconvergence, &Fabric::Reconverge, this);
    }
}

void
Fabric::Reconverge()
{
    FabricEntry entry(*m_events);
    const int64_t now = m_events->Now();
    bool changed = false;
    for (; !m_linkChanges.empty(); m_linkChanges.pop_front())
    {
        const LinkChange& change = m_linkChanges.front();
        if (m_built && change.due > now)
        {
            break;
        }
        changed = change.port->FollowLink() || changed;
    }
    if (changed && m_built)
    {
        ComputeRoutes();
        NotifyRoutes();
    }
}

void
Fabric::RecomputeRoutes()
{
    FabricEntry entry(*m_events);
    for (const auto& port : m_ports)
    {
        port->FollowLink();
    }
    ComputeRoutes();
    NotifyRoutes();
}

void
Fabric::NotifyRoutes()
{
    uint32_t ends = 0;
    for (const auto& port : m_ports)
    {
        ends += port->IsRouted() ? 0 : 1;
    }
    const int64_t now = m_events->Now();
    for (const auto& ports : m_endpointPorts)
    {
        for (const auto& port : ports)
        {
            port->NotifyEndpoint(now); // another of its ports may be the better one now
        }
    }
    m_routesRecomputed(ends / 2);
}

} // namespace llm
} // namespace ns3
