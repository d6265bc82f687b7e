/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-application.h"

#include "llm-message-matcher.h"
#include "llm-training-job.h"

#include "ns3/llm-config-error.h"
#include "ns3/log.h"
#include "ns3/pointer.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmTrainingApplication");
NS_OBJECT_ENSURE_REGISTERED(LlmTrainingApplication);

TypeId
LlmTrainingApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::LlmTrainingApplication")
            .SetParent<Application>()
            .SetGroupName("LlmTraining")
            .AddConstructor<LlmTrainingApplication>()
            .AddAttribute("Job",
                          "The job that this rank belongs to.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&LlmTrainingApplication::m_job),
                          MakePointerChecker<TrainingJob>())
            .AddTraceSource("OperationStart",
                            "An operation of the step program starts.",
                            MakeTraceSourceAccessor(&LlmTrainingApplication::m_operationStart),
                            "ns3::llm::LlmTrainingApplication::OperationTracedCallback")
            .AddTraceSource("OperationEnd",
                            "An operation of the step program is over.",
                            MakeTraceSourceAccessor(&LlmTrainingApplication::m_operationEnd),
                            "ns3::llm::LlmTrainingApplication::OperationTracedCallback")
            .AddTraceSource("IterationEnd",
                            "The rank's operations of an iteration are over.",
                            MakeTraceSourceAccessor(&LlmTrainingApplication::m_iterationEnd),
                            "ns3::llm::LlmTrainingApplication::IterationTracedCallback");
    return tid;
}

LlmTrainingApplication::LlmTrainingApplication()
    : m_window(1)
{
    m_computeEnd.fill(-1);
}

LlmTrainingApplication::~LlmTrainingApplication() = default;

Ptr<TrainingJob>
LlmTrainingApplication::GetJob() const
{
    return m_job;
}

void
LlmTrainingApplication::DoDispose()
{
    m_running = false;
    m_job = nullptr;
    Application::DoDispose();
}

void
LlmTrainingApplication::Attach(Ptr<TrainingJob> job, uint32_t rank, uint32_t window)
{
    m_job = job;
    m_rank = rank;
    m_window = OperationWindow(window);
    m_next.assign(job->m_workload->GetGroups().size(), 0);
    m_timerId =
        job->m_transport->GetEventQueue().Register(FabricEventKind::JOB, this, GetNode()->GetId());
}

void
LlmTrainingApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_job)
    {
        m_job->RankStarted(*this);
    }
}

void
LlmTrainingApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_job)
    {
        m_job->Stop();
    }
}

void
LlmTrainingApplication::BeginIteration(int64_t now)
{
    m_iterationStart = now;
    m_job->RankBegan(m_iteration, now);
    m_window.Begin(m_job->m_workload->CreateProgram(m_rank, m_iteration));
}

bool
LlmTrainingApplication::EndIteration(int64_t now)
{
    m_iterationEnd(m_rank, m_iteration, m_iterationStart, now);
    const uint32_t ended = m_iteration++;
    const bool more = m_iteration < m_job->m_iterations.size();
    if (more)
    {
        BeginIteration(now);
    }
    else
    {
        m_running = false;
    }
    m_job->RankEnded(ended, now);
    return more;
}

void
LlmTrainingApplication::Advance(int64_t now)
{
    if (!m_running)
    {
        return;
    }
    Account(now);
    if (!m_begun)
    {
        m_begun = true;
        BeginIteration(now);
    }
    bool moved = true;
    while (moved && m_running)
    {
        moved = FetchAll(now);
        for (std::size_t stream = 0; stream < STREAMS; ++stream)
        {
            moved |= StartHeads(stream, now);
        }
        moved |= StartUnordered(now);
        if (!moved && m_window.IsOver())
        {
            moved = EndIteration(now);
        }
    }
    m_activity = FindActivity();
}

bool
LlmTrainingApplication::FetchAll(int64_t now)
{
    bool any = false;
    for (uint32_t slot = m_window.Fetch(); slot != OperationWindow::NONE; slot = m_window.Fetch())
    {
        Admit(m_window[slot]);
        any = true;
    }
    RunInstant(now);
    return any;
}

void
LlmTrainingApplication::RunInstant(int64_t now)
{
    if (m_instant)
    {
        return; // the one that works goes on
    }
    m_instant = true;
    for (uint32_t slot = m_window.TakeInstant(); slot != OperationWindow::NONE;
         slot = m_window.TakeInstant())
    {
        Start(slot, now);
    }
    m_instant = false;
}

void
LlmTrainingApplication::Admit(OperationWindow::Slot& slot)
{
    const Operation& operation = slot.operation;
    const auto refuse = [&](const std::string& message) {
        throw ConfigError("step program of rank " + std::to_string(m_rank),
                          "operation " + std::to_string(operation.id),
                          message);
    };
    switch (operation.kind)
    {
    case OperationKind::COMPUTE:
        if (operation.durationPs < 0)
        {
            refuse("computes for " + std::to_string(operation.durationPs) + " ps");
        }
        return;
    case OperationKind::SEND:
    case OperationKind::RECV:
        if (operation.peer >= m_job->GetWorldSize() || operation.peer == m_rank)
        {
            refuse(std::string(ToString(operation.kind)) + " with rank " +
                   std::to_string(operation.peer) + " of " + std::to_string(m_job->GetWorldSize()) +
                   "; the peer must be another rank");
        }
        if (operation.channel >= m_job->GetChannelCount())
        {
            refuse("channel " + std::to_string(operation.channel) + "; the job has " +
                   std::to_string(m_job->GetChannelCount()));
        }
        if (operation.tag >= MessageMatcher::TAG_LIMIT)
        {
            refuse("tag " + std::to_string(operation.tag) + "; tags are below 2^63");
        }
        return;
    default: {
        const auto& groups = m_job->m_workload->GetGroups();
        if (operation.group >= groups.size())
        {
            refuse("group " + std::to_string(operation.group) + " of " +
                   std::to_string(groups.size()));
        }
        const std::vector<uint32_t>& ranks = groups[operation.group].ranks;
        if (std::find(ranks.begin(), ranks.end(), m_rank) == ranks.end())
        {
            refuse("the rank is not in group " + std::to_string(operation.group));
        }
        if (operation.root >= ranks.size())
        {
            refuse("root " + std::to_string(operation.root) + " in a group of " +
                   std::to_string(ranks.size()));
        }
        if (operation.exchange && operation.exchange->GetGroupSize() != ranks.size())
        {
            refuse("parts for " + std::to_string(operation.exchange->GetGroupSize()) +
                   " ranks in a group of " + std::to_string(ranks.size()));
        }
        slot.sequence = static_cast<int64_t>(m_next[operation.group]++);
    }
    }
}

bool
LlmTrainingApplication::StartHeads(std::size_t stream, int64_t now)
{
    bool any = false;
    for (;;)
    {
        const uint32_t head = m_window.GetHead(static_cast<OperationStream>(stream));
        if (head == OperationWindow::NONE || m_window[head].started || !m_window.IsReady(head))
        {
            return any;
        }
        Start(head, now);
        any = true;
    }
}

bool
LlmTrainingApplication::StartUnordered(int64_t now)
{
    bool any = false;
    for (uint32_t slot = m_window.TakeReady(true); slot != OperationWindow::NONE;
         slot = m_window.TakeReady(false))
    {
        if (!QueueForLane(slot))
        {
            Start(slot, now);
        }
        any = true;
    }
    return any;
}

bool
LlmTrainingApplication::QueueForLane(uint32_t slot)
{
    const Operation& operation = m_window[slot].operation;
    if (operation.kind != OperationKind::COMPUTE)
    {
        return false;
    }
    if (operation.lane >= m_lanes.size())
    {
        m_lanes.resize(operation.lane + 1U);
    }
    Lane& lane = m_lanes[operation.lane];
    if (lane.end < 0)
    {
        return false;
    }
    lane.waiting.Push(slot);
    return true;
}

void
LlmTrainingApplication::LaneDone(std::size_t index, int64_t now)
{
    const uint32_t slot = m_lanes[index].slot;
    m_lanes[index].end = -1;
    --m_job->m_computing;
    OperationDone(slot, now);
    Lane& lane = m_lanes[index];
    while (lane.end < 0 && !lane.waiting.IsEmpty())
    {
        const uint32_t next = lane.waiting.Front();
        lane.waiting.Pop();
        Start(next, now);
    }
}

void
LlmTrainingApplication::Start(uint32_t slot, int64_t now)
{
    const OperationWindow::Slot& entry = m_window[slot];
    m_window.Start(slot, now);
    m_operationStart(m_rank, m_iteration, entry.operation, now, now);
    if (entry.operation.kind == OperationKind::COMPUTE)
    {
        StartCompute(slot, now);
    }
    else
    {
        m_job->StartCommunication(*this, slot, now);
    }
    RunInstant(now);
}

void
LlmTrainingApplication::StartCompute(uint32_t slot, int64_t now)
{
    const Operation& operation = m_window[slot].operation;
    int64_t ticks = m_ticks.Convert(operation.durationPs);
    if (m_slowdown != 1)
    {
        ticks = static_cast<int64_t>(static_cast<double>(ticks) * m_slowdown);
    }
    if (ticks == 0)
    {
        OperationDone(slot, now);
        return;
    }
    if (operation.stream == OperationStream::UNORDERED)
    {
        m_lanes[operation.lane].end = now + ticks;
        m_lanes[operation.lane].slot = slot;
    }
    else
    {
        m_computeEnd[static_cast<std::size_t>(operation.stream)] = now + ticks;
    }
    ++m_job->m_computing;
    m_job->m_transport->GetEventQueue().ScheduleAt(now + ticks, FabricEventKind::JOB, m_timerId);
}

void
LlmTrainingApplication::SetSlowdown(double factor)
{
    NS_ASSERT_MSG(factor > 0, "a computation takes time");
    FabricEventQueue& events = m_job->m_transport->GetEventQueue();
    FabricEntry entry(events);
    const int64_t now = events.Now();
    const auto stretch = [&](int64_t& end) {
        if (end > now)
        {
            end = now + static_cast<int64_t>(static_cast<double>(end - now) / m_slowdown * factor);
            events.ScheduleAt(end, FabricEventKind::JOB, m_timerId);
        }
    };
    if (factor != m_slowdown)
    {
        for (int64_t& end : m_computeEnd)
        {
            stretch(end);
        }
        for (Lane& lane : m_lanes)
        {
            stretch(lane.end);
        }
    }
    m_slowdown = factor;
}

void
LlmTrainingApplication::HandleFabricEvent(FabricEventKind, int64_t now)
{
    if (!m_running)
    {
        return;
    }
    TrainingJob::Turn turn(*m_job);
    for (std::size_t stream = 0; stream < STREAMS; ++stream)
    {
        if (m_computeEnd[stream] >= 0 && m_computeEnd[stream] <= now)
        {
            m_computeEnd[stream] = -1;
            --m_job->m_computing;
            OperationDone(m_window.GetHead(static_cast<OperationStream>(stream)), now);
        }
    }
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
    {
        if (m_lanes[lane].end >= 0 && m_lanes[lane].end <= now)
        {
            LaneDone(lane, now);
        }
    }
}

void
LlmTrainingApplication::OperationDone(uint32_t slot, int64_t now)
{
    const OperationWindow::Slot& entry = m_window[slot];
    m_operationEnd(m_rank, m_iteration, entry.operation, entry.start, now);
    m_window.Complete(slot);
    m_job->OperationEnded(*this, now);
    RunInstant(now);
}

void
LlmTrainingApplication::Account(int64_t now)
{
    const int64_t span = now - m_accounted;
    m_accounted = now;
    switch (m_activity)
    {
    case Activity::NONE:
        break;
    case Activity::COMPUTE:
        m_times.compute += span;
        break;
    case Activity::EXPOSED:
        m_times.exposed += span;
        break;
    case Activity::BUBBLE:
        m_times.bubble += span;
        break;
    }
}

LlmTrainingApplication::Activity
LlmTrainingApplication::FindActivity() const
{
    for (const Lane& lane : m_lanes)
    {
        if (m_running && lane.end >= 0)
        {
            return Activity::COMPUTE;
        }
    }
    uint32_t slot = m_window.GetHead(OperationStream::COMPUTE);
    if (slot == OperationWindow::NONE)
    {
        slot = m_window.GetFirstCompute();
    }
    if (slot == OperationWindow::NONE)
    {
        slot = m_window.GetOldest();
    }
    if (!m_running || slot == OperationWindow::NONE)
    {
        return Activity::NONE;
    }
    const Operation& cause = m_window[m_window.FindCause(slot)].operation;
    if (cause.kind == OperationKind::COMPUTE)
    {
        return Activity::COMPUTE;
    }
    const bool pipeline =
        cause.kind == OperationKind::RECV && cause.dimension == ParallelDimension::PIPELINE;
    return pipeline ? Activity::BUBBLE : Activity::EXPOSED;
}

void
LlmTrainingApplication::DescribeOpen(std::vector<std::string>& lines, std::size_t most) const
{
    std::vector<uint32_t> slots;
    for (std::size_t stream = 0; stream < STREAMS; ++stream)
    {
        const uint32_t head = m_window.GetHead(static_cast<OperationStream>(stream));
        if (head != OperationWindow::NONE && m_window[head].started)
        {
            slots.push_back(head);
        }
    }
    if (slots.empty())
    {
        slots = m_window.ListStarted(most);
    }
    for (const uint32_t index : slots)
    {
        if (lines.size() >= most)
        {
            return;
        }
        const OperationWindow::Slot& slot = m_window[index];
        const Operation& operation = slot.operation;
        std::string line = "rank " + std::to_string(m_rank) + ": " + ToString(operation.kind) +
                           " (iteration " + std::to_string(m_iteration) + ", operation " +
                           std::to_string(operation.id);
        if (operation.layer >= 0)
        {
            line += ", layer " + std::to_string(operation.layer);
        }
        if (operation.microbatch >= 0)
        {
            line += ", microbatch " + std::to_string(operation.microbatch);
        }
        line += ")";
        const std::string peer = std::to_string(operation.peer);
        const std::string bytes = std::to_string(operation.bytes) + " B";
        const std::string tag = " with tag " + std::to_string(operation.tag);
        switch (operation.kind)
        {
        case OperationKind::COMPUTE:
            line += " computes";
            break;
        case OperationKind::SEND:
            line += " waits for acknowledgement of " + bytes + " by rank " + peer + tag;
            break;
        case OperationKind::RECV:
            line += " waits for " + bytes + " from rank " + peer + tag;
            break;
        default:
            line += " of " + bytes + ": " +
                    m_job->m_runner->Describe(m_rank,
                                              operation.group,
                                              static_cast<uint64_t>(slot.sequence));
        }
        lines.push_back(line);
    }
}

} // namespace llm
} // namespace ns3
