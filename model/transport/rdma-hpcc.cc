/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpcc);

TypeId
RdmaHpcc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaHpcc")
            .SetParent<RdmaIntBase>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaHpcc>()
            .AddAttribute("Eta",
                          "Utilisation that is aimed at, 0 to 1 (HPCC, SIGCOMM 2019: 0.95).",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&RdmaHpcc::m_eta),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MaxStage",
                          "Additive updates in a row, after which one is multiplicative (HPCC: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaHpcc::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("WindowAi",
                          "Additive step W_AI, bytes (HPCC: bandwidth-delay product times 1 - Eta, "
                          "divided by the number of flows; 80 B in its evaluation).",
                          DoubleValue(80),
                          MakeDoubleAccessor(&RdmaHpcc::m_windowAi),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("FastReact",
                          "Whether the window reacts to every ACK, not only once per RTT.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaHpcc::m_fastReact),
                          MakeBooleanChecker());
    return tid;
}

RdmaHpcc::RdmaHpcc()
    : m_eta(1),
      m_maxStage(0),
      m_windowAi(0),
      m_fastReact(true)
{
}

RdmaHpcc::~RdmaHpcc() = default;

void
RdmaHpcc::Init(const RdmaPathInfo& path)
{
    RdmaIntBase::Init(path);
    m_reference = GetFullWindow();
}

double
RdmaHpcc::MeasureHop(const IntRecord& now,
                     const IntRecord& before,
                     double dt,
                     double bytesPerTick) const
{
    const auto queue = static_cast<double>(std::min(now.queueBytes, before.queueBytes));
    return queue / (bytesPerTick * GetBaseRtt()) +
           static_cast<double>(now.bytesSent - before.bytesSent) / dt / bytesPerTick;
}

bool
RdmaHpcc::UpdateWindow(bool newRound)
{
    const double utilization = GetUtilization();
    if (utilization <= 0 || (!newRound && !m_fastReact))
    {
        return false;
    }
    uint32_t stage = 0;
    if (utilization >= m_eta || m_stage >= m_maxStage)
    {
        SetWindowBytes(m_reference / (utilization / m_eta) + m_windowAi);
    }
    else
    {
        SetWindowBytes(m_reference + m_windowAi);
        stage = m_stage + 1;
    }
    if (newRound)
    {
        m_reference = GetWindowBytes();
        m_stage = stage;
    }
    return true;
}

} // namespace llm
} // namespace ns3
