/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Collectives that the switch of a scale-up domain reduces and multicasts, as jobs execute them.

#include "llm-training-test-job.h"

#include "ns3/data-rate.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nvls-collective.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-scale-up-transport.h"
#include "ns3/llm-training-job.h"
#include "ns3/test.h"

#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// @return ranks 0 .. ranks - 1 in domains of so many, at 8 Gb/s (a byte per nanosecond) and 1 us
Ptr<ScaleUpTransport>
MakeDomains(FabricEventQueue& queue, uint32_t ranks, uint32_t perDomain)
{
    auto transport = CreateObject<ScaleUpTransport>();
    transport->SetAttribute("Bandwidth", DataRateValue(DataRate("8Gb/s")));
    transport->SetAttribute("Latency", TimeValue(MicroSeconds(1)));
    transport->SetEventQueue(queue);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        transport->AddRank(rank, rank / perDomain, 0);
    }
    return transport;
}

/// @return a job in which all ranks do one collective by nvls
Ptr<TrainingJob>
MakeJob(Ptr<MessageTransport> transport,
        const std::vector<std::vector<Operation>>& programs,
        const std::vector<ProcessGroup>& groups,
        const std::vector<uint32_t>& servers,
        uint32_t channels,
        uint64_t slice)
{
    const auto n = static_cast<uint32_t>(programs.size());
    NodeContainer nodes;
    nodes.Create(n);
    Ptr<TrainingJob> job = CreateObject<TrainingJob>();
    job->SetAttribute("StallTime", TimeValue(MilliSeconds(100)));
    job->SetWorkload(llmtest::MakeScript(n, programs, groups));
    job->SetTransport(transport);
    job->SetServers(servers);
    job->SetCollectives({"nvls", channels, slice});
    job->Install(nodes);
    return job;
}

/// @ingroup llm-training-tests
/// Bytes on ports and time.
class NvlsJobTestCase : public TestCase
{
  public:
    NvlsJobTestCase()
        : TestCase("the switch of a scale-up domain reduces and multicasts: exact bytes, and time")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        for (const OperationKind kind :
             {OperationKind::ALL_REDUCE, OperationKind::ALL_GATHER, OperationKind::REDUCE_SCATTER})
        {
            for (const uint32_t n : {2U, 3U, 8U})
            {
                Check(kind, n, 3, 1, 0);
                Check(kind, n, 800003, 1, 0);
                Check(kind, n, 800003, 2, 5000);
                Check(kind, n, 8000000, 1, 8000000 / n / 40);
            }
        }
    }

    /// One collective.
    void Check(OperationKind operation,
               uint32_t n,
               uint64_t bytes,
               uint32_t channels,
               uint64_t slice)
    {
        CollectiveSpec spec;
        spec.kind = static_cast<CollectiveKind>(static_cast<int>(operation) -
                                                static_cast<int>(OperationKind::ALL_REDUCE));
        spec.groupSize = n;
        spec.ranksPerNode = n;
        spec.bytes = bytes;
        spec.channels = channels;
        spec.sliceBytes = slice;
        const std::string what = std::string(ToString(spec.kind)) + " of " + std::to_string(n) +
                                 " ranks, " + std::to_string(bytes) + " B";
        FabricEventQueue queue;
        const Ptr<ScaleUpTransport> transport = MakeDomains(queue, n, n);
        const Ptr<TrainingJob> job = MakeJob(transport,
                                             {n, {llmtest::Collective(operation, bytes)}},
                                             {llmtest::WorldGroup(n)},
                                             std::vector<uint32_t>(n, 0),
                                             channels,
                                             slice);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, what);
        const NvlsCollective nvls;
        for (const PairTraffic& pair : job->GetTraffic().GetPairs())
        {
            NS_TEST_EXPECT_MSG_EQ(pair.from, pair.to, what << ": with the switch");
            NS_TEST_EXPECT_MSG_EQ(pair.bytes,
                                  nvls.PredictPairBytes(spec, pair.from, pair.to),
                                  what << ": predicted");
        }
        const TransportTotals totals = transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.bytesStarted, job->GetTraffic().GetTotalBytes(), what);
        NS_TEST_EXPECT_MSG_EQ(totals.bytesStarted + totals.bytesMulticast,
                              totals.bytesDelivered + totals.bytesReduced,
                              what << ": what goes in and what comes out of the switch");
        const uint64_t reduced = spec.kind == CollectiveKind::ALL_GATHER ? 0 : bytes * (n - 1);
        const uint64_t copied = spec.kind == CollectiveKind::REDUCE_SCATTER ? 0 : bytes * (n - 1);
        NS_TEST_EXPECT_MSG_EQ(totals.bytesReduced, reduced, what << ": added to others");
        NS_TEST_EXPECT_MSG_EQ(totals.bytesMulticast, copied, what << ": copied");
        const CollectiveLinks links{{1e6, 8e9}, {1e6, 8e9}};
        const double expected = nvls.PredictPipelinedTimePs(spec, links);
        const double took = static_cast<double>(Time(job->GetEndTick()).GetPicoSeconds());
        NS_TEST_EXPECT_MSG_EQ_TOL(took, expected, 0.03 * expected, what << ": time");
        Simulator::Destroy();
    }
};

/// @ingroup llm-training-tests
/// Several groups on one switch, and other traffic.
class NvlsGroupsTestCase : public TestCase
{
  public:
    NvlsGroupsTestCase()
        : TestCase("groups of a domain reduce side by side, each its own sums")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        std::vector<ProcessGroup> groups(3, llmtest::WorldGroup(8));
        groups[0].ranks = {0, 1, 2, 3};
        groups[1].ranks = {4, 5, 6, 7};
        groups[2].ranks = {6, 1, 4, 3, 5};
        std::vector<std::vector<Operation>> programs(8);
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            auto& program = programs[rank];
            for (uint64_t i = 0; i < 3; ++i)
            {
                program.push_back(
                    llmtest::Collective(OperationKind::ALL_REDUCE, 1001 + i, rank / 4));
            }
            const bool third = std::find(groups[2].ranks.begin(), groups[2].ranks.end(), rank) !=
                               groups[2].ranks.end();
            if (third)
            {
                program.push_back(llmtest::Collective(OperationKind::REDUCE_SCATTER, 999, 2));
                program.back().stream = OperationStream::TENSOR;
            }
        }
        FabricEventQueue queue;
        const Ptr<ScaleUpTransport> transport = MakeDomains(queue, 8, 8);
        const Ptr<TrainingJob> job =
            MakeJob(transport, programs, groups, std::vector<uint32_t>(8, 0), 3, 100);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, "complete");
        // Per all-reduce of S: 4 S for sums and S for copies.
        NS_TEST_EXPECT_MSG_EQ(job->GetTraffic().GetTotalBytes(),
                              2 * 5 * (1001 + 1002 + 1003) + 5 * 999,
                              "bytes");
    }
};

/// @ingroup llm-training-tests
/// What cannot be.
class NvlsErrorsTestCase : public TestCase
{
  public:
    NvlsErrorsTestCase()
        : TestCase(
              "nvls over two servers is an error that names the group; a share that never comes "
              "is named")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        {
            FabricEventQueue queue;
            const Ptr<TrainingJob> job =
                MakeJob(MakeDomains(queue, 4, 2),
                        {4, {llmtest::Collective(OperationKind::ALL_REDUCE, 1000)}},
                        {llmtest::WorldGroup(4)},
                        {0, 0, 1, 1},
                        1,
                        0);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(job->GetFailure().empty(), false, "failed");
            NS_TEST_EXPECT_MSG_EQ(job->GetFailure()[0],
                                  "TrainingJob: all_reduce: nvls needs all ranks of a group on one "
                                  "server, whose switch reduces; these 4 are 2 per server; group "
                                  "\"dp\" of ranks 0, 1, 2, 3",
                                  "the group");
            Simulator::Destroy();
        }
        {
            FabricEventQueue queue;
            std::vector<std::vector<Operation>> programs(
                4,
                {llmtest::Collective(OperationKind::ALL_REDUCE, 1000)});
            programs[3].clear();
            const Ptr<TrainingJob> job = MakeJob(MakeDomains(queue, 4, 4),
                                                 programs,
                                                 {llmtest::WorldGroup(4)},
                                                 {0, 0, 0, 0},
                                                 1,
                                                 0);
            Simulator::Run();
            std::string all;
            for (const std::string& line : job->GetFailure())
            {
                all += line + "\n";
            }
            NS_TEST_EXPECT_MSG_NE(
                all.find("scale-up sum of 250 B for rank 0: 3 of 4 ranks have given their share"),
                std::string::npos,
                all);
            Simulator::Destroy();
        }
        // A transport refuses what its switch cannot do.
        FabricEventQueue queue;
        const Ptr<ScaleUpTransport> transport = MakeDomains(queue, 4, 2);
        const std::vector<uint32_t> members{0, 1, 2};
        Message message;
        message.to = 1;
        message.bytes = 10;
        message.inNetwork = InNetwork::REDUCE;
        message.members = &members;
        std::string error;
        try
        {
            transport->Send(message);
        }
        catch (const ConfigError& e)
        {
            error = e.GetMessage();
        }
        NS_TEST_EXPECT_MSG_EQ(
            error,
            "in-network message of rank 0 with rank 2; all members must be in one "
            "scale-up domain",
            "another domain");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingCollectiveNvlsTestSuite : public TestSuite
{
  public:
    LlmTrainingCollectiveNvlsTestSuite()
        : TestSuite("llm-training-collective-nvls", Type::UNIT)
    {
        AddTestCase(new NvlsJobTestCase);
        AddTestCase(new NvlsGroupsTestCase);
        AddTestCase(new NvlsErrorsTestCase);
    }
};

LlmTrainingCollectiveNvlsTestSuite g_llmTrainingCollectiveNvlsTestSuite; //!< registers it

} // namespace
