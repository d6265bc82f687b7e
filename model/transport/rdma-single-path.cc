/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-single-path.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSinglePath);

TypeId
RdmaSinglePath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RdmaSinglePath")
                            .SetParent<RdmaPathSelector>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RdmaSinglePath>();
    return tid;
}

uint16_t
RdmaSinglePath::ChooseInitial(const RdmaQueuePair& queuePair)
{
    return HashConnection(queuePair);
}

bool
RdmaSinglePath::IsPerPacket() const
{
    return false;
}

uint16_t
RdmaSinglePath::Choose(const RdmaQueuePair& queuePair, uint64_t)
{
    return HashConnection(queuePair);
}

} // namespace llm
} // namespace ns3
