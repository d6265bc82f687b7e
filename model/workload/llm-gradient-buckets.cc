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

namespace
{

uint64_t
RoundUp(uint64_t number, uint64_t multiple)
{
    return (number + multiple - 1) / multiple * multiple;
}

} // namespace

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
    BucketRule rule;
    rule.firstCapacity = elements(mebibyte);
    rule.capacity = elements(capMiB * mebibyte);
    return rule;
}

BucketRule
BucketRule::Megatron(uint32_t dataParallelSize, uint64_t bucketSize)
{
    constexpr uint64_t least = 40000000;
    constexpr uint64_t perReplica = 1000000;
    const uint64_t capacity =
        bucketSize != 0 ? bucketSize : std::max(least, perReplica * dataParallelSize);
    BucketRule rule;
    rule.firstCapacity = capacity;
    rule.capacity = capacity;
    return rule;
}

BucketRule
BucketRule::DeepSpeed(uint64_t bucketSize)
{
    constexpr uint64_t usual = 500000000;
    const uint64_t capacity = bucketSize != 0 ? bucketSize : usual;
    BucketRule rule;
    rule.firstCapacity = capacity;
    rule.capacity = capacity;
    rule.closesBefore = true;
    return rule;
}

std::vector<GradientBucket>
MakeGradientBuckets(const std::vector<uint64_t>& elements,
                    const BucketRule& rule,
                    uint64_t elementBytes,
                    const std::vector<std::size_t>& alone)
{
    std::vector<GradientBucket> buckets;
    GradientBucket open;
    const auto close = [&buckets, &open, &rule, elementBytes]() {
        if (open.elements > 0)
        {
            open.paddedElements = RoundUp(open.paddedElements, rule.bucketMultiple);
            open.bytes = open.paddedElements * elementBytes;
            buckets.push_back(open);
            open = GradientBucket();
        }
    };
    for (std::size_t behind = elements.size(); behind > 0; --behind)
    {
        const std::size_t tensor = behind - 1;
        const bool single = std::binary_search(alone.begin(), alone.end(), tensor);
        const uint64_t capacity = buckets.empty() ? rule.firstCapacity : rule.capacity;
        const uint64_t begin = RoundUp(open.paddedElements, rule.tensorMultiple);
        if (single || (rule.closesBefore && capacity != 0 && begin + elements[tensor] > capacity))
        {
            close();
        }
        if (open.elements == 0)
        {
            open.lastTensor = tensor;
        }
        open.elements += elements[tensor];
        open.paddedElements = RoundUp(open.paddedElements, rule.tensorMultiple) + elements[tensor];
        open.firstTensor = tensor;
        const bool full = !rule.closesBefore && capacity != 0 && open.paddedElements >= capacity;
        if (single || full || tensor == 0)
        {
            close();
        }
    }
    return buckets;
}

} // namespace llm
} // namespace ns3
