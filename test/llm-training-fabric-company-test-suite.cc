/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A fabric among other things of ns-3: applications on TCP and UDP, another fabric, Config paths,
// pcap; and how flows spread over equal paths.

#include "fabric-test-helpers.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/ecmp-load-balancer.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/trace-helper.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-company"; //!< name

/** Give every endpoint an internet stack and an address of one subnet. */
Ipv4InterfaceContainer
InstallInternet(Net& net, const char* network = "10.1.0.0")
{
    InternetStackHelper stack;
    stack.Install(net.hosts);
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < net.hosts.GetN(); ++i)
    {
        devices.Add(net.fabric->GetEndpointPort(i));
    }
    Ipv4AddressHelper addresses(network, "255.255.0.0");
    return addresses.Assign(devices);
}

/** A UDP socket at a host. */
Ptr<Socket>
MakeUdp(Ptr<Node> node, uint16_t port)
{
    Ptr<Socket> socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    return socket;
}

/// @ingroup llm-training-tests
/// TCP and UDP beside RDMA.
class ApplicationsTest : public TestCase
{
  public:
    ApplicationsTest()
        : TestCase("TCP and UDP applications share ports and buffers with RDMA, all bytes arrive")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const char* simulator : {"ns3::DefaultSimulatorImpl", "ns3::llm::FabricSimulatorImpl"})
        {
            SimulatorScope scope(simulator);
            SwitchSettings settings;
            settings.marker = CreateObject<RedEcnMarker>();
            Net net(4096);
            net.BuildLeafSpine(2, 2, 4, 10, 10, MicroSeconds(1), settings);
            const Ipv4InterfaceContainer addresses = InstallInternet(net);
            RdmaTransportHelper helper;
            helper.SetCongestionControl("ns3::llm::RdmaDcqcn");
            net.Install(helper);

            ApplicationContainer sinks;
            PacketSinkHelper tcpSink("ns3::TcpSocketFactory",
                                     InetSocketAddress(Ipv4Address::GetAny(), 5000));
            PacketSinkHelper udpSink("ns3::UdpSocketFactory",
                                     InetSocketAddress(Ipv4Address::GetAny(), 5001));
            sinks.Add(tcpSink.Install(net.hosts.Get(7)));
            sinks.Add(udpSink.Install(net.hosts.Get(7)));
            BulkSendHelper bulk("ns3::TcpSocketFactory",
                                InetSocketAddress(addresses.GetAddress(7), 5000));
            bulk.SetAttribute("MaxBytes", UintegerValue(1000000));
            bulk.Install(net.hosts.Get(0));
            OnOffHelper onOff("ns3::UdpSocketFactory",
                              InetSocketAddress(addresses.GetAddress(7), 5001));
            onOff.SetConstantRate(DataRate("1Gbps"), 1000);
            onOff.SetAttribute("MaxBytes", UintegerValue(500000));
            onOff.Install(net.hosts.Get(1));
            for (uint32_t i = 0; i < 7; ++i)
            {
                Simulator::Schedule(MicroSeconds(50 * i), [&net, i] { net.Send(i, 7, 1000000); });
            }
            Simulator::Stop(Seconds(2));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx(),
                                  1000000,
                                  "TCP bytes");
            NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sinks.Get(1))->GetTotalRx(),
                                  500000,
                                  "UDP bytes");
            NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 7, "messages");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }
};

/// @ingroup llm-training-tests
/// What happens to the IPv4 header on the way.
class Ipv4HeaderTest : public TestCase
{
  public:
    Ipv4HeaderTest()
        : TestCase(
              "IPv4 packets are marked if ECN-capable, count down their TTL, and run out of it")
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
        const Ipv4InterfaceContainer addresses = InstallInternet(net);
        Ptr<Socket> sink = MakeUdp(net.hosts.Get(5), 7000);
        uint32_t marked[4] = {};
        uint32_t count = 0;
        std::set<uint32_t> ttls;
        sink->SetIpRecvTos(true);
        sink->SetIpRecvTtl(true);
        sink->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> socket) {
            while (Ptr<Packet> packet = socket->Recv())
            {
                SocketIpTosTag tos;
                SocketIpTtlTag ttl;
                NS_TEST_ASSERT_MSG_EQ(packet->PeekPacketTag(tos), true, "TOS");
                NS_TEST_ASSERT_MSG_EQ(packet->PeekPacketTag(ttl), true, "TTL");
                ++marked[tos.GetTos() & 3];
                ttls.insert(ttl.GetTtl());
                ++count;
            }
        }));
        uint64_t outOfTime = 0;
        for (const auto& port : net.fabric->GetPorts())
        {
            port->TraceConnectWithoutContext(
                "FrameDrop",
                Callback<void, const FabricPort*, const Frame&, DropReason>(
                    [&](const FabricPort*, const Frame& frame, DropReason reason) {
                        outOfTime += reason == DropReason::TTL ? 1 : 0;
                        NS_TEST_EXPECT_MSG_EQ((frame.kind == FrameKind::PACKET), true, "kind");
                    }));
        }
        // Three senders into one port: two of ECN-capable packets, one not.
        std::vector<Ptr<Socket>> senders;
        for (uint32_t i = 0; i < 3; ++i)
        {
            senders.push_back(MakeUdp(net.hosts.Get(i), 7000));
            senders[i]->Connect(InetSocketAddress(addresses.GetAddress(5), 7000));
            senders[i]->SetIpTos(i < 2 ? 0x02 : 0x00); // Connect resets it
            for (uint32_t k = 0; k < 200; ++k)
            {
                senders[i]->Send(Create<Packet>(1000));
            }
        }
        // Two with no time left: one dies at the first switch, one at the last.
        Simulator::Schedule(MilliSeconds(5), [&] {
            senders[0]->SetIpTtl(1);
            senders[0]->Send(Create<Packet>(1000));
            senders[0]->SetIpTtl(3);
            senders[0]->Send(Create<Packet>(1000));
            senders[0]->SetIpTtl(4);
            senders[0]->Send(Create<Packet>(1000));
        });
        Simulator::Run();
        const uint64_t marks = net.fabric->GetTotals().switches.ecnMarks;
        NS_TEST_EXPECT_MSG_EQ(count, 601, "packets");
        NS_TEST_EXPECT_MSG_GT(marks, 50, "marks");
        NS_TEST_EXPECT_MSG_EQ(marked[3], marks, "CE arrives");
        NS_TEST_EXPECT_MSG_EQ(marked[2], 401 - marks, "ECT(0) stays where the queue was short");
        NS_TEST_EXPECT_MSG_EQ(marked[0], 200, "not ECN-capable: never marked");
        NS_TEST_EXPECT_MSG_EQ(outOfTime, 2, "TTL");
        NS_TEST_EXPECT_MSG_EQ((ttls == std::set<uint32_t>{61, 1}), true, "three switches count");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Addresses, and nodes that cannot be reached.
class AddressTest : public TestCase
{
  public:
    AddressTest()
        : TestCase("addresses of a stack win over made-up ones; unreachable endpoints are refused")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        // Host 3 has no stack and would be 10.0.0.4, which host 0 was given.
        {
            Net net(4096);
            net.BuildStar(4, 100, MicroSeconds(1));
            InternetStackHelper stack;
            stack.Install(net.hosts.Get(0));
            stack.Install(net.hosts.Get(1));
            Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0", "0.0.0.4");
            addresses.Assign(
                NetDeviceContainer(NetDeviceContainer(net.fabric->GetEndpointPort(0)),
                                   NetDeviceContainer(net.fabric->GetEndpointPort(1))));
            NS_TEST_EXPECT_MSG_EQ(net.fabric->GetAddresses().Find(Ipv4Address("10.0.0.4")),
                                  0,
                                  "given");
            NS_TEST_EXPECT_MSG_EQ(net.fabric->GetAddresses().Find(Ipv4Address("10.0.0.5")),
                                  1,
                                  "given");
            NS_TEST_EXPECT_MSG_EQ(net.fabric->GetAddresses().Find(Ipv4Address("10.0.0.3")),
                                  2,
                                  "made up");
            NS_TEST_EXPECT_MSG_EQ(net.fabric->GetAddresses().Find(Ipv4Address("10.0.0.9")),
                                  UINT32_MAX,
                                  "nobody");
            NS_TEST_EXPECT_MSG_EQ(net.fabric->GetAddresses().Find(Ipv4Address("10.0.0.4")),
                                  0,
                                  "still");
        }
        // Two hosts back to back beside a switch.
        {
            Net net(4096);
            Ptr<Node> center = net.AddSwitch();
            net.Link(net.AddHost(), center, 100, MicroSeconds(1));
            net.Link(net.AddHost(), center, 100, MicroSeconds(1));
            net.Link(net.AddHost(), net.AddHost(), 100, MicroSeconds(1));
            std::string error;
            try
            {
                net.fabric->Build();
            }
            catch (const ConfigError& thrown)
            {
                error = thrown.what();
            }
            NS_TEST_EXPECT_MSG_NE(error.find("cannot reach"), std::string::npos, error);
        }
        // Two islands of switches.
        {
            Net net(4096);
            for (uint32_t i = 0; i < 2; ++i)
            {
                Ptr<Node> center = net.AddSwitch();
                net.Link(net.AddHost(), center, 100, MicroSeconds(1));
                net.Link(net.AddHost(), center, 100, MicroSeconds(1));
            }
            std::string error;
            try
            {
                net.fabric->Build();
            }
            catch (const ConfigError& thrown)
            {
                error = thrown.what();
            }
            NS_TEST_EXPECT_MSG_NE(error.find("cannot reach"), std::string::npos, error);
        }
    }
};

/// @ingroup llm-training-tests
/// Two fabrics at once.
class TwoFabricsTest : public TestCase
{
  public:
    TwoFabricsTest()
        : TestCase("two fabrics in one simulation do not disturb each other")
    {
    }

  private:
    /** Post the traffic of a fabric. */
    static void Post(Net& net)
    {
        for (uint32_t i = 1; i < net.hosts.GetN(); ++i)
        {
            net.Send(i, 0, 300000 + i);
        }
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const char* simulator : {"ns3::DefaultSimulatorImpl", "ns3::llm::FabricSimulatorImpl"})
        {
            SimulatorScope scope(simulator);
            std::vector<int64_t> alone;
            for (const uint64_t gbps : {100, 400})
            {
                Net net(4096);
                net.BuildStar(6, gbps, MicroSeconds(1));
                net.Install();
                Post(net);
                Simulator::Run();
                alone.push_back(net.recorder.GetEnd());
            }
            Net slow(4096);
            slow.BuildStar(6, 100, MicroSeconds(1));
            slow.Install();
            Net fast(4096);
            fast.BuildStar(6, 400, MicroSeconds(1));
            fast.Install();
            Post(slow);
            Post(fast);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(slow.recorder.GetEnd(), alone[0], "as alone");
            NS_TEST_EXPECT_MSG_EQ(fast.recorder.GetEnd(), alone[1], "as alone");
            NS_TEST_EXPECT_MSG_EQ(slow.CheckBooks(), "", "books");
            NS_TEST_EXPECT_MSG_EQ(fast.CheckBooks(), "", "books");
        }
    }
};

/** Counts what Config paths bring. */
class PathCounter
{
  public:
    void Pfc(std::string path, const FabricPort*, uint8_t, uint16_t quanta)
    {
        Count(path);
        quantaSeen += quanta;
    }

    void Mark(std::string path, const FabricPort*, const Frame&)
    {
        Count(path);
    }

    void Drop(std::string path, const FabricPort*, const Frame&, DropReason)
    {
        Count(path);
    }

    void Queue(std::string path, const FabricPort*, uint8_t, uint64_t)
    {
        Count(path);
    }

    void QueuePair(std::string path, const RdmaQueuePair&)
    {
        Count(path);
    }

    void Value(std::string path, const RdmaQueuePair&, uint64_t)
    {
        Count(path);
    }

    void Mac(std::string path, Ptr<const Packet> packet)
    {
        Count(path);
        bytes[path.substr(path.rfind('/') + 1)] += packet->GetSize();
    }

    std::map<std::string, uint64_t> counts; //!< by name of the source
    std::map<std::string, uint64_t> bytes;  //!< of packets
    uint64_t quantaSeen{0};                 //!< sum

  private:
    void Count(const std::string& path)
    {
        ++counts[path.substr(path.rfind('/') + 1)];
    }
};

/// @ingroup llm-training-tests
/// Trace sources by path.
class ConfigPathTest : public TestCase
{
  public:
    ConfigPathTest()
        : TestCase(
              "every trace source can be reached by a Config path, and tells what counters count")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        SwitchSettings settings;
        settings.marker = CreateObject<RedEcnMarker>();
        settings.bufferBytes = 1 << 20;
        Net net(4096);
        net.BuildStar(9, 100, MicroSeconds(1), settings);
        RdmaTransportHelper helper;
        helper.SetCongestionControl("ns3::llm::RdmaDcqcn");
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(300)));
        net.Install(helper);
        Net::Lose(net.HostPort(0), [seen = 0](const Frame& frame) mutable {
            return frame.kind == FrameKind::WRITE && ++seen % 1000 == 0;
        });
        PathCounter counter;
        const std::string device = "/NodeList/*/DeviceList/*/$ns3::llm::FabricPort/";
        const std::string nic = "/NodeList/*/$ns3::llm::RdmaNic/";
        for (const char* name : {"PfcSent", "PfcPause", "PfcResume"})
        {
            Config::Connect(device + name, MakeCallback(&PathCounter::Pfc, &counter));
        }
        Config::Connect(device + "EcnMark", MakeCallback(&PathCounter::Mark, &counter));
        Config::Connect(device + "FrameDrop", MakeCallback(&PathCounter::Drop, &counter));
        Config::Connect(device + "QueueBytes", MakeCallback(&PathCounter::Queue, &counter));
        for (const char* name : {"MacTx",
                                 "MacRx",
                                 "MacPromiscRx",
                                 "PhyTxBegin",
                                 "PhyTxEnd",
                                 "PhyRxEnd",
                                 "PhyRxDrop",
                                 "Sniffer",
                                 "PromiscSniffer"})
        {
            Config::Connect(device + name, MakeCallback(&PathCounter::Mac, &counter));
        }
        for (const char* name : {"CnpSent", "CnpReceived", "RetransmissionTimeout"})
        {
            Config::Connect(nic + name, MakeCallback(&PathCounter::QueuePair, &counter));
        }
        Config::Connect(nic + "Rate", MakeCallback(&PathCounter::Value, &counter));
        Config::Connect(nic + "Window", MakeCallback(&PathCounter::Value, &counter));
        for (uint32_t i = 1; i < 9; ++i)
        {
            net.Send(i, 0, 1000000);
        }
        net.Send(8, 0, 1); // its only packet may be lost
        Simulator::Run();
        const FabricTotals totals = net.fabric->GetTotals();
        const TransportTotals books = net.transport->GetTotals();
        auto& counts = counter.counts;
        NS_TEST_EXPECT_MSG_GT(totals.hosts.pauses, 0, "pauses");
        NS_TEST_EXPECT_MSG_GT(totals.switches.ecnMarks, 0, "marks");
        NS_TEST_EXPECT_MSG_GT(totals.hosts.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(counts["PfcPause"], totals.hosts.pauses, "pauses");
        NS_TEST_EXPECT_MSG_EQ(counts["PfcResume"], totals.hosts.pauses, "resumes");
        NS_TEST_EXPECT_MSG_EQ(counts["PfcSent"],
                              totals.switches.pfcXoffSent + totals.switches.pfcXonSent,
                              "PFC frames");
        NS_TEST_EXPECT_MSG_EQ(counts["EcnMark"], totals.switches.ecnMarks, "marks");
        NS_TEST_EXPECT_MSG_EQ(counts["FrameDrop"], totals.hosts.drops, "drops");
        NS_TEST_EXPECT_MSG_EQ(counts["PhyRxDrop"], totals.hosts.drops, "drops");
        NS_TEST_EXPECT_MSG_GT(counts["QueueBytes"], 0, "queues");
        NS_TEST_EXPECT_MSG_EQ(counts["CnpSent"], books.cnpsSent, "CNPs");
        NS_TEST_EXPECT_MSG_EQ(counts["CnpReceived"], books.cnpsReceived, "CNPs");
        NS_TEST_EXPECT_MSG_EQ(counts["RetransmissionTimeout"], books.timeouts, "timeouts");
        NS_TEST_EXPECT_MSG_GT(counts["Rate"], 8, "rates");
        for (const char* name : {"MacTx", "PhyTxBegin", "PhyTxEnd"})
        {
            NS_TEST_EXPECT_MSG_EQ(counts[name], totals.packetHops, name);
            NS_TEST_EXPECT_MSG_EQ(counter.bytes[name] + 4 * totals.packetHops,
                                  totals.hosts.txBytes + totals.switches.txBytes,
                                  name << ": bytes, with the FCS that is not shown");
        }
        const uint64_t received = totals.packetHops - totals.hosts.drops;
        for (const char* name : {"MacRx", "MacPromiscRx", "PhyRxEnd"})
        {
            NS_TEST_EXPECT_MSG_EQ(counts[name], received, name);
        }
        for (const char* name : {"Sniffer", "PromiscSniffer"})
        {
            NS_TEST_EXPECT_MSG_EQ(counts[name], totals.packetHops + received, name);
        }
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Equal-cost paths.
class EcmpTest : public TestCase
{
  public:
    EcmpTest()
        : TestCase(
              "flows spread over all equal paths, differently at each switch; one flow, one path")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const uint64_t seed : {0, 77})
        {
            Net net(1024);
            std::vector<Ptr<EcmpLoadBalancer>> balancers;
            std::vector<Ptr<Node>> spines;
            std::vector<Ptr<Node>> leaves;
            for (uint32_t s = 0; s < 12; ++s)
            {
                Ptr<EcmpLoadBalancer> balancer = CreateObject<EcmpLoadBalancer>();
                balancer->SetAttribute("Seed", UintegerValue(seed));
                balancers.push_back(balancer);
                (s < 4 ? spines : leaves).push_back(net.AddSwitch());
                (s < 4 ? spines : leaves)
                    .back()
                    ->GetObject<FabricSwitch>()
                    ->SetAttribute("LoadBalancer", PointerValue(balancer));
            }
            for (const auto& leaf : leaves)
            {
                for (uint32_t i = 0; i < 8; ++i)
                {
                    net.Link(net.AddHost(), leaf, 100, NanoSeconds(500));
                }
                for (const auto& spine : spines)
                {
                    net.Link(leaf, spine, 400, NanoSeconds(500));
                }
            }
            net.fabric->Build();
            net.Install();
            // Every host to every host of the next leaf: 8 * 8 * 8 flows of 4 packets.
            for (uint32_t i = 0; i < 64; ++i)
            {
                for (uint32_t k = 0; k < 8; ++k)
                {
                    net.Send(i, (i / 8 * 8 + 8 + k) % 64, 4096);
                }
            }
            Simulator::Run();
            std::set<std::vector<uint64_t>> patterns;
            uint64_t least = UINT64_MAX;
            uint64_t most = 0;
            for (uint32_t leaf = 0; leaf < 8; ++leaf)
            {
                std::vector<uint64_t> up;
                for (uint32_t p = 8; p < 12; ++p)
                {
                    const uint64_t frames =
                        net.Switch(4 + leaf).GetPorts()[p]->GetCounters().txDataFrames;
                    NS_TEST_EXPECT_MSG_EQ(frames % 4, 0, "a flow keeps its path");
                    up.push_back(frames / 4);
                    least = std::min(least, frames / 4);
                    most = std::max(most, frames / 4);
                }
                patterns.insert(up);
            }
            // 64 flows on 4 links: 16 each on average, sigma 3.5.
            NS_TEST_EXPECT_MSG_GT(least, 4, "no path is left out");
            NS_TEST_EXPECT_MSG_LT(most, 30, "no path is preferred");
            NS_TEST_EXPECT_MSG_GT(patterns.size(), 4, "leaves spread differently");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
            // The same frames at two switches: alike with equal seeds only.
            uint32_t alike = 0;
            for (uint16_t entropy = 0; entropy < 400; ++entropy)
            {
                Frame frame = Frame();
                frame.source = 1;
                frame.destination = 50;
                frame.entropy = entropy;
                alike +=
                    balancers[4]->ChooseByHash(frame, 4) == balancers[5]->ChooseByHash(frame, 4)
                        ? 1
                        : 0;
            }
            if (seed)
            {
                NS_TEST_EXPECT_MSG_EQ(alike, 400, "equal seeds polarise");
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(alike, 100.0, 30.0, "seeds differ by switch");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// A capture, by the real dissector.
class PcapTest : public TestCase
{
  public:
    PcapTest()
        : TestCase("a pcap of a busy port is dissected by tshark without a malformed frame")
    {
    }

  private:
    /** @return what a command prints, or "" if it fails. */
    static std::string Run(const std::string& command)
    {
        std::string output;
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
        char line[256];
        while (pipe && std::fgets(line, sizeof(line), pipe.get()))
        {
            output += line;
        }
        return output;
    }

    /** What is to be seen in the capture. */
    struct Seen
    {
        uint64_t frames{0};    //!< all
        uint64_t malformed{0}; //!< or with another complaint of that kind
        uint64_t data{0};      //!< RDMA data that the host sent
        uint64_t cnps{0};      //!< to the host
        uint64_t acks{0};      //!< to the host
        uint64_t naks{0};      //!< to the host
        uint64_t pfc{0};       //!< pause frames
        uint64_t udp{0};       //!< of the application
        uint64_t hopped{0};    //!< ACKs that passed one switch
    };

    /** @return what tshark sees. */
    static Seen Dissect(const std::string& file)
    {
        Seen seen;
        std::istringstream lines(
            Run("tshark -r '" + file +
                "' -T fields -E separator=, -E occurrence=f -e ip.src -e ip.ttl "
                "-e infiniband.bth.opcode -e infiniband.aeth.syndrome.opcode -e macc.opcode "
                "-e udp.dstport -e _ws.malformed -e frame.number 2>/dev/null"));
        for (std::string line; std::getline(lines, line);)
        {
            std::vector<std::string> field(1);
            for (const char c : line)
            {
                if (c == ',')
                {
                    field.emplace_back();
                }
                else
                {
                    field.back() += c;
                }
            }
            field.resize(8);
            const bool fromHost = field[0] == "10.1.0.2";
            const int opcode = field[2].empty() ? -1 : std::stoi(field[2]);
            ++seen.frames;
            seen.malformed += field[6].empty() ? 0 : 1;
            seen.data += fromHost && opcode >= 6 && opcode <= 11 ? 1 : 0;
            seen.cnps += !fromHost && opcode == 129 ? 1 : 0;
            seen.acks += !fromHost && opcode == 17 && field[3] == "0" ? 1 : 0;
            seen.naks += !fromHost && opcode == 17 && field[3] == "3" ? 1 : 0;
            seen.hopped += !fromHost && opcode == 17 && field[1] == "63" ? 1 : 0;
            seen.pfc += field[4].empty() ? 0 : 1;
            seen.udp += field[5] == "7000" ? 1 : 0;
        }
        return seen;
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const std::string file = CreateTempDirFilename("port.pcap");
        FabricPortCounters counters;
        RdmaQueuePairCounters sender;
        RdmaQueuePairCounters receiver;
        uint64_t pauseFrames = 0;
        {
            Ptr<RedEcnMarker> marker = CreateObject<RedEcnMarker>();
            marker->SetAttribute("Kmin", UintegerValue(20000));
            marker->SetAttribute("Kmax", UintegerValue(100000));
            SwitchSettings settings;
            settings.marker = marker;
            settings.bufferBytes = 300000;
            Net net(1024);
            net.BuildStar(5, 100, MicroSeconds(1), settings);
            const Ipv4InterfaceContainer addresses = InstallInternet(net);
            RdmaTransportHelper helper;
            helper.SetCongestionControl("ns3::llm::RdmaDcqcn");
            net.Install(helper);
            Net::Lose(*net.Switch(0).GetPorts()[1], [seen = 0](const Frame& frame) mutable {
                return frame.kind == FrameKind::WRITE && ++seen == 100; // causes a NAK
            });
            PcapHelper pcap;
            pcap.HookDefaultSink<FabricPort>(
                net.fabric->GetEndpointPort(1),
                "PromiscSniffer",
                pcap.CreateFile(file, std::ios::out, PcapHelper::DLT_EN10MB));
            for (uint32_t i = 1; i < 5; ++i)
            {
                net.Send(i, 0, 500001);
            }
            net.Send(0, 1, 100);
            Ptr<Socket> sink = MakeUdp(net.hosts.Get(0), 7000);
            Ptr<Socket> source = MakeUdp(net.hosts.Get(1), 7000);
            source->Connect(InetSocketAddress(addresses.GetAddress(0), 7000));
            for (uint32_t size : {1, 100, 1400})
            {
                source->Send(Create<Packet>(size));
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
            counters = net.HostPort(1).GetCounters();
            const FabricPortCounters far = net.Switch(0).GetPorts()[1]->GetCounters();
            pauseFrames = far.pfcXoffSent + far.pfcXonSent;
            sender = net.transport->FindQueuePair(1, 0, 0)->GetCounters();
            receiver = net.transport->FindQueuePair(0, 1, 0)->GetCounters();
        } // the file is closed with the port
        if (Run("tshark --version 2>/dev/null").empty())
        {
            std::cout << "tshark is not installed: the capture was not dissected\n";
            return;
        }
        const Seen seen = Dissect(file);
        NS_TEST_EXPECT_MSG_EQ(seen.frames, counters.txFrames + counters.rxFrames, "all frames");
        NS_TEST_EXPECT_MSG_EQ(seen.malformed, 0, "malformed");
        NS_TEST_EXPECT_MSG_EQ(seen.data, sender.dataPackets, "data");
        NS_TEST_EXPECT_MSG_EQ(seen.cnps, sender.cnpsReceived, "CNPs");
        NS_TEST_EXPECT_MSG_GT(seen.cnps, 0, "CNPs");
        NS_TEST_EXPECT_MSG_EQ(seen.acks, receiver.acksSent, "ACKs");
        NS_TEST_EXPECT_MSG_EQ(seen.naks, receiver.naksSent, "NAKs");
        NS_TEST_EXPECT_MSG_EQ(seen.naks, 1, "NAKs");
        NS_TEST_EXPECT_MSG_EQ(seen.hopped, seen.acks + seen.naks, "the switch counts down the TTL");
        NS_TEST_EXPECT_MSG_EQ(seen.pfc, pauseFrames, "PFC");
        NS_TEST_EXPECT_MSG_GT(seen.pfc, 0, "PFC");
        NS_TEST_EXPECT_MSG_EQ(seen.udp, 3, "UDP");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class FabricCompanySuite : public TestSuite
{
  public:
    FabricCompanySuite()
        : TestSuite("llm-training-fabric-company", Type::UNIT)
    {
        AddTestCase(new ApplicationsTest, llm::TestDuration::QUICK);
        AddTestCase(new Ipv4HeaderTest, llm::TestDuration::QUICK);
        AddTestCase(new AddressTest, llm::TestDuration::QUICK);
        AddTestCase(new TwoFabricsTest, llm::TestDuration::QUICK);
        AddTestCase(new ConfigPathTest, llm::TestDuration::QUICK);
        AddTestCase(new EcmpTest, llm::TestDuration::QUICK);
        AddTestCase(new PcapTest, llm::TestDuration::QUICK);
    }
};

FabricCompanySuite g_fabricCompanySuite; //!< instance

} // namespace
