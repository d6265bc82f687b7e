/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// All-to-all of uneven parts, as mixtures of experts have it: proved on symbolic data, executed by
// jobs, and refused where it cannot be right.

#include "collective-checker.h"
#include "llm-training-test-job.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-direct-collective.h"
#include "ns3/llm-pairwise-collective.h"
#include "ns3/llm-workload-checker.h"
#include "ns3/test.h"

#include <array>
#include <memory>
#include <random>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// @return a matrix of parts of up to so many bytes, a third of them empty
MatrixExchange
RandomParts(uint32_t n, uint64_t most, uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<uint64_t> bytes(static_cast<std::size_t>(n) * n);
    for (uint64_t& part : bytes)
    {
        part = random() % 3 == 0 ? 0 : random() % (most + 1);
    }
    return {n, bytes};
}

/// @return some ranks that are more popular than others
std::vector<uint64_t>
RandomPopularity(uint32_t n, uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<uint64_t> bytes(n);
    for (uint64_t& part : bytes)
    {
        part = random() % 2 == 0 ? random() % 9 : 0;
    }
    return bytes;
}

/// @ingroup llm-training-tests
/// Every rank ends with the parts that are for it, whatever the order of events.
class UnevenScheduleTestCase : public TestCase
{
  public:
    /// @param name of the algorithm
    explicit UnevenScheduleTestCase(const std::string& name)
        : TestCase(name + ": 1 to 33, 64 and 128 ranks get exactly their uneven parts"),
          m_name(name)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t n = 1; n <= 33; ++n)
        {
            Check(RandomParts(n, 7, n));
            Check(PopularityExchange(RandomPopularity(n, n), false));
            Check(PopularityExchange(RandomPopularity(n, n + 1), true));
        }
        Check(RandomParts(64, 3, 64));
        Check(PopularityExchange(RandomPopularity(128, 1), false));
        Check(MatrixExchange(5, std::vector<uint64_t>(25, 0)));
    }

    /// One exchange; channels and slices change from one to the next.
    void Check(const ExchangeBytes& exchange)
    {
        const uint32_t seed = m_seed++;
        CollectiveSpec spec;
        spec.kind = CollectiveKind::ALL_TO_ALL;
        spec.groupSize = exchange.GetGroupSize();
        spec.bytes = exchange.GetMeanBytes();
        spec.channels = 1 + seed % 3;
        spec.sliceBytes = std::array<uint64_t, 5>{0, 1, 3, 0, 2}[seed % 5];
        spec.exchange = &exchange;
        const CollectiveSelector selector;
        const auto* algorithm = selector.Choose(spec, m_name).algorithm;
        ScheduleChecker checker(*algorithm, spec, seed);
        NS_TEST_EXPECT_MSG_EQ(checker.Run(), "", m_name);
        bool moves = false;
        for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
        {
            moves = moves || algorithm->PredictBytes(spec, rank) > 0;
        }
        NS_TEST_EXPECT_MSG_EQ((algorithm->PredictTimePs(spec, 1e6, 1e11) > 0),
                              moves,
                              "time where something goes");
    }

    const std::string m_name; //!< under test
    uint32_t m_seed{0};       //!< number of the check
};

/// @ingroup llm-training-tests
/// Times by hand.
class UnevenTimeTestCase : public TestCase
{
  public:
    UnevenTimeTestCase()
        : TestCase("uneven parts: the busiest port, or the largest part of each step")
    {
    }

  private:
    void DoRun() override
    {
        // 8 Gb/s: 1 ns per byte.
        const MatrixExchange exchange(3, {5, 100, 20, 0, 0, 30, 1000, 0, 0});
        CollectiveSpec spec;
        spec.kind = CollectiveKind::ALL_TO_ALL;
        spec.groupSize = 3;
        spec.bytes = exchange.GetMeanBytes();
        spec.exchange = &exchange;
        NS_TEST_EXPECT_MSG_EQ_TOL(DirectCollective().PredictTimePs(spec, 1e6, 8e9),
                                  1e6 + 1000e3,
                                  1,
                                  "rank 2 sends 1000 B to rank 0");
        // Step 1: 0 to 1, 1 to 2, 2 to 0. Step 2: 0 to 2, 1 to 0, 2 to 1.
        NS_TEST_EXPECT_MSG_EQ_TOL(PairwiseCollective().PredictTimePs(spec, 1e6, 8e9),
                                  2e6 + 1020e3,
                                  1,
                                  "two steps");
        const PopularityExchange popular({0, 0, 700}, false);
        spec.exchange = &popular;
        spec.bytes = popular.GetMeanBytes();
        NS_TEST_EXPECT_MSG_EQ_TOL(DirectCollective().PredictTimePs(spec, 1e6, 8e9),
                                  1e6 + 1400e3,
                                  1,
                                  "incast of two parts");
    }
};

/// @ingroup llm-training-tests
/// What cannot be right is said.
class UnevenErrorsTestCase : public TestCase
{
  public:
    UnevenErrorsTestCase()
        : TestCase("uneven parts that do not fit are refused in one line")
    {
    }

  private:
    /// @return the selector's error
    static std::string Refusal(const CollectiveSpec& spec, const std::string& name)
    {
        try
        {
            CollectiveSelector().Choose(spec, name);
            return "";
        }
        catch (const ConfigError& error)
        {
            return error.GetMessage();
        }
    }

    /// @return the checker's error for a world of ranks that each do one operation
    static std::string Verdict(const std::vector<std::vector<Operation>>& programs)
    {
        const auto n = static_cast<uint32_t>(programs.size());
        const auto workload = llmtest::MakeScript(n, programs, {llmtest::WorldGroup(n)});
        try
        {
            WorkloadChecker(*workload).Run();
            return "";
        }
        catch (const ConfigError& error)
        {
            return error.GetMessage();
        }
    }

    void DoRun() override
    {
        const PopularityExchange exchange({1, 2, 3}, false);
        CollectiveSpec spec;
        spec.kind = CollectiveKind::ALL_TO_ALL;
        spec.groupSize = 4;
        spec.bytes = 6;
        spec.exchange = &exchange;
        NS_TEST_EXPECT_MSG_EQ(Refusal(spec, "direct"),
                              "uneven parts of 3 ranks in a group of 4",
                              "");
        spec.groupSize = 3;
        NS_TEST_EXPECT_MSG_EQ(Refusal(spec, "direct"), "", "");
        NS_TEST_EXPECT_MSG_EQ(Refusal(spec, "auto"), "", "");
        NS_TEST_EXPECT_MSG_NE(Refusal(spec, "bruck").find("even parts only"),
                              std::string::npos,
                              "");
        spec.kind = CollectiveKind::ALL_REDUCE;
        NS_TEST_EXPECT_MSG_EQ(Refusal(spec, "ring"),
                              "uneven parts in all_reduce; only all_to_all exchanges parts",
                              "");

        Operation operation = llmtest::Collective(OperationKind::ALL_TO_ALL, 6);
        operation.exchange = &exchange;
        std::vector<std::vector<Operation>> programs(3, {operation});
        NS_TEST_EXPECT_MSG_EQ(Verdict(programs), "", "");
        for (auto& program : programs)
        {
            program[0].bytes = 7;
        }
        NS_TEST_EXPECT_MSG_EQ(Verdict(programs),
                              "all_to_all of 7 bytes in parts of 6 bytes per rank on average",
                              "");
        programs.assign(3, {operation});
        const PopularityExchange other({1, 2, 3}, true);
        programs[1][0].exchange = &other;
        NS_TEST_EXPECT_MSG_NE(Verdict(programs).find("uneven parts of its own"),
                              std::string::npos,
                              Verdict(programs));
        programs.assign(4, {operation});
        NS_TEST_EXPECT_MSG_EQ(Verdict(programs),
                              "all_to_all in parts for 3 ranks in a group of 4",
                              "");
        programs.assign(3, {operation});
        for (auto& program : programs)
        {
            program[0].kind = OperationKind::ALL_REDUCE;
        }
        NS_TEST_EXPECT_MSG_EQ(Verdict(programs),
                              "all_reduce in uneven parts; only all_to_all exchanges parts",
                              "");
    }
};

/// @ingroup llm-training-tests
/// Jobs.
class UnevenJobTestCase : public TestCase
{
  public:
    UnevenJobTestCase()
        : TestCase("jobs execute uneven all-to-all to the byte, and fail where members disagree")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        const uint32_t n = 6;
        const MatrixExchange exchange = RandomParts(n, 5000, 3);
        Operation operation =
            llmtest::Collective(OperationKind::ALL_TO_ALL, exchange.GetMeanBytes());
        operation.exchange = &exchange;
        for (const std::string name : {"auto", "direct", "pairwise"})
        {
            const std::vector<std::vector<Operation>> programs(n, {operation});
            llmtest::JobRig rig(llmtest::MakeScript(n, programs, {llmtest::WorldGroup(n)}),
                                CreateObject<llmtest::DelayTransport>(),
                                name,
                                2,
                                700);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(rig.job->IsComplete(), true, name);
            uint64_t pairs = 0;
            for (const PairTraffic& pair : rig.job->GetTraffic().GetPairs())
            {
                ++pairs;
                NS_TEST_EXPECT_MSG_EQ(pair.bytes, exchange.Get(pair.from, pair.to), name);
            }
            uint64_t expected = 0;
            for (uint32_t from = 0; from < n; ++from)
            {
                for (uint32_t to = 0; to < n; ++to)
                {
                    expected += from != to && exchange.Get(from, to) > 0 ? 1 : 0;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(pairs, expected, name << ": pairs that talk");
            const TransportTotals totals = rig.job->GetTransport()->GetTotals();
            NS_TEST_EXPECT_MSG_EQ(rig.job->GetTraffic().GetTotalBytes(),
                                  totals.bytesDelivered,
                                  name << ": emitted = delivered");
            Simulator::Destroy();
        }

        const MatrixExchange other = RandomParts(n, 5000, 3);
        std::vector<std::vector<Operation>> programs(n, {operation});
        programs[4][0].exchange = &other;
        llmtest::JobRig rig(llmtest::MakeScript(n, programs, {llmtest::WorldGroup(n)}),
                            CreateObject<llmtest::DelayTransport>(),
                            "direct");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(rig.job->GetFailure().empty(), false, "they disagree");
        NS_TEST_EXPECT_MSG_NE(rig.job->GetFailure()[0].find("in other parts"),
                              std::string::npos,
                              rig.job->GetFailure()[0]);
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingCollectiveUnevenTestSuite : public TestSuite
{
  public:
    LlmTrainingCollectiveUnevenTestSuite()
        : TestSuite("llm-training-collective-uneven", Type::UNIT)
    {
        AddTestCase(new UnevenScheduleTestCase("direct"));
        AddTestCase(new UnevenScheduleTestCase("pairwise"));
        AddTestCase(new UnevenTimeTestCase);
        AddTestCase(new UnevenErrorsTestCase);
        AddTestCase(new UnevenJobTestCase);
    }
};

LlmTrainingCollectiveUnevenTestSuite g_llmTrainingCollectiveUnevenTestSuite; //!< registers it

} // namespace
