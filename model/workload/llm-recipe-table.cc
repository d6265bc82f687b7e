/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-recipe-table.h"

#include "llm-attention-recipe.h"
#include "llm-embedding-recipe.h"
#include "llm-head-recipe.h"
#include "llm-mlp-recipe.h"

#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/** Places in the pool of what every model has once. */
enum PoolIndex : uint32_t
{
    BATCH,
    EMBEDDING,
    HEAD,
    ATTENTION,
    DENSE_MLP
};

} // namespace

RecipeTable::RecipeTable(const RecipeContext& context)
    : m_moe(context)
{
    const auto add = [this](PartRecipes recipes) {
        m_pool.emplace_back();
        m_pool.back().push_back(std::move(recipes));
    };
    add(MakeBatchRecipes(context));
    add(MakeEmbeddingRecipes(context));
    add(MakeHeadRecipes(context));
    add(MakeAttentionRecipes(context));
    add(MakeMlpRecipes(context));
    const ModelConfig& model = context.model;
    const uint64_t layers = model.num_hidden_layers + model.num_nextn_predict_layers;
    for (uint64_t layer = 0; layer < layers; ++layer)
    {
        m_experts.push_back(model.IsMoeLayer(layer));
    }
}

const std::vector<PartRecipes>&
RecipeTable::GetBatch() const
{
    return m_pool[BATCH];
}

const std::vector<PartRecipes>&
RecipeTable::GetEmbedding() const
{
    return m_pool[EMBEDDING];
}

const std::vector<PartRecipes>&
RecipeTable::GetHead() const
{
    return m_pool[HEAD];
}

const std::vector<PartRecipes>&
RecipeTable::GetAttention(uint64_t /* layer */) const
{
    return m_pool[ATTENTION];
}

const std::vector<PartRecipes>&
RecipeTable::GetMlp(uint64_t layer) const
{
    return m_experts.at(layer) ? m_moe.Get(layer) : m_pool[DENSE_MLP];
}

} // namespace llm
} // namespace ns3
