/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reliability.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReliability);

TypeId
RdmaReliability::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaReliability").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

uint32_t
RdmaReliability::GetAddressBytes() const
{
    return 0;
}

} // namespace llm
} // namespace ns3
