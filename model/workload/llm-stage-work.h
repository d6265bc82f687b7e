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
#include "llm-recipe-table.h"

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

/** A gradient bucket and when the backward of the last microbatch has filled it. */
struct StageBucket
{
    GradientBucket bucket;                //!< size
    ModelPart part{ModelPart::EMBEDDING}; //!< full after the backward of this part
    int64_t layer{-1};                    //!< of this layer, -1 outside of the layers
    std::size_t firstPart{0};             //!< index of that part in StageWork::parts
    const char* group{nullptr};           //!< kind of group that it is reduced over
};

/** What every rank of one stage has and does. A stage is a chunk of layers of a pipeline rank. */
struct StageWork
{
    StageLayers layers;               //!< its layers
    bool first{false};                //!< has the embedding
    bool last{false};                 //!< has the output layer
    std::vector<StagePart> parts;     //!< in forward order
    uint64_t parameters{0};           //!< on one rank, with vocabulary padding
    uint64_t normGradients{0};        //!< gradients to be summed over the tensor-parallel group
    std::vector<StageBucket> buckets; //!< in the order in which they become full
    int64_t optimizerPs{0};           //!< time of the optimizer
};

/**
 * @ingroup llm-training
 *
 * Lists the parts of a stage, its parameters and its gradient buckets.
 */
class StageWorkMaker
{
  public:
    /**
     * @param context of the training step.
     * @param recipes of the model.
     * @param gradType number format of gradients.
     * @param sharedEmbedding whether the last stage has a copy of the embedding.
     */
    StageWorkMaker(const RecipeContext& context,
                   const RecipeTable& recipes,
                   DataType gradType,
                   bool sharedEmbedding);

    /**
     * @param stage its number.
     * @param stages number of stages.
     * @param layers its layers.
     * @return all but the time of the optimizer.
     */
    StageWork Make(uint32_t stage, uint32_t stages, const StageLayers& layers) const;

  private:
    void ListParts(StageWork& work) const;
    void AddParameters(StageWork& work, uint32_t stage) const;
    void AddBuckets(StageWork& work,
                    uint32_t stage,
                    const std::vector<ParameterTensor>& all,
                    bool experts) const;
    uint64_t CountOnRank(const ParameterTensor& tensor) const;
    BucketRule ChooseBucketRule(uint32_t stage) const;

    const RecipeContext& m_context; //!< shape
    const RecipeTable& m_recipes;   //!< of the model
    DataType m_gradType;            //!< of gradients
    bool m_sharedEmbedding;         //!< copy on the last stage
};

} // namespace llm
} // namespace ns3

#endif // LLM_STAGE_WORK_H
