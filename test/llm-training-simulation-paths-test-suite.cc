/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Scenarios about paths: the shipped ones show what they are for; fields reach their classes; what
// cannot be is told.

#include "ns3/llm-config-error.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/rdma-nic.h"
#include "ns3/static-load-balancer.h"
#include "ns3/test.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Overrides = std::vector<std::string>;

/** @return a small leaf-spine network with a permutation. */
Scenario
Small(const Overrides& overrides)
{
    Overrides all{"workload.format=pattern",
                  "workload.pattern=shift",
                  "workload.bytes=64KiB",
                  "cluster.accelerators=8",
                  "cluster.accelerators_per_server=1",
                  "fabric.leaves=2",
                  "fabric.spines=4",
                  "fabric.hosts_per_leaf=4",
                  "transport.congestion_control=none",
                  "output.folder="};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return ScenarioReader::ParseText("{}", "paths.json", all);
}

/** @return a shipped scenario. */
Scenario
Shipped(const std::string& name, Overrides overrides = {})
{
    overrides.emplace_back("output.folder=");
    return ScenarioReader::ReadFile(std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/scenarios/" +
                                        name + ".json",
                                    overrides);
}

/** Base: runs scenarios. */
class PathScenarioTest : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Runs to the end; it must complete with balanced books.
     * @param busiest gets the bytes of the busiest link over those of the busiest host's.
     * @return the report.
     */
    RunReport RunWell(const Scenario& scenario, const std::string& what, double* busiest = nullptr)
    {
        Simulation simulation(scenario);
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, what);
        uint64_t most = 0;
        uint64_t host = 1;
        for (const auto& port : simulation.GetNetwork().fabric->GetPorts())
        {
            const uint64_t bytes = port->GetCounters().txBytes;
            most = std::max(most, bytes);
            host = std::max(host, port->IsSwitchPort() ? 1 : bytes);
        }
        if (busiest)
        {
            *busiest = static_cast<double>(most) / static_cast<double>(host);
        }
        return simulation.GetReport();
    }

    /** @return duration of the only iteration, ticks. */
    static double DurationOf(const RunReport& report)
    {
        return static_cast<double>(report.jobs.at(0).iterations.at(0).duration);
    }

    /** @return a fact of the report; empty if there is none. */
    static std::string FactOf(const RunReport& report, const std::string& label)
    {
        for (const auto& [name, fact] : report.facts)
        {
            if (name == label)
            {
                return fact;
            }
        }
        return "";
    }

    /** @return a counter; UINT64_MAX if there is none. */
    static uint64_t CounterOf(const RunReport& report, const std::string& name)
    {
        for (const auto& [known, count] : report.pathCounters)
        {
            if (known == name)
            {
                return count;
            }
        }
        return UINT64_MAX;
    }
};

/// @ingroup llm-training-tests
/// Polarisation.
class PolarisedScenarioTest : public PathScenarioTest
{
  public:
    PolarisedScenarioTest()
        : PathScenarioTest("shipped: polarised ECMP uses one uplink in four of the second tier; "
                           "cured, more than half, and ends sooner")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport polarised = RunWell(Shipped("ecmp-polarised"), "polarised");
        NS_TEST_ASSERT_MSG_EQ(polarised.uplinks.size(), 2, "tiers");
        NS_TEST_EXPECT_MSG_EQ(polarised.uplinks[1].ports, 128, "uplinks of aggregation");
        // Answers go up too, by the same hash; each aggregation switch has one uplink of use.
        NS_TEST_EXPECT_MSG_LT(polarised.uplinks[1].used, 33, "one in four");
        for (const bool perSwitch : {false, true})
        {
            const RunReport cured =
                RunWell(perSwitch ? Shipped("ecmp-polarised", {"fabric.ecmp_seed=0"})
                                  : Shipped("ecmp-cured"),
                        "cured");
            NS_TEST_EXPECT_MSG_GT(cured.uplinks.at(1).used, 64, "more than half");
            NS_TEST_EXPECT_MSG_LT(DurationOf(cured), DurationOf(polarised), "sooner");
        }
        NS_TEST_EXPECT_MSG_EQ(FactOf(polarised, "paths"),
                              "ecmp at switches (all with seed 7), single at senders",
                              "told");
    }
};

/// @ingroup llm-training-tests
/// Spray against ECMP.
class SprayScenarioTest : public PathScenarioTest
{
  public:
    SprayScenarioTest()
        : PathScenarioTest(
              "shipped: a permutation sprayed ends with the hosts' links, under ECMP with "
              "the busiest uplink; a reliability that needs order is warned of")
    {
    }

  private:
    void DoRun() override
    {
        double busiest = 0;
        const RunReport hashed = RunWell(Shipped("permutation-ecmp"), "ecmp", &busiest);
        const RunReport spray = RunWell(Shipped("permutation-spray"), "spray");
        NS_TEST_EXPECT_MSG_GT(busiest, 1.9, "flows collide");
        NS_TEST_EXPECT_MSG_EQ(spray.uplinks.at(0).used, 64, "all uplinks");
        NS_TEST_EXPECT_MSG_LT(spray.uplinks.at(0).GetUnevenness(),
                              1.2,
                              "even, but for flows within leaves");
        NS_TEST_EXPECT_MSG_EQ_TOL(DurationOf(hashed) / DurationOf(spray),
                                  busiest,
                                  0.07 * busiest,
                                  "by the busiest link");
        NS_TEST_EXPECT_MSG_EQ(FactOf(spray, "warning"), "", "made for it");
        for (const std::string reliability : {"go_back_n", "selective_repeat"})
        {
            const RunReport bad =
                RunWell(Shipped("permutation-spray", {"transport.reliability=" + reliability}),
                        reliability);
            NS_TEST_EXPECT_MSG_NE(FactOf(bad, "warning").find("packets overtake each other"),
                                  std::string::npos,
                                  reliability);
            NS_TEST_EXPECT_MSG_GT(DurationOf(bad), DurationOf(spray), reliability);
        }
    }
};

/// @ingroup llm-training-tests
/// Every policy and field.
class PathFieldsTest : public PathScenarioTest
{
  public:
    PathFieldsTest()
        : PathScenarioTest(
              "every policy runs from a scenario; pins and attributes reach it; counters "
              "are reported")
    {
    }

  private:
    void DoRun() override
    {
        const std::string reliability = "transport.reliability=out_of_order";
        for (const std::string name :
             {"ecmp", "static", "flowlet", "spray_random", "spray_round_robin", "adaptive"})
        {
            const RunReport report =
                RunWell(Small({"fabric.load_balancing=" + name, reliability}), name);
            NS_TEST_EXPECT_MSG_EQ(FactOf(report, "paths"),
                                  name + " at switches, single at senders",
                                  "told");
            NS_TEST_EXPECT_MSG_EQ(report.uplinks.size(), 1, "one tier of uplinks");
            NS_TEST_EXPECT_MSG_EQ(report.uplinks[0].ports, 8, "eight of them");
            if (name == "flowlet")
            {
                NS_TEST_EXPECT_MSG_GT_OR_EQ(CounterOf(report, "flowlets"), 8, "counted");
            }
        }
        for (const std::string name : {"single", "pinned", "spray", "round_robin", "reps"})
        {
            const RunReport report =
                RunWell(Small({"transport.path_selector=" + name, reliability}), name);
            NS_TEST_EXPECT_MSG_EQ((CounterOf(report, "recycled_entropies") != UINT64_MAX),
                                  (name == "reps"),
                                  "counted");
        }
        for (const std::string hash : {"mix", "crc32", "crc16", "murmur3", "xor"})
        {
            RunWell(Small({"fabric.ecmp_hash=" + hash}), hash);
        }
        // Rank i sends to i + 4: all over one uplink of their leaf, but for one flow.
        const RunReport pinned = RunWell(
            Small({"fabric.load_balancing=static",
                   R"(fabric.pins=[{"switch": "leaf0", "destination": 7, "source": 3, "uplink": 1},
                                   {"source": 0, "uplink": 2}, {"source": 1, "uplink": 2},
                                   {"source": 2, "uplink": 2}, {"source": 3, "uplink": 2},
                                   {"source": 4, "uplink": 2}, {"source": 5, "uplink": 2},
                                   {"source": 6, "uplink": 2}, {"source": 7, "uplink": 2}])"}),
            "pins");
        NS_TEST_EXPECT_MSG_EQ(pinned.uplinks.at(0).used, 3, "uplinks");
        NS_TEST_EXPECT_MSG_EQ(CounterOf(pinned, "frames_that_no_pin_fits"), 0, "all pinned");
        const RunReport paths = RunWell(
            Small(
                {"transport.path_selector=pinned",
                 R"(transport.path_pins=[{"path": 3}, {"source": 1, "destination": 5, "path": 0}])"}),
            "path pins");
        NS_TEST_EXPECT_MSG_EQ(paths.uplinks.at(0).used, 3, "uplinks");
    }
};

/// @ingroup llm-training-tests
/// What cannot be.
class PathErrorsTest : public PathScenarioTest
{
  public:
    PathErrorsTest()
        : PathScenarioTest(
              "unknown names and attributes, and pins that nothing can follow, are told")
    {
    }

  private:
    void Expect(const Overrides& overrides, const std::string& part)
    {
        std::string what;
        try
        {
            Simulation simulation(Small(overrides));
            simulation.Run();
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(what.find(part), std::string::npos, "'" << what << "' for " << part);
    }

    void DoRun() override
    {
        Expect({"fabric.load_balancing=ecpm"},
               "fabric.load_balancing: no load balancer 'ecpm'; did you mean 'ecmp'?");
        Expect({"fabric.load_balancing=ns3::llm::RdmaDcqcn"}, "no load balancer");
        Expect({"fabric.load_balancing_attributes.Gap=1us"},
               "paths.json: fabric.load_balancing_attributes.Gap: ");
        Expect({"fabric.ecmp_hash=crc23"}, "fabric.ecmp_hash: no hash function 'crc23'");
        Expect({R"(fabric.pins=[{"source": 1, "uplink": 0}])"}, "set it to static");
        const std::string fixed = "fabric.load_balancing=static";
        Expect({fixed, R"(fabric.pins=[{"switch": "leaf9", "source": 1, "uplink": 0}])"},
               "there is no switch 'leaf9'; did you mean 'leaf0'?");
        Expect({fixed, R"(fabric.pins=[{"source": 8, "uplink": 0}])"},
               "endpoint 8 does not exist; there are 8");
        Expect({fixed, R"(fabric.pins=[{"source": 1, "uplink": 0}, {"uplink": 0}])"},
               "fabric.pins[1]: ");
        Expect({fixed, R"(fabric.pins=[{"source": 1}])"}, "uplink");
        Expect({"transport.path_selector=resp"}, "no path selector 'resp'; did you mean 'reps'?");
        Expect({"transport.path_selector_attributes.Buffer=8"},
               "transport.path_selector_attributes.Buffer");
        Expect({R"(transport.path_pins=[{"path": 1}])"}, "set it to pinned");
        const std::string pinned = "transport.path_selector=pinned";
        Expect({pinned, R"(transport.path_pins=[{"source": 1}])"}, "transport.path_pins[0]: ");
        Expect({pinned, R"(transport.path_pins=[{"source": 11, "path": 1}])"},
               "rank 11 does not exist; there are 8");
        const RunReport report =
            RunWell(Small({"transport.kind=tcp", "transport.congestion_control=default", pinned}),
                    "tcp has no path selector");
        NS_TEST_EXPECT_MSG_NE(FactOf(report, "not used").find("transport.path_selector"),
                              std::string::npos,
                              "told");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class SimulationPathsSuite : public TestSuite
{
  public:
    SimulationPathsSuite()
        : TestSuite("llm-training-simulation-paths", Type::UNIT)
    {
        AddTestCase(new PolarisedScenarioTest, llm::TestDuration::QUICK);
        AddTestCase(new SprayScenarioTest, llm::TestDuration::QUICK);
        AddTestCase(new PathFieldsTest, llm::TestDuration::QUICK);
        AddTestCase(new PathErrorsTest, llm::TestDuration::QUICK);
    }
};

SimulationPathsSuite g_simulationPathsSuite; //!< instance

} // namespace
