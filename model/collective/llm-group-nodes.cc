/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-group-nodes.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

uint32_t
GetRanksPerNode(const std::vector<uint32_t>& ranks, const std::vector<uint32_t>& serverOf)
{
    if (serverOf.empty() || ranks.empty())
    {
        return 1;
    }
    std::vector<uint32_t> servers;
    std::size_t length = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        const uint32_t server = serverOf[ranks[i]];
        if (i + 1 < ranks.size() && serverOf[ranks[i + 1]] == server)
        {
            continue;
        }
        const std::size_t run = i + 1 - begin;
        if (length != 0 && run != length)
        {
            return 0;
        }
        length = run;
        begin = i + 1;
        servers.push_back(server);
    }
    std::sort(servers.begin(), servers.end());
    const bool twice = std::adjacent_find(servers.begin(), servers.end()) != servers.end();
    return twice ? 0 : static_cast<uint32_t>(length);
}

} // namespace llm
} // namespace ns3
