/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The socket transport on networks of all kinds: CSMA, Wi-Fi, queue discs, several of them joined
// by a router, over IPv4 and IPv6. Networks whose ns-3 module is missing are left out.

#include "llm-training-test-job.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-interface-container.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/ipv6-static-routing.h"
#include "ns3/ipv6.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-socket-transport.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-disc.h"
#include "ns3/test.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#ifdef LLM_TRAINING_CSMA
#include "ns3/csma-helper.h"
#endif
#ifdef LLM_TRAINING_WIFI
#include "ns3/mobility-helper.h"
#include "ns3/position-allocator.h"
#include "ns3/ssid.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/yans-wifi-helper.h"
#endif

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

constexpr uint32_t HOSTS = 4; //!< ranks of the jobs

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

/// Hosts with stacks, addresses and routes of both families.
class Network
{
  public:
    Network()
    {
        hosts.Create(HOSTS);
        InternetStackHelper internet;
        internet.Install(hosts);
        m_ipv4.SetBase("10.1.0.0", "255.255.255.0");
        m_ipv6.SetBase("2001:1::", Ipv6Prefix(64));
        ipv4.resize(HOSTS);
        ipv6.resize(HOSTS);
    }

    /// @return a new router
    Ptr<Node> AddRouter()
    {
        NodeContainer router(CreateObject<Node>());
        InternetStackHelper().Install(router);
        router.Get(0)->GetObject<Ipv6>()->SetAttribute("IpForward", BooleanValue(true));
        return router.Get(0);
    }

    /// Addresses for one link or LAN.
    /// @param devices on it @param router on it, to which the hosts get a default route, or null
    void Address(const NetDeviceContainer& devices, Ptr<Node> router = nullptr)
    {
        Ipv4InterfaceContainer four = m_ipv4.Assign(devices);
        Ipv6InterfaceContainer six = m_ipv6.Assign(devices);
        m_ipv4.NewNetwork();
        m_ipv6.NewNetwork();
        Ipv4Address router4;
        Ipv6Address router6;
        for (uint32_t i = 0; i < devices.GetN(); ++i)
        {
            if (devices.Get(i)->GetNode() == router)
            {
                router4 = four.GetAddress(i);
                router6 = six.GetAddress(i, 1);
            }
        }
        for (uint32_t i = 0; i < devices.GetN(); ++i)
        {
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                if (devices.Get(i)->GetNode() != hosts.Get(host))
                {
                    continue;
                }
                ipv4[host] = four.GetAddress(i);
                ipv6[host] = six.GetAddress(i, 1);
                if (router)
                {
                    Ipv4StaticRoutingHelper()
                        .GetStaticRouting(hosts.Get(host)->GetObject<Ipv4>())
                        ->SetDefaultRoute(router4, four.Get(i).second);
                    Ipv6StaticRoutingHelper()
                        .GetStaticRouting(hosts.Get(host)->GetObject<Ipv6>())
                        ->SetDefaultRoute(router6, six.GetInterfaceIndex(i));
                }
            }
        }
    }

    NodeContainer hosts;           //!< ranks
    std::vector<Ipv4Address> ipv4; //!< of hosts
    std::vector<Ipv6Address> ipv6; //!< of hosts

  private:
    Ipv4AddressHelper m_ipv4; //!< networks 10.1.n.0
    Ipv6AddressHelper m_ipv6; //!< networks 2001:1:0:n::
};

/// @param network to build in @param host one end @param router other end @param disc of the
/// router's port, empty: ns-3's default @return the disc's port queue, or null
Ptr<QueueDisc>
AddThinLink(Network& network, uint32_t host, Ptr<Node> router, const std::string& disc)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    link.SetChannelAttribute("Delay", StringValue("100us"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("2p"));
    const NetDeviceContainer pair = link.Install(network.hosts.Get(host), router);
    pair.Get(1)->SetAttribute("DataRate", StringValue("10Mbps"));
    Ptr<QueueDisc> root;
    if (!disc.empty())
    {
        TrafficControlHelper control;
        if (disc == "ns3::RedQueueDisc")
        {
            control.SetRootQueueDisc(disc,
                                     "UseEcn",
                                     BooleanValue(true),
                                     "UseHardDrop",
                                     BooleanValue(false),
                                     "QW",
                                     DoubleValue(0.2),
                                     "MinTh",
                                     DoubleValue(2),
                                     "MaxTh",
                                     DoubleValue(6),
                                     "LinkBandwidth",
                                     StringValue("10Mbps"));
        }
        else
        {
            control.SetRootQueueDisc(disc);
        }
        root = control.Install(pair.Get(1)).Get(0);
    }
    network.Address(pair, router);
    return root;
}

#ifdef LLM_TRAINING_CSMA
/// @param nodes on it @return an Ethernet bus
NetDeviceContainer
MakeCsma(const NodeContainer& nodes)
{
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", StringValue("100Mbps"));
    bus.SetChannelAttribute("Delay", StringValue("2us"));
    return bus.Install(nodes);
}
#endif

#ifdef LLM_TRAINING_WIFI
/// @param nodes few metres from each other @param accessPoint one of them that is one, or null: ad
/// hoc
/// @return 802.11a devices, by node
NetDeviceContainer
MakeWifi(const NodeContainer& nodes, Ptr<Node> accessPoint = nullptr)
{
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("OfdmRate54Mbps"));
    MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    auto places = CreateObject<ListPositionAllocator>();
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        places->Add(Vector(3.0 * i, 0, 0));
        WifiMacHelper mac;
        const Ssid ssid("llm");
        if (!accessPoint)
        {
            mac.SetType("ns3::AdhocWifiMac");
        }
        else if (nodes.Get(i) == accessPoint)
        {
            mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid));
        }
        else
        {
            mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid));
        }
        devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
    }
    mobility.SetPositionAllocator(places);
    mobility.Install(nodes);
    return devices;
}
#endif

/// Builds a network; what it returns is checked after the run. @return empty, or what is wrong
using Builder = std::function<std::function<std::string()>(Network&)>;

/// @ingroup llm-training-tests
/// One network, both families, both simulators.
class AnywhereTestCase : public TestCase
{
  public:
    /// @param name of the network @param build it @param bytes of the all-reduce
    AnywhereTestCase(const std::string& name, const Builder& build, uint64_t bytes)
        : TestCase("a job over " + name + " ends with exact bytes, over IPv4 and IPv6"),
          m_build(build),
          m_bytes(bytes)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            for (const bool isIpv6 : {false, true})
            {
                RunOn(simulator, isIpv6);
            }
        }
    }

    /// @param simulator type @param isIpv6 family of the addresses
    void RunOn(const std::string& simulator, bool isIpv6)
    {
        SimulatorScope scope(simulator);
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1400));
        // Over the air all ask for addresses at once: questions collide, and asking again must do.
        Config::SetDefault("ns3::ArpCache::DeadTimeout", TimeValue(Seconds(1)));
        const std::string where = simulator + (isIpv6 ? ", IPv6: " : ", IPv4: ");
        Network network;
        const auto check = m_build(network);
        auto transport = CreateObject<SocketTransport>();
        for (uint32_t rank = 0; rank < HOSTS; ++rank)
        {
            transport->AddRank(rank,
                               network.hosts.Get(rank),
                               isIpv6 ? Address(network.ipv6[rank]) : Address(network.ipv4[rank]));
        }
        // An all-reduce, then everybody to rank 0, as at the end of a step.
        std::vector<std::vector<Operation>> program(HOSTS);
        for (uint32_t rank = 0; rank < HOSTS; ++rank)
        {
            program[rank].push_back(Collective(OperationKind::ALL_REDUCE, m_bytes));
            if (rank > 0)
            {
                program[rank].push_back(PointToPoint(OperationKind::SEND, 0, m_bytes, rank));
                program[0].push_back(PointToPoint(OperationKind::RECV, rank, m_bytes, rank));
            }
        }
        auto job = CreateObject<TrainingJob>();
        // Association and duplicate address detection come first.
        job->SetAttribute("StartTime", TimeValue(Seconds(3)));
        job->SetAttribute("StallTime", TimeValue(Seconds(200)));
        job->SetAttribute("Iterations", UintegerValue(2));
        job->SetWorkload(MakeScript(HOSTS, program, {WorldGroup(HOSTS)}));
        job->SetTransport(transport);
        job->SetCollectives({"ring", 1, 0});
        job->Install(network.hosts);
        job->SetCompletionCallback(
            Callback<void, Ptr<TrainingJob>>([](Ptr<TrainingJob>) { Simulator::Stop(); }));
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, where << Join(job->GetFailure()));
        const uint64_t expected = 2 * m_bytes * (2 * (HOSTS - 1) + HOSTS - 1);
        const TransportTotals totals = transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.bytesDelivered, expected, where << "delivered");
        NS_TEST_EXPECT_MSG_EQ(totals.payloadSent, expected, where << "written");
        NS_TEST_EXPECT_MSG_EQ(totals.payloadReceived, expected, where << "read");
        NS_TEST_EXPECT_MSG_EQ(check(), "", where);
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("Off"));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(536));
        Config::SetDefault("ns3::ArpCache::DeadTimeout", TimeValue(Seconds(100)));
    }

    Builder m_build;
    uint64_t m_bytes;
};

/// @return nothing to check
std::string
Nothing()
{
    return "";
}

/// @param disc of the router's ports @return hosts around a router whose ports are the bottleneck
Builder
MakeStar(const std::string& disc)
{
    return [disc](Network& network) -> std::function<std::string()> {
        const Ptr<Node> router = network.AddRouter();
        std::vector<Ptr<QueueDisc>> discs;
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            discs.push_back(AddThinLink(network, host, router, disc));
        }
        return [disc, discs]() -> std::string {
            uint64_t passed = 0;
            uint64_t marked = 0;
            for (const auto& one : discs)
            {
                passed += one->GetStats().nTotalSentPackets;
                marked += one->GetStats().nTotalMarkedPackets;
            }
            if (passed == 0)
            {
                return "nothing went through the queue disc";
            }
            return disc == "ns3::RedQueueDisc" && marked == 0 ? "RED marked nothing" : "";
        };
    };
}

/// @ingroup llm-training-tests
/// Nodes with one family only, and which addresses a helper takes.
class FamiliesTestCase : public TestCase
{
  public:
    FamiliesTestCase()
        : TestCase("nodes with one family: an address that all have is taken, or the node is named")
    {
    }

  private:
    /// @param action throws @return its message
    static std::string What(const std::function<void()>& action)
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

    /// @param families of the nodes: 4, 6, or 46 for both @return nodes in a full mesh
    static NodeContainer MakeMesh(const std::vector<uint32_t>& families)
    {
        NodeContainer nodes;
        nodes.Create(static_cast<uint32_t>(families.size()));
        for (uint32_t i = 0; i < nodes.GetN(); ++i)
        {
            InternetStackHelper internet;
            internet.SetIpv4StackInstall(families[i] != 6);
            internet.SetIpv6StackInstall(families[i] != 4);
            internet.Install(nodes.Get(i));
        }
        PointToPointHelper link;
        Ipv4AddressHelper four("10.1.0.0", "255.255.255.0");
        Ipv6AddressHelper six;
        six.SetBase("2001:1::", Ipv6Prefix(64));
        for (uint32_t a = 0; a < nodes.GetN(); ++a)
        {
            for (uint32_t b = a + 1; b < nodes.GetN(); ++b)
            {
                const NetDeviceContainer pair = link.Install(nodes.Get(a), nodes.Get(b));
                if (families[a] != 6 && families[b] != 6)
                {
                    four.Assign(pair);
                    four.NewNetwork();
                }
                if (families[a] != 4 && families[b] != 4)
                {
                    six.Assign(pair);
                    six.NewNetwork();
                }
            }
        }
        return nodes;
    }

    /// @return a helper of a workload in which each of two ranks sends to the other
    static LlmTrainingHelper MakeHelper()
    {
        LlmTrainingHelper llm(MakeScript(2,
                                         {{PointToPoint(OperationKind::SEND, 1, 5000, 0),
                                           PointToPoint(OperationKind::RECV, 1, 5000, 1)},
                                          {PointToPoint(OperationKind::RECV, 0, 5000, 0),
                                           PointToPoint(OperationKind::SEND, 0, 5000, 1)}}));
        llm.SetJobAttribute("StartTime", TimeValue(Seconds(3)));
        return llm;
    }

    void DoRun() override
    {
        for (const std::vector<uint32_t>& families :
             std::vector<std::vector<uint32_t>>{{46, 46}, {46, 4}, {6, 46}, {6, 6}})
        {
            SimulatorScope scope(g_simulators[1]);
            const NodeContainer nodes = MakeMesh(families);
            const Ptr<TrainingJob> job = MakeHelper().Install(nodes);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(job->IsComplete(),
                                  true,
                                  families[0] << ' ' << families[1] << Join(job->GetFailure()));
            NS_TEST_EXPECT_MSG_EQ(job->GetTransport()->GetTotals().bytesDelivered, 10000, "bytes");
        }
        SimulatorScope scope(g_simulators[1]);
        {
            const NodeContainer nodes = MakeMesh({46, 46});
            LlmTrainingHelper llm = MakeHelper();
            llm.SetIpv6(true);
            uint64_t four = 0;
            for (uint32_t i = 0; i < 2; ++i)
            {
                nodes.Get(i)->GetObject<Ipv4>()->TraceConnectWithoutContext(
                    "Tx",
                    Callback<void, Ptr<const Packet>, Ptr<Ipv4>, uint32_t>(
                        [&](Ptr<const Packet>, Ptr<Ipv4>, uint32_t) { ++four; }));
            }
            const Ptr<TrainingJob> job = llm.Install(nodes);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, Join(job->GetFailure()));
            NS_TEST_EXPECT_MSG_EQ(four, 0, "IPv6 where it is wanted");
        }
        const NodeContainer nodes = MakeMesh({4, 6});
        const auto name = [&nodes](uint32_t i) {
            return "node " + std::to_string(nodes.Get(i)->GetId());
        };
        NS_TEST_EXPECT_MSG_EQ(What([&] { MakeHelper().Install(nodes); }),
                              "LlmTrainingHelper: " + name(0) +
                                  ": has no IP address; install an Internet stack and assign "
                                  "addresses first",
                              "no link");
        auto transport = CreateObject<SocketTransport>();
        transport->AddRank(0, nodes.Get(0), Ipv4Address("10.0.0.1"));
        transport->AddRank(1, nodes.Get(1), Ipv6Address("2001::2"));
        NS_TEST_EXPECT_MSG_EQ(
            What([&] { transport->AddRank(2, nodes.Get(0), Ipv6Address("2001::1")); }),
            "SocketTransport: rank 2: " + name(0) + " has no IPv6 stack, as its address needs",
            "IPv6 on IPv4");
        NS_TEST_EXPECT_MSG_EQ(
            What([&] { transport->AddRank(2, nodes.Get(1), Ipv4Address("10.0.0.2")); }),
            "SocketTransport: rank 2: " + name(1) + " has no IPv4 stack, as its address needs",
            "IPv4 on IPv6");
        auto job = CreateObject<TrainingJob>();
        job->SetWorkload(MakeScript(2,
                                    {{PointToPoint(OperationKind::SEND, 1, 1000, 0)},
                                     {PointToPoint(OperationKind::RECV, 0, 1000, 0)}}));
        job->SetTransport(transport);
        job->Install(nodes);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(
            Join(job->GetFailure()),
            "message of 1000 B from rank 0 to rank 1 cannot be delivered: connection from rank 0 "
            "to rank 1, channel 4: " +
                name(0) + " has no IPv6 stack to reach [2001::2]:49153\n",
            "another family");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingTransportAnywhereTestSuite : public TestSuite
{
  public:
    LlmTrainingTransportAnywhereTestSuite()
        : TestSuite("llm-training-transport-anywhere", Type::UNIT)
    {
        for (const char* disc :
             {"ns3::FqCoDelQueueDisc", "ns3::RedQueueDisc", "ns3::PfifoFastQueueDisc"})
        {
            AddTestCase(new AnywhereTestCase(disc, MakeStar(disc), 100001));
        }
#ifdef LLM_TRAINING_CSMA
        AddTestCase(new AnywhereTestCase(
            "CSMA",
            [](Network& network) {
                network.Address(MakeCsma(network.hosts));
                return Nothing;
            },
            100001));
#endif
#ifdef LLM_TRAINING_WIFI
        AddTestCase(new AnywhereTestCase(
            "ad hoc Wi-Fi",
            [](Network& network) {
                network.Address(MakeWifi(network.hosts));
                return Nothing;
            },
            20001));
        AddTestCase(new AnywhereTestCase(
            "Wi-Fi with an access point",
            [](Network& network) {
                network.Address(MakeWifi(network.hosts, network.hosts.Get(0)));
                return Nothing;
            },
            20001));
#endif
#if defined(LLM_TRAINING_CSMA) && defined(LLM_TRAINING_WIFI)
        AddTestCase(new AnywhereTestCase(
            "point-to-point, CSMA and Wi-Fi behind one router",
            [](Network& network) {
                const Ptr<Node> router = network.AddRouter();
                AddThinLink(network, 0, router, "ns3::FqCoDelQueueDisc");
                NodeContainer bus(router);
                bus.Add(network.hosts.Get(1));
                bus.Add(network.hosts.Get(2));
                network.Address(MakeCsma(bus), router);
                NodeContainer air(router);
                air.Add(network.hosts.Get(3));
                network.Address(MakeWifi(air), router);
                return Nothing;
            },
            20001));
#endif
        AddTestCase(new FamiliesTestCase);
    }
};

LlmTrainingTransportAnywhereTestSuite g_llmTrainingTransportAnywhereTestSuite; //!< registers it

} // namespace
