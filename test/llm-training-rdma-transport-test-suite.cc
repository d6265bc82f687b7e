/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// RDMA without trouble: sizes, sharing of a NIC, windows, what congestion control is told, errors.

#include "fabric-test-helpers.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fabrictest
{

/** Congestion control that does nothing but remember what it was told. */
class Listening : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::test::Listening")
                                .SetParent<RdmaCongestionOps>()
                                .SetGroupName("LlmTraining")
                                .AddConstructor<Listening>();
        return tid;
    }

    uint32_t GetNeeds() const override
    {
        return NEEDS_ACK | NEEDS_SEND;
    }

    void Init(const RdmaPathInfo& path) override
    {
        info = path;
        SetRate(path.lineRate.GetBitRate());
    }

    void OnAck(const RdmaAckInfo& ack) override
    {
        acks.push_back(ack);
    }

    void OnSend(Time, uint32_t wireBytes) override
    {
        sentWireBytes += wireBytes;
    }

    RdmaPathInfo info;             //!< at Init
    std::vector<RdmaAckInfo> acks; //!< in order
    uint64_t sentWireBytes{0};     //!< sum
};

NS_OBJECT_ENSURE_REGISTERED(Listening);

} // namespace fabrictest

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-transport"; //!< name

/// @ingroup llm-training-tests
/// Messages of every size.
class SizesTest : public TestCase
{
  public:
    SizesTest()
        : TestCase("messages of every size arrive once, in order, in the fewest packets; empty "
                   "ones in none")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(1024);
        net.BuildStar(3, 100, MicroSeconds(1));
        net.Install();
        const std::vector<uint64_t> sizes{1, 3, 4, 5, 1023, 1024, 1025, 2048, 100003, 1 << 20};
        uint64_t packets = 0;
        for (const uint16_t channel : {0, 1})
        {
            for (uint64_t tag = 0; tag < sizes.size(); ++tag)
            {
                net.Send(0, 1, sizes[tag], tag, channel);
                net.Send(1, 0, sizes[sizes.size() - 1 - tag], tag, channel);
                net.Send(2, 1, sizes[tag], tag, channel);
                packets += 3 * ((sizes[tag] + 1023) / 1024);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 6 * sizes.size(), "each once");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), 6 * sizes.size(), "each once");
        std::map<std::tuple<uint32_t, uint32_t, uint16_t>, uint64_t> next;
        for (const auto& entry : net.recorder.delivered)
        {
            const Message& m = entry.message;
            NS_TEST_EXPECT_MSG_EQ(m.tag, (next[{m.from, m.to, m.channel}]++), "order");
            NS_TEST_EXPECT_MSG_EQ(m.start, 0, "start");
        }
        const TransportTotals totals = net.transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.dataPackets, packets, "packets");
        NS_TEST_EXPECT_MSG_EQ(totals.acksSent, packets, "an ACK each");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetQueuePairCount(), 8, "two pairs, two channels");

        Net empty(1024);
        empty.BuildStar(2, 100, MicroSeconds(1));
        empty.Install();
        bool first = true;
        int64_t posted = 0;
        empty.recorder.onDelivered = [&](const Message& m, int64_t now) {
            if (m.tag == 7 && first)
            {
                first = false;
                empty.Send(m.to, m.from, 0, 8); // from within
            }
            NS_TEST_EXPECT_MSG_EQ(now, m.start, "at once");
            NS_TEST_EXPECT_MSG_EQ(now, posted, "at once");
        };
        Simulator::Schedule(MicroSeconds(3), [&] {
            posted = Simulator::Now().GetTimeStep();
            empty.Send(0, 1, 0, 7);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(empty.recorder.delivered.size(), 2, "both");
        NS_TEST_EXPECT_MSG_EQ(empty.recorder.sent.size(), 2, "both");
        NS_TEST_EXPECT_MSG_EQ(empty.fabric->GetTotals().packetHops, 0, "no frame");
        NS_TEST_EXPECT_MSG_EQ(empty.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Who sends when.
class SharingTest : public TestCase
{
  public:
    SharingTest()
        : TestCase("queue pairs of a NIC take turns; a fixed window bounds what is in flight")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        {
            Net net(1024);
            net.BuildStar(5, 100, MicroSeconds(1));
            net.Install();
            for (uint32_t to = 1; to < 5; ++to)
            {
                net.Send(0, to, 1 << 20);
            }
            Simulator::Schedule(MicroSeconds(150), [this, &net] {
                for (uint32_t to = 1; to < 5; ++to)
                {
                    const RdmaQueuePair* qp = net.transport->FindQueuePair(0, to, 0);
                    const uint64_t first = net.transport->FindQueuePair(0, 1, 0)->GetNextPsn();
                    // It had the port alone for a packet, and it may be in the middle of a turn.
                    NS_TEST_EXPECT_MSG_LT_OR_EQ(first - qp->GetNextPsn(), 2, "in turn");
                }
            });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
        // W bytes per round trip.
        for (const uint64_t window :
             {uint64_t{1}, uint64_t{4096}, uint64_t{16384}, uint64_t{40960}})
        {
            Net net(4096);
            net.BuildStar(2, 100, MicroSeconds(10));
            RdmaTransportHelper helper;
            helper.SetCongestionControl("ns3::llm::RdmaNoCongestionControl");
            helper.SetCongestionAttribute("Window", UintegerValue(window));
            net.Install(helper);
            uint64_t most = 0;
            net.HostPort(1).TraceConnectWithoutContext(
                "PhyRxEnd",
                Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) {
                    most = std::max(most, net.transport->FindQueuePair(0, 1, 0)->GetInFlight());
                }));
            const uint64_t bytes = 100 * 40960;
            net.Send(0, 1, bytes);
            Simulator::Run();
            const uint64_t held = std::max<uint64_t>(window, 4096);
            NS_TEST_EXPECT_MSG_EQ(most, held, "in flight");
            // A packet there over two links, its ACK back.
            const double rtt = 4 * 10e-6 + 2 * 4178 * 8 / 100e9 + 2 * 86 * 8 / 100e9;
            const double expected = static_cast<double>(bytes) / static_cast<double>(held) * rtt;
            const double seconds = static_cast<double>(net.recorder.GetEnd()) /
                                   static_cast<double>(Seconds(1).GetTimeStep());
            NS_TEST_EXPECT_MSG_EQ_TOL(seconds, expected, 0.02 * expected, "window " << window);
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }
};

/// @ingroup llm-training-tests
/// What congestion control knows.
class CongestionInfoTest : public TestCase
{
  public:
    CongestionInfoTest()
        : TestCase("congestion control is told of its path and of round trips, exactly")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t ticksPerNs = UsePicoseconds(SUITE);
        Net net(4096);
        net.BuildLeafSpine(2, 1, 1, 100, 400, NanoSeconds(700));
        RdmaTransportHelper helper;
        helper.SetCongestionControl("ns3::llm::test::Listening");
        net.Install(helper);
        net.Send(0, 1, 100 * 4096 - 1000);
        Simulator::Run();
        const RdmaQueuePair* qp = net.transport->FindQueuePair(0, 1, 0);
        const auto ops = DynamicCast<Listening>(qp->GetCongestionOps());
        const int64_t there = 4 * 700000 + 4178 * (2 * 80 + 2 * 20);
        const int64_t back = 4 * 700000 + 86 * (2 * 80 + 2 * 20);
        const int64_t error = ticksPerNs == 1000 ? 0 : 8000; // below a tick for each link
        const auto ps = [ticksPerNs](Time time) { return time.GetTimeStep() * 1000 / ticksPerNs; };
        NS_TEST_EXPECT_MSG_EQ(ops->info.hops, 4, "links");
        NS_TEST_EXPECT_MSG_EQ(ops->info.mtu, 4096, "MTU");
        NS_TEST_EXPECT_MSG_EQ(ops->info.wireBytes, 4178, "wire bytes");
        NS_TEST_EXPECT_MSG_EQ(ops->info.lineRate.GetBitRate(), 100000000000, "rate");
        NS_TEST_EXPECT_MSG_EQ_TOL(ps(ops->info.baseRtt), there + back, error, "base RTT");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(ops->info.bdp),
                                  static_cast<double>(there + back) / 80,
                                  1 + static_cast<double>(error) / 80,
                                  "bandwidth-delay product");
        NS_TEST_ASSERT_MSG_EQ(ops->acks.size(), 100, "ACKs");
        uint64_t acked = 0;
        for (std::size_t i = 0; i < ops->acks.size(); ++i)
        {
            const RdmaAckInfo& ack = ops->acks[i];
            acked += ack.ackedBytes;
            NS_TEST_EXPECT_MSG_EQ(ack.ackedPsn, i + 1, "PSN");
            NS_TEST_EXPECT_MSG_EQ(ack.ecnEcho, false, "ECN");
            // From the last bit at the NIC: its own serialisation is not in it. All queue behind
            // the first packet, which is 16 bytes longer, at every hop; the last is shorter.
            if (i + 1 < ops->acks.size())
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(ps(ack.rtt),
                                          there + back - 4178 * 80 + 16 * (20 + 20 + 80),
                                          error,
                                          "RTT of packet " << i);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(acked, 100 * 4096 - 1000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(ops->acks.back().inFlight, 0, "in flight at the end");
        NS_TEST_EXPECT_MSG_EQ(ops->sentWireBytes, 100 * 4178 - 1000 + 16, "wire bytes");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Mistakes.
class ErrorsTest : public TestCase
{
  public:
    ErrorsTest()
        : TestCase("mistakes are one-line errors; open messages can be described")
    {
    }

  private:
    /** Something must be refused with these words. */
    template <typename Function>
    void Refuse(Function function, const std::vector<std::string>& words)
    {
        std::string error;
        try
        {
            function();
        }
        catch (const ConfigError& thrown)
        {
            error = thrown.what();
        }
        NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line");
        for (const std::string& word : words)
        {
            NS_TEST_EXPECT_MSG_NE(error.find(word), std::string::npos, word << " in: " << error);
        }
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(1024);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.Install();
        Refuse([&] { net.Send(0, 2, 1); }, {"rank 2", "2 ranks"});
        Refuse([&] { net.Send(5, 0, 1); }, {"rank 5", "2 ranks"});
        Refuse([&] { net.Send(1, 1, 1); }, {"rank 1", "itself"});
        Refuse([&] { net.transport->AddRank(1, &net.HostPort(1), net.hosts.Get(1)); },
               {"rank 1", "exists"});
        RdmaTransportHelper helper;
        helper.SetAttribute("PathMtu", UintegerValue(4096));
        Refuse([&] { helper.Install(net.fabric, net.hosts); }, {"4096", "1024"});
        Refuse([&] { helper.SetCongestionControl("ns3::llm::RdmaNothing"); }, {"RdmaNothing"});
        Refuse([&] { helper.SetCongestionControl("ns3::Node"); }, {"ns3::Node"});
        Refuse([&] { net.Link(net.hosts.Get(0), net.hosts.Get(1), 100, MicroSeconds(1)); },
               {"after Build"});
        Net bad(1000);
        Ptr<Node> a = bad.AddHost();
        Ptr<Node> b = bad.AddHost();
        Refuse([&] { bad.fabric->AddEndpoint(a); }, {"already"});
        Refuse([&] { bad.fabric->Connect(a, b, DataRate("0bps"), MicroSeconds(1)); },
               {"rate is 0"});
        Refuse([&] { bad.fabric->Connect(a, b, DataRate("1Gbps"), Seconds(0)); }, {"delay is 0"});
        Refuse([&] { bad.fabric->Connect(a, a, DataRate("1Gbps"), Seconds(1)); }, {"itself"});
        Refuse([&] { bad.fabric->Build(); }, {"no link"});
        bad.fabric->SetAttribute("PathMtu", UintegerValue(1500));
        bad.Link(a, b, 100, MicroSeconds(1));
        Refuse([&] { bad.fabric->Build(); }, {"1500", "4096"});

        // A message that is held by a pause.
        {
            FabricEntry entry(net.fabric->GetEventQueue());
            net.Switch(0).GetPorts()[0]->PausePeer(3, 0);
        }
        Simulator::Schedule(MicroSeconds(5), [&net] { net.Send(0, 1, 123456, 42); });
        Simulator::Schedule(MicroSeconds(50), [&] {
            std::vector<std::string> lines;
            net.transport->DescribeOpen(lines, 10);
            NS_TEST_EXPECT_MSG_EQ(lines.size(), 1, "lines");
            const std::string line = lines.empty() ? "" : lines[0];
            for (const char* word :
                 {"rank 0", "rank 1", "123456", "tag 42", "0 of 123456", "class 3 paused"})
            {
                NS_TEST_EXPECT_MSG_NE(line.find(word), std::string::npos, word << " in: " << line);
            }
            FabricEntry entry(net.fabric->GetEventQueue());
            net.Switch(0).GetPorts()[0]->ResumePeer(3, net.fabric->GetEventQueue().Now());
        });
        Simulator::Run();
        std::vector<std::string> lines;
        net.transport->DescribeOpen(lines, 10);
        NS_TEST_EXPECT_MSG_EQ(lines.size(), 0, "nothing is open");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 1, "delivered");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class RdmaTransportSuite : public TestSuite
{
  public:
    RdmaTransportSuite()
        : TestSuite("llm-training-rdma-transport", Type::UNIT)
    {
        AddTestCase(new SizesTest, llm::TestDuration::QUICK);
        AddTestCase(new SharingTest, llm::TestDuration::QUICK);
        AddTestCase(new CongestionInfoTest, llm::TestDuration::QUICK);
        AddTestCase(new ErrorsTest, llm::TestDuration::QUICK);
    }
};

RdmaTransportSuite g_rdmaTransportSuite; //!< instance

} // namespace
