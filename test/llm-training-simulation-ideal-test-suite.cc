/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Completion times beside what they would be alone, and beside those of simulators that cut times
// to whole nanoseconds.

#include "llm-training-import-test.h"

#include "ns3/graph-topology.h"
#include "ns3/llm-ideal-completion.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-topology-drawing.h"
#include "ns3/llm-training-compat.h"
#include "ns3/names.h"
#include "ns3/test.h"
#include "ns3/torus-topology.h"

#include <sstream>

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

/// @param text of a scenario @param folder for files @param set further fields @return the scenario
Scenario
Make(const std::string& text, const std::string& folder, std::vector<std::string> set = {})
{
    set.push_back("output.folder=" + folder);
    return ScenarioReader::ParseText(text, "s.json", set);
}

/// @param name of a file @return its lines
std::vector<std::string>
ReadLines(const std::string& name)
{
    std::ifstream file(name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/// The formula of others, to the nanosecond.
class FlooringMatchesOtherSimulators : public TestCase
{
  public:
    FlooringMatchesOtherSimulators()
        : TestCase("floor_ns and headers hpcc: N t_d + (h-1) t_d + 2 sum(delay) + h t_a, to the ns")
    {
    }

  private:
    /// @return the line of fct.txt of one flow of 1 MB
    std::string Run(const std::string& fabric, uint32_t to, bool floor)
    {
        const std::string folder = CreateTempDirFilename("fct");
        const Scenario scenario =
            Make(R"({"workload": {"format": "flows",
                     "flows": [{"from": 0, "to": )" +
                     std::to_string(to) + R"(, "bytes": 1000000, "start": "2s"}]},
                     "transport": {"headers": "hpcc", "congestion_control": "none"},
                     "output": {"fct": true},
                     "fabric": {"path_mtu": 1000, )" +
                     fabric + "}}",
                 folder,
                 {floor ? "fabric.floor_ns=true" : "fabric.floor_ns=false"});
        {
            Simulation simulation(scenario);
            NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, "complete, and the books balance");
        }
        const auto lines = ReadLines(folder + "/fct.txt");
        NS_TEST_EXPECT_MSG_EQ(lines.size(), 1, "one flow");
        return lines.empty() ? "" : lines.front();
    }

    void DoRun() override
    {
        const std::string star = R"("topology": "graph", "graph": {
            "hosts": ["a", "b"], "switches": ["s"],
            "links": [{"from": "a", "to": "s", "rate": "100Gbps", "delay": "1us"},
                      {"from": "b", "to": "s", "rate": "100Gbps", "delay": "1us"}]})";
        NS_TEST_EXPECT_MSG_EQ(Run(star, 1, true),
                              "0b000001 0b000101 10000 100 1000000 2000000000 87091 88000",
                              "two links at 100 Gb/s");
        // The same imported.
        const std::string file = WriteFile(CreateTempDirFilename("star.txt"),
                                           "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 0.001ms 0\n");
        NS_TEST_EXPECT_MSG_EQ(Run(R"("topology": "hpcc", "file": ")" + file + "\"", 1, true),
                              "0b000001 0b000101 10000 100 1000000 2000000000 87091 88000",
                              "imported topology");
        const std::string tree = R"("topology": "fat-tree", "k": 4, "host_rate": "400Gbps",
            "uplink_rate": "400Gbps", "host_delay": "1us", "uplink_delay": "1us")";
        NS_TEST_EXPECT_MSG_EQ(Run(tree, 15, true),
                              "0b000001 0b000f01 10000 100 1000000 2000000000 32106 33080",
                              "six links at 400 Gb/s");
        // Exact: 1005 x 20.96 ns, 12 us, 6 x 1.2 ns; in ticks of a nanosecond a little less.
        std::istringstream exact(Run(tree, 15, false));
        std::string skipped;
        int64_t took = 0;
        exact >> skipped >> skipped >> skipped >> skipped >> skipped >> skipped >> took;
        NS_TEST_EXPECT_MSG_EQ_TOL(took, 33071, 2, "not cut");
    }
};

/// The yardstick.
class IdealIsWhatALoneFlowTakes : public TestCase
{
  public:
    IdealIsWhatALoneFlowTakes()
        : TestCase(
              "ideal completion: equals packet by packet reckoning, and lone flows' slowdown 1")
    {
    }

  private:
    /// @return completion by going through all packets
    static int64_t GoThrough(const std::vector<const FabricPort*>& path, uint64_t bytes)
    {
        std::vector<int64_t> left(path.size(), 0);
        int64_t delay = 0;
        for (const FabricPort* port : path)
        {
            delay += port->GetDelay();
        }
        for (uint64_t sent = 0; sent < bytes; sent += 1000)
        {
            const auto payload = static_cast<uint32_t>(std::min<uint64_t>(1000, bytes - sent));
            const uint32_t size = (payload + 3) / 4 * 4 + 82 + (sent == 0 ? 16 : 0);
            int64_t there = 0;
            for (std::size_t i = 0; i < path.size(); ++i)
            {
                left[i] = std::max(left[i], there) + path[i]->GetTransmitTicks(size);
                there = left[i];
            }
        }
        return left.back() + delay;
    }

    void DoRun() override
    {
        // Chains of links with all kinds of rates.
        for (const auto& rates : std::vector<std::vector<uint64_t>>{{100, 100},
                                                                    {400, 100, 400},
                                                                    {100, 400, 40},
                                                                    {40, 100, 400, 100, 25},
                                                                    {99, 100, 101, 100, 99},
                                                                    {25, 24, 25}})
        {
            FabricGraph graph;
            graph.vertices.push_back({"a", false, 0, "", {}, {}});
            for (std::size_t i = 1; i < rates.size(); ++i)
            {
                graph.vertices.push_back({"s" + std::to_string(i), true, 0, "", {}, {}});
            }
            graph.vertices.push_back({"b", false, 1, "", {}, {}});
            for (uint32_t i = 0; i < rates.size(); ++i)
            {
                FabricLink link;
                link.rate = DataRate(rates[i] * 1000000000);
                graph.edges.push_back({i, i + 1, link, ""});
            }
            Names::Clear();
            const FabricNetwork network = GraphTopology(graph).Build(CreateObject<Fabric>(), 1);
            IdealCompletion ideal(network.fabric, {0, 1}, {1000, 82, 16, 4});
            const auto path = network.fabric->GetPath(0, 1);
            for (const uint64_t bytes : {1, 1000, 1001, 2000, 2500, 3000, 50000, 123456, 1000000})
            {
                NS_TEST_EXPECT_MSG_EQ(ideal.GetTicks(0, 1, bytes),
                                      GoThrough(path, bytes),
                                      bytes << " B over " << rates.size() << " links");
            }
            NS_TEST_EXPECT_MSG_EQ(ideal.GetTicks(0, 1, 0), 0, "nothing");
        }
        Simulator::Destroy();
        Names::Clear();
        // In a run, one after the other.
        const std::string folder = CreateTempDirFilename("ideal");
        {
            Simulation simulation(Make(R"({"workload": {"format": "flows", "flows": [
                {"from": 0, "to": 5, "bytes": 1}, {"from": 0, "to": 1, "bytes": "64KiB", "start": "1ms"},
                {"from": 3, "to": 4, "bytes": "3MB", "start": "2ms"},
                {"from": 6, "to": 7, "bytes": "1MB", "start": "4ms"},
                {"from": 2, "to": 7, "bytes": "1MB", "start": "4ms"}]},
                "transport": {"congestion_control": "none"},
                "fabric": {"leaves": 2, "spines": 1, "hosts_per_leaf": 4, "host_rate": "100Gbps",
                           "uplink_rate": "40Gbps"}})",
                                       folder));
            NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, "complete");
        }
        const auto lines = ReadLines(folder + "/flows.csv");
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 6, "header and flows");
        NS_TEST_EXPECT_MSG_EQ(lines[0],
                              "start_us,end_us,completion_us,from_rank,to_rank,channel,class,"
                              "dimension,bytes,goodput_gbps,ideal_us,slowdown",
                              "columns");
        for (std::size_t i = 1; i <= 3; ++i)
        {
            const std::string slowdown = lines[i].substr(lines[i].rfind(',') + 1);
            NS_TEST_EXPECT_MSG_EQ_TOL(std::stod(slowdown), 1.0, 0.002, lines[i]);
        }
        // Rank 6 shares its receiver's link with rank 2, which has but 40 of its 100 Gb/s.
        const std::string shared = lines[4].substr(lines[4].rfind(',') + 1);
        NS_TEST_EXPECT_MSG_GT(std::stod(shared), 1.2, lines[4]);
    }
};

/// Fields that exclude each other.
class CompatibilityHasLimits : public TestCase
{
  public:
    CompatibilityHasLimits()
        : TestCase("frames with other headers cannot be captured")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([&] {
                Simulation{Make(R"({"workload": {"format": "pattern"}, "fabric": {"k": 4},
                                    "transport": {"headers": "hpcc"},
                                    "output": {"pcap": ["host0"]}})",
                                CreateTempDirFilename("pcap"))};
            }),
            "s.json: output.pcap: cannot be written while transport.headers is 'hpcc': such frames "
            "are on no wire",
            "pcap");
    }
};

/// What is drawn.
class DrawingsShowEveryNode : public TestCase
{
  public:
    DrawingsShowEveryNode()
        : TestCase("drawings: a box for every node, a line for every two that are linked")
    {
    }

  private:
    static std::size_t Count(const std::string& text, const std::string& what)
    {
        std::size_t count = 0;
        for (std::size_t at = text.find(what); at != std::string::npos;
             at = text.find(what, at + 1))
        {
            ++count;
        }
        return count;
    }

    void DoRun() override
    {
        TorusTopology torus({{4, 3}, true, false}, FabricLink());
        const FabricNetwork network = torus.Build(CreateObject<Fabric>(), 2);
        const std::string svg = TopologyDrawing::MakeSvg(torus, network);
        NS_TEST_EXPECT_MSG_EQ(Count(svg, "<rect "), 1 + 12 + 12, "background, hosts, switches");
        NS_TEST_EXPECT_MSG_EQ(Count(svg, "<line "), 12 + 24, "links");
        NS_TEST_EXPECT_MSG_EQ(Count(svg, ">chip11</text>"), 1, "a name");
        NS_TEST_EXPECT_MSG_EQ(svg.substr(svg.size() - 7), "</svg>\n", "whole");
        Simulator::Destroy();
        Names::Clear();
    }
};

/// The suite.
class SimulationIdealTestSuite : public TestSuite
{
  public:
    SimulationIdealTestSuite()
        : TestSuite("llm-training-simulation-ideal", Type::UNIT)
    {
        AddTestCase(new FlooringMatchesOtherSimulators, llm::TestDuration::QUICK);
        AddTestCase(new IdealIsWhatALoneFlowTakes, llm::TestDuration::QUICK);
        AddTestCase(new CompatibilityHasLimits, llm::TestDuration::QUICK);
        AddTestCase(new DrawingsShowEveryNode, llm::TestDuration::QUICK);
    }
};

SimulationIdealTestSuite g_simulationIdealTestSuite; //!< registers itself

} // namespace
