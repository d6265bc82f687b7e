/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_CHECKER_H
#define COLLECTIVE_CHECKER_H

#include "ns3/llm-byte-split.h"
#include "ns3/llm-collective-algorithm.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/// @return the numbers of a spec, for messages
inline std::string
Describe(const CollectiveSpec& spec)
{
    return std::string(ToString(spec.kind)) + " n=" + std::to_string(spec.groupSize) +
           " bytes=" + std::to_string(spec.bytes) + " channels=" + std::to_string(spec.channels) +
           " slice=" + std::to_string(spec.sliceBytes) + " root=" + std::to_string(spec.root) +
           " node=" + std::to_string(spec.ranksPerNode) + (spec.exchange ? " uneven" : "");
}

using RankSet = std::bitset<128>; //!< bit per rank

/// One byte of symbolic data: whose contributions it holds, and which position of whose buffer.
struct Symbol
{
    RankSet ranks;        //!< bit per rank that is summed up in it; none: nothing
    uint64_t position{0}; //!< where it stood at the start

    /// @return same content
    bool operator==(const Symbol& other) const
    {
        return ranks == other.ranks && position == other.position;
    }
};

/**
 * Replays the programs of all ranks on symbolic data, in a random order that the dependencies
 * allow, with in-order channels between each pair, and says the first thing that is wrong.
 */
class ScheduleChecker
{
  public:
    /**
     * @param algorithm under test
     * @param spec what
     * @param seed order of events
     * @param sendsReadFirst a receive takes effect after the sends before it have read their data
     */
    ScheduleChecker(const CollectiveAlgorithm& algorithm,
                    const CollectiveSpec& spec,
                    uint32_t seed,
                    bool sendsReadFirst = false)
        : m_algorithm(algorithm),
          m_spec(spec),
          m_sendsReadFirst(sendsReadFirst),
          m_random(seed)
    {
        const uint32_t n = spec.groupSize;
        m_data.resize(n);
        m_result.resize(n);
        m_scratch.resize(n);
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            m_data[rank] = InitialData(rank);
            if (spec.kind == CollectiveKind::ALL_TO_ALL)
            {
                m_result[rank].resize(ReceivedBytes(rank));
            }
            for (uint32_t channel = 0; channel < spec.channels; ++channel)
            {
                LoadProgram(rank, channel);
            }
        }
    }

    /// @return empty if the schedule does what the collective promises
    std::string Run()
    {
        while (m_error.empty() && (!m_ready.empty() || !m_lanes.empty()))
        {
            const std::size_t choice = m_random() % (m_ready.size() + m_lanes.size());
            if (choice < m_ready.size())
            {
                Start(choice);
            }
            else
            {
                Deliver(choice - m_ready.size());
            }
        }
        for (const auto& run : m_runs)
        {
            if (m_error.empty() && (run.sent < run.sends.size() || run.got < run.receives.size()))
            {
                m_error = "rank " + std::to_string(run.rank) + " never finishes";
            }
        }
        if (m_error.empty())
        {
            CheckResult();
        }
        if (m_error.empty())
        {
            CheckPairBytes();
        }
        return m_error.empty() ? "" : Describe(m_spec) + ": " + m_error;
    }

  private:
    using Line = std::vector<Symbol>; //!< a buffer

    /// Group rank of the other side, and whether the switch is between.
    using Partner = std::pair<uint32_t, InNetwork>;

    /// A step of a program, with pieces of its own.
    struct Piecewise
    {
        Transfer transfer;             //!< as listed; its pieces are void
        std::vector<ByteRange> pieces; //!< at least one
    };

    /// One rank's part in one channel.
    struct Part
    {
        uint32_t rank{0};                //!< who
        uint32_t channel{0};             //!< where
        std::vector<Piecewise> sends;    //!< in program order
        std::vector<Piecewise> receives; //!< in program order
        std::vector<bool> done;          //!< receives that are complete
        std::vector<std::size_t> before; //!< per receive: the sends before it
        std::vector<bool> started;       //!< sends that have read their data
        std::size_t firstUndone{0};      //!< all receives before are complete
        std::size_t firstUnsent{0};      //!< all sends before have
        std::size_t sent{0};             //!< number of started sends
        std::size_t got{0};              //!< number of complete receives
        /// per peer: receives not yet matched, in order
        std::map<Partner, std::deque<std::size_t>> expected;
        /// per peer: sends not yet started, in order
        std::map<Partner, std::deque<std::size_t>> waiting;
        std::set<Partner> offered; //!< peers whose next send is in m_ready
    };

    /// A sum in the switch.
    struct Sum
    {
        uint32_t shares{0}; //!< given so far
        Line data;          //!< their sum
    };

    /// Messages under way from a part to a peer, oldest first.
    struct Lane
    {
        std::size_t part;      //!< sender
        Partner peer;          //!< receiver
        std::deque<Line> data; //!< as it was at the start
    };

    /// @return length of what a rank of an all_to_all gets, from itself included
    uint64_t ReceivedBytes(uint32_t rank) const
    {
        return m_spec.exchange
                   ? m_spec.exchange->GetReceived(rank)
                   : m_spec.groupSize * SplitBytes(m_spec.bytes, m_spec.groupSize, rank).bytes;
    }

    /// @return what a rank holds before
    Line InitialData(uint32_t rank) const
    {
        Line line(m_spec.exchange ? m_spec.exchange->GetSent(rank) : m_spec.bytes);
        const ByteRange own = SplitBytes(m_spec.bytes, m_spec.groupSize, rank);
        for (uint64_t i = 0; i < line.size(); ++i)
        {
            const bool holds =
                m_spec.kind == CollectiveKind::ALL_GATHER
                    ? i >= own.offset && i < own.offset + own.bytes
                    : m_spec.kind != CollectiveKind::BROADCAST || rank == m_spec.root;
            line[i] = {holds ? RankSet().set(rank) : RankSet(), i};
        }
        return line;
    }

    /// Read a program to its end.
    void LoadProgram(uint32_t rank, uint32_t channel)
    {
        Part part;
        part.rank = rank;
        part.channel = channel;
        const auto program = m_algorithm.CreateProgram(m_spec, rank, channel);
        Transfer transfer;
        while (program->Next(transfer))
        {
            const bool direct = transfer.inNetwork == InNetwork::NONE;
            if (transfer.peer >= m_spec.groupSize || (transfer.peer == rank && direct))
            {
                m_error = "peer " + std::to_string(transfer.peer);
            }
            if (m_spec.sliceBytes != 0 && transfer.bytes > m_spec.sliceBytes)
            {
                m_error = "a slice of " + std::to_string(transfer.bytes) + " bytes";
            }
            if (transfer.bytes == 0)
            {
                m_error = "an empty transfer";
            }
            Piecewise step{transfer, {{transfer.offset, transfer.bytes}}};
            if (transfer.pieces)
            {
                step.pieces = *transfer.pieces;
            }
            if (transfer.send)
            {
                if (transfer.endDependency > part.receives.size())
                {
                    m_error = "a send waits for a receive that comes behind it";
                }
                part.waiting[{transfer.peer, transfer.inNetwork}].push_back(part.sends.size());
                part.sends.push_back(std::move(step));
            }
            else
            {
                part.expected[{transfer.peer, transfer.inNetwork}].push_back(part.receives.size());
                part.before.push_back(part.sends.size());
                part.receives.push_back(std::move(step));
            }
        }
        if (program->Next(transfer))
        {
            m_error = "goes on after the end";
        }
        part.done.resize(part.receives.size());
        part.started.resize(part.sends.size());
        m_index[{rank, channel}] = m_runs.size();
        m_runs.push_back(std::move(part));
        FindReady(m_runs.size() - 1);
    }

    /// Collect the sends that may start: the earliest to each peer, once its dependencies are met.
    void FindReady(std::size_t index)
    {
        Part& part = m_runs[index];
        for (auto& [peer, waiting] : part.waiting)
        {
            if (waiting.empty() || part.offered.count(peer) > 0)
            {
                continue;
            }
            const Transfer& send = part.sends[waiting.front()].transfer;
            bool ready = true;
            for (uint64_t d = std::max<uint64_t>(send.firstDependency, part.firstUndone);
                 ready && d < send.endDependency;
                 ++d)
            {
                ready = part.done[d];
            }
            if (ready)
            {
                part.offered.insert(peer);
                m_ready.emplace_back(index, peer);
            }
        }
    }

    /// A send reads its data and is on the way.
    void Start(std::size_t choice)
    {
        const auto [index, peer] = m_ready[choice];
        m_ready[choice] = m_ready.back();
        m_ready.pop_back();
        Part& part = m_runs[index];
        const std::size_t number = part.waiting[peer].front();
        part.waiting[peer].pop_front();
        part.offered.erase(peer);
        Line data;
        for (const ByteRange& piece : part.sends[number].pieces)
        {
            const bool relayed = piece.offset >= SCRATCH_OFFSET;
            const Line& line = relayed ? m_scratch[part.rank] : m_data[part.rank];
            const uint64_t offset = piece.offset - (relayed ? SCRATCH_OFFSET : 0);
            if (offset + piece.bytes > line.size())
            {
                m_error = "a send beyond the buffer";
                return;
            }
            const auto begin = line.begin() + static_cast<std::ptrdiff_t>(offset);
            data.insert(data.end(), begin, begin + static_cast<std::ptrdiff_t>(piece.bytes));
        }
        if (data.size() != part.sends[number].transfer.bytes)
        {
            m_error = "pieces of " + std::to_string(data.size()) + " bytes";
            return;
        }
        const auto [to, inNetwork] = peer;
        m_pairBytes[{part.rank, inNetwork == InNetwork::NONE ? to : part.rank}] += data.size();
        switch (inNetwork)
        {
        case InNetwork::NONE:
            Depart(index, peer, std::move(data));
            break;
        case InNetwork::REDUCE:
            AddShare(index, to, std::move(data));
            break;
        case InNetwork::MULTICAST:
            for (uint32_t member = 0; member < m_spec.groupSize; ++member)
            {
                Depart(index, {member, inNetwork}, data);
            }
            break;
        }
        ++part.sent;
        part.started[number] = true;
        while (part.firstUnsent < part.started.size() && part.started[part.firstUnsent])
        {
            ++part.firstUnsent;
        }
        FindReady(index);
    }

    /// A rank's share of a sum reaches the switch; the last one lets the sum go.
    void AddShare(std::size_t index, uint32_t owner, Line data)
    {
        const Part& part = m_runs[index];
        const std::size_t number = m_given[{part.rank, owner, part.channel}]++;
        auto& sums = m_sums[{owner, part.channel}];
        if (sums.size() <= number)
        {
            sums.resize(number + 1);
        }
        Sum& sum = sums[number];
        if (sum.shares++ == 0)
        {
            sum.data = std::move(data);
        }
        else if (sum.data.size() != data.size())
        {
            m_error = "shares of different length";
            return;
        }
        else
        {
            for (std::size_t i = 0; i < data.size(); ++i)
            {
                Take(sum.data[i], data[i], true);
            }
        }
        if (sum.shares == m_spec.groupSize)
        {
            Depart(m_index.at({owner, part.channel}),
                   {owner, InNetwork::REDUCE},
                   std::move(sum.data));
        }
    }

    /// Put a message behind those of its pair and channel.
    void Depart(std::size_t index, Partner peer, Line data)
    {
        const auto [place, isNew] = m_laneOf.insert({{index, peer}, m_lanes.size()});
        if (isNew)
        {
            m_lanes.push_back({index, peer, {}});
        }
        m_lanes[place->second].data.push_back(std::move(data));
    }

    /// A message arrives: the oldest of its lane.
    void Deliver(std::size_t choice)
    {
        Lane& lane = m_lanes[choice];
        const uint32_t from = m_runs[lane.part].rank;
        const std::size_t index = m_index.at({lane.peer.first, m_runs[lane.part].channel});
        Part& part = m_runs[index];
        auto& expected = part.expected[{from, lane.peer.second}];
        if (expected.empty())
        {
            m_error = "rank " + std::to_string(part.rank) + " expects nothing more from rank " +
                      std::to_string(from);
            return;
        }
        const std::size_t number = expected.front();
        if (m_sendsReadFirst && part.before[number] > part.firstUnsent)
        {
            if (++m_refused > 1000 * (m_lanes.size() + m_ready.size()))
            {
                m_error = "nothing moves";
            }
            return; // it waits; another event comes first
        }
        m_refused = 0;
        expected.pop_front();
        Receive(part.receives[number], lane.data.front(), part.rank);
        lane.data.pop_front();
        if (lane.data.empty())
        {
            m_laneOf.erase({lane.part, lane.peer});
            if (choice + 1 < m_lanes.size())
            {
                lane = std::move(m_lanes.back());
                m_laneOf[{lane.part, lane.peer}] = choice;
            }
            m_lanes.pop_back();
        }
        part.done[number] = true;
        while (part.firstUndone < part.done.size() && part.done[part.firstUndone])
        {
            ++part.firstUndone;
        }
        ++part.got;
        FindReady(index);
    }

    /// Put arrived data where the receiver wants it.
    void Receive(const Piecewise& receive, const Line& data, uint32_t rank)
    {
        if (receive.transfer.bytes != data.size())
        {
            m_error = "sent " + std::to_string(data.size()) + " bytes, expected " +
                      std::to_string(receive.transfer.bytes);
            return;
        }
        std::size_t read = 0;
        for (const ByteRange& piece : receive.pieces)
        {
            const bool relayed = piece.offset >= SCRATCH_OFFSET;
            const bool apart = m_spec.kind == CollectiveKind::ALL_TO_ALL;
            Line& line = relayed ? m_scratch[rank] : apart ? m_result[rank] : m_data[rank];
            const uint64_t offset = piece.offset - (relayed ? SCRATCH_OFFSET : 0);
            if (relayed && line.size() < offset + piece.bytes)
            {
                line.resize(offset + piece.bytes);
            }
            if (offset + piece.bytes > line.size() || read + piece.bytes > data.size())
            {
                m_error = "a receive beyond the buffer";
                return;
            }
            for (uint64_t i = 0; i < piece.bytes; ++i)
            {
                Take(line[offset + i], data[read++], receive.transfer.reduce);
            }
        }
    }

    /// Put one arrived byte where the receiver wants it.
    void Take(Symbol& there, const Symbol& arrived, bool reduce)
    {
        if (!reduce)
        {
            there = arrived;
            return;
        }
        if (there.position != arrived.position || (there.ranks & arrived.ranks).any())
        {
            m_error = "position " + std::to_string(arrived.position) + " reduced twice";
            return;
        }
        there.ranks |= arrived.ranks;
    }

    /// @return what a rank has to hold at a position in the end; ranks = 0: anything
    Symbol Promised(uint32_t rank, uint64_t position) const
    {
        const uint32_t n = m_spec.groupSize;
        const RankSet all = RankSet().set() >> (RankSet().size() - n);
        const ByteRange own = SplitBytes(m_spec.bytes, n, rank);
        switch (m_spec.kind)
        {
        case CollectiveKind::ALL_REDUCE:
            return {all, position};
        case CollectiveKind::REDUCE_SCATTER:
            return {position >= own.offset && position < own.offset + own.bytes ? all : RankSet(),
                    position};
        case CollectiveKind::ALL_GATHER:
            for (uint32_t owner = 0; owner < n; ++owner)
            {
                const ByteRange part = SplitBytes(m_spec.bytes, n, owner);
                if (position >= part.offset && position < part.offset + part.bytes)
                {
                    return {RankSet().set(owner), position};
                }
            }
            return {};
        case CollectiveKind::BROADCAST:
            return {RankSet().set(m_spec.root), position};
        case CollectiveKind::REDUCE:
            return {rank == m_spec.root ? all : RankSet(), position};
        case CollectiveKind::ALL_TO_ALL: {
            if (m_spec.exchange)
            {
                return PromisedPart(rank, position);
            }
            const uint64_t source = position / own.bytes;
            return {source == rank ? RankSet() : RankSet().set(source),
                    own.offset + position % own.bytes};
        }
        }
        return {};
    }

    /// @return what a rank has to hold at a position of its uneven parts; ranks = 0: anything
    Symbol PromisedPart(uint32_t rank, uint64_t position) const
    {
        uint32_t source = 0;
        while (position >= m_spec.exchange->Get(source, rank))
        {
            position -= m_spec.exchange->Get(source++, rank);
        }
        for (uint32_t to = 0; to < rank; ++to)
        {
            position += m_spec.exchange->Get(source, to);
        }
        return {source == rank ? RankSet() : RankSet().set(source), position};
    }

    /// Compare what every rank holds with what was promised.
    void CheckResult()
    {
        for (uint32_t rank = 0; rank < m_spec.groupSize; ++rank)
        {
            const Line& line =
                m_spec.kind == CollectiveKind::ALL_TO_ALL ? m_result[rank] : m_data[rank];
            for (uint64_t i = 0; i < line.size(); ++i)
            {
                const Symbol promised = Promised(rank, i);
                if (promised.ranks.any() && !(promised == line[i]))
                {
                    m_error = "rank " + std::to_string(rank) + " position " + std::to_string(i) +
                              " holds ranks " + line[i].ranks.to_string() + ", not " +
                              promised.ranks.to_string();
                    return;
                }
            }
        }
    }

    /// Compare the bytes that went with the closed forms.
    void CheckPairBytes()
    {
        for (uint32_t from = 0; from < m_spec.groupSize; ++from)
        {
            uint64_t sum = 0;
            std::vector<uint32_t> peers;
            for (uint32_t to = 0; to < m_spec.groupSize; ++to)
            {
                const auto went = m_pairBytes.find({from, to});
                const uint64_t bytes = went == m_pairBytes.end() ? 0 : went->second;
                if (bytes != m_algorithm.PredictPairBytes(m_spec, from, to))
                {
                    m_error = std::to_string(from) + " to " + std::to_string(to) + ": " +
                              std::to_string(bytes) + " bytes went";
                    return;
                }
                sum += bytes;
                if (bytes > 0)
                {
                    peers.push_back(to);
                }
            }
            if (sum != m_algorithm.PredictBytes(m_spec, from) ||
                peers != m_algorithm.PredictPeers(m_spec, from))
            {
                m_error = "sum or peers of rank " + std::to_string(from);
                return;
            }
        }
    }

    const CollectiveAlgorithm& m_algorithm;                          //!< under test
    const CollectiveSpec m_spec;                                     //!< what
    const bool m_sendsReadFirst;                                     //!< see constructor
    std::mt19937 m_random;                                           //!< order of events
    std::vector<Line> m_data;                                        //!< per rank
    std::vector<Line> m_result;                                      //!< per rank, all_to_all
    std::vector<Part> m_runs;                                        //!< per rank and channel
    std::map<std::pair<uint32_t, uint32_t>, std::size_t> m_index;    //!< of (rank, channel)
    std::vector<std::pair<std::size_t, Partner>> m_ready;            //!< (part, peer) that may send
    std::vector<Lane> m_lanes;                                       //!< with messages under way
    std::map<std::pair<std::size_t, Partner>, std::size_t> m_laneOf; //!< by part and peer
    std::map<std::pair<uint32_t, uint32_t>, std::deque<Sum>> m_sums; //!< by owner and channel
    /// shares given, by rank, owner and channel
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::size_t> m_given;
    uint64_t m_refused{0};       //!< arrivals in a row that had to wait for a send
    std::vector<Line> m_scratch; //!< per rank, what is relayed
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_pairBytes; //!< that went
    std::string m_error;                                           //!< the first thing wrong
};

/// @return true if every rank comes to its end when one looks at one step at a time and sends are
/// buffered
inline bool
RunInOrder(const CollectiveAlgorithm& algorithm, const CollectiveSpec& spec)
{
    for (uint32_t channel = 0; channel < spec.channels; ++channel)
    {
        std::vector<std::unique_ptr<TransferProgram>> programs;
        std::vector<Transfer> steps(spec.groupSize);
        std::vector<bool> over(spec.groupSize);
        std::map<std::tuple<uint32_t, uint32_t, InNetwork>, uint64_t> underWay;
        // A copy goes to all, a sum comes from all.
        const auto visit = [&](uint32_t rank, const Transfer& step, const auto& function) {
            const InNetwork how = step.inNetwork;
            const bool all = how == (step.send ? InNetwork::MULTICAST : InNetwork::REDUCE);
            for (uint32_t peer = all ? 0 : step.peer; peer < (all ? spec.groupSize : step.peer + 1);
                 ++peer)
            {
                function(step.send ? underWay[{rank, peer, how}] : underWay[{peer, rank, how}]);
            }
        };
        uint32_t open = 0;
        for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
        {
            programs.push_back(algorithm.CreateProgram(spec, rank, channel));
            over[rank] = !programs[rank]->Next(steps[rank]);
            open += over[rank] ? 0 : 1;
        }
        for (bool moved = true; moved;)
        {
            moved = false;
            for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
            {
                const Transfer& step = steps[rank];
                bool ready = !over[rank];
                if (ready && !step.send)
                {
                    visit(rank, step, [&ready](uint64_t count) { ready = ready && count > 0; });
                }
                if (!ready)
                {
                    continue;
                }
                visit(rank, step, [&step](uint64_t& count) { step.send ? ++count : --count; });
                over[rank] = !programs[rank]->Next(steps[rank]);
                open -= over[rank] ? 1 : 0;
                moved = true;
            }
        }
        if (open > 0)
        {
            return false;
        }
    }
    return true;
}

} // namespace llm
} // namespace ns3

#endif // COLLECTIVE_CHECKER_H
