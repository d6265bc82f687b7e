/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Algorithms that work by nodes, for every way to cut a group into nodes of equal size.

#include "collective-checker.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/test.h"

#include <array>
#include <random>
#include <tuple>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// An algorithm and a collective that it does.
using Pairing = std::pair<std::string, CollectiveKind>;

const Pairing PAIRINGS[] = {{"two_level_rail", CollectiveKind::ALL_REDUCE},
                            {"two_level_rail", CollectiveKind::ALL_GATHER},
                            {"two_level_rail", CollectiveKind::REDUCE_SCATTER},
                            {"two_level_node", CollectiveKind::ALL_REDUCE},
                            {"two_level_node", CollectiveKind::ALL_GATHER},
                            {"two_level_node", CollectiveKind::REDUCE_SCATTER},
                            {"pxn", CollectiveKind::ALL_TO_ALL},
                            {"nvls", CollectiveKind::ALL_REDUCE},
                            {"nvls", CollectiveKind::ALL_GATHER},
                            {"nvls", CollectiveKind::REDUCE_SCATTER}};

/// @return the algorithm of a name
const CollectiveAlgorithm&
Find(const std::string& name, const CollectiveSpec& spec)
{
    static const CollectiveSelector selector;
    return *selector.Choose(spec, name).algorithm;
}

/// @return spec of a group in nodes
CollectiveSpec
MakeSpec(CollectiveKind kind, uint32_t n, uint32_t g, uint64_t bytes, uint32_t seed)
{
    CollectiveSpec spec;
    spec.kind = kind;
    spec.groupSize = n;
    spec.bytes = bytes;
    spec.channels = 1 + seed % 3;
    spec.sliceBytes = std::array<uint64_t, 5>{0, 1, 3, 0, 2}[seed % 5];
    spec.ranksPerNode = g;
    return spec;
}

/// @ingroup llm-training-tests
/// Every rank ends with what the collective promises, whatever the order of events.
class HierarchyScheduleTestCase : public TestCase
{
  public:
    explicit HierarchyScheduleTestCase(const Pairing& pairing)
        : TestCase(pairing.first + " " + ToString(pairing.second) +
                   ": 1 to 33, 64 and 128 ranks in nodes of every divisor get exactly the promised "
                   "bytes, as predicted"),
          m_pairing(pairing)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t n = 1; n <= 33; ++n)
        {
            CheckDivisors(n,
                          n <= 16 ? std::vector<uint64_t>{1, n + 1, 3 * n + 2}
                                  : std::vector<uint64_t>{n + 1});
        }
        CheckDivisors(64, {64 + 5});
        CheckDivisors(128, {128 + 3});
    }

    /// All sizes of nodes.
    void CheckDivisors(uint32_t n, const std::vector<uint64_t>& counts)
    {
        for (uint32_t g = 1; g <= n; ++g)
        {
            for (const uint64_t bytes : counts)
            {
                if (n % g == 0 && (m_pairing.first != "nvls" || g == n))
                {
                    Check(n, g, bytes);
                }
            }
        }
    }

    /// One size; channels and slices change from one to the next.
    void Check(uint32_t n, uint32_t g, uint64_t bytes)
    {
        const uint32_t seed = m_seed++;
        CollectiveSpec spec = MakeSpec(m_pairing.second, n, g, bytes, seed);
        ScheduleChecker checker(Find(m_pairing.first, spec), spec, seed);
        NS_TEST_EXPECT_MSG_EQ(checker.Run(), "", m_pairing.first);
        if (m_pairing.second != CollectiveKind::ALL_TO_ALL)
        {
            return;
        }
        std::mt19937 random(seed);
        std::vector<uint64_t> parts(static_cast<std::size_t>(n) * n);
        for (uint64_t& part : parts)
        {
            part = random() % 3 == 0 ? 0 : random() % (bytes / n + 2);
        }
        const MatrixExchange exchange(n, parts);
        spec.exchange = &exchange;
        spec.bytes = exchange.GetMeanBytes();
        ScheduleChecker uneven(Find(m_pairing.first, spec), spec, seed);
        NS_TEST_EXPECT_MSG_EQ(uneven.Run(), "", m_pairing.first);
    }

    const Pairing m_pairing; //!< under test
    uint32_t m_seed{0};      //!< number of the check
};

/// @ingroup llm-training-tests
/// Executors look a few steps ahead only.
class HierarchyInOrderTestCase : public TestCase
{
  public:
    HierarchyInOrderTestCase()
        : TestCase("all programs run to their end one step at a time")
    {
    }

  private:
    void DoRun() override
    {
        for (const Pairing& pairing : PAIRINGS)
        {
            for (const auto& [n, g] :
                 {std::pair<uint32_t, uint32_t>{8, 4}, {8, 2}, {12, 4}, {16, 1}, {15, 15}, {33, 3}})
            {
                const uint32_t perNode = pairing.first == "nvls" ? n : g;
                const CollectiveSpec spec = MakeSpec(pairing.second, n, perNode, 20 * n + 7, n + g);
                NS_TEST_EXPECT_MSG_EQ(RunInOrder(Find(pairing.first, spec), spec),
                                      true,
                                      pairing.first << ": " << Describe(spec));
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Volumes and times of textbooks.
class HierarchyClosedFormTestCase : public TestCase
{
  public:
    HierarchyClosedFormTestCase()
        : TestCase("1 GiB over 4 nodes of 8: bytes on NIC and scale-up port, and times")
    {
    }

  private:
    /// Bytes that a rank sends to other nodes, and to its own.
    static std::pair<uint64_t, uint64_t> Ports(const CollectiveAlgorithm& algorithm,
                                               const CollectiveSpec& spec,
                                               uint32_t rank)
    {
        std::pair<uint64_t, uint64_t> bytes{0, 0};
        for (const uint32_t peer : algorithm.PredictPeers(spec, rank))
        {
            const bool inside = peer / spec.ranksPerNode == rank / spec.ranksPerNode;
            (inside ? bytes.second : bytes.first) += algorithm.PredictPairBytes(spec, rank, peer);
        }
        return bytes;
    }

    void DoRun() override
    {
        const uint64_t size = 1 << 30;
        const uint64_t part = size / 32;
        // Name, rank, NIC and scale-up port in 32nds of the size. Rail: 2 (m-1)/m S/g = 6/32.
        const std::tuple<Pairing, uint32_t, uint64_t, uint64_t> expected[] = {
            {{"two_level_rail", CollectiveKind::ALL_REDUCE}, 9, 6, 56},
            {{"two_level_rail", CollectiveKind::ALL_GATHER}, 9, 3, 28},
            {{"two_level_rail", CollectiveKind::REDUCE_SCATTER}, 9, 3, 28},
            {{"two_level_node", CollectiveKind::ALL_REDUCE}, 8, 48, 7 * 32},
            {{"two_level_node", CollectiveKind::ALL_REDUCE}, 9, 0, 32},
            {{"two_level_node", CollectiveKind::ALL_GATHER}, 8, 24, 7 * 31},
            {{"two_level_node", CollectiveKind::ALL_GATHER}, 9, 0, 1},
            {{"two_level_node", CollectiveKind::REDUCE_SCATTER}, 8, 24, 7},
            {{"two_level_node", CollectiveKind::REDUCE_SCATTER}, 9, 0, 32},
            {{"pxn", CollectiveKind::ALL_TO_ALL}, 9, 24, 28}};
        for (const auto& [pairing, rank, network, inside] : expected)
        {
            const CollectiveSpec spec = MakeSpec(pairing.second, 32, 8, size, 0);
            const auto ports = Ports(Find(pairing.first, spec), spec, rank);
            NS_TEST_EXPECT_MSG_EQ(ports.first, network * part, pairing.first << ": NIC");
            NS_TEST_EXPECT_MSG_EQ(ports.second, inside * part, pairing.first << ": scale-up port");
        }
        // In the network: S and S/N to the switch, the ring's 2 S (N-1)/N halved.
        const CollectiveSpec one = MakeSpec(CollectiveKind::ALL_REDUCE, 32, 32, size, 0);
        NS_TEST_EXPECT_MSG_EQ(Find("nvls", one).PredictPairBytes(one, 9, 9), size + part, "nvls");
        NS_TEST_EXPECT_MSG_EQ(Find("nvls", one).PredictPairBytes(one, 9, 8), 0, "nvls");
        // PXN: three peers on the rail and seven in the node.
        const CollectiveSpec mixed = MakeSpec(CollectiveKind::ALL_TO_ALL, 32, 8, size, 0);
        NS_TEST_EXPECT_MSG_EQ(Find("pxn", mixed).PredictPeers(mixed, 9).size(), 10, "peers");

        // 32 MiB parts: 0.268435456 ms at 1 Tb/s inside, 10 times that outside.
        const CollectiveLinks links{{5e6, 1e11}, {1e6, 1e12}};
        const double insidePs = 32 * 268435456.0;
        const double partPs = 10 * 268435456.0;
        const std::tuple<Pairing, double> times[] = {
            {{"two_level_rail", CollectiveKind::ALL_REDUCE},
             2 * (1e6 + 7.0 / 8 * insidePs + 3 * (5e6 + partPs))},
            {{"two_level_rail", CollectiveKind::ALL_GATHER},
             1e6 + 7.0 / 8 * insidePs + 3 * (5e6 + partPs)},
            {{"two_level_node", CollectiveKind::ALL_REDUCE},
             2 * (1e6 + 7 * insidePs + 3 * (5e6 + 8 * partPs))},
            {{"two_level_node", CollectiveKind::REDUCE_SCATTER},
             2e6 + (7 + 7.0 / 32) * insidePs + 3 * (5e6 + 8 * partPs)},
            {{"pxn", CollectiveKind::ALL_TO_ALL}, 6e6 + 7.0 / 32 * insidePs + 24 * partPs}};
        for (const auto& [pairing, timePs] : times)
        {
            const CollectiveSpec spec = MakeSpec(pairing.second, 32, 8, size, 0);
            NS_TEST_EXPECT_MSG_EQ_TOL(Find(pairing.first, spec).PredictTimePs(spec, links),
                                      timePs,
                                      1e3,
                                      pairing.first << ": " << Describe(spec));
        }
        // Where all share a node, even a ring has scale-up links only.
        CollectiveSpec ring = MakeSpec(CollectiveKind::ALL_GATHER, 32, 32, size, 0);
        NS_TEST_EXPECT_MSG_EQ_TOL(Find("ring", ring).PredictTimePs(ring, links),
                                  31 * (1e6 + insidePs / 32),
                                  1e3,
                                  "ring in a node");
    }
};

/// @ingroup llm-training-tests
/// Servers of ranks.
class RanksPerNodeTestCase : public TestCase
{
  public:
    RanksPerNodeTestCase()
        : TestCase(
              "how ranks share servers: in equal runs, or not; then who works by nodes refuses")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint32_t> packed{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({0, 1, 2, 3, 4, 5, 6, 7}, packed), 4, "two servers");
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({0, 1, 2, 3}, packed), 4, "one server");
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({0, 4, 8}, packed), 1, "each alone");
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({0, 2, 4, 6, 8, 10}, packed), 2, "pairs");
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({7}, packed), 1, "one rank");
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({0, 1, 2, 3, 4, 5}, packed), 0, "4 and 2");
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({0, 4, 1, 5}, packed), 0, "to and fro");
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({0, 1, 2}, {}), 1, "no servers");

        for (const Pairing& pairing : PAIRINGS)
        {
            CollectiveSpec spec = MakeSpec(pairing.second, 6, 0, 100, 0);
            if (pairing.first == "nvls")
            {
                NS_TEST_EXPECT_MSG_EQ(Refusal("nvls", spec),
                                      "nvls needs all ranks of a group on one server, whose switch "
                                      "reduces; these 6 are on several",
                                      "irregular");
                spec.ranksPerNode = 3;
                NS_TEST_EXPECT_MSG_EQ(Refusal("nvls", spec),
                                      "nvls needs all ranks of a group on one server, whose switch "
                                      "reduces; these 6 are 3 per server",
                                      "two servers");
                continue;
            }
            NS_TEST_EXPECT_MSG_EQ(Refusal(pairing.first, spec),
                                  pairing.first +
                                      " needs the ranks of a group in runs of equal length, each "
                                      "on a server of its own; these 6 ranks share servers in "
                                      "another way",
                                  "irregular");
            spec.ranksPerNode = 4;
            NS_TEST_EXPECT_MSG_EQ(Refusal(pairing.first, spec),
                                  "4 ranks per node in a group of 6; a divisor is needed",
                                  "no divisor");
            spec.ranksPerNode = 3;
            spec.kind = CollectiveKind::BROADCAST;
            NS_TEST_EXPECT_MSG_NE(Refusal(pairing.first, spec).find("not broadcast"),
                                  std::string::npos,
                                  "kind");
        }
    }

    /// @return the selector's error
    static std::string Refusal(const std::string& name, const CollectiveSpec& spec)
    {
        try
        {
            Find(name, spec);
            return "";
        }
        catch (const ConfigError& error)
        {
            return error.GetMessage();
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingCollectiveHierarchyTestSuite : public TestSuite
{
  public:
    LlmTrainingCollectiveHierarchyTestSuite()
        : TestSuite("llm-training-collective-hierarchy", Type::UNIT)
    {
        for (const Pairing& pairing : PAIRINGS)
        {
            AddTestCase(new HierarchyScheduleTestCase(pairing));
        }
        AddTestCase(new HierarchyInOrderTestCase);
        AddTestCase(new HierarchyClosedFormTestCase);
        AddTestCase(new RanksPerNodeTestCase);
    }
};

LlmTrainingCollectiveHierarchyTestSuite g_llmTrainingCollectiveHierarchyTestSuite; //!< registers it

} // namespace
