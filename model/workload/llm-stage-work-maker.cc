/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-stage-work-maker.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

const PartRecipes&
StagePart::GetRecipes(uint32_t expertRank) const
{
    return recipes->size() == 1 ? recipes->front() : recipes->at(expertRank);
}

StageWorkMaker::StageWorkMaker(const RecipeContext& context,
                               const RecipeTable& recipes,
                               const DataParallelPlan& plan,
                               DataType gradType,
                               bool sharedEmbedding)
    : m_context(context),
      m_recipes(recipes),
      m_buckets(context, plan, gradType, sharedEmbedding),
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
    if (work.last)
    {
        work.mtpModules = m_context.model.num_nextn_predict_layers;
        work.layers.count += work.mtpModules;
    }
    if (m_context.training.recompute_granularity == "full")
    {
        const uint64_t some = m_context.training.recompute_num_layers;
        work.recomputed = some == 0 ? work.layers.count : std::min(some, work.layers.count);
    }
    ListParts(work);
    const std::vector<ParameterTensor> tensors = ListTensors(work);
    CountParameters(work, tensors);
    m_buckets.Fill(work, tensors);
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
    const auto addLayer = [&](uint64_t i) {
        const uint64_t layer = work.layers.first + i;
        const auto number = static_cast<int64_t>(layer);
        add(ModelPart::ATTENTION, number, false, m_recipes.GetAttention(layer));
        add(ModelPart::MLP,
            number,
            false,
            i < work.recomputed ? m_recipes.GetRecomputedMlp(layer) : m_recipes.GetMlp(layer));
    };
    const uint64_t own = work.layers.count - work.mtpModules;
    for (uint64_t i = 0; i < own; ++i)
    {
        addLayer(i);
    }
    if (work.last)
    {
        add(ModelPart::HEAD, -1, false, m_recipes.GetHead());
    }
    for (uint64_t i = own; i < work.layers.count; ++i)
    {
        const auto number = static_cast<int64_t>(work.layers.first + i);
        add(ModelPart::EMBEDDING, number, false, m_recipes.GetEmbedding());
        add(ModelPart::MTP, number, false, m_recipes.GetMtpProjection());
        addLayer(i);
        add(ModelPart::HEAD, number, false, m_recipes.GetHead());
    }
}

std::vector<ParameterTensor>
StageWorkMaker::ListTensors(const StageWork& work) const
{
    std::vector<ParameterTensor> tensors;
    const auto append = [&tensors](const std::vector<ParameterTensor>& more) {
        tensors.insert(tensors.end(), more.begin(), more.end());
    };
    if (work.first)
    {
        append(ListEmbeddingTensors(m_context.model));
    }
    for (uint64_t i = 0; i < work.layers.count - work.mtpModules; ++i)
    {
        append(ListLayerTensors(m_context.model, work.layers.first + i));
    }
    if (work.last)
    {
        append(ListHeadTensors(m_context.model, m_sharedEmbedding));
    }
    if (work.mtpModules > 0 && m_sharedEmbedding && !m_context.model.tie_word_embeddings)
    {
        // A copy of the word embedding, first used by the first module.
        ParameterTensor copy = ListEmbeddingTensors(m_context.model).front();
        copy.layer = static_cast<int64_t>(m_context.model.num_hidden_layers);
        append({copy});
    }
    for (uint64_t module = 0; module < work.mtpModules; ++module)
    {
        append(ListMtpTensors(m_context.model, module));
    }
    return tensors;
}

void
StageWorkMaker::CountParameters(StageWork& work, const std::vector<ParameterTensor>& tensors) const
{
    for (const auto& tensor : tensors)
    {
        const uint64_t count = m_context.CountOnRank(tensor);
        const bool summed =
            tensor.sharding == TensorSharding::REPLICATED_HEAD_NORM ||
            (tensor.sharding == TensorSharding::REPLICATED_NORM && m_context.sequenceParallel);
        work.parameters += count;
        work.normGradients +=
            summed && tensor.hasGradient && m_context.GetTensorSize() > 1 ? count : 0;
    }
}

} // namespace llm
} // namespace ns3
