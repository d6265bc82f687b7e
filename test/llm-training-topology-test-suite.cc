/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-error-of.h"

#include "ns3/fat-tree-topology.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/llm-placement.h"
#include "ns3/llm-training-compat.h"
#include "ns3/names.h"
#include "ns3/simulator.h"
#include "ns3/single-switch-topology.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

using llmtest::ErrorOf;

/** @return a link. */
FabricLink
Link(const std::string& rate, int64_t nanoseconds)
{
    FabricLink link;
    link.rate = DataRate(rate);
    link.delay = NanoSeconds(nanoseconds);
    return link;
}

/** Base: leaves no names and no simulator behind. */
class TopologyTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @return the switch of that name. */
    static Ptr<FabricSwitch> Switch(const std::string& name)
    {
        return Names::Find<Node>(name)->GetObject<FabricSwitch>();
    }

  private:
    void DoTeardown() override
    {
        Simulator::Destroy();
        Names::Clear();
    }
};

/** One switch. */
class SingleSwitchIsAStar : public TopologyTestCase
{
  public:
    SingleSwitchIsAStar()
        : TopologyTestCase("single switch: every endpoint two links from every other")
    {
    }

  private:
    void DoRun() override
    {
        SingleSwitchTopology topology(12);
        topology.SetHostLink(Link("100Gbps", 300));
        const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 4);
        NS_TEST_EXPECT_MSG_EQ(network.endpoints.GetN(), 12, "endpoints");
        NS_TEST_EXPECT_MSG_EQ(network.switches.GetN(), 1, "switches");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetPorts().size(), 24, "ports");
        NS_TEST_EXPECT_MSG_EQ(network.serverCount, 3, "servers");
        NS_TEST_EXPECT_MSG_EQ(network.serverOf[3], 0, "last of the first server");
        NS_TEST_EXPECT_MSG_EQ(network.serverOf[4], 1, "first of the second server");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetHops(0, 11), 2, "hops");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetPathRate(0, 11), 100000000000, "rate");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetPathTicks(0, 11, 0),
                              NanoSeconds(600).GetTimeStep(),
                              "delay");
        NS_TEST_EXPECT_MSG_EQ(Names::Find<Node>("host11"), network.endpoints.Get(11), "names");
    }
};

/** Two tiers. */
class LeafSpineHasEveryUplink : public TopologyTestCase
{
  public:
    LeafSpineHasEveryUplink()
        : TopologyTestCase("leaf-spine: hops, equal-cost paths, rates and oversubscription")
    {
    }

  private:
    void DoRun() override
    {
        LeafSpineTopology topology(4, 3, 6, Link("200Gbps", 700));
        topology.SetHostLink(Link("400Gbps", 300));
        NS_TEST_EXPECT_MSG_EQ_TOL(topology.GetOversubscription(), 4.0, 1e-12, "6 x 400 : 3 x 200");
        NS_TEST_EXPECT_MSG_EQ(topology.Describe(),
                              "leaf-spine: 4 leaves x 6 hosts at 400Gbps, 3 spines at 200Gbps, "
                              "oversubscription 4.00:1",
                              "description");
        const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 8);
        NS_TEST_EXPECT_MSG_EQ(network.endpoints.GetN(), 24, "endpoints");
        NS_TEST_EXPECT_MSG_EQ(network.switches.GetN(), 7, "switches");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetPorts().size(), 2 * (24 + 12), "ports");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetHops(0, 5), 2, "within a leaf");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetHops(0, 6), 4, "between leaves");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetPathRate(0, 6), 200000000000, "slowest link");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetPathTicks(0, 6, 0),
                              NanoSeconds(2000).GetTimeStep(),
                              "delay");
        NS_TEST_EXPECT_MSG_EQ(Switch("leaf0")->GetRoute(6).size(), 3, "one way over each spine");
        NS_TEST_EXPECT_MSG_EQ(Switch("leaf0")->GetRoute(5).size(), 1, "one way to a local host");
        NS_TEST_EXPECT_MSG_EQ(Switch("spine2")->GetRoute(23).size(), 1, "one way down");
    }
};

/** Three tiers. */
class FatTreeIsRearrangeable : public TopologyTestCase
{
  public:
    FatTreeIsRearrangeable()
        : TopologyTestCase("fat-tree: counts of endpoints and switches, paths between pods")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t k : {2U, 4U, 6U})
        {
            FatTreeTopology topology(k, Link("100Gbps", 500));
            topology.SetHostLink(Link("100Gbps", 500));
            const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 1);
            const uint32_t last = network.endpoints.GetN() - 1;
            NS_TEST_EXPECT_MSG_EQ(network.endpoints.GetN(), k * k * k / 4, "endpoints");
            NS_TEST_EXPECT_MSG_EQ(network.switches.GetN(), 5 * k * k / 4, "switches");
            NS_TEST_EXPECT_MSG_EQ(network.fabric->GetPorts().size(),
                                  2 * 3 * k * k * k / 4,
                                  "k^3/4 links in each tier");
            NS_TEST_EXPECT_MSG_EQ(network.fabric->GetHops(0, last), 6, "between pods");
            NS_TEST_EXPECT_MSG_EQ(Switch("edge0")->GetRoute(last).size(), k / 2, "up");
            NS_TEST_EXPECT_MSG_EQ(Switch("agg0")->GetRoute(last).size(), k / 2, "further up");
            NS_TEST_EXPECT_MSG_EQ(Switch("core0")->GetRoute(last).size(), 1, "down");
            if (k > 2)
            {
                NS_TEST_EXPECT_MSG_EQ(network.fabric->GetHops(0, 1), 2, "same edge");
                NS_TEST_EXPECT_MSG_EQ(network.fabric->GetHops(0, k / 2), 4, "same pod");
            }
            Names::Clear();
        }
    }
};

/** Two fabrics in one simulation. */
class TwoFabricsLiveTogether : public TopologyTestCase
{
  public:
    TwoFabricsLiveTogether()
        : TopologyTestCase("two fabrics live in one simulation under different name prefixes")
    {
    }

  private:
    void DoRun() override
    {
        SingleSwitchTopology a(2);
        a.SetNamePrefix("a-");
        const FabricNetwork first = a.Build(CreateObject<Fabric>(), 1);
        SingleSwitchTopology b(3);
        b.SetNamePrefix("b-");
        const FabricNetwork second = b.Build(CreateObject<Fabric>(), 1);
        NS_TEST_EXPECT_MSG_EQ(Names::Find<Node>("a-host1"), first.endpoints.Get(1), "first");
        NS_TEST_EXPECT_MSG_EQ(Names::Find<Node>("b-host1"), second.endpoints.Get(1), "second");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { a.Build(CreateObject<Fabric>(), 1); }),
                              "topology: the node name 'a-switch0' is taken: give each fabric a "
                              "name prefix of its own",
                              "same prefix");
    }
};

/** A caller's switches. */
class SwitchMakerIsUsed : public TopologyTestCase
{
  public:
    SwitchMakerIsUsed()
        : TopologyTestCase("switches come from the maker that was set")
    {
    }

  private:
    void DoRun() override
    {
        SingleSwitchTopology topology(2);
        topology.SetSwitchMaker([] {
            Ptr<FabricSwitch> made = CreateObject<FabricSwitch>();
            made->SetAttribute("Headroom", UintegerValue(123456));
            return made;
        });
        topology.Build(CreateObject<Fabric>(), 1);
        NS_TEST_EXPECT_MSG_EQ(Switch("switch0")->GetBuffer().GetHeadroomLimit(0, 3),
                              123456,
                              "headroom of the maker's switch");
    }
};

/** Where ranks go. */
class PlacementIsExplicit : public TopologyTestCase
{
  public:
    PlacementIsExplicit()
        : TopologyTestCase("placement: packed or listed, and told per server")
    {
    }

  private:
    void DoRun() override
    {
        SingleSwitchTopology topology(8);
        const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 4);
        NS_TEST_EXPECT_MSG_EQ(Placement::Packed(8, 8).Describe(network),
                              "server 0: rank 0-3 on host 0-3\nserver 1: rank 4-7 on host 4-7\n",
                              "packed");
        NS_TEST_EXPECT_MSG_EQ(Placement::Packed(3, 8).Describe(network),
                              "server 0: rank 0-2 on host 0-2\n",
                              "fewer ranks than endpoints");
        NS_TEST_EXPECT_MSG_EQ(
            Placement::Explicit(4, 8, {7, 0, 1, 5}).Describe(network),
            "server 0: rank 1-2 on host 0-1\nserver 1: rank 0 on host 7, rank 3 on host 5\n",
            "listed");
    }
};

/** Every message, once. */
class BadShapesAreRefused : public TopologyTestCase
{
  public:
    BadShapesAreRefused()
        : TopologyTestCase("bad shapes and placements are refused with both numbers")
    {
    }

  private:
    void DoRun() override
    {
        const FabricLink link;
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { SingleSwitchTopology{0}; }),
                              "single-switch: hosts: a switch has 1 to 65535 ports, not 0",
                              "no host");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { LeafSpineTopology(2, 0, 4, link); }),
                              "leaf-spine: needs at least 1 leaf, 1 spine and 1 host per leaf, got "
                              "2, 0 and 4",
                              "no spine");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { LeafSpineTopology(2, 1, 65535, link); }),
                              "leaf-spine: a switch has at most 65535 ports; a leaf would need "
                              "65536, a spine 2",
                              "too many ports");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { FatTreeTopology(5, link); }),
                              "fat-tree: k: must be even, from 2 to 254, not 5",
                              "odd");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] {
                                  SingleSwitchTopology topology(12);
                                  topology.Build(CreateObject<Fabric>(), 8);
                              }),
                              "topology: servers of 8 accelerators do not divide the 12 endpoints "
                              "of the single switch: 12 hosts at 400Gbps",
                              "broken server");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { Placement::Packed(128, 64); }),
                              "placement: the job has 128 ranks, the fabric only 64 endpoints",
                              "too many ranks");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] {
                                  Placement::Explicit(3, 8, {0, 1});
                              }),
                              "placement: lists 2 endpoints for a job of 3 ranks",
                              "short list");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] {
                                  Placement::Explicit(2, 8, {0, 8});
                              }),
                              "placement: rank 1: endpoint 8 does not exist: the fabric has 8, "
                              "counted from 0",
                              "no such endpoint");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] {
                                  Placement::Explicit(3, 8, {4, 2, 4});
                              }),
                              "placement: rank 2: endpoint 4 already holds rank 0",
                              "two ranks on one endpoint");
    }
};

/** The suite. */
class TopologyTestSuite : public TestSuite
{
  public:
    TopologyTestSuite()
        : TestSuite("llm-training-topology", Type::UNIT)
    {
        AddTestCase(new SingleSwitchIsAStar, llm::TestDuration::QUICK);
        AddTestCase(new LeafSpineHasEveryUplink, llm::TestDuration::QUICK);
        AddTestCase(new FatTreeIsRearrangeable, llm::TestDuration::QUICK);
        AddTestCase(new TwoFabricsLiveTogether, llm::TestDuration::QUICK);
        AddTestCase(new SwitchMakerIsUsed, llm::TestDuration::QUICK);
        AddTestCase(new PlacementIsExplicit, llm::TestDuration::QUICK);
        AddTestCase(new BadShapesAreRefused, llm::TestDuration::QUICK);
    }
};

TopologyTestSuite g_topologyTestSuite; //!< registers itself

} // namespace
