/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-step.h"

#include "llm-training-step-program.h"

#include "ns3/llm-config-error.h"

#include <limits>

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

/** Megatron keeps such neighbours as one tensor. */
bool
FusesWith(const ParameterTensor& earlier, const ParameterTensor& later)
{
    return !earlier.fusedInto.empty() && earlier.fusedInto == later.fusedInto;
}

} // namespace

TrainingStep::TrainingStep(const ModelConfig& model,
                           const ParallelLayout& layout,
                           const TrainingConfig& training,
                           const Accelerator& accelerator,
                           const std::string& source,
                           const std::string& path)
    : m_model(model),
      m_layout(layout),
      m_training(training),
      m_accelerator(accelerator),
      m_source(source),
      m_path(path)
{
    m_model.Validate();
    CheckModel();
    m_paddedVocabSize = m_layout.GetPaddedVocabSize(m_model);
    CheckTraining();
    MakeGroups();
    m_times = PartTimes::Make(m_model,
                              m_training,
                              m_layout.GetSize(ParallelAxis::TP),
                              m_paddedVocabSize,
                              m_paramsType,
                              m_accelerator);
    MakeStages();
}

void
TrainingStep::Fail(const std::string& key, const std::string& message) const
{
    throw ConfigError(m_source, m_path.empty() ? key : m_path + "." + key, message);
}

void
TrainingStep::CheckModel() const
{
    const auto refuse = [this](const char* key, uint64_t value, const char* what) {
        if (value > 0)
        {
            throw ConfigError("ModelConfig",
                              key,
                              "is " + std::to_string(value) + ", but training with " + what +
                                  " is not supported yet; parameters and FLOPs are");
        }
    };
    refuse("num_experts", m_model.num_experts, "experts");
    refuse("kv_lora_rank", m_model.kv_lora_rank, "latent attention");
    refuse("num_nextn_predict_layers", m_model.num_nextn_predict_layers, "multi-token prediction");
}

void
TrainingStep::CheckTraining()
{
    const auto place = [this](const char* key) {
        return m_path.empty() ? key : m_path + "." + key;
    };
    if (m_training.params_dtype.empty())
    {
        m_training.params_dtype = m_model.torch_dtype.empty() ? "bf16" : m_model.torch_dtype;
    }
    m_paramsType = ParseDataType(m_training.params_dtype, m_source, place("params_dtype"));
    m_gradType = ParseDataType(m_training.grad_reduce_dtype, m_source, place("grad_reduce_dtype"));

    const std::string& scheme = m_training.ddp_bucket_scheme;
    if (scheme != "megatron" && scheme != "pytorch" && scheme != "none")
    {
        Fail("ddp_bucket_scheme",
             "unknown scheme '" + scheme + "'; known: megatron, pytorch, none");
    }
    constexpr uint64_t largestCapMiB = 1ULL << 30;
    if (m_training.bucket_cap_mb == 0 || m_training.bucket_cap_mb > largestCapMiB)
    {
        Fail("bucket_cap_mb",
             "must be between 1 and " + std::to_string(largestCapMiB) + ", is " +
                 std::to_string(m_training.bucket_cap_mb));
    }

    const uint64_t longest = m_model.max_position_embeddings;
    if (m_training.seq_length == 0)
    {
        if (longest == 0 || longest > std::numeric_limits<uint32_t>::max())
        {
            Fail("seq_length", "must be given: the model has no max_position_embeddings");
        }
        m_training.seq_length = static_cast<uint32_t>(longest);
    }
    if (m_model.learned_positions && m_training.seq_length > longest)
    {
        Fail("seq_length",
             std::to_string(m_training.seq_length) + " is above the model's " +
                 std::to_string(longest) + " learned positions (max_position_embeddings)");
    }
    const uint32_t t = m_layout.GetSize(ParallelAxis::TP);
    if (HasSequenceParallel() && m_training.seq_length % t != 0)
    {
        Fail("seq_length",
             std::to_string(m_training.seq_length) +
                 " cannot be split by tensor_model_parallel_size " + std::to_string(t) +
                 ", which sequence_parallel asks for");
    }

    if (m_training.micro_batch_size == 0)
    {
        Fail("micro_batch_size", "must be at least 1, is 0");
    }
    const uint64_t d = m_layout.GetSize(ParallelAxis::DP);
    const uint64_t perStep = d * m_training.micro_batch_size;
    if (m_training.global_batch_size == 0)
    {
        if (perStep > std::numeric_limits<uint32_t>::max())
        {
            Fail("micro_batch_size", "the global batch would be above 2^32 sequences");
        }
        m_training.global_batch_size = static_cast<uint32_t>(perStep);
    }
    if (m_training.global_batch_size % perStep != 0)
    {
        Fail("global_batch_size",
             std::to_string(m_training.global_batch_size) +
                 " is not a multiple of micro_batch_size " +
                 std::to_string(m_training.micro_batch_size) + " x data_parallel_size " +
                 std::to_string(d) + " = " + std::to_string(perStep));
    }
    m_microbatches = m_training.global_batch_size / perStep;
    if (m_microbatches > static_cast<uint64_t>(std::numeric_limits<int32_t>::max()))
    {
        Fail("global_batch_size", std::to_string(m_microbatches) + " microbatches are above 2^31");
    }
    // Above any machine's memory, and far from the end of 64 bits.
    constexpr double mostBytes = 1e15;
    if (static_cast<double>(m_training.micro_batch_size) * m_training.seq_length *
            static_cast<double>(m_model.hidden_size) * 4 >
        mostBytes)
    {
        Fail("micro_batch_size",
             std::to_string(m_training.micro_batch_size) + " sequences of " +
                 std::to_string(m_training.seq_length) + " tokens and hidden_size " +
                 std::to_string(m_model.hidden_size) + " make activations above 1 PB");
    }
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

    for (const auto& kind :
         {Kind{"tp", "tp", ParallelDimension::TENSOR, true},
          Kind{"dp", "dp", ParallelDimension::DATA, true},
          Kind{"tp-pp", "mp", ParallelDimension::SCALAR, true},
          Kind{"embd", "embd", ParallelDimension::EMBEDDING, HasSharedEmbedding()}})
    {
        m_blocks.push_back({kind.kind, static_cast<uint32_t>(m_groups.size())});
        if (!kind.used || m_layout.GetGroupSize(kind.kind) == 1)
        {
            continue;
        }
        const uint32_t count = m_layout.GetGroupCount(kind.kind);
        for (uint32_t index = 0; index < count; ++index)
        {
            m_groups.push_back({kind.dimension, kind.name, m_layout.GetGroup(kind.kind, index)});
        }
    }
}

uint32_t
TrainingStep::GetGroupId(const std::string& kind, uint32_t rank) const
{
    for (const auto& block : m_blocks)
    {
        if (block.kind == kind)
        {
            return block.first + m_layout.GetGroupIndex(kind, rank);
        }
    }
    throw ConfigError("TrainingStep", "", "no groups of kind '" + kind + "'");
}

BucketRule
TrainingStep::ChooseBucketRule(uint32_t stage) const
{
    const std::string& scheme = m_training.ddp_bucket_scheme;
    if (scheme == "pytorch")
    {
        return BucketRule::PyTorch(m_training.bucket_cap_mb, GetBytesPerElement(m_gradType));
    }
    if (scheme == "megatron" && m_training.overlap_grad_reduce && stage == 0)
    {
        return BucketRule::Megatron(m_layout.GetSize(ParallelAxis::DP), m_training.ddp_bucket_size);
    }
    return BucketRule::Whole();
}

StageWork
TrainingStep::MakeStage(uint32_t stage, const StageLayers& layers) const
{
    StageWork work;
    work.layers = layers;
    work.first = stage == 0;
    work.last = stage + 1 == GetStageCount();

    const uint32_t t = m_layout.GetSize(ParallelAxis::TP);
    const bool fuse = m_training.ddp_bucket_scheme != "pytorch";
    std::vector<ParameterTensor> tensors;
    std::vector<uint64_t> elements;
    const auto append = [&](const std::vector<ParameterTensor>& more) {
        for (const auto& tensor : more)
        {
            const uint64_t count = tensor.GetElementsOnRank(t, m_paddedVocabSize);
            const bool summed =
                tensor.sharding == TensorSharding::REPLICATED_HEAD_NORM ||
                (tensor.sharding == TensorSharding::REPLICATED_NORM && HasSequenceParallel());
            work.parameters += count;
            work.normGradients += summed && t > 1 ? count : 0;
            if (fuse && !tensors.empty() && FusesWith(tensors.back(), tensor))
            {
                elements.back() += count;
                continue;
            }
            tensors.push_back(tensor);
            elements.push_back(count);
        }
    };
    if (work.first)
    {
        append(ListEmbeddingTensors(m_model));
    }
    for (uint64_t i = 0; i < layers.count; ++i)
    {
        append(ListLayerTensors(m_model, layers.first + i));
    }
    if (work.last)
    {
        append(ListHeadTensors(m_model, HasSharedEmbedding()));
    }

    const uint64_t gradBytes = GetBytesPerElement(m_gradType);
    for (const auto& bucket : MakeGradientBuckets(elements, ChooseBucketRule(stage), gradBytes))
    {
        const ParameterTensor& last = tensors[bucket.firstTensor];
        work.buckets.push_back({bucket, last.part, last.layer});
    }
    if (!m_accelerator.HasFixedLayerTime())
    {
        // Adam with an fp32 master copy: gradient read; master, both moments read and written;
        // parameter written.
        constexpr uint64_t stateBytes = 24; // three fp32 numbers, both ways
        const double bytes =
            static_cast<double>(gradBytes + stateBytes + GetBytesPerElement(m_paramsType)) *
            static_cast<double>(work.parameters);
        work.optimizerPs = m_accelerator.GetDurationPs(0, bytes);
    }
    return work;
}

void
TrainingStep::MakeStages()
{
    const std::vector<StageLayers> split = m_layout.SplitLayers(m_model);
    for (uint32_t stage = 0; stage < split.size(); ++stage)
    {
        m_stages.push_back(MakeStage(stage, split[stage]));
    }
    for (uint32_t stage = 0; stage < split.size(); ++stage)
    {
        ParallelCoordinates coordinates{};
        coordinates[static_cast<std::size_t>(ParallelAxis::PP)] = stage;
        m_stages[stage].operations =
            TrainingStepProgram::Count(*this, m_layout.GetRank(coordinates));
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
TrainingStep::CreateProgram(uint32_t rank, uint32_t /* iteration */) const
{
    return std::make_unique<TrainingStepProgram>(*this, rank);
}

uint64_t
TrainingStep::CountOperations(uint32_t rank) const
{
    return GetStage(m_layout.GetCoordinate(rank, ParallelAxis::PP)).operations;
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
    return m_model.tie_word_embeddings && GetStageCount() > 1;
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

uint64_t
TrainingStep::GetActivationBytes() const
{
    return static_cast<uint64_t>(m_training.micro_batch_size) * m_training.seq_length *
           m_model.hidden_size * GetBytesPerElement(m_paramsType);
}

uint64_t
TrainingStep::GetPipelineBytes() const
{
    return GetActivationBytes() / (HasSequenceParallel() ? m_layout.GetSize(ParallelAxis::TP) : 1);
}

uint64_t
TrainingStep::GetBatchBytes() const
{
    return TOKEN_ID_BYTES * m_training.micro_batch_size * m_training.seq_length;
}

uint64_t
TrainingStep::GetCrossEntropyBytes() const
{
    return LOSS_BYTES * m_training.micro_batch_size * m_training.seq_length;
}

uint64_t
TrainingStep::GetEmbeddingGradientBytes() const
{
    return m_paddedVocabSize / m_layout.GetSize(ParallelAxis::TP) * m_model.hidden_size *
           GetBytesPerElement(m_gradType);
}

uint32_t
TrainingStep::GetStageCount() const
{
    return m_layout.GetSize(ParallelAxis::PP);
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
