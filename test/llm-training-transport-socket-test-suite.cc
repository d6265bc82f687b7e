/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-test-job.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-interface-container.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-socket-transport.h"
#include "ns3/llm-training-compat.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <sstream>

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

/// Hosts around a router, stock point-to-point links.
struct Star
{
    /// @param hosts how many @param rate of each link
    Star(uint32_t hosts, const std::string& rate)
    {
        router.Create(1);
        nodes.Create(hosts);
        InternetStackHelper internet;
        internet.Install(router);
        internet.Install(nodes);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue(rate));
        link.SetChannelAttribute("Delay", StringValue("2us"));
        Ipv4AddressHelper address("10.1.0.0", "255.255.255.0");
        for (uint32_t i = 0; i < hosts; ++i)
        {
            NetDeviceContainer pair = link.Install(nodes.Get(i), router.Get(0));
            addresses.push_back(address.Assign(pair).GetAddress(0));
            devices.Add(pair);
            address.NewNetwork();
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    NodeContainer router;               //!< in the middle
    NodeContainer nodes;                //!< hosts
    NetDeviceContainer devices;         //!< host, router, host, ...
    std::vector<Ipv4Address> addresses; //!< of hosts
};

/// Segment sizes and buffers for as long as it stands.
class TcpScope
{
  public:
    /// @param segment bytes @param buffer bytes
    TcpScope(uint32_t segment, uint32_t buffer)
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    }

    ~TcpScope()
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(536));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(131072));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(131072));
    }
};

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

/// @ingroup llm-training-tests
/// A ring over TCP on point-to-point links.
class SocketRingTestCase : public TestCase
{
  public:
    SocketRingTestCase()
        : TestCase("ring all-reduce over TCP on stock links: exact bytes, one connection per edge")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<std::string> histories;
        for (const auto& simulator : g_simulators)
        {
            histories.push_back(RunOn(simulator));
        }
        NS_TEST_EXPECT_MSG_EQ(histories[0], histories[1], "alike on both simulators");
    }

    /// @return when messages arrive
    std::string RunOn(const std::string& simulator)
    {
        SimulatorScope scope(simulator);
        TcpScope tcp(1448, 131072);
        Star star(4, "1Gbps");
        auto transport = CreateObject<SocketTransport>();
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            transport->AddRank(rank, star.nodes.Get(rank), star.addresses[rank]);
        }
        const uint64_t bytes = 600001;
        auto job = CreateObject<TrainingJob>();
        job->SetAttribute("Iterations", UintegerValue(2));
        job->SetWorkload(MakeScript(
            4,
            std::vector<std::vector<Operation>>(4, {Collective(OperationKind::ALL_REDUCE, bytes)}),
            {WorldGroup(4)}));
        job->SetTransport(transport);
        job->SetCollectives({"ring", 2, 0});
        job->Install(star.nodes);
        std::ostringstream history;
        transport->TraceConnectWithoutContext(
            "MessageEnd",
            Callback<void, const Message&, int64_t>([&](const Message& message, int64_t now) {
                history << message.from << ' ' << message.channel << ' ' << message.start << ' '
                        << now << '\n';
            }));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, Join(job->GetFailure()));
        const TransportTotals totals = transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.bytesDelivered, 2 * 6 * bytes, "delivered");
        NS_TEST_EXPECT_MSG_EQ(totals.payloadSent, 2 * 6 * bytes, "written");
        NS_TEST_EXPECT_MSG_EQ(totals.payloadReceived, 2 * 6 * bytes, "read");
        NS_TEST_EXPECT_MSG_EQ(totals.messagesDelivered, 2 * 2 * 24, "messages");
        NS_TEST_EXPECT_MSG_EQ(transport->GetConnections(), 8, "edges times channels");
        // At least the payload's time on a link, at most half as much again for TCP.
        const double ideal = 1.5 * static_cast<double>(bytes) * 8 / 1e9;
        const double last = TimeStep(job->GetIterations()[1].duration).GetSeconds();
        NS_TEST_EXPECT_MSG_GT(last, ideal, "not faster than the link");
        NS_TEST_EXPECT_MSG_LT(last, 1.5 * ideal, "not much slower either");
        return history.str();
    }
};

/// @ingroup llm-training-tests
/// Sends of any size between nodes and on one node, over IPv4 and IPv6.
class SocketSendTestCase : public TestCase
{
  public:
    SocketSendTestCase()
        : TestCase("messages over sockets: empty ones, one node, partial writes, IPv6")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            Ipv4(simulator);
            Ipv6(simulator);
        }
    }

    /// @return sends and receives between three ranks
    static std::shared_ptr<ScriptedWorkload> Script(uint64_t big)
    {
        // 0 and 1 share a node; 2 is elsewhere
        std::vector<std::vector<Operation>> program(3);
        uint64_t tag = 0;
        for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, big, uint64_t{0}, uint64_t{7}})
        {
            for (const auto& [from, to] :
                 std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {1, 2}, {2, 0}})
            {
                program[from].push_back(PointToPoint(OperationKind::SEND, to, bytes, tag));
                program[to].push_back(PointToPoint(OperationKind::RECV, from, bytes, tag));
            }
            ++tag;
        }
        return MakeScript(3, program);
    }

    /// Over IPv4.
    void Ipv4(const std::string& simulator)
    {
        SimulatorScope scope(simulator);
        TcpScope tcp(1448, 20000);
        Star star(2, "100Mbps");
        auto transport = CreateObject<SocketTransport>();
        transport->AddRank(0, star.nodes.Get(0), star.addresses[0]);
        transport->AddRank(1, star.nodes.Get(0), InetSocketAddress(star.addresses[0], 5000));
        transport->AddRank(2, star.nodes.Get(1), star.addresses[1]);
        Run(transport, {star.nodes.Get(0), star.nodes.Get(0), star.nodes.Get(1)});
    }

    /// Over IPv6.
    void Ipv6(const std::string& simulator)
    {
        SimulatorScope scope(simulator);
        TcpScope tcp(1400, 20000);
        NodeContainer nodes;
        nodes.Create(2);
        InternetStackHelper internet;
        internet.Install(nodes);
        PointToPointHelper link;
        NetDeviceContainer devices = link.Install(nodes);
        Ipv6AddressHelper address;
        address.SetBase("2001:1::", Ipv6Prefix(64));
        Ipv6InterfaceContainer interfaces = address.Assign(devices);
        auto transport = CreateObject<SocketTransport>();
        transport->AddRank(0, nodes.Get(0), interfaces.GetAddress(0, 1));
        transport->AddRank(1, nodes.Get(0), interfaces.GetAddress(0, 1));
        transport->AddRank(2, nodes.Get(1), interfaces.GetAddress(1, 1));
        // Neighbour discovery and duplicate address detection come first.
        Run(transport, {nodes.Get(0), nodes.Get(0), nodes.Get(1)}, Seconds(3));
    }

    /// Run the script.
    void Run(Ptr<SocketTransport> transport, std::vector<Ptr<Node>> nodes, Time start = Time(0))
    {
        const uint64_t big = 300000;
        auto job = CreateObject<TrainingJob>();
        job->SetAttribute("StartTime", TimeValue(start));
        job->SetWorkload(Script(big));
        job->SetTransport(transport);
        job->Install(nodes);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, Join(job->GetFailure()));
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().bytesDelivered, 3 * (big + 8), "bytes");
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().messagesDelivered, 15, "messages");
        NS_TEST_EXPECT_MSG_EQ(transport->GetConnections(), 3, "connections");
    }
};

/// @ingroup llm-training-tests
/// More than 4 GiB in one message.
class SocketBigMessageTestCase : public TestCase
{
  public:
    SocketBigMessageTestCase()
        : TestCase("a message over 4 GiB over a socket is counted in 64 bits")
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(g_simulators[1]);
        TcpScope tcp(65000, 1U << 26);
        NodeContainer nodes;
        nodes.Create(1);
        InternetStackHelper internet;
        internet.Install(nodes);
        auto transport = CreateObject<SocketTransport>();
        transport->AddRank(0, nodes.Get(0), Ipv4Address("127.0.0.1"));
        transport->AddRank(1, nodes.Get(0), Ipv4Address("127.0.0.1"));
        const uint64_t bytes = 4294967299ULL;
        auto job = CreateObject<TrainingJob>();
        job->SetWorkload(MakeScript(2,
                                    {{PointToPoint(OperationKind::SEND, 1, bytes, 0)},
                                     {PointToPoint(OperationKind::RECV, 0, bytes, 0)}}));
        job->SetTransport(transport);
        job->Install(std::vector<Ptr<Node>>{nodes.Get(0), nodes.Get(0)});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, Join(job->GetFailure()));
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().payloadReceived, bytes, "bytes");
    }
};

/// @ingroup llm-training-tests
/// What cannot be connected fails with both ranks and the reason.
class SocketFailureTestCase : public TestCase
{
  public:
    SocketFailureTestCase()
        : TestCase("no stack, no route, a dead link: the job says which ranks and why")
    {
    }

  private:
    /// Run a send from rank 0 to rank 1. @return the failure
    std::string Fail(Ptr<SocketTransport> transport, std::vector<Ptr<Node>> nodes)
    {
        auto job = CreateObject<TrainingJob>();
        job->SetWorkload(MakeScript(2,
                                    {{PointToPoint(OperationKind::SEND, 1, 1000, 0)},
                                     {PointToPoint(OperationKind::RECV, 0, 1000, 0)}}));
        job->SetTransport(transport);
        job->SetAttribute("StallTime", TimeValue(Seconds(1000)));
        job->Install(nodes);
        Simulator::Run();
        return Join(job->GetFailure());
    }

    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            {
                SimulatorScope scope(simulator);
                Star star(2, "1Gbps");
                auto lost = CreateObject<RateErrorModel>();
                lost->SetAttribute("ErrorRate", DoubleValue(1.0));
                star.devices.Get(2)->SetAttribute("ReceiveErrorModel", PointerValue(lost));
                auto transport = CreateObject<SocketTransport>();
                transport->AddRank(0, star.nodes.Get(0), star.addresses[0]);
                transport->AddRank(1, star.nodes.Get(1), star.addresses[1]);
                NS_TEST_EXPECT_MSG_EQ(
                    Fail(transport, {star.nodes.Get(0), star.nodes.Get(1)}),
                    "message of 1000 B from rank 0 to rank 1 cannot be delivered: connection from "
                    "rank 0 to rank 1, channel 4: no connection could be made\n",
                    "dead link");
            }
            {
                SimulatorScope scope(simulator);
                NodeContainer nodes;
                nodes.Create(3);
                InternetStackHelper internet;
                internet.Install(nodes.Get(0));
                internet.Install(nodes.Get(1));
                auto transport = CreateObject<SocketTransport>();
                transport->AddRank(0, nodes.Get(0), Ipv4Address("10.0.0.1"));
                transport->AddRank(1, nodes.Get(1), InetSocketAddress("10.0.0.2", 99));
                NS_TEST_EXPECT_MSG_EQ(
                    What([&]() { transport->AddRank(2, nodes.Get(2), Ipv4Address("10.0.0.3")); }),
                    "SocketTransport: rank 2: node 2 has no ns3::TcpSocketFactory; install an "
                    "Internet stack on it",
                    "no stack");
                NS_TEST_EXPECT_MSG_EQ(
                    What([&]() { transport->AddRank(1, nodes.Get(1), Ipv4Address("10.0.0.2")); }),
                    "SocketTransport: rank 1: was added before",
                    "twice");
                NS_TEST_EXPECT_MSG_EQ(
                    What([&]() {
                        transport->AddRank(3, nodes.Get(1), InetSocketAddress("10.0.0.2", 99));
                    }),
                    "SocketTransport: rank 3: cannot listen on port 99 of node "
                    "1; another socket may use it",
                    "port in use");
                NS_TEST_EXPECT_MSG_EQ(
                    Fail(transport, {nodes.Get(0), nodes.Get(1)}),
                    "message of 1000 B from rank 0 to rank 1 cannot be delivered: connection from "
                    "rank 0 to rank 1, channel 4: there is no route to 10.0.0.2:99\n",
                    "no route");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The suite of the socket transport.
class LlmTrainingTransportSocketTestSuite : public TestSuite
{
  public:
    LlmTrainingTransportSocketTestSuite()
        : TestSuite("llm-training-transport-socket", Type::UNIT)
    {
        AddTestCase(new SocketRingTestCase);
        AddTestCase(new SocketSendTestCase);
        AddTestCase(new SocketBigMessageTestCase);
        AddTestCase(new SocketFailureTestCase);
    }
};

LlmTrainingTransportSocketTestSuite g_llmTrainingTransportSocketTestSuite; //!< registers it

} // namespace
