/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_STEP_H
#define LLM_TRAINING_STEP_H

#include "llm-accelerator.h"
#include "llm-compute-jitter.h"
#include "llm-data-parallel-plan.h"
#include "llm-data-type.h"
#include "llm-model-config.h"
#include "llm-parallel-layout.h"
#include "llm-part-times.h"
#include "llm-pipeline-placement.h"
#include "llm-pipeline-schedule.h"
#include "llm-recipe-table.h"
#include "llm-stage-work.h"
#include "llm-step-program.h"
#include "llm-training-config.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One training iteration of a transformer, as Megatron-Core runs it, cut over ranks by a
 * ParallelLayout. It gives each rank its program of compute and communication: passes in the order
 * of a PipelineSchedule, each through the parts of a stage (RecipeTable says what ranks do in a
 * part), with what DataParallelPlan does beside them.
 *
 * Per microbatch, with X = b (s/c) h q bytes: tensor parallelism all-reduces X twice per layer
 * forward and twice backward; under sequence parallelism 6 all-gathers and 4 reduce-scatters of X
 * instead (Korthikanti 2022 s.4.2, with the input gathered again for the weight gradients). First
 * stage: vocabulary-parallel embedding, all-reduce of X (under sequence parallelism a
 * reduce-scatter, but with learned positions still an all-reduce, and an all-gather backward). Last
 * stage: output layer, all-reduce of X backward (under sequence parallelism an all-gather forward,
 * an all-gather and a reduce-scatter backward), and three all-reduces of 4 b s/c bytes for the
 * cross-entropy. Token ids are broadcast within the tensor-parallel groups of first and last stage
 * (8 b s bytes). Stages send X, or X / t under sequence parallelism. Context parallelism: see
 * AttentionCore; experts: see MoeRecipes.
 *
 * Once per iteration: gradients of norms and row biases over the tensor-parallel group under
 * sequence parallelism; tied embeddings between first and last stage; loss (data-parallel group of
 * the last stage), gradient norm and, with fp16, the overflow flag (model-parallel group, or all
 * ranks of an instance if the optimizer is sharded), 4 bytes each; the optimizer. Where gradients
 * are sharded, those of norms and of tied embeddings are still summed as a whole, as Megatron does.
 *
 * Not modelled: dropout, checkpoints, data loading from storage.
 *
 * Groups of one rank communicate nothing and have no operations.
 */
class TrainingStep : public WorkloadSource
{
  public:
    /**
     * @param model shape; it is validated.
     * @param layout grid of ranks.
     * @param training batch, number formats, buckets.
     * @param accelerator compute times.
     * @param source name of the file, for errors about training.
     * @param path where in the file the training config stands.
     * @throw ConfigError if these do not fit together.
     */
    TrainingStep(const ModelConfig& model,
                 const ParallelLayout& layout,
                 const TrainingConfig& training,
                 const Accelerator& accelerator,
                 const std::string& source = "TrainingConfig",
                 const std::string& path = "");

    /** Programs and parts of it refer to it. */
    TrainingStep(const TrainingStep&) = delete;
    TrainingStep& operator=(const TrainingStep&) = delete;

    uint32_t GetWorldSize() const override;
    const std::vector<ProcessGroup>& GetGroups() const override;
    /** The program refers to this object, which must outlive it. All iterations are alike,
     *  but for jitter. */
    std::unique_ptr<StepProgram> CreateProgram(uint32_t rank, uint32_t iteration) const override;
    uint64_t CountOperations(uint32_t rank) const override;

    /** @return the model. */
    const ModelConfig& GetModel() const;
    /** @return the grid of ranks. */
    const ParallelLayout& GetLayout() const;
    /** @return the config, with defaults filled in. */
    const TrainingConfig& GetTraining() const;
    /** @return the accelerator. */
    const Accelerator& GetAccelerator() const;
    /** @return m: microbatches per iteration and replica. */
    uint64_t GetMicrobatchCount() const;
    /** @return whether sequence parallelism is on and t above 1. */
    bool HasSequenceParallel() const;
    /** @return whether first and last stage hold a copy each of one embedding. */
    bool HasSharedEmbedding() const;
    /** @return size of parameters and activations. */
    DataType GetParamsType() const;
    /** @return size of gradients on the wire. */
    DataType GetGradientType() const;
    /** @return rows of the embedding with padding. */
    uint64_t GetPaddedVocabSize() const;
    /** @return whether the context-parallel group has parts, "cp-a2a" and "cp-p2p". */
    bool HasContextParts() const;
    /** @return b s / c: tokens of a microbatch that a tensor-parallel group has. */
    uint64_t GetTokens() const;
    /** @return X = b (s / c) h q: bytes of the activations between layers, of all that a
     *  tensor-parallel group has. */
    uint64_t GetActivationBytes() const;
    /** @return bytes that a rank sends to the next stage per microbatch. */
    uint64_t GetPipelineBytes() const;
    /** @return bytes of token ids that are broadcast per microbatch. */
    uint64_t GetBatchBytes() const;
    /** @return bytes of each all-reduce of the vocabulary-parallel cross-entropy. */
    uint64_t GetCrossEntropyBytes() const;
    /** @return bytes of the gradient of the embedding on one rank. */
    uint64_t GetEmbeddingGradientBytes() const;
    /** @return what is sharded over the data-parallel group, and when it is sent. */
    const DataParallelPlan& GetDataParallelPlan() const;
    /** @return whether some layers have experts. */
    bool HasExperts() const;
    /** @return which pipeline rank holds which stage. */
    const PipelinePlacement& GetPlacement() const;
    /** @param rank coordinate on the axis PP. @return its passes, from the first on. */
    std::unique_ptr<PipelineSchedule> CreateSchedule(uint32_t rank) const;
    /** @return number of stages: chunks of layers, at least one per pipeline rank. */
    uint32_t GetStageCount() const;
    /** @param stage 0 .. GetStageCount() - 1. @return the work of a rank that holds it. */
    const StageWork& GetStage(uint32_t stage) const;
    /** @return compute times. */
    const PartTimes& GetTimes() const;

    /**
     * @param kind as of the collectives of the step: "tp", DATA_GROUP, "embd" ...
     * @param rank global rank, a member of such a group.
     * @return index in GetGroups(). Meaningless if groups of that kind have one rank.
     */
    uint32_t GetGroupId(const std::string& kind, uint32_t rank) const;
    /** @param kind of groups of more than one rank. @return index of the first of them in
     *  GetGroups(), and their number. */
    std::pair<uint32_t, uint32_t> GetGroupRange(const std::string& kind) const;

    /** Kind of group of all ranks that have the same weights, see ParallelLayout. */
    static constexpr const char* DATA_GROUP = llm::DATA_GROUP;
    /** Bytes of a scalar: loss, norm, flag. */
    static constexpr uint64_t SCALAR_BYTES = 4;

  private:
    /** Where the groups of a kind are in m_groups. */
    struct GroupBlock
    {
        std::string kind;  //!< "tp", ...
        uint32_t first{0}; //!< index of the first
        uint32_t count{0}; //!< how many
    };

    const GroupBlock& FindBlock(const std::string& kind) const;
    void MakeGroups();
    void MakeStages();

    ModelConfig m_model;                            //!< shape
    ParallelLayout m_layout;                        //!< grid
    TrainingConfig m_training;                      //!< resolved
    Accelerator m_accelerator;                      //!< compute times
    ComputeJitter m_jitter;                         //!< uneven compute times
    DataType m_paramsType{DataType::BF16};          //!< resolved
    DataType m_gradType{DataType::FP32};            //!< resolved
    uint64_t m_microbatches{0};                     //!< m
    uint64_t m_paddedVocabSize{0};                  //!< V'
    std::vector<ProcessGroup> m_groups;             //!< those of more than one rank
    std::vector<GroupBlock> m_blocks;               //!< index of m_groups
    DataParallelPlan m_plan;                        //!< of data parallelism
    PartTimes m_times;                              //!< per microbatch
    RecipeTable m_recipes;                          //!< of all parts
    std::unique_ptr<PipelinePlacement> m_placement; //!< of the stages
    std::vector<StageWork> m_stages;                //!< by stage
    std::vector<uint64_t> m_operations;             //!< by coordinate on the axis PP
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_STEP_H
