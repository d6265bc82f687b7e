/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-all-to-all-dispatch.h"

#include <numeric>

namespace ns3
{
namespace llm
{

namespace
{

/** Bytes of a count: PyTorch's int64. */
constexpr uint64_t COUNT_BYTES = 8;

} // namespace

AllToAllDispatch::AllToAllDispatch(const RecipeContext& context, Exchanges& exchanges)
    : ExpertDispatch(context, exchanges)
{
}

void
AllToAllDispatch::Prepare()
{
    m_there = nullptr;
    m_back = nullptr;
    if (IsEven())
    {
        return;
    }
    std::vector<uint64_t> there;
    std::vector<uint64_t> back;
    for (const uint64_t slots : GetRankSlots())
    {
        there.push_back(slots * GetDispatchBytes());
        back.push_back(slots * GetCombineBytes());
    }
    m_there = Keep(std::make_unique<PopularityExchange>(there, false));
    m_back = Keep(std::make_unique<PopularityExchange>(back, true));
}

uint64_t
AllToAllDispatch::GetSlots() const
{
    const std::vector<uint64_t>& slots = GetRankSlots();
    return std::accumulate(slots.begin(), slots.end(), static_cast<uint64_t>(0));
}

void
AllToAllDispatch::ChainCounts(RecipeWriter& writer) const
{
    if (!m_context.training.moe_pad_expert_input_to_capacity)
    {
        const uint64_t experts = m_context.model.num_experts;
        Chain(writer,
              OperationKind::ALL_GATHER,
              "etp-ep",
              experts * COUNT_BYTES * m_expertSize * m_expertTensorSize);
    }
}

void
AllToAllDispatch::ChainDispatch(RecipeWriter& writer, uint32_t expertRank) const
{
    Chain(writer, OperationKind::ALL_TO_ALL, "ep", GetSlots() * GetDispatchBytes(), m_there);
    Chain(writer,
          OperationKind::ALL_GATHER,
          "etp",
          GetComputedSlots(expertRank) * GetDispatchBytes());
}

void
AllToAllDispatch::ChainCombine(RecipeWriter& writer, uint32_t expertRank) const
{
    Chain(writer,
          OperationKind::REDUCE_SCATTER,
          "etp",
          GetComputedSlots(expertRank) * GetCombineBytes());
    Chain(writer, OperationKind::ALL_TO_ALL, "ep", GetSlots() * GetCombineBytes(), m_back);
}

} // namespace llm
} // namespace ns3
