/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RECIPE_TABLE_H
#define LLM_RECIPE_TABLE_H

#include "llm-moe-recipe.h"
#include "llm-recipe-context.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The recipes of all parts of a model. Layers that are alike share theirs. A part has one for all
 * ranks, or one by coordinate on ParallelAxis::EP.
 */
class RecipeTable
{
  public:
    /** An empty table. */
    RecipeTable() = default;
    /** @param context of the training step; not needed afterwards. */
    explicit RecipeTable(const RecipeContext& context);

    /** @return token ids, on first and last stage. */
    const std::vector<PartRecipes>& GetBatch() const;
    /** @return embedding. */
    const std::vector<PartRecipes>& GetEmbedding() const;
    /** @return final norm, output layer and loss. */
    const std::vector<PartRecipes>& GetHead() const;
    /** @return norms and projection of an MTP module. */
    const std::vector<PartRecipes>& GetMtpProjection() const;
    /** @param layer global number. @return its attention. */
    const std::vector<PartRecipes>& GetAttention(uint64_t layer) const;
    /** @param layer global number. @return its MLP, dense or of experts. */
    const std::vector<PartRecipes>& GetMlp(uint64_t layer) const;
    /**
     * Full activation recomputation: only the input of the layer was kept, so that its backward
     * begins with attention and MLP forward once more, communication included.
     * @param layer global number.
     * @return its MLP, with that in front of its backward.
     */
    const std::vector<PartRecipes>& GetRecomputedMlp(uint64_t layer) const;

  private:
    /** A layer whose backward computes the forward again. */
    struct Recomputed
    {
        const std::vector<PartRecipes>* attention; //!< of the layer
        const std::vector<PartRecipes>* mlp;       //!< of the layer
        std::vector<PartRecipes> recipes;          //!< its MLP
    };

    void AddRecomputed(uint64_t layer);

    std::vector<std::unique_ptr<Recomputed>> m_recomputed; //!< those that differ
    /** Those of all ranks, by PoolIndex. */
    std::vector<std::vector<PartRecipes>> m_pool;
    MoeRecipes m_moe;            //!< of layers with experts
    std::vector<bool> m_experts; //!< by layer: has experts
};

} // namespace llm
} // namespace ns3

#endif // LLM_RECIPE_TABLE_H
