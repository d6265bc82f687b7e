/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn-base.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcnBase);

namespace
{
/**
 * Alpha below this is 0: neither 1 - alpha/2 nor g + (1-g) alpha can tell it from 0 in a double
 * for any g above 2^-12, and decay needs no more than a few ten thousand multiplications.
 */
constexpr double NEGLIGIBLE_ALPHA = 0x1p-66;

/** Window in bytes that no path fills, and that fits an integer. */
constexpr double GREATEST_WINDOW = 0x1p62;
} // namespace

TypeId
RdmaDcqcnBase::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RdmaDcqcnBase")
                            .SetParent<RdmaCongestionOps>()
                            .SetGroupName("LlmTraining");
    return tid;
}

TypeId
RdmaDcqcnBase::AddParameters(TypeId tid, const Defaults& defaults)
{
    using Self = RdmaDcqcnBase;
    tid.AddAttribute("G",
                     "Weight of the newest observation in alpha, 0 to 1.",
                     StringValue(defaults.g),
                     MakeDoubleAccessor(&Self::m_g),
                     MakeDoubleChecker<double>(0, 1));
    tid.AddAttribute("InitialAlpha",
                     "Alpha at the first CNP, 0 to 1.",
                     StringValue(defaults.initialAlpha),
                     MakeDoubleAccessor(&Self::m_initialAlpha),
                     MakeDoubleChecker<double>(0, 1));
    tid.AddAttribute("AlphaTimer",
                     "Interval of alpha's updates.",
                     StringValue(defaults.alphaTimer),
                     MakeTimeAccessor(&Self::m_alphaTimer),
                     MakeTimeChecker(NanoSeconds(1)));
    tid.AddAttribute("IncreaseTimer",
                     "Interval of increases by time; 0: none.",
                     StringValue(defaults.increaseTimer),
                     MakeTimeAccessor(&Self::m_increaseTimer),
                     MakeTimeChecker(NanoSeconds(0)));
    tid.AddAttribute("ByteCounter",
                     "Link bytes (preamble and gap included) between increases; 0: none. Costs a "
                     "call per packet.",
                     StringValue(defaults.byteCounter),
                     MakeUintegerAccessor(&Self::m_byteCounter),
                     MakeUintegerChecker<uint64_t>());
    tid.AddAttribute("FastRecoverySteps",
                     "F, the number of intervals after which the target rate rises.",
                     StringValue(defaults.fastRecoverySteps),
                     MakeUintegerAccessor(&Self::m_fastRecoverySteps),
                     MakeUintegerChecker<uint32_t>());
    tid.AddAttribute("RateAi",
                     "Step of the target rate in additive increase.",
                     StringValue(defaults.rateAi),
                     MakeDataRateAccessor(&Self::m_rateAi),
                     MakeDataRateChecker());
    tid.AddAttribute("RateHai",
                     "Step of the target rate in hyper increase.",
                     StringValue(defaults.rateHai),
                     MakeDataRateAccessor(&Self::m_rateHai),
                     MakeDataRateChecker());
    tid.AddAttribute("AiReferenceRate",
                     "Line rate for which RateAi and RateHai are given: they grow in proportion to "
                     "the NIC's line rate. 0: they are the same for all.",
                     StringValue(defaults.aiReferenceRate),
                     MakeDataRateAccessor(&Self::m_aiReferenceRate),
                     MakeDataRateChecker());
    tid.AddAttribute("MinRate",
                     "Least rate.",
                     StringValue(defaults.minRate),
                     MakeDataRateAccessor(&Self::m_minRate),
                     MakeDataRateChecker());
    tid.AddAttribute("WindowBdp",
                     "Payload that may be in flight, as a multiple of the path's bandwidth-delay "
                     "product, at least one packet; 0: unlimited.",
                     DoubleValue(0),
                     MakeDoubleAccessor(&Self::m_windowBdp),
                     MakeDoubleChecker<double>(0));
    tid.AddAttribute("VariableWindow",
                     "Whether the window shrinks in proportion to the rate.",
                     BooleanValue(false),
                     MakeBooleanAccessor(&Self::m_variableWindow),
                     MakeBooleanChecker());
    return tid;
}

RdmaDcqcnBase::RdmaDcqcnBase()
    : m_g(0),
      m_initialAlpha(0),
      m_byteCounter(0),
      m_fastRecoverySteps(0),
      m_variableWindow(false),
      m_windowBdp(0)
{
}

RdmaDcqcnBase::~RdmaDcqcnBase() = default;

uint32_t
RdmaDcqcnBase::GetNeeds() const
{
    return NEEDS_CNP | (m_byteCounter > 0 ? NEEDS_SEND : NEEDS_NOTHING);
}

void
RdmaDcqcnBase::Init(const RdmaPathInfo& path)
{
    const std::string name = GetInstanceTypeId().GetName();
    if (m_increaseTimer.IsZero() && m_byteCounter == 0)
    {
        throw ConfigError(name,
                          "IncreaseTimer",
                          "IncreaseTimer and ByteCounter are both 0, so that no rate would ever "
                          "rise; set one of them");
    }
    const uint64_t line = path.lineRate.GetBitRate();
    if (m_minRate.GetBitRate() > line)
    {
        throw ConfigError(name,
                          "MinRate",
                          FormatBitRate(m_minRate.GetBitRate()) + " is above the line rate " +
                              FormatBitRate(line) + "; set at most the line rate");
    }
    m_line = static_cast<double>(line);
    m_floor = std::max(1.0, static_cast<double>(m_minRate.GetBitRate()));
    m_keep = 1.0 - m_g;
    m_alphaPeriod = m_alphaTimer.GetTimeStep();
    m_increasePeriod = m_increaseTimer.GetTimeStep();
    const uint64_t reference = m_aiReferenceRate.GetBitRate();
    const double scale = reference > 0 ? m_line / static_cast<double>(reference) : 1.0;
    m_additiveStep = static_cast<double>(m_rateAi.GetBitRate()) * scale;
    m_hyperStep = static_cast<double>(m_rateHai.GetBitRate()) * scale;
    m_fullWindow = m_windowBdp * static_cast<double>(path.bdp);
    m_leastWindow = std::max<uint64_t>(path.mtu, 1);
    m_current = m_line;
    m_target = m_line;
    Publish();
}

void
RdmaDcqcnBase::OnSend(Time, uint32_t wireBytes)
{
    if (m_byteCounter == 0 || m_current >= m_line)
    {
        return;
    }
    m_countedBytes += wireBytes;
    if (m_countedBytes < m_byteCounter)
    {
        return;
    }
    while (m_countedBytes >= m_byteCounter && m_current < m_line)
    {
        m_countedBytes -= m_byteCounter;
        ++m_byteStage;
        Raise();
    }
    if (m_current >= m_line)
    {
        SetIncrease(NEVER);
    }
    Publish();
}

void
RdmaDcqcnBase::OnTimer(Time now, uint32_t id)
{
    if (id == INCREASE_TIMER)
    {
        ++m_timerStage;
        Raise();
        SetIncrease(m_current < m_line ? now.GetTimeStep() + m_increasePeriod : NEVER);
        Publish();
    }
}

void
RdmaDcqcnBase::OnIdle(Time)
{
    if (m_increaseAt != NEVER && !m_idle)
    {
        Disarm(INCREASE_TIMER);
    }
    m_idle = true;
}

void
RdmaDcqcnBase::OnIdleRestart(Time now, Time)
{
    if (m_idle)
    {
        CatchUp(now.GetTimeStep());
        m_idle = false;
        if (m_increaseAt != NEVER)
        {
            Arm(INCREASE_TIMER, m_increaseAt);
        }
        Publish();
    }
}

void
RdmaDcqcnBase::Decrease(int64_t now, double factor, bool moveTarget)
{
    if (moveTarget)
    {
        m_target = m_current;
    }
    m_current = std::max(m_floor, m_current * factor);
    RestartStages(now);
    Publish();
}

void
RdmaDcqcnBase::SetBothRates(int64_t now, double rate)
{
    m_current = std::min(m_line, std::max(m_floor, rate));
    m_target = m_current;
    RestartStages(now);
    Publish();
}

void
RdmaDcqcnBase::CatchUp(int64_t now)
{
    while (m_idle && m_increaseAt < now)
    {
        ++m_timerStage;
        Raise();
        m_increaseAt = m_current < m_line ? m_increaseAt + m_increasePeriod : NEVER;
    }
}

void
RdmaDcqcnBase::Arm(uint32_t id, int64_t at)
{
    if (GetHost())
    {
        GetHost()->ArmTimer(id, TimeStep(static_cast<uint64_t>(at)));
    }
}

void
RdmaDcqcnBase::Disarm(uint32_t id)
{
    if (GetHost())
    {
        GetHost()->CancelTimer(id);
    }
}

double
RdmaDcqcnBase::Decay(double alpha, int64_t updates) const
{
    if (m_keep == 1.0)
    {
        return alpha;
    }
    for (; updates > 0 && alpha > 0; --updates)
    {
        alpha *= m_keep;
        if (alpha < NEGLIGIBLE_ALPHA)
        {
            alpha = 0;
        }
    }
    return alpha;
}

double
RdmaDcqcnBase::Excite(double alpha) const
{
    return m_keep * alpha + m_g;
}

void
RdmaDcqcnBase::Raise()
{
    // A counter that is not in use does not hold the other one back.
    const uint32_t timer = m_increasePeriod > 0 ? m_timerStage : m_byteStage;
    const uint32_t bytes = m_byteCounter > 0 ? m_byteStage : m_timerStage;
    const double step = GetTargetStep(std::min(timer, bytes), std::max(timer, bytes));
    m_target = std::min(m_line, m_target + step);
    m_current = (m_target + m_current) / 2;
    // Halving would take the double another 20 steps from here, for less than 1 bit/s.
    if (m_line - m_current < 1.0)
    {
        m_current = m_line;
    }
}

void
RdmaDcqcnBase::RestartStages(int64_t now)
{
    m_timerStage = 0;
    m_byteStage = 0;
    m_countedBytes = 0;
    SetIncrease(m_increasePeriod > 0 && m_current < m_line ? now + m_increasePeriod : NEVER);
}

void
RdmaDcqcnBase::SetIncrease(int64_t at)
{
    const bool wasSet = m_increaseAt != NEVER;
    m_increaseAt = at;
    if (m_idle)
    {
        return;
    }
    if (at != NEVER)
    {
        Arm(INCREASE_TIMER, at);
    }
    else if (wasSet)
    {
        Disarm(INCREASE_TIMER);
    }
}

void
RdmaDcqcnBase::Publish()
{
    SetRate(static_cast<uint64_t>(m_current));
    if (m_fullWindow > 0)
    {
        const double share = m_variableWindow ? m_current / m_line : 1.0;
        const double window = std::min(GREATEST_WINDOW, m_fullWindow * share);
        SetWindow(std::max(m_leastWindow, static_cast<uint64_t>(window)));
    }
}

} // namespace llm
} // namespace ns3
