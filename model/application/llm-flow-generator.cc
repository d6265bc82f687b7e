/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-flow-generator.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-step-program.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FlowGenerator);

namespace
{

/** @throw ConfigError if a rank stands in the list twice. */
void
CheckDistinct(const std::vector<uint32_t>& ranks, const char* what)
{
    std::set<uint32_t> seen;
    for (const uint32_t rank : ranks)
    {
        if (!seen.insert(rank).second)
        {
            throw ConfigError("FlowGenerator",
                              what,
                              "rank " + std::to_string(rank) + " stands in the list twice");
        }
    }
}

} // namespace

TypeId
FlowGenerator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FlowGenerator")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddAttribute("TrafficClass",
                          "Traffic class of the flows, 0 to 7.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&FlowGenerator::m_trafficClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("StartTime",
                          "Flows begin from this simulated time on.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FlowGenerator::m_startTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("StopTime",
                          "No flow begins at this simulated time or later; 0: until Stop.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FlowGenerator::m_stopTime),
                          MakeTimeChecker(Time(0)));
    return tid;
}

FlowGenerator::FlowGenerator()
    : m_times(CreateObject<UniformRandomVariable>()),
      m_choice(CreateObject<UniformRandomVariable>())
{
}

FlowGenerator::~FlowGenerator() = default;

void
FlowGenerator::DoDispose()
{
    m_event.Cancel();
    if (m_transport)
    {
        m_transport->SetListener(nullptr);
    }
    m_transport = nullptr;
    m_ideal = nullptr;
    m_idle = Callback<void>();
    Object::DoDispose();
}

void
FlowGenerator::SetTransport(Ptr<MessageTransport> transport)
{
    m_transport = transport;
    m_transport->SetListener(this);
}

void
FlowGenerator::SetEndpoints(const std::vector<uint32_t>& senders,
                            const std::vector<uint32_t>& receivers)
{
    CheckDistinct(senders, "senders");
    CheckDistinct(receivers, "receivers");
    if (senders.empty() || receivers.empty() ||
        (senders.size() == 1 && receivers.size() == 1 && senders.front() == receivers.front()))
    {
        throw ConfigError("FlowGenerator",
                          "",
                          std::to_string(senders.size()) + " senders and " +
                              std::to_string(receivers.size()) +
                              " receivers have no pair of two different ranks");
    }
    m_senders = senders;
    m_receivers = receivers;
}

void
FlowGenerator::SetIdealTime(IdealTime ideal)
{
    m_ideal = std::move(ideal);
}

int64_t
FlowGenerator::AssignStreams(int64_t stream)
{
    m_times->SetStream(stream);
    m_choice->SetStream(stream + 1);
    return 2 + AssignMoreStreams(stream + 2);
}

int64_t
FlowGenerator::AssignMoreStreams(int64_t)
{
    return 0;
}

void
FlowGenerator::SetIdleCallback(Callback<void> idle)
{
    m_idle = idle;
}

void
FlowGenerator::CheckSettings() const
{
}

int64_t
FlowGenerator::GetFirstDelay()
{
    return 0;
}

void
FlowGenerator::Start()
{
    if (!m_transport || m_senders.empty())
    {
        throw ConfigError("FlowGenerator",
                          "",
                          "needs a transport and endpoints; call SetTransport and SetEndpoints");
    }
    CheckSettings();
    m_begin = m_startTime.GetTimeStep();
    const int64_t now = Simulator::Now().GetTimeStep();
    ScheduleNext(std::max<int64_t>(m_begin - now, 0) + GetFirstDelay());
}

void
FlowGenerator::ScheduleNext(int64_t ticks)
{
    const int64_t at = Simulator::Now().GetTimeStep() + ticks;
    if (m_over || (m_stopTime.IsStrictlyPositive() && at >= m_stopTime.GetTimeStep()))
    {
        m_end = m_over ? m_end : m_stopTime.GetTimeStep();
        Finish();
        return;
    }
    m_event = Simulator::Schedule(TimeStep(ticks), &FlowGenerator::Run, this);
}

void
FlowGenerator::Run()
{
    Generate();
}

void
FlowGenerator::Finish()
{
    if (m_end < 0)
    {
        m_end = Simulator::Now().GetTimeStep();
    }
    m_over = true;
    if (m_open == 0 && !m_told)
    {
        m_told = true;
        if (!m_idle.IsNull())
        {
            m_idle();
        }
    }
}

void
FlowGenerator::Stop()
{
    if (!m_over)
    {
        Simulator::Remove(m_event); // a cancelled event would still move the clock
        Finish();
    }
}

bool
FlowGenerator::IsIdle() const
{
    return m_over && m_open == 0;
}

std::pair<int64_t, int64_t>
FlowGenerator::GetPeriod() const
{
    return {m_begin, m_end < 0 ? Simulator::Now().GetTimeStep() : m_end};
}

void
FlowGenerator::StartFlow(uint32_t from, uint32_t to, uint64_t bytes)
{
    Message message;
    message.from = from;
    message.to = to;
    message.bytes = bytes;
    message.trafficClass = m_trafficClass;
    message.dimension = static_cast<uint8_t>(ParallelDimension::COUNT); // none
    message.tag = m_started;
    ++m_started;
    m_startedBytes += bytes;
    ++m_open;
    m_transport->Send(message);
}

void
FlowGenerator::MessageDelivered(const Message& message, int64_t now)
{
    FlowRecord record;
    record.bytes = message.bytes;
    record.ticks = now - message.start;
    record.idealTicks = m_ideal ? m_ideal(message.from, message.to, message.bytes) : 0;
    m_flows.push_back(record);
}

void
FlowGenerator::MessageSent(const Message&, int64_t)
{
    EndFlow();
}

void
FlowGenerator::MessageFailed(const Message& message, const std::string& reason)
{
    if (m_failed++ == 0)
    {
        m_failure = "flow of " + std::to_string(message.bytes) + " B from rank " +
                    std::to_string(message.from) + " to rank " + std::to_string(message.to) +
                    " cannot be delivered: " + reason;
    }
    EndFlow();
}

void
FlowGenerator::EndFlow()
{
    --m_open;
    if (m_over)
    {
        Finish();
    }
}

double
FlowGenerator::DrawExponential()
{
    // J. von Neumann, "Various techniques used in connection with random digits" (1951): the
    // length of the falling run that begins with u is odd with probability exp(-u).
    for (double whole = 0;; ++whole)
    {
        const double first = m_times->GetValue(0, 1);
        double last = first;
        bool odd = true;
        for (double next = m_times->GetValue(0, 1); next < last; next = m_times->GetValue(0, 1))
        {
            last = next;
            odd = !odd;
        }
        if (odd)
        {
            return whole + first;
        }
    }
}

double
FlowGenerator::DrawUniform()
{
    return m_choice->GetValue(0, 1);
}

uint32_t
FlowGenerator::DrawIndex(std::size_t count)
{
    const auto index = static_cast<std::size_t>(DrawUniform() * static_cast<double>(count));
    return static_cast<uint32_t>(std::min(index, count - 1));
}

} // namespace llm
} // namespace ns3
