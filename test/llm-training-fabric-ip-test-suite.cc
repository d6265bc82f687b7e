/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Hosts of a fabric that also carry an internet stack, IPv4 and IPv6, and gateways to networks of
// ordinary ns-3 devices.

#include "fabric-test-helpers.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/fabric-address-table.h"
#include "ns3/fabric-ip-helper.h"
#include "ns3/icmpv4.h"
#include "ns3/icmpv6-header.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-raw-socket-factory.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-raw-socket-factory.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/ipv6-static-routing.h"
#include "ns3/ipv6.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"

#include <map>
#include <sstream>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-ip"; //!< name
const char* const SIMULATORS[] = {"ns3::DefaultSimulatorImpl", "ns3::llm::FabricSimulatorImpl"};

/** @param host address. @param port number. @return address of a socket. */
Address
At(const Address& host, uint16_t port)
{
    if (Ipv6Address::IsMatchingType(host))
    {
        return Inet6SocketAddress(Ipv6Address::ConvertFrom(host), port);
    }
    return InetSocketAddress(Ipv4Address::ConvertFrom(host), port);
}

/** @param host whose family. @return the wildcard. */
Address
Any(const Address& host)
{
    return Ipv6Address::IsMatchingType(host) ? Address(Ipv6Address::GetAny())
                                             : Address(Ipv4Address::GetAny());
}

/** Echo requests to a host, and how many are answered. */
class Pinger
{
  public:
    /** @param node asks. @param own its address. @param peer whom. */
    Pinger(Ptr<Node> node, const Address& own, const Address& peer)
        : m_isIpv6(Ipv6Address::IsMatchingType(peer)),
          m_own(own),
          m_peer(peer)
    {
        m_socket = Socket::CreateSocket(node,
                                        m_isIpv6 ? Ipv6RawSocketFactory::GetTypeId()
                                                 : Ipv4RawSocketFactory::GetTypeId());
        m_socket->SetAttribute("Protocol", UintegerValue(m_isIpv6 ? 58 : 1));
        m_socket->Bind(At(own, 0));
        m_socket->SetRecvCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket>) { Read(); }));
    }

    ~Pinger()
    {
        m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
    }

    Pinger(const Pinger&) = delete;
    Pinger& operator=(const Pinger&) = delete;

    /** Ask once. */
    void Ask()
    {
        Ptr<Packet> packet = Create<Packet>(56);
        if (m_isIpv6)
        {
            Icmpv6Echo echo(true);
            echo.SetId(7);
            packet->AddHeader(echo);
            Icmpv6Echo sealed(true);
            packet->RemoveHeader(sealed);
            sealed.CalculatePseudoHeaderChecksum(Ipv6Address::ConvertFrom(m_own),
                                                 Ipv6Address::ConvertFrom(m_peer),
                                                 packet->GetSize() + sealed.GetSerializedSize(),
                                                 58);
            packet->AddHeader(sealed);
        }
        else
        {
            Icmpv4Echo echo;
            echo.SetIdentifier(7);
            echo.SetData(packet);
            Icmpv4Header header;
            header.SetType(Icmpv4Header::ICMPV4_ECHO);
            header.SetCode(0);
            packet = Create<Packet>();
            packet->AddHeader(echo);
            packet->AddHeader(header);
        }
        m_socket->SendTo(packet, 0, At(m_peer, 0));
    }

    uint32_t answers{0}; //!< so far

  private:
    /** Take what has come. */
    void Read()
    {
        Address from;
        while (Ptr<Packet> packet = m_socket->RecvFrom(from))
        {
            uint8_t type = 0;
            if (m_isIpv6)
            {
                Ipv6Header ip;
                packet->RemoveHeader(ip);
                packet->CopyData(&type, 1);
                answers += type == Icmpv6Header::ICMPV6_ECHO_REPLY ? 1 : 0;
            }
            else
            {
                Ipv4Header ip;
                packet->RemoveHeader(ip);
                packet->CopyData(&type, 1);
                answers += type == Icmpv4Header::ICMPV4_ECHO_REPLY ? 1 : 0;
            }
        }
    }

    bool m_isIpv6;
    Address m_own;
    Address m_peer;
    Ptr<Socket> m_socket;
};

/** A ping, a TCP and a UDP flow from one node to another, by one family. */
class Conversation
{
  public:
    static constexpr uint64_t TCP_BYTES = 200000; //!< of the TCP flow
    static constexpr uint32_t DATAGRAMS = 50;     //!< of the UDP flow

    /** @param a node. @param aAddress its address. @param b node. @param bAddress its address.
     *  @param start when. */
    Conversation(Ptr<Node> a,
                 const Address& aAddress,
                 Ptr<Node> b,
                 const Address& bAddress,
                 Time start)
        : m_pinger(a, aAddress, bAddress)
    {
        const uint16_t port = Ipv6Address::IsMatchingType(aAddress) ? 6000 : 4000;
        PacketSinkHelper tcp("ns3::TcpSocketFactory", At(Any(bAddress), port));
        m_sinks.Add(tcp.Install(b));
        PacketSinkHelper udp("ns3::UdpSocketFactory", At(Any(bAddress), port));
        m_sinks.Add(udp.Install(b));
        BulkSendHelper bulk("ns3::TcpSocketFactory", At(bAddress, port));
        bulk.SetAttribute("MaxBytes", UintegerValue(TCP_BYTES));
        bulk.Install(a).Start(start);
        m_udp = Socket::CreateSocket(a, UdpSocketFactory::GetTypeId());
        m_udp->Bind(At(aAddress, 0));
        m_udp->Connect(At(bAddress, port));
        for (uint32_t i = 0; i < DATAGRAMS; ++i)
        {
            Simulator::ScheduleWithContext(a->GetId(), start + MicroSeconds(20 * i), [this] {
                m_udp->Send(Create<Packet>(700));
            });
        }
        for (uint32_t i = 0; i < 5; ++i)
        {
            Simulator::ScheduleWithContext(a->GetId(), start + MicroSeconds(100 * i), [this] {
                m_pinger.Ask();
            });
        }
    }

    /** @return "tcp udp pings". */
    std::string GetResult() const
    {
        std::ostringstream text;
        text << DynamicCast<PacketSink>(m_sinks.Get(0))->GetTotalRx() << ' '
             << DynamicCast<PacketSink>(m_sinks.Get(1))->GetTotalRx() << ' ' << m_pinger.answers;
        return text.str();
    }

    /** What GetResult says when all has arrived. */
    static constexpr const char* COMPLETE = "200000 35000 5";

  private:
    Pinger m_pinger;
    ApplicationContainer m_sinks;
    Ptr<Socket> m_udp;
};

/// @ingroup llm-training-tests
/// Both families beside RDMA.
class DualStackTest : public TestCase
{
  public:
    DualStackTest()
        : TestCase("ping, UDP and TCP over IPv4 and IPv6 beside RDMA, alike on both simulators")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        std::vector<std::string> runs;
        for (const char* simulator : SIMULATORS)
        {
            SimulatorScope scope(simulator);
            Net net(4096);
            net.BuildLeafSpine(2, 2, 4, 25, 100, MicroSeconds(1));
            FabricIpHelper ip;
            ip.SetIpv6(true);
            ip.Install(net.fabric, net.hosts);
            net.Install();
            std::ostringstream log;
            net.recorder.onDelivered = [&log](const Message& message, int64_t now) {
                log << message.from << ' ' << now << '\n';
            };
            Conversation four(net.hosts.Get(0),
                              ip.GetIpv4(0),
                              net.hosts.Get(7),
                              ip.GetIpv4(7),
                              MicroSeconds(10));
            Conversation six(net.hosts.Get(1),
                             ip.GetIpv6(1),
                             net.hosts.Get(7),
                             ip.GetIpv6(7),
                             MicroSeconds(10));
            for (uint32_t i = 0; i < 7; ++i)
            {
                Simulator::Schedule(MicroSeconds(20 * i), [&net, i] { net.Send(i, 7, 500000); });
            }
            Simulator::Stop(Seconds(2));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(four.GetResult(), Conversation::COMPLETE, "IPv4");
            NS_TEST_EXPECT_MSG_EQ(six.GetResult(), Conversation::COMPLETE, "IPv6");
            NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 7, "messages");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
            NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().hosts.drops,
                                  0,
                                  "what IPv6 tells its link by itself is no drop");
            runs.push_back(log.str());
        }
        NS_TEST_EXPECT_MSG_EQ(runs[0], runs[1], "alike");
    }
};

/// @ingroup llm-training-tests
/// What happens to the IPv6 header on the way.
class Ipv6HeaderTest : public TestCase
{
  public:
    Ipv6HeaderTest()
        : TestCase("IPv6 packets: hop limit counts down, ECN marks, the class follows the DSCP")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Ptr<RedEcnMarker> marker = CreateObject<RedEcnMarker>();
        marker->SetAttribute("Kmin", UintegerValue(10000));
        marker->SetAttribute("Kmax", UintegerValue(20000));
        SwitchSettings settings;
        settings.marker = marker;
        Net net(4096);
        net.BuildLeafSpine(2, 1, 3, 10, 10, MicroSeconds(1), settings);
        net.fabric->SetTrafficClass(10, 2);
        FabricIpHelper ip;
        ip.SetIpv6(true);
        ip.Install(net.fabric, net.hosts);
        Ptr<Socket> sink = Socket::CreateSocket(net.hosts.Get(5), UdpSocketFactory::GetTypeId());
        sink->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 7000));
        sink->SetIpv6RecvTclass(true);
        sink->SetIpv6RecvHopLimit(true);
        std::map<uint32_t, uint32_t> classes;
        std::map<uint32_t, uint32_t> hops;
        sink->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> socket) {
            while (Ptr<Packet> packet = socket->Recv())
            {
                SocketIpv6TclassTag tclass;
                SocketIpv6HopLimitTag hopLimit;
                NS_TEST_ASSERT_MSG_EQ(packet->PeekPacketTag(tclass), true, "traffic class");
                NS_TEST_ASSERT_MSG_EQ(packet->PeekPacketTag(hopLimit), true, "hop limit");
                ++classes[tclass.GetTclass()];
                ++hops[hopLimit.GetHopLimit()];
            }
        }));
        uint64_t outOfTime = 0;
        uint64_t inClass2 = 0;
        for (const auto& port : net.fabric->GetPorts())
        {
            port->TraceConnectWithoutContext(
                "FrameDrop",
                Callback<void, const FabricPort*, const Frame&, DropReason>(
                    [&](const FabricPort*, const Frame&, DropReason reason) {
                        outOfTime += reason == DropReason::TTL ? 1 : 0;
                    }));
            port->TraceConnectWithoutContext(
                "QueueBytes",
                Callback<void, const FabricPort*, uint8_t, uint64_t>(
                    [&](const FabricPort*, uint8_t trafficClass, uint64_t) {
                        inClass2 += trafficClass == 2 ? 1 : 0;
                    }));
        }
        std::vector<Ptr<Socket>> senders;
        for (uint32_t i = 0; i < 3; ++i)
        {
            senders.push_back(
                Socket::CreateSocket(net.hosts.Get(i), UdpSocketFactory::GetTypeId()));
            senders[i]->Bind(Inet6SocketAddress(ip.GetIpv6(i), 0));
            senders[i]->Connect(Inet6SocketAddress(ip.GetIpv6(5), 7000));
            senders[i]->SetIpv6Tclass(i < 2 ? 10 << 2 | 2 : 0);
            for (uint32_t k = 0; k < 200; ++k)
            {
                senders[i]->Send(Create<Packet>(1000));
            }
        }
        Simulator::Schedule(MilliSeconds(5), [&] {
            senders[2]->SetIpv6HopLimit(3); // three switches: dies at the last
            senders[2]->Send(Create<Packet>(1000));
            senders[2]->SetIpv6HopLimit(4);
            senders[2]->Send(Create<Packet>(1000));
        });
        Simulator::Run();
        const uint64_t marks = net.fabric->GetTotals().switches.ecnMarks;
        NS_TEST_EXPECT_MSG_GT(marks, 50, "marks");
        NS_TEST_EXPECT_MSG_EQ(classes[10 << 2 | 3], marks, "CE arrives");
        NS_TEST_EXPECT_MSG_EQ(classes[10 << 2 | 2], 400 - marks, "the others are as sent");
        NS_TEST_EXPECT_MSG_EQ(classes[0], 201, "not ECN-capable: never marked");
        NS_TEST_EXPECT_MSG_EQ(hops[61], 600, "three switches count");
        NS_TEST_EXPECT_MSG_EQ(hops[1], 1, "the last hop");
        NS_TEST_EXPECT_MSG_EQ(outOfTime, 1, "one too few");
        NS_TEST_EXPECT_MSG_GT(inClass2, 100, "queued in the class of its DSCP");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// A fabric whose last host is the gateway to a router and a host on ordinary links.
class GatewayTest : public TestCase
{
  public:
    GatewayTest()
        : TestCase("a gateway forwards IPv4 and IPv6 between a fabric and ordinary ns-3 devices")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        std::vector<std::string> runs;
        for (const char* simulator : SIMULATORS)
        {
            runs.push_back(RunOn(simulator));
        }
        NS_TEST_EXPECT_MSG_EQ(runs[0], runs[1], "alike");
    }

    /** @param simulator type. @return when RDMA messages end. */
    std::string RunOn(const char* simulator)
    {
        SimulatorScope scope(simulator);
        Net net(4096);
        net.BuildLeafSpine(2, 2, 4, 100, 100, MicroSeconds(1));
        const Ptr<Node> gateway = net.hosts.Get(7);
        FabricIpHelper ip;
        ip.SetIpv6(true);
        ip.Install(net.fabric, net.hosts);
        net.Install();

        // gateway - router - outside, stock point-to-point links
        NodeContainer others;
        others.Create(2);
        InternetStackHelper internet;
        internet.Install(others);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        link.SetChannelAttribute("Delay", StringValue("10us"));
        const NetDeviceContainer near = link.Install(gateway, others.Get(0));
        const NetDeviceContainer far = link.Install(others.Get(0), others.Get(1));
        Ipv4AddressHelper four("192.168.1.0", "255.255.255.0");
        four.Assign(near);
        four.SetBase("192.168.2.0", "255.255.255.0");
        const Ipv4Address outside4 = four.Assign(far).GetAddress(1);
        Ipv6AddressHelper six("fd02:0:0:1::", Ipv6Prefix(64));
        Ipv6InterfaceContainer near6 = six.Assign(near);
        six.SetBase("fd02:0:0:2::", Ipv6Prefix(64));
        Ipv6InterfaceContainer far6 = six.Assign(far);
        const Ipv6Address outside6 = far6.GetAddress(1, 1);

        // The fabric learns of the gateway; ns-3's own routing of the fabric.
        ip.AddIpv4Gateway(net.fabric, gateway, "192.168.0.0", "255.255.0.0");
        ip.AddIpv6Gateway(net.fabric, gateway, Ipv6Address("fd02::"), Ipv6Prefix(32));
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        near6.SetForwarding(1, true);
        far6.SetForwarding(0, true);
        far6.SetDefaultRouteInAllNodes(0);
        Ipv6StaticRoutingHelper routing;
        routing.GetStaticRouting(others.Get(0)->GetObject<Ipv6>())
            ->AddNetworkRouteTo("fd00::",
                                Ipv6Prefix(64),
                                near6.GetAddress(0, 1),
                                near6.GetInterfaceIndex(1));
        routing.GetStaticRouting(gateway->GetObject<Ipv6>())
            ->AddNetworkRouteTo("fd02:0:0:2::",
                                Ipv6Prefix(64),
                                near6.GetAddress(1, 1),
                                near6.GetInterfaceIndex(0));

        std::ostringstream log;
        net.recorder.onDelivered = [&log](const Message& message, int64_t now) {
            log << message.from << ' ' << now << '\n';
        };
        const Time start = Seconds(2); // duplicate address detection outside
        Conversation out4(net.hosts.Get(0), ip.GetIpv4(0), others.Get(1), outside4, start);
        Conversation out6(net.hosts.Get(1), ip.GetIpv6(1), others.Get(1), outside6, start);
        Conversation in4(others.Get(1), outside4, net.hosts.Get(2), ip.GetIpv4(2), start);
        Conversation in6(others.Get(1), outside6, net.hosts.Get(3), ip.GetIpv6(3), start);
        for (uint32_t i = 0; i < 7; ++i)
        {
            Simulator::Schedule(start + MicroSeconds(20 * i),
                                [&net, i] { net.Send(i, 7, 500000); });
        }
        Simulator::Stop(Seconds(6));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(out4.GetResult(), Conversation::COMPLETE, "out, IPv4");
        NS_TEST_EXPECT_MSG_EQ(out6.GetResult(), Conversation::COMPLETE, "out, IPv6");
        NS_TEST_EXPECT_MSG_EQ(in4.GetResult(), Conversation::COMPLETE, "in, IPv4");
        NS_TEST_EXPECT_MSG_EQ(in6.GetResult(), Conversation::COMPLETE, "in, IPv6");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 7, "messages");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        return log.str();
    }
};

/// @ingroup llm-training-tests
/// What a fabric does not carry.
class NoRouteTest : public TestCase
{
  public:
    NoRouteTest()
        : TestCase("multicast, broadcast and unknown addresses are dropped at the sender, counted")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(4096);
        net.BuildStar(3, 100, MicroSeconds(1));
        FabricIpHelper ip;
        ip.SetIpv6(true);
        ip.Install(net.fabric, net.hosts);
        const Ptr<Ipv4> ipv4 = net.hosts.Get(0)->GetObject<Ipv4>();
        const Ptr<Ipv6> ipv6 = net.hosts.Get(0)->GetObject<Ipv6>();
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultMulticastRoute(1);
        Ipv6StaticRoutingHelper().GetStaticRouting(ipv6)->SetDefaultMulticastRoute(1);
        std::map<std::string, uint32_t> dropped;
        std::string what;
        net.HostPort(0).TraceConnectWithoutContext(
            "MacTxDrop",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) { ++dropped[what]; }));
        Ptr<Socket> four = Socket::CreateSocket(net.hosts.Get(0), UdpSocketFactory::GetTypeId());
        four->Bind(InetSocketAddress(ip.GetIpv4(0), 0));
        four->SetAllowBroadcast(true);
        four->BindToNetDevice(net.fabric->GetEndpointPort(0));
        Ptr<Socket> six = Socket::CreateSocket(net.hosts.Get(0), UdpSocketFactory::GetTypeId());
        six->Bind(Inet6SocketAddress(ip.GetIpv6(0), 0));
        six->BindToNetDevice(net.fabric->GetEndpointPort(0));
        uint32_t i = 0;
        for (const auto& [name, address] : std::vector<std::pair<std::string, Address>>{
                 {"broadcast", InetSocketAddress("255.255.255.255", 9)},
                 {"multicast", InetSocketAddress("224.1.2.3", 9)},
                 {"unknown", InetSocketAddress("10.0.0.77", 9)},
                 {"multicast 6", Inet6SocketAddress("ff0e::9", 9)},
                 {"unknown 6", Inet6SocketAddress("fd00::77", 9)}})
        {
            Simulator::Schedule(Seconds(1 + ++i), [&, name = name, address = address] {
                what = name;
                const auto& socket = Inet6SocketAddress::IsMatchingType(address) ? six : four;
                socket->SendTo(Create<Packet>(100), 0, address);
            });
        }
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        for (const char* name : {"broadcast", "multicast", "unknown", "multicast 6", "unknown 6"})
        {
            NS_TEST_EXPECT_MSG_EQ(dropped[name], 1, name);
        }
        NS_TEST_EXPECT_MSG_EQ(net.HostPort(0).GetCounters().drops, 5, "counted");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().hosts.txFrames, 0, "nothing left");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Addresses, prefixes, and what the helper refuses.
class AddressesTest : public TestCase
{
  public:
    AddressesTest()
        : TestCase("networks of one's own, the longest prefix of gateways, errors in one line")
    {
    }

  private:
    /** @param action throws. @return its message. */
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

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(4096);
        net.BuildStar(4, 100, MicroSeconds(1));
        FabricIpHelper ip;
        ip.SetIpv6(true);
        ip.SetIpv4Network("172.16.0.255", "255.255.0.0");
        ip.SetIpv6Network("fd01::ff:ffff", Ipv6Prefix(96));
        NS_TEST_EXPECT_MSG_EQ(ip.GetIpv4(255), Ipv4Address("172.16.1.0"), "carry");
        NS_TEST_EXPECT_MSG_EQ(ip.GetIpv6(65535), Ipv6Address("fd01::1:0"), "carry");
        ip.Install(net.fabric, net.hosts);
        FabricAddressTable& table = net.fabric->GetAddresses();
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv4Address("172.16.0.3")), 2, "IPv4");
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv6Address("fd01::3")), 2, "IPv6");
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv4Address("10.0.0.1")), UINT32_MAX, "not made up");
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv4Address("192.168.5.5")), UINT32_MAX, "outside");
        ip.AddIpv4Gateway(net.fabric,
                          net.hosts.Get(0),
                          Ipv4Address("0.0.0.0"),
                          Ipv4Mask("0.0.0.0"));
        ip.AddIpv4Gateway(net.fabric, net.hosts.Get(1), "192.168.0.0", "255.255.0.0");
        ip.AddIpv4Gateway(net.fabric, net.hosts.Get(2), "192.168.6.0", "255.255.255.0");
        ip.AddIpv6Gateway(net.fabric, net.hosts.Get(3), Ipv6Address("2001::"), Ipv6Prefix(16));
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv4Address("192.168.5.5")), 1, "/16");
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv4Address("192.168.6.5")), 2, "/24");
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv4Address("8.8.8.8")), 0, "everything else");
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv4Address("172.16.0.3")), 2, "an endpoint's own first");
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv6Address("2001:1::1")), 3, "IPv6");
        NS_TEST_EXPECT_MSG_EQ(table.Find(Ipv6Address("2002:1::1")), UINT32_MAX, "no gateway");
        NS_TEST_EXPECT_MSG_EQ(
            What([&] {
                ip.AddIpv4Gateway(net.fabric, net.hosts.Get(3), "192.168.0.0", "255.255.0.0");
            }),
            "Fabric: Announce: 192.168.0.0/16 is announced by endpoint 1 already, and now by 3; a "
            "network has one gateway",
            "two gateways");

        Net bare(4096);
        bare.BuildStar(4, 100, MicroSeconds(1));
        const uint32_t first = bare.hosts.Get(0)->GetId();
        const auto node = [first](uint32_t i) {
            return "FabricIpHelper: node " + std::to_string(first + i) + ": ";
        };
        FabricIpHelper plain;
        NS_TEST_EXPECT_MSG_EQ(
            What([&] {
                plain.AddIpv4Gateway(bare.fabric, bare.hosts.Get(1), "192.168.0.0", "255.255.0.0");
            }),
            node(1) + "has no IPv4 address in the fabric, as a gateway needs; install it first",
            "no stack");
        plain.SetIpv4Network("10.1.0.0", "255.255.255.252");
        NS_TEST_EXPECT_MSG_EQ(
            What([&] { plain.Install(bare.fabric, bare.hosts); }),
            node(2) + "is endpoint 2, but a network with a prefix of 30 bits has fewer addresses; "
                      "give it a shorter one",
            "too small");
        FabricIpHelper both;
        both.SetIpv6(true);
        NS_TEST_EXPECT_MSG_EQ(What([&] { both.Install(bare.fabric, bare.hosts.Get(0)); }),
                              node(0) + "has an IPv4 stack only, to which ns-3 can add no other; "
                                        "install both at once",
                              "half a stack");
        both.SetMtu(1000);
        NS_TEST_EXPECT_MSG_EQ(What([&] { both.Install(bare.fabric, bare.hosts.Get(3)); }),
                              "FabricIpHelper: MTU: is 1000 B; IPv6 needs at least 1280 B",
                              "MTU");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class FabricIpSuite : public TestSuite
{
  public:
    FabricIpSuite()
        : TestSuite("llm-training-fabric-ip", Type::UNIT)
    {
        AddTestCase(new DualStackTest, llm::TestDuration::QUICK);
        AddTestCase(new Ipv6HeaderTest, llm::TestDuration::QUICK);
        AddTestCase(new GatewayTest, llm::TestDuration::QUICK);
        AddTestCase(new NoRouteTest, llm::TestDuration::QUICK);
        AddTestCase(new AddressesTest, llm::TestDuration::QUICK);
    }
};

FabricIpSuite g_fabricIpSuite; //!< instance

} // namespace
