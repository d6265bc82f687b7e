/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Queue pairs at the ports of a NIC: max-min sharing of one port by bytes, several ports of one
// NIC, ports that lose their link.

#include "fabric-test-helpers.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace fabrictest
{

/** Congestion control that sends at one rate. */
class FixedRate : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::test::FixedRate")
                                .SetParent<RdmaCongestionOps>()
                                .SetGroupName("LlmTraining")
                                .AddConstructor<FixedRate>()
                                .AddAttribute("Rate",
                                              "Rate; 0: that of the line.",
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&FixedRate::m_rate),
                                              MakeUintegerChecker<uint64_t>());
        return tid;
    }

    uint32_t GetNeeds() const override
    {
        return NEEDS_NOTHING;
    }

    void Init(const RdmaPathInfo& path) override
    {
        SetRate(m_rate ? m_rate : path.lineRate.GetBitRate());
    }

  private:
    uint64_t m_rate{0}; //!< attribute
};

NS_OBJECT_ENSURE_REGISTERED(FixedRate);

} // namespace fabrictest

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-ports"; //!< name
constexpr uint64_t GBPS = 100;                       //!< of all links

/** Max-min shares by filling. @param caps of each. @param total to share. @return of each. */
std::vector<double>
Fill(const std::vector<double>& caps, double total)
{
    std::vector<double> shares(caps.size(), 0);
    std::vector<bool> full(caps.size(), false);
    std::size_t open = caps.size();
    while (open > 0 && total > 1e-9)
    {
        const double level = total / static_cast<double>(open);
        double used = 0;
        std::size_t filled = 0;
        for (std::size_t i = 0; i < caps.size(); ++i)
        {
            if (!full[i] && caps[i] - shares[i] <= level)
            {
                used += caps[i] - shares[i];
                shares[i] = caps[i];
                full[i] = true;
                ++filled;
            }
        }
        if (filled == 0)
        {
            for (std::size_t i = 0; i < caps.size(); ++i)
            {
                shares[i] += full[i] ? 0 : level;
            }
            return shares;
        }
        total -= used;
        open -= filled;
    }
    return shares;
}

/// @ingroup llm-training-tests
/// Max-min sharing.
class MaxMinTest : public TestCase
{
  public:
    MaxMinTest()
        : TestCase("queue pairs of one port get max-min shares of its bytes, whatever their "
                   "packets' length, verb and pace")
    {
    }

  private:
    /// What a queue pair does.
    struct Source
    {
        uint64_t bytes; ///< of each message
        RdmaVerb verb;  ///< of each message
        double cap;     ///< of its pacing, share of the link
    };

    /// @param sources one per queue pair @param what for messages
    void Check(const std::vector<Source>& sources, const std::string& what)
    {
        constexpr uint32_t MTU = 2048;
        Net net(MTU);
        const auto n = static_cast<uint32_t>(sources.size());
        net.BuildStar(n + 1, GBPS, MicroSeconds(1));
        net.Install();
        ObjectFactory factory;
        factory.SetTypeId("ns3::llm::test::FixedRate");
        std::vector<uint64_t> wire(n, 0);
        const int64_t from = MicroSeconds(100).GetTimeStep();
        const int64_t to = MicroSeconds(1600).GetTimeStep();
        std::vector<double> caps;
        for (uint32_t i = 0; i < n; ++i)
        {
            factory.Set("Rate", UintegerValue(static_cast<uint64_t>(sources[i].cap * GBPS * 1e9)));
            net.transport->SetCongestionControl(0, i + 1, 0, factory);
            caps.push_back(sources[i].cap > 0 ? sources[i].cap : 1);
            Net::Lose(net.HostPort(i + 1), [&wire, &net, from, to, i](const Frame& frame) {
                const int64_t now = net.fabric->GetEventQueue().Now();
                if (frame.kind <= FrameKind::READ_RESPONSE && now >= from && now < to)
                {
                    wire[i] += frame.WireBytes();
                }
                return false;
            });
            // More than it can send.
            const uint64_t packets = (sources[i].bytes + MTU - 1) / MTU;
            const uint64_t lineBytes = sources[i].bytes + packets * 82;
            const uint64_t messages = 21000000 / lineBytes + 2;
            for (uint64_t m = 0; m < messages; ++m)
            {
                Message message;
                message.from = 0;
                message.to = i + 1;
                message.bytes = sources[i].bytes;
                message.verb = sources[i].verb;
                net.transport->Send(message);
            }
        }
        Simulator::Stop(MicroSeconds(1600));
        Simulator::Run();
        const double all = 1500e-6 * GBPS * 1e9 / 8;
        // Pacing counts from when a packet leaves: a paced queue pair loses the time that it
        // waits for its turn, at most a turn of each other one. The others share the rest.
        const double wait = static_cast<double>(n) * 2180 * 8 / (GBPS * 1e9);
        double taken = 0;
        std::vector<double> lowest(n, 0);
        for (uint32_t i = 0; i < n; ++i)
        {
            const double share = static_cast<double>(wire[i]) / all;
            taken += share;
            lowest[i] = caps[i];
            if (caps[i] < 1)
            {
                const uint64_t last = sources[i].bytes % MTU;
                const double packet = static_cast<double>(
                    sources[i].bytes < MTU ? std::max<uint64_t>(last, 4) + 82 : 1100);
                const double interval = packet * 8 / (caps[i] * GBPS * 1e9);
                lowest[i] = caps[i] * interval / (interval + wait);
            }
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(taken,
                                  std::min(1.0, std::accumulate(caps.begin(), caps.end(), 0.0)),
                                  0.02,
                                  what << ": the link is used");
        const std::vector<double> most = Fill(lowest, 1); // for those that are not paced
        const std::vector<double> least = Fill(caps, 1);
        for (uint32_t i = 0; i < n; ++i)
        {
            const double share = static_cast<double>(wire[i]) / all;
            const std::string which = what + ", queue pair " + std::to_string(i) + " of " +
                                      std::to_string(n) + ", messages of " +
                                      std::to_string(sources[i].bytes) + " B, cap " +
                                      std::to_string(caps[i]);
            const double from = caps[i] < 1 ? std::min(lowest[i], least[i]) : least[i];
            const double to = caps[i] < 1 ? caps[i] : most[i];
            NS_TEST_EXPECT_MSG_GT(share, 0.98 * from - 0.002, which);
            NS_TEST_EXPECT_MSG_LT(share, 1.02 * to + 0.002, which);
            // Whoever is not paced has as much as anybody.
            for (uint32_t k = 0; caps[i] >= 1 && k < n; ++k)
            {
                NS_TEST_EXPECT_MSG_GT(share,
                                      0.98 * static_cast<double>(wire[k]) / all - 0.002,
                                      which << " and " << k);
            }
        }
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        // Short packets beside long ones.
        Check({{64, RDMA_WRITE, 0}, {1 << 20, RDMA_WRITE, 0}}, "short");
        // READ responses beside WRITEs.
        Check({{300000, RDMA_READ, 0}, {300000, RDMA_WRITE, 0}, {700, RDMA_SEND, 0}}, "READ");
        // One paced below its share.
        Check({{1 << 20, RDMA_WRITE, 0.1}, {2100, RDMA_WRITE, 0}, {1 << 20, RDMA_WRITE, 0}},
              "paced");
        for (uint64_t seed = 1; seed <= 10; ++seed)
        {
            const Philox random(seed);
            std::vector<Source> sources(2 + random(0, 0)[0] % 9);
            for (std::size_t i = 0; i < sources.size(); ++i)
            {
                const auto numbers = random(i, 1);
                // READs of few bytes are held by their number, so they are long here.
                const bool read = numbers[0] % 3 == 0;
                sources[i].verb = read ? RDMA_READ : numbers[0] % 3 == 1 ? RDMA_WRITE : RDMA_SEND;
                sources[i].bytes = read ? 100000 + numbers[1] % 100000
                                        : 1 + numbers[1] % (numbers[2] % 2 ? 6000 : 600);
                sources[i].cap = numbers[3] % 2 ? 0 : 0.02 + numbers[3] % 1000 / 2000.0;
            }
            Check(sources, "seed " + std::to_string(seed));
        }
    }
};

/** Hosts with a port in each of some planes. */
class Planes
{
  public:
    /** @param hosts number. @param planes number. @param mtu path MTU. */
    Planes(uint32_t hosts, uint32_t planes, uint32_t mtu = 1024)
        : net(mtu)
    {
        std::vector<Ptr<Node>> switches;
        for (uint32_t plane = 0; plane < planes; ++plane)
        {
            switches.push_back(net.AddSwitch());
        }
        for (uint32_t host = 0; host < hosts; ++host)
        {
            const Ptr<Node> node = net.AddHost();
            for (const auto& plane : switches)
            {
                net.Link(node, plane, GBPS, MicroSeconds(1));
            }
        }
        net.fabric->SetAttribute("Reconvergence", TimeValue(MicroSeconds(20)));
        net.fabric->Build();
    }

    /** @param selection of ports. */
    void Install(const std::string& selection)
    {
        RdmaTransportHelper helper;
        helper.SetAttribute("PortSelection", StringValue(selection));
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
        helper.SetCongestionControl("none");
        net.Install(helper);
    }

    /** @return port of a host in a plane. */
    FabricPort& At(uint32_t host, uint32_t plane) const
    {
        return *net.fabric->GetEndpointPorts(host).at(plane);
    }

    Net net; //!< all of it
};

/// @ingroup llm-training-tests
/// Several ports.
class BondingTest : public TestCase
{
  public:
    BondingTest()
        : TestCase("queue pairs of a NIC with several ports are spread over them; answers leave "
                   "where the data came in")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        // In turn: four queue pairs use two ports, and have twice the bandwidth of one.
        {
            Planes planes(2, 2);
            planes.Install("round_robin");
            for (uint16_t channel = 0; channel < 4; ++channel)
            {
                planes.net.Send(0, 1, 1 << 20, 0, channel);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(planes.net.CheckBooks(), "", "books");
            for (const uint32_t plane : {0, 1})
            {
                NS_TEST_EXPECT_MSG_EQ(planes.At(0, plane).GetCounters().txDataPayload,
                                      (2U << 20),
                                      "half each");
                // An ACK for each packet, in the plane of the packet.
                NS_TEST_EXPECT_MSG_EQ(planes.At(1, plane).GetCounters().txFrames,
                                      planes.At(0, plane).GetCounters().txFrames,
                                      "answers");
            }
            const double seconds = static_cast<double>(planes.net.recorder.GetEnd()) /
                                   static_cast<double>(Seconds(1).GetTimeStep());
            const double expected = 2.0 * 1024 * 1106 * 8 / 100e9 + 2e-6;
            NS_TEST_EXPECT_MSG_EQ_TOL(seconds, expected, 0.01 * expected, "both ports at once");
        }
        // By hash: all of many queue pairs, about half each, the same on every run.
        std::array<uint64_t, 2> counts{};
        for (int run = 0; run < 2; ++run)
        {
            Planes planes(9, 2);
            planes.Install("hash");
            for (uint32_t to = 1; to < 9; ++to)
            {
                for (uint16_t channel = 0; channel < 8; ++channel)
                {
                    planes.net.Send(0, to, 1000, 0, channel);
                }
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(planes.net.CheckBooks(), "", "books");
            counts[run] = planes.At(0, 0).GetCounters().txDataFrames;
            NS_TEST_EXPECT_MSG_EQ((counts[run] > 20 && counts[run] < 44), true, "half of 64");
        }
        NS_TEST_EXPECT_MSG_EQ(counts[0], counts[1], "the same");
    }
};

/// @ingroup llm-training-tests
/// Ports whose link goes down.
class FailoverTest : public TestCase
{
  public:
    FailoverTest()
        : TestCase("queue pairs leave a port that leads nowhere, and come back with its link")
    {
    }

  private:
    /// @param host whose link goes down, the sender's or the receiver's @param verb of the message
    void Check(uint32_t host, RdmaVerb verb)
    {
        const std::string what =
            "link of host " + std::to_string(host) + ", verb " + std::to_string(verb);
        Planes planes(2, 2);
        planes.Install("round_robin");
        const auto send = [&planes, verb](uint64_t tag) {
            Message message;
            message.from = 0;
            message.to = 1;
            message.bytes = 2 << 20;
            message.tag = tag;
            message.verb = verb;
            planes.net.transport->Send(message);
        };
        send(0);
        Simulator::Schedule(MicroSeconds(50),
                            [&planes, host] { planes.At(host, 0).SetLinkUp(false); });
        std::array<uint64_t, 2> sent{};
        Simulator::Schedule(MicroSeconds(1000), [&] {
            NS_TEST_EXPECT_MSG_EQ(planes.net.recorder.delivered.size(), 1, what << ": there");
            planes.At(host, 0).SetLinkUp(true);
        });
        Simulator::Schedule(MicroSeconds(2000), [&] {
            sent = {planes.At(0, 0).GetCounters().txDataPayload,
                    planes.At(0, 1).GetCounters().txDataPayload};
            send(1);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(planes.net.recorder.delivered.size(), 2, what);
        NS_TEST_EXPECT_MSG_EQ(planes.net.recorder.failed.size(), 0, what);
        NS_TEST_EXPECT_MSG_EQ(planes.net.CheckBooks(), "", what);
        // Both planes carried the first message; the second is back at home.
        NS_TEST_EXPECT_MSG_GT(sent[0], 100000, what);
        NS_TEST_EXPECT_MSG_GT(sent[1], 1000000, what);
        NS_TEST_EXPECT_MSG_EQ(planes.At(0, 0).GetCounters().txDataPayload - sent[0],
                              (2U << 20),
                              what << ": at home");
        uint64_t rebindings = 0;
        for (const auto& nic : planes.net.transport->GetNics())
        {
            rebindings += nic->GetRebindings();
        }
        NS_TEST_EXPECT_MSG_EQ((rebindings >= 2), true, what << ": away and back");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const uint32_t host : {0, 1})
        {
            for (const RdmaVerb verb : {RDMA_WRITE, RDMA_READ})
            {
                Check(host, verb);
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class RdmaPortsSuite : public TestSuite
{
  public:
    RdmaPortsSuite()
        : TestSuite("llm-training-rdma-ports", Type::UNIT)
    {
        AddTestCase(new MaxMinTest, llm::TestDuration::QUICK);
        AddTestCase(new BondingTest, llm::TestDuration::QUICK);
        AddTestCase(new FailoverTest, llm::TestDuration::QUICK);
    }
};

RdmaPortsSuite g_rdmaPortsSuite; //!< instance

} // namespace
