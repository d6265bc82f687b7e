/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// NCCL's protocols and the model by which NCCL chooses among them.

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/llm-nccl-cost-model.h"
#include "ns3/llm-nccl-protocol.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// @return a collective of ranks, so many to a server
CollectiveSpec
MakeSpec(CollectiveKind kind, uint32_t ranks, uint64_t bytes, uint32_t ranksPerNode = 1)
{
    CollectiveSpec spec;
    spec.kind = kind;
    spec.groupSize = ranks;
    spec.bytes = bytes;
    spec.ranksPerNode = ranksPerNode;
    return spec;
}

/// @ingroup llm-training-tests
/// Sizes.
class ProtocolSizesTest : public TestCase
{
  public:
    ProtocolSizesTest()
        : TestCase("slots, slices and flags are those of NCCL's buffers")
    {
    }

  private:
    void DoRun() override
    {
        const NcclProtocolSizes& ll = GetNcclProtocolSizes(NcclProtocol::LL);
        const NcclProtocolSizes& ll128 = GetNcclProtocolSizes(NcclProtocol::LL128);
        const NcclProtocolSizes& simple = GetNcclProtocolSizes(NcclProtocol::SIMPLE);
        NS_TEST_EXPECT_MSG_EQ(ll.bufferBytes, 8 * 512 * 8 * 16, "lines, threads, steps, line");
        NS_TEST_EXPECT_MSG_EQ(ll128.bufferBytes, 120 * 640 * 8 * 8, "elements of 8 bytes");
        NS_TEST_EXPECT_MSG_EQ(ll.bufferBytes + ll128.bufferBytes + simple.bufferBytes,
                              9408 * 1024,
                              "as seen in the memory map of NCCL 2.29");
        for (const NcclProtocol protocol : NCCL_PROTOCOLS)
        {
            const NcclProtocolSizes& sizes = GetNcclProtocolSizes(protocol);
            NS_TEST_EXPECT_MSG_EQ(sizes.slotBytes * NCCL_SLOTS, sizes.bufferBytes, "");
            NS_TEST_EXPECT_MSG_EQ(GetNcclWireBytes(protocol, sizes.slotDataBytes),
                                  sizes.slotBytes,
                                  "a full slot");
            NS_TEST_EXPECT_MSG_EQ(GetNcclWireBytes(protocol, 0), 0, "nothing has no flags");
        }
        NS_TEST_EXPECT_MSG_EQ(GetNcclWireBytes(NcclProtocol::LL, 1), 16, "one line");
        NS_TEST_EXPECT_MSG_EQ(GetNcclWireBytes(NcclProtocol::LL, 9), 32, "two lines");
        NS_TEST_EXPECT_MSG_EQ(GetNcclWireBytes(NcclProtocol::LL128, 121), 256, "two lines");
        NS_TEST_EXPECT_MSG_EQ(GetNcclWireBytes(NcclProtocol::SIMPLE, 121), 121, "no flags");
        NS_TEST_EXPECT_MSG_EQ(GetNcclWireBytes(NcclProtocol::NONE, 121), 121, "no flags");

        const auto slice = [](NcclProtocol protocol, CollectiveKind kind, bool within = false) {
            return GetNcclSliceBytes(protocol, kind, within);
        };
        NS_TEST_EXPECT_MSG_EQ(slice(NcclProtocol::SIMPLE, CollectiveKind::ALL_REDUCE), 1 << 20, "");
        NS_TEST_EXPECT_MSG_EQ(slice(NcclProtocol::LL, CollectiveKind::ALL_GATHER), 32768, "");
        NS_TEST_EXPECT_MSG_EQ(slice(NcclProtocol::LL128, CollectiveKind::ALL_REDUCE), 576000, "");
        NS_TEST_EXPECT_MSG_EQ(slice(NcclProtocol::SIMPLE, CollectiveKind::BROADCAST), 1 << 19, "");
        NS_TEST_EXPECT_MSG_EQ(slice(NcclProtocol::SIMPLE, CollectiveKind::ALL_TO_ALL),
                              128 * 1024,
                              "over the network");
        NS_TEST_EXPECT_MSG_EQ(slice(NcclProtocol::SIMPLE, CollectiveKind::ALL_TO_ALL, true),
                              512 * 1024,
                              "over NVLink");
        NS_TEST_EXPECT_MSG_EQ(GetNcclSlots(NcclProtocol::SIMPLE, 1 << 20), 2, "");
        NS_TEST_EXPECT_MSG_EQ(GetNcclSlots(NcclProtocol::LL, 1), 1, "");
        NS_TEST_EXPECT_MSG_EQ(GetNcclSlots(NcclProtocol::LL, UINT64_C(5) << 30), 8, "all");
    }
};

/// @ingroup llm-training-tests
/// Channels.
class ChannelsTest : public TestCase
{
  public:
    ChannelsTest()
        : TestCase("small collectives use fewer channels, as each thread wants enough to do")
    {
    }

  private:
    void DoRun() override
    {
        const auto count = [](NcclProtocol protocol, bool ring, uint64_t bytes, uint32_t most) {
            return GetNcclChannels(protocol,
                                   ring,
                                   MakeSpec(CollectiveKind::ALL_REDUCE, 8, bytes),
                                   most);
        };
        NS_TEST_EXPECT_MSG_EQ(count(NcclProtocol::SIMPLE, true, 16 * 32768, 16), 16, "512 x 64 B");
        NS_TEST_EXPECT_MSG_EQ(count(NcclProtocol::SIMPLE, true, 16 * 32768 - 1, 16), 15, "");
        NS_TEST_EXPECT_MSG_EQ(count(NcclProtocol::SIMPLE, true, 1, 16), 1, "");
        NS_TEST_EXPECT_MSG_EQ(count(NcclProtocol::LL, false, 4 * 4096, 16), 4, "512 x 8 B");
        NS_TEST_EXPECT_MSG_EQ(count(NcclProtocol::LL, true, 4 * 32768, 16), 4, "times the ranks");
        NS_TEST_EXPECT_MSG_EQ(count(NcclProtocol::LL128, true, 4 * 5120, 16), 4, "640 x 8 B");
        NS_TEST_EXPECT_MSG_EQ(count(NcclProtocol::NONE, true, 1, 16), 16, "as asked");
        NS_TEST_EXPECT_MSG_EQ(count(NcclProtocol::SIMPLE, true, UINT64_C(5) << 30, 64), 64, "");
    }
};

/// @ingroup llm-training-tests
/// Figures of the cost model.
class CostModelTest : public TestCase
{
  public:
    CostModelTest()
        : TestCase("predicted times are those of NCCL's formulas, reckoned by hand")
    {
    }

  private:
    /// @return the predicted time, or -1
    static double Find(const CollectiveSpec& spec, const std::string& name, NcclProtocol protocol)
    {
        const NcclCostModel model(3.6e12, 4e11); // 450 and 50 GB/s
        for (const auto& candidate : model.Predict(spec))
        {
            if (candidate.algorithm == name && candidate.protocol == protocol)
            {
                return candidate.timeUs;
            }
        }
        return -1;
    }

    void Check(const CollectiveSpec& spec,
               const std::string& name,
               NcclProtocol protocol,
               double timeUs)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(Find(spec, name, protocol),
                                  timeUs,
                                  1e-3 * timeUs,
                                  ToString(spec.kind) << " " << name << " " << ToString(protocol));
    }

    void DoRun() override
    {
        constexpr uint64_t large = 64 << 20;
        const double us = large / 1000.0; // at 1 GB/s
        const CollectiveSpec flat = MakeSpec(CollectiveKind::ALL_REDUCE, 8, large);
        // 14 steps, all over the network; 1.4 for the plateau of Simple.
        Check(flat, "ring", NcclProtocol::SIMPLE, 1.4 * (8.4 + 14 * 14) + us / (50.0 * 8 / 14));
        Check(flat, "ring", NcclProtocol::LL, 6.6 + 14 * 2.7 + us / (25.0 * 8 / 14));
        Check(flat, "ring", NcclProtocol::LL128, 14 + 14 * 4 + us / (46.0 * 8 / 14));
        // 2 x log2(8) steps; 64 MiB has corrections 1.0, 0.9 and 0.8.
        Check(flat, "double_binary_tree", NcclProtocol::SIMPLE, 92.4 + us / (23 * 0.8));
        Check(flat, "double_binary_tree", NcclProtocol::LL, 6.8 + 30 + us / (23 / 3.8));
        Check(flat, "double_binary_tree", NcclProtocol::LL128, 14 + 51 + us / (23 * 0.9375 * 0.9));
        // Two servers of four: 2 of 14 steps between them.
        const CollectiveSpec two = MakeSpec(CollectiveKind::ALL_REDUCE, 8, 64, 4);
        Check(two, "ring", NcclProtocol::LL, 6.6 + 12 * 0.6 + 2 * 2.7 + 0.064 / (25.0 * 8 / 14));
        Check(two, "double_binary_tree", NcclProtocol::LL, 6.8 + 2 * (3 * 0.6 + 5) + 0.0106);
        // Within a server NVLink counts.
        const CollectiveSpec node = MakeSpec(CollectiveKind::ALL_GATHER, 8, large, 8);
        Check(node, "ring", NcclProtocol::SIMPLE, 8.4 + 7 * 3.4 + us / (450.0 * 8 / 7));
        Check(node, "nvls", NcclProtocol::SIMPLE, 25 + us / (450 * 0.85 * 8 / 7));
        NS_TEST_EXPECT_MSG_LT(Find(flat, "nvls", NcclProtocol::SIMPLE), 0, "not over the network");
        const CollectiveSpec spread = MakeSpec(CollectiveKind::BROADCAST, 8, large);
        Check(spread, "ring", NcclProtocol::SIMPLE, 8.4 + 14 + us / 50);
        NS_TEST_EXPECT_MSG_LT(Find(spread, "double_binary_tree", NcclProtocol::LL), 0, "no tree");
        const CollectiveSpec one = MakeSpec(CollectiveKind::ALL_REDUCE, 1, large);
        NS_TEST_EXPECT_MSG_GT(Find(one, "ring", NcclProtocol::LL), 0, "one rank");
    }
};

/// @ingroup llm-training-tests
/// Plans.
class PlanTest : public TestCase
{
  public:
    PlanTest()
        : TestCase("plans take NCCL's choice or the wish, say why, and refuse what nobody can do")
    {
    }

  private:
    /// @return "algorithm protocol channels slice", or the error
    std::string Try(const CollectiveSpec& spec, const CollectiveSelector::Wish& wish)
    {
        try
        {
            const auto plan = m_selector.Plan(spec, wish, "a.json", "collectives.all_reduce");
            NS_TEST_EXPECT_MSG_EQ(plan.reason.empty(), false, "a reason");
            NS_TEST_EXPECT_MSG_EQ(plan.reason.find('\n'), std::string::npos, "one line");
            m_reason = plan.reason;
            return plan.algorithm->GetName() + " " + ToString(plan.protocol) + " " +
                   std::to_string(plan.channels) + " " + std::to_string(plan.sliceBytes);
        }
        catch (const ConfigError& error)
        {
            return error.what();
        }
    }

    void DoRun() override
    {
        const auto reduce = [](uint32_t ranks, uint64_t bytes) {
            return MakeSpec(CollectiveKind::ALL_REDUCE, ranks, bytes);
        };
        NS_TEST_EXPECT_MSG_EQ(Try(reduce(64, 1024), {"nccl", 16, 0, "auto"}),
                              "double_binary_tree LL 1 32768",
                              "many servers and few bytes: the tree's latency");
        NS_TEST_EXPECT_MSG_NE(m_reason.find("ring Simple"), std::string::npos, m_reason);
        NS_TEST_EXPECT_MSG_EQ(Try(reduce(64, UINT64_C(4) << 30), {"nccl", 16, 0, "auto"}),
                              "ring Simple 16 1048576",
                              "many bytes: the ring's bandwidth");
        NS_TEST_EXPECT_MSG_EQ(
            Try(reduce(64, UINT64_C(4) << 30), {"nccl", 16, 0, "ll"}).substr(0, 8),
            "ring LL ",
            "only that protocol");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce(64, 1024), {"ring", 16, 7, "nccl"}),
                              "ring LL 1 32768",
                              "only that algorithm");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce(64, 1024), {"nccl", 16, 7, "none"}),
                              "double_binary_tree none 16 7",
                              "its choice without its costs");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce(64, 1024), {"ring", 16, 7, "auto"}), "ring none 16 7", "");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce(64, 65536), {"halving_doubling", 16, 7, "simple"}),
                              "halving_doubling Simple 2 1048576",
                              "protocols fit every algorithm");
        NS_TEST_EXPECT_MSG_EQ(m_reason, "asked for by name, protocol likewise", "");
        const CollectiveSpec exchange = MakeSpec(CollectiveKind::ALL_TO_ALL, 8, 1 << 20);
        NS_TEST_EXPECT_MSG_EQ(Try(exchange, {"nccl", 1, 0, "auto"}), "direct Simple 1 131072", "");
        NS_TEST_EXPECT_MSG_EQ(
            Try(exchange, {"nccl", 1, 0, "ll"}),
            "a.json: collectives.all_reduce: NCCL's cost model knows no way to do "
            "all_to_all by nccl with protocol ll",
            "");
        NS_TEST_EXPECT_MSG_EQ(Try(exchange, {"ring", 1, 0, "nccl"}),
                              "a.json: collectives.all_reduce: ring does no all_to_all; use direct",
                              "never another one");
        NS_TEST_EXPECT_MSG_EQ(
            Try(reduce(8, 1), {"halving_doubling", 1, 0, "nccl"}),
            "a.json: collectives.all_reduce: NCCL's cost model knows no way to do "
            "all_reduce by halving_doubling with protocol nccl",
            "");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce(8, 1), {"ring", 1, 0, "LL"}),
                              "a.json: collectives.all_reduce: protocol \"LL\" is not supported; "
                              "known are auto, none, simple, ll, ll128, nccl",
                              "");
        NS_TEST_EXPECT_MSG_EQ(Try(reduce(0, 1), {"nccl", 1, 0, "auto"}),
                              "a.json: collectives.all_reduce: a group of 0 ranks; at least 1 is "
                              "needed",
                              "");
    }

    CollectiveSelector m_selector; //!< under test
    std::string m_reason;          //!< of the last plan
};

/// @ingroup llm-training-tests
/// Groups on servers.
class GroupNodesTest : public TestCase
{
  public:
    GroupNodesTest()
        : TestCase("ranks of a group count as a server's only where all servers have equal runs")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint32_t> servers{0, 0, 0, 0, 1, 1, 1, 1};
        const auto count = [&servers](const std::vector<uint32_t>& ranks) {
            return GetRanksPerNode(ranks, servers);
        };
        NS_TEST_EXPECT_MSG_EQ(count({0, 1, 2, 3, 4, 5, 6, 7}), 4, "both");
        NS_TEST_EXPECT_MSG_EQ(count({0, 1, 2, 3}), 4, "one server");
        NS_TEST_EXPECT_MSG_EQ(count({0, 2, 4, 6}), 2, "strides");
        NS_TEST_EXPECT_MSG_EQ(count({0, 4}), 1, "one of each");
        NS_TEST_EXPECT_MSG_EQ(count({0, 1, 2, 4}), 0, "unequal");
        NS_TEST_EXPECT_MSG_EQ(count({0, 1, 4, 5, 2, 3}), 0, "a server twice");
        NS_TEST_EXPECT_MSG_EQ(count({3}), 1, "alone");
        NS_TEST_EXPECT_MSG_EQ(GetRanksPerNode({0, 1}, {}), 1, "no servers");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingCollectiveNcclTestSuite : public TestSuite
{
  public:
    LlmTrainingCollectiveNcclTestSuite()
        : TestSuite("llm-training-collective-nccl", Type::UNIT)
    {
        AddTestCase(new ProtocolSizesTest);
        AddTestCase(new ChannelsTest);
        AddTestCase(new CostModelTest);
        AddTestCase(new PlanTest);
        AddTestCase(new GroupNodesTest);
    }
};

LlmTrainingCollectiveNcclTestSuite g_llmTrainingCollectiveNcclTestSuite; //!< registers the suite

} // namespace
