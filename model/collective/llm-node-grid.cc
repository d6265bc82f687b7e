/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-node-grid.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

uint32_t
CountRanksPerNode(const std::vector<uint32_t>& ranks, const std::vector<uint32_t>& serverOf)
{
    if (serverOf.empty())
    {
        return 1;
    }
    std::vector<uint32_t> servers;
    std::size_t length = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        const uint32_t server = serverOf.at(ranks[i]);
        if (i + 1 < ranks.size() && serverOf.at(ranks[i + 1]) == server)
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

std::string
CheckRanksPerNode(const std::string& name, const CollectiveSpec& spec)
{
    if (spec.ranksPerNode == 0)
    {
        return name +
               " needs the ranks of a group in runs of equal length, each on a server of "
               "its own; these " +
               std::to_string(spec.groupSize) + " ranks share servers in another way";
    }
    return "";
}

} // namespace llm
} // namespace ns3
