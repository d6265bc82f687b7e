/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Times on an idle fabric, against formulas: to the picosecond in one suite, and within the
// rounding of ns-3's default nanoseconds in another, which needs a process of its own.

#include "fabric-test-helpers.h"

#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdlib>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const PICOSECONDS = "llm-training-fabric-closed-forms"; //!< suite
const char* const NANOSECONDS = "llm-training-fabric-nanoseconds";  //!< suite

/** A path of links. */
struct Link
{
    uint64_t gbps;   //!< rate that a whole number of picoseconds per byte fits
    int64_t delayNs; //!< propagation
};

/** @return wire bytes of every packet of a WRITE. */
std::vector<int64_t>
WireBytes(uint64_t bytes, uint32_t mtu)
{
    std::vector<int64_t> packets;
    for (uint64_t done = 0; done < bytes; done += mtu)
    {
        const uint64_t payload = std::min<uint64_t>(mtu, bytes - done);
        packets.push_back(static_cast<int64_t>((payload + 3) / 4 * 4 + 82 + (done ? 0 : 16)));
    }
    return packets;
}

/** @return picoseconds from the post to the last bit's arrival, by the recursion over packets. */
int64_t
ExpectedPs(const std::vector<Link>& path, uint64_t bytes, uint32_t mtu)
{
    const std::vector<int64_t> packets = WireBytes(bytes, mtu);
    std::vector<int64_t> ready(packets.size(), 0); // C[l-1][j] + d: all are there at the NIC
    for (const Link& link : path)
    {
        int64_t free = 0; // C[l][j-1]
        for (std::size_t j = 0; j < packets.size(); ++j)
        {
            free = std::max(free, ready[j]) + packets[j] * 8000 / static_cast<int64_t>(link.gbps);
            ready[j] = free + link.delayNs * 1000;
        }
    }
    return ready.back();
}

/// @ingroup llm-training-tests
/// A WRITE over an idle path takes what store-and-forward takes.
class SingleWriteTest : public TestCase
{
  public:
    explicit SingleWriteTest(const char* suite)
        : TestCase("a single WRITE over 1 to 5 links takes what the recursion says"),
          m_suite(suite)
    {
    }

  private:
    void Check(const std::vector<Link>& path, uint64_t bytes, uint32_t mtu, int64_t ticksPerNs)
    {
        Net net(mtu);
        Ptr<Node> last = net.AddHost();
        for (std::size_t l = 0; l < path.size(); ++l)
        {
            Ptr<Node> next = l + 1 < path.size() ? net.AddSwitch() : net.AddHost();
            net.Link(last, next, path[l].gbps, NanoSeconds(path[l].delayNs));
            last = next;
        }
        net.fabric->Build();
        net.Install();
        net.Send(0, 1, bytes);
        Simulator::Run();
        const int64_t expected = ExpectedPs(path, bytes, mtu);
        const int64_t ps = net.recorder.GetEnd() * 1000 / ticksPerNs;
        const std::string what = std::to_string(bytes) + " B at PMTU " + std::to_string(mtu) +
                                 " over " + std::to_string(path.size()) + " links from " +
                                 std::to_string(path.front().gbps) + " Gb/s";
        if (ticksPerNs == 1000)
        {
            NS_TEST_EXPECT_MSG_EQ(ps, expected, what);
        }
        else
        {
            const auto most = static_cast<int64_t>(path.size()) * 1000;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(std::abs(ps - expected),
                                        most,
                                        what << ", expected " << expected);
        }
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetHops(0, 1), path.size(), "hops");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
    }

    void DoRun() override
    {
        const int64_t ticksPerNs = m_suite == PICOSECONDS ? UsePicoseconds(m_suite)
                                                          : Seconds(1).GetTimeStep() / 1000000000;
        const std::vector<std::vector<Link>> paths{
            {{100, 1000}},
            {{100, 1000}, {100, 500}},
            {{400, 500}, {400, 500}, {400, 1000}},
            {{25, 700}, {100, 300}, {100, 900}, {25, 1}},
            {{800, 1}, {400, 1000}, {200, 10000}, {400, 3}, {800, 500}},
            {{100, 600}, {10, 50}, {40, 2000}, {400, 1}, {10, 77}},
            {{10, 1}, {800, 1}},
            {{800, 1}, {10, 1}},
        };
        for (const auto& path : paths)
        {
            for (const uint64_t bytes : {1ULL, 1023ULL, 4096ULL, 4097ULL, 1000003ULL, 1048576ULL})
            {
                Check(path, bytes, 4096, ticksPerNs);
            }
            Check(path, 1048576, 1024, ticksPerNs);
            Check(path, 65537, 256, ticksPerNs);
        }
    }

    const char* m_suite;
};

/// @ingroup llm-training-tests
/// A million frames back to back end exactly when they must.
class NoDriftTest : public TestCase
{
  public:
    explicit NoDriftTest(const char* suite)
        : TestCase("a port does not drift over a million back-to-back frames"),
          m_suite(suite)
    {
    }

  private:
    void DoRun() override
    {
        if (m_suite == PICOSECONDS)
        {
            UsePicoseconds(m_suite);
        }
        for (const uint64_t gbps : {400, 800})
        {
            const uint64_t frames = 1000000;
            Net net(4096);
            net.Link(net.AddHost(), net.AddHost(), gbps, NanoSeconds(500));
            net.fabric->Build();
            net.InstallRaw();
            // Alternately 1086 and 4178 bytes of link time.
            net.raw[0].Start({1, frames / 2, 1004});
            net.raw[0].Start({1, frames / 2, 4096});
            Simulator::Run();
            const int64_t delay = net.HostPort(0).GetDelay();
            const uint64_t bits = frames / 2 * (1086 + 4178) * 8;
            const auto exact =
                static_cast<int64_t>(bits / gbps * (Seconds(1).GetTimeStep() / 1000000000));
            NS_TEST_EXPECT_MSG_EQ(net.raw[1].received, frames, "frames");
            NS_TEST_EXPECT_MSG_EQ(net.raw[1].last - delay, exact, gbps << " Gb/s");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }

    const char* m_suite;
};

/// @ingroup llm-training-tests
/// Long transfers at line rate never fall behind, also where a byte is a fraction of a tick.
class LineRateTest : public TestCase
{
  public:
    explicit LineRateTest(const char* suite)
        : TestCase("queue pairs without congestion control fill the line"),
          m_suite(suite)
    {
    }

  private:
    void DoRun() override
    {
        const int64_t ticksPerNs = m_suite == PICOSECONDS ? UsePicoseconds(m_suite)
                                                          : Seconds(1).GetTimeStep() / 1000000000;
        for (const uint64_t gbps : {10, 40, 100, 200, 400, 800})
        {
            const uint64_t bytes = 16 << 20;
            Net net(4096);
            net.Link(net.AddHost(), net.AddHost(), gbps, NanoSeconds(500));
            net.fabric->Build();
            net.Install();
            net.Send(0, 1, bytes);
            Simulator::Run();
            const int64_t expected = ExpectedPs({{gbps, 500}}, bytes, 4096);
            const int64_t ps = net.recorder.GetEnd() * 1000 / ticksPerNs;
            const int64_t most = ticksPerNs == 1000 ? 0 : 1000;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(std::abs(ps - expected),
                                        most,
                                        gbps << " Gb/s: " << ps << " ps, expected " << expected);
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }

    const char* m_suite;
};

/// @ingroup llm-training-tests
/// What RoCEv2 headers cost, forward and for acknowledgements.
class OverheadTest : public TestCase
{
  public:
    OverheadTest()
        : TestCase("efficiency and acknowledgement load are those of the header sizes")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(PICOSECONDS);

        struct Row
        {
            uint32_t mtu;       //!< PMTU
            uint64_t wireBytes; //!< of a WRITE of 1 MiB
            double efficiency;  //!< percent
        };

        for (const Row& row : {Row{256, 1384464, 75.740},
                               Row{512, 1216528, 86.195},
                               Row{1024, 1132560, 92.586},
                               Row{2048, 1090576, 96.150},
                               Row{4096, 1069584, 98.037}})
        {
            Net net(row.mtu);
            net.Link(net.AddHost(), net.AddHost(), 100, MicroSeconds(1));
            net.fabric->Build();
            net.Install();
            net.Send(0, 1, 1 << 20);
            Simulator::Run();
            const FabricPortCounters& tx = net.HostPort(0).GetCounters();
            NS_TEST_EXPECT_MSG_EQ(tx.txBytes + 20 * tx.txFrames, row.wireBytes, row.mtu);
            // Of the middle packets: without the RETH of the first.
            const double seconds =
                static_cast<double>(net.recorder.GetEnd() - net.HostPort(0).GetDelay()) /
                    static_cast<double>(Seconds(1).GetTimeStep()) -
                16 * 8 / 100e9;
            const double efficiency = (1 << 20) * 8.0 / seconds / 100e9;
            NS_TEST_EXPECT_MSG_EQ_TOL(efficiency, row.efficiency / 100, 1e-4, row.mtu);
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }

        struct Load
        {
            uint32_t mtu;   //!< PMTU
            uint32_t every; //!< packets per ACK
            double percent; //!< of the reverse link
        };

        for (const Load& load : {Load{1024, 1, 7.78},
                                 Load{1024, 4, 1.94},
                                 Load{1024, 16, 0.49},
                                 Load{4096, 1, 2.06},
                                 Load{4096, 4, 0.51},
                                 Load{4096, 16, 0.13}})
        {
            Net net(load.mtu);
            net.Link(net.AddHost(), net.AddHost(), 100, MicroSeconds(1));
            net.fabric->Build();
            RdmaTransportHelper helper;
            helper.SetAttribute("AckInterval", UintegerValue(load.every));
            net.Install(helper);
            net.Send(0, 1, 8 << 20);
            Simulator::Run();
            const FabricPortCounters& data = net.HostPort(0).GetCounters();
            const FabricPortCounters& acks = net.HostPort(1).GetCounters();
            NS_TEST_EXPECT_MSG_EQ(acks.txFrames, (8 << 20) / load.mtu / load.every, "ACKs");
            const double percent = 100.0 * static_cast<double>(acks.txBytes + 20 * acks.txFrames) /
                                   static_cast<double>(data.txBytes + 20 * data.txFrames);
            NS_TEST_EXPECT_MSG_EQ_TOL(percent, load.percent, 0.005, load.mtu << " " << load.every);
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }
};

/// @ingroup llm-training-tests
/// n senders to one receiver keep its link busy to the end.
class IncastTest : public TestCase
{
  public:
    IncastTest()
        : TestCase("16-to-1 incast of 1 MiB under PFC alone takes 1.4497 ms and the path")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(PICOSECONDS);
        for (const uint64_t buffer : {uint64_t{32} << 20, uint64_t{4} << 20})
        {
            SwitchSettings settings;
            settings.bufferBytes = buffer;
            Net net(1024);
            net.BuildStar(17, 100, MicroSeconds(1), settings);
            net.Install();
            for (uint32_t i = 1; i <= 16; ++i)
            {
                net.Send(i, 0, 1 << 20);
            }
            Simulator::Run();
            const double ms = static_cast<double>(net.recorder.GetEnd()) /
                              static_cast<double>(MilliSeconds(1).GetTimeStep());
            const double path = 0.002 + 1122 * 8 / 100e6; // two links of 1 us, and a first packet
            NS_TEST_EXPECT_MSG_EQ_TOL(ms, 1.4497 + path, 1.4497 * 0.005, "last completion, ms");
            NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, "drops");
            NS_TEST_EXPECT_MSG_EQ((net.fabric->GetTotals().hosts.pauses > 0),
                                  (buffer < (16 << 20)),
                                  "PFC is needed where the buffer cannot hold it all");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }
};

/// @ingroup llm-training-tests
/// A pause lasts its quanta and not a bit longer.
class PauseQuantaTest : public TestCase
{
  public:
    PauseQuantaTest()
        : TestCase("a pause of q quanta without refresh is q times 512 bit times of silence")
    {
    }

  private:
    void Check(uint64_t gbps, uint32_t quanta)
    {
        Net net(1024);
        net.Link(net.AddHost(), net.AddHost(), gbps, NanoSeconds(500));
        net.fabric->Build();
        net.InstallRaw();
        FabricPort& sender = net.HostPort(0);
        FabricPort& receiver = net.HostPort(1);
        receiver.SetAttribute("PauseQuanta", UintegerValue(quanta));
        bool first = true;
        Net::Lose(sender, [&first](const Frame& frame) {
            const bool lost = frame.kind == FrameKind::PFC && !first;
            first = frame.kind == FrameKind::PFC ? false : first;
            return lost; // refreshes
        });
        std::vector<int64_t> starts; // of frames of the paused class
        std::vector<int64_t> others; // of frames of another
        const int64_t frameTicks = sender.GetTransmitTicks(1024 + 82);
        net.raw[1].onReceive = [&](const Frame& frame, int64_t now) {
            (frame.trafficClass == 3 ? starts : others)
                .push_back(now - sender.GetDelay() - frameTicks);
        };
        int64_t pausedAt = -1;
        int64_t resumedAt = -1;
        sender.TraceConnectWithoutContext("PfcPause",
                                          Callback<void, const FabricPort*, uint8_t, uint16_t>(
                                              [&](const FabricPort* port, uint8_t c, uint16_t q) {
                                                  pausedAt = net.fabric->GetEventQueue().Now();
                                                  NS_TEST_EXPECT_MSG_EQ(c, 3, "class");
                                                  NS_TEST_EXPECT_MSG_EQ(q, quanta, "quanta");
                                                  NS_TEST_EXPECT_MSG_EQ(port, &sender, "port");
                                              }));
        sender.TraceConnectWithoutContext("PfcResume",
                                          Callback<void, const FabricPort*, uint8_t, uint16_t>(
                                              [&](const FabricPort*, uint8_t, uint16_t) {
                                                  resumedAt = net.fabric->GetEventQueue().Now();
                                              }));
        const int64_t pauseTicks = static_cast<int64_t>(quanta) * 512 *
                                   (Seconds(1).GetTimeStep() / 1000000000) /
                                   static_cast<int64_t>(gbps);
        const uint64_t frames =
            20 + static_cast<uint64_t>((NanoSeconds(4000).GetTimeStep() + pauseTicks) / frameTicks);
        net.raw[0].Start({1, frames, 1024, 3});
        Simulator::Schedule(NanoSeconds(2000), [&] {
            FabricEntry entry(net.fabric->GetEventQueue());
            receiver.PausePeer(3, net.fabric->GetEventQueue().Now());
        });
        // Class 5 goes on while class 3 stands.
        Simulator::Schedule(NanoSeconds(2000), [&] { net.raw[0].Start({1, 2 * frames, 1024, 5}); });
        Simulator::Schedule(NanoSeconds(4000) + TimeStep(2 * pauseTicks), [&] {
            FabricEntry entry(net.fabric->GetEventQueue());
            receiver.ResumePeer(3, net.fabric->GetEventQueue().Now());
        });
        Simulator::Run();
        // 84 bytes of XOFF at an idle port.
        const int64_t xoff =
            NanoSeconds(2000).GetTimeStep() + receiver.GetTransmitTicks(84) + receiver.GetDelay();
        NS_TEST_EXPECT_MSG_EQ(pausedAt, xoff, "pause begins, " << gbps << " Gb/s");
        NS_TEST_EXPECT_MSG_EQ(resumedAt - pausedAt, pauseTicks, "pause lasts, " << gbps << " Gb/s");
        uint32_t inside = 0;
        uint32_t othersInside = 0;
        int64_t next = INT64_MAX;
        for (const int64_t start : starts)
        {
            inside += start > pausedAt && start < resumedAt ? 1 : 0;
            next = start >= resumedAt ? std::min(next, start) : next;
        }
        for (const int64_t start : others)
        {
            othersInside += start > pausedAt && start < resumedAt ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(inside, 0, "frames of the class inside the pause");
        // Behind at most the frame in flight and one turn of class 5.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(next, resumedAt + 12 * frameTicks, "it goes on");
        if (pauseTicks > 4 * frameTicks)
        {
            NS_TEST_EXPECT_MSG_GT(othersInside, 0, "only the class of the pause stands");
        }
        NS_TEST_EXPECT_MSG_EQ(sender.GetCounters().pausedTicks, pauseTicks, "paused time");
        NS_TEST_EXPECT_MSG_EQ(sender.GetCounters().pauses, 1, "pauses");
        NS_TEST_EXPECT_MSG_EQ(net.raw[1].received, 3 * frames, "frames");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    void DoRun() override
    {
        UsePicoseconds(PICOSECONDS);
        for (const uint64_t gbps : {10, 100, 400, 800})
        {
            for (const uint32_t quanta : {1, 2, 1000, 65535})
            {
                Check(gbps, quanta);
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The suite in picoseconds.
class ClosedFormsSuite : public TestSuite
{
  public:
    ClosedFormsSuite()
        : TestSuite("llm-training-fabric-closed-forms", Type::UNIT)
    {
        AddTestCase(new SingleWriteTest(PICOSECONDS), llm::TestDuration::QUICK);
        AddTestCase(new NoDriftTest(PICOSECONDS), llm::TestDuration::QUICK);
        AddTestCase(new LineRateTest(PICOSECONDS), llm::TestDuration::QUICK);
        AddTestCase(new OverheadTest, llm::TestDuration::QUICK);
        AddTestCase(new IncastTest, llm::TestDuration::QUICK);
        AddTestCase(new PauseQuantaTest, llm::TestDuration::QUICK);
    }
};

/// @ingroup llm-training-tests
/// The suite in ns-3's default nanoseconds.
class NanosecondsSuite : public TestSuite
{
  public:
    NanosecondsSuite()
        : TestSuite("llm-training-fabric-nanoseconds", Type::UNIT)
    {
        AddTestCase(new SingleWriteTest(NANOSECONDS), llm::TestDuration::QUICK);
        AddTestCase(new NoDriftTest(NANOSECONDS), llm::TestDuration::QUICK);
        AddTestCase(new LineRateTest(NANOSECONDS), llm::TestDuration::QUICK);
    }
};

ClosedFormsSuite g_closedFormsSuite; //!< instance
NanosecondsSuite g_nanosecondsSuite; //!< instance

} // namespace
