/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn-mellanox.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcnMellanox);

TypeId
RdmaDcqcnMellanox::GetTypeId()
{
    static TypeId tid = [] {
        TypeId type =
            TypeId("ns3::llm::RdmaDcqcnMellanox")
                .SetParent<RdmaDcqcnBase>()
                .SetGroupName("LlmTraining")
                .AddConstructor<RdmaDcqcnMellanox>()
                .AddAttribute("DecreasePeriod",
                              "Interval of the checks whether a CNP came.",
                              StringValue("4us"),
                              MakeTimeAccessor(&RdmaDcqcnMellanox::m_decreasePeriod),
                              MakeTimeChecker(NanoSeconds(1)))
                .AddAttribute("RateOnFirstCnp",
                              "Current and target rate at the first CNP; 0: unchanged.",
                              StringValue("0bps"),
                              MakeDataRateAccessor(&RdmaDcqcnMellanox::m_rateOnFirstCnp),
                              MakeDataRateChecker())
                .AddAttribute("MinDecreaseFactor",
                              "Part of the current rate that one decrease leaves at least.",
                              DoubleValue(0.5),
                              MakeDoubleAccessor(&RdmaDcqcnMellanox::m_minDecreaseFactor),
                              MakeDoubleChecker<double>(0, 1))
                .AddAttribute("AlphaToRateShift",
                              "Binary logarithm of what alpha, in units of 1/1024, is divided by "
                              "for a decrease; rpg_gd.",
                              UintegerValue(11),
                              MakeUintegerAccessor(&RdmaDcqcnMellanox::m_alphaShift),
                              MakeUintegerChecker<uint32_t>(10, 20))
                .AddAttribute("ClampTargetRate",
                              "Whether every decrease makes the current rate the target.",
                              BooleanValue(false),
                              MakeBooleanAccessor(&RdmaDcqcnMellanox::m_clamp),
                              MakeBooleanChecker())
                .AddAttribute("ClampTargetRateAfterTimeIncrease",
                              "Whether an increase by the timer is enough for a decrease to make "
                              "the current rate the target; one by the byte counter always is.",
                              BooleanValue(true),
                              MakeBooleanAccessor(&RdmaDcqcnMellanox::m_clampAfterTimer),
                              MakeBooleanChecker());
        Defaults defaults;
        defaults.g = "0.0048828125";
        defaults.initialAlpha = "0.9990234375";
        defaults.alphaTimer = "1us";
        defaults.increaseTimer = "300us";
        defaults.byteCounter = "0";
        defaults.fastRecoverySteps = "1";
        defaults.rateAi = "5Mbps";
        defaults.rateHai = "50Mbps";
        defaults.minRate = "1Mbps";
        defaults.aiReferenceRate = "0bps";
        return AddParameters(type, defaults);
    }();
    return tid;
}

RdmaDcqcnMellanox::RdmaDcqcnMellanox()
    : m_minDecreaseFactor(0),
      m_alphaShift(0),
      m_clamp(false),
      m_clampAfterTimer(false)
{
}

RdmaDcqcnMellanox::~RdmaDcqcnMellanox() = default;

void
RdmaDcqcnMellanox::Init(const RdmaPathInfo& path)
{
    m_alphaToRate = 1024.0 / static_cast<double>(uint64_t{1} << m_alphaShift);
    RdmaDcqcnBase::Init(path);
}

void
RdmaDcqcnMellanox::OnCnp(Time now)
{
    const int64_t tick = now.GetTimeStep();
    if (m_firstCnpAt == NEVER)
    {
        m_firstCnpAt = tick;
        m_alphaAt = tick;
        m_decreasedAt = tick;
        m_alpha = GetInitialAlpha();
        if (m_rateOnFirstCnp.GetBitRate() > 0)
        {
            CatchUp(tick);
            SetBothRates(tick, static_cast<double>(m_rateOnFirstCnp.GetBitRate()));
        }
    }
    // An update or a check that is due right now comes after this CNP, and sees it.
    UpdateAlpha(tick - 1);
    m_alphaCnp = true;
    if (m_decreaseAt == NEVER)
    {
        const int64_t period = m_decreasePeriod.GetTimeStep();
        const int64_t checks = (tick - m_firstCnpAt + period - 1) / period;
        m_decreaseAt = m_firstCnpAt + checks * period;
        if (m_decreaseAt <= m_decreasedAt)
        {
            m_decreaseAt += period;
        }
        Arm(DECREASE_TIMER, m_decreaseAt);
    }
}

void
RdmaDcqcnMellanox::OnTimer(Time now, uint32_t id)
{
    const int64_t tick = now.GetTimeStep();
    if (id == DECREASE_TIMER)
    {
        DoDecrease(tick);
    }
    else if (m_decreaseAt == tick)
    {
        Disarm(DECREASE_TIMER);
        DoDecrease(tick);
    }
    else
    {
        RdmaDcqcnBase::OnTimer(now, id);
    }
}

double
RdmaDcqcnMellanox::GetAlpha(Time now) const
{
    if (m_firstCnpAt == NEVER)
    {
        return GetInitialAlpha();
    }
    const int64_t updates = (now.GetTimeStep() - m_alphaAt) / GetAlphaPeriod();
    if (updates == 0 || !m_alphaCnp)
    {
        return Decay(m_alpha, updates);
    }
    return Decay(Excite(m_alpha), updates - 1);
}

double
RdmaDcqcnMellanox::GetTargetStep(uint32_t lowest, uint32_t highest) const
{
    // The stages count the interval that has just ended; here the ones before it decide.
    const uint32_t steps = GetFastRecoverySteps();
    if (highest <= steps)
    {
        return 0;
    }
    return lowest > steps + 1 ? GetHyperStep() : GetAdditiveStep();
}

void
RdmaDcqcnMellanox::UpdateAlpha(int64_t until)
{
    const int64_t updates = (until - m_alphaAt) / GetAlphaPeriod();
    if (updates > 0)
    {
        m_alpha = m_alphaCnp ? Decay(Excite(m_alpha), updates - 1) : Decay(m_alpha, updates);
        m_alphaCnp = false;
        m_alphaAt += updates * GetAlphaPeriod();
    }
}

void
RdmaDcqcnMellanox::DoDecrease(int64_t now)
{
    CatchUp(now);
    UpdateAlpha(now);
    m_decreasedAt = now;
    m_decreaseAt = NEVER;
    const bool raised = GetByteStage() > 0 || (m_clampAfterTimer && GetTimerStage() > 0);
    Decrease(now, std::max(m_minDecreaseFactor, 1 - m_alpha * m_alphaToRate), m_clamp || raised);
}

} // namespace llm
} // namespace ns3
