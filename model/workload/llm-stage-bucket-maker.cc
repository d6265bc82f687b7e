/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-stage-bucket-maker.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace llm
{

namespace
{

/** Megatron keeps such neighbours as one tensor. */
bool
FusesWith(const ParameterTensor& earlier, const ParameterTensor& later)
{
    return !earlier.fusedInto.empty() && earlier.fusedInto == later.fusedInto;
}

/** @return the index of the part of a stage that a tensor is in; soon found if it is near from. */
std::size_t
FindPart(const std::vector<StagePart>& parts, const ParameterTensor& tensor, std::size_t from)
{
    std::size_t index = from;
    while (parts[index].setup || parts[index].part != tensor.part ||
           parts[index].layer != tensor.layer)
    {
        index = (index + 1) % parts.size();
    }
    return index;
}

/** @return whether FSDP wraps two tensors together. */
bool
SharesUnit(const ParameterTensor& one, const ParameterTensor& other)
{
    return one.layer == other.layer && (one.layer >= 0 || one.part == other.part);
}

} // namespace

StageBucketMaker::StageBucketMaker(const RecipeContext& context,
                                   const DataParallelPlan& plan,
                                   DataType gradType,
                                   bool sharedEmbedding)
    : m_context(context),
      m_plan(plan),
      m_gradType(gradType),
      m_sharedEmbedding(sharedEmbedding)
{
}

void
StageBucketMaker::Fill(StageWork& work, const std::vector<ParameterTensor>& tensors) const
{
    for (const bool experts : {false, true})
    {
        const Buffer buffer = MakeBuffer(work, tensors, experts);
        const BucketRule rule = ChooseRule(work.first, experts);
        const bool units = m_plan.GetStrategy() == ShardingStrategy::OPTIM_GRADS_PARAMS;
        const bool perUnit = units && m_context.training.ddp_bucket_scheme != "deepspeed";
        const std::vector<GradientBucket> buckets =
            perUnit ? MakeUnits(buffer, rule)
                    : MakeGradientBuckets(buffer.elements,
                                          rule,
                                          GetBytesPerElement(m_gradType),
                                          FindShared(buffer));
        AddBuckets(work, buffer, buckets, experts);
        AddGathers(work, buffer, units ? MakeUnits(buffer, rule) : buckets, experts);
    }
    std::stable_sort(work.buckets.begin(),
                     work.buckets.end(),
                     [](const StageBucket& one, const StageBucket& other) {
                         return one.firstPart > other.firstPart;
                     });
    std::stable_sort(work.gathers.begin(),
                     work.gathers.end(),
                     [](const StageBucket& one, const StageBucket& other) {
                         return one.firstPart < other.firstPart;
                     });
}

StageBucketMaker::Buffer
StageBucketMaker::MakeBuffer(const StageWork& work,
                             const std::vector<ParameterTensor>& tensors,
                             bool experts) const
{
    const bool fuse = m_context.training.ddp_bucket_scheme == "megatron" ||
                      m_context.training.ddp_bucket_scheme == "none";
    Buffer buffer;
    std::size_t part = 0;
    for (const auto& tensor : tensors)
    {
        if ((tensor.sharding == TensorSharding::EXPERT) != experts || !tensor.hasGradient)
        {
            continue;
        }
        const uint64_t count = m_context.CountOnRank(tensor);
        if (fuse && !buffer.tensors.empty() && FusesWith(buffer.tensors.back(), tensor))
        {
            buffer.elements.back() += count;
            continue;
        }
        buffer.tensors.push_back(tensor);
        buffer.elements.push_back(count);
        part = FindPart(work.parts, tensor, part);
        buffer.parts.push_back(part);
    }
    return buffer;
}

BucketRule
StageBucketMaker::ChooseRule(bool firstStage, bool experts) const
{
    const TrainingConfig& training = m_context.training;
    const std::string& scheme = training.ddp_bucket_scheme;
    const uint64_t shard = m_plan.GetShardSize(experts);
    BucketRule rule = BucketRule::Whole();
    if (scheme == "pytorch")
    {
        rule = BucketRule::PyTorch(training.bucket_cap_mb, GetBytesPerElement(m_gradType));
    }
    else if (scheme == "deepspeed")
    {
        rule = BucketRule::DeepSpeed(training.ddp_bucket_size);
    }
    else if (scheme == "megatron" && training.overlap_grad_reduce && firstStage)
    {
        rule = BucketRule::Megatron(m_context.layout.GetGroupSize(m_plan.GetKinds(experts).all),
                                    training.ddp_bucket_size);
    }
    rule.bucketMultiple = shard;
    const bool parameters = m_plan.GetStrategy() == ShardingStrategy::OPTIM_GRADS_PARAMS;
    if (scheme == "megatron" && m_plan.IsSharded() && !parameters)
    {
        constexpr uint64_t tensorMultiple = 64;
        constexpr uint64_t bucketMultiple = 128;
        rule.tensorMultiple = tensorMultiple;
        rule.bucketMultiple = std::lcm(shard, bucketMultiple);
    }
    if (scheme == "deepspeed" && parameters)
    {
        rule.tensorMultiple = shard;
    }
    return rule;
}

std::vector<GradientBucket>
StageBucketMaker::MakeUnits(const Buffer& buffer, const BucketRule& rule) const
{
    BucketRule whole = BucketRule::Whole();
    whole.tensorMultiple = rule.tensorMultiple;
    whole.bucketMultiple = rule.bucketMultiple;
    std::vector<GradientBucket> units;
    std::size_t end = buffer.tensors.size();
    while (end > 0)
    {
        std::size_t begin = end - 1;
        while (begin > 0 && SharesUnit(buffer.tensors[begin - 1], buffer.tensors[end - 1]))
        {
            --begin;
        }
        const std::vector<uint64_t> elements(
            buffer.elements.begin() + static_cast<std::ptrdiff_t>(begin),
            buffer.elements.begin() + static_cast<std::ptrdiff_t>(end));
        for (GradientBucket unit :
             MakeGradientBuckets(elements, whole, GetBytesPerElement(m_gradType)))
        {
            unit.firstTensor += begin;
            unit.lastTensor += begin;
            units.push_back(unit);
        }
        end = begin;
    }
    return units;
}

std::vector<std::size_t>
StageBucketMaker::FindShared(const Buffer& buffer) const
{
    std::vector<std::size_t> found;
    const bool wanted = m_sharedEmbedding && m_plan.IsSharded() &&
                        m_context.training.ddp_bucket_scheme == "megatron";
    for (std::size_t i = 0; wanted && i < buffer.tensors.size(); ++i)
    {
        // An output layer of its own is on the last stage only.
        if (buffer.tensors[i].sharding == TensorSharding::VOCABULARY &&
            (m_context.model.tie_word_embeddings || buffer.tensors[i].part == ModelPart::EMBEDDING))
        {
            found.push_back(i);
        }
    }
    return found;
}

void
StageBucketMaker::AddBuckets(StageWork& work,
                             const Buffer& buffer,
                             const std::vector<GradientBucket>& buckets,
                             bool experts) const
{
    for (const auto& bucket : buckets)
    {
        const ParameterTensor& last = buffer.tensors[bucket.firstTensor];
        work.buckets.push_back({bucket,
                                last.part,
                                last.layer,
                                experts,
                                buffer.parts[bucket.firstTensor],
                                buffer.parts[bucket.lastTensor],
                                m_plan.MakeReduction(experts, bucket.bytes)});
        work.updated += bucket.paddedElements / m_plan.GetShardSize(experts);
    }
}

void
StageBucketMaker::AddGathers(StageWork& work,
                             const Buffer& buffer,
                             const std::vector<GradientBucket>& buckets,
                             bool experts) const
{
    if (m_plan.GetGather() == ParameterGather::NEVER)
    {
        return;
    }
    const bool tiedHere = m_context.model.tie_word_embeddings && work.first && work.last &&
                          m_plan.GetStrategy() == ShardingStrategy::OPTIM_GRADS_PARAMS;
    for (auto found = buckets.rbegin(); found != buckets.rend(); ++found)
    {
        GradientBucket bucket = *found;
        const ParameterTensor& first = buffer.tensors[bucket.firstTensor];
        if (tiedHere && first.part == ModelPart::HEAD)
        {
            const uint64_t shard = m_plan.GetShardSize(experts);
            bucket.elements += buffer.elements.front(); // the word embedding comes first
            bucket.paddedElements = (bucket.elements + shard - 1) / shard * shard;
        }
        bucket.bytes = bucket.paddedElements * GetBytesPerElement(m_context.paramsType);
        work.gathers.push_back({bucket,
                                first.part,
                                first.layer,
                                experts,
                                buffer.parts[bucket.firstTensor],
                                buffer.parts[bucket.lastTensor],
                                m_plan.MakeGather(experts, bucket.bytes)});
    }
}

} // namespace llm
} // namespace ns3
