/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RECIPE_TABLE_H
#define LLM_RECIPE_TABLE_H

#include "llm-recipe-context.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The recipes of all parts of a model. Layers that are alike share theirs.
 */
class RecipeTable
{
  public:
    /** An empty table. */
    RecipeTable() = default;
    /** @param context of the training step; not needed afterwards. */
    explicit RecipeTable(const RecipeContext& context);

    /** @return token ids, on first and last stage. */
    const PartRecipes& GetBatch() const;
    /** @return embedding. */
    const PartRecipes& GetEmbedding() const;
    /** @return final norm, output layer and loss. */
    const PartRecipes& GetHead() const;
    /** @param layer global number. @return its attention. */
    const PartRecipes& GetAttention(uint64_t layer) const;
    /** @param layer global number. @return its MLP, dense or of experts. */
    const PartRecipes& GetMlp(uint64_t layer) const;

  private:
    std::vector<PartRecipes> m_pool;   //!< all recipes
    std::vector<uint32_t> m_attention; //!< by layer: index in m_pool
    std::vector<uint32_t> m_mlp;       //!< by layer: index in m_pool
};

} // namespace llm
} // namespace ns3

#endif // LLM_RECIPE_TABLE_H
