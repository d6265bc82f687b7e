/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-expert-dispatch.h"

#include "llm-all-gather-dispatch.h"
#include "llm-all-to-all-dispatch.h"
#include "llm-flex-dispatch.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/** Elements that share an fp32 scale in fp8 dispatch (DeepSeek-V3 s.3.3.1: 1 x 128 tiles). */
constexpr uint64_t SCALED_ELEMENTS = 128;
/** Bytes of a scale. */
constexpr uint64_t SCALE_BYTES = 4;

/** @return T. */
uint64_t
CountTokens(const RecipeContext& context)
{
    const TrainingConfig& training = context.training;
    return static_cast<uint64_t>(training.micro_batch_size) * training.seq_length /
           context.layout.GetSize(ParallelAxis::CP) / context.GetTensorSize();
}

} // namespace

std::unique_ptr<ExpertDispatch>
ExpertDispatch::Make(const RecipeContext& context, Exchanges& exchanges)
{
    const std::string& type = context.training.moe_token_dispatcher_type;
    if (type == "allgather")
    {
        return std::make_unique<AllGatherDispatch>(context, exchanges);
    }
    if (type == "flex")
    {
        return std::make_unique<FlexDispatch>(context, exchanges);
    }
    return std::make_unique<AllToAllDispatch>(context, exchanges);
}

ExpertDispatch::ExpertDispatch(const RecipeContext& context, Exchanges& exchanges)
    : m_context(context),
      m_expertSize(context.layout.GetSize(ParallelAxis::EP)),
      m_expertTensorSize(context.layout.GetSize(ParallelAxis::ETP)),
      m_exchanges(exchanges),
      m_routing(context.model, context.training, CountTokens(context))
{
}

void
ExpertDispatch::SetLayer(uint64_t layer)
{
    m_layer = layer;
    const std::vector<uint64_t> slots = m_routing.GetSlots(layer);
    const std::size_t perRank = slots.size() / m_expertSize;
    m_rankSlots.assign(m_expertSize, 0);
    for (std::size_t expert = 0; expert < slots.size(); ++expert)
    {
        m_rankSlots[expert / perRank] += slots[expert];
    }
    Prepare();
}

uint64_t
ExpertDispatch::GetTokens() const
{
    return m_routing.GetTokens();
}

const ExpertRouting&
ExpertDispatch::GetRouting() const
{
    return m_routing;
}

bool
ExpertDispatch::IsEven() const
{
    return std::all_of(m_rankSlots.begin(), m_rankSlots.end(), [this](uint64_t slots) {
        return slots == m_rankSlots.front();
    });
}

uint64_t
ExpertDispatch::GetComputedSlots(uint32_t expertRank) const
{
    return m_rankSlots[expertRank] * m_expertSize * m_expertTensorSize;
}

const std::vector<uint64_t>&
ExpertDispatch::GetRankSlots() const
{
    return m_rankSlots;
}

uint64_t
ExpertDispatch::GetDispatchBytes() const
{
    const uint64_t h = m_context.model.hidden_size;
    if (m_context.training.moe_dispatch_dtype == "fp8")
    {
        return h + (h + SCALED_ELEMENTS - 1) / SCALED_ELEMENTS * SCALE_BYTES;
    }
    return GetCombineBytes();
}

uint64_t
ExpertDispatch::GetCombineBytes() const
{
    return m_context.model.hidden_size * GetBytesPerElement(m_context.paramsType);
}

const ExchangeBytes*
ExpertDispatch::Keep(std::unique_ptr<ExchangeBytes> exchange) const
{
    m_exchanges.push_back(std::move(exchange));
    return m_exchanges.back().get();
}

void
ExpertDispatch::Chain(RecipeWriter& writer,
                      OperationKind kind,
                      const char* group,
                      uint64_t bytes,
                      const ExchangeBytes* exchange) const
{
    if (m_context.layout.GetGroupSize(group) == 1)
    {
        return;
    }
    RecipeStep step;
    step.kind = kind;
    step.stream = OperationStream::EXPERT;
    step.dimension = ParallelDimension::EXPERT;
    step.group = group;
    step.bytes = exchange ? exchange->GetMeanBytes() : bytes;
    step.exchange = exchange;
    writer.Chain(step);
}

} // namespace llm
} // namespace ns3
