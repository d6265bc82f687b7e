/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-power-tcp.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPowerTcp);

TypeId
RdmaPowerTcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaPowerTcp")
            .SetParent<RdmaIntBase>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaPowerTcp>()
            .AddAttribute("Gamma",
                          "Weight of the newest window, 0 to 1 (PowerTCP, NSDI 2022: 0.9).",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_gamma),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Flows",
                          "Number of flows that a NIC is expected to have: the additive increase "
                          "is the bandwidth-delay product divided by it (NSDI 2022, s. 3.3).",
                          DoubleValue(10),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_flows),
                          MakeDoubleChecker<double>(1));
    return tid;
}

RdmaPowerTcp::RdmaPowerTcp()
    : m_gamma(0),
      m_flows(1)
{
}

RdmaPowerTcp::~RdmaPowerTcp() = default;

void
RdmaPowerTcp::Init(const RdmaPathInfo& path)
{
    RdmaIntBase::Init(path);
    m_beta = GetFullWindow() / m_flows;
    m_old = GetFullWindow();
    m_next = GetFullWindow();
}

double
RdmaPowerTcp::MeasureHop(const IntRecord& now,
                         const IntRecord& before,
                         double dt,
                         double bytesPerTick) const
{
    const double bdp = bytesPerTick * GetBaseRtt();
    const auto queue = static_cast<double>(now.queueBytes);
    const double growth = (queue - static_cast<double>(before.queueBytes)) / dt;
    const double mu = static_cast<double>(now.bytesSent - before.bytesSent) / dt;
    const double current = std::max(0.0, growth + mu);
    return current * (queue + bdp) / (bytesPerTick * bdp);
}

bool
RdmaPowerTcp::UpdateWindow(bool newRound)
{
    // What was measured is due to the window at which the acknowledged packet was sent.
    m_old = newRound ? m_next : m_old;
    constexpr double LEAST_POWER = 1e-3; // a window does not grow without bound in one step
    SetWindowBytes(m_gamma * (m_old / std::max(GetPower(), LEAST_POWER) + m_beta) +
                   (1 - m_gamma) * GetWindowBytes());
    m_next = newRound ? GetWindowBytes() : m_next;
    return true;
}

} // namespace llm
} // namespace ns3
