/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The replay of transfers on alpha-beta links against closed forms, and against jobs on links of
// the same model.

#include "llm-training-test-job.h"

#include "ns3/data-rate.h"
#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-ring-collective.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-scale-up-transport.h"
#include "ns3/llm-training-job.h"
#include "ns3/llm-transfer-replay.h"
#include "ns3/test.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// An algorithm and a collective that it does.
struct Pairing
{
    std::string name;    //!< algorithm
    CollectiveKind kind; //!< collective
    uint32_t places;     //!< ranks per node; 0: all
};

const std::vector<Pairing>&
Pairings()
{
    static const std::vector<Pairing> all{{"ring", CollectiveKind::ALL_REDUCE, 1},
                                          {"ring", CollectiveKind::ALL_GATHER, 1},
                                          {"ring", CollectiveKind::BROADCAST, 1},
                                          {"ring", CollectiveKind::REDUCE, 1},
                                          {"direct", CollectiveKind::ALL_REDUCE, 1},
                                          {"direct", CollectiveKind::ALL_GATHER, 1},
                                          {"direct", CollectiveKind::ALL_TO_ALL, 1},
                                          {"double_binary_tree", CollectiveKind::ALL_REDUCE, 1},
                                          {"halving_doubling", CollectiveKind::ALL_REDUCE, 1},
                                          {"halving_doubling", CollectiveKind::ALL_GATHER, 1},
                                          {"recursive_doubling", CollectiveKind::ALL_REDUCE, 1},
                                          {"pat", CollectiveKind::ALL_GATHER, 1},
                                          {"pat", CollectiveKind::REDUCE_SCATTER, 1},
                                          {"pairwise", CollectiveKind::ALL_TO_ALL, 1},
                                          {"bruck", CollectiveKind::ALL_TO_ALL, 1},
                                          {"binomial_tree", CollectiveKind::BROADCAST, 1},
                                          {"binomial_tree", CollectiveKind::REDUCE, 1},
                                          {"naive", CollectiveKind::ALL_REDUCE, 1},
                                          {"two_level_rail", CollectiveKind::ALL_REDUCE, 4},
                                          {"two_level_rail", CollectiveKind::ALL_GATHER, 4},
                                          {"two_level_rail", CollectiveKind::REDUCE_SCATTER, 4},
                                          {"two_level_node", CollectiveKind::ALL_REDUCE, 4},
                                          {"two_level_node", CollectiveKind::ALL_GATHER, 4},
                                          {"two_level_node", CollectiveKind::REDUCE_SCATTER, 4},
                                          {"pxn", CollectiveKind::ALL_TO_ALL, 4},
                                          {"nvls", CollectiveKind::ALL_REDUCE, 0},
                                          {"nvls", CollectiveKind::ALL_GATHER, 0},
                                          {"nvls", CollectiveKind::REDUCE_SCATTER, 0}};
    return all;
}

/// @return spec of a pairing
CollectiveSpec
MakeSpec(const Pairing& pairing, uint32_t n, uint64_t bytes, uint32_t channels, uint64_t slice)
{
    CollectiveSpec spec;
    spec.kind = pairing.kind;
    spec.groupSize = n;
    spec.bytes = bytes;
    spec.channels = channels;
    spec.sliceBytes = slice;
    spec.ranksPerNode = pairing.places == 0 ? n : pairing.places;
    return spec;
}

/// @return the algorithm of a name
const CollectiveAlgorithm&
Find(const std::string& name, const CollectiveSpec& spec)
{
    static const CollectiveSelector selector;
    return *selector.Choose(spec, name).algorithm;
}

constexpr auto IN_ORDER = TransferReplay::Sharing::IN_ORDER; //!< ports keep the order
constexpr auto FAIR = TransferReplay::Sharing::FAIR;         //!< connections share

/// @ingroup llm-training-tests
/// Closed forms.
class ReplayClosedFormTestCase : public TestCase
{
  public:
    ReplayClosedFormTestCase()
        : TestCase(
              "alpha-beta forms are those of the transfers, within 2 %, 8 and 16 ranks, 1 and 64 "
              "MiB")
    {
    }

  private:
    void DoRun() override
    {
        const CollectiveLinks links{{5e6, 4e11}, {1e6, 3.6e12}};
        for (const Pairing& pairing : Pairings())
        {
            for (const uint32_t n : {8U, 16U})
            {
                for (const uint64_t bytes : {UINT64_C(1) << 20, UINT64_C(64) << 20})
                {
                    const CollectiveSpec spec = MakeSpec(pairing, n, bytes, 1, 0);
                    const CollectiveAlgorithm& algorithm = Find(pairing.name, spec);
                    const double predicted = algorithm.PredictTimePs(spec, links);
                    const double took = TransferReplay(algorithm, spec, links, FAIR).Run();
                    NS_TEST_EXPECT_MSG_EQ_TOL(took,
                                              predicted,
                                              0.02 * predicted,
                                              pairing.name << " " << ToString(pairing.kind)
                                                           << " of " << n << " ranks, " << bytes
                                                           << " B");
                }
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Pipelined.
class ReplayPipelinedTestCase : public TestCase
{
  public:
    ReplayPipelinedTestCase()
        : TestCase("pipelined rings are exact, trees and the scale-up switch near")
    {
    }

  private:
    void DoRun() override
    {
        // Slices that a port sends faster than they arrive, and slower.
        for (const double alphaPs : {0.0, 1e6, 5e6, 1e8})
        {
            const CollectiveLinks links{{alphaPs, 1e11}, {alphaPs, 1e11}};
            for (const CollectiveKind kind : {CollectiveKind::ALL_REDUCE,
                                              CollectiveKind::ALL_GATHER,
                                              CollectiveKind::REDUCE_SCATTER,
                                              CollectiveKind::BROADCAST})
            {
                for (const uint32_t n : {2U, 5U, 8U})
                {
                    const Pairing pairing{"ring", kind, 1};
                    const CollectiveSpec spec = MakeSpec(pairing, n, n << 20, 1, 1 << 16);
                    const RingCollective ring;
                    const double took = TransferReplay(ring, spec, links, IN_ORDER).Run();
                    const double fair = TransferReplay(ring, spec, links, FAIR).Run();
                    const double predicted = ring.PredictPipelinedTimePs(spec, links);
                    NS_TEST_EXPECT_MSG_EQ_TOL(took,
                                              predicted,
                                              1e-9 * predicted,
                                              ToString(kind) << " of " << n << ", " << alphaPs);
                    NS_TEST_EXPECT_MSG_EQ_TOL(fair,
                                              took,
                                              1e-6 * predicted,
                                              "one connection per port: sharing is all the same");
                }
            }
        }
        const CollectiveLinks links{{5e6, 4e11}, {1e6, 3.6e12}};
        for (const Pairing& pairing : {Pairing{"double_binary_tree", CollectiveKind::ALL_REDUCE, 1},
                                       Pairing{"binomial_tree", CollectiveKind::BROADCAST, 1},
                                       Pairing{"binomial_tree", CollectiveKind::REDUCE, 1},
                                       Pairing{"two_level_rail", CollectiveKind::ALL_REDUCE, 4},
                                       Pairing{"two_level_node", CollectiveKind::ALL_REDUCE, 4},
                                       Pairing{"nvls", CollectiveKind::ALL_REDUCE, 0}})
        {
            for (const uint32_t n : {8U, 16U})
            {
                for (const auto& [bytes, slice] : {std::pair<uint64_t, uint64_t>{1 << 20, 1 << 16},
                                                   {64 << 20, 1 << 18},
                                                   {64 << 20, 1 << 20}})
                {
                    const CollectiveSpec spec = MakeSpec(pairing, n, bytes, 1, slice);
                    const CollectiveAlgorithm& algorithm = Find(pairing.name, spec);
                    const double took = TransferReplay(algorithm, spec, links, FAIR).Run();
                    const double predicted = algorithm.PredictPipelinedTimePs(spec, links);
                    // The two trees meet at ports, and when is no matter of a formula.
                    const double tolerance = pairing.name == "double_binary_tree" ? 0.15 : 0.02;
                    NS_TEST_EXPECT_MSG_EQ_TOL(took,
                                              predicted,
                                              tolerance * predicted,
                                              pairing.name << " " << ToString(pairing.kind)
                                                           << " of " << n << " ranks, " << bytes
                                                           << " B in " << slice);
                }
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Jobs on links of the same model.
class ReplayJobTestCase : public TestCase
{
  public:
    ReplayJobTestCase()
        : TestCase("a job on ports that keep the order takes the time of the replay")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        for (const Pairing& pairing : Pairings())
        {
            for (const uint64_t slice : {0U, 20000U})
            {
                Check(pairing, 8, 1000003, slice == 0 ? 1 : 2, slice);
            }
        }
    }

    /// One collective on two ports per rank of 8 Gb/s: a byte per nanosecond.
    void Check(const Pairing& pairing,
               uint32_t n,
               uint64_t bytes,
               uint32_t channels,
               uint64_t slice)
    {
        FabricEventQueue queue;
        const auto makePorts = [&queue] {
            auto ports = CreateObject<ScaleUpTransport>();
            ports->SetAttribute("Bandwidth", DataRateValue(DataRate("8Gb/s")));
            ports->SetAttribute("Latency", TimeValue(MicroSeconds(3)));
            ports->SetEventQueue(queue);
            return ports;
        };
        const auto inside = makePorts();
        const auto network = makePorts();
        std::vector<uint32_t> servers;
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            const uint32_t places = pairing.places == 0 ? n : pairing.places;
            servers.push_back(rank / places);
            inside->AddRank(rank, servers.back(), 0);
            network->AddRank(rank, 0, 0);
        }
        auto transport = CreateObject<RoutedTransport>();
        transport->SetRoutes(inside, network, servers);
        const auto kind = static_cast<OperationKind>(static_cast<int>(OperationKind::ALL_REDUCE) +
                                                     static_cast<int>(pairing.kind));
        NodeContainer nodes;
        nodes.Create(n);
        Ptr<TrainingJob> job = CreateObject<TrainingJob>();
        job->SetWorkload(llmtest::MakeScript(n,
                                             {n, {llmtest::Collective(kind, bytes)}},
                                             {llmtest::WorldGroup(n)}));
        job->SetTransport(transport);
        job->SetServers(servers);
        job->SetCollectives({pairing.name, channels, slice});
        job->Install(nodes);
        Simulator::Run();
        const auto took = static_cast<double>(Time(job->GetEndTick()).GetPicoSeconds());
        Simulator::Destroy();

        const CollectiveSpec spec = MakeSpec(pairing, n, bytes, channels, slice);
        const CollectiveLink link{3e6, 8e9};
        const double replayed =
            TransferReplay(Find(pairing.name, spec), spec, {link, link}, IN_ORDER).Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(took,
                                  replayed,
                                  1e-4 * replayed,
                                  pairing.name << " " << ToString(pairing.kind) << ", slices of "
                                               << slice);
    }
};

/// A ring whose ranks wait for more than comes.
class GreedyRing : public RingCollective
{
  public:
    std::unique_ptr<TransferProgram> CreateProgram(const CollectiveSpec& spec,
                                                   uint32_t rank,
                                                   uint32_t channel) const override
    {
        CollectiveSpec more = spec;
        more.bytes += rank == 1 ? spec.bytes : 0;
        more.sliceBytes = rank == 1 ? spec.bytes / spec.groupSize : 0;
        return RingCollective::CreateProgram(more, rank, channel);
    }
};

/// @ingroup llm-training-tests
/// A replay that cannot end.
class ReplayStuckTestCase : public TestCase
{
  public:
    ReplayStuckTestCase()
        : TestCase("transfers that never come are an error, not an endless replay")
    {
    }

  private:
    void DoRun() override
    {
        const CollectiveSpec spec =
            MakeSpec({"ring", CollectiveKind::ALL_REDUCE, 1}, 4, 4000, 1, 0);
        const CollectiveLink link{1e6, 8e9};
        const GreedyRing greedy;
        TransferReplay replay(greedy, spec, {link, link}, IN_ORDER);
        std::string error;
        try
        {
            replay.Run();
        }
        catch (const ConfigError& e)
        {
            error = e.what();
        }
        NS_TEST_EXPECT_MSG_NE(error.find("receives are left and nothing moves"),
                              std::string::npos,
                              error);
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingAnalysisReplayTestSuite : public TestSuite
{
  public:
    LlmTrainingAnalysisReplayTestSuite()
        : TestSuite("llm-training-analysis-replay", Type::UNIT)
    {
        AddTestCase(new ReplayClosedFormTestCase);
        AddTestCase(new ReplayPipelinedTestCase);
        AddTestCase(new ReplayJobTestCase);
        AddTestCase(new ReplayStuckTestCase);
    }
};

LlmTrainingAnalysisReplayTestSuite g_llmTrainingAnalysisReplayTestSuite; //!< registers the suite

} // namespace
