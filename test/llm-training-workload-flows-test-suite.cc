/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Workloads that are flows: files of the HPCC family, CSV, patterns, lists in scenarios.

#include "llm-training-import-test.h"

#include "ns3/llm-flow-file.h"
#include "ns3/llm-flow-pattern.h"
#include "ns3/llm-flow-workload.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-workload-checker.h"
#include "ns3/test.h"

#include <set>

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

/// @return "from>to bytes B at start ps class c" of every flow.
std::string
Show(const std::vector<Flow>& flows)
{
    std::ostringstream text;
    for (const Flow& flow : flows)
    {
        text << flow.from << ">" << flow.to << " " << flow.bytes << "@" << flow.startPs << "/"
             << +flow.trafficClass << " ";
    }
    return text.str();
}

/// What the files say.
class FlowFilesAreRead : public TestCase
{
  public:
    FlowFilesAreRead()
        : TestCase("flow files: six and five columns, CSV, unsorted starts, node ids that are not "
                   "ranks")
    {
    }

  private:
    void DoRun() override
    {
        const FlowList six = FlowFile::Parse("2\n"
                                             "1 0 3 100 1000000 2.000010000\n"
                                             "2 0 4 100 5000000000 2.000000000\n",
                                             "flow.txt",
                                             {},
                                             3);
        NS_TEST_EXPECT_MSG_EQ(Show(six.flows),
                              "1>0 1000000@2000010000000/3 2>0 5000000000@2000000000000/4 ",
                              "six columns, above 4 GiB");
        NS_TEST_EXPECT_MSG_EQ(six.ranks, 3, "ranks");
        const FlowWorkload work(six, 0);
        NS_TEST_EXPECT_MSG_EQ(
            work.Describe(),
            "flow.txt: HPCC flows, 2 flows, 5.001GB in all, among 3 ranks, starts "
            "from 2s to 2.00001s, class 3 4; ignored: destination ports, RoCE has one; 1 "
            "flows start before the one above them: sorted",
            "what was read");
        NS_TEST_EXPECT_MSG_EQ(work.GetFlows().front().from, 2, "sorted");

        const FlowList five = FlowFile::Parse("2 7 9 3 64 0.1 9 8 1 0 1e-3", "f", {7, 8, 9}, 3);
        NS_TEST_EXPECT_MSG_EQ(Show(five.flows),
                              "0>2 64@100000000000/3 2>1 0@1000000000/1 ",
                              "five columns in one line, ids 7 to 9 are ranks 0 to 2");
        NS_TEST_EXPECT_MSG_EQ(five.kind, "conweave flows", "variant");

        const FlowList csv = FlowFile::Parse("# mine\n"
                                             "bytes, to, from, start_us\n"
                                             "16MiB,1,0,1.5\n"
                                             "\n"
                                             "5 kB, 0, 1, 0\n",
                                             "f.csv",
                                             {},
                                             5);
        NS_TEST_EXPECT_MSG_EQ(Show(csv.flows), "0>1 16777216@1500000/5 1>0 5000@0/5 ", "CSV");
        const FlowList bare =
            FlowFile::Parse("from,to,bytes,start,class\n0,1,1,2ns,0\n", "f", {}, 5);
        NS_TEST_EXPECT_MSG_EQ(Show(bare.flows), "0>1 1@2000/0 ", "units in the cells");
        // Finer than a picosecond.
        const FlowList fine = FlowFile::Parse("1\n0 1 3 8 2.00000000000149", "f", {}, 3);
        NS_TEST_EXPECT_MSG_EQ(fine.flows.front().startPs, 2000000000001, "cut");
    }
};

/// Every mistake, once.
class BadFlowFilesAreRefused : public TestCase
{
  public:
    BadFlowFilesAreRefused()
        : TestCase("flow files: each mistake is one line with the line of the file")
    {
    }

  private:
    void Expect(const std::string& text, const std::string& error)
    {
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { FlowWorkload(FlowFile::Parse(text, "f", {}, 3), 4); }),
                              "f: " + error,
                              text);
    }

    void DoRun() override
    {
        Expect("", "line 1: the file ends where the number of flows should stand");
        Expect("0\n", "has no flows");
        std::string rows = "839\n";
        for (int i = 0; i < 33; ++i)
        {
            rows += "0 1 3 100 1000 2.0\n";
        }
        Expect(rows, "line 35: the head says 839 flows, the file has 33");
        Expect("1\n0 1 3 100 1000 2.0\n0 1 3 100 1000 2.0\n",
               "line 3: the head says 1 flows, the file has 2");
        Expect("2\n0 1 3 100 1000 2.0\n0 1 3 100 1000\n",
               "line 4: the head says 2 flows, the file has 1 and 5 of the 6 fields of another");
        Expect("1\n0 1 8 100 1000 2.0\n", "line 2: the priority group is 8; at most 7 is possible");
        Expect("1\n0 1 3 100 -5 2.0\n", "line 2: the size must be a whole number, is '-5'");
        Expect("1\n0 1 3 100 5 soon\n",
               "line 2: 'soon' is not a duration: must begin with a digit");
        Expect("2\n0 1 3 100 5 0\n2 2 3 100 5 0\n", "line 3: a flow from 2 to itself");
        Expect("1\n0 4 3 100 5 0\n", "has flows of rank 4; there are 4 ranks, counted from 0");
        Expect("from,to,byte\n", "line 1: unknown column 'byte'; did you mean 'bytes'?");
        Expect("from,to\n", "line 1: column 'bytes' is missing");
        Expect("from,to,bytes,start,start_s\n", "line 1: there are two columns for start");
        Expect("from,to,bytes\n0,1\n", "line 2: has 2 fields, the first row names 3");
        Expect("from,to,bytes,class\n0,1,5,9\n", "line 2: class 9; 0 to 7 exist");
        Expect("from,to,bytes\n0,1,many\n",
               "line 2: 'many' is not a byte count: must begin with a "
               "digit");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] {
                                  FlowFile::Parse("1\n5 6 3 100 5 0\n", "f", {5, 7}, 3);
                              }),
                              "f: line 2: node 6 is no host of the topology, which has 2 hosts",
                              "a switch");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { FlowFile::Read("/nowhere/f", {}, 3); }),
                              "/nowhere/f: the flows cannot be read: No such file or directory",
                              "no file");
    }
};

/// Who sends to whom.
class PatternsAreWhatTheirNamesSay : public TestCase
{
  public:
    PatternsAreWhatTheirNamesSay()
        : TestCase("patterns: each sends and receives as often as its name says; the seed decides")
    {
    }

  private:
    static std::vector<Flow> Make(const std::string& name, uint32_t ranks, uint64_t key = 1)
    {
        FlowPattern::Settings settings;
        settings.ranks = ranks;
        settings.bytes = 1000;
        settings.startPs = 500;
        settings.staggerPs = 7;
        settings.key = key;
        return FlowPattern::Make(name, settings, "s").flows;
    }

    void DoRun() override
    {
        for (const uint32_t n : {2U, 3U, 17U, 64U})
        {
            for (const std::string& name : FlowPattern::GetNames())
            {
                const std::vector<Flow> flows = Make(name, n);
                const std::size_t expected = name == "incast"       ? n - 1
                                             : name == "all-to-all" ? std::size_t{n} * (n - 1)
                                                                    : n;
                NS_TEST_EXPECT_MSG_EQ(flows.size(), expected, name);
                std::set<std::pair<uint32_t, uint32_t>> pairs;
                std::set<uint32_t> senders;
                std::set<uint32_t> receivers;
                for (const Flow& flow : flows)
                {
                    NS_TEST_EXPECT_MSG_NE(flow.from, flow.to, name);
                    NS_TEST_EXPECT_MSG_LT(std::max(flow.from, flow.to), n, name);
                    pairs.insert({flow.from, flow.to});
                    senders.insert(flow.from);
                    receivers.insert(flow.to);
                }
                NS_TEST_EXPECT_MSG_EQ(pairs.size(), expected, name << ": no pair twice");
                NS_TEST_EXPECT_MSG_EQ(senders.size(), (name == "incast" ? n - 1 : n), name);
                if (name != "random")
                {
                    NS_TEST_EXPECT_MSG_EQ(receivers.size(), (name == "incast" ? 1 : n), name);
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(Show(Make("incast", 4)),
                              "1>0 1000@500/3 2>0 1000@507/3 3>0 1000@514/3 ",
                              "staggered");
        NS_TEST_EXPECT_MSG_EQ(Show(Make("shift", 4)),
                              "0>2 1000@500/3 1>3 1000@500/3 2>0 1000@500/3 3>1 1000@500/3 ",
                              "half round");
        NS_TEST_EXPECT_MSG_EQ(Show(Make("permutation", 64)), Show(Make("permutation", 64)), "same");
        NS_TEST_EXPECT_MSG_NE(Show(Make("permutation", 64)),
                              Show(Make("permutation", 64, 2)),
                              "another seed");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { Make("insact", 4); }),
                              "s: pattern: there is no 'insact'; did you mean 'incast'?",
                              "unknown");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { Make("ring", 1); }),
                              "s: pattern: ring needs at least 2 ranks, there are 1",
                              "too few");
    }
};

/// A program of pauses and sends.
class FlowProgramsAreSound : public TestCase
{
  public:
    FlowProgramsAreSound()
        : TestCase("flows as a workload: sends and receives match; starts are exact to the tick")
    {
    }

  private:
    void DoRun() override
    {
        FlowPattern::Settings settings;
        settings.ranks = 9;
        settings.bytes = 77777;
        settings.startPs = 3000;
        settings.staggerPs = 11000;
        const FlowList list = FlowPattern::Make("all-to-all", settings, "s");
        const auto work = std::make_shared<FlowWorkload>(list, 9);
        NS_TEST_EXPECT_MSG_EQ(WorkloadChecker(*work).Run(), 3 * 72, "pauses, sends, receives");
        const RunTrace trace = RunOnDelays(work, {"ring", 1, 0}, 2);
        NS_TEST_EXPECT_MSG_EQ(trace.failure, "", "runs twice");
        NS_TEST_EXPECT_MSG_EQ(trace.messages.size(), 2 * list.flows.size(), "messages");
        const int64_t ns = NanoSeconds(1).GetTimeStep();
        for (std::size_t i = 0; i < list.flows.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(std::get<0>(trace.messages[i]),
                                  (3 + 11 * static_cast<int64_t>(i / 9)) * ns,
                                  "start of flow " << i);
        }
        // Two flows of a pair run side by side: each has a connection of its own.
        FlowList pair;
        pair.source = "s";
        pair.ranks = 2;
        pair.flows = {{0, 1, 5, 0, 2}, {0, 1, 6, 0, 4}, {0, 1, 7, 1000, 3}};
        const FlowWorkload two(pair, 0);
        NS_TEST_EXPECT_MSG_EQ(two.GetChannelCount(), 3, "connections");
        auto program = two.CreateProgram(0, 0);
        Operation operation;
        std::string classes;
        while (program->Next(operation))
        {
            classes += operation.kind == OperationKind::SEND
                           ? std::to_string(operation.trafficClass) + "." +
                                 std::to_string(operation.channel) + " "
                           : "";
        }
        NS_TEST_EXPECT_MSG_EQ(classes, "2.0 4.1 3.2 ", "classes and connections");
    }
};

/// Scenarios with flows, start to end.
class FlowScenariosRun : public TestCase
{
  public:
    FlowScenariosRun()
        : TestCase("scenarios of flows: file, list and pattern, on a graph and on an HPCC topology")
    {
    }

  private:
    /// @param set fields @return a scenario without output
    static Scenario Make(const std::string& text, std::vector<std::string> set = {})
    {
        set.emplace_back("output.folder=");
        return ScenarioReader::ParseText(text, "s.json", set);
    }

    /// A flow that was delivered.
    struct Seen
    {
        Message message; //!< as sent
        int64_t end;     //!< tick
    };

    static void Note(std::vector<Seen>* seen, const Message& message, int64_t now)
    {
        seen->push_back({message, now});
    }

    /// @param scenario to run @return what was delivered, in order
    std::vector<Seen> Run(const Scenario& scenario)
    {
        std::vector<Seen> seen;
        Simulation simulation(scenario);
        simulation.GetNetworkTransport()->TraceConnectWithoutContext(
            "MessageEnd",
            MakeBoundCallback(&FlowScenariosRun::Note, &seen));
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, "complete, and the books balance");
        return seen;
    }

    void DoRun() override
    {
        const std::string graph =
            R"({"workload": {"format": "flows", "flows": [
                    {"from": 0, "to": 1, "bytes": 100000, "start": "10us"},
                    {"from": 2, "to": 1, "bytes": "64kB", "start": "2us", "class": 4}]},
                "fabric": {"topology": "graph", "path_mtu": 1000, "graph": {
                    "hosts": ["a", "b", "c"], "switches": ["s"],
                    "links": [{"from": "a", "to": "s", "rate": "100Gbps", "delay": "1us"},
                              {"from": "b", "to": "s", "rate": "100Gbps", "delay": "1us"},
                              {"from": "c", "to": "s", "rate": "100Gbps", "delay": "1us"}]}}})";
        const std::vector<Seen> seen = Run(Make(graph));
        NS_TEST_ASSERT_MSG_EQ(seen.size(), 2, "flows");
        NS_TEST_EXPECT_MSG_EQ(seen[0].message.start, MicroSeconds(2).GetTimeStep(), "start");
        NS_TEST_EXPECT_MSG_EQ(+seen[0].message.trafficClass, 4, "class");
        NS_TEST_EXPECT_MSG_EQ(seen[1].message.start, MicroSeconds(10).GetTimeStep(), "start");
        NS_TEST_EXPECT_MSG_EQ(+seen[1].message.trafficClass, 3, "default class");
        // 100 frames of 1082 B, the first 16 B longer, each link once more, 2 us: 10.83 us.
        NS_TEST_EXPECT_MSG_EQ_TOL(Time(seen[1].end - seen[1].message.start).GetNanoSeconds(),
                                  static_cast<int64_t>((100 * 1082 + 16 + 1082) * 0.08 + 2000),
                                  3,
                                  "alone on its path");

        const std::string topology = WriteFile(CreateTempDirFilename("topo.txt"),
                                               "5 2 4\n0 1\n"
                                               "2 0 100Gbps 1us 0\n3 0 100Gbps 1us 0\n"
                                               "4 1 100Gbps 1us 0\n0 1 100Gbps 1us 0\n");
        const std::string flows = WriteFile(CreateTempDirFilename("flow.txt"),
                                            "2\n2 4 3 100 50000 2.0\n4 3 3 100 1000 2.00001\n");
        const std::vector<Seen> other =
            Run(Make(R"({"workload": {"format": "flows"}, "fabric": {"topology": "hpcc"}})",
                     {"workload.file=" + flows, "fabric.file=" + topology}));
        NS_TEST_ASSERT_MSG_EQ(other.size(), 2, "flows");
        NS_TEST_EXPECT_MSG_EQ(other[0].message.to, 2, "node 4 is rank 2");
        NS_TEST_EXPECT_MSG_EQ(other[0].message.start, Seconds(2).GetTimeStep(), "as in the file");
        NS_TEST_EXPECT_MSG_EQ(other[1].message.start,
                              (Seconds(2) + MicroSeconds(10)).GetTimeStep(),
                              "as in the file");

        const std::vector<Seen> incast =
            Run(Make(R"({"workload": {"format": "pattern", "pattern": "incast", "fan_in": 3,
                         "bytes": "10kB", "stagger": "1us"},
                         "fabric": {"topology": "single-switch", "hosts": 5}})"));
        NS_TEST_ASSERT_MSG_EQ(incast.size(), 3, "flows");
        NS_TEST_EXPECT_MSG_EQ(incast[2].message.from, 3, "last sender");

        const auto expect = [&](const std::string& text, const std::string& error) {
            NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { Simulation{Make(text)}; }), error, text);
        };
        expect(R"({"workload": {"format": "flows"}})",
               "s.json: workload.flows: is missing: list flows, or name a workload.file");
        expect(R"({"workload": {"format": "flows", "file": "x", "flows": [
                   {"from": 0, "to": 1, "bytes": 1}]}})",
               "s.json: workload.flows: stands beside workload.file; leave one out");
        expect(R"({"workload": {"format": "flows", "flows": [{"from": 1, "to": 1, "bytes": 1}]}})",
               "s.json: workload.flows[0].to: a flow from 1 to itself");
        expect(R"({"workload": {"format": "flows", "flows": [{"from": 1, "to": 16, "bytes": 1}]}})",
               "s.json: has flows of rank 16; there are 16 ranks, counted from 0");
        expect(R"({"workload": {"format": "pattern"}, "fabric": {"topology": "single-switch"}})",
               "s.json: cluster.accelerators: must be given, or fabric.hosts: a pattern has as "
               "many ranks as there are");
        expect(R"({"workload": {"format": "pattern"}, "fabric": {"topology": "hpcc"}})",
               "s.json: fabric.file: is missing: which file?");
        expect(R"({"workload": {"format": "pattern"}, "fabric": {"topology": "graph",
                   "graph": {"hosts": []}}})",
               "s.json: fabric.graph.hosts: is missing or empty; a network has hosts");
    }
};

/// Every shape of network carries a permutation.
class EveryTopologyCarriesFlows : public TestCase
{
  public:
    EveryTopologyCarriesFlows()
        : TestCase("a permutation runs on every topology of a scenario, and the books balance")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::vector<std::string>> shapes{
            {"fabric.topology=single-switch", "fabric.hosts=7"},
            {"fabric.topology=leaf-spine", "fabric.links_per_pair=2", "fabric.hosts_per_leaf=3"},
            {"fabric.topology=fat-tree", "fabric.k=4", "fabric.oversubscription=2"},
            {"fabric.topology=clos", "fabric.radix=4", "fabric.tiers=3"},
            {"fabric.topology=clos",
             "fabric.clos_down=[3,2]",
             "fabric.clos_up=[2]",
             "fabric.planes=2"},
            {"fabric.topology=rail-optimized",
             "fabric.segments=2",
             "fabric.servers_per_segment=2",
             "fabric.spines=2",
             "cluster.accelerators_per_server=4"},
            {"fabric.topology=rail-optimized",
             "fabric.dual_tor=true",
             "fabric.spines=2",
             "cluster.accelerators_per_server=2"},
            {"fabric.topology=hpn",
             "fabric.segments=2",
             "fabric.servers_per_segment=3",
             "fabric.spines=2",
             "cluster.accelerators_per_server=2"},
            {"fabric.topology=dragonfly"},
            {"fabric.topology=torus"},
            {"fabric.topology=torus",
             "fabric.dimensions=[3,3,2]",
             "fabric.wrap=false",
             "fabric.dimension_order=true"},
            {"fabric.topology=graph", "fabric.graph=ring-4.json"},
            {"fabric.topology=hpcc", "fabric.file=fat-tree-16.txt"},
        };
        for (std::vector<std::string> set : shapes)
        {
            const std::string what = set[0];
            set.emplace_back("output.folder=");
            Simulation simulation(ScenarioReader::ParseText(
                R"({"workload": {"format": "pattern", "bytes": "100kB"}})",
                "s.json",
                set));
            NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, what);
            const TransportTotals totals = simulation.GetReport().network;
            NS_TEST_EXPECT_MSG_GT(totals.bytesDelivered, 0, what);
            NS_TEST_EXPECT_MSG_EQ(totals.payloadRetransmitted, 0, what);
        }
    }
};

/// The suite.
class WorkloadFlowsTestSuite : public TestSuite
{
  public:
    WorkloadFlowsTestSuite()
        : TestSuite("llm-training-workload-flows", Type::UNIT)
    {
        AddTestCase(new FlowFilesAreRead, llm::TestDuration::QUICK);
        AddTestCase(new BadFlowFilesAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new PatternsAreWhatTheirNamesSay, llm::TestDuration::QUICK);
        AddTestCase(new FlowProgramsAreSound, llm::TestDuration::QUICK);
        AddTestCase(new FlowScenariosRun, llm::TestDuration::QUICK);
        AddTestCase(new EveryTopologyCarriesFlows, llm::TestDuration::QUICK);
    }
};

WorkloadFlowsTestSuite g_workloadFlowsTestSuite; //!< registers itself

} // namespace
