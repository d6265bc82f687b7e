/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-memory-model.h"

#include "ns3/llm-units.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t FP32_BYTES = 4;

uint64_t
Share(uint64_t bytes, uint64_t shards)
{
    return (bytes + shards - 1) / shards;
}

/** @return bytes of Adam per parameter: two moments, and a master copy of what is trained in 16
 *  bits. */
uint64_t
GetOptimizerBytes(DataType paramsType)
{
    return (paramsType == DataType::FP32 ? 2 : 3) * FP32_BYTES;
}

/** @return whether a strategy cuts gradients, or parameters, too. */
bool
CutsGradients(const std::string& strategy)
{
    return strategy == "optim_grads" || strategy == "optim_grads_params";
}

bool
CutsParameters(const std::string& strategy)
{
    return strategy == "optim_grads_params";
}

} // namespace

uint64_t
MemoryEstimate::GetTotal() const
{
    return parameters + gradients + optimizer + activations + workspace;
}

MemoryEstimate&
MemoryEstimate::operator+=(const MemoryEstimate& other)
{
    parameters += other.parameters;
    gradients += other.gradients;
    optimizer += other.optimizer;
    activations += other.activations;
    workspace += other.workspace;
    return *this;
}

MemoryEstimate
EstimateModelStates(uint64_t parameters,
                    uint64_t shards,
                    const std::string& strategy,
                    DataType paramsType,
                    DataType gradType)
{
    MemoryEstimate memory;
    memory.parameters = parameters * GetBytesPerElement(paramsType);
    memory.gradients = parameters * GetBytesPerElement(gradType);
    memory.optimizer = parameters * GetOptimizerBytes(paramsType);
    if (strategy != "no_shard")
    {
        memory.optimizer = Share(memory.optimizer, shards);
    }
    if (CutsGradients(strategy))
    {
        memory.gradients = Share(memory.gradients, shards);
    }
    if (CutsParameters(strategy))
    {
        memory.parameters = Share(memory.parameters, shards);
    }
    return memory;
}

MemoryModel::MemoryModel(const TrainingStep& step)
    : m_step(step),
      m_element(GetBytesPerElement(step.GetParamsType())),
      m_mask(step.GetModel().model_type == "gpt2" ? 1 : 0),
      m_t(step.GetLayout().GetSize(ParallelAxis::TP)),
      m_tokens(static_cast<uint64_t>(step.GetTraining().micro_batch_size) *
               step.GetTraining().seq_length / step.GetLayout().GetSize(ParallelAxis::CP)),
      m_part(m_tokens / (step.HasSequenceParallel() ? m_t : 1))
{
}

uint64_t
MemoryModel::GetScoreBytes() const
{
    const ModelConfig& model = m_step.GetModel();
    const TrainingConfig& training = m_step.GetTraining();
    const uint64_t heads = model.num_attention_heads * m_tokens / m_t;
    if (training.attention_backend != "unfused")
    {
        return FP32_BYTES * heads; // log of the sum of exponentials
    }
    if (training.recompute_granularity == "selective")
    {
        return 0;
    }
    // Softmax; with dropout its mask and what it leaves.
    return heads * training.seq_length * (m_element + m_mask * (1 + m_element));
}

uint64_t
MemoryModel::GetAttentionBytes() const
{
    const ModelConfig& model = m_step.GetModel();
    const uint64_t h = model.hidden_size;
    const uint64_t a = model.num_attention_heads;
    const uint64_t queries = a * model.GetQueryHeadDim();
    const uint64_t values = a * model.GetValueHeadDim();
    uint64_t whole = 2 * h; // input of the norm, input of the projections
    uint64_t cut = queries + values;
    if (model.HasLatentAttention())
    {
        whole += 2 * model.q_lora_rank + 2 * model.kv_lora_rank + model.qk_rope_head_dim;
        cut += queries + values;
    }
    else
    {
        const uint64_t keys = model.num_key_value_heads * model.head_dim;
        cut += 2 * keys + (model.qk_norm ? queries + keys : 0);
    }
    return m_part * (m_element * whole + m_mask * h) + m_element * m_tokens * cut / m_t +
           GetScoreBytes();
}

uint64_t
MemoryModel::GetMlpBytes() const
{
    const ModelConfig& model = m_step.GetModel();
    const uint64_t h = model.hidden_size;
    const uint64_t around = model.gated_mlp ? 3 : 2; // of the activation function
    return m_part * (m_element * 2 * h + m_mask * h) +
           m_element * m_tokens * around * model.intermediate_size / m_t;
}

uint64_t
MemoryModel::GetMoeBytes() const
{
    const ModelConfig& model = m_step.GetModel();
    const ParallelLayout& layout = m_step.GetLayout();
    const uint64_t h = model.hidden_size;
    const uint64_t around = model.gated_mlp ? 3 : 2;
    const uint64_t et = layout.GetSize(ParallelAxis::ETP);
    const uint64_t routed = m_tokens / m_t;
    const uint64_t slots = routed * model.num_experts_per_tok;
    return m_part * m_element * 2 * h + FP32_BYTES * routed * model.num_experts +
           m_element * slots * (et * h + around * model.moe_intermediate_size + h) +
           m_element * m_tokens * around * model.shared_expert_intermediate_size / m_t;
}

uint64_t
MemoryModel::GetWholeLayerBytes(uint64_t layer) const
{
    return GetAttentionBytes() +
           (m_step.GetModel().IsMoeLayer(layer) ? GetMoeBytes() : GetMlpBytes());
}

bool
MemoryModel::IsRecomputed(uint64_t layer) const
{
    const TrainingConfig& training = m_step.GetTraining();
    if (training.recompute_granularity != "full")
    {
        return false;
    }
    if (training.recompute_num_layers == 0)
    {
        return true;
    }
    for (uint32_t stage = 0; stage < m_step.GetStageCount(); ++stage)
    {
        const StageLayers& layers = m_step.GetStage(stage).layers;
        if (layer >= layers.first && layer < layers.first + layers.count)
        {
            return layer - layers.first < training.recompute_num_layers;
        }
    }
    return false;
}

uint64_t
MemoryModel::GetLayerBytes(uint64_t layer) const
{
    return IsRecomputed(layer) ? m_part * m_element * m_step.GetModel().hidden_size
                               : GetWholeLayerBytes(layer);
}

uint64_t
MemoryModel::GetEmbeddingBytes() const
{
    return m_part * m_mask * m_step.GetModel().hidden_size;
}

uint64_t
MemoryModel::GetHeadBytes() const
{
    return m_part * m_element * 2 * m_step.GetModel().hidden_size +
           FP32_BYTES * m_tokens * (m_step.GetPaddedVocabSize() / m_t);
}

uint64_t
MemoryModel::GetMtpBytes() const
{
    return m_part * m_element * 4 * m_step.GetModel().hidden_size;
}

uint64_t
MemoryModel::GetStageBytes(uint32_t stage) const
{
    uint64_t bytes = 0;
    for (const auto& part : m_step.GetStage(stage).parts)
    {
        switch (part.part)
        {
        case ModelPart::EMBEDDING:
            bytes += part.setup ? 0 : GetEmbeddingBytes();
            break;
        case ModelPart::ATTENTION: // for all of its layer
            bytes += GetLayerBytes(static_cast<uint64_t>(part.layer));
            break;
        case ModelPart::MLP:
            break;
        case ModelPart::MTP:
            bytes += GetMtpBytes();
            break;
        case ModelPart::HEAD:
            bytes += GetHeadBytes();
            break;
        }
    }
    return bytes;
}

MemoryEstimate
MemoryModel::EstimateStates(uint32_t stage) const
{
    const StageWork& work = m_step.GetStage(stage);
    const DataParallelPlan& plan = m_step.GetDataParallelPlan();
    const uint64_t gradientBytes = GetBytesPerElement(m_step.GetGradientType());
    MemoryEstimate memory;
    memory.optimizer = (plan.IsSharded() ? work.updated : work.parameters) *
                       GetOptimizerBytes(m_step.GetParamsType());
    memory.gradients = (plan.ReducesEveryPass() ? work.updated : work.parameters) * gradientBytes;
    memory.parameters = work.parameters * m_element;
    if (plan.GetGather() == ParameterGather::EVERY_PASS)
    {
        memory.parameters = 0;
        for (const auto& gather : work.gathers)
        {
            memory.parameters += gather.bucket.bytes / plan.GetShardSize(gather.experts);
        }
    }
    memory.workspace = GetWorkspaceBytes(work);
    return memory;
}

uint64_t
MemoryModel::GetWorkspaceBytes(const StageWork& work) const
{
    const DataParallelPlan& plan = m_step.GetDataParallelPlan();
    uint64_t bucket = 0;
    for (const auto& reduced : work.buckets)
    {
        bucket = std::max(bucket, plan.ReducesEveryPass() ? reduced.bucket.bytes : 0);
    }
    uint64_t two = 0;
    uint64_t before = 0;
    for (const auto& gather : work.gathers)
    {
        const uint64_t unit =
            plan.GetGather() == ParameterGather::EVERY_PASS ? gather.bucket.bytes : 0;
        two = std::max(two, before + unit);
        before = unit;
    }
    uint64_t layer = 0;
    for (const auto& part : work.parts)
    {
        if (part.part == ModelPart::ATTENTION && IsRecomputed(static_cast<uint64_t>(part.layer)))
        {
            layer = std::max(layer, GetWholeLayerBytes(static_cast<uint64_t>(part.layer)));
        }
    }
    return bucket + two + layer;
}

MemoryEstimate
MemoryModel::Estimate(uint32_t pipelineRank, const PipelineClock& clock) const
{
    const PipelinePlacement& placement = m_step.GetPlacement();
    MemoryEstimate memory;
    std::vector<uint64_t> chunkBytes;
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        const uint32_t stage = placement.GetStage({pipelineRank, chunk});
        const uint64_t workspace = memory.workspace;
        memory += EstimateStates(stage);
        memory.workspace = std::max(workspace, memory.workspace - workspace);
        chunkBytes.push_back(GetStageBytes(stage));
    }
    memory.activations = clock.GetPeakBytes(pipelineRank, chunkBytes);
    return memory;
}

std::string
MemoryModel::GetWarning(const PipelineClock& clock) const
{
    const uint64_t available = m_step.GetAccelerator().GetConfig().memory_bytes;
    uint64_t most = 0;
    uint32_t where = 0;
    for (uint32_t rank = 0; rank < m_step.GetPlacement().GetRankCount(); ++rank)
    {
        const uint64_t bytes = Estimate(rank, clock).GetTotal();
        where = bytes > most ? rank : where;
        most = std::max(most, bytes);
    }
    if (most <= available)
    {
        return "";
    }
    return "ranks of pipeline position " + std::to_string(where) + " need about " +
           FormatBytesRounded(most) + ", but an accelerator has " + FormatBytesRounded(available);
}

} // namespace llm
} // namespace ns3
