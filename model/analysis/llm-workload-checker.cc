/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-workload-checker.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/** Next number of a splitmix64 sequence. */
uint64_t
NextRandom(uint64_t& state)
{
    state += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

bool
IsCollective(OperationKind kind)
{
    return kind != OperationKind::COMPUTE && kind != OperationKind::SEND &&
           kind != OperationKind::RECV;
}

std::string
BytesAndTag(const Operation& operation)
{
    return std::to_string(operation.bytes) + " bytes with tag " + std::to_string(operation.tag);
}

} // namespace

WorkloadChecker::WorkloadChecker(const WorkloadSource& source, const std::string& name)
    : m_source(source),
      m_name(name)
{
}

void
WorkloadChecker::SetObserver(Observer observer)
{
    m_observer = std::move(observer);
}

void
WorkloadChecker::SetOrder(Order order)
{
    m_order = order;
}

void
WorkloadChecker::Fail(uint32_t rank, uint64_t operation, const std::string& message) const
{
    throw ConfigError(m_name,
                      "rank " + std::to_string(rank) + " operation " + std::to_string(operation),
                      message);
}

uint64_t
WorkloadChecker::Run(uint32_t iteration, uint64_t seed)
{
    const uint32_t ranks = m_source.GetWorldSize();
    m_runners = std::vector<Runner>(ranks);
    m_gatherings.clear();
    m_messages.clear();
    m_posted.clear();
    m_ready.clear();
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        m_runners[rank].program = m_source.CreateProgram(rank, iteration);
        Wake(rank);
    }
    while (!m_ready.empty())
    {
        RunRank(TakeReady(seed));
    }
    CheckEnd();
    uint64_t operations = 0;
    for (const auto& runner : m_runners)
    {
        operations += runner.count;
    }
    return operations;
}

uint32_t
WorkloadChecker::TakeReady(uint64_t& seed)
{
    auto next = m_ready.begin();
    switch (m_order)
    {
    case Order::SHUFFLED:
        next += static_cast<std::ptrdiff_t>(NextRandom(seed) % m_ready.size());
        break;
    case Order::LOWEST_FIRST:
        next = std::min_element(m_ready.begin(), m_ready.end());
        break;
    case Order::HIGHEST_FIRST:
        next = std::max_element(m_ready.begin(), m_ready.end());
        break;
    }
    std::swap(*next, m_ready.back());
    const uint32_t rank = m_ready.back();
    m_ready.pop_back();
    return rank;
}

void
WorkloadChecker::RunRank(uint32_t rank)
{
    Runner& runner = m_runners[rank];
    runner.ready = false;
    Release(rank, std::exchange(runner.over, {}), {});
    if (IsReceiving(rank) && !TryReceive(rank, runner.operation))
    {
        return;
    }
    runner.blocked = false;
    RunProgram(rank);
    if (runner.read && runner.parked.empty() && !runner.done)
    {
        EndProgram(rank);
    }
}

void
WorkloadChecker::RunProgram(uint32_t rank)
{
    Runner& runner = m_runners[rank];
    while (!runner.read && runner.program->Next(runner.operation))
    {
        ++runner.count;
        CheckForm(rank);
        const Operation& operation = runner.operation;
        if (m_observer)
        {
            m_observer(rank, operation);
        }
        if (operation.stream == OperationStream::UNORDERED)
        {
            Park(rank);
            continue;
        }
        const uint64_t sequence =
            IsCollective(operation.kind) ? runner.sequences[operation.group]++ : 0;
        if (!Begin(rank, operation, sequence))
        {
            runner.blocked = true;
            return;
        }
    }
    runner.read = true;
}

void
WorkloadChecker::EndProgram(uint32_t rank)
{
    Runner& runner = m_runners[rank];
    runner.done = true;
    const uint64_t announced = m_source.CountOperations(rank);
    if (announced != 0 && announced != runner.count)
    {
        Fail(rank,
             runner.count,
             "the program has " + std::to_string(runner.count) + " operations, but announces " +
                 std::to_string(announced));
    }
}

void
WorkloadChecker::Park(uint32_t rank)
{
    Runner& runner = m_runners[rank];
    const uint64_t id = runner.operation.id;
    Parked& parked = runner.parked[id];
    parked.operation = runner.operation;
    if (IsCollective(runner.operation.kind))
    {
        parked.sequence = runner.sequences[runner.operation.group]++;
    }
    for (const uint64_t wait : runner.operation.waits)
    {
        const auto before = runner.parked.find(wait);
        if (before != runner.parked.end())
        {
            before->second.dependents.push_back(id);
            ++parked.pending;
        }
    }
    for (const uint64_t wait : runner.operation.startWaits)
    {
        const auto before = runner.parked.find(wait);
        if (before != runner.parked.end() && !before->second.begun)
        {
            before->second.startDependents.push_back(id);
            ++parked.pending;
        }
    }
    if (parked.pending == 0)
    {
        Release(rank, {}, {{parked.operation.lane, id}});
    }
}

void
WorkloadChecker::Release(uint32_t rank,
                         std::vector<uint64_t> over,
                         std::set<std::pair<uint8_t, uint64_t>> startable)
{
    Runner& runner = m_runners[rank];
    const auto release = [&](const std::vector<uint64_t>& ids) {
        for (const uint64_t id : ids)
        {
            Parked& parked = runner.parked.at(id);
            if (--parked.pending == 0)
            {
                startable.emplace(parked.operation.lane, id);
            }
        }
    };
    while (!over.empty() || !startable.empty())
    {
        if (!over.empty())
        {
            const auto ended = runner.parked.find(over.back());
            over.pop_back();
            const std::vector<uint64_t> dependents = std::move(ended->second.dependents);
            runner.parked.erase(ended);
            release(dependents);
            continue;
        }
        const uint64_t id = startable.begin()->second;
        startable.erase(startable.begin());
        Parked& parked = runner.parked.at(id);
        parked.begun = true;
        release(parked.startDependents);
        if (Begin(rank, parked.operation, parked.sequence))
        {
            over.push_back(id);
        }
    }
}

bool
WorkloadChecker::Begin(uint32_t rank, const Operation& operation, uint64_t sequence)
{
    switch (operation.kind)
    {
    case OperationKind::COMPUTE:
        return true;
    case OperationKind::SEND:
        Send(rank, operation);
        return true;
    case OperationKind::RECV:
        if (TryReceive(rank, operation))
        {
            return true;
        }
        if (operation.stream == OperationStream::UNORDERED)
        {
            m_posted[{operation.peer, rank, operation.tag}].push_back(operation.id);
        }
        return false;
    default:
        return Join(rank, operation, sequence);
    }
}

void
WorkloadChecker::Send(uint32_t rank, const Operation& operation)
{
    const Channel channel{rank, operation.peer, operation.tag};
    m_messages[channel].push_back({operation.bytes, operation.id});
    const auto posted = m_posted.find(channel);
    if (posted != m_posted.end())
    {
        const uint64_t id = posted->second.front();
        posted->second.pop_front();
        if (posted->second.empty())
        {
            m_posted.erase(posted);
        }
        Runner& receiver = m_runners[operation.peer];
        TryReceive(operation.peer, receiver.parked.at(id).operation);
        receiver.over.push_back(id);
        Wake(operation.peer);
    }
    else if (IsReceiving(operation.peer))
    {
        Wake(operation.peer); // it may still not be the message that it waits for
    }
}

void
WorkloadChecker::Wake(uint32_t rank)
{
    Runner& runner = m_runners[rank];
    if (!runner.ready)
    {
        runner.ready = true;
        m_ready.push_back(rank);
    }
}

bool
WorkloadChecker::TryReceive(uint32_t rank, const Operation& operation)
{
    const auto found = m_messages.find({operation.peer, rank, operation.tag});
    if (found == m_messages.end())
    {
        return false;
    }
    const Message message = found->second.front();
    found->second.pop_front();
    if (found->second.empty())
    {
        m_messages.erase(found);
    }
    if (message.bytes != operation.bytes)
    {
        Fail(rank,
             operation.id,
             "expects " + BytesAndTag(operation) + " from rank " + std::to_string(operation.peer) +
                 ", which sends " + std::to_string(message.bytes) + " bytes (its operation " +
                 std::to_string(message.operation) + ")");
    }
    return true;
}

bool
WorkloadChecker::Join(uint32_t rank, const Operation& operation, uint64_t sequence)
{
    const ProcessGroup& group = m_source.GetGroups()[operation.group];
    const auto place = m_gatherings.try_emplace({operation.group, sequence}).first;
    Gathering& gathering = place->second;
    if (gathering.arrived.empty())
    {
        gathering.first = operation;
        gathering.firstRank = rank;
        CheckExchange(rank, operation);
    }
    const Operation& first = gathering.first;
    if (operation.kind != first.kind || operation.bytes != first.bytes ||
        operation.root != first.root || operation.exchange != first.exchange)
    {
        const auto describe = [](const Operation& one) {
            return std::string(ToString(one.kind)) + " of " + std::to_string(one.bytes) +
                   " bytes with root " + std::to_string(one.root) +
                   (one.exchange ? " in uneven parts of its own" : "");
        };
        Fail(rank,
             operation.id,
             describe(operation) + " on group " + std::to_string(operation.group) + " (" +
                 group.name + ") meets " + describe(first) + " of rank " +
                 std::to_string(gathering.firstRank) + " (its operation " +
                 std::to_string(first.id) + ")");
    }
    gathering.arrived.emplace_back(rank, operation.id);
    if (gathering.arrived.size() < group.ranks.size())
    {
        return false;
    }
    for (const auto& [member, id] : gathering.arrived)
    {
        if (member == rank)
        {
            continue;
        }
        if (m_runners[member].parked.count(id) > 0)
        {
            m_runners[member].over.push_back(id);
        }
        Wake(member);
    }
    m_gatherings.erase(place);
    return true;
}

bool
WorkloadChecker::IsReceiving(uint32_t rank) const
{
    const Runner& runner = m_runners[rank];
    return runner.blocked && runner.operation.kind == OperationKind::RECV;
}

void
WorkloadChecker::CheckForm(uint32_t rank) const
{
    const Runner& runner = m_runners[rank];
    const Operation& operation = runner.operation;
    const uint64_t position = runner.count - 1;
    if (operation.id != position)
    {
        Fail(rank, position, "has the id " + std::to_string(operation.id));
    }
    for (const auto* waits : {&operation.waits, &operation.startWaits})
    {
        for (const uint64_t wait : *waits)
        {
            if (wait >= operation.id)
            {
                Fail(rank,
                     position,
                     "waits for operation " + std::to_string(wait) + ", which is not earlier");
            }
        }
    }
    if (operation.durationPs < 0)
    {
        Fail(rank, position, "takes " + std::to_string(operation.durationPs) + " ps");
    }
    if (IsCollective(operation.kind))
    {
        CheckCollectiveForm(rank);
    }
    else if (operation.kind != OperationKind::COMPUTE &&
             (operation.peer >= m_runners.size() || operation.peer == rank))
    {
        Fail(rank,
             position,
             std::string(ToString(operation.kind)) + " with peer " +
                 std::to_string(operation.peer) + ", but there are " +
                 std::to_string(m_runners.size()) + " ranks and a peer is another one");
    }
}

void
WorkloadChecker::CheckCollectiveForm(uint32_t rank) const
{
    const Operation& operation = m_runners[rank].operation;
    const auto& groups = m_source.GetGroups();
    if (operation.group >= groups.size())
    {
        Fail(rank,
             operation.id,
             "group " + std::to_string(operation.group) + " of " + std::to_string(groups.size()));
    }
    const ProcessGroup& group = groups[operation.group];
    if (std::find(group.ranks.begin(), group.ranks.end(), rank) == group.ranks.end())
    {
        Fail(rank,
             operation.id,
             "is not in group " + std::to_string(operation.group) + " (" + group.name + ")");
    }
    if (operation.root >= group.ranks.size())
    {
        Fail(rank,
             operation.id,
             "root " + std::to_string(operation.root) + " in a group of " +
                 std::to_string(group.ranks.size()));
    }
}

void
WorkloadChecker::CheckExchange(uint32_t rank, const Operation& operation) const
{
    if (!operation.exchange)
    {
        return;
    }
    const std::size_t members = m_source.GetGroups()[operation.group].ranks.size();
    const std::string what = ToString(operation.kind);
    if (operation.kind != OperationKind::ALL_TO_ALL)
    {
        Fail(rank, operation.id, what + " in uneven parts; only all_to_all exchanges parts");
    }
    if (operation.exchange->GetGroupSize() != members)
    {
        Fail(rank,
             operation.id,
             what + " in parts for " + std::to_string(operation.exchange->GetGroupSize()) +
                 " ranks in a group of " + std::to_string(members));
    }
    const uint64_t mean = operation.exchange->GetMeanBytes();
    if (operation.bytes != mean)
    {
        Fail(rank,
             operation.id,
             what + " of " + std::to_string(operation.bytes) + " bytes in parts of " +
                 std::to_string(mean) + " bytes per rank on average");
    }
}

std::string
WorkloadChecker::Describe(uint32_t rank) const
{
    const Runner& runner = m_runners[rank];
    const Operation* open = &runner.operation;
    uint64_t sequence = 0;
    for (const auto& [id, parked] : runner.parked)
    {
        if (parked.begun)
        {
            open = &parked.operation;
            sequence = parked.sequence;
            break;
        }
    }
    const Operation& operation = *open;
    std::string text =
        "rank " + std::to_string(rank) + " operation " + std::to_string(operation.id) + " ";
    if (operation.kind == OperationKind::RECV)
    {
        return text + "waits for " + BytesAndTag(operation) + " from rank " +
               std::to_string(operation.peer);
    }
    if (!IsCollective(operation.kind))
    {
        return text + ToString(operation.kind) + " cannot begin";
    }
    if (operation.stream != OperationStream::UNORDERED)
    {
        sequence = runner.sequences.at(operation.group) - 1;
    }
    const ProcessGroup& group = m_source.GetGroups()[operation.group];
    text += std::string(ToString(operation.kind)) + " on group " + std::to_string(operation.group) +
            " (" + group.name + ") waits for ranks";
    const auto gathering = m_gatherings.find({operation.group, sequence});
    for (const uint32_t member : group.ranks)
    {
        bool there = false;
        for (std::size_t i = 0;
             gathering != m_gatherings.end() && !there && i < gathering->second.arrived.size();
             ++i)
        {
            there = gathering->second.arrived[i].first == member;
        }
        text += there ? "" : " " + std::to_string(member);
    }
    return text;
}

void
WorkloadChecker::CheckEnd() const
{
    constexpr uint32_t mostNamed = 8;
    std::string open;
    uint32_t stuck = 0;
    uint32_t firstStuck = 0;
    for (uint32_t rank = 0; rank < m_runners.size(); ++rank)
    {
        if (m_runners[rank].done)
        {
            continue;
        }
        firstStuck = stuck == 0 ? rank : firstStuck;
        open += stuck < mostNamed ? "; " + Describe(rank) : "";
        ++stuck;
    }
    if (stuck > 0)
    {
        throw ConfigError(m_name,
                          "rank " + std::to_string(firstStuck),
                          "deadlock of " + std::to_string(stuck) + " ranks" + open +
                              (stuck > mostNamed ? "; ..." : ""));
    }
    if (!m_messages.empty())
    {
        const auto& [channel, messages] = *m_messages.begin();
        const auto& [from, to, tag] = channel;
        Fail(from,
             messages.front().operation,
             "sends " + std::to_string(messages.front().bytes) + " bytes with tag " +
                 std::to_string(tag) + " to rank " + std::to_string(to) +
                 ", which has no receive for them");
    }
}

} // namespace llm
} // namespace ns3
