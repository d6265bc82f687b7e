/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-all-gather-dispatch.h"

namespace ns3
{
namespace llm
{

AllGatherDispatch::AllGatherDispatch(const RecipeContext& context, Exchanges& exchanges)
    : ExpertDispatch(context, exchanges)
{
}

void
AllGatherDispatch::Prepare()
{
}

uint64_t
AllGatherDispatch::GetGroupBytes() const
{
    return GetTokens() * m_expertSize * m_expertTensorSize * GetCombineBytes();
}

void
AllGatherDispatch::ChainCounts(RecipeWriter& /* writer */) const
{
}

void
AllGatherDispatch::ChainDispatch(RecipeWriter& writer, uint32_t /* expertRank */) const
{
    Chain(writer, OperationKind::ALL_GATHER, "etp-ep", GetGroupBytes());
}

void
AllGatherDispatch::ChainCombine(RecipeWriter& writer, uint32_t /* expertRank */) const
{
    Chain(writer, OperationKind::REDUCE_SCATTER, "etp-ep", GetGroupBytes());
}

} // namespace llm
} // namespace ns3
