/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-buffer-policy.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricBufferPolicy);

TypeId
FabricBufferPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricBufferPolicy").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

FabricBufferPolicy::FabricBufferPolicy() = default;

FabricBufferPolicy::~FabricBufferPolicy() = default;

bool
FabricBufferPolicy::IsPerQueue() const
{
    return false;
}

void
FabricBufferPolicy::Configure(const std::vector<uint64_t>&)
{
}

uint64_t
FabricBufferPolicy::GetQueueThreshold(uint32_t, uint8_t, uint64_t size, uint64_t used, int64_t)
{
    return GetThreshold(size, used);
}

void
FabricBufferPolicy::QueueChanged(uint32_t, uint8_t, uint64_t, uint32_t, uint64_t, uint64_t, int64_t)
{
}

} // namespace llm
} // namespace ns3
