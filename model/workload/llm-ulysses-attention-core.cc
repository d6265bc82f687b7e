/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-ulysses-attention-core.h"

#include "llm-ring-attention-core.h"

namespace ns3
{
namespace llm
{

UlyssesAttentionCore::UlyssesAttentionCore(const RecipeContext& context,
                                           const char* group,
                                           const char* ring)
    : AttentionCore(context),
      m_group(group)
{
    if (ring != nullptr)
    {
        m_ring = std::make_unique<RingAttentionCore>(context, ring);
    }
}

void
UlyssesAttentionCore::ChainExchange(RecipeWriter& writer, uint64_t bytes) const
{
    Chain(writer, OperationKind::ALL_TO_ALL, m_group, bytes);
}

void
UlyssesAttentionCore::ChainForward(RecipeWriter& writer, int64_t durationPs) const
{
    ChainExchange(writer, GetQueryBytes());
    ChainExchange(writer, GetKeyBytes());
    ChainExchange(writer, GetValueBytes());
    m_ring ? m_ring->ChainForward(writer, durationPs) : writer.Compute(durationPs);
    ChainExchange(writer, GetOutputBytes());
}

void
UlyssesAttentionCore::ChainBackward(RecipeWriter& writer, int64_t durationPs) const
{
    ChainExchange(writer, GetOutputBytes());
    m_ring ? m_ring->ChainBackward(writer, durationPs) : writer.Compute(durationPs);
    ChainExchange(writer, GetQueryBytes());
    ChainExchange(writer, GetKeyBytes());
    ChainExchange(writer, GetValueBytes());
}

} // namespace llm
} // namespace ns3
