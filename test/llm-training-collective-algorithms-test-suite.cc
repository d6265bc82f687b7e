/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-checker.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/test.h"

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// An algorithm by name and a kind that it does.
using Pairing = std::pair<std::string, CollectiveKind>;

const Pairing PAIRINGS[] = {{"ring", CollectiveKind::ALL_REDUCE},
                            {"ring", CollectiveKind::ALL_GATHER},
                            {"ring", CollectiveKind::REDUCE_SCATTER},
                            {"ring", CollectiveKind::BROADCAST},
                            {"ring", CollectiveKind::REDUCE},
                            {"direct", CollectiveKind::ALL_TO_ALL},
                            {"direct", CollectiveKind::ALL_REDUCE},
                            {"direct", CollectiveKind::ALL_GATHER},
                            {"direct", CollectiveKind::REDUCE_SCATTER},
                            {"double_binary_tree", CollectiveKind::ALL_REDUCE},
                            {"halving_doubling", CollectiveKind::ALL_REDUCE},
                            {"halving_doubling", CollectiveKind::ALL_GATHER},
                            {"halving_doubling", CollectiveKind::REDUCE_SCATTER},
                            {"recursive_doubling", CollectiveKind::ALL_REDUCE},
                            {"recursive_doubling", CollectiveKind::ALL_GATHER},
                            {"pat", CollectiveKind::ALL_GATHER},
                            {"pat", CollectiveKind::REDUCE_SCATTER},
                            {"pairwise", CollectiveKind::ALL_TO_ALL},
                            {"bruck", CollectiveKind::ALL_TO_ALL},
                            {"binomial_tree", CollectiveKind::BROADCAST},
                            {"binomial_tree", CollectiveKind::REDUCE},
                            {"naive", CollectiveKind::ALL_REDUCE},
                            {"naive", CollectiveKind::BROADCAST},
                            {"naive", CollectiveKind::REDUCE}};

/// @return whether the schedule relies on sends reading their data before later receives take
/// effect
bool
SendsReadFirst(const Pairing& pairing)
{
    return pairing.first == "recursive_doubling";
}

/// @return the algorithm of a name
const CollectiveAlgorithm&
Find(const std::string& name, const CollectiveSpec& spec)
{
    static const CollectiveSelector selector;
    return *selector.Choose(spec, name).algorithm;
}

/// @ingroup llm-training-tests
/// Every rank ends with what the collective promises, whatever the order of events.
class AlgorithmScheduleTestCase : public TestCase
{
  public:
    explicit AlgorithmScheduleTestCase(const Pairing& pairing)
        : TestCase(pairing.first + " " + ToString(pairing.second) +
                   ": 1 to 33, 64 and 128 ranks get exactly the promised bytes, as predicted"),
          m_pairing(pairing)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t n = 1; n <= 33; ++n)
        {
            const uint64_t few = n;
            const uint64_t counts[] = {1, few - 1, few + 1, 5 * few + 3};
            for (const uint64_t bytes : counts)
            {
                Check(n, bytes);
            }
        }
        Check(64, 64 + 5);
        Check(64, 3 * 64 + 1);
        Check(128, 128 + 3);
    }

    /// One size; channels, slices and root change from one to the next.
    void Check(uint32_t n, uint64_t bytes)
    {
        const uint32_t seed = m_seed++;
        const uint64_t slice = std::array<uint64_t, 5>{0, 1, 3, 0, 2}[seed % 5];
        const uint32_t channels = 1 + seed % 3;
        const CollectiveSpec spec{m_pairing.second, n, bytes, channels, slice, seed % n};
        ScheduleChecker checker(Find(m_pairing.first, spec), spec, seed, SendsReadFirst(m_pairing));
        NS_TEST_EXPECT_MSG_EQ(checker.Run(), "", m_pairing.first);
    }

    const Pairing m_pairing; //!< under test
    uint32_t m_seed{0};      //!< number of the check
};

/// @ingroup llm-training-tests
/// A program can be executed by somebody who looks at one step at a time, sends being buffered.
class ExecutableInOrderTestCase : public TestCase
{
  public:
    ExecutableInOrderTestCase()
        : TestCase("all programs run to their end one step at a time")
    {
    }

  private:
    void DoRun() override
    {
        for (const Pairing& pairing : PAIRINGS)
        {
            for (const uint32_t n : {2U, 3U, 6U, 13U, 16U, 31U})
            {
                const CollectiveSpec spec{pairing.second, n, 20 * n + 7, 2, 3, n - 1};
                NS_TEST_EXPECT_MSG_EQ(RunInOrder(Find(pairing.first, spec), spec),
                                      true,
                                      pairing.first << ": " << Describe(spec));
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The trees are the ones that NCCL builds.
class NcclTreeTestCase : public TestCase
{
  public:
    NcclTreeTestCase()
        : TestCase("double binary tree of 14 ranks, and mirrored; of 5 ranks, shifted; 8 MiB each")
    {
    }

  private:
    using Edges = std::set<std::pair<uint32_t, uint32_t>>; //!< (parent, child)

    /// Compare who sends to whom with two trees.
    void Check(uint32_t n, const Edges& first, const Edges& second)
    {
        const uint64_t size = 16 << 20;
        const CollectiveSpec spec{CollectiveKind::ALL_REDUCE, n, size, 1, 0, 0};
        const auto& tree = Find("double_binary_tree", spec);
        for (uint32_t from = 0; from < n; ++from)
        {
            for (uint32_t to = 0; to < n; ++to)
            {
                uint64_t edges = 0;
                for (const Edges* one : {&first, &second})
                {
                    edges += one->count({from, to}) + one->count({to, from});
                }
                NS_TEST_EXPECT_MSG_EQ(tree.PredictPairBytes(spec, from, to),
                                      edges * size / 2,
                                      n << " ranks, " << from << " to " << to);
            }
            NS_TEST_EXPECT_MSG_EQ((tree.PredictBytes(spec, from) <= 2 * size),
                                  true,
                                  "at most twice the buffer");
        }
    }

    void DoRun() override
    {
        const Edges fourteen{{0, 8},
                             {8, 4},
                             {8, 12},
                             {4, 2},
                             {4, 6},
                             {12, 10},
                             {12, 13},
                             {2, 1},
                             {2, 3},
                             {6, 5},
                             {6, 7},
                             {10, 9},
                             {10, 11}};
        Edges mirrored;
        for (const auto& [parent, child] : fourteen)
        {
            mirrored.insert({13 - parent, 13 - child});
        }
        Check(14, fourteen, mirrored);
        const Edges five{{0, 4}, {4, 2}, {2, 1}, {2, 3}};
        Check(5, five, {{1, 0}, {0, 3}, {3, 2}, {3, 4}});
        Check(2, {{0, 1}}, {{1, 0}});
    }
};

/// @ingroup llm-training-tests
/// Volumes and times of textbooks.
class ClosedFormTestCase : public TestCase
{
  public:
    ClosedFormTestCase()
        : TestCase("1 GiB over 8 ranks: bytes per rank and alpha-beta times of all algorithms")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t size = 1 << 30;
        // Name, kind, bytes sent by rank 1 in eighths of the size, steps, size over time in
        // eighths.
        const std::tuple<Pairing, uint64_t, double, double> expected[] = {
            {{"direct", CollectiveKind::ALL_REDUCE}, 14, 2, 14},
            {{"direct", CollectiveKind::ALL_GATHER}, 7, 1, 7},
            {{"halving_doubling", CollectiveKind::ALL_REDUCE}, 14, 6, 14},
            {{"halving_doubling", CollectiveKind::ALL_GATHER}, 7, 3, 7},
            {{"halving_doubling", CollectiveKind::REDUCE_SCATTER}, 7, 3, 7},
            {{"recursive_doubling", CollectiveKind::ALL_REDUCE}, 24, 3, 24},
            {{"recursive_doubling", CollectiveKind::ALL_GATHER}, 7, 3, 7},
            {{"pat", CollectiveKind::ALL_GATHER}, 7, 3, 7},
            {{"pat", CollectiveKind::REDUCE_SCATTER}, 7, 3, 7},
            {{"pairwise", CollectiveKind::ALL_TO_ALL}, 7, 7, 7},
            {{"bruck", CollectiveKind::ALL_TO_ALL}, 12, 3, 12},
            {{"binomial_tree", CollectiveKind::REDUCE}, 8, 3, 24},
            {{"naive", CollectiveKind::ALL_REDUCE}, 8, 2, 112},
            {{"naive", CollectiveKind::REDUCE}, 8, 1, 56},
            {{"double_binary_tree", CollectiveKind::ALL_REDUCE}, 16, 6, 40}};
        for (const auto& [pairing, eighths, steps, timeEighths] : expected)
        {
            const CollectiveSpec spec{pairing.second, 8, size, 1, 0, 0};
            const auto& algorithm = Find(pairing.first, spec);
            NS_TEST_EXPECT_MSG_EQ(algorithm.PredictBytes(spec, 1),
                                  eighths * (size / 8),
                                  pairing.first << ": " << Describe(spec));
            // 1 GiB at 8 Gb/s takes 1.073741824 s.
            NS_TEST_EXPECT_MSG_EQ_TOL(algorithm.PredictTimePs(spec, 1e6, 8e9),
                                      steps * 1e6 + timeEighths / 8 * 1073741824e3,
                                      1e3,
                                      pairing.first << ": " << Describe(spec));
        }

        // A group that is no power of two: two steps and twice the buffer more.
        const CollectiveSpec six{CollectiveKind::ALL_REDUCE, 6, size, 1, 0, 0};
        NS_TEST_EXPECT_MSG_EQ_TOL(Find("halving_doubling", six).PredictTimePs(six, 1e6, 8e9),
                                  6e6 + 3.5 * 1073741824e3,
                                  1e3,
                                  "folded");
        // Finely sliced, the busiest link of the trees carries twice the buffer.
        CollectiveSpec fine{CollectiveKind::ALL_REDUCE, 8, size, 1, 1 << 12, 0};
        NS_TEST_EXPECT_MSG_EQ_TOL(Find("tree", fine).PredictTimePs(fine, 0, 8e9),
                                  2 * 1073741824e3,
                                  1e8,
                                  "pipelined");
    }
};

/// @ingroup llm-training-tests
/// Nothing to do is done without a transfer, and a kind that is not done is said.
class AlgorithmLimitsTestCase : public TestCase
{
  public:
    AlgorithmLimitsTestCase()
        : TestCase("0 bytes and one rank make no transfer; a kind that does not fit is an error")
    {
    }

  private:
    void DoRun() override
    {
        std::set<Pairing> fits(std::begin(PAIRINGS), std::end(PAIRINGS));
        for (const Pairing& pairing : PAIRINGS)
        {
            for (const auto& [ranks, bytes] : {std::pair<uint32_t, uint64_t>{8, 0}, {1, 1000}})
            {
                const CollectiveSpec spec{pairing.second, ranks, bytes, 2, 0, 0};
                const auto& algorithm = Find(pairing.first, spec);
                Transfer transfer;
                NS_TEST_EXPECT_MSG_EQ(algorithm.CreateProgram(spec, 0, 1)->Next(transfer),
                                      false,
                                      pairing.first << ": " << Describe(spec));
                NS_TEST_EXPECT_MSG_EQ(algorithm.PredictBytes(spec, 0), 0, Describe(spec));
                NS_TEST_EXPECT_MSG_EQ(algorithm.PredictTimePs(spec, 1e6, 1e9), 0, Describe(spec));
            }
            for (uint8_t kind = 0; kind <= static_cast<uint8_t>(CollectiveKind::ALL_TO_ALL); ++kind)
            {
                const auto other = static_cast<CollectiveKind>(kind);
                const bool known = fits.count({pairing.first, other}) > 0;
                NS_TEST_EXPECT_MSG_EQ(Refuses(pairing.first, other),
                                      !known,
                                      pairing.first << ": " << ToString(other));
            }
        }
        const CollectiveSelector selector;
        const CollectiveSpec spread{CollectiveKind::BROADCAST, 8, 1000, 1, 0, 0};
        NS_TEST_EXPECT_MSG_EQ(selector.Choose(spread, "tree").reason,
                              "binomial_tree: asked for by name",
                              "the tree of a broadcast");
        const CollectiveSpec reduce{CollectiveKind::ALL_REDUCE, 8, 1000, 1, 0, 0};
        NS_TEST_EXPECT_MSG_EQ(selector.Choose(reduce, "tree").reason,
                              "double_binary_tree: asked for by name",
                              "the tree of an all-reduce");
    }

    /// @return whether the selector throws, with the algorithm's name in the message
    static bool Refuses(const std::string& name, CollectiveKind kind)
    {
        try
        {
            Find(name, {kind, 8, 1000, 1, 0, 0});
            return false;
        }
        catch (const ConfigError& error)
        {
            const std::string line = error.what();
            return line.find(name + " does ") != std::string::npos &&
                   line.find(ToString(kind)) != std::string::npos;
        }
    }
};

/// @ingroup llm-training-tests
/// The suite of the algorithms that are chosen by name.
class LlmTrainingCollectiveAlgorithmsTestSuite : public TestSuite
{
  public:
    LlmTrainingCollectiveAlgorithmsTestSuite()
        : TestSuite("llm-training-collective-algorithms", Type::UNIT)
    {
        for (const Pairing& pairing : PAIRINGS)
        {
            AddTestCase(new AlgorithmScheduleTestCase(pairing));
        }
        AddTestCase(new ExecutableInOrderTestCase);
        AddTestCase(new NcclTreeTestCase);
        AddTestCase(new ClosedFormTestCase);
        AddTestCase(new AlgorithmLimitsTestCase);
    }
};

/// registers the suite
LlmTrainingCollectiveAlgorithmsTestSuite g_llmTrainingCollectiveAlgorithmsTestSuite;

} // namespace
