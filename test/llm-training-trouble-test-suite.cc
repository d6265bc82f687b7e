/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Failures as events of a scenario: what they do to a job, what is written and reported of them.

#include "llm-training-error-of.h"

#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation-program.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-trouble-report.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using llmtest::ErrorOf;

using Overrides = std::vector<std::string>;

/** @return a shipped scenario, without files. */
Scenario
Shipped(const std::string& name, const Overrides& overrides = {})
{
    Overrides all{"output.folder="};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return ScenarioReader::ReadFile(std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/scenarios/" +
                                        name,
                                    all);
}

/** @return a shipped scenario with another list of events. */
Scenario
WithEvents(const std::string& events, Overrides overrides = {})
{
    overrides.push_back("events=" + events);
    return Shipped("trouble-half-rate.json", overrides);
}

/** @return duration of the i-th iteration, us. */
double
IterationUs(const RunReport& report, std::size_t i)
{
    return static_cast<double>(Time(report.jobs.at(0).iterations.at(i).duration).GetNanoSeconds()) *
           1e-3;
}

/** @return mean duration of the iterations that lie between two times, us; not of the first one,
 *  which finds queue pairs at the rate that they begin with. */
double
Mean(const RunReport& report, Time from, Time to)
{
    double sum = 0;
    uint32_t count = 0;
    for (std::size_t i = 1; i < report.jobs.at(0).iterations.size(); ++i)
    {
        const auto& record = report.jobs.at(0).iterations[i];
        if (Time(record.end - record.duration) >= from && Time(record.end) <= to)
        {
            sum += IterationUs(report, i);
            ++count;
        }
    }
    return count ? sum / count : 0;
}

/// @ingroup llm-training-tests
/// Base: runs a scenario to its end, with balanced books.
class TroubleTestCase : public TestCase
{
  public:
    /** @param name of the test. */
    explicit TroubleTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /** @return report of a run that must complete. */
    RunReport Complete(const Scenario& scenario)
    {
        Simulation simulation(scenario);
        const bool good = simulation.Run();
        const RunReport& report = simulation.GetReport();
        NS_TEST_EXPECT_MSG_EQ(good,
                              true,
                              scenario.name
                                  << ": " << FormatRunReport(report)
                                  << (report.failure.empty() ? "" : report.failure.front()));
        return report;
    }

    /** @return frames dropped for a reason. */
    static uint64_t Drops(const RunReport& report, DropReason reason)
    {
        const auto found = report.drops.find(reason);
        return found == report.drops.end() ? 0 : found->second;
    }
};

/// @ingroup llm-training-tests
/// One of four uplinks is lost at 1 ms.
class UplinkDown : public TroubleTestCase
{
  public:
    UplinkDown()
        : TroubleTestCase("one of four uplinks down at 1 ms: all is delivered, slower afterwards")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport healthy = Complete(Shipped("trouble-uplink-down.json", {"events=[]"}));
        const RunReport report = Complete(Shipped("trouble-uplink-down.json"));
        const TroubleTimes times = CountTroubleTimes(report);
        NS_TEST_EXPECT_MSG_EQ(report.trouble.size(), 2, "the link, and routes");
        NS_TEST_EXPECT_MSG_EQ(report.trouble[0].kind, "link_down", "first");
        NS_TEST_EXPECT_MSG_EQ(Time(report.trouble[0].tick), MilliSeconds(1), "when");
        NS_TEST_EXPECT_MSG_EQ(report.trouble[1].kind, "routes", "then");
        NS_TEST_EXPECT_MSG_EQ(Time(report.trouble[1].tick), MilliSeconds(3), "2 ms later");
        NS_TEST_EXPECT_MSG_GT(Drops(report, DropReason::LINK_DOWN), 0, "losses");
        NS_TEST_EXPECT_MSG_GT(report.network.payloadRetransmitted, 0, "sent again");
        NS_TEST_EXPECT_MSG_EQ(report.network.payloadReceived,
                              healthy.network.payloadReceived,
                              "every byte is delivered once");
        NS_TEST_ASSERT_MSG_GT(times.after.count, 3, "iterations afterwards");
        NS_TEST_EXPECT_MSG_GT(times.during.worst, times.after.ticks / times.after.count, "worst");
        // Four hosts share three links: at best 4/3, if the hash is fair; it never is.
        const double before = Mean(healthy, Time(0), Seconds(1));
        const double after = Mean(report, MilliSeconds(3), Seconds(1));
        NS_TEST_EXPECT_MSG_GT(after, 1.02 * before, "slower than " << before << " us");
        NS_TEST_EXPECT_MSG_LT(after, 2.5 * before, "but not much: " << before << " us");
    }
};

/// @ingroup llm-training-tests
/// An uplink is away for 100 us.
class LinkFlap : public TroubleTestCase
{
  public:
    LinkFlap()
        : TroubleTestCase(
              "a flap of 100 us: what was lost is sent again, and later iterations do not suffer")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport report = Complete(Shipped("trouble-link-flap.json"));
        const TroubleTimes times = CountTroubleTimes(report);
        NS_TEST_EXPECT_MSG_EQ(report.trouble.size(), 2, "down and up: routes never knew");
        NS_TEST_EXPECT_MSG_GT(Drops(report, DropReason::LINK_DOWN), 0, "losses");
        NS_TEST_EXPECT_MSG_GT(times.before.count, 1, "before");
        NS_TEST_EXPECT_MSG_GT(times.after.count, 2, "after");
        const double before = Mean(report, Time(0), MilliSeconds(10));
        const double after = Mean(report, Time(report.trouble[1].tick), Seconds(1));
        const double during = static_cast<double>(Time(times.during.worst).GetNanoSeconds()) * 1e-3;
        NS_TEST_EXPECT_MSG_GT(report.network.payloadRetransmitted, 0, "sent again");
        NS_TEST_EXPECT_MSG_LT(during, before + 2500, "some timers, no more");
        NS_TEST_EXPECT_MSG_EQ_TOL(after / before, 1, 0.15, "recovers");
    }
};

/// @ingroup llm-training-tests
/// An uplink at half its rate.
class HalfRate : public TroubleTestCase
{
  public:
    HalfRate()
        : TroubleTestCase("half the rate for 10 ms: slower, without any loss, then as before")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport report = Complete(Shipped("trouble-half-rate.json"));
        const TroubleTimes times = CountTroubleTimes(report);
        NS_TEST_EXPECT_MSG_EQ(report.trouble.size(), 2, "slow and fast again");
        NS_TEST_EXPECT_MSG_EQ(report.trouble[0].effect, "50Gbps instead of 100Gbps", "effect");
        NS_TEST_EXPECT_MSG_EQ(report.trouble[1].effect, "100Gbps instead of 50Gbps", "effect");
        NS_TEST_EXPECT_MSG_EQ(report.drops.size(), 0, "no loss");
        NS_TEST_EXPECT_MSG_GT(times.before.count, 1, "before");
        NS_TEST_EXPECT_MSG_GT(times.during.count, 1, "meanwhile");
        NS_TEST_EXPECT_MSG_GT(times.after.count, 1, "after");
        const double before = Mean(report, Time(0), MilliSeconds(10));
        // Whichever iterations the 10 ms touch: none need lie between their ends.
        const double during = static_cast<double>(Time(times.during.worst).GetNanoSeconds()) * 1e-3;
        const double after = Mean(report, MilliSeconds(20), Seconds(1));
        NS_TEST_EXPECT_MSG_GT(during, 1.05 * before, "slower than " << before << " us");
        NS_TEST_EXPECT_MSG_LT(during, 4 * before, "but it goes on");
        NS_TEST_EXPECT_MSG_EQ_TOL(after / before, 1, 0.15, "recovers");
    }
};

/// @ingroup llm-training-tests
/// A spine is lost; routes take 50 ms.
class SwitchLost : public TroubleTestCase
{
  public:
    SwitchLost()
        : TroubleTestCase("a switch lost, 50 ms until routes follow: one iteration waits for that")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport report = Complete(Shipped("trouble-switch-lost.json"));
        const TroubleTimes times = CountTroubleTimes(report);
        NS_TEST_ASSERT_MSG_EQ(report.trouble.size(), 4, "events");
        NS_TEST_EXPECT_MSG_EQ(Time(report.trouble[1].tick), MilliSeconds(60), "routes follow");
        NS_TEST_EXPECT_MSG_EQ(report.trouble[1].effect, "computed anew without 2 links", "how");
        NS_TEST_EXPECT_MSG_EQ(Time(report.trouble[3].tick), MilliSeconds(140), "and again");
        NS_TEST_EXPECT_MSG_EQ(report.trouble[3].effect, "computed anew with all links", "how");
        NS_TEST_EXPECT_MSG_GT(times.before.count, 1, "before");
        // It waits for the routes and then for a timer, which runs 10 ms.
        NS_TEST_EXPECT_MSG_GT(Time(times.during.worst), MilliSeconds(45), "waits");
        NS_TEST_EXPECT_MSG_LT(Time(times.during.worst), MilliSeconds(70), "and no longer");
        const double before = Mean(report, Time(0), MilliSeconds(10));
        const double onThree = Mean(report, MilliSeconds(90), MilliSeconds(140));
        const double after = Mean(report, MilliSeconds(140), Seconds(1));
        NS_TEST_EXPECT_MSG_GT(onThree, 1.05 * before, "on three spines of four");
        NS_TEST_EXPECT_MSG_LT(onThree, 2 * before, "on three spines of four");
        NS_TEST_EXPECT_MSG_GT(times.after.count, 1, "after");
        NS_TEST_EXPECT_MSG_EQ_TOL(after / before, 1, 0.15, "recovers");
    }
};

/// @ingroup llm-training-tests
/// A host that is lost for good.
class LostForGood : public TroubleTestCase
{
  public:
    LostForGood()
        : TroubleTestCase("a rank that cannot be reached is a failed job that says why")
    {
    }

  private:
    void DoRun() override
    {
        // With the timers of the transport's defaults: 67 ms, 7 retries.
        Simulation simulation(WithEvents(
            R"([{"at": "3ms", "kind": "host_down", "target": "rank5"},)"
            R"( {"at": "3500us", "kind": "slow_accelerator", "target": "host1", "factor": 2}])",
            {"transport.attributes={}"}));
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), false, "fails");
        const RunReport& report = simulation.GetReport();
        NS_TEST_ASSERT_MSG_GT(report.failure.size(), 1, "reasons");
        NS_TEST_EXPECT_MSG_NE(report.failure.front().find("retries"),
                              std::string::npos,
                              report.failure.front());
        NS_TEST_EXPECT_MSG_EQ(report.failure.back(),
                              "by then: host_down of rank5 at 3 ms, slow_accelerator of host1 at "
                              "3.5 ms, routes of fabric at 53 ms",
                              "the report names what had gone wrong");
        NS_TEST_EXPECT_MSG_GT(Drops(report, DropReason::NO_ROUTE), 0, "no route in the end");
    }
};

/// @ingroup llm-training-tests
/// Accelerators, NICs and bits.
class OtherTrouble : public TroubleTestCase
{
  public:
    OtherTrouble()
        : TroubleTestCase("slow accelerators, pause storms, bit errors and flaps as events")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport healthy = Complete(WithEvents("[]"));
        // All but one wait for the slow one: what it computes takes 31 times as long.
        const RunReport slow = Complete(WithEvents(
            R"([{"at": "0s", "kind": "slow_accelerator", "target": "rank3", "factor": 31}])"));
        const int64_t compute = healthy.jobs.at(0).rankClasses.at(0).compute;
        const int64_t all = slow.jobs.at(0).rankClasses.at(0).compute;
        // The class has 8 ranks, and the mean of them is reported.
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(all) / static_cast<double>(compute),
                                  1 + 30.0 / 8,
                                  1e-3,
                                  "compute");
        NS_TEST_EXPECT_MSG_GT(IterationUs(slow, 3), IterationUs(healthy, 3), "everybody waits");
        NS_TEST_EXPECT_MSG_EQ(slow.trouble.size(), 1, "one event");
        NS_TEST_EXPECT_MSG_EQ(slow.trouble.at(0).effect,
                              "computations of 1 rank take 31 times as long",
                              "effect");
        // From 20 us on: what is being computed then is stretched too. And only for a while.
        const auto slowed = [&](const std::string& more) {
            const RunReport report = Complete(
                WithEvents(R"([{"at": "20us", "kind": "slow_accelerator", "target": "server3",)"
                           R"( "factor": 3)" +
                               more + "}]",
                           {"iterations=1"}));
            return static_cast<double>(
                Time(report.jobs.at(0).rankClasses.at(0).compute).GetNanoSeconds());
        };
        const double one = static_cast<double>(Time(compute).GetNanoSeconds()) /
                           static_cast<double>(healthy.jobs.at(0).iterations.size());
        const double late = slowed("");
        NS_TEST_EXPECT_MSG_EQ_TOL(late - one, (one - 20000) * 2 / 8, 10, "of " << one << " ns");
        NS_TEST_EXPECT_MSG_EQ_TOL(slowed(R"(, "duration": "15us")") - one,
                                  15000.0 * 2 / 3 / 8,
                                  10,
                                  "15 us, of which a third is as good as before");
        // A NIC that says XOFF for 1 ms stops its senders, and through them everybody.
        const RunReport storm = Complete(WithEvents(
            R"([{"at": "2ms", "kind": "pause_storm", "target": "host2", "duration": "1ms"}])"));
        NS_TEST_EXPECT_MSG_GT(storm.fabric.switches.pausedTicks + storm.fabric.hosts.pausedTicks,
                              MicroSeconds(900).GetTimeStep(),
                              "paused");
        NS_TEST_EXPECT_MSG_GT(IterationUs(storm, 0) + IterationUs(storm, 1),
                              IterationUs(healthy, 0) + IterationUs(healthy, 1) + 500,
                              "waits");
        NS_TEST_EXPECT_MSG_EQ(storm.drops.size(), 0, "no loss");
        // For good: it ends with the job's failure, not with the end of days.
        {
            Simulation endless(
                WithEvents(R"([{"at": "2ms", "kind": "pause_storm", "target": "host2"}])"));
            NS_TEST_EXPECT_MSG_EQ(endless.Run(), false, "fails");
            NS_TEST_EXPECT_MSG_EQ(endless.GetReport().failure.empty(), false, "with a reason");
        }
        const RunReport bits =
            Complete(WithEvents(R"([{"at": "1ms", "kind": "bit_errors", "target": "leaf0:spine2",)"
                                R"( "bit_error_rate": 1e-7, "duration": "5ms"}])"));
        NS_TEST_EXPECT_MSG_GT(Drops(bits, DropReason::LOSS_MODEL), 0, "frames are lost");
        NS_TEST_EXPECT_MSG_EQ(bits.trouble.at(1).effect, "none any more", "and then not");
        const RunReport flaps =
            Complete(WithEvents(R"([{"at": "2ms", "kind": "link_flap", "target": "leaf0:spine2",)"
                                R"( "period": "300us", "duty": 0.1, "count": 4}])",
                                {"transport.attributes.RetransmissionTimeout=300us",
                                 "transport.attributes.RetryCount=50"}));
        NS_TEST_EXPECT_MSG_EQ(flaps.trouble.size(), 8, "four times down and up");
        NS_TEST_EXPECT_MSG_EQ(Time(flaps.trouble.at(1).tick), MicroSeconds(2030), "up again");
        NS_TEST_EXPECT_MSG_EQ(Time(flaps.trouble.at(6).tick), MicroSeconds(2900), "the fourth");
    }
};

/// @ingroup llm-training-tests
/// Mistakes.
class BadEvents : public TroubleTestCase
{
  public:
    BadEvents()
        : TroubleTestCase(
              "bad events never start a run; the error names the place and what is meant")
    {
    }

  private:
    /** @param events list. @param error what must be told. */
    void Expect(const std::string& events, const std::string& error)
    {
        const std::string told = ErrorOf([&] { Simulation simulation(WithEvents(events)); });
        NS_TEST_EXPECT_MSG_NE(told.find(error), std::string::npos, told);
    }

    void DoRun() override
    {
        Expect(R"([{"kind": "link_down", "target": "leaf0:spine1"}])", "events[0]");
        Expect(R"([{"at": "1ms", "kind": "link_dwn", "target": "x"}])",
               "link_down, link_up, link_flap");
        Expect(
            R"([{"at": "1ms", "kind": "link_down", "target": "leaf0:spine11"}])",
            "events[0]: network: there is no link 'leaf0:spine11'; did you mean 'leaf0:spine1'?");
        Expect(R"([{"at": "1ms", "kind": "switch_down", "target": "spin1"}])",
               "there is no switch 'spin1'; did you mean 'spine1'?");
        Expect(R"([{"at": "1ms", "kind": "slow_accelerator", "target": "rank9"}])",
               "there is no host, server or rank 'rank9'; did you mean 'rank0'?");
        Expect(R"([{"at": "1ms", "kind": "link_rate", "target": "leaf0:spine1"}])", "above 0");
        Expect(R"([{"at": "1ms", "kind": "bit_errors", "target": "leaf0:spine1"}])", "above 0");
        Expect(R"([{"at": "1ms", "kind": "link_flap", "target": "leaf0:spine1"}])",
               "needs a period");
        Expect(R"([{"at": "1ms", "kind": "link_flap", "target": "leaf0:spine1", "period": "1ms",)"
               R"( "duty": 1}])",
               "a share between 0 and 1");
        Expect(R"([{"at": "1ms", "kind": "pause_storm", "target": "host0", "classes": [8]}])",
               "events[0].classes[0]");
        Expect(R"([{"at": "1ms", "kind": "link_down", "target": "leaf0:spine1"},)"
               R"( {"at": "1ms", "kind": "link_up", "target": "leaf0:spine1", "rate": "1Gbps"}])",
               "events[1].rate: has no meaning for a link_up");
    }
};

/// @ingroup llm-training-tests
/// What is written.
class WrittenEvents : public TroubleTestCase
{
  public:
    WrittenEvents()
        : TroubleTestCase(
              "events are written to events.csv, the report and summary.json, alike twice")
    {
    }

  private:
    /** @return the whole file. */
    static std::string Read(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    void DoRun() override
    {
        std::vector<std::string> seen;
        for (const char* queue : {"native", "portable"})
        {
            const std::string folder = CreateTempDirFilename(queue);
            Simulation simulation(Shipped("trouble-uplink-down.json",
                                          {"output.folder=" + folder,
                                           "iterations=4",
                                           std::string("simulator.event_queue=") + queue}));
            NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, queue);
            const std::string text = FormatRunReport(simulation.GetReport());
            NS_TEST_EXPECT_MSG_NE(text.find("\nTrouble\n          1 ms  link_down leaf0:spine2: "),
                                  std::string::npos,
                                  text);
            NS_TEST_EXPECT_MSG_NE(text.find("\n  after all     "), std::string::npos, text);
            seen.push_back(Read(folder + "/events.csv") + Read(folder + "/summary.json") + text);
        }
        NS_TEST_EXPECT_MSG_EQ((seen[0] == seen[1]), true, "both event queues");
        NS_TEST_EXPECT_MSG_EQ(seen[0].substr(0, 74),
                              "time_us,kind,target,effect\n"
                              "1000.000000,link_down,leaf0:spine2,1 link down;",
                              seen[0].substr(0, 200));
        NS_TEST_EXPECT_MSG_NE(
            seen[0].find("3000.000000,routes,fabric,computed anew without 1 link\n"),
            std::string::npos,
            seen[0].substr(0, 300));
        NS_TEST_EXPECT_MSG_NE(seen[0].find("\"trouble\": {\n    \"events\": [\n"),
                              std::string::npos,
                              "summary");
        const std::string late = FormatRunReport(
            Complete(WithEvents(R"([{"at": "5s", "kind": "host_down", "target": "host1"}])",
                                {"iterations=1"})));
        NS_TEST_EXPECT_MSG_NE(late.find("\nTrouble\n  not reached   1 event, all was over before: "
                                        "host_down host1 at 5s\n\n"),
                              std::string::npos,
                              late);
    }
};

/// @ingroup llm-training-tests
/// The suite.
class TroubleSuite : public TestSuite
{
  public:
    TroubleSuite()
        : TestSuite("llm-training-trouble", Type::UNIT)
    {
        AddTestCase(new UplinkDown, llm::TestDuration::QUICK);
        AddTestCase(new LinkFlap, llm::TestDuration::QUICK);
        AddTestCase(new HalfRate, llm::TestDuration::QUICK);
        AddTestCase(new SwitchLost, llm::TestDuration::QUICK);
        AddTestCase(new LostForGood, llm::TestDuration::QUICK);
        AddTestCase(new OtherTrouble, llm::TestDuration::QUICK);
        AddTestCase(new BadEvents, llm::TestDuration::QUICK);
        AddTestCase(new WrittenEvents, llm::TestDuration::QUICK);
    }
};

TroubleSuite g_troubleSuite; //!< instance

} // namespace
