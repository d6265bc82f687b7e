/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_UPLINK_BALANCE_H
#define FABRIC_UPLINK_BALANCE_H

#include "ns3/llm-fabric.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace llm
{

/** How evenly the ports are used by which the switches of one tier reach the tier above. */
struct FabricUplinkBalance
{
    uint32_t tier{0};    //!< of the switches; 0: edge
    uint32_t ports{0};   //!< that lead up
    uint32_t used{0};    //!< of them, with any load
    uint64_t sum{0};     //!< of their loads
    uint64_t busiest{0}; //!< highest load

    /** @return load of the busiest over the mean; 0 without load. */
    double GetUnevenness() const
    {
        return sum == 0 ? 0
                        : static_cast<double>(busiest) * static_cast<double>(ports) /
                              static_cast<double>(sum);
    }
};

/**
 * @param fabric built.
 * @param load of a port, in any unit.
 * @return for each tier that has switches above it, from the edge upwards.
 */
std::vector<FabricUplinkBalance> MeasureUplinks(
    const Fabric& fabric,
    const std::function<uint64_t(const FabricPort&)>& load);

} // namespace llm
} // namespace ns3

#endif // FABRIC_UPLINK_BALANCE_H
