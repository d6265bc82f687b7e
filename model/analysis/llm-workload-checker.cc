/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-workload-checker.h"

#include "ns3/llm-config-error.h"

#include <algorithm>

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
    m_gatherings.assign(m_source.GetGroups().size(), Gathering());
    m_messages.clear();
    m_ready.clear();
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        m_runners[rank].program = m_source.CreateProgram(rank, iteration);
        Wake(rank);
    }
    while (!m_ready.empty())
    {
        std::swap(m_ready[NextRandom(seed) % m_ready.size()], m_ready.back());
        const uint32_t rank = m_ready.back();
        m_ready.pop_back();
        RunRank(rank);
    }
    CheckEnd();
    uint64_t operations = 0;
    for (const auto& runner : m_runners)
    {
        operations += runner.count;
    }
    return operations;
}

void
WorkloadChecker::RunRank(uint32_t rank)
{
    Runner& runner = m_runners[rank];
    runner.ready = false;
    if (IsReceiving(rank) && !TryReceive(rank))
    {
        return;
    }
    runner.blocked = false;
    while (runner.program->Next(runner.operation))
    {
        ++runner.count;
        if (!Begin(rank))
        {
            runner.blocked = true;
            return;
        }
    }
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

bool
WorkloadChecker::Begin(uint32_t rank)
{
    CheckForm(rank);
    const Operation& operation = m_runners[rank].operation;
    if (m_observer)
    {
        m_observer(rank, operation);
    }
    switch (operation.kind)
    {
    case OperationKind::COMPUTE:
        return true;
    case OperationKind::SEND:
        m_messages[{rank, operation.peer, operation.tag}].push_back(
            {operation.bytes, operation.id});
        if (IsReceiving(operation.peer))
        {
            Wake(operation.peer); // it may still not be the message that it waits for
        }
        return true;
    case OperationKind::RECV:
        return TryReceive(rank);
    default:
        return Join(rank);
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
WorkloadChecker::TryReceive(uint32_t rank)
{
    const Operation& operation = m_runners[rank].operation;
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
WorkloadChecker::Join(uint32_t rank)
{
    const Operation& operation = m_runners[rank].operation;
    const ProcessGroup& group = m_source.GetGroups()[operation.group];
    Gathering& gathering = m_gatherings[operation.group];
    if (gathering.arrived == 0)
    {
        gathering.first = operation;
        gathering.firstRank = rank;
        CheckExchange(rank);
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
    ++gathering.arrived;
    if (gathering.arrived < group.ranks.size())
    {
        return false;
    }
    gathering.arrived = 0;
    for (const uint32_t member : group.ranks)
    {
        if (member != rank)
        {
            Wake(member);
        }
    }
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
    for (const uint64_t wait : operation.waits)
    {
        if (wait >= operation.id)
        {
            Fail(rank,
                 position,
                 "waits for operation " + std::to_string(wait) + ", which is not earlier");
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
WorkloadChecker::CheckExchange(uint32_t rank) const
{
    const Operation& operation = m_runners[rank].operation;
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
    const Operation& operation = m_runners[rank].operation;
    std::string text =
        "rank " + std::to_string(rank) + " operation " + std::to_string(operation.id) + " ";
    if (operation.kind == OperationKind::RECV)
    {
        return text + "waits for " + BytesAndTag(operation) + " from rank " +
               std::to_string(operation.peer);
    }
    const ProcessGroup& group = m_source.GetGroups()[operation.group];
    text += std::string(ToString(operation.kind)) + " on group " + std::to_string(operation.group) +
            " (" + group.name + ") waits for ranks";
    for (const uint32_t member : group.ranks)
    {
        const Runner& other = m_runners[member];
        const bool there = other.blocked && IsCollective(other.operation.kind) &&
                           other.operation.group == operation.group;
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
