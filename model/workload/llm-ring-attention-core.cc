/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-ring-attention-core.h"

namespace ns3
{
namespace llm
{

RingAttentionCore::RingAttentionCore(const RecipeContext& context, const char* group)
    : AttentionCore(context),
      m_group(group),
      m_ranks(context.layout.GetGroupSize(group))
{
}

void
RingAttentionCore::ChainHop(RecipeWriter& writer) const
{
    RecipeStep step;
    step.stream = OperationStream::CONTEXT;
    step.dimension = ParallelDimension::CONTEXT;
    step.group = m_group;
    step.bytes = GetKeyBytes() + GetValueBytes();
    step.kind = OperationKind::SEND;
    step.peerOffset = 1;
    writer.Chain(step);
    step.kind = OperationKind::RECV;
    step.peerOffset = -1;
    writer.Chain(step);
}

int64_t
RingAttentionCore::GetBlockPs(int64_t durationPs, uint32_t block) const
{
    // Differences of running sums: the blocks make up the whole.
    return durationPs * (block + 1) / m_ranks - durationPs * block / m_ranks;
}

void
RingAttentionCore::ChainForward(RecipeWriter& writer, int64_t durationPs) const
{
    RecipeEnd arrived = writer.GetEnd(); // keys and values of the block
    RecipeEnd computed = arrived;        // the block before
    for (uint32_t block = 0; block < m_ranks; ++block)
    {
        const RecipeEnd present = arrived;
        if (block + 1 < m_ranks)
        {
            writer.GoBack(arrived);
            ChainHop(writer);
            arrived = writer.GetEnd();
        }
        writer.GoBack(computed);
        writer.Join(present);
        writer.Compute(GetBlockPs(durationPs, block));
        computed = writer.GetEnd();
    }
}

void
RingAttentionCore::ChainBackward(RecipeWriter& writer, int64_t durationPs) const
{
    RecipeEnd arrived = writer.GetEnd();
    RecipeEnd computed = arrived;
    RecipeEnd gradients = arrived; // of the keys and values of the block before
    for (uint32_t block = 0; block < m_ranks; ++block)
    {
        const RecipeEnd present = arrived;
        if (block + 1 < m_ranks)
        {
            writer.GoBack(arrived);
            ChainHop(writer);
            arrived = writer.GetEnd();
        }
        if (block > 0)
        {
            writer.GoBack(computed);
            writer.Join(gradients);
            ChainHop(writer);
            gradients = writer.GetEnd();
        }
        writer.GoBack(computed);
        writer.Join(present);
        writer.Compute(GetBlockPs(durationPs, block));
        computed = writer.GetEnd();
    }
    if (m_ranks > 1)
    {
        writer.Join(gradients);
        ChainHop(writer);
    }
}

} // namespace llm
} // namespace ns3
