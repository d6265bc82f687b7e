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

#include "ns3/llm-class-names.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @return all of them. */
const ClassNames&
Names()
{
    static const ClassNames names("congestion control",
                                  &RdmaCongestionOps::GetTypeId,
                                  {{"dcqcn", &RdmaDcqcn::GetTypeId},
                                   {"dcqcn_mellanox", &RdmaDcqcnMellanox::GetTypeId},
                                   {"hpcc", &RdmaHpcc::GetTypeId},
                                   {"timely", &RdmaTimely::GetTypeId},
                                   {"swift", &RdmaSwift::GetTypeId},
                                   {"dctcp", &RdmaDctcp::GetTypeId},
                                   {"powertcp", &RdmaPowerTcp::GetTypeId},
                                   {"powertcp_delay", &RdmaDelayPowerTcp::GetTypeId},
                                   {"nscc", &RdmaNscc::GetTypeId},
                                   {"none", &RdmaNoCongestionControl::GetTypeId}});
    return names;
}

} // namespace

TypeId
RdmaCongestionNames::Lookup(const std::string& name,
                            const std::string& source,
                            const std::string& path)
{
    return Names().Lookup(name, source, path);
}

std::vector<std::string>
RdmaCongestionNames::GetNames()
{
    return Names().GetNames();
}

} // namespace llm
} // namespace ns3
