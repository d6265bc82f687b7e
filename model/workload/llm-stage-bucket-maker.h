/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_STAGE_BUCKET_MAKER_H
#define LLM_STAGE_BUCKET_MAKER_H

#include "llm-data-parallel-plan.h"
#include "llm-recipe-context.h"
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
 * Puts the parameters of a stage into gradient buckets, and into the buckets or units in which they
 * are gathered.
 *
 * What is sharded is padded, and the padding is sent:
 * - "megatron": each tensor begins at a multiple of 64 elements, each bucket ends at one of
 *   lcm(128, shard size), and an embedding that two stages share has a bucket of its own
 *   (param_and_grad_buffer.py);
 * - "deepspeed" with sharded parameters: each tensor is padded to a multiple of the shard size;
 * - else each bucket or unit is.
 *
 * With sharded parameters (FSDP) each layer is a unit, the embedding is one, and so are final norm
 * and output layer; a unit's gradients are reduced together, unless the scheme is "deepspeed". An
 * output layer that is tied to the embedding on its own stage gathers that once more. Routed
 * experts, whose group is another one, have buckets and units of their own.
 */
class StageBucketMaker
{
  public:
    /**
     * @param context of the training step; it must outlive this object.
     * @param plan of data parallelism; it must outlive this object.
     * @param gradType number format of gradients.
     * @param sharedEmbedding whether the last stage has a copy of the embedding.
     */
    StageBucketMaker(const RecipeContext& context,
                     const DataParallelPlan& plan,
                     DataType gradType,
                     bool sharedEmbedding);

    /**
     * @param work its parts are listed; it gets buckets, gathers and updated.
     * @param tensors of the stage, in forward order.
     */
    void Fill(StageWork& work, const std::vector<ParameterTensor>& tensors) const;

  private:
    /** Tensors of one kind, as they lie in the buffer. */
    struct Buffer
    {
        std::vector<ParameterTensor> tensors; //!< the first of those that are kept as one
        std::vector<uint64_t> elements;       //!< on one rank
        std::vector<std::size_t> parts;       //!< index in StageWork::parts
    };

    Buffer MakeBuffer(const StageWork& work,
                      const std::vector<ParameterTensor>& tensors,
                      bool experts) const;
    BucketRule ChooseRule(bool firstStage, bool experts) const;
    std::vector<GradientBucket> MakeUnits(const Buffer& buffer, const BucketRule& rule) const;
    std::vector<std::size_t> FindShared(const Buffer& buffer) const;
    void AddBuckets(StageWork& work,
                    const Buffer& buffer,
                    const std::vector<GradientBucket>& buckets,
                    bool experts) const;
    void AddGathers(StageWork& work,
                    const Buffer& buffer,
                    const std::vector<GradientBucket>& buckets,
                    bool experts) const;

    const RecipeContext& m_context; //!< shape
    const DataParallelPlan& m_plan; //!< what is sharded
    DataType m_gradType;            //!< of gradients
    bool m_sharedEmbedding;         //!< copy on the last stage
};

} // namespace llm
} // namespace ns3

#endif // LLM_STAGE_BUCKET_MAKER_H
