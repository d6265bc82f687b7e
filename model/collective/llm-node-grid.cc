/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-node-grid.h"

namespace ns3
{
namespace llm
{

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
