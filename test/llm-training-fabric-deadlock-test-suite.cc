/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Deadlocks of PFC: cyclic buffer dependencies in routes, found before there is traffic, and ports
// that wait for each other in a circle, found while they do.

#include "fabric-test-helpers.h"

#include "ns3/fabric-deadlock-check.h"
#include "ns3/fabric-deadlock-detector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>

using namespace ns3;
using namespace fabrictest;

namespace
{

/** A ring of switches with hosts. */
class Ring
{
  public:
    /**
     * @param switches in the ring.
     * @param hostsEach of them.
     * @param clockwise all routes lead one way round, else the shortest.
     * @param settings of the switches.
     * @param check attribute DeadlockCheck.
     */
    Ring(uint32_t switches,
         uint32_t hostsEach,
         bool clockwise,
         const SwitchSettings& settings,
         const std::string& check)
        : net(4096)
    {
        net.fabric->SetAttribute("DeadlockCheck", StringValue(check));
        std::vector<Ptr<Node>> ring;
        for (uint32_t s = 0; s < switches; ++s)
        {
            ring.push_back(net.AddSwitch(settings));
        }
        for (uint32_t s = 0; s < switches; ++s)
        {
            for (uint32_t h = 0; h < hostsEach; ++h)
            {
                net.Link(net.AddHost(), ring[s], 100, MicroSeconds(1));
            }
        }
        for (uint32_t s = 0; s < switches; ++s)
        {
            net.Link(ring[s], ring[(s + 1) % switches], 100, MicroSeconds(1));
        }
        for (uint32_t h = 0; clockwise && h < switches * hostsEach; ++h)
        {
            for (uint32_t s = 0; s < switches; ++s)
            {
                if (s != h / hostsEach)
                {
                    net.fabric->AddStaticRoute(ring[s],
                                               net.hosts.Get(h),
                                               {ring[(s + 1) % switches]});
                }
            }
        }
    }

    Net net; //!< the rest
};

/// @ingroup llm-training-tests
/// Which routes can deadlock.
class DependencyTest : public TestCase
{
  public:
    DependencyTest()
        : TestCase("static check: rings have cyclic buffer dependencies, trees have none")
    {
    }

  private:
    /** @return length of the cycle of a ring; 0: none. */
    std::size_t GetCycle(uint32_t switches, bool clockwise, uint8_t lossless = 1 << 3)
    {
        SwitchSettings settings;
        settings.losslessClasses = lossless;
        Ring ring(switches, 1, clockwise, settings, "Warn");
        ring.net.fabric->Build();
        const std::vector<const FabricPort*> cycle =
            FabricDeadlockCheck(*ring.net.fabric).GetCycle();
        for (std::size_t i = 0; i < cycle.size(); ++i)
        {
            const FabricPort* next = cycle[(i + 1) % cycle.size()];
            NS_TEST_EXPECT_MSG_EQ((next->GetPeer()->GetSwitch() == cycle[i]->GetSwitch()),
                                  true,
                                  "each is the next hop of the one before");
        }
        NS_TEST_EXPECT_MSG_EQ(ring.net.fabric->GetDependencyCycle().empty(),
                              (cycle.empty() || lossless == 0),
                              "told by Build");
        return cycle.size();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(GetCycle(3, false), 0, "one hop everywhere");
        NS_TEST_EXPECT_MSG_EQ(GetCycle(4, false), 4, "two hops both ways");
        NS_TEST_EXPECT_MSG_EQ(GetCycle(5, false), 5, "two hops both ways");
        NS_TEST_EXPECT_MSG_EQ(GetCycle(3, true), 3, "clockwise");
        NS_TEST_EXPECT_MSG_EQ(GetCycle(7, true), 7, "clockwise");
        NS_TEST_EXPECT_MSG_EQ(GetCycle(4, true, 0), 4, "also without PFC, but then nobody cares");
        {
            Net net(4096);
            net.BuildStar(8, 100, MicroSeconds(1));
            NS_TEST_EXPECT_MSG_EQ(FabricDeadlockCheck(*net.fabric).Describe(), "", "star");
        }
        {
            Net net(4096);
            net.BuildLeafSpine(6, 3, 2, 100, 100, MicroSeconds(1));
            NS_TEST_EXPECT_MSG_EQ(FabricDeadlockCheck(*net.fabric).Describe(), "", "leaf-spine");
        }
        {
            Net net(4096);
            net.Link(net.AddHost(), net.AddHost(), 100, MicroSeconds(1));
            net.fabric->Build();
            NS_TEST_EXPECT_MSG_EQ(FabricDeadlockCheck(*net.fabric).Describe(), "", "back to back");
        }
        {
            SwitchSettings settings;
            Ring ring(4, 2, true, settings, "Error");
            std::string what;
            try
            {
                ring.net.fabric->Build();
            }
            catch (const ConfigError& error)
            {
                what = error.what();
            }
            NS_TEST_EXPECT_MSG_NE(what.find("cyclic buffer dependency"), std::string::npos, what);
            NS_TEST_EXPECT_MSG_EQ(std::count(what.begin(), what.end(), '>'), 4, what);
        }
    }
};

/// @ingroup llm-training-tests
/// Everybody sends two hops clockwise.
class RingDeadlockTest : public TestCase
{
  public:
    explicit RingDeadlockTest(uint32_t switches)
        : TestCase("a ring of " + std::to_string(switches) +
                   " switches deadlocks; it is found, named, and cleared by the watchdog"),
          m_switches(switches)
    {
    }

  private:
    static constexpr uint64_t FRAMES = 4000; //!< of each host
    static constexpr uint32_t HOSTS = 2;     //!< of each switch

    /** Have every host send to one two switches further. */
    void Start(Net& net)
    {
        net.InstallRaw();
        for (uint32_t h = 0; h < m_switches * HOSTS; ++h)
        {
            net.raw[h].Start({(h + 2 * HOSTS) % (m_switches * HOSTS), FRAMES, 4096});
        }
    }

    /** @return frames that arrived. */
    uint64_t CountReceived(const Net& net)
    {
        uint64_t sum = 0;
        for (const RawEndpoint& endpoint : net.raw)
        {
            sum += endpoint.received;
        }
        return sum;
    }

    /** @return settings with little memory. */
    SwitchSettings MakeSettings()
    {
        SwitchSettings settings;
        settings.bufferBytes = 1 << 20;
        return settings;
    }

    void DoRun() override
    {
        const uint64_t all = FRAMES * HOSTS * m_switches;
        CheckFound(all);
        CheckCleared(all);
        CheckShortest(all);
    }

    /** It is found, and lasts. */
    void CheckFound(uint64_t all)
    {
        Ring ring(m_switches, HOSTS, true, MakeSettings(), "Off");
        Net& net = ring.net;
        Ptr<FabricDeadlockDetector> detector = CreateObject<FabricDeadlockDetector>();
        detector->SetAttribute("Interval", TimeValue(MicroSeconds(50)));
        detector->TraceConnectWithoutContext("Deadlock",
                                             MakeCallback(&RingDeadlockTest::Found, this));
        net.fabric->SetAttribute("DeadlockDetector", PointerValue(detector));
        net.fabric->Build();
        Start(net);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_found, 1, "once");
        NS_TEST_EXPECT_MSG_EQ(detector->GetFound().substr(0, 9), "class 3: ", "class");
        const std::string& name = detector->GetFound();
        NS_TEST_EXPECT_MSG_EQ(std::count(name.begin(), name.end(), '>'),
                              m_switches,
                              "once around: " << name);
        const uint64_t received = CountReceived(net);
        NS_TEST_EXPECT_MSG_LT(received, all, "not all");
        // Permanently: nothing more arrives, all ports of the ring are paused.
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(CountReceived(net), received, "for ever");
        uint32_t paused = 0;
        for (const auto& one : net.fabric->GetSwitches())
        {
            const FabricPort* onwards = one->GetPorts()[HOSTS + (one->GetIndex() == 0 ? 0 : 1)];
            paused += onwards->GetPausedClasses() == 1 << 3 ? 1 : 0;
            NS_TEST_EXPECT_MSG_EQ(one->CheckBuffer(), "", "books");
        }
        NS_TEST_EXPECT_MSG_EQ(paused, m_switches, "ports clockwise");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, "nothing is dropped");
    }

    /** The watchdog drops, and the rest goes on. */
    void CheckCleared(uint64_t all)
    {
        SwitchSettings settings = MakeSettings();
        settings.watchdog = CreateObject<FabricPfcWatchdog>();
        settings.watchdog->SetAttribute("DetectionTime", TimeValue(MicroSeconds(500)));
        settings.watchdog->SetAttribute("RestorationTime", TimeValue(MicroSeconds(500)));
        settings.watchdog->SetAttribute("PollInterval", TimeValue(MicroSeconds(100)));
        Ring ring(m_switches, HOSTS, true, settings, "Off");
        Net& net = ring.net;
        net.fabric->Build();
        Start(net);
        Simulator::Run();
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_GT(totals.switches.pfcStorms, 0, "the watchdog acts");
        NS_TEST_EXPECT_MSG_EQ(totals.switches.pfcStorms,
                              totals.switches.pfcStormsEnded,
                              "and ends");
        NS_TEST_EXPECT_MSG_GT(totals.switches.drops, 0, "at the price of losses");
        NS_TEST_EXPECT_MSG_EQ(CountReceived(net) + totals.switches.drops, all, "all known");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    /** Without the last link of the ring there is no circle. */
    void CheckShortest(uint64_t all)
    {
        Net net(4096);
        Ptr<FabricDeadlockDetector> detector = CreateObject<FabricDeadlockDetector>();
        detector->SetAttribute("Interval", TimeValue(MicroSeconds(50)));
        net.fabric->SetAttribute("DeadlockDetector", PointerValue(detector));
        net.fabric->SetAttribute("DeadlockCheck", StringValue("Error"));
        std::vector<Ptr<Node>> chain;
        for (uint32_t s = 0; s < m_switches; ++s)
        {
            chain.push_back(net.AddSwitch(MakeSettings()));
        }
        for (uint32_t h = 0; h < m_switches * HOSTS; ++h)
        {
            net.Link(net.AddHost(), chain[h / HOSTS], 100, MicroSeconds(1));
        }
        for (uint32_t s = 0; s + 1 < m_switches; ++s)
        {
            net.Link(chain[s], chain[s + 1], 100, MicroSeconds(1));
        }
        net.fabric->Build();
        Start(net);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(detector->GetFound(), "", "no deadlock");
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_GT(totals.hosts.pauses + totals.switches.pauses, 0, "though it pauses");
        NS_TEST_EXPECT_MSG_EQ(CountReceived(net), all, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    /** Sink of Deadlock. */
    void Found(const std::string&)
    {
        ++m_found;
    }

    uint32_t m_switches; //!< of the ring
    uint32_t m_found{0}; //!< deadlocks
};

/// @ingroup llm-training-tests
/// A host that pauses for ever is no deadlock.
class NoDeadlockTest : public TestCase
{
  public:
    NoDeadlockTest()
        : TestCase("detector: a pause storm of a host is no deadlock, however far it spreads")
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 1 << 20;
        net.BuildLeafSpine(3, 1, 3, 100, 100, MicroSeconds(1), settings);
        net.InstallRaw();
        {
            FabricEntry entry(net.fabric->GetEventQueue());
            net.HostPort(0).PausePeer(3, net.fabric->GetEventQueue().Now());
        }
        for (uint32_t h = 1; h < 9; ++h)
        {
            net.raw[h].Start({0, 2000, 4096});
        }
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(net.fabric->GetTotals().pausedPorts, 8, "everybody is paused");
        NS_TEST_EXPECT_MSG_EQ(FabricDeadlockDetector::FindCycle(*net.fabric).empty(),
                              true,
                              "but for one who could go on");
    }
};

/// @ingroup llm-training-tests
/// Suite of deadlocks.
class FabricDeadlockTestSuite : public TestSuite
{
  public:
    FabricDeadlockTestSuite()
        : TestSuite("llm-training-fabric-deadlock", Type::UNIT)
    {
        AddTestCase(new DependencyTest, llm::TestDuration::QUICK);
        AddTestCase(new RingDeadlockTest(3), llm::TestDuration::QUICK);
        AddTestCase(new RingDeadlockTest(4), llm::TestDuration::QUICK);
        AddTestCase(new NoDeadlockTest, llm::TestDuration::QUICK);
    }
};

FabricDeadlockTestSuite g_fabricDeadlockTestSuite; //!< registers the suite

} // namespace
