/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-path-selector.h"

#include "rdma-queue-pair.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPathSelector);

TypeId
RdmaPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaPathSelector").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

uint32_t
RdmaPathSelector::AddQueuePair(const RdmaQueuePair&)
{
    return 0;
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

std::vector<std::pair<std::string, uint64_t>>
RdmaPathSelector::GetCounters() const
{
    return {};
}

uint16_t
RdmaPathSelector::HashConnection(const RdmaQueuePair& queuePair)
{
    uint64_t x =
        (static_cast<uint64_t>(queuePair.GetEndpoint()) << 32) ^ queuePair.GetRemoteEndpoint();
    x = (x + (static_cast<uint64_t>(queuePair.GetChannel()) << 20) + 1) * 0x9e3779b97f4a7c15ULL;
    return static_cast<uint16_t>(FIRST_ENTROPY | (x >> 50));
}

} // namespace llm
} // namespace ns3
