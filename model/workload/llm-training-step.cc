/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-step.h"

#include "llm-stage-work-maker.h"
#include "llm-training-check.h"
#include "llm-training-step-program.h"

#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Bytes of a token id: PyTorch's int64. */
constexpr uint64_t TOKEN_ID_BYTES = 8;
/** Bytes of a logit in the cross-entropy, which is computed in fp32. */
constexpr uint64_t LOSS_BYTES = 4;

} // namespace

TrainingStep::TrainingStep(const ModelConfig& model,
                           const ParallelLayout& layout,
                           const TrainingConfig& training,
                           const Accelerator& accelerator,
                           const std::string& source,
                           const std::string& path)
    : m_model(model),
      m_layout(layout),
      m_accelerator(accelerator),
      m_jitter(accelerator.GetConfig())
{
    m_model.Validate();
    m_layout.SplitLayers(m_model); // refuses what does not fit before anything is made
    m_accelerator.CheckRanks(m_layout.GetWorldSize());
    m_paddedVocabSize = m_layout.GetPaddedVocabSize(m_model);
    m_training = ResolveTraining(training, m_model, m_layout, source, path);
    m_paramsType = ParseDataType(m_training.params_dtype);
    m_gradType = ParseDataType(m_training.grad_reduce_dtype);
    m_microbatches =
        m_training.global_batch_size /
        (static_cast<uint64_t>(m_layout.GetSize(ParallelAxis::DP)) * m_training.micro_batch_size);
    m_placement = MakePipelinePlacement(m_layout.GetConfig());
    m_plan = DataParallelPlan(m_layout, m_training);
    MakeGroups();
    m_times = PartTimes::Make(m_model, m_training, m_layout, m_paramsType, m_accelerator);
    MakeStages();
}

void
TrainingStep::MakeGroups()
{
    struct Kind
    {
        const char* kind;
        const char* name;
        ParallelDimension dimension;
        bool used;
    };

    const bool sharded = m_plan.IsSharded();
    const bool instances = m_layout.GetConfig().num_distributed_optimizer_instances > 1;
    const char* const data = m_layout.GetSize(ParallelAxis::CP) > 1 ? "dp-cp" : "dp";
    for (const auto& kind :
         {Kind{"tp", "tp", ParallelDimension::TENSOR, true},
          Kind{DATA_GROUP, data, ParallelDimension::DATA, true},
          Kind{"dp-cp-shard", "dp-shard", ParallelDimension::DATA, instances},
          Kind{"dp-cp-replica", "dp-replica", ParallelDimension::DATA, instances},
          Kind{"cp", "cp", ParallelDimension::CONTEXT, true},
          Kind{"cp-a2a", "cp-a2a", ParallelDimension::CONTEXT, HasContextParts()},
          Kind{"cp-p2p", "cp-p2p", ParallelDimension::CONTEXT, HasContextParts()},
          Kind{"ep", "ep", ParallelDimension::EXPERT, HasExperts()},
          Kind{"etp", "etp", ParallelDimension::EXPERT, HasExperts()},
          Kind{"etp-ep", "etp-ep", ParallelDimension::EXPERT, HasExperts()},
          Kind{EXPERT_DATA_GROUP, "edp", ParallelDimension::DATA, HasExperts()},
          Kind{"edp-shard", "edp-shard", ParallelDimension::DATA, HasExperts() && instances},
          Kind{"edp-replica", "edp-replica", ParallelDimension::DATA, HasExperts() && instances},
          Kind{"tp-pp", "mp", ParallelDimension::SCALAR, !sharded},
          Kind{"etp-ep-pp", "expert-mp", ParallelDimension::SCALAR, HasExperts() && !sharded},
          Kind{"dist-opt", "dist-opt", ParallelDimension::SCALAR, sharded},
          Kind{"embd", "embd", ParallelDimension::EMBEDDING, HasSharedEmbedding()}})
    {
        m_blocks.push_back({kind.kind, static_cast<uint32_t>(m_groups.size()), 0});
        if (!kind.used || m_layout.GetGroupSize(kind.kind) == 1)
        {
            continue;
        }
        const uint32_t count = m_layout.GetGroupCount(kind.kind);
        m_blocks.back().count = count;
        for (uint32_t index = 0; index < count; ++index)
        {
            m_groups.push_back({kind.dimension, kind.name, m_layout.GetGroup(kind.kind, index)});
        }
    }
}

const TrainingStep::GroupBlock&
TrainingStep::FindBlock(const std::string& kind) const
{
    for (const auto& block : m_blocks)
    {
        if (block.kind == kind)
        {
            return block;
        }
    }
    throw ConfigError("TrainingStep", "", "no groups of kind '" + kind + "'");
}

uint32_t
TrainingStep::GetGroupId(const std::string& kind, uint32_t rank) const
{
    return FindBlock(kind).first + m_layout.GetGroupIndex(kind, rank);
}

std::pair<uint32_t, uint32_t>
TrainingStep::GetGroupRange(const std::string& kind) const
{
    const GroupBlock& block = FindBlock(kind);
    return {block.first, block.count};
}

void
TrainingStep::MakeStages()
{
    const RecipeContext context{m_model,
                                m_layout,
                                m_training,
                                m_times,
                                m_paramsType,
                                m_paddedVocabSize,
                                HasSequenceParallel(),
                                GetActivationBytes(),
                                GetBatchBytes(),
                                GetCrossEntropyBytes()};
    m_recipes = RecipeTable(context);
    const StageWorkMaker maker(context, m_recipes, m_plan, m_gradType, HasSharedEmbedding());
    const std::vector<StageLayers> split = m_layout.SplitLayers(m_model);
    for (uint32_t stage = 0; stage < split.size(); ++stage)
    {
        m_stages.push_back(maker.Make(stage, GetStageCount(), split[stage]));
        m_stages.back().optimizerPs =
            m_times.GetOptimizerPs(m_stages.back().updated, GetBytesPerElement(m_gradType));
    }
    for (uint32_t rank = 0; rank < m_placement->GetRankCount(); ++rank)
    {
        ParallelCoordinates coordinates{};
        coordinates[static_cast<std::size_t>(ParallelAxis::PP)] = rank;
        m_operations.push_back(TrainingStepProgram::Count(*this, m_layout.GetRank(coordinates)));
    }
}

uint32_t
TrainingStep::GetWorldSize() const
{
    return m_layout.GetWorldSize();
}

const std::vector<ProcessGroup>&
TrainingStep::GetGroups() const
{
    return m_groups;
}

std::unique_ptr<StepProgram>
TrainingStep::CreateProgram(uint32_t rank, uint32_t iteration) const
{
    return m_jitter.Wrap(std::make_unique<TrainingStepProgram>(*this, rank), rank, iteration);
}

uint64_t
TrainingStep::CountOperations(uint32_t rank) const
{
    return m_operations[m_layout.GetCoordinate(rank, ParallelAxis::PP)];
}

const ModelConfig&
TrainingStep::GetModel() const
{
    return m_model;
}

const ParallelLayout&
TrainingStep::GetLayout() const
{
    return m_layout;
}

const TrainingConfig&
TrainingStep::GetTraining() const
{
    return m_training;
}

const Accelerator&
TrainingStep::GetAccelerator() const
{
    return m_accelerator;
}

uint64_t
TrainingStep::GetMicrobatchCount() const
{
    return m_microbatches;
}

bool
TrainingStep::HasSequenceParallel() const
{
    return m_layout.GetConfig().sequence_parallel && m_layout.GetSize(ParallelAxis::TP) > 1;
}

bool
TrainingStep::HasSharedEmbedding() const
{
    // With two directions both are on the same ranks, and are one tensor there.
    return (m_model.tie_word_embeddings || m_model.num_nextn_predict_layers > 0) &&
           GetStageCount() > 1 && m_placement->GetDirectionCount() == 1;
}

DataType
TrainingStep::GetParamsType() const
{
    return m_paramsType;
}

DataType
TrainingStep::GetGradientType() const
{
    return m_gradType;
}

uint64_t
TrainingStep::GetPaddedVocabSize() const
{
    return m_paddedVocabSize;
}

bool
TrainingStep::HasContextParts() const
{
    return m_layout.GetConfig().cp_comm_type == "a2a+p2p";
}

uint64_t
TrainingStep::GetTokens() const
{
    return static_cast<uint64_t>(m_training.micro_batch_size) * m_training.seq_length /
           m_layout.GetSize(ParallelAxis::CP);
}

uint64_t
TrainingStep::GetActivationBytes() const
{
    return GetTokens() * m_model.hidden_size * GetBytesPerElement(m_paramsType);
}

uint64_t
TrainingStep::GetPipelineBytes() const
{
    return GetActivationBytes() / (HasSequenceParallel() ? m_layout.GetSize(ParallelAxis::TP) : 1);
}

uint64_t
TrainingStep::GetBatchBytes() const
{
    // Of whole sequences: each rank takes its part afterwards (Megatron's get_batch).
    return TOKEN_ID_BYTES * m_training.micro_batch_size * m_training.seq_length;
}

uint64_t
TrainingStep::GetCrossEntropyBytes() const
{
    return LOSS_BYTES * GetTokens();
}

uint64_t
TrainingStep::GetEmbeddingGradientBytes() const
{
    return m_paddedVocabSize / m_layout.GetSize(ParallelAxis::TP) * m_model.hidden_size *
           GetBytesPerElement(m_gradType);
}

bool
TrainingStep::HasExperts() const
{
    return m_model.num_experts > 0;
}

const DataParallelPlan&
TrainingStep::GetDataParallelPlan() const
{
    return m_plan;
}

const PipelinePlacement&
TrainingStep::GetPlacement() const
{
    return *m_placement;
}

std::unique_ptr<PipelineSchedule>
TrainingStep::CreateSchedule(uint32_t rank) const
{
    return MakePipelineSchedule(m_layout.GetConfig(), rank, m_microbatches);
}

uint32_t
TrainingStep::GetStageCount() const
{
    return m_placement->GetStageCount();
}

const StageWork&
TrainingStep::GetStage(uint32_t stage) const
{
    return m_stages.at(stage);
}

const PartTimes&
TrainingStep::GetTimes() const
{
    return m_times;
}

} // namespace llm
} // namespace ns3
