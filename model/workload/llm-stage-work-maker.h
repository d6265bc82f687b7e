/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_STAGE_WORK_MAKER_H
#define LLM_STAGE_WORK_MAKER_H

#include "llm-recipe-table.h"
#include "llm-stage-bucket-maker.h"
#include "llm-stage-work.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

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
     * @param plan of data parallelism.
     * @param gradType number format of gradients.
     * @param sharedEmbedding whether the last stage has a copy of the embedding.
     */
    StageWorkMaker(const RecipeContext& context,
                   const RecipeTable& recipes,
                   const DataParallelPlan& plan,
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
    std::vector<ParameterTensor> ListTensors(const StageWork& work) const;
    void CountParameters(StageWork& work, const std::vector<ParameterTensor>& tensors) const;

    const RecipeContext& m_context; //!< shape
    const RecipeTable& m_recipes;   //!< of the model
    StageBucketMaker m_buckets;     //!< of gradients
    bool m_sharedEmbedding;         //!< copy on the last stage
};

} // namespace llm
} // namespace ns3

#endif // LLM_STAGE_WORK_MAKER_H
