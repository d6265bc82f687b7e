/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-gradient-buckets.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

BucketRule
BucketRule::Whole()
{
    return {};
}

BucketRule
BucketRule::PyTorch(uint64_t capMiB, uint64_t elementBytes)
{
    constexpr uint64_t mebibyte = 1ULL << 20;
    const auto elements = [elementBytes](uint64_t bytes) {
        return (bytes + elementBytes - 1) / elementBytes;
    };
    return {elements(mebibyte), elements(capMiB * mebibyte)};
}

BucketRule
BucketRule::Megatron(uint32_t dataParallelSize, uint64_t bucketSize)
{
    constexpr uint64_t least = 40000000;
    constexpr uint64_t perReplica = 1000000;
    const uint64_t capacity =
        bucketSize != 0 ? bucketSize : std::max(least, perReplica * dataParallelSize);
    return {capacity, capacity};
}

std::vector<GradientBucket>
MakeGradientBuckets(const std::vector<uint64_t>& elements,
                    const BucketRule& rule,
                    uint64_t elementBytes)
{
    std::vector<GradientBucket> buckets;
    GradientBucket open;
    for (std::size_t behind = elements.size(); behind > 0; --behind)
    {
        const std::size_t tensor = behind - 1;
        if (open.elements == 0)
        {
            open.lastTensor = tensor;
        }
        open.elements += elements[tensor];
        open.firstTensor = tensor;
        const uint64_t capacity = buckets.empty() ? rule.firstCapacity : rule.capacity;
        if (open.elements > 0 && ((capacity != 0 && open.elements >= capacity) || tensor == 0))
        {
            open.bytes = open.elements * elementBytes;
            buckets.push_back(open);
            open = GradientBucket();
        }
    }
    return buckets;
}

} // namespace llm
} // namespace ns3
