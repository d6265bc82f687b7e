/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What priority flow control is known for, each effect as its paper sets it up: unfairness by
// ingress port and victim flows (Zhu et al., SIGCOMM 2015, figures 3 and 4), pause storms (Guo et
// al., SIGCOMM 2016, section 4.3), head-of-line blocking. Deadlocks have a suite of their own.

#include "fabric-test-helpers.h"

#include "ns3/llm-training-compat.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

#include <algorithm>
#include <numeric>

using namespace ns3;
using namespace fabrictest;

namespace
{

/** A flow that never ends. */
struct Greedy
{
    uint32_t from; //!< endpoint
    uint32_t to;   //!< endpoint
};

/** @return switches of the paper: 12 MB, RED from 5 to 200 kB. */
SwitchSettings
MakeTrident(bool ecn)
{
    SwitchSettings settings;
    settings.bufferBytes = 12000000;
    if (ecn)
    {
        Ptr<RedEcnMarker> red = CreateObject<RedEcnMarker>();
        red->SetAttribute("Kmin", UintegerValue(5000));
        red->SetAttribute("Kmax", UintegerValue(200000));
        red->SetAttribute("Pmax", DoubleValue(0.01));
        settings.marker = red;
    }
    return settings;
}

/** @return Gb/s of payload that each flow delivers between two times. */
std::vector<double>
MeasureRates(Net& net,
             const std::string& congestion,
             const std::vector<Greedy>& flows,
             Time from,
             Time to)
{
    RdmaTransportHelper helper;
    helper.SetCongestionControl(congestion);
    net.Install(helper);
    for (const Greedy& flow : flows)
    {
        net.Send(flow.from, flow.to, uint64_t{4} << 30);
    }
    std::vector<uint64_t> before;
    const auto sample = [&] {
        FabricEntry entry(net.fabric->GetEventQueue());
        std::vector<uint64_t> bytes;
        for (const Greedy& flow : flows)
        {
            bytes.push_back(
                net.transport->FindQueuePair(flow.to, flow.from, 0)->GetCounters().payloadReceived);
        }
        return bytes;
    };
    Simulator::Schedule(from, [&] { before = sample(); });
    Simulator::Stop(to);
    Simulator::Run();
    const std::vector<uint64_t> after = sample();
    std::vector<double> rates;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        rates.push_back(8e-9 * static_cast<double>(after[i] - before[i]) /
                        (to - from).GetSeconds());
    }
    return rates;
}

/// @ingroup llm-training-tests
/// Under PFC alone the receiver's link is shared by ingress port, not by flow.
class UnfairnessTest : public TestCase
{
  public:
    UnfairnessTest()
        : TestCase("unfairness: PFC shares a link by ingress port, DCQCN by flow")
    {
    }

  private:
    /**
     * H4 and R (endpoints 3, 4) at one switch; H1 to H3 behind one or two uplinks.
     * @return Gb/s of H1 to H4.
     */
    std::vector<double> Run(bool twoUplinks, const std::string& congestion)
    {
        const bool ecn = congestion != "none";
        Net net(1024);
        Ptr<Node> t4 = net.AddSwitch(MakeTrident(ecn));
        Ptr<Node> t1 = net.AddSwitch(MakeTrident(ecn));
        Ptr<Node> t2 = net.AddSwitch(MakeTrident(ecn));
        for (const auto& at : {t1, t1, twoUplinks ? t2 : t1, t4, t4})
        {
            net.Link(net.AddHost(), at, 40, MicroSeconds(1));
        }
        net.Link(t1, t4, 40, MicroSeconds(1));
        net.Link(t2, t4, 40, MicroSeconds(1));
        net.fabric->Build();
        const std::vector<double> rates = MeasureRates(net,
                                                       congestion,
                                                       {{0, 4}, {1, 4}, {2, 4}, {3, 4}},
                                                       MilliSeconds(ecn ? 40 : 10),
                                                       MilliSeconds(ecn ? 90 : 40));
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, "lossless");
        return rates;
    }

    void DoRun() override
    {
        // 1024 of 1106 B are payload: 37.03 Gb/s of 40.
        const double line = 40.0 * 1024 / 1106;
        const std::vector<double> one = Run(false, "none");
        for (std::size_t i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(one[i], line / 6, 0.1 * line / 6, "one uplink, H" << i + 1);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(one[3], line / 2, 0.05 * line / 2, "one uplink, H4");

        const std::vector<double> two = Run(true, "none");
        NS_TEST_EXPECT_MSG_EQ_TOL(two[0], line / 6, 0.1 * line / 6, "two uplinks, H1");
        NS_TEST_EXPECT_MSG_EQ_TOL(two[1], line / 6, 0.1 * line / 6, "two uplinks, H2");
        NS_TEST_EXPECT_MSG_EQ_TOL(two[2], line / 3, 0.1 * line / 3, "two uplinks, H3");
        NS_TEST_EXPECT_MSG_EQ_TOL(two[3], line / 3, 0.1 * line / 3, "two uplinks, H4");

        const std::vector<double> fair = Run(false, "dcqcn");
        const double sum = std::accumulate(fair.begin(), fair.end(), 0.0);
        NS_TEST_EXPECT_MSG_GT(sum, 0.9 * line, "DCQCN fills the link");
        for (std::size_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(fair[i], sum / 4, 0.2 * sum / 4, "DCQCN, H" << i + 1);
        }
    }
};

/// @ingroup llm-training-tests
/// A flow suffers from congestion on a path that is not its own.
class VictimFlowTest : public TestCase
{
  public:
    VictimFlowTest()
        : TestCase("victim flow: under PFC alone it slows down as senders join elsewhere")
    {
    }

  private:
    /**
     * Two pods of two racks, leaves and spines as in the paper's figure 2.
     * @return Gb/s of the victim, mean over paths thrown with dice.
     */
    double Run(uint32_t others, const std::string& congestion)
    {
        const bool ecn = congestion != "none";
        double sum = 0;
        constexpr uint64_t RUNS = 3;
        for (uint64_t run = 1; run <= RUNS; ++run)
        {
            RngSeedManager::SetRun(run);
            Net net(1024);
            std::vector<Ptr<Node>> rack;
            std::vector<Ptr<Node>> leaf;
            std::vector<Ptr<Node>> spine;
            for (uint32_t i = 0; i < 4; ++i)
            {
                rack.push_back(net.AddSwitch(MakeTrident(ecn)));
                leaf.push_back(net.AddSwitch(MakeTrident(ecn)));
            }
            for (uint32_t i = 0; i < 2; ++i)
            {
                spine.push_back(net.AddSwitch(MakeTrident(ecn)));
            }
            // Endpoints: VS, H11 to H14 in rack 1; VR in 2; H31, H32 in 3; R in 4.
            for (const uint32_t r : {0, 0, 0, 0, 0, 1, 2, 2, 3})
            {
                net.Link(net.AddHost(), rack[r], 40, MicroSeconds(1));
            }
            for (uint32_t i = 0; i < 4; ++i)
            {
                for (uint32_t j = 0; j < 2; ++j)
                {
                    net.Link(rack[i], leaf[i / 2 * 2 + j], 40, MicroSeconds(1));
                    net.Link(leaf[i], spine[j], 40, MicroSeconds(1));
                }
            }
            net.fabric->Build();
            std::vector<Greedy> flows{{0, 5}, {1, 8}, {2, 8}, {3, 8}, {4, 8}};
            for (uint32_t i = 0; i < others; ++i)
            {
                flows.push_back({6 + i, 8});
            }
            sum += MeasureRates(net,
                                congestion,
                                flows,
                                MilliSeconds(ecn ? 30 : 10),
                                MilliSeconds(ecn ? 60 : 30))
                       .front();
        }
        RngSeedManager::SetRun(1);
        return sum / RUNS;
    }

    void DoRun() override
    {
        const double alone = Run(0, "none");
        const double crowded = Run(2, "none");
        NS_TEST_EXPECT_MSG_GT(alone, 7, "it gets as much as those that it meets");
        NS_TEST_EXPECT_MSG_LT(crowded, 0.7 * alone, "and less, the more others are held back");
        const double aloneFair = Run(0, "dcqcn");
        const double crowdedFair = Run(2, "dcqcn");
        NS_TEST_EXPECT_MSG_GT(aloneFair, 1.5 * alone, "DCQCN: it gets what is left on its path");
        NS_TEST_EXPECT_MSG_GT(crowdedFair, 0.9 * aloneFair, "and keeps it");
    }
};

/// @ingroup llm-training-tests
/// One broken NIC stops the network; watchdogs keep that to its own port.
class PauseStormTest : public TestCase
{
  public:
    PauseStormTest()
        : TestCase("pause storm: it spreads to senders and bystanders, a watchdog restores them")
    {
    }

  private:
    /** What arrives between 2 and 3 ms. */
    struct Arrivals
    {
        uint64_t atStorm{0};    //!< at the host whose NIC is broken
        uint64_t ofSenders{0};  //!< other flows of those who send to it
        uint64_t bystanders{0}; //!< of a host that never sends to it
    };

    Arrivals Run(bool watched)
    {
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 2 << 20;
        if (watched)
        {
            settings.watchdog = CreateObject<FabricPfcWatchdog>();
            settings.watchdog->SetAttribute("DetectionTime", TimeValue(MicroSeconds(400)));
            settings.watchdog->SetAttribute("RestorationTime", TimeValue(MicroSeconds(400)));
            settings.watchdog->SetAttribute("PollInterval", TimeValue(MicroSeconds(100)));
        }
        // Racks of endpoints 0 to 2, 3 to 5, 6 to 8; one spine.
        net.BuildLeafSpine(3, 1, 3, 100, 400, MicroSeconds(1), settings);
        net.InstallRaw();
        {
            FabricEntry entry(net.fabric->GetEventQueue());
            net.HostPort(0).PausePeer(3, net.fabric->GetEventQueue().Now());
        }
        const uint64_t many = 100000;
        for (const uint32_t sender : {1U, 3U, 4U})
        {
            net.raw[sender].Start({0, many, 4096});
            net.raw[sender].Start({sender == 1 ? 2U : sender + 3, many, 4096});
        }
        net.raw[5].Start({8, many, 4096});
        Arrivals arrivals;
        const int64_t ms = Seconds(1).GetTimeStep() / 1000;
        for (uint32_t i = 0; i < 9; ++i)
        {
            net.raw[i].onReceive = [&arrivals, i, ms](const Frame&, int64_t now) {
                if (now >= 2 * ms)
                {
                    ++(i == 0   ? arrivals.atStorm
                       : i == 8 ? arrivals.bystanders
                                : arrivals.ofSenders);
                }
            };
        }
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ((totals.switches.pfcStorms > 0), watched, "storm found");
        return arrivals;
    }

    void DoRun() override
    {
        const Arrivals storm = Run(false);
        NS_TEST_EXPECT_MSG_EQ(storm.atStorm, 0, "nothing reaches the broken NIC");
        NS_TEST_EXPECT_MSG_EQ(storm.ofSenders, 0, "its senders stop altogether");
        NS_TEST_EXPECT_MSG_EQ(storm.bystanders, 0, "and who shares an uplink with them");
        const Arrivals watched = Run(true);
        NS_TEST_EXPECT_MSG_EQ(watched.atStorm, 0, "dropped instead");
        // 1 ms at 100 Gb/s are 2991 frames; each sender's half of it goes elsewhere.
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(watched.ofSenders),
                                  3 * 2991 / 2.0,
                                  60,
                                  "senders");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(watched.bystanders), 2991, 30, "bystander");
    }
};

/// @ingroup llm-training-tests
/// A frame behind another that must wait.
class HeadOfLineTest : public TestCase
{
  public:
    HeadOfLineTest()
        : TestCase("head-of-line blocking: a flow to an idle port gets no more than its neighbour "
                   "to a slow one")
    {
    }

  private:
    /** @return Gb/s on the link to the idle port. @param trafficClass of that flow. */
    double Run(uint8_t trafficClass)
    {
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 2 << 20;
        settings.losslessClasses = 0x18;
        Ptr<Node> center = net.AddSwitch(settings);
        for (const uint64_t gbps : {100, 100, 25, 100})
        {
            net.Link(net.AddHost(), center, gbps, MicroSeconds(1));
        }
        net.fabric->Build();
        net.InstallRaw();
        net.raw[0].Start({2, 100000, 4096, 3});
        net.raw[0].Start({3, 100000, 4096, trafficClass});
        net.raw[1].Start({2, 100000, 4096, 3});
        uint64_t frames = 0;
        const int64_t ms = Seconds(1).GetTimeStep() / 1000;
        net.raw[3].onReceive = [&](const Frame&, int64_t now) { frames += now >= 2 * ms ? 1 : 0; };
        Simulator::Stop(MilliSeconds(7));
        Simulator::Run();
        return static_cast<double>(frames) * 4178 * 8e-9 / 5e-3;
    }

    void DoRun() override
    {
        const double behind = Run(3);
        NS_TEST_EXPECT_MSG_EQ_TOL(behind, 12.5, 1, "half of the slow link");
        const double apart = Run(4);
        NS_TEST_EXPECT_MSG_EQ_TOL(apart, 87.5, 2, "in a class of its own: all that is left");
    }
};

/// @ingroup llm-training-tests
/// Suite of PFC's published effects.
class PfcEffectsTestSuite : public TestSuite
{
  public:
    PfcEffectsTestSuite()
        : TestSuite("llm-training-effects-pfc", Type::UNIT)
    {
        AddTestCase(new UnfairnessTest, llm::TestDuration::QUICK);
        AddTestCase(new VictimFlowTest, llm::TestDuration::QUICK);
        AddTestCase(new PauseStormTest, llm::TestDuration::QUICK);
        AddTestCase(new HeadOfLineTest, llm::TestDuration::QUICK);
    }
};

PfcEffectsTestSuite g_pfcEffectsTestSuite; //!< registers the suite

} // namespace
