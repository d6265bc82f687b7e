/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Every builder against what is known of its shape: counts, distances, equal-cost paths, capacity
// across the middle.

#include "llm-training-error-of.h"

#include "ns3/clos-topology.h"
#include "ns3/dragonfly-topology.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/llm-training-compat.h"
#include "ns3/names.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/torus-topology.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <fstream>
#include <map>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using llmtest::ErrorOf;

/** @return a link. */
FabricLink
Link(uint64_t gbps)
{
    FabricLink link;
    link.rate = DataRate(gbps * 1000000000);
    link.delay = NanoSeconds(500);
    return link;
}

/** @return Gb/s that can flow from the lower half of the endpoints to the upper half. */
int64_t
CutInHalf(const FabricNetwork& network)
{
    using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
    using Graph = boost::adjacency_list<
        boost::vecS,
        boost::vecS,
        boost::directedS,
        boost::no_property,
        boost::property<
            boost::edge_capacity_t,
            int64_t,
            boost::property<boost::edge_residual_capacity_t,
                            int64_t,
                            boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
    std::map<uint32_t, std::size_t> vertexOf; // by ns-3 node
    for (uint32_t i = 0; i < network.endpoints.GetN(); ++i)
    {
        vertexOf.emplace(network.endpoints.Get(i)->GetId(), vertexOf.size());
    }
    for (uint32_t i = 0; i < network.switches.GetN(); ++i)
    {
        vertexOf.emplace(network.switches.Get(i)->GetId(), vertexOf.size());
    }
    Graph graph(vertexOf.size() + 2);
    auto capacity = boost::get(boost::edge_capacity, graph);
    auto reverse = boost::get(boost::edge_reverse, graph);
    const auto add = [&](std::size_t from, std::size_t to, int64_t gbps) {
        const auto there = boost::add_edge(from, to, graph).first;
        const auto back = boost::add_edge(to, from, graph).first;
        capacity[there] = gbps;
        capacity[back] = 0;
        reverse[there] = back;
        reverse[back] = there;
    };
    const std::size_t source = vertexOf.size();
    const std::size_t sink = source + 1;
    for (const auto& port : network.fabric->GetPorts())
    {
        add(vertexOf.at(port->GetNode()->GetId()),
            vertexOf.at(port->GetPeer()->GetNode()->GetId()),
            static_cast<int64_t>(port->GetBitRate() / 1000000000));
    }
    for (uint32_t i = 0; i < network.endpoints.GetN(); ++i)
    {
        const std::size_t vertex = vertexOf.at(network.endpoints.Get(i)->GetId());
        const bool low = i < network.endpoints.GetN() / 2;
        add(low ? source : vertex, low ? vertex : sink, 1000000);
    }
    return boost::push_relabel_max_flow(graph, source, sink);
}

/** What is known of a shape. */
struct Known
{
    uint32_t endpoints;                //!< hosts
    uint32_t switches;                 //!< of all tiers
    uint32_t links;                    //!< those of hosts included
    std::map<uint32_t, uint32_t> hops; //!< endpoints by distance from endpoint 0
    int64_t cut;                       //!< Gb/s between halves; -1: not looked at
};

/** Base: leaves no names and no simulator behind. */
class ShapeTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @return the switch of that name. */
    static Ptr<FabricSwitch> Switch(const std::string& name)
    {
        return Names::Find<Node>(name)->GetObject<FabricSwitch>();
    }

    /** Build and compare. @return the network. */
    FabricNetwork Check(FabricTopology& topology, uint64_t hostGbps, const Known& known)
    {
        Names::Clear();
        topology.SetHostLink(Link(hostGbps));
        const std::string what = topology.Describe();
        NS_TEST_EXPECT_MSG_EQ(topology.GetEndpointCount(), known.endpoints, what);
        const uint32_t size = std::max(topology.GetServerSize(), 1U);
        const FabricNetwork network = topology.Build(CreateObject<Fabric>(), size);
        const Fabric& fabric = *network.fabric;
        NS_TEST_EXPECT_MSG_EQ(network.endpoints.GetN(), known.endpoints, what);
        NS_TEST_EXPECT_MSG_EQ(network.switches.GetN(), known.switches, what);
        NS_TEST_EXPECT_MSG_EQ(fabric.GetPorts().size(), 2 * known.links, what);
        std::map<uint32_t, uint32_t> hops;
        for (uint32_t a = 0; a < known.endpoints; ++a)
        {
            for (uint32_t b = 0; b < known.endpoints; ++b)
            {
                const uint32_t there = a == b ? 0 : fabric.GetHops(a, b);
                NS_TEST_EXPECT_MSG_EQ(there, (a == b ? 0 : fabric.GetHops(b, a)), what);
                hops[there] += a == 0 && b != 0 ? 1 : 0;
            }
            // The path that is walked is as long as the distance says.
            const uint32_t far = (a + known.endpoints / 2) % known.endpoints;
            if (far != a)
            {
                NS_TEST_EXPECT_MSG_EQ(fabric.GetPathTicks(a, far, 0),
                                      NanoSeconds(500).GetTimeStep() * fabric.GetHops(a, far),
                                      what);
            }
        }
        hops.erase(0);
        NS_TEST_EXPECT_MSG_EQ(Show(hops), Show(known.hops), what);
        if (known.cut >= 0)
        {
            NS_TEST_EXPECT_MSG_EQ(CutInHalf(network), known.cut, what);
        }
        m_kept = network;
        return network;
    }

    static std::string Show(const std::map<uint32_t, uint32_t>& hops)
    {
        std::ostringstream text;
        for (const auto& [distance, count] : hops)
        {
            text << distance << ":" << count << " ";
        }
        return text.str();
    }

  private:
    void DoTeardown() override
    {
        m_kept = FabricNetwork();
        Simulator::Destroy();
        Names::Clear();
    }

    FabricNetwork m_kept; //!< the last one, for its switches
};

/** Two and three tiers with room for more below. */
class OversubscriptionNarrowsTheMiddle : public ShapeTestCase
{
  public:
    OversubscriptionNarrowsTheMiddle()
        : ShapeTestCase("leaf-spine and fat-tree: parallel links, oversubscription")
    {
    }

  private:
    void DoRun() override
    {
        LeafSpineTopology leaf(2, 3, 12, Link(200), 2);
        Check(leaf, 100, {24, 5, 24 + 12, {{2, 11}, {4, 12}}, 1200});
        NS_TEST_EXPECT_MSG_EQ_TOL(leaf.GetOversubscription(), 1.0, 1e-12, "12 x 100 : 6 x 200");
        NS_TEST_EXPECT_MSG_EQ(
            leaf.Describe(),
            "leaf-spine: 2 leaves x 12 hosts at 100Gbps, 3 spines at 2 x 200Gbps, "
            "oversubscription 1.00:1",
            "description");
        NS_TEST_EXPECT_MSG_EQ(Switch("leaf0")->GetRoute(23).size(), 6, "ECMP over all links");
        NS_TEST_EXPECT_MSG_EQ(Switch("spine0")->GetRoute(23).size(), 2, "and down");

        FatTreeTopology full(4, Link(100));
        Check(full, 100, {16, 20, 48, {{2, 1}, {4, 2}, {6, 12}}, 800});
        FatTreeTopology narrow(4, Link(100), 2);
        Check(narrow, 100, {32, 20, 64, {{2, 3}, {4, 4}, {6, 24}}, 800});
        NS_TEST_EXPECT_MSG_EQ(
            narrow.Describe(),
            "fat-tree: k = 4, 32 hosts at 100Gbps, 20 switches at 100Gbps, 4 hosts "
            "for 2 uplinks of an edge switch",
            "description");
        FatTreeTopology conweave(8, Link(100), 2);
        Check(conweave, 100, {256, 80, 512, {{2, 7}, {4, 24}, {6, 224}}, 128 * 50});

        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { FatTreeTopology(4, Link(100), 1.3); }),
                              "fat-tree: oversubscription: 1.3 x k/2 = 2.6 endpoints of an edge "
                              "switch; must be a whole number, from 1 to 60000",
                              "broken");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { LeafSpineTopology(2, 2, 2, Link(100), 0); }),
                              "leaf-spine: links_per_pair: must be at least 1, not 0",
                              "no link");
    }
};

/** Any number of tiers. */
class ClosHasEveryTier : public ShapeTestCase
{
  public:
    ClosHasEveryTier()
        : ShapeTestCase("clos: counts of every tier, by lists and by radix; planes")
    {
    }

  private:
    void DoRun() override
    {
        ClosTopology::Shape shape;
        shape.down = {4, 3, 2};
        shape.up = {2, 3};
        ClosTopology three(shape, Link(200));
        Check(three, 100, {24, 6 + 4 + 6, 48, {{2, 3}, {4, 8}, {6, 12}}, 1200});
        NS_TEST_EXPECT_MSG_EQ(three.GetSwitchCount(1), 4, "second tier");
        NS_TEST_EXPECT_MSG_EQ_TOL(three.GetOversubscription(0), 1.0, 1e-12, "4 x 100 : 2 x 200");
        NS_TEST_EXPECT_MSG_EQ(Switch("tier1-0")->GetRoute(23).size(), 2, "up");
        NS_TEST_EXPECT_MSG_EQ(Switch("tier2-0")->GetRoute(23).size(), 3, "further up");
        NS_TEST_EXPECT_MSG_EQ(Switch("tier3-0")->GetRoute(23).size(), 1, "down");
        NS_TEST_EXPECT_MSG_EQ(three.Describe(),
                              "clos: 3 tiers, 24 hosts at 100Gbps, switches 6 + 4 + 6 at 200Gbps, "
                              "oversubscription 1.00:1, 1.00:1",
                              "description");
        shape.planes = 2;
        ClosTopology planes(shape, Link(200));
        const FabricNetwork network =
            Check(planes, 100, {24, 32, 96, {{2, 3}, {4, 8}, {6, 12}}, 2400});
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetEndpointPorts(7).size(), 2, "a port per plane");
        NS_TEST_EXPECT_MSG_EQ(Switch("plane1-tier3-5")->GetRoute(23).size(), 1, "second plane");

        // k-ary fat-tree by another name.
        ClosTopology fat(ClosTopology::Shape::FromRadix(3, 8, 1), Link(100));
        Check(fat, 100, {128, 80, 384, {{2, 3}, {4, 12}, {6, 112}}, 6400});
        ClosTopology narrow(ClosTopology::Shape::FromRadix(2, 8, 3), Link(100));
        Check(narrow, 100, {48, 8 + 2, 48 + 16, {{2, 5}, {4, 42}}, 800});
        ClosTopology four(ClosTopology::Shape::FromRadix(4, 4, 1), Link(100));
        Check(four, 100, {32, 16 + 16 + 16 + 8, 128, {{2, 1}, {4, 2}, {6, 4}, {8, 24}}, 1600});
        ClosTopology one(ClosTopology::Shape::FromRadix(1, 6, 1), Link(100));
        Check(one, 100, {6, 1, 6, {{2, 5}}, 300});

        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { ClosTopology::Shape::FromRadix(3, 8, 2); }),
                              "clos: radix: 8 ports of a switch cannot be divided 2 : 1 between "
                              "links down and up",
                              "8 : 3");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] {
                                  ClosTopology({{4, 4}, {}, 1}, Link(1));
                              }),
                              "clos: 2 tiers need as many numbers of links down, and one less of "
                              "links up, not 0",
                              "lists");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([&] {
                ClosTopology({{4, 0}, {4}, 1}, Link(1));
            }),
            "clos: tier 2: a switch needs links down and, below the highest tier, "
            "up",
            "nothing below");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] {
                                  ClosTopology({{4, 4}, {4}, 0}, Link(1));
                              }),
                              "clos: planes: must be 1 to 64, not 0",
                              "no plane");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] {
                                  ClosTopology({{60000, 2}, {6000}, 1}, Link(1));
                              }),
                              "clos: tier 1: a switch has at most 65535 ports, this one would need "
                              "66000",
                              "ports");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] {
                                  ClosTopology({{60000, 60000}, {1}, 1}, Link(1));
                              }),
                              "clos: would have more than 16777216 endpoints",
                              "endpoints");
    }
};

/** Rails, one ToR or two, one plane or two. */
class RailsAreTwoLinksLong : public ShapeTestCase
{
  public:
    RailsAreTwoLinksLong()
        : ShapeTestCase("rail-optimized and hpn: two links within a rail; dual ToR; dual plane")
    {
    }

  private:
    void DoRun() override
    {
        RailOptimizedTopology::Shape shape;
        shape.segments = 2;
        shape.serversPerSegment = 3;
        shape.rails = 4;
        shape.spines = 3;
        RailOptimizedTopology single(shape, Link(400));
        const FabricNetwork one = Check(single, 400, {24, 8 + 3, 24 + 24, {{2, 2}, {4, 21}}, 4800});
        NS_TEST_EXPECT_MSG_EQ(one.serverCount, 6, "servers");
        NS_TEST_EXPECT_MSG_EQ(one.fabric->GetHops(1, 9), 2, "rail 1 of servers 0 and 2");
        NS_TEST_EXPECT_MSG_EQ(one.fabric->GetHops(1, 13), 4, "rail 1 of another segment");
        NS_TEST_EXPECT_MSG_EQ(Switch("tor-0-1")->GetRoute(13).size(), 3, "ECMP");
        NS_TEST_EXPECT_MSG_EQ(single.Describe(),
                              "rail-optimized: 2 segments of 3 servers of 4, each accelerator at "
                              "400Gbps, 8 ToRs, 3 spines at 400Gbps, oversubscription 1.000:1",
                              "description");
        shape.torsPerRail = 2;
        RailOptimizedTopology dual(shape, Link(400));
        const FabricNetwork two = Check(dual, 200, {24, 16 + 3, 48 + 48, {{2, 2}, {4, 21}}, 4800});
        NS_TEST_EXPECT_MSG_EQ(two.fabric->GetEndpointPorts(5).size(), 2, "ports");
        NS_TEST_EXPECT_MSG_EQ(Switch("spine0")->GetRoute(5).size(), 2, "either ToR");
        shape.planes = 2;
        RailOptimizedTopology hpn(shape, Link(400));
        Check(hpn, 200, {24, 16 + 6, 48 + 48, {{2, 2}, {4, 21}}, 4800});
        NS_TEST_EXPECT_MSG_EQ(Switch("spine-1-2")->GetRoute(5).size(), 1, "one ToR per plane");
        NS_TEST_EXPECT_MSG_EQ(Switch("tor-0-1-1")->GetRoute(13).size(), 3, "spines of its plane");

        // Alibaba HPN 7.0.
        RailOptimizedTopology seven({15, 128, 8, 2, 2, 60, 1}, Link(400));
        seven.SetHostLink(Link(200));
        NS_TEST_EXPECT_MSG_EQ(seven.GetEndpointCount(), 15360, "GPUs");
        NS_TEST_EXPECT_MSG_EQ(seven.GetTorCount(), 240, "ASW");
        NS_TEST_EXPECT_MSG_EQ(seven.GetSpineCount(), 120, "PSW");
        NS_TEST_EXPECT_MSG_EQ_TOL(seven.GetOversubscription(),
                                  1.0667,
                                  1e-4,
                                  "128 x 200 : 60 x 400");
        NS_TEST_EXPECT_MSG_EQ(
            seven.Describe(),
            "hpn: dual-plane, 15 segments of 128 servers of 8, each accelerator at "
            "2 x 200Gbps, 240 ToRs, 120 spines at 400Gbps, oversubscription "
            "1.067:1",
            "description");

        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([] {
                RailOptimizedTopology({1, 1, 8, 1, 2, 1, 1}, Link(1));
            }),
            "rail-optimized: planes: an accelerator has 1 or 2 ToRs, and 2 planes "
            "need 2 ToRs; got 1 ToRs and 2 planes",
            "planes of one ToR");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([] {
                RailOptimizedTopology({1, 0, 8, 1, 1, 1, 1}, Link(1));
            }),
            "rail-optimized: needs at least 1 segment, 1 server per segment, 1 "
            "rail, 1 spine and 1 link between ToR and spine, got 1, 0, 8, 1 and 1",
            "no server");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([] {
                RailOptimizedTopology({9000, 1, 8, 1, 1, 1, 1}, Link(1));
            }),
            "rail-optimized: a switch has at most 65535 ports; a ToR would need 2, a spine 72000",
            "ports");
    }
};

/** Groups. */
class DragonflyLinksEveryPairOfGroups : public ShapeTestCase
{
  public:
    DragonflyLinksEveryPairOfGroups()
        : ShapeTestCase("dragonfly: a p (a h + 1) endpoints, five links at most, all groups linked")
    {
    }

  private:
    /** @return links between each two groups: their least and greatest number. */
    static std::pair<uint32_t, uint32_t> CountGlobal(const FabricNetwork& network, uint32_t a)
    {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> count;
        std::map<uint32_t, uint32_t> groupOf;
        for (uint32_t i = 0; i < network.switches.GetN(); ++i)
        {
            groupOf[network.switches.Get(i)->GetId()] = i / a;
        }
        for (const auto& port : network.fabric->GetPorts())
        {
            const uint32_t there = port->GetPeer()->GetNode()->GetId();
            if (port->IsSwitchPort() && port->GetPeer()->IsSwitchPort() &&
                groupOf[port->GetNode()->GetId()] != groupOf[there])
            {
                ++count[{groupOf[port->GetNode()->GetId()], groupOf[there]}];
            }
        }
        const uint32_t groups = network.switches.GetN() / a;
        uint32_t least = count.size() == std::size_t{groups} * (groups - 1) ? UINT32_MAX : 0;
        uint32_t most = 0;
        for (const auto& [pair, links] : count)
        {
            least = std::min(least, links);
            most = std::max(most, links);
        }
        return {least, most};
    }

    void DoRun() override
    {
        // Balanced: a = 2p = 2h. From router 0: 1 local host; 6 over a local link; 2 groups over
        // its own global links, of which 2 x 2 hosts are near, ...
        DragonflyTopology balanced({4, 2, 2, 0}, Link(100), Link(100));
        const FabricNetwork network =
            Check(balanced,
                  100,
                  {72, 36, 72 + 9 * 6 + 36, {{2, 1}, {3, 6 + 4}, {4, 12 + 12}, {5, 36}}, -1});
        NS_TEST_EXPECT_MSG_EQ((CountGlobal(network, 4) == std::pair<uint32_t, uint32_t>{1, 1}),
                              true,
                              "one link between every two groups");
        NS_TEST_EXPECT_MSG_EQ(balanced.GetRouterCount(), 36, "routers");
        NS_TEST_EXPECT_MSG_EQ(
            balanced.Describe(),
            "dragonfly: 9 groups of 4 routers of 2 hosts at 100Gbps, 2 global links "
            "of each router at 100Gbps, local links at 100Gbps",
            "description");
        DragonflyTopology few({4, 2, 2, 5}, Link(100), Link(100));
        Names::Clear();
        const FabricNetwork five = few.Build(CreateObject<Fabric>(), 1);
        NS_TEST_EXPECT_MSG_EQ((CountGlobal(five, 4) == std::pair<uint32_t, uint32_t>{2, 2}),
                              true,
                              "two links between every two groups");
        DragonflyTopology large({8, 4, 4, 0}, Link(100), Link(100));
        NS_TEST_EXPECT_MSG_EQ(large.GetEndpointCount(), 8 * 4 * 33, "a p (a h + 1)");

        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] {
                                  DragonflyTopology({4, 2, 2, 6}, Link(1), Link(1));
                              }),
                              "dragonfly: groups: the 8 global links of a group must be a multiple "
                              "of its 5 neighbours; at most 9 groups are possible",
                              "uneven");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] {
                                  DragonflyTopology({4, 0, 2, 0}, Link(1), Link(1));
                              }),
                              "dragonfly: needs at least 1 router per group, 1 host and 1 global "
                              "link per router, got 4, 0 and 2",
                              "no host");
    }
};

/** Neighbours in every dimension. */
class TorusHasNeighbours : public ShapeTestCase
{
  public:
    TorusHasNeighbours()
        : ShapeTestCase("torus and mesh: counts, distances, all shortest paths or dimension order")
    {
    }

  private:
    void DoRun() override
    {
        TorusTopology flat({{4, 4}, true, false}, Link(100));
        Check(flat, 400, {16, 16, 16 + 32, {{3, 4}, {4, 6}, {5, 4}, {6, 1}}, 800});
        NS_TEST_EXPECT_MSG_EQ(Switch("chip0")->GetRoute(5).size(), 2, "either dimension first");
        NS_TEST_EXPECT_MSG_EQ(Switch("chip0")->GetRoute(2).size(), 2, "either way round");
        NS_TEST_EXPECT_MSG_EQ(
            flat.Describe(),
            "torus: 4 x 4 = 16 hosts at 400Gbps, links at 100Gbps, shortest paths",
            "description");
        TorusTopology ordered({{4, 4}, true, true}, Link(100));
        const FabricNetwork network =
            Check(ordered, 400, {16, 16, 48, {{3, 4}, {4, 6}, {5, 4}, {6, 1}}, 800});
        for (uint32_t a = 0; a < 16; ++a)
        {
            for (uint32_t b = 0; b < 16; ++b)
            {
                const Ptr<FabricSwitch> at = Switch("chip" + std::to_string(a));
                const auto route = at->GetRoute(b);
                NS_TEST_EXPECT_MSG_EQ(route.size(), 1, "one path");
                const Ptr<Node> next = at->GetPorts()[route[0]]->GetPeer()->GetNode();
                const std::string name = Names::FindName(next); // "chip5", or "host5" if a == b
                const uint32_t to = static_cast<uint32_t>(std::stoul(name.substr(4)));
                if (a % 4 != b % 4)
                {
                    NS_TEST_EXPECT_MSG_EQ(to / 4, a / 4, "first dimension first");
                }
            }
        }
        TorusTopology mesh({{4, 4}, false, false}, Link(100));
        Check(mesh, 400, {16, 16, 16 + 24, {{3, 2}, {4, 3}, {5, 4}, {6, 3}, {7, 2}, {8, 1}}, 400});
        TorusTopology cube({{4, 4, 4}, true, false}, Link(100));
        Check(cube,
              400,
              {64, 64, 64 + 192, {{3, 6}, {4, 15}, {5, 20}, {6, 15}, {7, 6}, {8, 1}}, 3200});
        TorusTopology small({{2, 2, 1}, true, false}, Link(100));
        Check(small, 400, {4, 4, 4 + 4, {{3, 2}, {4, 1}}, 200});
        TorusTopology ring({{5}, true, false}, Link(100));
        Check(ring, 400, {5, 5, 10, {{3, 2}, {4, 2}}, 200});
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([] {
                TorusTopology({{}, true, false}, Link(1));
            }),
            "torus: dimensions: needs at least one dimension, lengths of at least "
            "1 and a product of at most 1048576",
            "nothing");
    }
};

/** @return bytes of this process that are in memory. */
uint64_t
GetResidentBytes()
{
    std::ifstream file("/proc/self/statm");
    uint64_t pages = 0;
    uint64_t resident = 0;
    file >> pages >> resident;
    return resident * 4096;
}

/** Room. */
class LargeFabricsFitInMemory : public ShapeTestCase
{
  public:
    LargeFabricsFitInMemory()
        : ShapeTestCase("16,384 endpoints in three tiers, and HPN 7.0, need less than 4 GiB each")
    {
    }

  private:
    void BuildOne(FabricTopology& topology, uint32_t endpoints)
    {
        Names::Clear();
        const uint64_t before = GetResidentBytes();
        FabricNetwork network = topology.Build(CreateObject<Fabric>(), 8);
        const uint64_t used = GetResidentBytes() - before;
        NS_TEST_EXPECT_MSG_EQ(network.endpoints.GetN(), endpoints, "endpoints");
        NS_TEST_EXPECT_MSG_LT(used, uint64_t{4} << 30, topology.Describe());
        network.fabric->Dispose();
    }

    void DoRun() override
    {
        ClosTopology clos({{32, 32, 16}, {32, 32}, 1}, Link(400));
        BuildOne(clos, 16384);
        RailOptimizedTopology hpn({15, 128, 8, 2, 2, 60, 1}, Link(400));
        hpn.SetHostLink(Link(200));
        BuildOne(hpn, 15360);
    }
};

/** The suite. */
class TopologyShapesTestSuite : public TestSuite
{
  public:
    TopologyShapesTestSuite()
        : TestSuite("llm-training-topology-shapes", Type::UNIT)
    {
        AddTestCase(new OversubscriptionNarrowsTheMiddle, llm::TestDuration::QUICK);
        AddTestCase(new ClosHasEveryTier, llm::TestDuration::QUICK);
        AddTestCase(new RailsAreTwoLinksLong, llm::TestDuration::QUICK);
        AddTestCase(new DragonflyLinksEveryPairOfGroups, llm::TestDuration::QUICK);
        AddTestCase(new TorusHasNeighbours, llm::TestDuration::QUICK);
        AddTestCase(new LargeFabricsFitInMemory, llm::TestDuration::QUICK);
    }
};

TopologyShapesTestSuite g_topologyShapesTestSuite; //!< registers itself

} // namespace
