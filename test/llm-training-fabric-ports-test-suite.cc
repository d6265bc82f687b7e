/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Endpoints with several ports, planes that only they join, pinned routes.

#include "fabric-test-helpers.h"
#include "llm-training-error-of.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"

#include <deque>

using namespace ns3;
using namespace ns3::llm;
using namespace fabrictest;

namespace
{

using llmtest::ErrorOf;

/** Raw endpoints on every port of every host. */
class RawPorts
{
  public:
    /** @param net built. */
    explicit RawPorts(Net& net)
    {
        m_ports.resize(net.hosts.GetN());
        for (uint32_t i = 0; i < net.hosts.GetN(); ++i)
        {
            for (const auto& port : net.fabric->GetEndpointPorts(i))
            {
                m_ports[i].emplace_back().Attach(PeekPointer(port));
            }
        }
    }

    /** @return what sits on a port. */
    RawEndpoint& At(uint32_t endpoint, uint32_t port)
    {
        return m_ports.at(endpoint).at(port);
    }

  private:
    std::vector<std::deque<RawEndpoint>> m_ports; //!< by endpoint and port
};

/// @ingroup llm-training-tests
/// Two ToRs for each group of hosts, joined by spines.
class DualTorSharesAGroup : public TestCase
{
  public:
    DualTorSharesAGroup()
        : TestCase("dual ToR: one group, both ToRs are local, spines spread over both")
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        std::vector<Ptr<Node>> tors;
        for (uint32_t pair = 0; pair < 2; ++pair)
        {
            tors.push_back(net.AddSwitch());
            tors.push_back(net.AddSwitch());
            for (uint32_t i = 0; i < 3; ++i)
            {
                Ptr<Node> host = net.AddHost();
                net.Link(host, tors[2 * pair], 100, MicroSeconds(1));
                net.Link(host, tors[2 * pair + 1], 100, MicroSeconds(1));
            }
        }
        Ptr<Node> spine = net.AddSwitch();
        for (const auto& tor : tors)
        {
            net.Link(tor, spine, 400, MicroSeconds(1));
        }
        net.fabric->Build();
        const uint32_t* groups = net.fabric->GetGroups();
        NS_TEST_EXPECT_MSG_EQ(groups[0], groups[2], "one group per pair of ToRs");
        NS_TEST_EXPECT_MSG_NE(groups[0], groups[3], "another pair");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetEndpointPorts(4).size(), 2, "ports");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetEndpointPort(4),
                              net.fabric->GetEndpointPorts(4).front(),
                              "the first");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(0, 1), 2, "either ToR is local");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(0, 5), 4, "over the spine");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetPathTicks(0, 5, 0),
                              MicroSeconds(4).GetTimeStep(),
                              "delays");
        NS_TEST_EXPECT_MSG_EQ(net.Switch(4).GetRoute(5).size(), 2, "spine: two ToRs");
        NS_TEST_EXPECT_MSG_EQ(net.Switch(3).GetRoute(5).size(), 1, "ToR: the host itself");

        RawPorts raw(net);
        raw.At(0, 0).Start({1, 10, 1000});
        raw.At(0, 1).Start({2, 20, 1000});
        raw.At(3, 1).Start({4, 30, 1000});
        // The entropy of all frames is alike, so that one ToR, the hash's choice, gets all.
        raw.At(5, 0).Start({0, 40, 1000});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(raw.At(1, 0).received, 10, "in by the ToR that it went to");
        NS_TEST_EXPECT_MSG_EQ(raw.At(2, 1).received, 20, "second ToR");
        NS_TEST_EXPECT_MSG_EQ(raw.At(4, 1).received, 30, "second pair");
        NS_TEST_EXPECT_MSG_EQ(raw.At(0, 0).received + raw.At(0, 1).received, 40, "over the spine");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().framesLive, 0, "no frame is left");
    }
};

/// @ingroup llm-training-tests
/// Two planes that know nothing of each other.
class PlanesNeedASharedOne : public TestCase
{
  public:
    PlanesNeedASharedOne()
        : TestCase("planes: joined by endpoints only; every two endpoints must share one")
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        Ptr<Node> a = net.AddSwitch();
        Ptr<Node> b = net.AddSwitch();
        for (uint32_t i = 0; i < 3; ++i)
        {
            Ptr<Node> host = net.AddHost();
            net.Link(host, a, 100, MicroSeconds(1));
            if (i < 2)
            {
                net.Link(host, b, 100, MicroSeconds(2));
            }
        }
        net.fabric->Build();
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetGroups()[0], net.fabric->GetGroups()[1], "alike");
        NS_TEST_EXPECT_MSG_NE(net.fabric->GetGroups()[0], net.fabric->GetGroups()[2], "one plane");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(2, 0), 2, "over the plane that they share");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(0, 2), 2, "and back");
        const auto& ports = net.fabric->GetEndpointPorts(0);
        NS_TEST_EXPECT_MSG_EQ(ports[0]->CanReach(2), true, "first plane");
        NS_TEST_EXPECT_MSG_EQ(ports[1]->CanReach(2), false, "second plane");
        NS_TEST_EXPECT_MSG_EQ(ports[1]->CanReach(1), true, "second plane");

        RawPorts raw(net);
        raw.At(0, 0).Start({2, 10, 1000});
        raw.At(0, 1).Start({2, 7, 1000});
        raw.At(2, 0).Start({1, 20, 1000});
        raw.At(1, 1).Start({0, 30, 1000});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(raw.At(2, 0).received, 10, "shared plane");
        NS_TEST_EXPECT_MSG_EQ(net.Switch(1).GetPorts()[0]->GetCounters().drops, 7, "no route");
        NS_TEST_EXPECT_MSG_EQ(raw.At(1, 0).received, 20, "switch local to two groups");
        NS_TEST_EXPECT_MSG_EQ(raw.At(0, 1).received, 30, "second plane");

        Net apart(4096);
        Ptr<Node> c = apart.AddSwitch();
        Ptr<Node> d = apart.AddSwitch();
        Ptr<Node> both = apart.AddHost();
        apart.Link(both, c, 100, MicroSeconds(1));
        apart.Link(both, d, 100, MicroSeconds(1));
        apart.Link(apart.AddHost(), c, 100, MicroSeconds(1));
        apart.Link(apart.AddHost(), d, 100, MicroSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { apart.fabric->Build(); }),
                              "Fabric: switch 1: cannot reach switch 0; connect the switches",
                              "hosts of different planes");
    }
};

/// @ingroup llm-training-tests
/// Two links from one host to one switch.
class ParallelHostLinksShareTheLoad : public TestCase
{
  public:
    ParallelHostLinksShareTheLoad()
        : TestCase("two links to one switch: both are used towards the host")
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        Ptr<Node> center = net.AddSwitch();
        Ptr<Node> host = net.AddHost();
        net.Link(host, center, 100, MicroSeconds(1));
        net.Link(net.AddHost(), center, 400, MicroSeconds(1));
        net.Link(host, center, 100, MicroSeconds(1));
        net.fabric->Build();
        NS_TEST_EXPECT_MSG_EQ((net.Switch(0).GetRoute(0) == std::vector<uint16_t>{0, 2}),
                              true,
                              "both ports");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(1, 0), 2, "hops");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(0, 1), 2, "hops");
        RawPorts raw(net);
        uint32_t entropy = 0;
        for (uint32_t i = 0; i < 64; ++i)
        {
            Frame* frame = raw.At(1, 0).Make(0, 1000, 3);
            frame->entropy = static_cast<uint16_t>(++entropy);
            net.fabric->GetEndpointPort(1)->SendFrame(frame, 0);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(raw.At(0, 0).received + raw.At(0, 1).received, 64, "all arrive");
        NS_TEST_EXPECT_MSG_GT(raw.At(0, 0).received, 16, "first link");
        NS_TEST_EXPECT_MSG_GT(raw.At(0, 1).received, 16, "second link");
    }
};

/// @ingroup llm-training-tests
/// A ring with all traffic clockwise.
class StaticRoutesAreFollowed : public TestCase
{
  public:
    StaticRoutesAreFollowed()
        : TestCase("static routes: clockwise ring, hops and paths follow; circles are refused")
    {
    }

  private:
    /** A ring of four switches with a host each. */
    static void BuildRing(Net& net)
    {
        for (uint32_t i = 0; i < 4; ++i)
        {
            net.Link(net.AddHost(), net.AddSwitch(), 100, MicroSeconds(1));
        }
        for (uint32_t i = 0; i < 4; ++i)
        {
            net.Link(net.switches.Get(i), net.switches.Get((i + 1) % 4), 100, MicroSeconds(1));
        }
    }

    void DoRun() override
    {
        Net net(4096);
        BuildRing(net);
        for (uint32_t to = 0; to < 4; ++to)
        {
            for (uint32_t at = 0; at < 4; ++at)
            {
                if (at != to)
                {
                    net.fabric->AddStaticRoute(net.switches.Get(at),
                                               net.hosts.Get(to),
                                               {net.switches.Get((at + 1) % 4)});
                }
            }
        }
        net.fabric->Build();
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(0, 1), 3, "one switch on");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(1, 0), 5, "three switches on");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetPathTicks(1, 0, 0),
                              MicroSeconds(5).GetTimeStep(),
                              "path");
        RawPorts raw(net);
        raw.At(1, 0).Start({0, 5, 1000});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(raw.At(0, 0).received, 5, "arrived");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().packetHops, 25, "five links each");
        net.fabric->RecomputeRoutes();
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(1, 0), 5, "the same when computed anew");

        Net circle(4096);
        BuildRing(circle);
        circle.fabric->AddStaticRoute(circle.switches.Get(0),
                                      circle.hosts.Get(2),
                                      {circle.switches.Get(1)});
        circle.fabric->AddStaticRoute(circle.switches.Get(1),
                                      circle.hosts.Get(2),
                                      {circle.switches.Get(0)});
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { circle.fabric->Build(); }),
                              "Fabric: switch 0: the static routes to node" +
                                  std::to_string(circle.hosts.Get(2)->GetId()) +
                                  ":0 lead in a circle, or to another endpoint, from here",
                              "circle");

        Net bad(4096);
        BuildRing(bad);
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] {
                                  bad.fabric->AddStaticRoute(bad.switches.Get(0),
                                                             bad.hosts.Get(2),
                                                             {bad.switches.Get(2)});
                              }).substr(0, 13),
                              "Fabric: node ",
                              "no neighbour");
        const std::string error = ErrorOf([&] {
            bad.fabric->AddStaticRoute(bad.hosts.Get(0), bad.hosts.Get(2), {bad.switches.Get(0)});
        });
        NS_TEST_EXPECT_MSG_NE(error.find("static routes are of switches"),
                              std::string::npos,
                              error);
    }
};

/// @ingroup llm-training-tests
/// The IP stack of a host with two ports.
class StackSeesOneInterface : public TestCase
{
  public:
    StackSeesOneInterface()
        : TestCase("IP stack on dual ToR: whichever port packets come in by, the stack gets them")
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        Ptr<Node> left = net.AddSwitch();
        Ptr<Node> right = net.AddSwitch();
        Ptr<Node> sender = net.AddSwitch();
        net.Link(net.AddHost(), sender, 100, MicroSeconds(1));
        net.Link(sender, left, 100, MicroSeconds(1));
        net.Link(sender, right, 100, MicroSeconds(1));
        Ptr<Node> host = net.AddHost();
        net.Link(host, left, 100, MicroSeconds(1));
        net.Link(host, right, 100, MicroSeconds(1));
        net.fabric->Build();
        InternetStackHelper().Install(net.hosts);
        NetDeviceContainer devices;
        devices.Add(net.fabric->GetEndpointPort(0));
        devices.Add(net.fabric->GetEndpointPort(1));
        const auto interfaces = Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(devices);
        Ptr<Socket> in = Socket::CreateSocket(host, UdpSocketFactory::GetTypeId());
        in->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        in->SetRecvCallback(MakeCallback(&StackSeesOneInterface::Count, this));
        for (uint16_t i = 0; i < 32; ++i)
        {
            Ptr<Socket> out = Socket::CreateSocket(net.hosts.Get(0), UdpSocketFactory::GetTypeId());
            out->Bind(InetSocketAddress(Ipv4Address::GetAny(), 1000 + i));
            out->SendTo(Create<Packet>(500), 0, InetSocketAddress(interfaces.GetAddress(1), 9));
        }
        Simulator::Run();
        const auto& ports = net.fabric->GetEndpointPorts(1);
        NS_TEST_EXPECT_MSG_EQ(m_received, 32, "all");
        NS_TEST_EXPECT_MSG_GT(ports[0]->GetCounters().rxFrames, 4, "by the first port");
        NS_TEST_EXPECT_MSG_GT(ports[1]->GetCounters().rxFrames, 4, "by the second port");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetMac(1),
                              Mac48Address::ConvertFrom(ports[0]->GetAddress()),
                              "address of the bond");
    }

    /** Take what has come. */
    void Count(Ptr<Socket> socket)
    {
        while (socket->Recv())
        {
            ++m_received;
        }
    }

    uint32_t m_received{0}; //!< packets
};

/** The suite. */
class FabricPortsTestSuite : public TestSuite
{
  public:
    FabricPortsTestSuite()
        : TestSuite("llm-training-fabric-ports", Type::UNIT)
    {
        AddTestCase(new DualTorSharesAGroup, llm::TestDuration::QUICK);
        AddTestCase(new PlanesNeedASharedOne, llm::TestDuration::QUICK);
        AddTestCase(new ParallelHostLinksShareTheLoad, llm::TestDuration::QUICK);
        AddTestCase(new StaticRoutesAreFollowed, llm::TestDuration::QUICK);
        AddTestCase(new StackSeesOneInterface, llm::TestDuration::QUICK);
    }
};

FabricPortsTestSuite g_fabricPortsTestSuite; //!< registers itself

} // namespace
