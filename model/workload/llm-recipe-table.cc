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
{
    m_pool.push_back(MakeBatchRecipes(context));
    m_pool.push_back(MakeEmbeddingRecipes(context));
    m_pool.push_back(MakeHeadRecipes(context));
    m_pool.push_back(MakeAttentionRecipes(context));
    m_pool.push_back(MakeMlpRecipes(context));
    m_attention.assign(context.model.num_hidden_layers, ATTENTION);
    m_mlp.assign(context.model.num_hidden_layers, DENSE_MLP);
}

const PartRecipes&
RecipeTable::GetBatch() const
{
    return m_pool[BATCH];
}

const PartRecipes&
RecipeTable::GetEmbedding() const
{
    return m_pool[EMBEDDING];
}

const PartRecipes&
RecipeTable::GetHead() const
{
    return m_pool[HEAD];
}

const PartRecipes&
RecipeTable::GetAttention(uint64_t layer) const
{
    return m_pool[m_attention.at(layer)];
}

const PartRecipes&
RecipeTable::GetMlp(uint64_t layer) const
{
    return m_pool[m_mlp.at(layer)];
}

} // namespace llm
} // namespace ns3
