/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-workload-timeline.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{
namespace llm
{

int64_t
TimeBreakdown::GetTotal() const
{
    return std::accumulate(communicationPs.begin(), communicationPs.end(), computePs);
}

void
TimeBreakdown::Add(const Operation& operation, int64_t durationPs)
{
    if (operation.kind == OperationKind::COMPUTE)
    {
        computePs += durationPs;
    }
    else
    {
        communicationPs[static_cast<std::size_t>(operation.dimension)] += durationPs;
    }
}

WorkloadTimeline::WorkloadTimeline(const WorkloadSource& source, const std::string& name)
    : m_source(source),
      m_name(name),
      m_ranks(source.GetWorldSize())
{
    std::iota(m_ranks.begin(), m_ranks.end(), 0);
}

void
WorkloadTimeline::SetCommunicationTime(CommunicationTime time)
{
    m_time = std::move(time);
}

void
WorkloadTimeline::SetRanks(const std::vector<uint32_t>& ranks)
{
    m_ranks = ranks;
}

int64_t
WorkloadTimeline::Run(uint32_t iteration)
{
    m_runnerOf.assign(m_source.GetWorldSize(), OUTSIDE);
    m_runners = std::vector<Runner>(m_ranks.size());
    m_ready.clear();
    m_messages.clear();
    for (uint32_t index = 0; index < m_ranks.size(); ++index)
    {
        m_runnerOf.at(m_ranks[index]) = index;
        m_runners[index].rank = m_ranks[index];
        m_runners[index].program = m_source.CreateProgram(m_ranks[index], iteration);
        m_runners[index].streams.resize(static_cast<std::size_t>(OperationStream::COUNT));
        m_ready.push_back(index);
    }
    m_gatherings.assign(m_source.GetGroups().size(), Gathering());
    for (std::size_t group = 0; group < m_gatherings.size(); ++group)
    {
        const std::vector<uint32_t>& ranks = m_source.GetGroups()[group].ranks;
        m_gatherings[group].members =
            static_cast<uint32_t>(std::count_if(ranks.begin(), ranks.end(), [this](uint32_t rank) {
                return FindInside(rank) != OUTSIDE;
            }));
    }
    while (!m_ready.empty())
    {
        const uint32_t index = m_ready.front();
        m_ready.pop_front();
        RunRunner(index);
    }
    CheckEnd();
    Moment last;
    for (const auto& runner : m_runners)
    {
        for (const auto& end : runner.streams)
        {
            Later(last, end);
        }
    }
    m_criticalPath = last.path;
    return last.ps;
}

void
WorkloadTimeline::RunRunner(uint32_t index)
{
    Runner& runner = m_runners[index];
    while (!runner.done)
    {
        if (!runner.open)
        {
            if (!runner.program->Next(runner.operation))
            {
                runner.done = true;
                return;
            }
            runner.open = true;
            Begin(runner);
        }
        if (!TryEnd(index))
        {
            return;
        }
    }
}

void
WorkloadTimeline::Later(Moment& moment, const Moment& other)
{
    if (other.ps > moment.ps)
    {
        moment = other;
    }
}

void
WorkloadTimeline::Begin(Runner& runner) const
{
    const Operation& operation = runner.operation;
    if (operation.stream == OperationStream::UNORDERED)
    {
        throw ConfigError(m_name,
                          "rank " + std::to_string(runner.rank) + " operation " +
                              std::to_string(operation.id),
                          "is of an imported graph, without streams; timelines are for programs "
                          "with streams");
    }
    runner.start = runner.streams[static_cast<std::size_t>(operation.stream)];
    for (const uint64_t wait : operation.waits)
    {
        Later(runner.start, runner.ends.at(wait));
    }
}

bool
WorkloadTimeline::TryEnd(uint32_t index)
{
    Runner& runner = m_runners[index];
    switch (runner.operation.kind)
    {
    case OperationKind::COMPUTE:
        End(runner, runner.start, runner.operation.durationPs);
        return true;
    case OperationKind::SEND:
        Send(runner);
        return true;
    case OperationKind::RECV:
        return Receive(runner);
    default:
        return JoinCollective(index);
    }
}

int64_t
WorkloadTimeline::AskTime(const Runner& runner) const
{
    return m_time ? m_time(runner.rank, runner.operation) : 0;
}

void
WorkloadTimeline::End(Runner& runner, const Moment& start, int64_t durationPs)
{
    Moment end = start;
    end.ps += durationPs;
    end.path.Add(runner.operation, durationPs);
    runner.work.Add(runner.operation, durationPs);
    runner.endPs = std::max(runner.endPs, end.ps);
    runner.streams[static_cast<std::size_t>(runner.operation.stream)] = end;
    runner.ends.push_back(end);
    runner.open = false;
    runner.gathered = false;
}

uint32_t
WorkloadTimeline::FindInside(uint32_t rank) const
{
    return m_runnerOf.at(rank) == OUTSIDE ? OUTSIDE : rank;
}

void
WorkloadTimeline::Send(Runner& runner)
{
    const Operation& operation = runner.operation;
    const int64_t durationPs = AskTime(runner);
    Moment arrival = runner.start;
    arrival.ps += durationPs;
    arrival.path.Add(operation, durationPs);
    // What goes to a rank that does not run comes, by symmetry, from one as well.
    const uint32_t to = FindInside(operation.peer);
    const Channel channel = to == OUTSIDE
                                ? Channel(OUTSIDE, runner.rank, operation.dimension, operation.tag)
                                : Channel(runner.rank, to, operation.dimension, operation.tag);
    m_messages[channel].push_back(arrival);
    if (to != OUTSIDE && m_runners[m_runnerOf[to]].open &&
        m_runners[m_runnerOf[to]].operation.kind == OperationKind::RECV)
    {
        m_ready.push_back(m_runnerOf[to]);
    }
    End(runner, runner.start, durationPs);
}

bool
WorkloadTimeline::Receive(Runner& runner)
{
    const Operation& operation = runner.operation;
    const auto found = m_messages.find(
        {FindInside(operation.peer), runner.rank, operation.dimension, operation.tag});
    if (found == m_messages.end())
    {
        return false;
    }
    Moment end = runner.start;
    Later(end, found->second.front());
    found->second.pop_front();
    if (found->second.empty())
    {
        m_messages.erase(found);
    }
    End(runner, end, 0);
    return true;
}

bool
WorkloadTimeline::JoinCollective(uint32_t index)
{
    if (m_runners[index].gathered)
    {
        return false;
    }
    m_runners[index].gathered = true;
    Gathering& gathering = m_gatherings.at(m_runners[index].operation.group);
    if (gathering.waiting.empty() || m_runners[index].start.ps > m_runners[gathering.last].start.ps)
    {
        gathering.last = index;
    }
    gathering.waiting.push_back(index);
    if (gathering.waiting.size() < gathering.members)
    {
        return false;
    }
    const Moment start = m_runners[gathering.last].start;
    const int64_t durationPs = AskTime(m_runners[gathering.last]);
    for (const uint32_t member : gathering.waiting)
    {
        End(m_runners[member], start, durationPs);
        if (member != index)
        {
            m_ready.push_back(member);
        }
    }
    gathering.waiting.clear();
    return true;
}

void
WorkloadTimeline::CheckEnd() const
{
    for (const auto& runner : m_runners)
    {
        if (!runner.done)
        {
            const Operation& operation = runner.operation;
            const std::string whom = operation.kind == OperationKind::RECV
                                         ? "from rank " + std::to_string(operation.peer) +
                                               " with tag " + std::to_string(operation.tag)
                                         : "over group " + std::to_string(operation.group);
            throw ConfigError(m_name,
                              "rank " + std::to_string(runner.rank) + " operation " +
                                  std::to_string(operation.id),
                              std::string(ToString(operation.kind)) + " " + whom +
                                  " never gets its partner; a check of the workload says more");
        }
    }
}

const WorkloadTimeline::Runner&
WorkloadTimeline::GetRunner(uint32_t rank) const
{
    return m_runners.at(m_runnerOf.at(rank));
}

const std::vector<uint32_t>&
WorkloadTimeline::GetRanks() const
{
    return m_ranks;
}

int64_t
WorkloadTimeline::GetEndPs(uint32_t rank) const
{
    return GetRunner(rank).endPs;
}

const TimeBreakdown&
WorkloadTimeline::GetWork(uint32_t rank) const
{
    return GetRunner(rank).work;
}

const TimeBreakdown&
WorkloadTimeline::GetCriticalPath() const
{
    return m_criticalPath;
}

double
WorkloadTimeline::GetBubbleFraction() const
{
    double busyPs = 0;
    for (const auto& runner : m_runners)
    {
        busyPs += static_cast<double>(runner.work.computePs);
    }
    const double allPs =
        static_cast<double>(m_criticalPath.GetTotal()) * static_cast<double>(m_runners.size());
    return busyPs > 0 ? allPs / busyPs - 1 : 0;
}

} // namespace llm
} // namespace ns3
