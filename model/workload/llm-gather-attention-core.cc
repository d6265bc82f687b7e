/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-gather-attention-core.h"

namespace ns3
{
namespace llm
{

GatherAttentionCore::GatherAttentionCore(const RecipeContext& context)
    : AttentionCore(context)
{
}

uint64_t
GatherAttentionCore::GetAllBytes() const
{
    return GetContext().layout.GetSize(ParallelAxis::CP) * (GetKeyBytes() + GetValueBytes());
}

void
GatherAttentionCore::ChainForward(RecipeWriter& writer, int64_t durationPs) const
{
    Chain(writer, OperationKind::ALL_GATHER, "cp", GetAllBytes());
    writer.Compute(durationPs);
}

void
GatherAttentionCore::ChainBackward(RecipeWriter& writer, int64_t durationPs) const
{
    writer.Compute(durationPs);
    Chain(writer, OperationKind::REDUCE_SCATTER, "cp", GetAllBytes());
}

} // namespace llm
} // namespace ns3
