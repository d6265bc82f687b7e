/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-congestion-names.h"

#include "rdma-congestion-ops.h"
#include "rdma-dcqcn-mellanox.h"
#include "rdma-dcqcn.h"
#include "rdma-dctcp.h"
#include "rdma-delay-power-tcp.h"
#include "rdma-hpcc.h"
#include "rdma-nscc.h"
#include "rdma-power-tcp.h"
#include "rdma-swift.h"
#include "rdma-timely.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{
namespace llm
{

namespace
{

/** A short name. */
struct ShortName
{
    const char* name;   //!< as written
    TypeId (*typeId)(); //!< of what it means
};

/** All short names, in the order in which they are told. */
constexpr ShortName SHORT_NAMES[] = {{"dcqcn", &RdmaDcqcn::GetTypeId},
                                     {"dcqcn_mellanox", &RdmaDcqcnMellanox::GetTypeId},
                                     {"hpcc", &RdmaHpcc::GetTypeId},
                                     {"timely", &RdmaTimely::GetTypeId},
                                     {"swift", &RdmaSwift::GetTypeId},
                                     {"dctcp", &RdmaDctcp::GetTypeId},
                                     {"powertcp", &RdmaPowerTcp::GetTypeId},
                                     {"powertcp_delay", &RdmaDelayPowerTcp::GetTypeId},
                                     {"nscc", &RdmaNscc::GetTypeId},
                                     {"none", &RdmaNoCongestionControl::GetTypeId}};

/** @return true if a congestion control can be made of it. @param tid any type. */
bool
IsCongestionControl(TypeId tid)
{
    return tid.IsChildOf(RdmaCongestionOps::GetTypeId()) && tid.HasConstructor();
}

} // namespace

TypeId
RdmaCongestionNames::Lookup(const std::string& name,
                            const std::string& source,
                            const std::string& path)
{
    for (const auto& shortName : SHORT_NAMES)
    {
        if (name == shortName.name)
        {
            return shortName.typeId();
        }
    }
    TypeId tid;
    if (TypeId::LookupByNameFailSafe(name, &tid) && IsCongestionControl(tid))
    {
        return tid;
    }
    const std::vector<std::string> names = GetNames();
    std::string list;
    for (const auto& known : names)
    {
        list += (list.empty() ? "" : ", ") + known;
    }
    throw ConfigError(source,
                      path,
                      "no congestion control '" + name + "'; did you mean '" +
                          NearestName(name, names) + "'? Known: " + list);
}

std::vector<std::string>
RdmaCongestionNames::GetNames()
{
    std::vector<std::string> names;
    for (const auto& shortName : SHORT_NAMES)
    {
        names.emplace_back(shortName.name);
    }
    const auto shortCount = static_cast<std::ptrdiff_t>(names.size());
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (IsCongestionControl(tid))
        {
            names.push_back(tid.GetName());
        }
    }
    // The order of registration is the linker's.
    std::sort(names.begin() + shortCount, names.end());
    return names;
}

} // namespace llm
} // namespace ns3
