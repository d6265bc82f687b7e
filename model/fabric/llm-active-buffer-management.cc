/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-active-buffer-management.h"

#include "ns3/double.h"
#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(ActiveBufferManagement);

TypeId
ActiveBufferManagement::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::ActiveBufferManagement")
            .SetParent<FabricBufferPolicy>()
            .SetGroupName("LlmTraining")
            .AddConstructor<ActiveBufferManagement>()
            .AddAttribute("Alpha",
                          "Share of the free pool that a class may use.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&ActiveBufferManagement::m_alpha),
                          MakeDoubleChecker<double>(1.0 / 65536, 65536))
            .AddAttribute("CongestedShare",
                          "A queue that uses this share of its threshold is congested.",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&ActiveBufferManagement::m_congestedShare),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("UpdateInterval",
                          "Time over which the rate of a queue is measured; about a round trip.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&ActiveBufferManagement::m_interval),
                          MakeTimeChecker(TimeStep(1)));
    return tid;
}

ActiveBufferManagement::ActiveBufferManagement()
    : m_alpha(0.5),
      m_congestedShare(0.9)
{
}

ActiveBufferManagement::~ActiveBufferManagement() = default;

void
ActiveBufferManagement::SetClassAlpha(uint8_t trafficClass, double alpha)
{
    m_classAlpha.at(trafficClass) = alpha;
}

uint32_t
ActiveBufferManagement::GetCongested(uint8_t trafficClass) const
{
    return m_congested.at(trafficClass);
}

double
ActiveBufferManagement::GetDrainShare(uint32_t port, uint8_t trafficClass) const
{
    return m_queues.at(port * 8 + trafficClass).drainShare;
}

uint64_t
ActiveBufferManagement::GetThreshold(uint64_t size, uint64_t used) const
{
    const uint64_t free = size > used ? size - used : 0;
    return std::min(size, static_cast<uint64_t>(m_alpha * static_cast<double>(free)));
}

bool
ActiveBufferManagement::IsPerQueue() const
{
    return true;
}

void
ActiveBufferManagement::Configure(const std::vector<uint64_t>& rates)
{
    if (!m_queues.empty())
    {
        throw ConfigError("ActiveBufferManagement",
                          "",
                          "serves a pool already; give each pool of each switch one of its own");
    }
    m_queues.resize(rates.size() * 8);
    const auto ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    for (const uint64_t rate : rates)
    {
        m_bytesPerTick.push_back(static_cast<double>(rate) / 8 / ticksPerSecond);
    }
}

void
ActiveBufferManagement::Measure(Queue& queue, uint32_t port, int64_t now) const
{
    const int64_t elapsed = now - queue.since;
    if (elapsed < m_interval.GetTimeStep())
    {
        return;
    }
    const double most = m_bytesPerTick[port] * static_cast<double>(elapsed);
    queue.drainShare = std::min(1.0, static_cast<double>(queue.drained) / most);
    queue.since = now;
    queue.drained = 0;
}

uint64_t
ActiveBufferManagement::GetQueueThreshold(uint32_t port,
                                          uint8_t trafficClass,
                                          uint64_t size,
                                          uint64_t used,
                                          int64_t now)
{
    Queue& queue = m_queues[port * 8 + trafficClass];
    if (queue.bytes > 0)
    {
        Measure(queue, port, now);
    }
    const double alpha = m_classAlpha[trafficClass] > 0 ? m_classAlpha[trafficClass] : m_alpha;
    const auto free = static_cast<double>(size > used ? size - used : 0);
    const double threshold =
        alpha * free * queue.drainShare / std::max<uint32_t>(1, m_congested[trafficClass]);
    return std::min(size, static_cast<uint64_t>(threshold));
}

void
ActiveBufferManagement::QueueChanged(uint32_t port,
                                     uint8_t trafficClass,
                                     uint64_t bytes,
                                     uint32_t drained,
                                     uint64_t size,
                                     uint64_t used,
                                     int64_t now)
{
    Queue& queue = m_queues[port * 8 + trafficClass];
    if (queue.bytes == 0)
    {
        queue.since = now;
        queue.drained = 0;
    }
    queue.bytes = bytes;
    queue.drained += drained;
    if (bytes == 0)
    {
        queue.drainShare = 1; // nothing is known of what comes next
    }
    const auto threshold =
        static_cast<double>(GetQueueThreshold(port, trafficClass, size, used, now));
    const bool congested = bytes > 0 && static_cast<double>(bytes) >= m_congestedShare * threshold;
    if (congested != queue.congested)
    {
        queue.congested = congested;
        m_congested[trafficClass] += congested ? 1 : -1;
    }
}

} // namespace llm
} // namespace ns3
