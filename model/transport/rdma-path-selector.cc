/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-path-selector.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPathSelector);
NS_OBJECT_ENSURE_REGISTERED(RdmaSinglePath);

TypeId
RdmaPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaPathSelector").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

bool
RdmaPathSelector::WantsFeedback() const
{
    return false;
}

void
RdmaPathSelector::Feedback(const RdmaQueuePair&, uint16_t, RdmaPathEvent)
{
}

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
RdmaSinglePath::ChooseInitial(uint32_t source, uint32_t destination, uint16_t channel)
{
    uint64_t x = (static_cast<uint64_t>(source) << 32) ^ destination;
    x = (x + (static_cast<uint64_t>(channel) << 20) + 1) * 0x9e3779b97f4a7c15ULL;
    return static_cast<uint16_t>(0xC000U | (x >> 50));
}

bool
RdmaSinglePath::IsPerPacket() const
{
    return false;
}

uint16_t
RdmaSinglePath::Choose(const RdmaQueuePair&, uint64_t)
{
    return 0xC000U;
}

} // namespace llm
} // namespace ns3
