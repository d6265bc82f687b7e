/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The collective algorithms as jobs execute them: exact bytes between every pair of ranks, and over
// RDMA on a quiet fabric the time of their closed forms.

#include "fabric-test-helpers.h"
#include "llm-training-test-job.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-job.h"
#include "ns3/test.h"

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-algorithms"; //!< name

/// An algorithm and a collective that it does.
struct Pairing
{
    const char* name;   //!< algorithm
    OperationKind kind; //!< collective
};

/// @param kind of an operation @return the same as a collective
CollectiveKind
KindOf(OperationKind kind)
{
    return static_cast<CollectiveKind>(static_cast<int>(kind) -
                                       static_cast<int>(OperationKind::ALL_REDUCE));
}

/// @ingroup llm-training-tests
/// Every algorithm through the executor of jobs.
class ExecutedAlgorithmsTest : public TestCase
{
  public:
    ExecutedAlgorithmsTest()
        : TestCase("jobs execute every algorithm to its end, with exactly the predicted bytes")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        const CollectiveSelector selector;
        uint32_t executed = 0;
        for (const std::string& name : selector.GetNames())
        {
            if (name == "nccl")
            {
                continue; // one of the others
            }
            for (int kind = 0; kind <= static_cast<int>(CollectiveKind::ALL_TO_ALL); ++kind)
            {
                for (const uint32_t n : {1U, 2U, 7U, 8U, 13U})
                {
                    for (const uint64_t slice : {0U, 100U})
                    {
                        const CollectiveSpec spec{static_cast<CollectiveKind>(kind),
                                                  n,
                                                  10007,
                                                  slice == 0 ? 1U : 2U,
                                                  slice,
                                                  n / 2};
                        executed += Execute(name, spec) ? 1 : 0;
                    }
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(executed,
                              10 * (5 + 6 + 4 + 1 + 3 + 3 + 2 + 2 + 1 + 1 + 2 + 3 + 3 + 3 + 1),
                              "");
    }

    /// Run one collective and look at what went between each pair. @return whether that is done
    bool Execute(const std::string& name, const CollectiveSpec& spec)
    {
        const CollectiveSelector selector;
        const CollectiveAlgorithm* algorithm = nullptr;
        try
        {
            algorithm = selector.Choose(spec, name).algorithm;
        }
        catch (const ConfigError&)
        {
            return false;
        }
        const uint32_t n = spec.groupSize;
        auto operation = llmtest::Collective(
            static_cast<OperationKind>(static_cast<int>(OperationKind::ALL_REDUCE) +
                                       static_cast<int>(spec.kind)),
            spec.bytes);
        operation.root = spec.root;
        const std::vector<std::vector<Operation>> programs(n, {operation});
        llmtest::JobRig rig(llmtest::MakeScript(n, programs, {llmtest::WorldGroup(n)}),
                            CreateObject<llmtest::DelayTransport>(),
                            name,
                            spec.channels,
                            spec.sliceBytes);
        Simulator::Run();
        const std::string what = name + " " + ToString(spec.kind) + " of " + std::to_string(n);
        NS_TEST_EXPECT_MSG_EQ(rig.job->IsComplete(), true, what);
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> went;
        for (const PairTraffic& pair : rig.job->GetTraffic().GetPairs())
        {
            went[{pair.from, pair.to}] += pair.bytes;
        }
        for (uint32_t from = 0; from < n; ++from)
        {
            for (uint32_t to = 0; to < n; ++to)
            {
                const uint64_t bytes = went[{from, to}];
                NS_TEST_EXPECT_MSG_EQ(bytes,
                                      algorithm->PredictPairBytes(spec, from, to),
                                      what << ": " << from << " to " << to);
            }
        }
        Simulator::Destroy();
        return true;
    }
};

/// @ingroup llm-training-tests
/// Times.
class AlgorithmTimeTest : public TestCase
{
  public:
    AlgorithmTimeTest()
        : TestCase("every algorithm takes its alpha-beta time within 2 %")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const Pairing pairings[] = {{"direct", OperationKind::ALL_REDUCE},
                                    {"direct", OperationKind::ALL_GATHER},
                                    {"direct", OperationKind::ALL_TO_ALL},
                                    {"naive", OperationKind::ALL_REDUCE},
                                    {"double_binary_tree", OperationKind::ALL_REDUCE},
                                    {"binomial_tree", OperationKind::BROADCAST},
                                    {"binomial_tree", OperationKind::REDUCE},
                                    {"halving_doubling", OperationKind::ALL_REDUCE},
                                    {"halving_doubling", OperationKind::REDUCE_SCATTER},
                                    {"halving_doubling", OperationKind::ALL_GATHER},
                                    {"recursive_doubling", OperationKind::ALL_REDUCE},
                                    {"pat", OperationKind::ALL_GATHER},
                                    {"pat", OperationKind::REDUCE_SCATTER},
                                    {"pairwise", OperationKind::ALL_TO_ALL},
                                    {"bruck", OperationKind::ALL_TO_ALL}};
        for (const Pairing& pairing : pairings)
        {
            for (const auto& [n, bytes] :
                 {std::pair<uint32_t, uint64_t>{8, 1 << 20}, {16, 1 << 20}, {8, 8 << 20}})
            {
                Check(pairing, n, bytes);
            }
        }
    }

    /// One collective on a star at 400 Gb/s, with alpha of 5 us as in the rings' test.
    void Check(const Pairing& pairing, uint32_t n, uint64_t bytes)
    {
        const int64_t frame = 4178 * 20;
        const int64_t delay = (5000000 - frame) / 2;
        Net net(4096);
        net.BuildStar(n, 400, PicoSeconds(delay));
        RdmaTransportHelper helper;
        helper.SetAttribute("AckInterval", UintegerValue(16));
        net.Install(helper);
        int64_t last = 0; // without the last acknowledgement
        net.transport->TraceConnectWithoutContext(
            "MessageEnd",
            Callback<void, const Message&, int64_t>(
                [&last](const Message&, int64_t now) { last = now; }));
        const std::vector<std::vector<Operation>> programs(
            n,
            {llmtest::Collective(pairing.kind, bytes)});
        Ptr<TrainingJob> job = CreateObject<TrainingJob>();
        job->SetWorkload(llmtest::MakeScript(n, programs, {llmtest::WorldGroup(n)}));
        job->SetTransport(net.transport);
        job->SetCollectives({pairing.name, 1, 0});
        job->Install(net.hosts);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, pairing.name);
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", pairing.name);

        const CollectiveSpec spec{KindOf(pairing.kind), n, bytes, 1, 0, 0};
        const CollectiveSelector selector;
        const double predicted = selector.Choose(spec, pairing.name)
                                     .algorithm->PredictTimePs(spec, 5e6, 400e9 * 4096 / 4178) /
                                 1e6;
        const double took =
            static_cast<double>(last) / static_cast<double>(MicroSeconds(1).GetTimeStep());
        NS_TEST_EXPECT_MSG_EQ_TOL(took,
                                  predicted,
                                  0.02 * predicted,
                                  pairing.name << " " << ToString(pairing.kind) << " of " << n
                                               << " ranks, " << bytes << " B");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingRdmaAlgorithmsTestSuite : public TestSuite
{
  public:
    LlmTrainingRdmaAlgorithmsTestSuite()
        : TestSuite("llm-training-rdma-algorithms", Type::UNIT)
    {
        AddTestCase(new AlgorithmTimeTest); // first: it wants picoseconds
        AddTestCase(new ExecutedAlgorithmsTest);
    }
};

LlmTrainingRdmaAlgorithmsTestSuite g_llmTrainingRdmaAlgorithmsTestSuite; //!< registers the suite

} // namespace
