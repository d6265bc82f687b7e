/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-job.h"

#include "ns3/boolean.h"
#include "ns3/llm-collective-operation.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/llm-units.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmTrainingJob");
NS_OBJECT_ENSURE_REGISTERED(TrainingJob);

namespace
{
constexpr std::size_t REPORT_LINES = 32; //!< open operations named in a failure
constexpr uint32_t MAX_CHANNELS = 4096;  //!< channels of all dimensions fit 16 bits

/** @param tick simulated time. @return readable, with its unit. */
std::string
Say(int64_t tick)
{
    return FormatDurationRounded(TimeStep(tick).GetPicoSeconds());
}

/** @param a, b what is compared. @return true if a way chosen for one fits the other. */
bool
IsSame(const CollectiveSpec& a, const CollectiveSpec& b)
{
    return a.kind == b.kind && a.groupSize == b.groupSize && a.bytes == b.bytes &&
           a.root == b.root && a.exchange == b.exchange && a.ranksPerNode == b.ranksPerNode;
}
} // namespace

TypeId
TrainingJob::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::TrainingJob")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<TrainingJob>()
            .AddAttribute("Iterations",
                          "Training steps to run.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TrainingJob::m_iterationCount),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("StartTime",
                          "When the ranks start.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&TrainingJob::m_startTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("StopSimulation",
                          "A job that fails stops the simulator; false where others are to go on.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&TrainingJob::m_stopSimulation),
                          MakeBooleanChecker())
            .AddAttribute("StallTime",
                          "The job fails when for so long no operation ended, no byte arrived and "
                          "no computation ran. Longer than the longest timeout of the transport "
                          "(TCP connects and retransmits after seconds).",
                          TimeValue(Seconds(30)),
                          MakeTimeAccessor(&TrainingJob::m_stallTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("FetchWindow",
                          "Operations of a rank that are taken from its step program before they "
                          "are over: how far it looks ahead for what may start.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&TrainingJob::m_window),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Transport",
                          "Moves the job's messages.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&TrainingJob::m_transport),
                          MakePointerChecker<MessageTransport>())
            .AddTraceSource("CollectiveEnd",
                            "All members of a collective are through.",
                            MakeTraceSourceAccessor(&TrainingJob::m_collectiveEnd),
                            "ns3::llm::TrainingJob::CollectiveTracedCallback")
            .AddTraceSource("IterationEnd",
                            "All ranks have ended an iteration.",
                            MakeTraceSourceAccessor(&TrainingJob::m_iterationEnd),
                            "ns3::llm::TrainingJob::IterationTracedCallback");
    return tid;
}

TrainingJob::TrainingJob()
{
    m_trafficClass.fill(3);
}

TrainingJob::~TrainingJob()
{
    if (m_transport)
    {
        m_transport->SetListener(nullptr);
    }
}

void
TrainingJob::DoDispose()
{
    m_watch.Cancel();
    m_ranks.clear();
    m_ready.Clear();
    if (m_transport)
    {
        m_transport->SetListener(nullptr);
        m_transport = nullptr;
    }
    m_done = Callback<void, Ptr<TrainingJob>>();
    Object::DoDispose();
}

void
TrainingJob::SetWorkload(std::shared_ptr<const WorkloadSource> workload)
{
    m_workload = std::move(workload);
}

void
TrainingJob::SetTransport(Ptr<MessageTransport> transport)
{
    m_transport = transport;
}

void
TrainingJob::SetSelector(std::shared_ptr<const CollectiveSelector> selector)
{
    m_selector = std::move(selector);
}

void
TrainingJob::SetServers(std::vector<uint32_t> serverOf)
{
    m_serverOf = std::move(serverOf);
}

void
TrainingJob::SetCollective(CollectiveKind kind, const CollectiveChoice& choice)
{
    if (choice.channels < 1 || choice.channels > MAX_CHANNELS)
    {
        throw ConfigError("TrainingJob",
                          ToString(kind),
                          std::to_string(choice.channels) + " channels; 1 to " +
                              std::to_string(MAX_CHANNELS) + " are possible");
    }
    m_choices[static_cast<std::size_t>(kind)] = choice;
}

void
TrainingJob::SetCollectives(const CollectiveChoice& choice)
{
    for (std::size_t kind = 0; kind < KINDS; ++kind)
    {
        SetCollective(static_cast<CollectiveKind>(kind), choice);
    }
}

void
TrainingJob::SetTrafficClass(ParallelDimension dimension, uint8_t trafficClass)
{
    if (trafficClass > 7)
    {
        throw ConfigError("TrainingJob",
                          ToString(dimension),
                          "traffic class " + std::to_string(trafficClass) + "; 0 to 7 exist");
    }
    m_trafficClass[static_cast<std::size_t>(dimension)] = trafficClass;
}

ApplicationContainer
TrainingJob::Install(const std::vector<Ptr<Node>>& nodes)
{
    if (!m_workload || !m_transport)
    {
        throw ConfigError("TrainingJob", "", "a job needs a workload and a transport");
    }
    if (!m_ranks.empty())
    {
        throw ConfigError("TrainingJob", "", "the job is installed already");
    }
    const uint32_t world = m_workload->GetWorldSize();
    if (nodes.size() != world)
    {
        throw ConfigError("TrainingJob",
                          "",
                          "the workload has " + std::to_string(world) + " ranks, but " +
                              std::to_string(nodes.size()) +
                              " nodes were given; one per rank is needed");
    }
    if (!m_serverOf.empty() && m_serverOf.size() != world)
    {
        throw ConfigError("TrainingJob",
                          "",
                          "the workload has " + std::to_string(world) + " ranks, but servers of " +
                              std::to_string(m_serverOf.size()) + " were given");
    }
    if (!m_selector)
    {
        m_selector = std::make_shared<CollectiveSelector>();
    }
    if (GetChannelCount() > MAX_CHANNELS)
    {
        throw ConfigError("TrainingJob",
                          "",
                          "the workload asks for " + std::to_string(GetChannelCount()) +
                              " channels; at most " + std::to_string(MAX_CHANNELS) +
                              " are possible");
    }
    const auto& groups = m_workload->GetGroups();
    m_ledger = std::make_unique<TrafficLedger>(world);
    CollectiveListener& collectives = *this;
    MatcherListener& pairs = *this;
    m_runner = std::make_unique<CollectiveRunner>(groups, *m_transport, *m_ledger, collectives);
    m_matcher = std::make_unique<MessageMatcher>(*m_transport, *m_ledger, pairs);
    m_cache.assign(groups.size(), {});
    for (const ProcessGroup& group : groups)
    {
        m_ranksPerNode.push_back(GetRanksPerNode(group.ranks, m_serverOf));
    }
    m_iterations.assign(m_iterationCount, {});
    m_transport->SetListener(this);

    ApplicationContainer applications;
    bool known = true;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        auto application = CreateObject<LlmTrainingApplication>();
        nodes[rank]->AddApplication(application);
        application->Attach(this, rank, m_window);
        application->SetStartTime(m_startTime);
        m_ranks.push_back(application);
        applications.Add(application);
        const uint64_t operations = m_workload->CountOperations(rank);
        known = known && operations > 0;
        m_operationsTotal += operations * m_iterationCount;
    }
    m_operationsTotal = known ? m_operationsTotal : 0;
    return applications;
}

ApplicationContainer
TrainingJob::Install(const NodeContainer& nodes)
{
    return Install(std::vector<Ptr<Node>>(nodes.Begin(), nodes.End()));
}

void
TrainingJob::SetCompletionCallback(Callback<void, Ptr<TrainingJob>> done)
{
    m_done = done;
}

double
TrainingJob::GetProgress() const
{
    if (m_state == State::COMPLETE)
    {
        return 1;
    }
    if (m_operationsTotal > 0)
    {
        return static_cast<double>(m_operationsDone) / static_cast<double>(m_operationsTotal);
    }
    uint64_t ended = 0;
    for (const auto& rank : m_ranks)
    {
        ended += rank->GetIterationsDone();
    }
    const uint64_t all = static_cast<uint64_t>(m_ranks.size()) * m_iterationCount;
    return all > 0 ? static_cast<double>(ended) / static_cast<double>(all) : 0;
}

std::vector<CollectiveSummary>
TrainingJob::GetCollectives() const
{
    std::vector<CollectiveSummary> all;
    for (const auto& byKind : m_summaries)
    {
        for (const CollectiveSummary& summary : byKind)
        {
            if (summary.count > 0)
            {
                all.push_back(summary);
            }
        }
    }
    return all;
}

TrainingJob::Turn::Turn(TrainingJob& job)
    : m_job(job)
{
    ++m_job.m_turns;
}

TrainingJob::Turn::~Turn()
{
    if (m_job.m_turns == 1)
    {
        m_job.Drain();
    }
    --m_job.m_turns;
}

void
TrainingJob::Drain()
{
    const int64_t now = m_transport ? m_transport->GetEventQueue().Now() : 0;
    try
    {
        while (!m_ready.IsEmpty() && m_state == State::RUNNING)
        {
            LlmTrainingApplication* rank = m_ready.Front();
            m_ready.Pop();
            rank->m_queued = false;
            rank->Advance(now);
        }
    }
    catch (const ConfigError& error)
    {
        Fail({error.what()});
    }
}

void
TrainingJob::RankStarted(LlmTrainingApplication& rank)
{
    if (m_state != State::WAITING && m_state != State::RUNNING)
    {
        return;
    }
    FabricEntry entry(m_transport->GetEventQueue());
    const int64_t now = m_transport->GetEventQueue().Now();
    if (m_state == State::WAITING)
    {
        m_state = State::RUNNING;
        m_startTick = now;
        m_lastProgress = now;
        m_watch = Simulator::Schedule(m_stallTime, &TrainingJob::Watch, this);
    }
    Turn turn(*this);
    rank.m_running = true;
    rank.m_accounted = now;
    rank.m_queued = true;
    m_ready.Push(&rank);
}

void
TrainingJob::RankBegan(uint32_t iteration, int64_t now)
{
    IterationRecord& record = m_iterations[iteration];
    if (record.begun++ == 0)
    {
        record.start = now;
    }
}

void
TrainingJob::RankEnded(uint32_t iteration, int64_t now)
{
    m_lastProgress = now;
    IterationRecord& record = m_iterations[iteration];
    if (++record.finished == m_ranks.size())
    {
        record.end = now;
        record.duration = now - (iteration > 0 ? m_iterations[iteration - 1].end : m_startTick);
        m_iterationEnd(iteration, record);
        if (iteration + 1 == m_iterations.size())
        {
            Complete(now);
        }
    }
}

void
TrainingJob::OperationEnded(LlmTrainingApplication& rank, int64_t now)
{
    ++m_operationsDone;
    m_lastProgress = now;
    if (!rank.m_queued)
    {
        rank.m_queued = true;
        m_ready.Push(&rank);
    }
}

uint32_t
TrainingJob::GetChannelCount() const
{
    uint32_t channels = m_workload ? m_workload->GetChannelCount() : 1;
    for (const CollectiveChoice& choice : m_choices)
    {
        channels = std::max(channels, choice.channels);
    }
    return channels;
}

uint16_t
TrainingJob::FirstChannel(ParallelDimension dimension) const
{
    // Each dimension has connections of its own, as each communicator of NCCL has.
    return static_cast<uint16_t>(GetChannelCount() * static_cast<uint32_t>(dimension));
}

void
TrainingJob::StartCommunication(LlmTrainingApplication& rank, uint32_t slot, int64_t now)
{
    const Operation& operation = rank.m_window[slot].operation;
    switch (operation.kind)
    {
    case OperationKind::SEND: {
        Message message;
        message.from = rank.m_rank;
        message.to = operation.peer;
        message.channel =
            static_cast<uint16_t>(FirstChannel(operation.dimension) + operation.channel);
        message.trafficClass = operation.trafficClass <= 7
                                   ? operation.trafficClass
                                   : m_trafficClass[static_cast<std::size_t>(operation.dimension)];
        message.dimension = static_cast<uint8_t>(operation.dimension);
        message.bytes = operation.bytes;
        message.tag = operation.tag;
        m_matcher->Send(message, slot);
        return;
    }
    case OperationKind::RECV:
        m_matcher->Receive(operation.peer, rank.m_rank, operation.tag, operation.bytes, slot, now);
        return;
    default:
        StartCollective(rank, slot, now);
    }
}

void
TrainingJob::StartCollective(LlmTrainingApplication& rank, uint32_t slot, int64_t now)
{
    const OperationWindow::Slot& entry = rank.m_window[slot];
    const Operation& operation = entry.operation;
    CollectiveRunner::Part part;
    part.spec.kind = GetCollectiveKind(operation.kind);
    part.spec.groupSize =
        static_cast<uint32_t>(m_workload->GetGroups()[operation.group].ranks.size());
    part.spec.bytes = operation.bytes;
    part.spec.root = operation.root;
    part.spec.exchange = operation.exchange;
    part.spec.ranksPerNode = m_ranksPerNode[operation.group];
    const CollectiveSelector::CollectivePlan& plan =
        PlanCollective(operation.group, part.spec, operation.dimension);
    part.spec.channels = plan.channels;
    part.spec.sliceBytes = plan.sliceBytes;
    part.algorithm = plan.algorithm;
    part.protocol = static_cast<uint8_t>(plan.protocol);
    part.group = operation.group;
    part.rank = rank.m_rank;
    part.sequence = static_cast<uint64_t>(entry.sequence);
    part.iteration = rank.m_iteration;
    part.token = slot;
    part.dimension = operation.dimension;
    part.firstChannel = FirstChannel(operation.dimension);
    part.trafficClass = m_trafficClass[static_cast<std::size_t>(operation.dimension)];
    m_runner->Join(part, now);
}

const CollectiveSelector::CollectivePlan&
TrainingJob::PlanCollective(uint32_t group, const CollectiveSpec& spec, ParallelDimension dimension)
{
    CachedPlan& cached = m_cache[group];
    if (cached.plan && cached.dimension == dimension && IsSame(cached.spec, spec))
    {
        return *cached.plan;
    }
    const PlanKey key{dimension,
                      spec.kind,
                      spec.groupSize,
                      spec.ranksPerNode,
                      spec.bytes,
                      spec.root,
                      spec.exchange != nullptr};
    auto found = m_plans.find(key);
    if (found == m_plans.end())
    {
        const CollectiveChoice& choice = m_choices[static_cast<std::size_t>(spec.kind)];
        try
        {
            found = m_plans
                        .emplace(key,
                                 m_selector->Plan(spec, choice, "TrainingJob", ToString(spec.kind)))
                        .first;
        }
        catch (const ConfigError& error)
        {
            throw ConfigError(error.GetSource(),
                              error.GetPath(),
                              error.GetMessage() + "; " +
                                  DescribeGroup(m_workload->GetGroups()[group]));
        }
    }
    cached.plan = &found->second;
    cached.spec = spec;
    cached.dimension = dimension;
    return *cached.plan;
}

std::vector<CollectiveDecision>
TrainingJob::GetDecisions() const
{
    std::vector<CollectiveDecision> decisions;
    for (const auto& [key, plan] : m_plans)
    {
        CollectiveDecision decision;
        decision.dimension = std::get<0>(key);
        decision.kind = std::get<1>(key);
        decision.groupSize = std::get<2>(key);
        decision.ranksPerNode = std::get<3>(key);
        decision.bytes = std::get<4>(key);
        decision.algorithm = plan.algorithm->GetName();
        decision.protocol = plan.protocol;
        decision.channels = plan.channels;
        decision.sliceBytes = plan.sliceBytes;
        decision.reason = plan.reason;
        decisions.push_back(decision);
    }
    return decisions;
}

void
TrainingJob::MessageDelivered(const Message& message, int64_t now)
{
    if (m_state != State::RUNNING)
    {
        return;
    }
    Turn turn(*this);
    m_lastProgress = now;
    if (CollectiveRunner::IsCollective(message))
    {
        m_runner->MessageDelivered(message, now);
    }
    else
    {
        m_matcher->MessageDelivered(message, now);
    }
}

void
TrainingJob::MessageSent(const Message& message, int64_t now)
{
    if (m_state != State::RUNNING)
    {
        return;
    }
    Turn turn(*this);
    m_lastProgress = now;
    if (CollectiveRunner::IsCollective(message))
    {
        m_runner->MessageSent(message, now);
    }
    else
    {
        m_matcher->MessageSent(message, now);
    }
}

void
TrainingJob::MessageFailed(const Message& message, const std::string& reason)
{
    Fail({"message of " + std::to_string(message.bytes) + " B from rank " +
          std::to_string(message.from) + " to rank " + std::to_string(message.to) +
          " cannot be delivered: " + reason});
}

void
TrainingJob::CollectiveRankDone(uint32_t rank, uint32_t token, int64_t now)
{
    m_ranks[rank]->OperationDone(token, now);
}

void
TrainingJob::CollectiveEnded(const CollectiveRecord& record)
{
    CollectiveSummary& summary = m_summaries[static_cast<std::size_t>(record.dimension)]
                                            [static_cast<std::size_t>(record.kind)];
    const int64_t ticks = record.end - record.start;
    summary.kind = record.kind;
    summary.dimension = record.dimension;
    ++summary.count;
    summary.bytes += record.bytes;
    summary.ticks += ticks;
    summary.longest = std::max(summary.longest, ticks);
    summary.busBytes +=
        static_cast<double>(record.bytes) * BusBandwidthFactor(record.kind, record.groupSize);
    summary.bestBandwidth = std::max(summary.bestBandwidth, record.GetBusBandwidth());
    m_collectiveEnd(record);
}

void
TrainingJob::CollectiveFailed(const std::string& reason)
{
    Fail({reason});
}

void
TrainingJob::PointToPointDone(uint32_t rank, uint32_t token, int64_t now)
{
    m_ranks[rank]->OperationDone(token, now);
}

void
TrainingJob::PointToPointFailed(const std::string& reason)
{
    Fail({reason});
}

void
TrainingJob::Complete(int64_t)
{
    std::vector<std::string> unmatched;
    m_matcher->DescribeUnmatched(unmatched, REPORT_LINES);
    if (!unmatched.empty())
    {
        Fail(unmatched);
        return;
    }
    End(State::COMPLETE);
}

void
TrainingJob::Stop()
{
    if (m_state == State::WAITING || m_state == State::RUNNING)
    {
        End(State::STOPPED);
    }
}

void
TrainingJob::Fail(std::vector<std::string> lines)
{
    if (m_state != State::WAITING && m_state != State::RUNNING)
    {
        return;
    }
    m_failure = std::move(lines);
    NS_LOG_INFO("failed: " << m_failure.front());
    End(State::FAILED);
    if (m_stopSimulation)
    {
        Simulator::Stop();
    }
}

void
TrainingJob::End(State state)
{
    m_state = state;
    m_endTick = m_transport->GetEventQueue().Now();
    Simulator::Remove(m_watch); // a cancelled event would still move the clock
    for (const auto& rank : m_ranks)
    {
        if (rank->m_running)
        {
            rank->Account(m_endTick);
            rank->m_running = false;
        }
    }
    if (!m_done.IsNull())
    {
        m_done(this);
    }
}

uint64_t
TrainingJob::CountBytes() const
{
    const TransportTotals totals = m_transport->GetTotals();
    return totals.payloadReceived + totals.bytesDelivered;
}

void
TrainingJob::Watch()
{
    FabricEntry entry(m_transport->GetEventQueue());
    if (m_state != State::RUNNING)
    {
        return;
    }
    const uint64_t bytes = CountBytes();
    // What a message that starts anew had received is taken back: only more than ever is progress.
    if (m_computing > 0 || bytes > m_watchedBytes || m_lastProgress != m_watchedProgress)
    {
        m_watchedBytes = std::max(m_watchedBytes, bytes);
        m_watchedProgress = m_lastProgress;
        m_watch = Simulator::Schedule(m_stallTime, &TrainingJob::Watch, this);
        return;
    }
    uint32_t open = 0;
    for (const auto& rank : m_ranks)
    {
        open += rank->m_running ? 1 : 0;
    }
    std::vector<std::string> lines;
    lines.push_back(
        "no progress since " + Say(m_lastProgress) + ": " + std::to_string(open) + " of " +
        std::to_string(m_ranks.size()) +
        " ranks have open operations, nothing is computed and no more received than before");
    m_matcher->DescribeUnmatched(lines, REPORT_LINES);
    DescribeOpen(lines, REPORT_LINES);
    Fail(std::move(lines));
}

void
TrainingJob::DescribeOpen(std::vector<std::string>& lines, std::size_t most) const
{
    std::vector<std::string> operations;
    for (const auto& rank : m_ranks)
    {
        rank->DescribeOpen(operations, most);
    }
    lines.insert(lines.end(), operations.begin(), operations.end());
    if (m_transport)
    {
        std::vector<std::string> messages;
        m_transport->DescribeOpen(messages, most);
        lines.insert(lines.end(), messages.begin(), messages.end());
    }
}

} // namespace llm
} // namespace ns3
