/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-checker.h"

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
        const std::string unknown = Try(reduce, "double_tree");
        NS_TEST_EXPECT_MSG_EQ(unknown.find("a.json: algorithm: collective algorithm "
                                           "\"double_tree\" is not supported; known are auto, "
                                           "ring, direct, double_binary_tree, tree, "),
                              0,
                              unknown);
        NS_TEST_EXPECT_MSG_EQ((unknown.rfind(", nccl") == unknown.size() - 6), true, unknown);
        NS_TEST_EXPECT_MSG_EQ(Try(exchange, "ring"),
                              "a.json: algorithm: ring does no all_to_all; use direct",
                              "wrong kind");
        CollectiveSpec spread = reduce;
        spread.kind = CollectiveKind::BROADCAST;
        NS_TEST_EXPECT_MSG_EQ(Try(spread, "direct"),
                              "a.json: algorithm: direct does all_reduce, all_gather, "
                              "reduce_scatter and all_to_all, not broadcast",
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

  protected:
    double DoPredictTimePs(const CollectiveSpec& /* spec */,
                           const CollectiveLinks& links) const override
    {
        return links.network.alphaPs;
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
