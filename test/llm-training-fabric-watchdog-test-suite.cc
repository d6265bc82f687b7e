/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The PFC watchdog: when it finds a storm, what it does, and when it lets go.

#include "fabric-test-helpers.h"

#include "ns3/enum.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>

using namespace ns3;
using namespace fabrictest;

namespace
{

/** @return a watchdog: detection and restoration after 2 ms, polls every millisecond. */
Ptr<FabricPfcWatchdog>
MakeWatchdog(const std::string& action)
{
    Ptr<FabricPfcWatchdog> watchdog = CreateObject<FabricPfcWatchdog>();
    watchdog->SetAttribute("DetectionTime", TimeValue(MilliSeconds(2)));
    watchdog->SetAttribute("RestorationTime", TimeValue(MilliSeconds(2)));
    watchdog->SetAttribute("PollInterval", TimeValue(MilliSeconds(1)));
    watchdog->SetAttribute("Action", StringValue(action));
    return watchdog;
}

/** What was traced. */
struct StormRecord
{
    int64_t now;          //!< tick
    uint8_t trafficClass; //!< class
    bool begins;          //!< or ends
};

/// @ingroup llm-training-tests
/// One host sends XOFF from 0 to 5 ms, two others send to it and to each other.
class StormTest : public TestCase
{
  public:
    explicit StormTest(const std::string& action)
        : TestCase("PFC watchdog: a class paused for too long, action " + action),
          m_action(action)
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 400000;
        settings.watchdog = m_action == "none" ? nullptr : MakeWatchdog(m_action);
        net.BuildStar(3, 100, MicroSeconds(1), settings);
        net.InstallRaw();
        FabricPort& storming = *net.Switch(0).GetPorts()[2];
        storming.TraceConnectWithoutContext("PfcStorm", MakeCallback(&StormTest::Storm, this));
        storming.TraceConnectWithoutContext("FrameDrop", MakeCallback(&StormTest::Dropped, this));
        m_port = &storming;

        FabricPort& nic = net.HostPort(2);
        SetPauses(nic, true);
        Simulator::Schedule(MilliSeconds(5), &StormTest::SetPauses, std::ref(nic), false);
        // 12 ms at 100 Gb/s need 35'900 frames; 2.5 ms of them in the storm.
        net.raw[0].Start({2, 20000, 4096});
        net.raw[0].Start({1, 20000, 4096});
        uint64_t during = 0;
        const int64_t ms = Seconds(1).GetTimeStep() / 1000;
        net.raw[2].onReceive = [&](const Frame&, int64_t now) { during += now < 5 * ms ? 1 : 0; };
        uint64_t victims = 0;
        net.raw[1].onReceive = [&](const Frame&, int64_t now) { victims += now < 5 * ms ? 1 : 0; };
        Simulator::Run();

        const FabricPortCounters& counters = storming.GetCounters();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_EQ(net.raw[1].received, 20000, "the other flow ends");
        if (m_action == "none")
        {
            NS_TEST_EXPECT_MSG_EQ(counters.pfcStorms, 0, "nobody watches");
            NS_TEST_EXPECT_MSG_EQ(net.raw[2].received, 20000, "all arrive after the storm");
            // The sender is paused too once the buffer is full: what fits into it, and no more.
            NS_TEST_EXPECT_MSG_LT(victims, 100, "head of line blocking in the sender's NIC");
            return;
        }
        // Paused from 1 us on: 1.999 ms at the second poll, enough at the third.
        NS_TEST_ASSERT_MSG_EQ(m_storms.size(), 2, "begins and ends");
        NS_TEST_EXPECT_MSG_EQ(m_storms[0].begins, true, "begins");
        NS_TEST_EXPECT_MSG_EQ(+m_storms[0].trafficClass, 3, "class");
        NS_TEST_EXPECT_MSG_EQ(m_storms[0].now, 3 * ms, "first poll after the detection time");
        // The last XOFF is sent before 5 ms, at most one refresh (168 us) earlier.
        NS_TEST_EXPECT_MSG_EQ(m_storms[1].begins, false, "ends");
        NS_TEST_EXPECT_MSG_EQ(m_storms[1].now, 7 * ms, "first poll after the restoration time");
        NS_TEST_EXPECT_MSG_EQ(counters.pfcStorms, 1, "counted");
        NS_TEST_EXPECT_MSG_EQ(counters.pfcStormsEnded, 1, "counted");
        if (m_action == "Alert")
        {
            NS_TEST_EXPECT_MSG_EQ(net.raw[2].received, 20000, "all arrive after the storm");
            NS_TEST_EXPECT_MSG_EQ(during, 0, "none during the storm");
            NS_TEST_EXPECT_MSG_LT(victims, 100, "nothing is done");
            NS_TEST_EXPECT_MSG_EQ(m_drops, 0, "nothing is dropped");
        }
        else if (m_action == "Forward")
        {
            NS_TEST_EXPECT_MSG_EQ(net.raw[2].received, 20000, "all arrive");
            NS_TEST_EXPECT_MSG_GT(during, 2000, "most of 2 ms at half the line, in the storm");
            NS_TEST_EXPECT_MSG_GT(victims, 2000, "the other flow goes on");
            NS_TEST_EXPECT_MSG_EQ(m_drops, 0, "nothing is dropped");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(during, 0, "none during the storm");
            NS_TEST_EXPECT_MSG_GT(victims, 2000, "the other flow goes on");
            NS_TEST_EXPECT_MSG_EQ_TOL(m_drops, 5984, 30, "4 ms at half the line");
            NS_TEST_EXPECT_MSG_EQ(m_firstDrop, 3 * ms, "what was queued first");
            NS_TEST_EXPECT_MSG_LT(m_lastDrop, 7 * ms, "until it is let go");
            NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(net.raw[2].received) + m_drops,
                                  20000,
                                  "all known");
            NS_TEST_EXPECT_MSG_GT(net.raw[2].received, 1000, "the rest arrives afterwards");
        }
    }

    /** Have a NIC send XOFF, or stop. */
    static void SetPauses(FabricPort& port, bool on)
    {
        FabricEntry entry(port.GetEventQueue());
        const int64_t now = port.GetEventQueue().Now();
        if (on)
        {
            port.PausePeer(3, now);
        }
        else
        {
            port.ResumePeer(3, now);
        }
    }

    /** Sink of PfcStorm. */
    void Storm(const FabricPort*, uint8_t trafficClass, bool begins)
    {
        m_storms.push_back({m_port->GetEventQueue().Now(), trafficClass, begins});
    }

    /** Sink of FrameDrop. */
    void Dropped(const FabricPort*, const Frame&, DropReason reason)
    {
        NS_TEST_EXPECT_MSG_EQ(std::string(ToString(reason)), "pfc_storm", "reason");
        m_lastDrop = m_port->GetEventQueue().Now();
        m_firstDrop = m_drops ? m_firstDrop : m_lastDrop;
        ++m_drops;
    }

    std::string m_action;              //!< under test
    FabricPort* m_port{nullptr};       //!< watched
    std::vector<StormRecord> m_storms; //!< traced
    int64_t m_drops{0};                //!< traced
    int64_t m_firstDrop{0};            //!< tick
    int64_t m_lastDrop{0};             //!< tick
};

/// @ingroup llm-training-tests
/// The link of a port in a storm is cut and comes back.
class StormAndCutTest : public TestCase
{
  public:
    StormAndCutTest()
        : TestCase("PFC watchdog: a storm outlasts a cut of its link, and ends in order")
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 400000;
        settings.watchdog = MakeWatchdog("Drop");
        net.BuildStar(3, 100, MicroSeconds(1), settings);
        net.InstallRaw();
        FabricPort& storming = *net.Switch(0).GetPorts()[2];
        FabricPort& nic = net.HostPort(2);
        const auto pause = [&nic](bool on) {
            FabricEntry entry(nic.GetEventQueue());
            const int64_t now = nic.GetEventQueue().Now();
            on ? nic.PausePeer(3, now) : nic.ResumePeer(3, now);
        };
        pause(true);
        // Found at 3 ms; cut from 3.5 to 4 ms; XOFF until 5 ms; over at 7 ms.
        Simulator::Schedule(MicroSeconds(3500), [&storming] { storming.SetLinkUp(false); });
        Simulator::Schedule(MicroSeconds(4000), [&storming] { storming.SetLinkUp(true); });
        Simulator::Schedule(MilliSeconds(5), [&pause] { pause(false); });
        net.raw[0].Start({2, 20000, 4096});
        uint64_t early = 0;
        const int64_t ms = Seconds(1).GetTimeStep() / 1000;
        net.raw[2].onReceive = [&](const Frame&, int64_t now) { early += now < 7 * ms ? 1 : 0; };
        Simulator::Run();
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(early, 0, "nothing passes before the storm is over");
        NS_TEST_EXPECT_MSG_EQ(totals.switches.pfcStorms, 1, "one storm");
        NS_TEST_EXPECT_MSG_EQ(totals.switches.pfcStormsEnded, 1, "over");
        NS_TEST_EXPECT_MSG_GT(net.raw[2].received, 1000, "the rest arrives");
        NS_TEST_EXPECT_MSG_EQ(net.raw[2].received + totals.switches.drops, 20000, "all known");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Short pauses are no storm, and a watchdog does not tick without them.
class QuietWatchdogTest : public TestCase
{
  public:
    QuietWatchdogTest()
        : TestCase("PFC watchdog: ordinary congestion is no storm; no polls without pauses")
    {
    }

  private:
    /** @return events of a run. */
    uint64_t Run(bool watched, uint32_t senders)
    {
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 600000;
        settings.watchdog = watched ? MakeWatchdog("Drop") : nullptr;
        net.BuildStar(5, 100, MicroSeconds(1), settings);
        net.InstallRaw();
        for (uint32_t i = 0; i < senders; ++i)
        {
            net.raw[i].Start({4, 10000, 4096});
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_EQ(net.raw[4].received, senders * 10000, "all arrive");
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.switches.pfcStorms, 0, "no storm");
        NS_TEST_EXPECT_MSG_EQ((totals.hosts.pauses > 0), (senders > 1), "pauses");
        return net.fabric->GetEventQueue().GetEventCount();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Run(true, 1), Run(false, 1), "no poll without a pause");
        Run(true, 4);
    }
};

/// @ingroup llm-training-tests
/// Suite of the PFC watchdog.
class FabricWatchdogTestSuite : public TestSuite
{
  public:
    FabricWatchdogTestSuite()
        : TestSuite("llm-training-fabric-watchdog", Type::UNIT)
    {
        for (const char* action : {"none", "Drop", "Forward", "Alert"})
        {
            AddTestCase(new StormTest(action), llm::TestDuration::QUICK);
        }
        AddTestCase(new StormAndCutTest, llm::TestDuration::QUICK);
        AddTestCase(new QuietWatchdogTest, llm::TestDuration::QUICK);
    }
};

FabricWatchdogTestSuite g_fabricWatchdogTestSuite; //!< registers the suite

} // namespace
