/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The scenario files of examples/scenarios/effects: each shows what its first lines say.

#include "ns3/llm-config-error.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A run of one of the files. */
struct EffectRun
{
    std::map<std::pair<uint32_t, uint32_t>, double> gbps; //!< goodput of each flow, by its ends
    bool good{false};                                     //!< it completed, books balance
    RunReport report;                                     //!< all else
};

/** Base: runs the files. */
class EffectTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @param name of the file. @param overrides of its fields. @return what came out. */
    static EffectRun Run(const std::string& name, const std::vector<std::string>& overrides)
    {
        Simulation simulation(ScenarioReader::ReadFile(
            std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/scenarios/effects/" + name + ".json",
            overrides));
        EffectRun run;
        simulation.GetNetworkTransport()->TraceConnectWithoutContext(
            "MessageEnd",
            MakeBoundCallback(&EffectTestCase::Note, &run));
        run.good = simulation.Run();
        run.report = simulation.GetReport();
        return run;
    }

  private:
    /** Sink of MessageEnd. */
    static void Note(EffectRun* run, const Message& message, int64_t now)
    {
        run->gbps[{message.from, message.to}] =
            8e-9 * static_cast<double>(message.bytes) / Time(now - message.start).GetSeconds();
    }
};

/// @ingroup llm-training-tests
/// unfairness.json
class UnfairnessScenario : public EffectTestCase
{
  public:
    UnfairnessScenario()
        : EffectTestCase("effects, unfairness: half of the link for one flow of four, or a quarter")
    {
    }

  private:
    void DoRun() override
    {
        const double line = 40.0 * 1024 / 1106;
        EffectRun pfc = Run("unfairness", {});
        NS_TEST_EXPECT_MSG_EQ(pfc.good, true, "completes");
        NS_TEST_EXPECT_MSG_EQ_TOL((pfc.gbps[{3, 4}]), line / 2, 0.05 * line / 2, "h4");
        for (uint32_t i = 0; i < 3; ++i)
        {
            // A sixth while h4 sends, then a third of all.
            NS_TEST_EXPECT_MSG_EQ_TOL((pfc.gbps[{i, 4}]), line / 4, 0.05 * line / 4, "h" << i + 1);
        }
        EffectRun dcqcn = Run("unfairness", {"transport.congestion_control=dcqcn"});
        NS_TEST_EXPECT_MSG_EQ(dcqcn.good, true, "completes");
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL((dcqcn.gbps[{i, 4}]),
                                      line / 4,
                                      0.25 * line / 4,
                                      "DCQCN, h" << i + 1);
        }
    }
};

/// @ingroup llm-training-tests
/// victim-flow.json
class VictimScenario : public EffectTestCase
{
  public:
    VictimScenario()
        : EffectTestCase("effects, victim-flow: DCQCN frees the flow that PFC holds back")
    {
    }

  private:
    void DoRun() override
    {
        EffectRun pfc = Run("victim-flow", {});
        NS_TEST_EXPECT_MSG_EQ(pfc.good, true, "completes");
        EffectRun dcqcn = Run("victim-flow", {"transport.congestion_control=dcqcn"});
        NS_TEST_EXPECT_MSG_EQ(dcqcn.good, true, "completes");
        const double held = pfc.gbps[{0, 5}];
        const double freed = dcqcn.gbps[{0, 5}];
        NS_TEST_EXPECT_MSG_LT(held, 12, "held back");
        NS_TEST_EXPECT_MSG_GT(freed, 1.5 * held, "freed");
    }
};

/// @ingroup llm-training-tests
/// head-of-line.json
class HeadOfLineScenario : public EffectTestCase
{
  public:
    HeadOfLineScenario()
        : EffectTestCase("effects, head-of-line: a flow to an idle port waits for a slow one")
    {
    }

  private:
    void DoRun() override
    {
        EffectRun behind = Run("head-of-line", {});
        NS_TEST_EXPECT_MSG_EQ(behind.good, true, "completes");
        const double slow = 25.0 * 4096 / 4178 / 2;
        NS_TEST_EXPECT_MSG_EQ_TOL((behind.gbps[{0, 3}]), slow, 0.1 * slow, "half of the slow link");
        EffectRun apart = Run("head-of-line", {"workload.flows[2].class=4"});
        NS_TEST_EXPECT_MSG_EQ(apart.good, true, "completes");
        NS_TEST_EXPECT_MSG_GT((apart.gbps[{0, 3}]), 75, "in a class of its own");
    }
};

/// @ingroup llm-training-tests
/// deadlock.json
class DeadlockScenario : public EffectTestCase
{
  public:
    DeadlockScenario()
        : EffectTestCase(
              "effects, deadlock: foretold, found, named; refused; broken up by a watchdog")
    {
    }

  private:
    void DoRun() override
    {
        const EffectRun run = Run("deadlock", {});
        NS_TEST_EXPECT_MSG_EQ(run.good, false, "it does not end well");
        std::string warning;
        for (const auto& [label, fact] : run.report.facts)
        {
            warning += label == "warning" ? fact : "";
        }
        NS_TEST_EXPECT_MSG_EQ(std::count(warning.begin(), warning.end(), '>'),
                              4,
                              "foretold: " << warning);
        NS_TEST_ASSERT_MSG_GT(run.report.failure.size(), 0, "a reason");
        const std::string& reason = run.report.failure.front();
        NS_TEST_EXPECT_MSG_EQ(reason.substr(0, 16), "deadlock of PFC,", "the first reason");
        NS_TEST_EXPECT_MSG_EQ(std::count(reason.begin(), reason.end(), '>'), 4, reason);

        std::string error;
        try
        {
            Run("deadlock", {"fabric.check_deadlock=error"});
        }
        catch (const ConfigError& refused)
        {
            error = refused.what();
        }
        NS_TEST_EXPECT_MSG_NE(error.find("cyclic buffer dependency"), std::string::npos, error);

        const EffectRun cleared = Run("deadlock",
                                      {"watchdog.deadlock_interval=0s",
                                       "fabric.pfc_watchdog=drop",
                                       "fabric.pfc_watchdog_detection=500us",
                                       "fabric.pfc_watchdog_restoration=500us",
                                       "fabric.pfc_watchdog_poll=100us"});
        // All send again, meet again, and give up in the end; but nobody waits for ever.
        const FabricPortCounters& switches = cleared.report.fabric.switches;
        NS_TEST_EXPECT_MSG_GT(switches.pfcStorms, 0, "watchdog");
        NS_TEST_EXPECT_MSG_EQ(switches.pfcStorms, switches.pfcStormsEnded, "and it lets go");
        NS_TEST_EXPECT_MSG_EQ(cleared.report.fabric.pausedPorts, 0, "nothing is paused");
        NS_TEST_ASSERT_MSG_GT(cleared.report.failure.size(), 0, "a reason");
        NS_TEST_EXPECT_MSG_EQ(cleared.report.failure.front().find("deadlock"),
                              std::string::npos,
                              cleared.report.failure.front());
        NS_TEST_EXPECT_MSG_GT(switches.drops, 0, "drops");
    }
};

/// @ingroup llm-training-tests
/// pause-storm.json
class PauseStormScenario : public EffectTestCase
{
  public:
    PauseStormScenario()
        : EffectTestCase("effects, pause-storm: a bystander waits for its end, or for a watchdog")
    {
    }

  private:
    void DoRun() override
    {
        EffectRun storm = Run("pause-storm", {});
        NS_TEST_EXPECT_MSG_EQ(storm.good, true, "completes after the storm");
        const double waiting = storm.gbps[{5, 8}];
        NS_TEST_EXPECT_MSG_LT(waiting, 8e-9 * 40e6 / 20e-3, "not before 20 ms");
        const std::string folder = CreateTempDirFilename("storm");
        EffectRun watched =
            Run("pause-storm", {"fabric.pfc_watchdog=drop", "output.folder=" + folder});
        NS_TEST_EXPECT_MSG_EQ(watched.good, true, "completes, with losses");
        // It waits for half a millisecond until the watchdog acts, and then needs 3.3 ms.
        const double released = watched.gbps[{5, 8}];
        NS_TEST_EXPECT_MSG_GT(released, 5 * waiting, "it goes on");
        NS_TEST_EXPECT_MSG_GT(watched.report.fabric.switches.pfcStorms, 0, "counted");
        NS_TEST_EXPECT_MSG_GT(watched.report.drops[DropReason::PFC_STORM], 0, "by reason");
        std::ifstream file(folder + "/pfc.csv");
        const std::string rows{std::istreambuf_iterator<char>(file),
                               std::istreambuf_iterator<char>()};
        NS_TEST_EXPECT_MSG_NE(rows.find(",storm,3,0\n"), std::string::npos, "a row");
        NS_TEST_EXPECT_MSG_NE(rows.find(",storm_over,3,0\n"), std::string::npos, "a row");
    }
};

/// @ingroup llm-training-tests
/// livelock.json
class LivelockScenario : public EffectTestCase
{
  public:
    LivelockScenario()
        : EffectTestCase(
              "effects, livelock: go-back-0 delivers nothing, go-back-N most of the line")
    {
    }

  private:
    void DoRun() override
    {
        EffectRun zero = Run("livelock", {});
        NS_TEST_EXPECT_MSG_EQ(zero.good, false, "it does not end");
        NS_TEST_EXPECT_MSG_EQ(zero.gbps.size(), 0, "nothing is delivered");
        // 20 ms at 40 Gb/s are 100 MB.
        NS_TEST_EXPECT_MSG_GT(zero.report.fabric.hosts.txBytes, 90000000, "on a busy link");
        const EffectRun stalled = Run("livelock", {"watchdog.stall_time=2ms"});
        NS_TEST_ASSERT_MSG_GT(stalled.report.failure.size(), 0, "reasons");
        NS_TEST_EXPECT_MSG_EQ(
            stalled.report.failure.front().find("no progress since 0 ps: "),
            0,
            "bytes that come again are no progress: " << stalled.report.failure.front());
        const EffectRun read = Run("livelock", {"transport.verb=read"});
        NS_TEST_ASSERT_MSG_GT(read.report.failure.size(), 0, "reasons");
        const std::string& open = read.report.failure.back();
        NS_TEST_EXPECT_MSG_EQ(open.find("rank 1 <- rank 0 channel "), 0, open);
        NS_TEST_EXPECT_MSG_NE(open.find(" of 4194304 B read"), std::string::npos, open);
        EffectRun n = Run("livelock", {"transport.reliability=go_back_n"});
        NS_TEST_EXPECT_MSG_EQ(n.good, true, "completes");
        NS_TEST_EXPECT_MSG_GT((n.gbps[{0, 1}]), 30, "most of the line");
    }
};

/// @ingroup llm-training-tests
/// Suite of the shipped effects.
class EffectScenariosTestSuite : public TestSuite
{
  public:
    EffectScenariosTestSuite()
        : TestSuite("llm-training-effects-scenarios", Type::UNIT)
    {
        AddTestCase(new UnfairnessScenario, llm::TestDuration::QUICK);
        AddTestCase(new VictimScenario, llm::TestDuration::QUICK);
        AddTestCase(new HeadOfLineScenario, llm::TestDuration::QUICK);
        AddTestCase(new DeadlockScenario, llm::TestDuration::QUICK);
        AddTestCase(new PauseStormScenario, llm::TestDuration::QUICK);
        AddTestCase(new LivelockScenario, llm::TestDuration::QUICK);
    }
};

EffectScenariosTestSuite g_effectScenariosTestSuite; //!< registers the suite

} // namespace
