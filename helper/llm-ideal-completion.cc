/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-ideal-completion.h"

#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

IdealCompletion::IdealCompletion(Ptr<Fabric> fabric,
                                 const std::vector<uint32_t>& endpoints,
                                 const Packets& packets)
    : m_fabric(fabric),
      m_endpoints(endpoints),
      m_packets(packets)
{
}

const IdealCompletion::Path&
IdealCompletion::FindPath(uint32_t from, uint32_t to)
{
    const auto [found, isNew] = m_paths.try_emplace((static_cast<uint64_t>(from) << 32) | to);
    if (!isNew)
    {
        return found->second;
    }
    Path& path = found->second;
    try
    {
        for (const FabricPort* port : m_fabric->GetPath(m_endpoints.at(from), m_endpoints.at(to)))
        {
            const uint32_t full = m_packets.payload + m_packets.header;
            path.hops.push_back({port->GetTransmitTicks(full + m_packets.first),
                                 port->GetTransmitTicks(full),
                                 port});
            path.delay += port->GetDelay();
        }
    }
    catch (const ConfigError&)
    {
        path.hops.clear(); // a failure has cut it off
    }
    return path;
}

int64_t
IdealCompletion::GetTicks(uint32_t from, uint32_t to, uint64_t bytes)
{
    const Path& path = FindPath(from, to);
    if (bytes == 0 || path.hops.empty())
    {
        return 0;
    }
    const uint64_t packets = (bytes + m_packets.payload - 1) / m_packets.payload;
    const auto rest = static_cast<uint32_t>(bytes - (packets - 1) * m_packets.payload);
    const uint32_t filled =
        (rest + m_packets.multiple - 1) / m_packets.multiple * m_packets.multiple;
    const uint32_t last = filled + m_packets.header + (packets == 1 ? m_packets.first : 0);
    // When the packet before has left each link, delays apart: first packet, full ones, last one.
    std::vector<int64_t> left(path.hops.size(), 0);
    const auto send = [&](auto ticksOf) {
        int64_t there = 0;
        for (std::size_t i = 0; i < left.size(); ++i)
        {
            left[i] = std::max(left[i], there) + ticksOf(path.hops[i]);
            there = left[i];
        }
    };
    if (packets > 1)
    {
        send([](const Hop& hop) { return hop.first; });
    }
    for (uint64_t sent = 2; sent < packets; ++sent)
    {
        const std::vector<int64_t> before = left;
        send([](const Hop& hop) { return hop.middle; });
        // Once each link follows at the pace of the slowest up to it, it goes on so.
        int64_t pace = 0;
        bool steady = true;
        for (std::size_t i = 0; i < left.size(); ++i)
        {
            pace = std::max(pace, path.hops[i].middle);
            steady = steady && left[i] - before[i] == pace;
        }
        if (steady)
        {
            const auto more = static_cast<int64_t>(packets - 1 - sent);
            for (std::size_t i = 0; i < left.size(); ++i)
            {
                left[i] += more * (left[i] - before[i]);
            }
            break;
        }
    }
    send([last](const Hop& hop) { return hop.port->GetTransmitTicks(last); });
    return left.back() + path.delay;
}

} // namespace llm
} // namespace ns3
