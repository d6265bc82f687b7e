/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A permutation of all hosts over a fat-tree, without congestion control: what each policy makes of
// it, against what its paths imply.

#include "fabric-test-helpers.h"

#include "ns3/fabric-load-balancer-names.h"
#include "ns3/fabric-path-loads.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/names.h"
#include "ns3/test.h"

#include <algorithm>
#include <numeric>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-permutation"; //!< name

/** @return a permutation of n that leaves nobody at his place. */
std::vector<uint32_t>
MakePermutation(uint32_t n, uint64_t seed)
{
    const Philox philox(seed);
    std::vector<uint32_t> to(n);
    std::iota(to.begin(), to.end(), 0);
    for (uint32_t i = n - 1; i > 0; --i)
    {
        std::swap(to[i], to[philox.Draw(i, 0) % i]); // Sattolo: one cycle
    }
    return to;
}

/** The fat-tree of k = 8 with one kind of load balancer and buffers that hold everything. */
class Tree
{
  public:
    explicit Tree(const std::string& balancer)
    {
        FabricLink link;
        link.rate = DataRate("100Gbps");
        link.delay = NanoSeconds(500);
        FatTreeTopology shape(8, link);
        shape.SetHostLink(link);
        shape.SetSwitchMaker([balancer] {
            SwitchSettings settings;
            settings.bufferBytes = 1 << 30;
            settings.alpha = 64;
            ObjectFactory factory;
            factory.SetTypeId(GetFabricLoadBalancerNames().Lookup(balancer, "test"));
            Ptr<FabricSwitch> made = settings.Make();
            made->SetAttribute("LoadBalancer", PointerValue(factory.Create()));
            return made;
        });
        network = shape.Build(CreateObject<Fabric>(), 1);
    }

    ~Tree()
    {
        if (transport)
        {
            transport->Dispose();
        }
        network.fabric->Dispose();
        Names::Clear();
        Simulator::Destroy();
    }

    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    FabricNetwork network;        //!< built
    Ptr<RdmaTransport> transport; //!< if any
};

/// @ingroup llm-training-tests
/// Frames without a transport.
class RawPermutationTest : public TestCase
{
  public:
    RawPermutationTest()
        : TestCase(
              "frames of a permutation: sprayed, it ends with the hosts' links; hashed, with the "
              "most loaded link")
    {
    }

  private:
    static constexpr uint64_t FRAMES = 600;   //!< of each host
    static constexpr uint32_t PAYLOAD = 4096; //!< of each frame

    /** @return end of the last frame, over what the hosts' links need; and over the busiest link.
     */
    std::pair<double, double> Run(const std::string& balancer, uint64_t seed)
    {
        const Tree tree(balancer);
        const Fabric& fabric = *tree.network.fabric;
        const std::vector<uint32_t> to = MakePermutation(128, seed);
        std::vector<RawEndpoint> raw(128);
        FabricPathLoads loads(fabric);
        const uint32_t wireBytes = PAYLOAD + wire::ROCE_BASE + wire::PREAMBLE_IFG;
        for (uint32_t i = 0; i < 128; ++i)
        {
            raw[i].Attach(PeekPointer(fabric.GetEndpointPort(i)));
            if (balancer == "ecmp")
            {
                loads.AddFlow(i, to[i], 0, 0, FRAMES * wireBytes);
            }
        }
        for (uint32_t i = 0; i < 128; ++i)
        {
            raw[i].Start({to[i], FRAMES, PAYLOAD});
        }
        Simulator::Run();
        int64_t last = 0;
        uint64_t received = 0;
        for (const RawEndpoint& endpoint : raw)
        {
            last = std::max(last, endpoint.last);
            received += endpoint.received;
        }
        NS_TEST_EXPECT_MSG_EQ(received, 128 * FRAMES, "all arrive");
        const double end = TimeStep(last).GetSeconds();
        const double ideal = static_cast<double>(FRAMES * wireBytes) * 8 / 100e9;
        // The path of the last frame: five more links to cross.
        const double crossing = 5 * (wireBytes * 8 / 100e9) + 6 * 500e-9;
        return {end / (ideal + crossing),
                balancer == "ecmp" ? end / (loads.GetBusiestSeconds() + crossing) : 0};
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const uint64_t seed : {1, 2, 3})
        {
            const auto [turns, none] = Run("spray_round_robin", seed);
            NS_TEST_EXPECT_MSG_LT(turns, 1.03, "in turn, seed " << seed);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(turns, 0.999, "in turn, seed " << seed);
            const auto [ecmp, implied] = Run("ecmp", seed);
            NS_TEST_EXPECT_MSG_GT(ecmp, 2, "hashed, seed " << seed);
            NS_TEST_EXPECT_MSG_EQ_TOL(implied, 1, 0.03, "hashed, seed " << seed);
        }
        const auto [adaptive, none] = Run("adaptive", 1);
        NS_TEST_EXPECT_MSG_LT(adaptive, 1.15, "adaptive");
        const auto [random, nothing] = Run("spray_random", 1);
        NS_TEST_EXPECT_MSG_LT(random, 1.2, "at random");
        NS_TEST_EXPECT_MSG_GT(random, 1.0, "at random");
    }
};

/// @ingroup llm-training-tests
/// Queue pairs.
class RdmaPermutationTest : public TestCase
{
  public:
    RdmaPermutationTest()
        : TestCase(
              "messages of a permutation: sprayed to receivers that take any order they end with "
              "the hosts' links, hashed with the most loaded link, and the quotient is as "
              "expected")
    {
    }

  private:
    static constexpr uint64_t PACKETS = 300; //!< of each host
    static constexpr uint32_t MTU = 4096;    //!< payload

    /** What came of it. */
    struct Outcome
    {
        double seconds;  //!< until the last message is delivered
        double implied;  //!< by the busiest link; 0 if it cannot be foretold
        uint64_t resent; //!< bytes
    };

    Outcome Run(const std::string& balancer,
                const std::string& selector,
                const std::string& reliability)
    {
        Tree tree(balancer);
        const std::vector<uint32_t> to = MakePermutation(128, 4);
        RdmaTransportHelper helper;
        helper.SetCongestionControl("none");
        helper.SetReliability(reliability);
        if (reliability == "out_of_order")
        {
            // Longer than any queue here: what is late is not lost.
            helper.SetReliabilityAttribute("ReorderTime", TimeValue(MicroSeconds(500)));
        }
        helper.SetPathSelector(selector);
        tree.transport = helper.Install(tree.network.fabric, tree.network.endpoints);
        Recorder recorder;
        tree.transport->SetListener(&recorder);
        FabricPathLoads loads(*tree.network.fabric);
        const uint64_t data = PACKETS * (MTU + wire::ROCE_BASE + wire::PREAMBLE_IFG) + wire::RETH;
        const uint64_t acks = PACKETS * (wire::ACK_FRAME + wire::PREAMBLE_IFG);
        for (uint32_t i = 0; i < 128; ++i)
        {
            Message message;
            message.from = i;
            message.to = to[i];
            message.bytes = PACKETS * MTU;
            tree.transport->Send(message);
            if (balancer == "ecmp" && selector == "single")
            {
                const RdmaQueuePair* qp = tree.transport->FindQueuePair(i, to[i], 0);
                const RdmaQueuePair* back = qp->GetPeer();
                loads.AddFlow(i, to[i], qp->GetEntropy(), qp->GetRemoteNumber(), data);
                loads.AddFlow(to[i], i, back->GetEntropy(), back->GetRemoteNumber(), acks);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(recorder.delivered.size(), 128, balancer << " " << reliability);
        return {TimeStep(recorder.GetEnd()).GetSeconds(),
                loads.GetBusiestSeconds(),
                tree.transport->GetTotals().payloadRetransmitted};
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        // A host sends its data, each packet with its address, and ACKs for what it receives; the
        // last packet crosses five more links.
        const double crossing =
            5 * ((MTU + wire::ROCE_BASE + wire::PREAMBLE_IFG) * 8 / 100e9) + 6 * 500e-9;
        const double ideal =
            crossing + static_cast<double>(PACKETS * (MTU + wire::ROCE_BASE + wire::RETH +
                                                      wire::ACK_FRAME + 2 * wire::PREAMBLE_IFG)) *
                           8 / 100e9;
        const Outcome hashed = Run("ecmp", "single", "go_back_n");
        NS_TEST_EXPECT_MSG_GT(hashed.implied / ideal, 2, "the hash collides");
        NS_TEST_EXPECT_MSG_EQ_TOL(hashed.seconds / (hashed.implied + crossing),
                                  1,
                                  0.03,
                                  "most loaded link");
        NS_TEST_EXPECT_MSG_EQ(hashed.resent, 0, "nothing is reordered");

        const Outcome turns = Run("spray_round_robin", "single", "out_of_order");
        NS_TEST_EXPECT_MSG_LT(turns.seconds / ideal, 1.03, "in turn");
        NS_TEST_EXPECT_MSG_EQ(turns.resent, 0, "what is late is waited for");
        NS_TEST_EXPECT_MSG_EQ_TOL(hashed.seconds / turns.seconds,
                                  hashed.implied / ideal,
                                  0.05 * hashed.implied / ideal,
                                  "the factor that the most loaded link implies");

        for (const std::string policy : {"adaptive", "spray_random"})
        {
            const Outcome other = Run(policy, "single", "out_of_order");
            NS_TEST_EXPECT_MSG_LT(other.seconds / ideal, 1.5, policy);
            NS_TEST_EXPECT_MSG_EQ(other.resent, 0, policy);
        }
        for (const std::string policy : {"spray", "reps"})
        {
            const Outcome other = Run("ecmp", policy, "out_of_order");
            NS_TEST_EXPECT_MSG_LT(other.seconds / ideal, 1.35, policy);
            NS_TEST_EXPECT_MSG_EQ(other.resent, 0, policy);
        }
        const Outcome selective = Run("spray_round_robin", "single", "selective_repeat");
        NS_TEST_EXPECT_MSG_GT(hashed.seconds / selective.seconds,
                              0.6 * hashed.implied / ideal,
                              "selective repeat gains too");
        const Outcome order = Run("spray_random", "single", "go_back_n");
        NS_TEST_EXPECT_MSG_GT(order.resent, 100 * 128 * MTU, "go-back-N resends what overtook");
        NS_TEST_EXPECT_MSG_GT(order.seconds, 1.5 * turns.seconds, "and loses by it");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class PermutationSuite : public TestSuite
{
  public:
    PermutationSuite()
        : TestSuite("llm-training-permutation", Type::UNIT)
    {
        AddTestCase(new RawPermutationTest, llm::TestDuration::QUICK);
        AddTestCase(new RdmaPermutationTest, llm::TestDuration::QUICK);
    }
};

PermutationSuite g_permutationSuite; //!< instance

} // namespace
