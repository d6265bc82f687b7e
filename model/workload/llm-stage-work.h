/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_STAGE_WORK_H
#define LLM_STAGE_WORK_H

#include "llm-gradient-buckets.h"
#include "llm-parallel-layout.h"
#include "llm-parameter-tensor.h"
#include "llm-part-recipe.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/** Kind of group that gradients are reduced over, see ParallelLayout. */
constexpr const char* DATA_GROUP = "dp-cp";
/** The same for those of routed experts. */
constexpr const char* EXPERT_DATA_GROUP = "edp";

/** A part of the model on a stage. */
struct StagePart
{
    ModelPart part{ModelPart::EMBEDDING}; //!< what
    int64_t layer{-1};                    //!< global number, -1 outside of the layers
    bool setup{false};                    //!< brings in the microbatch, has no parameters
    const std::vector<PartRecipes>* recipes{nullptr}; //!< what its ranks do, see RecipeTable

    /** @param expertRank coordinate on ParallelAxis::EP. @return what that rank does. */
    const PartRecipes& GetRecipes(uint32_t expertRank) const;
};

/** Parameters of a stage whose gradients are reduced together, or that are gathered together. */
struct StageBucket
{
    GradientBucket bucket;                //!< size
    ModelPart part{ModelPart::EMBEDDING}; //!< first part with one of its parameters
    int64_t layer{-1};                    //!< of this layer, -1 outside of the layers
    bool experts{false};                  //!< parameters of routed experts
    std::size_t firstPart{0};             //!< index of that part in StageWork::parts
    std::size_t lastPart{0};              //!< index of the last part with one of its parameters
    std::vector<RecipeStep> steps;        //!< what reduces or gathers it, in order; perhaps nothing
};

/** What every rank of one stage has and does. A stage is a chunk of layers of a pipeline rank. */
struct StageWork
{
    StageLayers layers;               //!< its layers, those of MTP modules at the end
    uint64_t mtpModules{0};           //!< on the last stage, behind the output layer
    uint64_t recomputed{0};           //!< of these, from the first: backward runs forward again
    bool first{false};                //!< has the embedding
    bool last{false};                 //!< has the output layer
    std::vector<StagePart> parts;     //!< in forward order
    uint64_t parameters{0};           //!< on one rank, with vocabulary padding
    uint64_t normGradients{0};        //!< gradients to be summed over the tensor-parallel group
    std::vector<StageBucket> buckets; //!< gradients, in the order in which backward fills them
    std::vector<StageBucket> gathers; //!< parameters that are sharded, in forward order
    uint64_t updated{0};              //!< parameters that the optimizer of one rank updates
    int64_t optimizerPs{0};           //!< time of the optimizer
};

} // namespace llm
} // namespace ns3

#endif // LLM_STAGE_WORK_H
