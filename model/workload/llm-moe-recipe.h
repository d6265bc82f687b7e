/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MOE_RECIPE_H
#define LLM_MOE_RECIPE_H

#include "llm-exchange-bytes.h"
#include "llm-expert-routing.h"
#include "llm-recipe-context.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What the MLP of a layer is where it has experts: router, dispatch of tokens to experts on other
 * ranks, experts, combination of their outputs; shared experts beside. With T tokens per rank,
 * K experts for each, h q bytes per token of the activation format:
 *
 * - **alltoall** (Megatron-Core's default): an all-gather of the counts of tokens per expert (8
 *   bytes each) over the etp-ep group, unless capacity and padding make them known; all-to-all of
 *   the T K slots over the ep group, all-gather over the etp group; experts; reduce-scatter over
 *   etp, all-to-all back. Backward mirrors it, without the counts: 4 all-to-alls per layer and
 *   microbatch.
 * - **allgather**: all-gather of all tokens over the etp-ep group, experts, reduce-scatter.
 *   Backward the same: all-gather of gradients, reduce-scatter.
 * - **flex** (DeepEP): as alltoall, but a token crosses to each node once, to the rank at the same
 *   place, which hands it on to each rank of its node that has something to do. Two all-to-alls
 *   per hop one after the other (DeepEP works on chunks, so that its hops overlap); routing
 *   indices, a few bytes per token, and counts are left out. Results are summed within the node
 *   before they cross back.
 *
 * With fp8 dispatch a token takes h bytes and an fp32 scale per 128 elements on the way to the
 * experts, forward and, as its gradient, backward; on the way back it has the activation format
 * both times (DeepSeek-V3 s.3.3.2).
 *
 * Shared experts are a tensor-parallel MLP on all tokens, in front of the router or, with
 * moe_shared_expert_overlap, beside dispatch and combination. No expert-parallel traffic.
 *
 * Ranks at different places of the expert-parallel group do different things where their experts
 * are not equally popular: they have variants of the recipes.
 */
class MoeRecipes
{
  public:
    /** None: a dense model. */
    MoeRecipes() = default;
    /** @param context of the training step; not needed afterwards. */
    explicit MoeRecipes(const RecipeContext& context);

    /**
     * @param layer global number of a layer with experts.
     * @return its recipes: one for all ranks, or one by coordinate on ParallelAxis::EP.
     */
    const std::vector<PartRecipes>& Get(uint64_t layer) const;

    /**
     * @param model the model, validated.
     * @param layout grid of ranks.
     * @param training number formats, dispatcher.
     * @param source, path where the training config stands, for errors.
     * @throw ConfigError if the fields about experts do not fit together, or are set for a model
     *        without experts.
     */
    static void Check(const ModelConfig& model,
                      const ParallelLayout& layout,
                      const TrainingConfig& training,
                      const std::string& source,
                      const std::string& path);

  private:
    /** Recipes of layers that route alike. */
    std::vector<std::vector<PartRecipes>> m_recipes;
    bool m_alike{true}; //!< all layers are
    /** What their all-to-alls exchange. */
    std::vector<std::unique_ptr<ExchangeBytes>> m_exchanges;
};

} // namespace llm
} // namespace ns3

#endif // LLM_MOE_RECIPE_H
