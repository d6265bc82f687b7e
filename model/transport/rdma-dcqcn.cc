/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcn);

TypeId
RdmaDcqcn::GetTypeId()
{
    static TypeId tid = [] {
        TypeId type = TypeId("ns3::llm::RdmaDcqcn")
                          .SetParent<RdmaDcqcnBase>()
                          .SetGroupName("LlmTraining")
                          .AddConstructor<RdmaDcqcn>();
        Defaults defaults;
        defaults.g = "0.00390625";
        defaults.initialAlpha = "1";
        defaults.alphaTimer = "55us";
        defaults.increaseTimer = "55us";
        defaults.byteCounter = "10000000";
        defaults.fastRecoverySteps = "5";
        defaults.rateAi = "40Mbps";
        defaults.rateHai = "400Mbps";
        defaults.minRate = "10Mbps";
        defaults.aiReferenceRate = "40Gbps"; // the paper's line; faster lines recover as fast
        return AddParameters(type, defaults);
    }();
    return tid;
}

RdmaDcqcn::RdmaDcqcn() = default;

RdmaDcqcn::~RdmaDcqcn() = default;

void
RdmaDcqcn::OnCnp(Time now)
{
    const int64_t tick = now.GetTimeStep();
    CatchUp(tick);
    if (m_alphaSince == NEVER)
    {
        m_alpha = GetInitialAlpha();
    }
    else
    {
        // An update that is due right now would come after this CNP, which puts it off.
        m_alpha = Decay(m_alpha, (tick - 1 - m_alphaSince) / GetAlphaPeriod());
    }
    m_alphaSince = tick;
    Decrease(tick, 1 - m_alpha / 2, true);
    m_alpha = Excite(m_alpha);
}

double
RdmaDcqcn::GetAlpha(Time now) const
{
    if (m_alphaSince == NEVER)
    {
        return GetInitialAlpha();
    }
    return Decay(m_alpha, (now.GetTimeStep() - m_alphaSince) / GetAlphaPeriod());
}

double
RdmaDcqcn::GetTargetStep(uint32_t lowest, uint32_t highest) const
{
    const uint32_t steps = GetFastRecoverySteps();
    if (highest < steps)
    {
        return 0;
    }
    return lowest > steps ? (lowest - steps) * GetHyperStep() : GetAdditiveStep();
}

} // namespace llm
} // namespace ns3
