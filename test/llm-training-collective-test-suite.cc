/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/llm-byte-split.h"
#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-direct-collective.h"
#include "ns3/llm-ring-collective.h"
#include "ns3/test.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

const CollectiveKind ALL_KINDS[] = {CollectiveKind::ALL_REDUCE,
                                    CollectiveKind::ALL_GATHER,
                                    CollectiveKind::REDUCE_SCATTER,
                                    CollectiveKind::BROADCAST,
                                    CollectiveKind::REDUCE,
                                    CollectiveKind::ALL_TO_ALL};

/// @return the numbers of a spec, for messages
std::string
Describe(const CollectiveSpec& spec)
{
    return std::string(ToString(spec.kind)) + " n=" + std::to_string(spec.groupSize) +
           " bytes=" + std::to_string(spec.bytes) + " channels=" + std::to_string(spec.channels) +
           " slice=" + std::to_string(spec.sliceBytes) + " root=" + std::to_string(spec.root);
}

/// One byte of symbolic data: whose contributions it holds, and which position of whose buffer.
struct Symbol
{
    uint64_t ranks{0};    //!< bit per rank that is summed up in it; 0: nothing
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
    ScheduleChecker(const CollectiveAlgorithm& algorithm, const CollectiveSpec& spec, uint32_t seed)
        : m_algorithm(algorithm),
          m_spec(spec),
          m_random(seed)
    {
        const uint32_t n = spec.groupSize;
        m_data.resize(n);
        m_result.resize(n);
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            m_data[rank] = InitialData(rank);
            if (spec.kind == CollectiveKind::ALL_TO_ALL)
            {
                m_result[rank].resize(n * SplitBytes(spec.bytes, n, rank).bytes);
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
        while (m_error.empty() && (!m_ready.empty() || !m_inFlight.empty()))
        {
            const std::size_t choice = m_random() % (m_ready.size() + m_inFlight.size());
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

    /// One rank's part in one channel.
    struct Part
    {
        uint32_t rank;                  //!< who
        uint32_t channel;               //!< where
        std::vector<Transfer> sends;    //!< in program order
        std::vector<Transfer> receives; //!< in program order
        std::vector<bool> done;         //!< receives that are complete
        std::size_t sent{0};            //!< number of started sends
        std::size_t got{0};             //!< number of complete receives
        /// per peer: receives not yet matched, in order
        std::map<uint32_t, std::deque<std::size_t>> expected;
        /// per peer: sends not yet started, in order
        std::map<uint32_t, std::deque<std::size_t>> waiting;
        std::set<uint32_t> offered; //!< peers whose next send is in m_ready
    };

    /// (sender part, send number): a message that has its data read at the start
    struct Flight
    {
        std::size_t part; //!< sender
        Transfer what;    //!< the send
        Line data;        //!< as it was at the start
    };

    /// @return what a rank holds before
    Line InitialData(uint32_t rank) const
    {
        Line line(m_spec.bytes);
        const ByteRange own = SplitBytes(m_spec.bytes, m_spec.groupSize, rank);
        for (uint64_t i = 0; i < m_spec.bytes; ++i)
        {
            const bool holds =
                m_spec.kind == CollectiveKind::ALL_GATHER
                    ? i >= own.offset && i < own.offset + own.bytes
                    : m_spec.kind != CollectiveKind::BROADCAST || rank == m_spec.root;
            line[i] = {holds ? UINT64_C(1) << rank : 0, i};
        }
        return line;
    }

    /// Read a program to its end.
    void LoadProgram(uint32_t rank, uint32_t channel)
    {
        Part part{rank, channel, {}, {}, {}, 0, 0, {}, {}, {}};
        const auto program = m_algorithm.CreateProgram(m_spec, rank, channel);
        Transfer transfer;
        while (program->Next(transfer))
        {
            if (transfer.peer >= m_spec.groupSize || transfer.peer == rank)
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
            if (transfer.send)
            {
                if (transfer.endDependency > part.receives.size())
                {
                    m_error = "a send waits for a receive that comes behind it";
                }
                part.waiting[transfer.peer].push_back(part.sends.size());
                part.sends.push_back(transfer);
            }
            else
            {
                part.expected[transfer.peer].push_back(part.receives.size());
                part.receives.push_back(transfer);
            }
        }
        if (program->Next(transfer))
        {
            m_error = "goes on after the end";
        }
        part.done.resize(part.receives.size());
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
            const Transfer& send = part.sends[waiting.front()];
            bool ready = true;
            for (uint64_t d = send.firstDependency; d < send.endDependency; ++d)
            {
                ready = ready && part.done[d];
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
        m_ready.erase(m_ready.begin() + static_cast<std::ptrdiff_t>(choice));
        Part& part = m_runs[index];
        const Transfer& send = part.sends[part.waiting[peer].front()];
        part.waiting[peer].pop_front();
        part.offered.erase(peer);
        const Line& line = m_data[part.rank];
        if (send.offset + send.bytes > line.size())
        {
            m_error = "a send beyond the buffer";
            return;
        }
        const auto begin = line.begin() + static_cast<std::ptrdiff_t>(send.offset);
        m_inFlight.push_back(
            {index, send, Line(begin, begin + static_cast<std::ptrdiff_t>(send.bytes))});
        ++part.sent;
        m_pairBytes[{part.rank, peer}] += send.bytes;
        FindReady(index);
    }

    /// A message arrives: the first in flight of its pair and channel.
    void Deliver(std::size_t choice)
    {
        const Flight& chosen = m_inFlight[choice];
        std::size_t first = 0;
        while (m_inFlight[first].part != chosen.part ||
               m_inFlight[first].what.peer != chosen.what.peer)
        {
            ++first;
        }
        const Flight flight = std::move(m_inFlight[first]);
        m_inFlight.erase(m_inFlight.begin() + static_cast<std::ptrdiff_t>(first));

        const uint32_t from = m_runs[flight.part].rank;
        const std::size_t index = m_index.at({flight.what.peer, m_runs[flight.part].channel});
        Part& part = m_runs[index];
        auto& expected = part.expected[from];
        if (expected.empty())
        {
            m_error = "rank " + std::to_string(part.rank) + " expects nothing more from rank " +
                      std::to_string(from);
            return;
        }
        const std::size_t number = expected.front();
        expected.pop_front();
        Receive(part.receives[number], flight.data, part.rank);
        part.done[number] = true;
        ++part.got;
        FindReady(index);
    }

    /// Put arrived data where the receiver wants it.
    void Receive(const Transfer& receive, const Line& data, uint32_t rank)
    {
        const bool apart = m_spec.kind == CollectiveKind::ALL_TO_ALL;
        Line& line = apart ? m_result[rank] : m_data[rank];
        if (receive.bytes != data.size() || receive.offset + receive.bytes > line.size())
        {
            m_error = "sent " + std::to_string(data.size()) + " bytes, expected " +
                      std::to_string(receive.bytes);
            return;
        }
        for (uint64_t i = 0; i < receive.bytes; ++i)
        {
            Symbol& there = line[receive.offset + i];
            if (!receive.reduce)
            {
                there = data[i];
                continue;
            }
            if (there.position != data[i].position || (there.ranks & data[i].ranks) != 0)
            {
                m_error = "position " + std::to_string(receive.offset + i) + " reduced twice";
                return;
            }
            there.ranks |= data[i].ranks;
        }
    }

    /// @return what a rank has to hold at a position in the end; ranks = 0: anything
    Symbol Promised(uint32_t rank, uint64_t position) const
    {
        const uint32_t n = m_spec.groupSize;
        const uint64_t all = n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
        const ByteRange own = SplitBytes(m_spec.bytes, n, rank);
        switch (m_spec.kind)
        {
        case CollectiveKind::ALL_REDUCE:
            return {all, position};
        case CollectiveKind::REDUCE_SCATTER:
            return {position >= own.offset && position < own.offset + own.bytes ? all : 0,
                    position};
        case CollectiveKind::ALL_GATHER:
            for (uint32_t owner = 0; owner < n; ++owner)
            {
                const ByteRange part = SplitBytes(m_spec.bytes, n, owner);
                if (position >= part.offset && position < part.offset + part.bytes)
                {
                    return {UINT64_C(1) << owner, position};
                }
            }
            return {};
        case CollectiveKind::BROADCAST:
            return {UINT64_C(1) << m_spec.root, position};
        case CollectiveKind::REDUCE:
            return {rank == m_spec.root ? all : 0, position};
        case CollectiveKind::ALL_TO_ALL: {
            const uint64_t source = position / own.bytes;
            return {source == rank ? 0 : UINT64_C(1) << source, own.offset + position % own.bytes};
        }
        }
        return {};
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
                if (promised.ranks != 0 && !(promised == line[i]))
                {
                    m_error = "rank " + std::to_string(rank) + " position " + std::to_string(i) +
                              " holds ranks " + std::to_string(line[i].ranks) + ", not " +
                              std::to_string(promised.ranks);
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

    const CollectiveAlgorithm& m_algorithm;                       //!< under test
    const CollectiveSpec m_spec;                                  //!< what
    std::mt19937 m_random;                                        //!< order of events
    std::vector<Line> m_data;                                     //!< per rank
    std::vector<Line> m_result;                                   //!< per rank, all_to_all
    std::vector<Part> m_runs;                                     //!< per rank and channel
    std::map<std::pair<uint32_t, uint32_t>, std::size_t> m_index; //!< of (rank, channel)
    std::vector<std::pair<std::size_t, uint32_t>> m_ready;        //!< (part, peer) that may send
    std::vector<Flight> m_inFlight;                               //!< sends under way, oldest first
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_pairBytes; //!< that went
    std::string m_error;                                           //!< the first thing wrong
};

/// @ingroup llm-training-tests
/// Every rank ends with what the collective promises, whatever the order of events.
class SymbolicScheduleTestCase : public TestCase
{
  public:
    SymbolicScheduleTestCase(CollectiveKind kind, uint32_t groupSize)
        : TestCase(std::string(ToString(kind)) + " of " + std::to_string(groupSize) +
                   " ranks moves and reduces exactly the promised bytes"),
          m_kind(kind),
          m_groupSize(groupSize)
    {
    }

  private:
    void DoRun() override
    {
        const CollectiveSelector selector;
        const uint64_t n = m_groupSize;
        // Neighbouring group sizes take other pairs of channels and slices.
        uint32_t seed = m_groupSize;
        for (const uint64_t bytes : {UINT64_C(1), n - 1, n, n + 1, 7 * n + 5})
        {
            for (uint32_t channels = 1; channels <= 4; ++channels)
            {
                const uint64_t slice = std::array<uint64_t, 3>{0, 1, 3}[seed % 3];
                const uint32_t root = seed % m_groupSize;
                const CollectiveSpec spec{m_kind, m_groupSize, bytes, channels, slice, root};
                const auto choice = selector.Choose(spec, "auto");
                ScheduleChecker checker(*choice.algorithm, spec, seed++);
                NS_TEST_ASSERT_MSG_EQ(checker.Run(), "", "schedule");
            }
        }
    }

    const CollectiveKind m_kind; //!< what
    const uint32_t m_groupSize;  //!< ranks
};

/// A ring all-reduce that is wrong in one place.
class BrokenRing : public RingCollective
{
  public:
    /// What is wrong.
    enum Fault
    {
        NO_REDUCE,
        NO_DEPENDENCY,
        SHIFTED,
        ONE_BYTE_LESS
    };

    explicit BrokenRing(Fault fault)
        : m_fault(fault)
    {
    }

    std::unique_ptr<TransferProgram> CreateProgram(const CollectiveSpec& spec,
                                                   uint32_t rank,
                                                   uint32_t channel) const override
    {
        /// Spoils a program.
        class Spoiled : public TransferProgram
        {
          public:
            Spoiled(std::unique_ptr<TransferProgram> inner, Fault fault)
                : m_inner(std::move(inner)),
                  m_fault(fault)
            {
            }

            bool Next(Transfer& transfer) override
            {
                const bool more = m_inner->Next(transfer);
                switch (m_fault)
                {
                case NO_REDUCE:
                    transfer.reduce = false;
                    break;
                case NO_DEPENDENCY:
                    transfer.endDependency = transfer.firstDependency;
                    break;
                case SHIFTED:
                    transfer.offset += transfer.send && transfer.offset > 0 ? -1 : 0;
                    break;
                case ONE_BYTE_LESS:
                    transfer.bytes -= transfer.bytes > 1 ? 1 : 0;
                    break;
                }
                return more;
            }

          private:
            std::unique_ptr<TransferProgram> m_inner; //!< the right one
            Fault m_fault;                            //!< what is wrong
        };

        return std::make_unique<Spoiled>(RingCollective::CreateProgram(spec, rank, channel),
                                         m_fault);
    }

  private:
    Fault m_fault; //!< what is wrong
};

/// @ingroup llm-training-tests
/// The checker above finds wrong schedules.
class CheckerFindsFaultsTestCase : public TestCase
{
  public:
    CheckerFindsFaultsTestCase()
        : TestCase("the schedule checker finds wrong schedules")
    {
    }

  private:
    void DoRun() override
    {
        const CollectiveSpec spec{CollectiveKind::ALL_REDUCE, 5, 57, 1, 4, 0};
        for (const auto fault : {BrokenRing::NO_REDUCE,
                                 BrokenRing::NO_DEPENDENCY,
                                 BrokenRing::SHIFTED,
                                 BrokenRing::ONE_BYTE_LESS})
        {
            const BrokenRing ring(fault);
            NS_TEST_EXPECT_MSG_NE(ScheduleChecker(ring, spec, 1).Run(), "", "fault " << fault);
        }
    }
};

/// What a whole collective puts on the way.
struct Census
{
    uint64_t messages{0};                        //!< sends
    uint64_t bytes{0};                           //!< in all sends
    std::map<uint64_t, uint64_t> messagesOfSize; //!< sends by size
    std::vector<uint64_t> sentBy;                //!< bytes by rank
    std::vector<uint64_t> receivedBy;            //!< bytes by rank
    std::vector<uint64_t> inChannel;             //!< bytes by channel
};

/// @return the sum over all programs
Census
Count(const CollectiveAlgorithm& algorithm, const CollectiveSpec& spec)
{
    Census census;
    census.sentBy.resize(spec.groupSize);
    census.receivedBy.resize(spec.groupSize);
    census.inChannel.resize(spec.channels);
    for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
    {
        for (uint32_t channel = 0; channel < spec.channels; ++channel)
        {
            const auto program = algorithm.CreateProgram(spec, rank, channel);
            Transfer transfer;
            while (program->Next(transfer))
            {
                if (!transfer.send)
                {
                    census.receivedBy[rank] += transfer.bytes;
                    continue;
                }
                ++census.messages;
                ++census.messagesOfSize[transfer.bytes];
                census.bytes += transfer.bytes;
                census.sentBy[rank] += transfer.bytes;
                census.inChannel[channel] += transfer.bytes;
            }
        }
    }
    return census;
}

/// @ingroup llm-training-tests
/// A 5 GiB all-reduce is counted in 64 bits.
class FiveGibibyteTestCase : public TestCase
{
  public:
    FiveGibibyteTestCase()
        : TestCase("5 GiB over 8 ranks: 112 messages of 671088640 B")
    {
    }

  private:
    void DoRun() override
    {
        const CollectiveSpec spec{CollectiveKind::ALL_REDUCE, 8, 5368709120, 1, 0, 0};
        const Census census = Count(RingCollective(), spec);
        NS_TEST_EXPECT_MSG_EQ(census.messages, 112, "messages");
        NS_TEST_EXPECT_MSG_EQ(census.messagesOfSize.at(671088640), 112, "one size");
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(census.sentBy[rank], 9395240960, "sent");
            NS_TEST_EXPECT_MSG_EQ(census.receivedBy[rank], 9395240960, "received");
            NS_TEST_EXPECT_MSG_EQ(RingCollective().PredictBytes(spec, rank),
                                  9395240960,
                                  "closed form");
        }
        NS_TEST_EXPECT_MSG_EQ(census.bytes, 75161927680, "total");

        // Large and odd at once, with everything that splits.
        const CollectiveSpec odd{CollectiveKind::ALL_REDUCE, 7, 5368709121, 3, 1048576, 0};
        const Census counted = Count(RingCollective(), odd);
        NS_TEST_EXPECT_MSG_EQ(counted.bytes, UINT64_C(2) * 6 * 5368709121, "odd total");
    }
};

/// @ingroup llm-training-tests
/// Sizes that the number of ranks does not divide.
class UnevenChunksTestCase : public TestCase
{
  public:
    UnevenChunksTestCase()
        : TestCase("1000003 B over 7 ranks and 4 B over 8: no byte is lost or added")
    {
    }

  private:
    void DoRun() override
    {
        const CollectiveSpec spec{CollectiveKind::ALL_REDUCE, 7, 1000003, 1, 0, 0};
        const Census census = Count(RingCollective(), spec);
        NS_TEST_EXPECT_MSG_EQ(census.messagesOfSize.size(), 2, "sizes");
        // Each chunk goes 2(n-1) = 12 times.
        NS_TEST_EXPECT_MSG_EQ(census.messagesOfSize.at(142858), 4 * 12, "longer chunks");
        NS_TEST_EXPECT_MSG_EQ(census.messagesOfSize.at(142857), 3 * 12, "shorter chunks");
        NS_TEST_EXPECT_MSG_EQ(census.bytes, 12000036, "total");

        const CollectiveSpec tiny{CollectiveKind::ALL_REDUCE, 8, 4, 1, 0, 0};
        const Census few = Count(RingCollective(), tiny);
        NS_TEST_EXPECT_MSG_EQ(few.bytes, 56, "total");
        NS_TEST_EXPECT_MSG_EQ(few.messages, 56, "messages of one byte, none empty");
    }
};

/// @ingroup llm-training-tests
/// Channels differ by a byte at most, over all chunks together.
class ChannelSplitTestCase : public TestCase
{
  public:
    ChannelSplitTestCase()
        : TestCase("channels split the bytes evenly to the byte")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t bytes : {0, 1, 4, 29, 1000003})
        {
            for (const uint32_t chunks : {1U, 7U, 8U, 33U})
            {
                for (uint32_t channels = 1; channels <= 5; ++channels)
                {
                    CheckSplit(bytes, chunks, channels);
                }
            }
        }
    }

    /// One combination.
    void CheckSplit(uint64_t bytes, uint32_t chunks, uint32_t channels)
    {
        std::vector<uint64_t> sum(channels);
        uint64_t position = 0;
        for (uint32_t chunk = 0; chunk < chunks; ++chunk)
        {
            for (uint32_t channel = 0; channel < channels; ++channel)
            {
                const ByteRange piece = SplitChunk(bytes, chunks, chunk, channels, channel);
                NS_TEST_EXPECT_MSG_EQ(piece.offset, position, "pieces join without a gap");
                position += piece.bytes;
                sum[channel] += piece.bytes;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(position, bytes, "all bytes");
        for (const uint64_t share : sum)
        {
            NS_TEST_EXPECT_MSG_EQ((share == bytes / channels || share == bytes / channels + 1),
                                  true,
                                  share << " of " << bytes << " in " << channels << " channels");
        }
    }
};

/// @ingroup llm-training-tests
/// Nothing to do is done without a transfer.
class NothingToDoTestCase : public TestCase
{
  public:
    NothingToDoTestCase()
        : TestCase("0 bytes and groups of one rank make no transfer")
    {
    }

  private:
    void DoRun() override
    {
        const CollectiveSelector selector;
        for (const auto kind : ALL_KINDS)
        {
            for (const auto& [ranks, bytes] :
                 {std::pair<uint32_t, uint64_t>{8, 0}, {1, 1048576}, {1, 0}})
            {
                const CollectiveSpec spec{kind, ranks, bytes, 2, 0, 0};
                const auto choice = selector.Choose(spec, "auto");
                NS_TEST_EXPECT_MSG_EQ(Count(*choice.algorithm, spec).messages, 0, Describe(spec));
                NS_TEST_EXPECT_MSG_EQ(choice.algorithm->PredictBytes(spec, 0), 0, Describe(spec));
                NS_TEST_EXPECT_MSG_EQ(choice.algorithm->PredictTimePs(spec, 1e6, 1e11),
                                      0.0,
                                      Describe(spec));
            }
        }
    }
};

/// @ingroup llm-training-tests
/// One meaning of size: nccl-tests'.
class MeaningOfSizeTestCase : public TestCase
{
  public:
    MeaningOfSizeTestCase()
        : TestCase("1 GiB over 8 ranks: bytes per rank, time and bus bandwidth by kind")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t size = 1073741824;
        const CollectiveSelector selector;
        const std::tuple<CollectiveKind, uint64_t, double> expected[] = {
            {CollectiveKind::ALL_GATHER, 939524096, 0.875},
            {CollectiveKind::REDUCE_SCATTER, 939524096, 0.875},
            {CollectiveKind::ALL_REDUCE, 1879048192, 1.75},
            {CollectiveKind::ALL_TO_ALL, 939524096, 0.875},
            {CollectiveKind::BROADCAST, 1073741824, 1.0},
            {CollectiveKind::REDUCE, 1073741824, 1.0}};
        for (const auto& [kind, bytes, factor] : expected)
        {
            const CollectiveSpec spec{kind, 8, size, 1, 0, 0};
            const auto* algorithm = selector.Choose(spec, "auto").algorithm;
            // Rank 1 sends in BROADCAST from 0 and in REDUCE to 0.
            NS_TEST_EXPECT_MSG_EQ(algorithm->PredictBytes(spec, 1), bytes, Describe(spec));
            NS_TEST_EXPECT_MSG_EQ(Count(*algorithm, spec).sentBy[1], bytes, Describe(spec));
            NS_TEST_EXPECT_MSG_EQ(BusBandwidthFactor(kind, 8), factor, Describe(spec));
        }
        NS_TEST_EXPECT_MSG_EQ(BusBandwidthFactor(CollectiveKind::ALL_REDUCE, 1), 0.0, "alone");

        // 1,879,048,192 B at 12.5 GB/s; its bus bandwidth is then the line rate.
        const CollectiveSpec spec{CollectiveKind::ALL_REDUCE, 8, size, 1, 0, 0};
        const double timePs = RingCollective().PredictTimePs(spec, 0, 1e11);
        NS_TEST_EXPECT_MSG_EQ_TOL(timePs, 150323855360.0, 1.0, "time without latency");
        const double busBandwidth = 8e12 * static_cast<double>(size) / timePs *
                                    BusBandwidthFactor(CollectiveKind::ALL_REDUCE, 8);
        NS_TEST_EXPECT_MSG_EQ_TOL(busBandwidth, 1e11, 1.0, "bus bandwidth");
        NS_TEST_EXPECT_MSG_EQ_TOL(RingCollective().PredictTimePs(spec, 1e6, 1e11),
                                  150323855360.0 + 14e6,
                                  1.0,
                                  "14 steps of latency");
    }
};

/// @ingroup llm-training-tests
/// A chain without slices takes n-1 times the whole, with slices it overlaps.
class ChainTimeTestCase : public TestCase
{
  public:
    ChainTimeTestCase()
        : TestCase("a broadcast chain: time with and without slices")
    {
    }

  private:
    void DoRun() override
    {
        // 1 MB at 8 Gb/s: 1 ms per hop.
        CollectiveSpec spec{CollectiveKind::BROADCAST, 5, 1000000, 1, 0, 2};
        NS_TEST_EXPECT_MSG_EQ_TOL(RingCollective().PredictTimePs(spec, 1e6, 8e9),
                                  4 * 1e9 + 4 * 1e6,
                                  1.0,
                                  "store and forward");
        spec.sliceBytes = 10000;
        NS_TEST_EXPECT_MSG_EQ_TOL(RingCollective().PredictTimePs(spec, 1e6, 8e9),
                                  1.03 * 1e9 + 4 * 1e6,
                                  1.0,
                                  "100 slices, 3 more behind the first hop");
    }
};

/// @ingroup llm-training-tests
/// Names are taken at their word.
class SelectorTestCase : public TestCase
{
  public:
    SelectorTestCase()
        : TestCase("an algorithm that does not fit is an error, never another one")
    {
    }

  private:
    /// @return the message of the ConfigError, or what was chosen
    static std::string Try(const CollectiveSpec& spec, const std::string& name)
    {
        try
        {
            return CollectiveSelector().Choose(spec, name, "a.json", "algorithm").reason;
        }
        catch (const ConfigError& error)
        {
            return error.what();
        }
    }

    void DoRun() override
    {
        const CollectiveSpec reduce{CollectiveKind::ALL_REDUCE, 8, 16777216, 1, 0, 0};
        const CollectiveSpec exchange{CollectiveKind::ALL_TO_ALL, 8, 16777216, 1, 0, 0};
        NS_TEST_EXPECT_MSG_EQ(Try(reduce, "double_tree"),
                              "a.json: algorithm: collective algorithm \"double_tree\" is not "
                              "supported; known are auto, ring, direct",
                              "unknown name");
        NS_TEST_EXPECT_MSG_EQ(Try(exchange, "ring"),
                              "a.json: algorithm: ring does no all_to_all; use direct",
                              "wrong kind");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce, "direct"),
                              "a.json: algorithm: direct does all_to_all only, not all_reduce",
                              "wrong kind");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce, "ring"), "ring: asked for by name", "by name");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce, "auto").find("ring: least predicted time; ring "),
                              0,
                              Try(reduce, "auto"));
        NS_TEST_EXPECT_MSG_EQ(Try(exchange, "auto").find("direct: least predicted time; "),
                              0,
                              Try(exchange, "auto"));

        CollectiveSpec bad = reduce;
        bad.groupSize = 0;
        NS_TEST_EXPECT_MSG_EQ(Try(bad, "ring"),
                              "a.json: algorithm: a group of 0 ranks; at least 1 is needed",
                              "group");
        bad = reduce;
        bad.channels = 0;
        NS_TEST_EXPECT_MSG_EQ(Try(bad, "auto"),
                              "a.json: algorithm: 0 channels; at least 1 is needed",
                              "channels");
        bad = reduce;
        bad.root = 8;
        NS_TEST_EXPECT_MSG_EQ(Try(bad, "auto"),
                              "a.json: algorithm: root 8 is not in a group of 8 ranks",
                              "root");
        bad = reduce;
        bad.bytes = UINT64_C(1) << 63;
        NS_TEST_EXPECT_MSG_EQ(Try(bad, "auto"),
                              "a.json: algorithm: 9223372036854775808 bytes; at most "
                              "4611686018427387904 can be counted",
                              "bytes");
    }
};

/// An algorithm from outside that is always faster.
class TeleportCollective : public RingCollective
{
  public:
    std::string GetName() const override
    {
        return "teleport";
    }

    double PredictTimePs(const CollectiveSpec& /* spec */,
                         double alphaPs,
                         double /* bitsPerSecond */) const override
    {
        return alphaPs;
    }
};

/// @ingroup llm-training-tests
/// Algorithms can be added; auto takes the fastest.
class RegisterTestCase : public TestCase
{
  public:
    RegisterTestCase()
        : TestCase("an algorithm of one's own is found by name and by auto")
    {
    }

  private:
    void DoRun() override
    {
        CollectiveSelector selector;
        selector.Register(std::make_unique<TeleportCollective>());
        const CollectiveSpec spec{CollectiveKind::ALL_REDUCE, 8, 16777216, 1, 0, 0};
        NS_TEST_EXPECT_MSG_EQ(selector.Choose(spec, "auto").algorithm->GetName(),
                              "teleport",
                              "fastest");
        NS_TEST_EXPECT_MSG_EQ(selector.Choose(spec, "ring").algorithm->GetName(), "ring", "named");
        bool refused = false;
        try
        {
            selector.Register(std::make_unique<TeleportCollective>());
        }
        catch (const ConfigError&)
        {
            refused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "a name is given once");
    }
};

/// @ingroup llm-training-tests
/// Programs are made step by step.
class LazyProgramTestCase : public TestCase
{
  public:
    LazyProgramTestCase()
        : TestCase("a rank of 1024 in a ring: 2046 sends and as many receives, 2095104 in all")
    {
    }

  private:
    void DoRun() override
    {
        const CollectiveSpec spec{CollectiveKind::ALL_REDUCE, 1024, 1073741824, 1, 0, 0};
        const Census census = Count(RingCollective(), spec);
        NS_TEST_EXPECT_MSG_EQ(census.messages, 2095104, "messages");

        // The first step of a program of 2^42 slices comes at once.
        const CollectiveSpec huge{CollectiveKind::BROADCAST, 2, UINT64_C(1) << 62, 1, 1 << 20, 0};
        const auto program = RingCollective().CreateProgram(huge, 0, 0);
        Transfer transfer;
        NS_TEST_EXPECT_MSG_EQ(program->Next(transfer), true, "first slice");
        NS_TEST_EXPECT_MSG_EQ(transfer.bytes, 1 << 20, "of the slice size");
    }
};

/// @ingroup llm-training-tests
/// The suite of collective algorithms.
class LlmTrainingCollectiveTestSuite : public TestSuite
{
  public:
    LlmTrainingCollectiveTestSuite()
        : TestSuite("llm-training-collective", Type::UNIT)
    {
        for (const auto kind : ALL_KINDS)
        {
            for (uint32_t n = 1; n <= 17; ++n)
            {
                AddTestCase(new SymbolicScheduleTestCase(kind, n));
            }
            AddTestCase(new SymbolicScheduleTestCase(kind, 32));
            AddTestCase(new SymbolicScheduleTestCase(kind, 33));
        }
        AddTestCase(new CheckerFindsFaultsTestCase);
        AddTestCase(new FiveGibibyteTestCase);
        AddTestCase(new UnevenChunksTestCase);
        AddTestCase(new ChannelSplitTestCase);
        AddTestCase(new NothingToDoTestCase);
        AddTestCase(new MeaningOfSizeTestCase);
        AddTestCase(new ChainTimeTestCase);
        AddTestCase(new SelectorTestCase);
        AddTestCase(new RegisterTestCase);
        AddTestCase(new LazyProgramTestCase);
    }
};

LlmTrainingCollectiveTestSuite g_llmTrainingCollectiveTestSuite; //!< registers the suite

} // namespace
