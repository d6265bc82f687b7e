/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Random loss on every link under every scheme of loss recovery and every way to choose paths:
// exact bytes, each message once and in order, and an end.

#include "llm-training-reliability.h"

#include "ns3/fabric-load-balancer-names.h"
#include "ns3/llm-training-compat.h"
#include "ns3/rdma-path-names.h"
#include "ns3/test.h"

using namespace ns3;
using namespace fabrictest;
using namespace reliabilitytest;

namespace
{

const char* const SUITE = "llm-training-rdma-reliability-loss"; //!< name
constexpr uint32_t MTU = 1024;                                  //!< of most tests
constexpr uint32_t SEEDS = 20;                                  //!< of every combination

/** How paths are chosen. */
struct PathPolicy
{
    std::string balancer; //!< of switches
    std::string hosts;    //!< path selector; empty: the default

    /** @return whether packets overtake each other. */
    bool IsSpraying() const
    {
        return !hosts.empty() || (balancer != "ecmp" && balancer != "static");
    }
};

/** @return all ways to choose paths: one by each load balancer, and one by each path selector that
 *  needs no table. */
std::vector<PathPolicy>
GetPathPolicies()
{
    std::vector<PathPolicy> policies;
    for (const std::string& name : GetFabricLoadBalancerNames().GetNames())
    {
        if (name.find("::") == std::string::npos) // others are of tests, or the same by long names
        {
            policies.push_back({name, ""});
        }
    }
    for (const std::string& name : GetRdmaPathNames().GetNames())
    {
        if (name.find("::") == std::string::npos && name != "single" && name != "pinned")
        {
            policies.push_back({"ecmp", name});
        }
    }
    return policies;
}

/** Two leaves of two hosts, two spines, 100 Gb/s. @param net to build. @param balancer of each
 *  switch. */
void
Build(Net& net, const std::string& balancer)
{
    ObjectFactory factory;
    factory.SetTypeId(GetFabricLoadBalancerNames().Lookup(balancer, "test"));
    const auto makeSwitch = [&] {
        Ptr<Node> node = CreateObject<Node>();
        Ptr<FabricSwitch> made = SwitchSettings().Make();
        made->SetAttribute("LoadBalancer", PointerValue(factory.Create<FabricLoadBalancer>()));
        node->AggregateObject(made);
        net.switches.Add(node);
        net.fabric->AddSwitch(node);
        return node;
    };
    const Ptr<Node> spines[] = {makeSwitch(), makeSwitch()};
    for (uint32_t l = 0; l < 2; ++l)
    {
        Ptr<Node> leaf = makeSwitch();
        for (uint32_t i = 0; i < 2; ++i)
        {
            net.Link(net.AddHost(), leaf, 100, NanoSeconds(500));
        }
        for (const auto& spine : spines)
        {
            net.Link(leaf, spine, 100, NanoSeconds(500));
        }
    }
    net.fabric->Build();
}

/** Lose frames at random on every link. @param net built. @param probability of each frame. */
void
LoseEverywhere(Net& net, double probability)
{
    for (const auto& port : net.fabric->GetPorts())
    {
        Ptr<RandomLossModel> model = CreateObject<RandomLossModel>();
        model->SetAttribute("Probability", DoubleValue(probability));
        port->SetLossModel(model);
    }
}

/// @ingroup llm-training-tests
/// One scheme under all paths, losses and seeds.
class EverySchemeTest : public TestCase
{
  public:
    explicit EverySchemeTest(const Scheme& scheme)
        : TestCase(std::string("random loss on every link, every path policy: ") + scheme.name),
          m_scheme(scheme)
    {
    }

  private:
    void RunOne(const PathPolicy& policy, double probability, uint32_t seed)
    {
        Net net(MTU);
        net.fabric->AssignStreams(seed);
        Build(net, policy.balancer);
        RdmaTransportHelper helper;
        helper.SetAttribute("AckInterval", UintegerValue(seed % 2 ? 1 : 4));
        helper.SetAttribute("InitialPsn", UintegerValue((1U << 24) - 3 * seed));
        helper.SetAttribute("RetryCount", UintegerValue(50));
        helper.SetReliability(m_scheme.name);
        helper.SetTimers("scaled");
        helper.SetAttribute("RetryCount", UintegerValue(50));
        if (!policy.hosts.empty())
        {
            helper.SetPathSelector(policy.hosts);
        }
        net.Install(helper);
        CheckingListener listener(net);
        LoseEverywhere(net, probability);
        const Philox random(seed);
        uint64_t k = 0;
        uint64_t messages = 0;
        // Reordering alone restarts a message of go-back-0, and where a short last packet overtakes
        // the one before on another path, it does so every time: a few whole packets, then.
        const bool wholePackets = m_scheme.mostPackets <= 16 && policy.IsSpraying();
        const uint64_t most = std::min<uint64_t>(m_scheme.mostPackets, 50) * MTU;
        const auto draw = [&](uint64_t bytes) {
            const uint64_t number = random.Draw(k++, 0);
            return wholePackets ? (1 + number % 4) * MTU : 1 + number % bytes;
        };
        for (uint32_t i = 0; i < 4; ++i)
        {
            for (uint64_t tag = 0; tag < 4; ++tag)
            {
                net.Send(i, (i + 2) % 4, draw(most), tag);
                net.Send(i, i ^ 1U, draw(most / 4), tag);
                messages += 2;
            }
        }
        Simulator::Run();
        const std::string what = policy.balancer + " " + policy.hosts + ", loss " +
                                 std::to_string(probability) + ", seed " + std::to_string(seed);
        NS_TEST_ASSERT_MSG_EQ(net.recorder.failed.size(), 0, what);
        NS_TEST_ASSERT_MSG_EQ(net.CheckBooks(), "", what);
        NS_TEST_ASSERT_MSG_EQ(listener.GetWrong(), "", what);
        NS_TEST_ASSERT_MSG_EQ(net.recorder.delivered.size(), messages, what);
        NS_TEST_ASSERT_MSG_EQ(net.recorder.sent.size(), messages, what);
        const FabricTotals totals = net.fabric->GetTotals();
        m_losses += totals.hosts.drops + totals.switches.drops;
        m_again += net.transport->GetTotals().payloadRetransmitted;
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const PathPolicy& policy : GetPathPolicies())
        {
            for (const double probability : {1e-4, 1e-3, 1e-2})
            {
                m_losses = 0;
                m_again = 0;
                for (uint32_t seed = 1; seed <= SEEDS; ++seed)
                {
                    RunOne(policy, probability, seed);
                    if (IsStatusFailure())
                    {
                        return;
                    }
                }
                const std::string what =
                    policy.balancer + " " + policy.hosts + ", loss " + std::to_string(probability);
                NS_TEST_EXPECT_MSG_GT(m_losses, 0, what << ": something was lost");
                NS_TEST_EXPECT_MSG_GT(m_again, 0, what << ": and sent again");
            }
        }
    }

    Scheme m_scheme;      //!< under test
    uint64_t m_losses{0}; //!< frames, all seeds
    uint64_t m_again{0};  //!< bytes, all seeds
};

/// @ingroup llm-training-tests
/// Congestion control beside loss recovery.
class CongestionTest : public TestCase
{
  public:
    CongestionTest()
        : TestCase("every congestion control under every scheme, sprayed and with loss")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const Scheme& scheme : SCHEMES)
        {
            for (const char* control : {"dcqcn",
                                        "dcqcn_mellanox",
                                        "hpcc",
                                        "timely",
                                        "swift",
                                        "dctcp",
                                        "powertcp",
                                        "powertcp_delay",
                                        "nscc",
                                        "none"})
            {
                Net net(MTU);
                Build(net, "ecmp");
                RdmaTransportHelper helper;
                helper.SetReliability(scheme.name);
                helper.SetTimers("scaled");
                helper.SetAttribute("RetryCount", UintegerValue(50));
                helper.SetAttribute("PathSelector",
                                    PointerValue(CreateObject<SprayTestSelector>()));
                helper.SetCongestionControl(control);
                net.Install(helper);
                CheckingListener listener(net);
                LoseEverywhere(net, 1e-3);
                for (uint64_t tag = 0; tag < 8; ++tag)
                {
                    for (uint32_t i = 1; i < 4; ++i)
                    {
                        net.Send(i, 0, scheme.mostPackets * MTU, tag);
                    }
                }
                Simulator::Run();
                const std::string what = std::string(scheme.name) + ", " + control;
                NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
                NS_TEST_EXPECT_MSG_EQ(listener.GetWrong(), "", what);
                NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), 24, what);
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Packet numbers that wrap.
class WrapTest : public TestCase
{
  public:
    WrapTest()
        : TestCase("PSNs wrap at 24 and 32 bit under loss and reordering, every scheme")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const Scheme& scheme : SCHEMES)
        {
            for (const uint64_t initial : {(uint64_t{1} << 24) - 10,
                                           (uint64_t{1} << 31) - 10,
                                           (uint64_t{1} << 32) - 10,
                                           (uint64_t{3} << 32) - 40})
            {
                Net net(256);
                BuildUnequalPaths(net, 2, 2, 1);
                RdmaTransportHelper helper;
                helper.SetReliability(scheme.name);
                helper.SetTimers("scaled");
                helper.SetAttribute("RetryCount", UintegerValue(50));
                helper.SetAttribute("InitialPsn", UintegerValue(initial));
                if (scheme.mostPackets > 16) // else messages would be restarted for ever
                {
                    helper.SetAttribute("PathSelector",
                                        PointerValue(CreateObject<SprayTestSelector>()));
                }
                net.Install(helper);
                CheckingListener listener(net);
                LoseEverywhere(net, 1e-2);
                uint64_t packets = 0;
                for (uint64_t tag = 0; tag < 10; ++tag)
                {
                    const uint64_t bytes = 1000 + 300 * tag;
                    packets += (bytes + 255) / 256;
                    net.Send(0, 1, bytes, tag);
                    net.Send(1, 0, bytes, tag);
                }
                Simulator::Run();
                const std::string what =
                    std::string(scheme.name) + " from PSN " + std::to_string(initial);
                NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
                NS_TEST_EXPECT_MSG_EQ(listener.GetWrong(), "", what);
                NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), 20, what);
                NS_TEST_EXPECT_MSG_EQ(net.transport->FindQueuePair(0, 1, 0)->GetNextPsn(),
                                      initial + packets,
                                      what);
            }
        }
    }
};

/// @ingroup llm-training-tests
/// A dead path is told of, whatever the scheme.
class DeadPathTest : public TestCase
{
  public:
    DeadPathTest()
        : TestCase("retries exhausted under every scheme: named, counted, and the run ends")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const Scheme& scheme : SCHEMES)
        {
            Net net(MTU);
            net.BuildStar(3, 100, MicroSeconds(1));
            RdmaTransportHelper helper;
            helper.SetReliability(scheme.name);
            helper.SetTimers("scaled");
            helper.SetAttribute("RetryCount", UintegerValue(3));
            net.Install(helper);
            Net::Lose(net.HostPort(1), [](const Frame& frame) {
                return frame.kind == FrameKind::WRITE && frame.psn >= 5;
            });
            net.Send(0, 1, 10 * MTU, 0);
            net.Send(0, 1, 10 * MTU, 1);
            net.Send(0, 2, 10 * MTU, 0);
            Simulator::Run();
            const std::string what = scheme.name;
            NS_TEST_EXPECT_MSG_LT(Simulator::Now(), MilliSeconds(4), what);
            NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 1, what);
            NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().timeouts, 4, what);
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(false), "", what);
            NS_TEST_ASSERT_MSG_EQ(net.recorder.failed.size(), 2, what);
            const std::string& reason = net.recorder.reasons[0];
            for (const std::string& part : {std::string("queue pair 2 of rank 0"),
                                            std::string("queue pair 2 of rank 1"),
                                            std::string("PSN 5 "),
                                            std::string("3 retries"),
                                            std::string("4 timeouts")})
            {
                NS_TEST_EXPECT_MSG_NE(reason.find(part), std::string::npos, what << reason);
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Switches that trim what finds no room.
class TrimmedIncastTest : public TestCase
{
  public:
    TrimmedIncastTest()
        : TestCase("4-to-1 over a switch that trims, all schemes but go-back-0: exact, and without "
                   "waiting for "
                   "timers where packets are named")
    {
    }

  private:
    void RunOne(const Scheme& scheme, const std::string& control)
    {
        SwitchSettings settings;
        settings.losslessClasses = 0;
        settings.bufferBytes = 100000;
        settings.alpha = 8;
        settings.trimming = true;
        Net net(MTU);
        net.BuildStar(5, 100, MicroSeconds(1), settings);
        RdmaTransportHelper helper;
        helper.SetReliability(scheme.name);
        helper.SetTimers("scaled");
        helper.SetAttribute("RetryCount", UintegerValue(50));
        helper.SetCongestionControl(control);
        if (control == "nscc")
        {
            helper.SetCongestionAttribute("TargetRtts", DoubleValue(0.75));
        }
        net.Install(helper);
        CheckingListener listener(net);
        const uint64_t bytes = scheme.mostPackets * MTU;
        for (uint64_t tag = 0; tag < 10; ++tag)
        {
            for (uint32_t i = 1; i <= 4; ++i)
            {
                net.Send(i, 0, bytes, tag);
            }
        }
        Simulator::Run();
        const std::string what = std::string(scheme.name) + ", " + control;
        const TransportTotals totals = net.transport->GetTotals();
        const FabricTotals fabric = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        NS_TEST_EXPECT_MSG_EQ(listener.GetWrong(), "", what);
        NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), 40, what);
        NS_TEST_EXPECT_MSG_GT(fabric.switches.trims, 0, what << ": trimmed");
        NS_TEST_EXPECT_MSG_EQ(totals.trimsReceived, fabric.switches.trims, what << ": arrived");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(totals.payloadRetransmitted,
                                    fabric.switches.trimPayload,
                                    what << ": again");
        if (std::string(scheme.name) != "go_back_n")
        {
            NS_TEST_EXPECT_MSG_EQ(totals.timeouts, 0, what << ": timeouts");
            const double ideal = 40.0 * static_cast<double>(bytes) / MTU * 1122 * 8 / 100e9;
            NS_TEST_EXPECT_MSG_LT(TimeStep(net.recorder.GetEnd()).GetSeconds(),
                                  1.3 * ideal + 20e-6,
                                  what << ": the link is used");
        }
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const Scheme& scheme : SCHEMES)
        {
            if (scheme.mostPackets > 16) // go-back-0 would never get a message through whole
            {
                RunOne(scheme, "none");
                RunOne(scheme, "nscc");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class RdmaReliabilityLossSuite : public TestSuite
{
  public:
    RdmaReliabilityLossSuite()
        : TestSuite("llm-training-rdma-reliability-loss", Type::UNIT)
    {
        for (const Scheme& scheme : SCHEMES)
        {
            AddTestCase(new EverySchemeTest(scheme), llm::TestDuration::QUICK);
        }
        AddTestCase(new CongestionTest, llm::TestDuration::QUICK);
        AddTestCase(new WrapTest, llm::TestDuration::QUICK);
        AddTestCase(new DeadPathTest, llm::TestDuration::QUICK);
        AddTestCase(new TrimmedIncastTest, llm::TestDuration::QUICK);
    }
};

RdmaReliabilityLossSuite g_rdmaReliabilityLossSuite; //!< instance

} // namespace
