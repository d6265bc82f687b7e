/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-goal-writer.h"

#include "llm-collective-operation.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t MOST_TAG = INT32_MAX; //!< what tools that read GOAL hold
constexpr uint64_t NO_LABEL = UINT64_MAX;
constexpr std::size_t MANY = 4; //!< so many dependencies get a join of their own
constexpr int64_t PS_PER_NS = 1000;

/** A receive of a transfer program. */
struct Receive
{
    uint64_t label{NO_LABEL}; //!< NO_LABEL: empty, so over at once
    uint32_t peer{0};         //!< group rank
    bool needed{false};       //!< some send waits for it
};

/** The last send to a peer. */
struct LastSend
{
    uint64_t label{NO_LABEL};
    uint64_t firstDependency{0};
    uint64_t endDependency{0};
    bool held{false}; //!< it waits for the start of the send before it, too
};

/** @return whether @p later can never be ready before @p before is. */
bool
FollowsAnyway(const LastSend& before, const Transfer& later, const std::vector<Receive>& receives)
{
    if (before.held)
    {
        return false;
    }
    if (before.firstDependency >= before.endDependency)
    {
        return true; // that one started with the collective
    }
    if (later.firstDependency <= before.firstDependency &&
        later.endDependency >= before.endDependency)
    {
        return true;
    }
    if (later.firstDependency >= later.endDependency || later.endDependency < before.endDependency)
    {
        return false;
    }
    // Receives from one peer come in order: whoever has the later one has those before.
    const uint32_t peer = receives[before.firstDependency].peer;
    for (uint64_t i = before.firstDependency; i < before.endDependency; ++i)
    {
        if (receives[i].peer != peer)
        {
            return false;
        }
    }
    return receives[later.endDependency - 1].peer == peer;
}

} // namespace

/** What is known while the statements of a rank are written. */
struct GoalWriter::RankState
{
    std::ostream& out;
    Totals& totals;
    uint32_t rank;
    std::vector<uint64_t> endOf{}; //!< by operation: label that is over when it is
    std::array<uint64_t, static_cast<std::size_t>(OperationStream::COUNT)> lastOf{}; //!< by stream
    std::map<uint32_t, uint64_t> sequences{}; //!< by group: collectives so far
    uint64_t labels{0};                       //!< used
    uint32_t cpu{0};                          //!< of the present operation
    uint64_t start{NO_LABEL};                 //!< what the present operation comes behind
    std::vector<uint64_t> open{};             //!< what the present collective waits for in the end

    /** Begin a statement. @return its label. */
    uint64_t Begin()
    {
        out << "l" << labels << ": ";
        return labels++;
    }

    /** Write a dependency. */
    void Require(uint64_t label, uint64_t before, const char* verb = "requires")
    {
        if (before != NO_LABEL)
        {
            out << "l" << label << " " << verb << " l" << before << "\n";
        }
    }

    /** Write a computation without duration. @return a label that is over when all are. */
    uint64_t Join(const std::vector<uint64_t>& labelsBefore)
    {
        if (labelsBefore.size() == 1)
        {
            return labelsBefore.front();
        }
        const uint64_t label = Begin();
        out << "calc 0 cpu " << cpu << "\n";
        ++totals.calcs;
        for (const uint64_t before : labelsBefore)
        {
            Require(label, before);
        }
        return label;
    }
};

GoalWriter::GoalWriter(const WorkloadSource& source, uint32_t channels, Chooser chooser)
    : m_source(source),
      m_chooser(std::move(chooser)),
      m_channels(std::max(channels, source.GetChannelCount()))
{
    ColourGroups();
}

void
GoalWriter::ColourGroups()
{
    std::vector<std::set<uint32_t>> used(m_source.GetWorldSize());
    for (const ProcessGroup& group : m_source.GetGroups())
    {
        uint32_t colour = 0;
        const auto taken = [&](uint32_t rank) { return used[rank].count(colour) > 0; };
        while (std::any_of(group.ranks.begin(), group.ranks.end(), taken))
        {
            ++colour;
        }
        for (const uint32_t rank : group.ranks)
        {
            used[rank].insert(colour);
        }
        m_colours.push_back(colour);
        m_colourCount = std::max(m_colourCount, colour + 1);
    }
}

GoalWriter::Totals
GoalWriter::Write(std::ostream& out, const std::string& title) const
{
    Totals totals;
    out << "//@ llm-training 1 channels=" << m_channels << "\n"
        << "// " << title << "\n"
        << "// A cpu is a stream of an accelerator. What follows //@ is for llm-training alone.\n"
        << "num_ranks " << m_source.GetWorldSize() << "\n";
    for (uint32_t rank = 0; rank < m_source.GetWorldSize(); ++rank)
    {
        WriteRank(out, rank, totals);
    }
    out << std::flush;
    return totals;
}

void
GoalWriter::WriteRank(std::ostream& out, uint32_t rank, Totals& totals) const
{
    RankState state{out, totals, rank};
    state.lastOf.fill(NO_LABEL);
    out << "\nrank " << rank << " {\n";
    const auto program = m_source.CreateProgram(rank, 0);
    std::vector<uint64_t> before;
    for (Operation operation; program->Next(operation);)
    {
        const bool ordered = operation.stream != OperationStream::UNORDERED;
        const auto stream = static_cast<std::size_t>(operation.stream);
        before.clear();
        if (ordered && state.lastOf[stream] != NO_LABEL)
        {
            before.push_back(state.lastOf[stream]);
        }
        for (const uint64_t wait : operation.waits)
        {
            before.push_back(state.endOf[wait]);
        }
        std::sort(before.begin(), before.end());
        before.erase(std::unique(before.begin(), before.end()), before.end());
        before.erase(std::remove(before.begin(), before.end(), NO_LABEL), before.end());

        state.cpu = ordered ? static_cast<uint32_t>(stream) : operation.lane;
        const uint64_t firstLabel = state.labels;
        uint64_t end = NO_LABEL;
        if (operation.kind == OperationKind::COMPUTE || operation.kind == OperationKind::SEND ||
            operation.kind == OperationKind::RECV)
        {
            end = state.labels;
            WritePair(state, operation);
            for (const uint64_t label : before)
            {
                state.Require(end, label);
            }
            for (const uint64_t wait : operation.startWaits)
            {
                state.Require(end, state.endOf[wait], "irequires");
            }
        }
        else
        {
            state.start = before.empty() ? NO_LABEL : state.Join(before);
            WriteCollective(state, operation);
            end = state.labels > firstLabel ? state.labels - 1 : state.start;
        }
        state.endOf.push_back(end);
        if (ordered && end != NO_LABEL)
        {
            state.lastOf[stream] = end;
        }
    }
    out << "}\n";
}

void
GoalWriter::WritePair(RankState& state, const Operation& operation) const
{
    state.Begin();
    if (operation.kind == OperationKind::COMPUTE)
    {
        const int64_t ns = (operation.durationPs + PS_PER_NS / 2) / PS_PER_NS;
        state.out << "calc " << ns << " cpu " << state.cpu;
        if (ns * PS_PER_NS != operation.durationPs)
        {
            state.out << " //@ ps=" << operation.durationPs;
        }
        ++state.totals.calcs;
    }
    else
    {
        const bool send = operation.kind == OperationKind::SEND;
        if (operation.tag > MOST_TAG / 2)
        {
            throw ConfigError("GoalWriter",
                              "rank " + std::to_string(state.rank) + " operation " +
                                  std::to_string(operation.id),
                              "tag " + std::to_string(operation.tag) +
                                  " cannot be written; at most " + std::to_string(MOST_TAG / 2));
        }
        state.out << (send ? "send " : "recv ") << operation.bytes << (send ? "b to " : "b from ")
                  << operation.peer << " tag " << 2 * operation.tag << " cpu " << state.cpu
                  << " //@ dimension=" << ToString(operation.dimension);
        if (send && operation.channel > 0)
        {
            state.out << " channel=" << operation.channel;
        }
        ++(send ? state.totals.sends : state.totals.receives);
        state.totals.bytes += send ? operation.bytes : 0;
    }
    state.out << "\n";
}

CollectiveSpec
GoalWriter::MakeSpec(const Operation& operation, const CollectiveAlgorithm*& algorithm) const
{
    const ProcessGroup& group = m_source.GetGroups()[operation.group];
    CollectiveSpec spec;
    spec.kind = GetCollectiveKind(operation.kind);
    spec.groupSize = static_cast<uint32_t>(group.ranks.size());
    spec.bytes = operation.bytes;
    spec.root = operation.root;
    spec.exchange = operation.exchange;
    algorithm = m_chooser(spec, group, operation.dimension);
    if (spec.channels > m_channels)
    {
        throw ConfigError("GoalWriter",
                          "",
                          "a collective has " + std::to_string(spec.channels) + " channels; " +
                              std::to_string(m_channels) + " were announced");
    }
    return spec;
}

void
GoalWriter::WriteCollective(RankState& state, const Operation& operation) const
{
    const CollectiveAlgorithm* algorithm = nullptr;
    const CollectiveSpec spec = MakeSpec(operation, algorithm);
    const ProcessGroup& group = m_source.GetGroups()[operation.group];
    const auto place = std::find(group.ranks.begin(), group.ranks.end(), state.rank);
    const auto groupRank = static_cast<uint32_t>(place - group.ranks.begin());
    const uint64_t sequence = state.sequences[operation.group]++;
    state.out << "// " << ToString(operation.kind) << " of " << operation.bytes << " B, "
              << algorithm->GetName() << ", " << group.name << " of " << spec.groupSize
              << " ranks from " << group.ranks.front() << ", number " << sequence << "\n";
    const uint64_t firstLabel = state.labels;
    for (uint32_t channel = 0; channel < spec.channels; ++channel)
    {
        const uint64_t number =
            (sequence * m_colourCount + m_colours[operation.group]) * m_channels + channel;
        if (number > MOST_TAG / 2)
        {
            throw ConfigError("GoalWriter",
                              "rank " + std::to_string(state.rank) + " operation " +
                                  std::to_string(operation.id),
                              "too many collectives: their tags do not fit in 31 bits");
        }
        const auto program = algorithm->CreateProgram(spec, groupRank, channel);
        WriteChannel(state, operation, *program, channel, 2 * number + 1);
    }
    // The end of it all: a label that comes last and is over when the collective is.
    if (state.open.size() == 1 && state.open.front() + 1 == state.labels)
    {
        state.open.clear();
    }
    else if (state.labels > firstLabel)
    {
        const uint64_t join = state.Begin();
        state.out << "calc 0 cpu " << state.cpu << "\n";
        ++state.totals.calcs;
        for (const uint64_t label : state.open)
        {
            state.Require(join, label);
        }
        state.open.clear();
    }
}

void
GoalWriter::WriteChannel(RankState& state,
                         const Operation& operation,
                         TransferProgram& program,
                         uint32_t channel,
                         uint64_t tag) const
{
    const std::vector<uint32_t>& ranks = m_source.GetGroups()[operation.group].ranks;
    const char* dimension = ToString(operation.dimension);
    std::vector<Receive> receives;
    std::map<uint32_t, LastSend> lastSends;
    uint64_t joined = 0;           // receives [0, joined) are over when ...
    uint64_t joinLabel = NO_LABEL; // ... this one is
    std::vector<uint64_t> needs;
    for (Transfer transfer; program.Next(transfer);)
    {
        if (transfer.inNetwork != InNetwork::NONE)
        {
            throw ConfigError("GoalWriter",
                              "",
                              std::string(ToString(operation.kind)) +
                                  " is done by a switch of the scale-up domain, for which GOAL has "
                                  "no words; choose another algorithm than nvls");
        }
        if (!transfer.send)
        {
            receives.push_back({NO_LABEL, transfer.peer, false});
        }
        if (transfer.bytes == 0)
        {
            continue;
        }
        if (!transfer.send)
        {
            receives.back().label = state.Begin();
            state.out << "recv " << transfer.bytes << "b from " << ranks[transfer.peer] << " tag "
                      << tag << " cpu " << state.cpu << " //@ dimension=" << dimension << "\n";
            state.Require(receives.back().label, state.start);
            ++state.totals.receives;
            continue;
        }
        needs.clear();
        const bool fromFirst = transfer.firstDependency == 0 && joinLabel != NO_LABEL &&
                               joined <= transfer.endDependency;
        if (fromFirst)
        {
            needs.push_back(joinLabel);
        }
        for (uint64_t i = fromFirst ? joined : transfer.firstDependency; i < transfer.endDependency;
             ++i)
        {
            receives[i].needed = true;
            if (receives[i].label != NO_LABEL)
            {
                needs.push_back(receives[i].label);
            }
        }
        if (needs.size() > MANY && transfer.firstDependency == 0)
        {
            joinLabel = state.Join(needs);
            joined = transfer.endDependency;
            needs = {joinLabel};
        }
        if (needs.empty() && state.start != NO_LABEL)
        {
            needs.push_back(state.start);
        }
        const uint64_t label = state.Begin();
        state.out << "send " << transfer.bytes << "b to " << ranks[transfer.peer] << " tag " << tag
                  << " cpu " << state.cpu << " //@ dimension=" << dimension;
        if (channel > 0)
        {
            state.out << " channel=" << channel;
        }
        state.out << "\n";
        for (const uint64_t before : needs)
        {
            state.Require(label, before);
        }
        LastSend& last = lastSends[transfer.peer];
        const bool held = last.label != NO_LABEL && !FollowsAnyway(last, transfer, receives);
        if (held)
        {
            state.Require(label, last.label, "irequires");
        }
        last = {label, transfer.firstDependency, transfer.endDependency, held};
        state.open.push_back(label);
        ++state.totals.sends;
        state.totals.bytes += transfer.bytes;
    }
    for (const Receive& receive : receives)
    {
        // What a send waits for is over when the send is.
        if (receive.label != NO_LABEL && !receive.needed)
        {
            state.open.push_back(receive.label);
        }
    }
}

} // namespace llm
} // namespace ns3
