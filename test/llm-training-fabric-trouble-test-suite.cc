/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Links that go down, come up, slow down or spoil bits; switches that are switched off; what
// routing, pauses, buffers and queue pairs make of it.

#include "fabric-test-helpers.h"

#include "ns3/bit-error-loss-model.h"
#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/periodic-loss-model.h"
#include "ns3/test.h"

#include <cmath>

using namespace fabrictest;

namespace
{

const std::string SUITE = "llm-training-fabric-trouble"; //!< this suite

/** Frames dropped, by reason. */
class Drops
{
  public:
    /** @param fabric to watch. */
    explicit Drops(const Ptr<Fabric>& fabric)
    {
        for (const auto& port : fabric->GetPorts())
        {
            port->TraceConnectWithoutContext("FrameDrop", MakeCallback(&Drops::Drop, this));
        }
    }

    /** @param reason which. @return frames dropped for it. */
    uint64_t Of(DropReason reason) const
    {
        const auto found = m_counts.find(reason);
        return found == m_counts.end() ? 0 : found->second;
    }

    /** @return all. */
    uint64_t All() const
    {
        uint64_t sum = 0;
        for (const auto& [reason, count] : m_counts)
        {
            sum += count;
        }
        return sum;
    }

    int64_t last{-1}; //!< tick of the last

  private:
    void Drop(const FabricPort*, const Frame&, DropReason reason)
    {
        ++m_counts[reason];
        last = Simulator::Now().GetTimeStep();
    }

    std::map<DropReason, uint64_t> m_counts;
};

/** Do something at a time. */
void
At(Time time, std::function<void()> action)
{
    Simulator::Schedule(time, action);
}

/** @return RDMA with a timer of 100 us. @param retries before giving up. */
RdmaTransportHelper
MakeHelper(uint32_t retries = 7)
{
    RdmaTransportHelper helper;
    helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
    helper.SetAttribute("RetryCount", UintegerValue(retries));
    return helper;
}

/// @ingroup llm-training-tests
/// A link is cut under load and comes back.
class CutLinkTest : public TestCase
{
  public:
    CutLinkTest()
        : TestCase("what is on a link when it goes down is lost, the rest waits at the host")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(4096);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.InstallRaw();
        Drops drops(net.fabric);
        FabricPort& port = net.HostPort(0);
        uint32_t changes = 0;
        port.AddLinkChangeCallback(Callback<void>([&changes] { ++changes; }));
        port.GetPeer()->AddLinkChangeCallback(Callback<void>([&changes] { ++changes; }));
        net.raw[0].Start({1, 1000, 4096});
        uint64_t whileDown = 0;
        At(MicroSeconds(100), [&] {
            port.SetLinkUp(false);
            NS_TEST_EXPECT_MSG_EQ(port.IsLinkUp(), false, "down here");
            NS_TEST_EXPECT_MSG_EQ(port.GetPeer()->IsLinkUp(), false, "down there");
            NS_TEST_EXPECT_MSG_EQ(changes, 2, "callbacks of both ends");
            port.SetLinkUp(false); // again: nothing
        });
        At(MicroSeconds(150), [&] { whileDown = net.raw[0].sent; });
        At(MicroSeconds(199), [&] {
            NS_TEST_EXPECT_MSG_EQ(net.raw[0].sent, whileDown, "a host holds back");
            NS_TEST_EXPECT_MSG_EQ(net.HostPort(0).GetPausedClasses(), 0, "which is no pause");
        });
        At(MicroSeconds(200), [&] { port.SetLinkUp(true); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(changes, 4, "callbacks");
        NS_TEST_EXPECT_MSG_EQ(net.raw[0].sent, 1000, "all was sent in the end");
        // 1 us of cable and a frame of 334 ns: between 3 and 4 frames are on the way or in part.
        const uint64_t lost = 1000 - net.raw[1].received;
        NS_TEST_EXPECT_MSG_EQ((lost >= 3 && lost <= 4), true, lost << " frames lost");
        NS_TEST_EXPECT_MSG_EQ(drops.Of(DropReason::LINK_DOWN), lost, "with their reason");
        NS_TEST_EXPECT_MSG_EQ(drops.All(), lost, "and no other");
        NS_TEST_EXPECT_MSG_EQ(port.GetPeer()->GetCounters().lostDataFrames, lost, "where");
        NS_TEST_EXPECT_MSG_EQ(port.GetCounters().linkDowns, 1, "times down");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        // 100 us of sending, 100 us of nothing, the rest.
        const double expected = 1000 * 0.33424 + 100 + 2 + 0.33424;
        const double end = Time(net.raw[1].last).GetNanoSeconds() * 1e-3;
        NS_TEST_EXPECT_MSG_EQ_TOL(end, expected, 0.7, "end, us");
    }
};

/// @ingroup llm-training-tests
/// A switch's queue towards a link that is cut.
class DeadQueueTest : public TestCase
{
  public:
    DeadQueueTest()
        : TestCase("frames queued for a dead port are dropped, and those that follow; pauses end")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 1 << 20;
        net.BuildStar(4, 100, MicroSeconds(1), settings);
        net.InstallRaw();
        Drops drops(net.fabric);
        for (uint32_t i = 0; i < 3; ++i)
        {
            net.raw[i].Start({3, 400, 4096});
        }
        const FabricSharedBuffer& buffer = net.Switch(0).GetBuffer();
        At(MicroSeconds(60), [&] {
            NS_TEST_EXPECT_MSG_GT(buffer.GetUsed(), 100000, "an incast fills the buffer");
            NS_TEST_EXPECT_MSG_NE(net.HostPort(0).GetPausedClasses(), 0, "and pauses hosts");
            net.HostPort(3).SetLinkUp(false);
            NS_TEST_EXPECT_MSG_EQ(buffer.GetUsed(), 0, "nothing is left");
            NS_TEST_EXPECT_MSG_EQ(buffer.SumOfShares(), 0, "in any share");
            NS_TEST_EXPECT_MSG_GT(drops.Of(DropReason::LINK_DOWN), 20, "dropped at once");
        });
        // The senders are resumed, and what they send goes nowhere.
        At(MicroSeconds(80), [&] {
            NS_TEST_EXPECT_MSG_EQ(net.HostPort(0).GetPausedClasses(), 0, "resumed");
            NS_TEST_EXPECT_MSG_EQ(net.HostPort(1).GetPausedClasses(), 0, "resumed");
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(drops.All(), drops.Of(DropReason::LINK_DOWN), "one reason");
        NS_TEST_EXPECT_MSG_EQ(net.raw[3].received + drops.All(), 1200, "all accounted for");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// A link that is paused when it goes down, and a peer that must be held back when it comes up.
class PauseAcrossCutTest : public TestCase
{
  public:
    PauseAcrossCutTest()
        : TestCase("PFC of a link is cleared when it goes down and said anew when it comes up")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 1 << 20;
        net.BuildStar(4, 100, MicroSeconds(1), settings);
        net.InstallRaw();
        Drops drops(net.fabric);
        // Host 3 reads slowly: its own NIC holds the switch back, which fills and pauses host 0.
        FabricPort& slow = net.HostPort(3);
        const int64_t tick = MicroSeconds(1).GetTimeStep();
        At(MicroSeconds(1), [&] { slow.PausePeer(3, tick); });
        net.raw[0].Start({3, 2000, 4096});
        FabricPort& port = net.HostPort(0);
        At(MicroSeconds(100), [&] {
            NS_TEST_EXPECT_MSG_EQ(port.GetPausedClasses(), 1 << 3, "paused by the switch");
            port.SetLinkUp(false);
            NS_TEST_EXPECT_MSG_EQ(port.GetPausedClasses(), 0, "no pause of a dead link");
            NS_TEST_EXPECT_MSG_EQ(port.GetPeer()->GetPausing(), 1 << 3, "the switch is still full");
        });
        At(MicroSeconds(120), [&] { port.SetLinkUp(true); });
        At(MicroSeconds(125), [&] {
            NS_TEST_EXPECT_MSG_EQ(port.GetPausedClasses(), 1 << 3, "the switch said XOFF at once");
        });
        At(MicroSeconds(200), [&] { slow.ResumePeer(3, net.fabric->GetEventQueue().Now()); });
        Simulator::Run();
        // Headroom was in use when the link came up; till XOFF is heard, some frames find it full.
        NS_TEST_EXPECT_MSG_LT(drops.Of(DropReason::HEADROOM), 8, "the XOFF was in time");
        NS_TEST_EXPECT_MSG_EQ(net.raw[3].received + drops.All(), 2000, "all");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// A link falls back to half its rate.
class RateTest : public TestCase
{
  public:
    RateTest()
        : TestCase("a link's rate changes at run time, in both directions, for whole frames")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t ns = UsePicoseconds(SUITE);
        Net net(4096);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.InstallRaw();
        FabricPort& port = net.HostPort(0);
        std::vector<int64_t> arrivals;
        net.raw[1].onReceive = [&](const Frame&, int64_t now) { arrivals.push_back(now); };
        net.raw[0].Start({1, 100, 4096});
        At(NanoSeconds(10000), [&] { port.SetRate(DataRate("50Gbps")); });
        At(NanoSeconds(50000), [&] { port.SetRate(DataRate("100Gbps")); });
        bool refused = false;
        try
        {
            port.SetRate(DataRate(0));
        }
        catch (const ConfigError&)
        {
            refused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "a rate of 0");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 100, "frames");
        // 29 frames end by 10.027 us, of which the last was being sent when the rate changed: 30.
        const double frame = 4178 * 0.08;
        const auto before = static_cast<std::size_t>(10000 / frame) + 1;
        const auto slow = static_cast<std::size_t>((50000 - before * frame) / (2 * frame)) + 1;
        for (std::size_t i = 1; i < arrivals.size(); ++i)
        {
            const double gap = static_cast<double>(arrivals[i] - arrivals[i - 1]) / ns;
            const bool isSlow = i >= before && i < before + slow;
            NS_TEST_EXPECT_MSG_EQ_TOL(gap,
                                      (isSlow ? 2 * frame : frame),
                                      1.01,
                                      "gap before frame " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Bit errors by their closed form and their frequency.
class BitErrorTest : public TestCase
{
  public:
    BitErrorTest()
        : TestCase("bit errors lose frames by their length, every n-th frame by its number")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const auto loss = &BitErrorLossModel::GetLossProbability;
        NS_TEST_EXPECT_MSG_EQ(loss(0.25, 0), 0, "no bit");
        NS_TEST_EXPECT_MSG_EQ(loss(0.25, 1), 0.25, "one bit");
        NS_TEST_EXPECT_MSG_EQ_TOL(loss(0.25, 3), 1 - 0.75 * 0.75 * 0.75, 1e-15, "three bits");
        NS_TEST_EXPECT_MSG_EQ(loss(1, 7), 1, "every bit");
        for (const double rate : {1e-4, 1e-6, 1e-9, 1e-12, 1e-15})
        {
            for (const uint64_t bits : {528, 33264, 72000})
            {
                const double exact = -std::expm1(static_cast<double>(bits) * std::log1p(-rate));
                NS_TEST_EXPECT_MSG_EQ_TOL(loss(rate, bits) / exact, 1, 1e-12, "closed form");
            }
        }
        // 2e-6 per bit: 6.4 % of frames of 4158 B, 1.7 % of frames of 1086 B.
        for (const uint32_t payload : {4096, 1024})
        {
            Net net(4096);
            net.BuildStar(2, 100, MicroSeconds(1));
            net.InstallRaw();
            Drops drops(net.fabric);
            Ptr<BitErrorLossModel> model = CreateObject<BitErrorLossModel>();
            model->SetAttribute("BitErrorRate", DoubleValue(2e-6));
            net.HostPort(0).GetPeer()->SetLossModel(model);
            const double frames = 20000;
            net.raw[0].Start({1, static_cast<uint64_t>(frames), payload});
            Simulator::Run();
            const double p = loss(2e-6, 8 * (payload + wire::ROCE_BASE));
            const auto lost = static_cast<double>(drops.Of(DropReason::LOSS_MODEL));
            NS_TEST_EXPECT_MSG_EQ_TOL(lost,
                                      frames * p,
                                      4 * std::sqrt(frames * p * (1 - p)),
                                      "frames lost of " << payload << " B");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
        Net net(1024);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.InstallRaw();
        Drops drops(net.fabric);
        Ptr<PeriodicLossModel> model = CreateObject<PeriodicLossModel>();
        model->SetAttribute("Interval", UintegerValue(7));
        model->SetAttribute("First", UintegerValue(3));
        net.HostPort(1).SetLossModel(model);
        net.raw[0].Start({1, 100, 1024});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(drops.Of(DropReason::LOSS_MODEL), 14, "3, 10, ... 94 of 100");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// What a network makes of a lost spine, before and after its routes know.
class ReconvergenceTest : public TestCase
{
  public:
    ReconvergenceTest()
        : TestCase("traffic hashed onto a dead link is lost until routes avoid it")
    {
    }

  private:
    void Check(Time reconvergence)
    {
        Net net(4096);
        net.fabric->SetAttribute("Reconvergence", TimeValue(reconvergence));
        net.BuildLeafSpine(2, 2, 2, 100, 100, MicroSeconds(1));
        net.InstallRaw();
        // Switches 0 and 1 are spines; leaf 2 has hosts 0 and 1, leaf 3 hosts 2 and 3.
        uint32_t recomputed = 0;
        uint32_t linksDown = 0;
        net.fabric->TraceConnectWithoutContext("RoutesRecomputed",
                                               Callback<void, uint32_t>([&](uint32_t down) {
                                                   ++recomputed;
                                                   linksDown = down;
                                               }));
        Drops drops(net.fabric);
        const std::string name = "after " + std::to_string(reconvergence.GetMicroSeconds()) + " us";
        FabricSwitch& leaf = net.Switch(2);
        NS_TEST_EXPECT_MSG_EQ(leaf.GetRoute(2).size(), 2, "two spines");
        net.raw[0].Start({2, 1000, 4096});
        net.raw[0].Start({3, 1000, 4096});
        net.raw[1].Start({2, 1000, 4096});
        net.raw[1].Start({3, 1000, 4096});
        FabricSwitch* spine = nullptr; // the busier one: who goes where is the hash's affair
        At(MicroSeconds(100), [&] {
            const auto load = [&](uint32_t s) {
                return net.Switch(s).GetPorts().at(1)->GetCounters().txFrames;
            };
            spine = &net.Switch(load(0) > load(1) ? 0 : 1);
            spine->SetUp(false);
            NS_TEST_EXPECT_MSG_EQ(spine->GetBuffer().GetUsed(), 0, "its buffer is lost");
        });
        uint64_t afterThat = 0;
        At(MicroSeconds(100) + reconvergence + MicroSeconds(2), [&] {
            NS_TEST_EXPECT_MSG_EQ(recomputed, 1, name << ": once for all links");
            NS_TEST_EXPECT_MSG_EQ(linksDown, 2, "links down");
            NS_TEST_EXPECT_MSG_EQ(leaf.GetRoute(2).size(), 1, "one spine is left");
            afterThat = drops.All();
        });
        At(MicroSeconds(500), [&] { spine->SetUp(true); });
        At(MicroSeconds(501) + reconvergence, [&] {
            NS_TEST_EXPECT_MSG_EQ(leaf.GetRoute(2).size(), 2, "both are back");
            NS_TEST_EXPECT_MSG_EQ(recomputed, 2, "recomputed");
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(drops.All(), drops.Of(DropReason::LINK_DOWN), name << ": reason");
        NS_TEST_EXPECT_MSG_EQ(drops.All(), afterThat, name << ": no loss once routes know");
        // From two hosts, frames of 334 ns each, and what queues held.
        const auto most = static_cast<uint64_t>(2 * reconvergence.GetNanoSeconds() / 334.24) + 500;
        NS_TEST_EXPECT_MSG_LT(drops.All(), most, name << ": lost");
        if (reconvergence.IsStrictlyPositive())
        {
            NS_TEST_EXPECT_MSG_GT(drops.All(), 50, name << ": lost");
        }
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", name << ": books");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Check(Time(0));
        Check(MicroSeconds(50));
        Check(MicroSeconds(150));
    }
};

/// @ingroup llm-training-tests
/// Links have reasons of their own to be down.
class SwitchAndLinkTest : public TestCase
{
  public:
    SwitchAndLinkTest()
        : TestCase("a link taken down on its own account stays down when its switch comes up")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(4096);
        net.fabric->SetAttribute("Reconvergence", TimeValue(Time(0)));
        net.BuildLeafSpine(2, 2, 1, 100, 100, MicroSeconds(1));
        net.Install(MakeHelper());
        FabricPort& uplink = *net.Switch(2).GetPorts().at(1);
        NS_TEST_ASSERT_MSG_EQ(uplink.GetPeer()->GetNode(),
                              net.switches.Get(0),
                              "leaf 2 to spine 0");
        At(MicroSeconds(10), [&] { uplink.SetLinkUp(false); });
        At(MicroSeconds(20), [&] { net.Switch(0).SetUp(false); });
        At(MicroSeconds(30), [&] { net.Switch(0).SetUp(true); });
        At(MicroSeconds(31), [&] {
            NS_TEST_EXPECT_MSG_EQ(uplink.IsLinkUp(), false, "still down");
            NS_TEST_EXPECT_MSG_EQ(net.Switch(3).GetPorts().at(1)->IsLinkUp(), true, "the other");
            net.Switch(0).SetUp(false);
            uplink.SetLinkUp(true);
            NS_TEST_EXPECT_MSG_EQ(uplink.IsLinkUp(), false, "the switch is off");
            net.Switch(0).SetUp(true);
            NS_TEST_EXPECT_MSG_EQ(uplink.IsLinkUp(), true, "up at last");
        });
        net.Send(0, 1, 3000000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// RDMA over links that fail.
class TransportTest : public TestCase
{
  public:
    TransportTest()
        : TestCase("RDMA delivers all once over links that go and come, or says why it cannot")
    {
    }

  private:
    /** Flaps of an uplink while everybody sends. */
    void CheckFlap(Time down, Time period, uint32_t count)
    {
        Net net(4096);
        net.fabric->SetAttribute("Reconvergence", TimeValue(MicroSeconds(150)));
        net.BuildLeafSpine(2, 2, 2, 100, 100, MicroSeconds(1));
        net.Install(MakeHelper());
        for (uint32_t i = 0; i < 2; ++i)
        {
            for (uint64_t tag = 0; tag < 20; ++tag)
            {
                net.Send(i, 2 + i, 300001, tag);
                net.Send(2 + i, 1 - i, 300001, tag);
            }
        }
        Drops drops(net.fabric);
        for (uint32_t i = 0; i < count; ++i)
        {
            for (const uint32_t spine : {1, 2})
            {
                FabricPort& port = *net.Switch(2).GetPorts().at(1 + spine);
                const Time start = MicroSeconds(50 * spine) + period * static_cast<int64_t>(i);
                At(start, [&port] { port.SetLinkUp(false); });
                At(start + down, [&port] { port.SetLinkUp(true); });
            }
        }
        Simulator::Run();
        const std::string name = std::to_string(count) + " flaps";
        NS_TEST_EXPECT_MSG_GT(drops.Of(DropReason::LINK_DOWN), 0, name << ": losses");
        NS_TEST_EXPECT_MSG_EQ(drops.Of(DropReason::HEADROOM), 0, name << ": no other losses");
        NS_TEST_EXPECT_MSG_EQ(drops.Of(DropReason::BUFFER), 0, name << ": no other losses");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 80, name << ": delivered");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.failed.size(), 0, name << ": failed");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", name << ": books");
    }

    /** A host that nobody can reach any more. */
    void CheckUnreachable()
    {
        Net net(4096);
        net.fabric->SetAttribute("Reconvergence", TimeValue(MicroSeconds(50)));
        net.BuildLeafSpine(2, 2, 2, 100, 100, MicroSeconds(1));
        net.Install(MakeHelper(3));
        Drops drops(net.fabric);
        net.Send(0, 2, 10000000);
        net.Send(1, 3, 10000000);
        At(MicroSeconds(100), [&] { net.HostPort(2).SetLinkUp(false); });
        At(MicroSeconds(400), [&] { net.Send(1, 2, 5000); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 1, "the others are served");
        NS_TEST_ASSERT_MSG_EQ(net.recorder.failed.size(), 2, "to the lost host: failed");
        NS_TEST_EXPECT_MSG_NE(net.recorder.reasons[0].find("3 retries"),
                              std::string::npos,
                              net.recorder.reasons[0]);
        NS_TEST_EXPECT_MSG_GT(drops.Of(DropReason::LINK_DOWN), 0, "first blackholed");
        NS_TEST_EXPECT_MSG_GT(drops.Of(DropReason::NO_ROUTE), 0, "then without route");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(false), "", "books");
        NS_TEST_EXPECT_MSG_LT(Simulator::Now(), MilliSeconds(3), "soon");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        CheckFlap(MicroSeconds(100), MicroSeconds(400), 1);
        CheckFlap(MicroSeconds(20), MicroSeconds(60), 10);
        CheckFlap(MicroSeconds(1), MicroSeconds(37), 30);
        CheckUnreachable();
    }
};

/// @ingroup llm-training-tests
class FabricTroubleSuite : public TestSuite
{
  public:
    FabricTroubleSuite()
        : TestSuite("llm-training-fabric-trouble", Type::UNIT)
    {
        AddTestCase(new CutLinkTest, llm::TestDuration::QUICK);
        AddTestCase(new DeadQueueTest, llm::TestDuration::QUICK);
        AddTestCase(new PauseAcrossCutTest, llm::TestDuration::QUICK);
        AddTestCase(new RateTest, llm::TestDuration::QUICK);
        AddTestCase(new BitErrorTest, llm::TestDuration::QUICK);
        AddTestCase(new ReconvergenceTest, llm::TestDuration::QUICK);
        AddTestCase(new SwitchAndLinkTest, llm::TestDuration::QUICK);
        AddTestCase(new TransportTest, llm::TestDuration::QUICK);
    }
};

FabricTroubleSuite g_fabricTroubleSuite; //!< the suite

} // namespace
