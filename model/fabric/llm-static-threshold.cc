/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-static-threshold.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(StaticThreshold);

TypeId
StaticThreshold::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::StaticThreshold")
                            .SetParent<FabricBufferPolicy>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<StaticThreshold>()
                            .AddAttribute("Bytes",
                                          "Bytes that one queue may use; by default the pool.",
                                          UintegerValue(UINT64_MAX),
                                          MakeUintegerAccessor(&StaticThreshold::m_bytes),
                                          MakeUintegerChecker<uint64_t>());
    return tid;
}

StaticThreshold::StaticThreshold()
    : m_bytes(UINT64_MAX)
{
}

StaticThreshold::~StaticThreshold() = default;

uint64_t
StaticThreshold::GetThreshold(uint64_t size, uint64_t) const
{
    return std::min(size, m_bytes);
}

} // namespace llm
} // namespace ns3
