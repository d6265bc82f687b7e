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
    std::size_t run = 1;
    while (run < ranks.size() && serverOf[ranks[run]] == serverOf[ranks[0]])
    {
        ++run;
    }
    if (run == 1 || ranks.size() % run != 0)
    {
        return 1;
    }
    std::vector<uint32_t> servers;
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        const uint32_t server = serverOf[ranks[i]];
        if (i % run == 0)
        {
            servers.push_back(server);
        }
        else if (server != servers.back())
        {
            return 1;
        }
    }
    std::sort(servers.begin(), servers.end());
    const bool twice = std::adjacent_find(servers.begin(), servers.end()) != servers.end();
    return twice ? 1 : static_cast<uint32_t>(run);
}

} // namespace llm
} // namespace ns3
