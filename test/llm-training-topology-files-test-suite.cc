/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Networks that are read: JSON graphs and topology files of the HPCC family and of SimAI.

#include "llm-training-error-of.h"

#include "ns3/fabric-graph-file.h"
#include "ns3/graph-topology.h"
#include "ns3/hpcc-topology-file.h"
#include "ns3/llm-training-compat.h"
#include "ns3/names.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

using llmtest::ErrorOf;

/** @return a graph of JSON text, in a file. */
FabricGraph
ParseGraph(const std::string& text)
{
    FabricLink host;
    host.rate = DataRate("200Gbps");
    host.delay = NanoSeconds(300);
    FabricLink uplink;
    uplink.rate = DataRate("800Gbps");
    uplink.delay = NanoSeconds(700);
    return FabricGraphFile::Parse(text, "net.json", "", host, uplink);
}

/** Base: leaves no names and no simulator behind. */
class TopologyFileTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @return the switch of that name. */
    static Ptr<FabricSwitch> Switch(const std::string& name)
    {
        return Names::Find<Node>(name)->GetObject<FabricSwitch>();
    }

    /** @return network of a graph. */
    static FabricNetwork Build(const FabricGraph& graph)
    {
        const GraphTopology topology(graph);
        const uint32_t size = topology.GetServerSize();
        return topology.Build(CreateObject<Fabric>(), size > 0 ? size : 1);
    }

  private:
    void DoTeardown() override
    {
        Simulator::Destroy();
        Names::Clear();
    }
};

const char* const SQUARE = R"({
    // a ring of four switches, one host each, and a short cut
    "hosts": ["a", "b", "c", "d"],
    "switches": ["s0", "s1", "s2", "s3"],
    "links": [
        {"from": "a", "to": "s0"}, {"from": "b", "to": "s1", "rate": "100Gbps"},
        {"from": "s2", "to": "c", "delay": "1us"}, {"from": "d", "to": "s3", "loss": 0.25},
        {"from": "s0", "to": "s1"}, {"from": "s1", "to": "s2"},
        {"from": "s2", "to": "s3"}, {"from": "s3", "to": "s0", "count": 3}
    ],
    "servers": [{"hosts": ["b", "a"]}, {"hosts": ["c", "d"]}],
    "routes": [{"at": "s1", "to": ["a"], "via": ["s2"]}, {"at": "s2", "to": ["a"], "via": ["s3"]}],
    "switch_settings": [{"name": "s2", "attributes": {"Headroom": "123456"},
                         "buffer": {"Size": "9000000"}}]
})";

/** Everything that a graph may say. */
class GraphIsBuiltAsWritten : public TopologyFileTestCase
{
  public:
    GraphIsBuiltAsWritten()
        : TopologyFileTestCase("JSON graph: nodes, links, servers, static routes and settings")
    {
    }

  private:
    void DoRun() override
    {
        const FabricGraph graph = ParseGraph(SQUARE);
        NS_TEST_EXPECT_MSG_EQ(graph.summary,
                              "graph: 4 hosts, 4 switches, 10 links, 2 static routes",
                              "summary");
        const FabricNetwork network = Build(graph);
        const Fabric& fabric = *network.fabric;
        NS_TEST_EXPECT_MSG_EQ(network.serverCount, 2, "servers");
        NS_TEST_EXPECT_MSG_EQ(Names::Find<Node>("b"), network.endpoints.Get(0), "server order");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetPorts().size(), 20, "ports");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEndpointPort(0)->GetBitRate(), 100000000000, "own rate");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEndpointPort(1)->GetBitRate(), 200000000000, "host rate");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEndpointPort(2)->GetDelay(),
                              MicroSeconds(1).GetTimeStep(),
                              "own delay");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEndpointPort(2)->HasLossModel(), false, "no loss");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEndpointPort(3)->HasLossModel(), true, "losses");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEndpointPort(3)->GetPeer()->HasLossModel(), true, "both");
        NS_TEST_EXPECT_MSG_EQ(Switch("s0")->GetRoute(3).size(), 3, "parallel links share");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetHops(1, 0), 3, "shortest path");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetHops(0, 1), 5, "static routes, the long way");
        NS_TEST_EXPECT_MSG_EQ(Switch("s2")->GetBuffer().GetHeadroomLimit(0, 3), 123456, "headroom");
        UintegerValue size;
        Switch("s2")->GetBuffer().GetAttribute("Size", size);
        NS_TEST_EXPECT_MSG_EQ(size.Get(), 9000000, "buffer");
        Switch("s1")->GetBuffer().GetAttribute("Size", size);
        NS_TEST_EXPECT_MSG_NE(size.Get(), 9000000, "others");
    }
};

/** Every mistake in a graph, once. */
class BadGraphsAreRefused : public TopologyFileTestCase
{
  public:
    BadGraphsAreRefused()
        : TopologyFileTestCase("JSON graph: each mistake is one line with its JSON path")
    {
    }

  private:
    void Expect(const std::string& text, const std::string& error)
    {
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { GraphTopology{ParseGraph(text)}; }), error, text);
    }

    void DoRun() override
    {
        Expect("[]", "net.json: a graph is a JSON object with hosts, switches and links");
        Expect("{}", "net.json: hosts: is missing or empty; a network has hosts");
        Expect(R"({"hosts": ["a"], "swiches": []})",
               "net.json: swiches: unknown key; did you mean 'switches'?");
        Expect(R"({"hosts": ["a", "b", "a"]})",
               "net.json: hosts[2]: \"a\" stands in the list twice");
        Expect(R"({"hosts": ["a"], "switches": ["a"]})",
               "net.json: switches[0]: there is a host 'a' already");
        Expect(R"({"hosts": ["a/b"]})", "net.json: hosts[0]: 'a/b' is no name for a node");
        Expect(R"({"hosts": ["a"], "switches": ["s"], "links": [{"from": "a"}]})",
               "net.json: links[0]: needs 'to': host or switch at the other end");
        Expect(R"({"hosts": ["a"], "switches": ["spine"],
                   "links": [{"from": "a", "to": "spin"}]})",
               "net.json: links[0].to: there is no 'spin'; did you mean 'spine'?");
        Expect(R"({"hosts": ["a"], "switches": ["s"]})", "net.json: hosts[0]: host a has no link");
        Expect(R"({"hosts": ["a", "b"], "switches": ["s"],
                   "links": [{"from": "a", "to": "b"}]})",
               "net.json: links[0]: links the hosts a and b; hosts do not forward, put a switch "
               "between them");
        Expect(R"({"hosts": ["a"], "switches": ["s"],
                   "links": [{"from": "a", "to": "s"}, {"from": "s", "to": "s"}]})",
               "net.json: links[1]: links s to itself");
        Expect(R"({"hosts": ["a"], "switches": ["s"],
                   "links": [{"from": "a", "to": "s", "rate": "0Gbps"}]})",
               "net.json: links[0].rate: must be from 1bps to 1000Tbps, is \"0Gbps\"");
        Expect(R"({"hosts": ["a", "b"], "servers": [{"hosts": ["a"]}]})",
               "net.json: hosts[1]: host b is in none of the servers");
        Expect(
            R"({"hosts": ["a", "b", "c"], "servers": [{"hosts": ["a", "b"]}, {"hosts": ["c"]}]})",
            "net.json: servers[1].hosts: has 1 hosts, servers[0] has 2; servers are of one size");
        Expect(R"({"hosts": ["a", "b"], "servers": [{"hosts": ["a"]}, {"hosts": ["a"]}]})",
               "net.json: servers[1].hosts[0]: host a is in another server already");
        Expect(R"({"hosts": ["a"], "switches": ["s"], "links": [{"from": "a", "to": "s"}],
                   "routes": [{"at": "a", "to": ["a"], "via": ["s"]}]})",
               "net.json: routes[0].at: 'a' is a host, not a switch");
        Expect(R"({"hosts": ["a"], "switches": ["s"], "links": [{"from": "a", "to": "s"}],
                   "routes": [{"at": "s", "to": ["s"], "via": ["s"]}]})",
               "net.json: routes[0].to[0]: 's' is a switch, not a host");
        Expect(R"({"hosts": ["a"], "switches": ["s"], "links": [{"from": "a", "to": "s"}],
                   "switch_settings": [{"name": "s", "attributes": {"Hedroom": "1"}}]})",
               "net.json: switch_settings[0].attributes.Hedroom: ns3::llm::FabricSwitch has no "
               "attribute 'Hedroom'; did you mean 'Headroom'?");
        const FabricGraph ring = ParseGraph(
            R"({"hosts": ["a", "b"], "switches": ["s", "t", "u"],
                "links": [{"from": "a", "to": "s"}, {"from": "b", "to": "t"},
                          {"from": "s", "to": "t"}, {"from": "t", "to": "u"}],
                "routes": [{"at": "s", "to": ["b"], "via": ["u"]}]})");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { Build(ring); }),
                              "net.json: routes[0]: Fabric: s: has no link to u, which a static "
                              "route to b names",
                              "not a neighbour");
    }
};

/** All variants of the format. */
class HpccVariantsAreRead : public TopologyFileTestCase
{
  public:
    HpccVariantsAreRead()
        : TopologyFileTestCase("HPCC topology: header of each variant, units, ids in any place")
    {
    }

  private:
    void DoRun() override
    {
        const FabricGraph plain = HpccTopologyFile::Parse("3 1 2\n"
                                                          "2\n"
                                                          "0 2 100Gbps 1us 0\n"
                                                          "1 2 25000000000 0.001ms 1e-3\n",
                                                          "dir/topo.txt");
        NS_TEST_EXPECT_MSG_EQ(plain.summary,
                              "topo.txt: HPCC topology, 2 hosts, 1 switches, 2 links, with losses",
                              "summary");
        NS_TEST_EXPECT_MSG_EQ(plain.edges[1].link.rate.GetBitRate(), 25000000000, "plain number");
        NS_TEST_EXPECT_MSG_EQ(plain.edges[1].link.delay, MicroSeconds(1), "milliseconds");
        NS_TEST_EXPECT_MSG_EQ_TOL(plain.edges[1].link.loss, 0.001, 1e-12, "loss");
        const FabricNetwork network = Build(plain);
        NS_TEST_EXPECT_MSG_EQ(Names::Find<Node>("host1"), network.endpoints.Get(1), "host");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetHops(0, 1), 2, "built");
        Names::Clear();

        // Switches first, so that hosts have high ids; one line for all.
        const FabricGraph late =
            HpccTopologyFile::Parse("4 2 3 0 1 0 2 1Gbps 1us 0 1 3 1Gbps 1us 0 0 1 1Gbps 1us 0",
                                    "t");
        const GraphTopology topology(late);
        NS_TEST_EXPECT_MSG_EQ((topology.GetEndpointNumbers() == std::vector<uint32_t>{2, 3}),
                              true,
                              "hosts");
        NS_TEST_EXPECT_MSG_EQ(Build(late).fabric->GetHops(0, 1), 3, "built");
        Names::Clear();

        const FabricGraph tors = HpccTopologyFile::Parse("3 1 1 2\n2\n"
                                                         "0 2 100Gbps 1us 0\n1 2 1Gbps 1us 0\n",
                                                         "t");
        NS_TEST_EXPECT_MSG_EQ(tors.summary,
                              "t: ns3-datacenter topology, 2 hosts, 1 switches, 2 links; ignored: "
                              "the number of ToRs tells nothing new",
                              "tors");
        const FabricGraph capacities =
            HpccTopologyFile::Parse("3 1 1 2 25 100\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n", "t");
        NS_TEST_EXPECT_MSG_EQ(capacities.edges.size(), 2, "capacities");
    }
};

/** NVSwitches become scale-up domains. */
class SimaiServersAreScaleUpDomains : public TopologyFileTestCase
{
  public:
    SimaiServersAreScaleUpDomains()
        : TopologyFileTestCase("SimAI topology: NVSwitches are the scale-up domains of servers")
    {
    }

  private:
    void DoRun() override
    {
        const std::string text = "7 2 2 1 8 H100\n"
                                 "4 5 6\n"
                                 "0 4 2880Gbps 0.000025ms 0\n"
                                 "1 4 2880Gbps 0.000025ms 0\n"
                                 "2 5 2880Gbps 0.000025ms 0\n"
                                 "3 5 2880Gbps 0.000025ms 0\n"
                                 "0 6 400Gbps 0.0005ms 0\n"
                                 "1 6 400Gbps 0.0005ms 0\n"
                                 "2 6 400Gbps 0.0005ms 0\n"
                                 "3 6 400Gbps 0.0005ms 0\n";
        const FabricGraph graph = HpccTopologyFile::Parse(text, "simai");
        NS_TEST_EXPECT_MSG_EQ(graph.summary,
                              "simai: SimAI topology, 4 hosts, 1 switches, 4 links; 2 NVSwitches "
                              "and 4 links to them are scale-up domains of 2 at 2880Gbps; ignored: "
                              "GPU type H100, set accelerator.* for compute times",
                              "summary");
        NS_TEST_EXPECT_MSG_EQ(graph.scaleUpBitsPerSecond, 2880000000000, "rate");
        NS_TEST_EXPECT_MSG_EQ(graph.scaleUpLatencyPs, 50000, "there and back of 25 ns");
        const FabricNetwork network = Build(graph);
        NS_TEST_EXPECT_MSG_EQ(network.serverCount, 2, "servers");
        NS_TEST_EXPECT_MSG_EQ(network.switches.GetN(), 1, "no NVSwitch");
        // GPU 1 under the wrong NVSwitch.
        std::string wrong = text;
        wrong.replace(wrong.find("1 4 2880"), 3, "1 5");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { HpccTopologyFile::Parse(wrong, "simai"); }),
                              "simai: line 1: GPU 1 is not linked to the NVSwitch of GPU 0, or not "
                              "as fast as the others; with 2 GPUs per server it must be",
                              "servers disagree");
    }
};

/** Every mistake, once. */
class BadHpccFilesAreRefused : public TopologyFileTestCase
{
  public:
    BadHpccFilesAreRefused()
        : TopologyFileTestCase("HPCC topology: each mistake is one line with the line of the file")
    {
    }

  private:
    void Expect(const std::string& text, const std::string& error)
    {
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { GraphTopology{HpccTopologyFile::Parse(text, "t")}; }),
                              "t: " + error,
                              text);
    }

    void DoRun() override
    {
        Expect("", "line 1: a topology begins with three numbers: nodes, switches and links");
        Expect(
            "3 1 2 4 5\n2\n",
            "line 1: has 5 fields; a header has 3 (nodes switches links), 4 (nodes switches tors "
            "links) or 6 (nodes gpus_per_server nvswitches switches links gpu_type)");
        Expect("3 1 x\n2\n", "line 1: the number of links must be a whole number, is 'x'");
        Expect("3 1 2\n2\n0 2 1Gbps 1us 0\n", "line 4: the header says 2 links, the file has 1");
        Expect("3 1 1\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us\n",
               "line 4: the header says 1 links, the file has 1 and 4 of the 5 fields of another");
        Expect("5 3 2\n2 3", "line 2: the header says 3 switches, the file lists 2");
        Expect("3 1 2\n3\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
               "line 2: node 3 does not exist: the header says 3 nodes, counted from 0");
        Expect("4 2 2\n2 2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
               "line 2: switch 2 is listed twice");
        Expect("3 1 2\n2\n0 2 1Gbps 1us 0\n1 7 1Gbps 1us 0\n",
               "line 4: node 7 does not exist: the header says 3 nodes, counted from 0");
        Expect("3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 fast 1us 0\n",
               "line 4: 'fast' is not a rate: must begin with a digit");
        Expect("3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 0 1us 0\n",
               "line 4: the rate of a link must be above 0");
        Expect("3 1 2\n2\n0 2 1Gbps 0us 0\n1 2 1Gbps 1us 0\n",
               "line 3: the delay of a link must be above 0");
        Expect("3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 2\n",
               "line 4: a loss probability is a number from 0 to 1, not '2'");
        Expect("3 1 2\n2\n0 2 1Gbps 1us 0\n0 2 1Gbps 1us 0\n", "node 1: host host1 has no link");
        Expect(
            "3 1 2\n2\n0 2 1Gbps 1us 0\n0 1 1Gbps 1us 0\n",
            "line 4: links the hosts host0 and host1; hosts do not forward, put a switch between "
            "them");
    }
};

/** The suite. */
class TopologyFilesTestSuite : public TestSuite
{
  public:
    TopologyFilesTestSuite()
        : TestSuite("llm-training-topology-files", Type::UNIT)
    {
        AddTestCase(new GraphIsBuiltAsWritten, llm::TestDuration::QUICK);
        AddTestCase(new BadGraphsAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new HpccVariantsAreRead, llm::TestDuration::QUICK);
        AddTestCase(new SimaiServersAreScaleUpDomains, llm::TestDuration::QUICK);
        AddTestCase(new BadHpccFilesAreRefused, llm::TestDuration::QUICK);
    }
};

TopologyFilesTestSuite g_topologyFilesTestSuite; //!< registers itself

} // namespace
