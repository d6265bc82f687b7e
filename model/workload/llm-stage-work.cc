/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-stage-work.h"

#include <algorithm>

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

/** @return the index of the part of a stage that a tensor is in. */
std::size_t
FindPart(const std::vector<StagePart>& parts, const ParameterTensor& tensor)
{
    std::size_t index = 0;
    while (parts[index].setup || parts[index].part != tensor.part ||
           parts[index].layer != tensor.layer)
    {
        ++index;
    }
    return index;
}

} // namespace

const PartRecipes&
StagePart::GetRecipes(uint32_t expertRank) const
{
    return recipes->size() == 1 ? recipes->front() : recipes->at(expertRank);
}

StageWorkMaker::StageWorkMaker(const RecipeContext& context,
                               const RecipeTable& recipes,
                               DataType gradType,
                               bool sharedEmbedding)
    : m_context(context),
      m_recipes(recipes),
      m_gradType(gradType),
      m_sharedEmbedding(sharedEmbedding)
{
}

StageWork
StageWorkMaker::Make(uint32_t stage, uint32_t stages, const StageLayers& layers) const
{
    StageWork work;
    work.layers = layers;
    work.first = stage == 0;
    work.last = stage + 1 == stages;
    ListParts(work);
    AddParameters(work, stage);
    return work;
}

void
StageWorkMaker::ListParts(StageWork& work) const
{
    const auto add = [&work](ModelPart part,
                             int64_t layer,
                             bool setup,
                             const std::vector<PartRecipes>& recipes) {
        work.parts.push_back({part, layer, setup, &recipes});
    };
    if (work.first || work.last)
    {
        add(ModelPart::EMBEDDING, -1, true, m_recipes.GetBatch());
    }
    if (work.first)
    {
        add(ModelPart::EMBEDDING, -1, false, m_recipes.GetEmbedding());
    }
    for (uint64_t i = 0; i < work.layers.count; ++i)
    {
        const uint64_t layer = work.layers.first + i;
        const auto number = static_cast<int64_t>(layer);
        add(ModelPart::ATTENTION, number, false, m_recipes.GetAttention(layer));
        add(ModelPart::MLP, number, false, m_recipes.GetMlp(layer));
    }
    if (work.last)
    {
        add(ModelPart::HEAD, -1, false, m_recipes.GetHead());
    }
}

BucketRule
StageWorkMaker::ChooseBucketRule(uint32_t stage) const
{
    const TrainingConfig& training = m_context.training;
    const std::string& scheme = training.ddp_bucket_scheme;
    if (scheme == "pytorch")
    {
        return BucketRule::PyTorch(training.bucket_cap_mb, GetBytesPerElement(m_gradType));
    }
    if (scheme == "megatron" && training.overlap_grad_reduce && stage == 0)
    {
        return BucketRule::Megatron(m_context.layout.GetGroupSize(DATA_GROUP),
                                    training.ddp_bucket_size);
    }
    return BucketRule::Whole();
}

void
StageWorkMaker::AddParameters(StageWork& work, uint32_t stage) const
{
    std::vector<ParameterTensor> tensors;
    const auto append = [&tensors](const std::vector<ParameterTensor>& more) {
        tensors.insert(tensors.end(), more.begin(), more.end());
    };
    if (work.first)
    {
        append(ListEmbeddingTensors(m_context.model));
    }
    for (uint64_t i = 0; i < work.layers.count; ++i)
    {
        append(ListLayerTensors(m_context.model, work.layers.first + i));
    }
    if (work.last)
    {
        append(ListHeadTensors(m_context.model, m_sharedEmbedding));
    }
    const uint32_t t = m_context.GetTensorSize();
    for (const auto& tensor : tensors)
    {
        const uint64_t count = CountOnRank(tensor);
        const bool summed =
            tensor.sharding == TensorSharding::REPLICATED_HEAD_NORM ||
            (tensor.sharding == TensorSharding::REPLICATED_NORM && m_context.sequenceParallel);
        work.parameters += count;
        work.normGradients += summed && t > 1 && tensor.hasGradient ? count : 0;
    }
    AddBuckets(work, stage, tensors, false);
    AddBuckets(work, stage, tensors, true);
    // Both kinds fill from the last part on.
    std::stable_sort(
        work.buckets.begin(),
        work.buckets.end(),
        [](const StageBucket& a, const StageBucket& b) { return a.firstPart > b.firstPart; });
}

uint64_t
StageWorkMaker::CountOnRank(const ParameterTensor& tensor) const
{
    return tensor.GetElementsOnRank(m_context.GetTensorSize(),
                                    m_context.paddedVocabSize,
                                    m_context.layout.GetSize(ParallelAxis::EP),
                                    m_context.layout.GetSize(ParallelAxis::ETP));
}

void
StageWorkMaker::AddBuckets(StageWork& work,
                           uint32_t stage,
                           const std::vector<ParameterTensor>& all,
                           bool experts) const
{
    const bool fuse = m_context.training.ddp_bucket_scheme != "pytorch";
    std::vector<ParameterTensor> tensors;
    std::vector<uint64_t> elements;
    for (const auto& tensor : all)
    {
        if ((tensor.sharding == TensorSharding::EXPERT) != experts || !tensor.hasGradient)
        {
            continue;
        }
        if (fuse && !tensors.empty() && FusesWith(tensors.back(), tensor))
        {
            elements.back() += CountOnRank(tensor);
            continue;
        }
        tensors.push_back(tensor);
        elements.push_back(CountOnRank(tensor));
    }
    const uint64_t gradBytes = GetBytesPerElement(m_gradType);
    for (const auto& bucket : MakeGradientBuckets(elements, ChooseBucketRule(stage), gradBytes))
    {
        const ParameterTensor& last = tensors[bucket.firstTensor];
        work.buckets.push_back({bucket,
                                last.part,
                                last.layer,
                                FindPart(work.parts, last),
                                experts ? EXPERT_DATA_GROUP : DATA_GROUP});
    }
}

} // namespace llm
} // namespace ns3
