/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-moe-times.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Bytes of a router's logit: it works in fp32. */
constexpr double LOGIT_BYTES = 4;

} // namespace

MoeTimes::MoeTimes(const RecipeContext& context)
    : m_context(context),
      m_element(static_cast<double>(GetBytesPerElement(context.paramsType))),
      m_hidden(static_cast<double>(context.model.hidden_size)),
      m_matrices(context.model.gated_mlp ? 3 : 2)
{
}

int64_t
MoeTimes::GetRouterPs(uint64_t tokens) const
{
    if (m_context.accelerator.HasFixedLayerTime())
    {
        return 0;
    }
    const auto count = static_cast<double>(tokens);
    const auto experts = static_cast<double>(m_context.model.num_experts);
    return m_context.accelerator.GetDurationPs(
        2 * count * m_hidden * experts,
        m_element * (experts * m_hidden + count * 4 * m_hidden) + LOGIT_BYTES * count * experts);
}

int64_t
MoeTimes::GetSharedPs(uint64_t tokens) const
{
    const uint64_t width = m_context.model.shared_expert_intermediate_size;
    if (m_context.accelerator.HasFixedLayerTime() || width == 0)
    {
        return 0;
    }
    const double columns =
        m_matrices * static_cast<double>(width) / static_cast<double>(m_context.GetTensorSize());
    const auto count = static_cast<double>(tokens);
    return m_context.accelerator.GetDurationPs(
        2 * count * m_hidden * columns,
        m_element * (m_hidden * columns + count * (2 * m_hidden + 2 * columns)));
}

int64_t
MoeTimes::GetExpertsPs(uint64_t slots) const
{
    if (m_context.accelerator.HasFixedLayerTime())
    {
        return m_context.times.mlpForwardPs;
    }
    const ParallelLayout& layout = m_context.layout;
    const double columns = m_matrices * static_cast<double>(m_context.model.moe_intermediate_size) /
                           layout.GetSize(ParallelAxis::ETP);
    const double experts =
        static_cast<double>(m_context.model.num_experts) / layout.GetSize(ParallelAxis::EP);
    const auto count = static_cast<double>(slots);
    return m_context.accelerator.GetDurationPs(
        2 * count * m_hidden * columns,
        m_element * (experts * m_hidden * columns + count * (2 * m_hidden + 2 * columns)));
}

int64_t
MoeTimes::GetExpertsBackwardPs(uint64_t slots) const
{
    return m_context.accelerator.HasFixedLayerTime() ? m_context.times.mlpBackwardPs
                                                     : 2 * GetExpertsPs(slots);
}

} // namespace llm
} // namespace ns3
