/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-swift.h"

#include "ns3/double.h"
#include "ns3/llm-config-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSwift);

namespace
{

/**
 * Square root by Heron's rule, from + - * / alone, so that it is the same on every machine.
 * @param x > 0.
 * @param guess > 0.
 * @return root.
 */
double
SquareRoot(double x, double guess)
{
    double root = 0;
    double next = (guess + x / guess) / 2; // not below the root, whatever the guess
    do
    {
        root = next;
        next = (root + x / root) / 2;
    } while (next < root);
    return root;
}

} // namespace

TypeId
RdmaSwift::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaSwift")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaSwift>()
            .AddAttribute("BaseTarget",
                          "Target delay without hop and flow scaling; 0: twice the path's unloaded "
                          "RTT, which leaves room for a queue of one bandwidth-delay product.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaSwift::m_baseTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HopScaling",
                          "Target delay per link of the path (Swift, SIGCOMM 2020, s. 3.5: about "
                          "1 us). 0 by default, as the default BaseTarget knows the path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaSwift::m_hopScaling),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FsRange",
                          "Most that flow scaling adds to the target; 0: five times BaseTarget.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaSwift::m_fsRangeTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FsMin",
                          "Window in packets at which flow scaling reaches FsRange (Swift: 0.1).",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&RdmaSwift::m_fsMin),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("FsMax",
                          "Window in packets from which on flow scaling adds nothing (Swift: 100).",
                          DoubleValue(100),
                          MakeDoubleAccessor(&RdmaSwift::m_fsMax),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("AdditiveIncrease",
                          "Packets that the window grows by per RTT.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaSwift::m_increase),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Beta",
                          "Strength of decreases, 0 to 1.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaSwift::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "Greatest share that one decrease takes, 0 to 1.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSwift::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MinWindow",
                          "Least window, packets.",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&RdmaSwift::m_minWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("MaxWindowBdp",
                          "Greatest window, as a multiple of the path's bandwidth-delay product; "
                          "at least one packet.",
                          DoubleValue(4),
                          MakeDoubleAccessor(&RdmaSwift::m_maxWindowBdp),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("InitialWindow",
                          "First window, packets; 0: the path's bandwidth-delay product.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaSwift::m_initialWindow),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("RetryReset",
                          "Timeouts in a row from which on the window is MinWindow.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaSwift::m_retryReset),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RdmaSwift::RdmaSwift()
    : m_fsMin(0),
      m_fsMax(0),
      m_increase(0),
      m_beta(0),
      m_maxDecrease(0),
      m_minWindow(0),
      m_maxWindowBdp(0),
      m_initialWindow(0),
      m_retryReset(1)
{
}

RdmaSwift::~RdmaSwift() = default;

uint32_t
RdmaSwift::GetNeeds() const
{
    return NEEDS_ACK;
}

void
RdmaSwift::Init(const RdmaPathInfo& path)
{
    if (m_fsMin >= m_fsMax)
    {
        throw ConfigError(GetInstanceTypeId().GetName(),
                          "FsMin",
                          std::to_string(m_fsMin) + " is not below FsMax of " +
                              std::to_string(m_fsMax) + "; set FsMin < FsMax");
    }
    m_path = path;
    const double base =
        m_baseTarget.IsZero() ? 2 * path.GetLeastRtt().GetSeconds() : m_baseTarget.GetSeconds();
    m_base = base + path.hops * m_hopScaling.GetSeconds();
    m_fsRange = m_fsRangeTime.IsZero() ? 5 * base : m_fsRangeTime.GetSeconds();
    const double least = 1 / SquareRoot(m_fsMax, 1);
    m_fsAlpha = m_fsRange / (1 / SquareRoot(m_fsMin, 1) - least);
    m_fsBeta = -m_fsAlpha * least;
    const double bdp = static_cast<double>(path.bdp) / std::max<uint32_t>(path.mtu, 1);
    m_maxWindow = std::max(1.0, m_maxWindowBdp * bdp);
    m_cwnd = m_initialWindow > 0 ? m_initialWindow : std::max(1.0, bdp);
    m_rtt = std::max<int64_t>(1, path.baseRtt.GetTimeStep());
    Publish();
}

double
RdmaSwift::GetTargetSeconds() const
{
    m_root = SquareRoot(m_cwnd, m_root);
    const double scaling = m_fsAlpha / m_root + m_fsBeta;
    return m_base + std::max(0.0, std::min(scaling, m_fsRange));
}

bool
RdmaSwift::MayDecrease(int64_t now) const
{
    return !m_hasDecreased || now - m_decreasedAt >= m_rtt;
}

void
RdmaSwift::Decrease(int64_t now, double factor)
{
    m_cwnd *= factor;
    m_decreasedAt = now;
    m_hasDecreased = true;
}

void
RdmaSwift::OnAck(const RdmaAckInfo& ack)
{
    m_timeouts = ack.ackedBytes > 0 ? 0 : m_timeouts;
    if (ack.rtt.IsZero())
    {
        return;
    }
    const int64_t now = ack.now.GetTimeStep();
    m_rtt = ack.rtt.GetTimeStep();
    const double delay = ack.rtt.GetSeconds();
    const double target = GetTargetSeconds();
    if (delay < target)
    {
        const double acked = static_cast<double>(ack.ackedBytes) / m_path.mtu;
        m_cwnd += m_cwnd >= 1 ? m_increase * acked / m_cwnd : m_increase * acked;
    }
    else if (MayDecrease(now))
    {
        Decrease(now, std::max(1 - m_beta * (delay - target) / delay, 1 - m_maxDecrease));
    }
    Publish();
}

void
RdmaSwift::OnLoss(Time now, RdmaLossKind kind)
{
    if (kind == RdmaLossKind::TIMEOUT && ++m_timeouts >= m_retryReset)
    {
        m_cwnd = m_minWindow;
    }
    else if (MayDecrease(now.GetTimeStep()))
    {
        Decrease(now.GetTimeStep(), 1 - m_maxDecrease);
    }
    Publish();
}

void
RdmaSwift::Publish()
{
    m_cwnd = std::min(m_maxWindow, std::max(m_minWindow, m_cwnd));
    const uint64_t line = m_path.lineRate.GetBitRate();
    if (m_cwnd >= 1)
    {
        SetRateAndWindow(line, static_cast<uint64_t>(m_cwnd * m_path.mtu));
        return;
    }
    const double seconds = TimeStep(static_cast<uint64_t>(m_rtt)).GetSeconds();
    const double rate = m_cwnd * 8 * m_path.wireBytes / seconds;
    SetRateAndWindow(
        std::max<uint64_t>(1, std::min(line, static_cast<uint64_t>(std::min(rate, 1e15)))),
        m_path.mtu);
}

} // namespace llm
} // namespace ns3
