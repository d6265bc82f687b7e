/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-attention-core.h"

#include "llm-gather-attention-core.h"
#include "llm-ring-attention-core.h"
#include "llm-ulysses-attention-core.h"

namespace ns3
{
namespace llm
{

namespace
{

/** One rank has the whole sequence. */
class WholeAttentionCore : public AttentionCore
{
  public:
    explicit WholeAttentionCore(const RecipeContext& context)
        : AttentionCore(context)
    {
    }
};

} // namespace

std::unique_ptr<AttentionCore>
AttentionCore::Make(const RecipeContext& context)
{
    const std::string& type = context.layout.GetConfig().cp_comm_type;
    if (context.layout.GetSize(ParallelAxis::CP) == 1)
    {
        return std::make_unique<WholeAttentionCore>(context);
    }
    if (type == "all_gather")
    {
        return std::make_unique<GatherAttentionCore>(context);
    }
    if (type == "a2a")
    {
        return std::make_unique<UlyssesAttentionCore>(context, "cp", nullptr);
    }
    if (type == "a2a+p2p")
    {
        return std::make_unique<UlyssesAttentionCore>(context, "cp-a2a", "cp-p2p");
    }
    return std::make_unique<RingAttentionCore>(context, "cp");
}

AttentionCore::AttentionCore(const RecipeContext& context)
    : m_context(context)
{
}

void
AttentionCore::ChainForward(RecipeWriter& writer, int64_t durationPs) const
{
    writer.Compute(durationPs);
}

void
AttentionCore::ChainBackward(RecipeWriter& writer, int64_t durationPs) const
{
    writer.Compute(durationPs);
}

void
AttentionCore::ChainBackwardAgain(RecipeWriter& writer, int64_t againPs, int64_t durationPs) const
{
    if (m_context.training.recompute_granularity == "selective")
    {
        ChainForward(writer, againPs);
    }
    ChainBackward(writer, durationPs);
}

const RecipeContext&
AttentionCore::GetContext() const
{
    return m_context;
}

uint64_t
AttentionCore::GetBytes(uint64_t heads, uint64_t width) const
{
    const TrainingConfig& training = m_context.training;
    const uint64_t tokens = static_cast<uint64_t>(training.micro_batch_size) * training.seq_length /
                            m_context.layout.GetSize(ParallelAxis::CP);
    return tokens * (heads / m_context.GetTensorSize()) * width *
           GetBytesPerElement(m_context.paramsType);
}

uint64_t
AttentionCore::CountKeyValueHeads() const
{
    const ModelConfig& model = m_context.model;
    return model.HasLatentAttention() ? model.num_attention_heads : model.num_key_value_heads;
}

uint64_t
AttentionCore::GetQueryBytes() const
{
    return GetBytes(m_context.model.num_attention_heads, m_context.model.GetQueryHeadDim());
}

uint64_t
AttentionCore::GetKeyBytes() const
{
    return GetBytes(CountKeyValueHeads(), m_context.model.GetQueryHeadDim());
}

uint64_t
AttentionCore::GetValueBytes() const
{
    return GetBytes(CountKeyValueHeads(), m_context.model.GetValueHeadDim());
}

uint64_t
AttentionCore::GetOutputBytes() const
{
    return GetBytes(m_context.model.num_attention_heads, m_context.model.GetValueHeadDim());
}

void
AttentionCore::Chain(RecipeWriter& writer,
                     OperationKind kind,
                     const char* group,
                     uint64_t bytes) const
{
    if (m_context.layout.GetGroupSize(group) == 1)
    {
        return;
    }
    RecipeStep step;
    step.kind = kind;
    step.stream = OperationStream::CONTEXT;
    step.dimension = ParallelDimension::CONTEXT;
    step.group = group;
    step.bytes = bytes;
    writer.Chain(step);
}

} // namespace llm
} // namespace ns3
