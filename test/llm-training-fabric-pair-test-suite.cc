/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Nodes that are in two fabrics: jobs on both, one job over both, packets from one to the other.

#include "llm-training-test-job.h"

#include "ns3/config.h"
#include "ns3/fabric-ip-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/rdma-nic-list.h"
#include "ns3/rdma-transport-helper.h"
#include "ns3/single-switch-topology.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

constexpr uint64_t BYTES = 3000001; //!< of an all-reduce

/// @param world ranks @param iterations of it @return a helper of all-reduces
LlmTrainingHelper
MakeHelper(uint32_t world, uint32_t iterations)
{
    LlmTrainingHelper llm(MakeScript(
        world,
        std::vector<std::vector<Operation>>(world, {Collective(OperationKind::ALL_REDUCE, BYTES)}),
        {WorldGroup(world)}));
    llm.SetJobAttribute("Iterations", UintegerValue(iterations));
    llm.SetCollectives({"ring", 1, 65536, "none"});
    return llm;
}

/// @param lines of a report @return one string
std::string
Join(const std::vector<std::string>& lines)
{
    std::string all;
    for (const auto& line : lines)
    {
        all += line + "\n";
    }
    return all;
}

/// @param action throws @return its message
std::string
What(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const ConfigError& error)
    {
        return error.what();
    }
    return "nothing was thrown";
}

/// A fast fabric of four nodes, and a slow one of these and two more.
struct TwoFabrics
{
    TwoFabrics()
    {
        SingleSwitchTopology fast(4);
        fast.SetHostLink({DataRate("400Gbps"), NanoSeconds(300)});
        back = fast.Build(CreateObject<Fabric>(), 1);
        SingleSwitchTopology slow(6);
        slow.SetHostLink({DataRate("25Gbps"), NanoSeconds(900)});
        slow.SetNamePrefix("front-");
        slow.SetHosts(back.endpoints);
        front = slow.Build(CreateObject<Fabric>(), 1);
    }

    ~TwoFabrics()
    {
        front.fabric->Dispose();
        back.fabric->Dispose();
    }

    /// @return empty, or what is left in a fabric
    std::string CheckEmpty() const
    {
        for (const auto& fabric : {back.fabric, front.fabric})
        {
            const FabricTotals totals = fabric->GetTotals();
            if (totals.framesLive != 0 || totals.bytesBuffered != 0 || totals.pausedPorts != 0)
            {
                return std::to_string(totals.framesLive) + " frames are left";
            }
        }
        return "";
    }

    FabricNetwork back;  //!< fast
    FabricNetwork front; //!< slow
};

/** Counts what Config paths bring. */
class Counter
{
  public:
    /// @param path of a trace source
    void Count(std::string path, const RdmaQueuePair&, uint64_t)
    {
        ++counts[path.substr(0, path.rfind('/'))];
    }

    std::map<std::string, uint64_t> counts; //!< by NIC
};

/// @ingroup llm-training-tests
/// Jobs on both fabrics.
class JobsOnBothTestCase : public TestCase
{
  public:
    JobsOnBothTestCase()
        : TestCase("nodes in two fabrics: jobs on both take the time that they take alone")
    {
    }

  private:
    /// @param simulator type @param useBack a job there @param useFront a job there
    /// @return iteration times, by fabric
    std::vector<int64_t> RunOn(const std::string& simulator, bool useBack, bool useFront)
    {
        SimulatorScope scope(simulator);
        TwoFabrics two;
        std::vector<Ptr<TrainingJob>> jobs;
        if (useFront) // made first, so that its NICs are the first ones
        {
            jobs.push_back(MakeHelper(6, 2).Install(two.front.fabric, two.front.endpoints));
        }
        if (useBack)
        {
            jobs.push_back(MakeHelper(4, 20).Install(two.back.fabric, two.back.endpoints));
        }
        Counter counter;
        Config::Connect("/NodeList/*/$ns3::llm::RdmaNicList/Nics/*/Rate",
                        MakeCallback(&Counter::Count, &counter));
        Simulator::Run();
        std::vector<int64_t> times;
        for (const auto& job : jobs)
        {
            NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, Join(job->GetFailure()));
            for (const IterationRecord& iteration : job->GetIterations())
            {
                times.push_back(iteration.duration);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(two.CheckEmpty(), "", "empty");
        if (useBack && useFront)
        {
            NS_TEST_EXPECT_MSG_EQ((two.front.endpoints.Get(0) == two.back.endpoints.Get(0)),
                                  true,
                                  "one node");
            NS_TEST_EXPECT_MSG_EQ(two.front.endpoints.Get(0)->GetObject<RdmaNicList>()->GetN(),
                                  2,
                                  "two NICs");
            NS_TEST_EXPECT_MSG_EQ(two.front.endpoints.Get(5)->GetObject<RdmaNicList>()->GetN(),
                                  1,
                                  "one NIC");
            NS_TEST_EXPECT_MSG_EQ((Names::Find<Node>("front-host5") == two.front.endpoints.Get(5)),
                                  true,
                                  "name with prefix");
            NS_TEST_EXPECT_MSG_EQ((Names::Find<Node>("host3") == two.front.endpoints.Get(3)),
                                  true,
                                  "the name that it had");
            NS_TEST_EXPECT_MSG_EQ(counter.counts.size(), 10, "every NIC has its path");
        }
        return times;
    }

    void DoRun() override
    {
        std::vector<std::vector<int64_t>> all;
        for (const auto& simulator : g_simulators)
        {
            std::vector<int64_t> alone = RunOn(simulator, false, true);
            const std::vector<int64_t> back = RunOn(simulator, true, false);
            alone.insert(alone.end(), back.begin(), back.end());
            const std::vector<int64_t> both = RunOn(simulator, true, true);
            NS_TEST_EXPECT_MSG_EQ((both == alone), true, "undisturbed");
            NS_TEST_EXPECT_MSG_EQ(both.size(), 22, "iterations");
            all.push_back(both);
        }
        NS_TEST_EXPECT_MSG_EQ((all[0] == all[1]), true, "alike on both simulators");
    }
};

/// @ingroup llm-training-tests
/// Several transports on NICs of the second fabric.
class SharedSecondNicTestCase : public TestCase
{
  public:
    SharedSecondNicTestCase()
        : TestCase("two jobs share the NICs of a node's second fabric")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            SimulatorScope scope(simulator);
            TwoFabrics two;
            std::vector<Ptr<TrainingJob>> jobs = {
                MakeHelper(4, 1).Install(two.back.fabric, two.back.endpoints),
                MakeHelper(6, 1).Install(two.front.fabric, two.front.endpoints),
                MakeHelper(4, 1).Install(two.front.fabric, two.back.endpoints)};
            Simulator::Run();
            for (const auto& job : jobs)
            {
                NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, Join(job->GetFailure()));
            }
            const uint64_t front = BYTES * (2 * 5 + 2 * 3);
            NS_TEST_EXPECT_MSG_EQ(two.front.fabric->GetTotals().hosts.txDataPayload, front, "slow");
            NS_TEST_EXPECT_MSG_EQ(two.back.fabric->GetTotals().hosts.txDataPayload,
                                  BYTES * 2 * 3,
                                  "fast");
            NS_TEST_EXPECT_MSG_EQ(two.front.endpoints.Get(0)->GetObject<RdmaNicList>()->GetN(),
                                  2,
                                  "two NICs");
            NS_TEST_EXPECT_MSG_EQ(two.CheckEmpty(), "", "empty");
        }
    }
};

/// @ingroup llm-training-tests
/// One job, whose servers talk inside over one fabric and among each other over another.
class OneJobTestCase : public TestCase
{
  public:
    OneJobTestCase()
        : TestCase("one job over a scale-up and a scale-out fabric that share their events")
    {
    }

  private:
    /// @param simulator type @return when iterations end
    std::vector<int64_t> RunOn(const std::string& simulator)
    {
        SimulatorScope scope(simulator);
        SingleSwitchTopology out(8);
        out.SetHostLink({DataRate("100Gbps"), NanoSeconds(900)});
        FabricNetwork network = out.Build(CreateObject<Fabric>(), 4);
        Ptr<Fabric> fabric = CreateObject<Fabric>();
        fabric->ShareEventQueue(network.fabric->GetEventQueue());
        SingleSwitchTopology up(8);
        up.SetHostLink({DataRate("1600Gbps"), NanoSeconds(100)});
        up.SetNamePrefix("up-");
        up.SetHosts(network.endpoints);
        FabricNetwork inside = up.Build(fabric, 4);
        NS_TEST_EXPECT_MSG_EQ(inside.fabric->GetPorts()[3]->GetPortId(), 3, "numbers of their own");

        RdmaTransportHelper rdma;
        auto routed = CreateObject<RoutedTransport>();
        routed->SetRoutes(rdma.Install(inside.fabric, inside.endpoints),
                          rdma.Install(network.fabric, network.endpoints),
                          network.serverOf);
        const Ptr<TrainingJob> job =
            MakeHelper(8, 3).Install(Ptr<MessageTransport>(routed), network.endpoints);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, Join(job->GetFailure()));
        uint64_t within = 0;
        uint64_t between = 0;
        for (const PairTraffic& pair : job->GetTraffic().GetPairs())
        {
            (pair.from / 4 == pair.to / 4 ? within : between) += pair.bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(within + between, 3 * BYTES * 2 * 7, "all");
        NS_TEST_EXPECT_MSG_GT(between, 0, "two edges of the ring");
        NS_TEST_EXPECT_MSG_EQ(inside.fabric->GetTotals().hosts.txDataPayload, within, "within");
        NS_TEST_EXPECT_MSG_EQ(network.fabric->GetTotals().hosts.txDataPayload, between, "between");
        std::vector<int64_t> ends;
        for (const IterationRecord& iteration : job->GetIterations())
        {
            ends.push_back(iteration.end);
        }
        inside.fabric->Dispose();
        network.fabric->Dispose();
        return ends;
    }

    void DoRun() override
    {
        const std::vector<int64_t> portable = RunOn(g_simulators[0]);
        NS_TEST_EXPECT_MSG_EQ((portable == RunOn(g_simulators[1])), true, "alike");
        NS_TEST_EXPECT_MSG_EQ(portable.size(), 3, "iterations");
        SimulatorScope scope(g_simulators[1]);
        TwoFabrics two;
        NS_TEST_EXPECT_MSG_EQ(
            What([&two] {
                CreateObject<RoutedTransport>()->SetRoutes(
                    RdmaTransportHelper().Install(two.back.fabric, two.back.endpoints),
                    RdmaTransportHelper().Install(two.front.fabric, two.back.endpoints),
                    {0, 0, 1, 1});
            }),
            "RoutedTransport: the two transports work on different event queues; give the "
            "scale-up transport that of the network",
            "not shared");
        NS_TEST_EXPECT_MSG_EQ(
            What([&two] { two.back.fabric->ShareEventQueue(two.front.fabric->GetEventQueue()); }),
            "Fabric: ShareEventQueue: comes after the first node, whose events are elsewhere "
            "already; call it first",
            "too late");
        SingleSwitchTopology small(3);
        small.SetHosts(two.back.endpoints);
        NS_TEST_EXPECT_MSG_NE(
            What([&small] { small.Build(CreateObject<Fabric>(), 1); }).find("4 hosts are given"),
            std::string::npos,
            "more hosts than endpoints");
    }
};

/// @ingroup llm-training-tests
/// Packets from one fabric to another.
class BetweenFabricsTestCase : public TestCase
{
  public:
    BetweenFabricsTestCase()
        : TestCase("a node in two fabrics is the gateway between them, IPv4 and IPv6")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            SimulatorScope scope(simulator);
            SingleSwitchTopology left(3);
            const FabricNetwork a = left.Build(CreateObject<Fabric>(), 1);
            SingleSwitchTopology right(3);
            right.SetNamePrefix("right-");
            const Ptr<Node> gateway = a.endpoints.Get(0);
            right.SetHosts(NodeContainer(gateway));
            const FabricNetwork b = right.Build(CreateObject<Fabric>(), 1);
            FabricIpHelper ipA;
            FabricIpHelper ipB;
            ipA.SetIpv6(true);
            ipB.SetIpv6(true);
            ipB.SetIpv4Network("11.0.0.0", "255.0.0.0");
            ipB.SetIpv6Network("fd01::", Ipv6Prefix(64));
            ipA.Install(a.fabric, a.endpoints);
            ipB.Install(b.fabric, b.endpoints);
            ipA.AddIpv4Gateway(a.fabric, gateway, "11.0.0.0", "255.0.0.0");
            ipA.AddIpv6Gateway(a.fabric, gateway, Ipv6Address("fd01::"), Ipv6Prefix(64));
            ipB.AddIpv4Gateway(b.fabric, gateway, "10.0.0.0", "255.0.0.0");
            ipB.AddIpv6Gateway(b.fabric, gateway, Ipv6Address("fd00::"), Ipv6Prefix(64));
            ApplicationContainer sinks;
            std::vector<Ptr<Socket>> sockets;
            for (const auto& [any, own, peer] :
                 std::vector<std::array<Address, 3>>{{InetSocketAddress(Ipv4Address::GetAny(), 9),
                                                      InetSocketAddress(ipA.GetIpv4(1), 0),
                                                      InetSocketAddress(ipB.GetIpv4(2), 9)},
                                                     {Inet6SocketAddress(Ipv6Address::GetAny(), 9),
                                                      Inet6SocketAddress(ipA.GetIpv6(1), 0),
                                                      Inet6SocketAddress(ipB.GetIpv6(2), 9)}})
            {
                sinks.Add(
                    PacketSinkHelper("ns3::UdpSocketFactory", any).Install(b.endpoints.Get(2)));
                Ptr<Socket> socket =
                    Socket::CreateSocket(a.endpoints.Get(1), UdpSocketFactory::GetTypeId());
                socket->Bind(own);
                socket->Connect(peer);
                for (uint32_t i = 0; i < 30; ++i)
                {
                    Simulator::ScheduleWithContext(a.endpoints.Get(1)->GetId(),
                                                   MilliSeconds(1 + i),
                                                   [socket] { socket->Send(Create<Packet>(900)); });
                }
                sockets.push_back(socket);
            }
            Simulator::Stop(Seconds(1));
            Simulator::Run();
            for (uint32_t i = 0; i < 2; ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx(),
                                      27000,
                                      (i ? "IPv6" : "IPv4"));
            }
            NS_TEST_EXPECT_MSG_EQ(a.fabric->GetTotals().hosts.drops, 0, "drops");
            NS_TEST_EXPECT_MSG_EQ(b.fabric->GetTotals().hosts.drops, 0, "drops");
            a.fabric->Dispose();
            b.fabric->Dispose();
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingFabricPairTestSuite : public TestSuite
{
  public:
    LlmTrainingFabricPairTestSuite()
        : TestSuite("llm-training-fabric-pair", Type::UNIT)
    {
        AddTestCase(new JobsOnBothTestCase);
        AddTestCase(new SharedSecondNicTestCase);
        AddTestCase(new OneJobTestCase);
        AddTestCase(new BetweenFabricsTestCase);
    }
};

LlmTrainingFabricPairTestSuite g_llmTrainingFabricPairTestSuite; //!< registers it

} // namespace
