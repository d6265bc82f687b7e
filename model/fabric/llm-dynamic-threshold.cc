/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-dynamic-threshold.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(DynamicThreshold);

TypeId
DynamicThreshold::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::DynamicThreshold")
            .SetParent<FabricBufferPolicy>()
            .SetGroupName("LlmTraining")
            .AddConstructor<DynamicThreshold>()
            .AddAttribute(
                "Alpha",
                "Share of the free pool that one queue may use, 1/65536 to 65536. "
                "Powers of two are exact.",
                DoubleValue(1.0 / 8),
                MakeDoubleAccessor(&DynamicThreshold::SetAlpha, &DynamicThreshold::GetAlpha),
                MakeDoubleChecker<double>(1.0 / 65536, 65536));
    return tid;
}

DynamicThreshold::DynamicThreshold()
    : m_alphaFixed(65536 / 8)
{
}

DynamicThreshold::~DynamicThreshold() = default;

void
DynamicThreshold::SetAlpha(double alpha)
{
    m_alphaFixed = static_cast<uint64_t>(alpha * 65536);
}

double
DynamicThreshold::GetAlpha() const
{
    return static_cast<double>(m_alphaFixed) / 65536;
}

uint64_t
DynamicThreshold::GetThreshold(uint64_t size, uint64_t used) const
{
    const uint64_t free = size > used ? size - used : 0;
    return std::min(size, (free * m_alphaFixed) >> 16);
}

} // namespace llm
} // namespace ns3
