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
#include "llm-mtp-recipe.h"

#include <algorithm>
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
    DENSE_MLP,
    MTP_PROJECTION
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
    add(MakeMtpProjectionRecipes(context));
    const ModelConfig& model = context.model;
    const uint64_t layers = model.num_hidden_layers + model.num_nextn_predict_layers;
    for (uint64_t layer = 0; layer < layers; ++layer)
    {
        m_experts.push_back(model.IsMoeLayer(layer));
        if (context.training.recompute_granularity == "full")
        {
            AddRecomputed(layer);
        }
    }
}

void
RecipeTable::AddRecomputed(uint64_t layer)
{
    const std::vector<PartRecipes>& attention = GetAttention(layer);
    const std::vector<PartRecipes>& mlp = GetMlp(layer);
    for (const auto& known : m_recomputed)
    {
        if (known->attention == &attention && known->mlp == &mlp)
        {
            return;
        }
    }
    auto added = std::make_unique<Recomputed>();
    added->attention = &attention;
    added->mlp = &mlp;
    RecipeWriter writer;
    for (std::size_t expertRank = 0; expertRank < std::max(attention.size(), mlp.size());
         ++expertRank)
    {
        const auto select = [expertRank](const std::vector<PartRecipes>& all) {
            return all.size() == 1 ? all.front() : all.at(expertRank);
        };
        PartRecipes recipes = select(mlp);
        for (PartRecipe* backward : {&recipes.backward, &recipes.backwardInput})
        {
            writer.Append(select(attention).forward);
            writer.Append(recipes.forward);
            writer.Append(*backward);
            *backward = writer.Take();
        }
        added->recipes.push_back(std::move(recipes));
    }
    m_recomputed.push_back(std::move(added));
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
RecipeTable::GetMtpProjection() const
{
    return m_pool[MTP_PROJECTION];
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

const std::vector<PartRecipes>&
RecipeTable::GetRecomputedMlp(uint64_t layer) const
{
    const auto found = std::find_if(m_recomputed.begin(),
                                    m_recomputed.end(),
                                    [this, layer](const std::unique_ptr<Recomputed>& one) {
                                        return one->attention == &GetAttention(layer) &&
                                               one->mlp == &GetMlp(layer);
                                    });
    return (*found)->recipes;
}

} // namespace llm
} // namespace ns3
