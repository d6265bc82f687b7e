/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Every collective algorithm on a quiet packet fabric, against its alpha-beta form: one channel,
// one slice per chunk, no protocol of NCCL; and in slices, against the recursion over its
// transfers.

#include "fabric-test-helpers.h"
#include "llm-training-test-job.h"

#include "ns3/data-rate.h"
#include "ns3/llm-collective-selector.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-scale-up-transport.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-job.h"
#include "ns3/llm-transfer-replay.h"
#include "ns3/test.h"

#include <cstdlib>
#include <iostream>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-algorithms-times"; //!< name

constexpr double NETWORK_ALPHA_PS = 5e6;               //!< of a step over the star
constexpr double NETWORK_BITS = 400e9 * 4096 / 4178;   //!< payload per second
constexpr double SCALE_UP_ALPHA_PS = 1e6;              //!< of a step in a server
constexpr double SCALE_UP_BITS = 3.6e12;               //!< per second
constexpr int64_t FRAME_PS = 4178 * 20;                //!< store and forward at the switch
constexpr int64_t DELAY_PS = (5000000 - FRAME_PS) / 2; //!< of a link: alpha less that, halved

/// An algorithm and a collective that it does.
struct Pairing
{
    std::string name;      //!< algorithm
    CollectiveKind kind;   //!< collective
    uint32_t ranksPerNode; //!< in a scale-up domain; 0: all
};

/// @return every algorithm with every collective that it does
std::vector<Pairing>
Pairings()
{
    using Kind = CollectiveKind;
    std::vector<Pairing> pairings{{"ring", Kind::ALL_REDUCE, 1},
                                  {"ring", Kind::ALL_GATHER, 1},
                                  {"ring", Kind::REDUCE_SCATTER, 1},
                                  {"ring", Kind::BROADCAST, 1},
                                  {"ring", Kind::REDUCE, 1},
                                  {"direct", Kind::ALL_REDUCE, 1},
                                  {"direct", Kind::ALL_GATHER, 1},
                                  {"direct", Kind::REDUCE_SCATTER, 1},
                                  {"direct", Kind::ALL_TO_ALL, 1},
                                  {"naive", Kind::ALL_REDUCE, 1},
                                  {"naive", Kind::BROADCAST, 1},
                                  {"naive", Kind::REDUCE, 1},
                                  {"double_binary_tree", Kind::ALL_REDUCE, 1},
                                  {"binomial_tree", Kind::BROADCAST, 1},
                                  {"binomial_tree", Kind::REDUCE, 1},
                                  {"halving_doubling", Kind::ALL_REDUCE, 1},
                                  {"halving_doubling", Kind::REDUCE_SCATTER, 1},
                                  {"halving_doubling", Kind::ALL_GATHER, 1},
                                  {"recursive_doubling", Kind::ALL_REDUCE, 1},
                                  {"recursive_doubling", Kind::ALL_GATHER, 1},
                                  {"pat", Kind::ALL_GATHER, 1},
                                  {"pat", Kind::REDUCE_SCATTER, 1},
                                  {"pairwise", Kind::ALL_TO_ALL, 1},
                                  {"bruck", Kind::ALL_TO_ALL, 1},
                                  {"two_level_rail", Kind::ALL_REDUCE, 4},
                                  {"two_level_rail", Kind::ALL_GATHER, 4},
                                  {"two_level_rail", Kind::REDUCE_SCATTER, 4},
                                  {"two_level_node", Kind::ALL_REDUCE, 4},
                                  {"two_level_node", Kind::ALL_GATHER, 4},
                                  {"two_level_node", Kind::REDUCE_SCATTER, 4},
                                  {"pxn", Kind::ALL_TO_ALL, 4},
                                  {"nvls", Kind::ALL_REDUCE, 0},
                                  {"nvls", Kind::ALL_GATHER, 0},
                                  {"nvls", Kind::REDUCE_SCATTER, 0}};
    return pairings;
}

/// @return the collective of a pairing
CollectiveSpec
MakeSpec(const Pairing& pairing, uint32_t n, uint64_t bytes, uint64_t slice)
{
    CollectiveSpec spec;
    spec.kind = pairing.kind;
    spec.groupSize = n;
    spec.bytes = bytes;
    spec.sliceBytes = slice;
    spec.ranksPerNode = pairing.ranksPerNode == 0 ? n : pairing.ranksPerNode;
    return spec;
}

/// @return what every rank is linked by
CollectiveLinks
MakeLinks()
{
    return {{NETWORK_ALPHA_PS, NETWORK_BITS}, {SCALE_UP_ALPHA_PS, SCALE_UP_BITS}};
}

/// @return whether to print figures: LLM_TRAINING_PRINT is set
bool
WantsFigures()
{
    return std::getenv("LLM_TRAINING_PRINT") != nullptr;
}

/// @ingroup llm-training-tests
/// What both have in common.
class TimesTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /**
     * Run a collective: hosts on a star at 400 Gb/s, servers with an analytic scale-up domain.
     * @param name of the algorithm @param spec what
     * @return picoseconds until the last byte was there, without the last acknowledgement
     */
    double Run(const std::string& name, const CollectiveSpec& spec)
    {
        const uint32_t n = spec.groupSize;
        const SimulatorScope scope("ns3::llm::FabricSimulatorImpl");
        Net net(4096);
        net.BuildStar(n, 400, PicoSeconds(DELAY_PS));
        RdmaTransportHelper helper;
        helper.SetAttribute("AckInterval", UintegerValue(16));
        net.Install(helper);
        Ptr<MessageTransport> transport = net.transport;
        std::vector<uint32_t> serverOf;
        if (spec.ranksPerNode > 1)
        {
            auto scaleUp = CreateObject<ScaleUpTransport>();
            scaleUp->SetAttribute("Bandwidth",
                                  DataRateValue(DataRate(static_cast<uint64_t>(SCALE_UP_BITS))));
            scaleUp->SetAttribute("Latency",
                                  TimeValue(PicoSeconds(static_cast<int64_t>(SCALE_UP_ALPHA_PS))));
            scaleUp->SetEventQueue(net.transport->GetEventQueue());
            for (uint32_t rank = 0; rank < n; ++rank)
            {
                serverOf.push_back(rank / spec.ranksPerNode);
                scaleUp->AddRank(rank, serverOf.back(), net.hosts.Get(rank)->GetId());
            }
            auto routed = CreateObject<RoutedTransport>();
            routed->SetRoutes(scaleUp, net.transport, serverOf);
            transport = routed;
        }
        int64_t last = 0;
        transport->TraceConnectWithoutContext(
            "MessageEnd",
            Callback<void, const Message&, int64_t>(
                [&last](const Message&, int64_t now) { last = now; }));
        const auto operation = llmtest::Collective(
            static_cast<OperationKind>(static_cast<int>(OperationKind::ALL_REDUCE) +
                                       static_cast<int>(spec.kind)),
            spec.bytes);
        Ptr<TrainingJob> job = CreateObject<TrainingJob>();
        job->SetWorkload(llmtest::MakeScript(n,
                                             std::vector<std::vector<Operation>>(n, {operation}),
                                             {llmtest::WorldGroup(n)}));
        job->SetTransport(transport);
        job->SetServers(serverOf);
        job->SetCollectives({name, 1, spec.sliceBytes, "none"});
        job->Install(net.hosts);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, name);
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", name);
        transport->SetListener(nullptr);
        const double took = static_cast<double>(TimeStep(last).GetPicoSeconds());
        job->Dispose();
        return took;
    }

    /// Compare a time.
    void Expect(double took, double predicted, double tolerance, const std::string& what)
    {
        if (WantsFigures())
        {
            std::cout << what << ": " << took / predicted << std::endl;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(took, predicted, tolerance * predicted, what);
    }

    /// @return "ring all_reduce of 8 ranks, 1048576 B"
    static std::string Describe(const Pairing& pairing, const CollectiveSpec& spec)
    {
        return pairing.name + " " + ToString(spec.kind) + " of " + std::to_string(spec.groupSize) +
               " ranks, " + std::to_string(spec.bytes) + " B";
    }
};

/// @ingroup llm-training-tests
/// One slice per chunk.
class AlphaBetaTimesTest : public TimesTestCase
{
  public:
    AlphaBetaTimesTest()
        : TimesTestCase("every algorithm takes its alpha-beta time within 2 %: 1 and 64 MiB, 8 and "
                        "16 ranks")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const CollectiveSelector selector;
        for (const Pairing& pairing : Pairings())
        {
            for (const uint32_t n : {8U, 16U})
            {
                for (const uint64_t bytes : {uint64_t{1} << 20, uint64_t{64} << 20})
                {
                    const CollectiveSpec spec = MakeSpec(pairing, n, bytes, 0);
                    const auto* algorithm = selector.Choose(spec, pairing.name).algorithm;
                    Expect(Run(pairing.name, spec),
                           algorithm->PredictTimePs(spec, MakeLinks()),
                           0.02,
                           Describe(pairing, spec));
                }
            }
        }
    }
};

/// @ingroup llm-training-tests
/// In slices.
class PipelinedTimesTest : public TimesTestCase
{
  public:
    PipelinedTimesTest()
        : TimesTestCase("in slices every algorithm takes the time of the recursion over its "
                        "transfers within 3 %: 1 and 64 MiB, 8 and 16 ranks")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const CollectiveSelector selector;
        for (const Pairing& pairing : Pairings())
        {
            for (const uint32_t n : {8U, 16U})
            {
                for (const auto& [bytes, slice] :
                     {std::pair<uint64_t, uint64_t>{1 << 20, 1 << 15}, {64 << 20, 1 << 19}})
                {
                    const CollectiveSpec spec = MakeSpec(pairing, n, bytes, slice);
                    const auto* algorithm = selector.Choose(spec, pairing.name).algorithm;
                    TransferReplay replay(*algorithm,
                                          spec,
                                          MakeLinks(),
                                          TransferReplay::Sharing::BUFFERED);
                    Expect(Run(pairing.name, spec),
                           replay.Run(),
                           0.03,
                           Describe(pairing, spec) + " in " + std::to_string(slice));
                }
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingRdmaAlgorithmsTimesTestSuite : public TestSuite
{
  public:
    LlmTrainingRdmaAlgorithmsTimesTestSuite()
        : TestSuite("llm-training-rdma-algorithms-times", Type::UNIT)
    {
        AddTestCase(new AlphaBetaTimesTest);
        AddTestCase(new PipelinedTimesTest);
    }
};

LlmTrainingRdmaAlgorithmsTimesTestSuite
    g_llmTrainingRdmaAlgorithmsTimesTestSuite; //!< registers the suite

} // namespace
