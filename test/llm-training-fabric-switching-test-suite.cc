/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The way through a switch: store and forward or cut-through, with a latency, against formulas; and
// trimming of what finds no room.

#include "fabric-test-helpers.h"

#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdlib>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-switching";

/** A path of links. */
struct Link
{
    int64_t gbps;    //!< rate that a whole number of picoseconds per byte fits
    int64_t delayNs; //!< propagation
};

/** How the switches of a path forward. */
struct Mode
{
    bool cutThrough;   //!< or store and forward
    int64_t latencyNs; //!< through each switch

    /** @return switches. */
    SwitchSettings Settings() const
    {
        SwitchSettings settings;
        settings.cutThrough = cutThrough;
        settings.latency = NanoSeconds(latencyNs);
        return settings;
    }

    /** @return "cut-through, 300 ns". */
    std::string Name() const
    {
        return (cutThrough ? "cut-through, " : "store and forward, ") + std::to_string(latencyNs) +
               " ns";
    }
};

/** @return link bytes of every packet of a WRITE. */
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

/**
 * The recursion over packets and links: a packet starts when the link is free and it is ready
 * there; it is ready at the next link the switch's latency after its last bit, or with cut-through
 * after its first 64 bytes (84 of link time) where the next link is not faster.
 * @return picoseconds from the post to the last bit's arrival.
 */
int64_t
ExpectedPs(const std::vector<Link>& path, const Mode& mode, uint64_t bytes, uint32_t mtu)
{
    const std::vector<int64_t> packets = WireBytes(bytes, mtu);
    std::vector<int64_t> ready(packets.size(), 0);
    for (std::size_t l = 0; l < path.size(); ++l)
    {
        const bool last = l + 1 == path.size();
        const bool early = !last && mode.cutThrough && path[l + 1].gbps <= path[l].gbps;
        int64_t free = 0;
        for (std::size_t j = 0; j < packets.size(); ++j)
        {
            const int64_t start = std::max(free, ready[j]);
            free = start + packets[j] * 8000 / path[l].gbps;
            const int64_t needed = early ? std::min<int64_t>(84, packets[j]) : packets[j];
            ready[j] = start + needed * 8000 / path[l].gbps + path[l].delayNs * 1000 +
                       (last ? 0 : mode.latencyNs * 1000);
        }
    }
    return ready.back();
}

/** @return a chain: host, switches, host. */
std::unique_ptr<Net>
MakeChain(const std::vector<Link>& path, const Mode& mode, uint32_t mtu)
{
    auto net = std::make_unique<Net>(mtu);
    Ptr<Node> last = net->AddHost();
    for (std::size_t l = 0; l < path.size(); ++l)
    {
        Ptr<Node> next = l + 1 < path.size() ? net->AddSwitch(mode.Settings()) : net->AddHost();
        net->Link(last, next, static_cast<uint64_t>(path[l].gbps), NanoSeconds(path[l].delayNs));
        last = next;
    }
    net->fabric->Build();
    return net;
}

/// @ingroup llm-training-tests
/// A WRITE over an idle path takes what the way of switching says.
class SwitchingTimeTest : public TestCase
{
  public:
    SwitchingTimeTest()
        : TestCase("cut-through and latency: a WRITE over 1 to 5 links takes what the recursion "
                   "says")
    {
    }

  private:
    void Check(const std::vector<Link>& path, const Mode& mode, uint64_t bytes, uint32_t mtu)
    {
        const int64_t ticksPerNs = UsePicoseconds(SUITE);
        const auto net = MakeChain(path, mode, mtu);
        net->Install();
        net->Send(0, 1, bytes);
        Simulator::Run();
        const int64_t expected = ExpectedPs(path, mode, bytes, mtu);
        const int64_t ps = net->recorder.GetEnd() * 1000 / ticksPerNs;
        const auto most = ticksPerNs == 1000 ? 0 : static_cast<int64_t>(path.size()) * 1000;
        const std::string what = mode.Name() + ": " + std::to_string(bytes) + " B over " +
                                 std::to_string(path.size()) + " links from " +
                                 std::to_string(path.front().gbps) + " Gb/s";
        NS_TEST_EXPECT_MSG_LT_OR_EQ(std::abs(ps - expected),
                                    most,
                                    what << ": " << ps << " ps, expected " << expected);
        NS_TEST_EXPECT_MSG_EQ(net->CheckBooks(), "", what);
        if (bytes <= mtu)
        {
            const auto wireBytes = static_cast<uint32_t>(WireBytes(bytes, mtu).front());
            const int64_t ticks = net->fabric->GetPathTicks(0, 1, wireBytes);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(std::abs(ticks * 1000 / ticksPerNs - expected),
                                        most,
                                        what << ": what the fabric predicts");
        }
    }

    void DoRun() override
    {
        const std::vector<std::vector<Link>> paths{
            {{100, 1000}},
            {{100, 1000}, {100, 500}},
            {{400, 500}, {400, 500}, {400, 1000}},
            {{25, 700}, {100, 300}, {100, 900}, {25, 1}},
            {{800, 1}, {400, 1000}, {200, 10000}, {400, 3}, {800, 500}},
            {{100, 500}, {100, 500}, {100, 500}, {100, 500}, {100, 500}},
            {{400, 10}, {200, 20}, {100, 30}, {50, 40}, {25, 50}},
            {{10, 1}, {800, 1}},
            {{800, 1}, {10, 1}},
        };
        for (const auto& path : paths)
        {
            for (const Mode& mode :
                 {Mode{true, 0}, Mode{true, 300}, Mode{false, 300}, Mode{true, 1700}})
            {
                for (const uint64_t bytes : {1ULL, 4096ULL, 4097ULL, 1000003ULL})
                {
                    Check(path, mode, bytes, 4096);
                }
                Check(path, mode, 65537, 256);
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The closed form at equal rates: h links, one packet.
class CutThroughClosedFormTest : public TestCase
{
  public:
    CutThroughClosedFormTest()
        : TestCase("cut-through over h equal links: one serialisation, h-1 headers and latencies")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t ticksPerNs = UsePicoseconds(SUITE);
        for (int64_t links = 1; links <= 5; ++links)
        {
            const std::vector<Link> path(static_cast<std::size_t>(links), Link{400, 500});
            const auto net = MakeChain(path, {true, 250}, 4096);
            net->InstallRaw();
            net->raw[0].Start({1, 1, 4096});
            Simulator::Run();
            // 4096 + 82 B at 20 ps, 84 B of header at 20 ps, 500 ns of cable, 250 ns of switch.
            const int64_t ps = 4178 * 20 + links * 500000 + (links - 1) * (84 * 20 + 250000);
            const int64_t most = ticksPerNs == 1000 ? 0 : links * 1000;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(std::abs(net->raw[1].last * 1000 / ticksPerNs - ps),
                                        most,
                                        links << " links");
            NS_TEST_EXPECT_MSG_EQ(net->CheckBooks(), "", links << " links");
        }
    }
};

/// @ingroup llm-training-tests
/// A busy egress port keeps order and line rate, and lossless classes lossless.
class CutThroughCongestionTest : public TestCase
{
  public:
    CutThroughCongestionTest()
        : TestCase("cut-through with a latency under an incast: no loss, no gap, books balance")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const bool cutThrough : {false, true})
        {
            Net net(4096);
            SwitchSettings settings;
            settings.cutThrough = cutThrough;
            settings.latency = NanoSeconds(700);
            settings.bufferBytes = 1 << 20;
            net.BuildStar(5, 100, NanoSeconds(600), settings);
            net.InstallRaw();
            std::vector<uint32_t> next(4, 0);
            bool ordered = true;
            for (uint32_t i = 0; i < 4; ++i)
            {
                net.raw[i].Start({4, 500, 4096});
                net.raw[i].Start({4, 500, 200});
            }
            int64_t first = 0;
            net.raw[4].onReceive = [&](const Frame& frame, int64_t now) {
                ordered = ordered && frame.offset >= next[frame.source];
                first = first ? first : now;
            };
            Simulator::Run();
            const FabricTotals totals = net.fabric->GetTotals();
            NS_TEST_EXPECT_MSG_EQ(net.raw[4].received, 4000, "frames");
            NS_TEST_EXPECT_MSG_EQ(ordered, true, "order");
            NS_TEST_EXPECT_MSG_EQ(totals.switches.drops, 0, "a lossless class loses nothing");
            NS_TEST_EXPECT_MSG_GT(totals.switches.pfcXoffSent, 0, "it must have paused");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
            // From the first arrival on, the link to the receiver never idles.
            const auto ticksPerByte = 8 * (Seconds(1).GetTimeStep() / 1000000000) / 100.0;
            const double busy = 2000.0 * (4178 + 282) * ticksPerByte;
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(net.raw[4].last - first),
                                      busy,
                                      4178 * ticksPerByte,
                                      "back to back");
        }
    }
};

/// @ingroup llm-training-tests
/// What finds no room goes on as headers.
class TrimmingTest : public TestCase
{
  public:
    TrimmingTest()
        : TestCase("trimming: what a full buffer would drop arrives as headers, in TrimClass")
    {
    }

  private:
    /** An incast of 4 into 1 through little memory. */
    void Run(Net& net, bool trimming, uint64_t bufferBytes)
    {
        SwitchSettings settings;
        settings.losslessClasses = 0;
        settings.bufferBytes = bufferBytes;
        settings.alpha = 1;
        settings.trimming = trimming;
        net.BuildStar(5, 100, NanoSeconds(500), settings);
        net.InstallRaw();
        net.Switch(0).GetPorts()[4]->TraceConnectWithoutContext(
            "FrameTrim",
            MakeCallback(&TrimmingTest::Trimmed, this));
        net.raw[4].onReceive = [&](const Frame& frame, int64_t now) {
            if (frame.payload == 0)
            {
                ++m_headers;
                NS_TEST_EXPECT_MSG_EQ(+frame.trafficClass, 6, "class");
                NS_TEST_EXPECT_MSG_EQ(frame.bytes, 64, "62 B of headers in the shortest frame");
                NS_TEST_EXPECT_MSG_EQ(+frame.ttl, 63, "time to live");
                m_firstHeader = m_firstHeader ? m_firstHeader : now;
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ(+frame.trafficClass, 0, "class");
            }
        };
        for (uint32_t i = 0; i < 4; ++i)
        {
            net.raw[i].Start({4, 250, 4096, 0});
        }
        Simulator::Run();
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        {
            Net net(4096);
            Run(net, true, 200000);
            const FabricPortCounters& port = net.Switch(0).GetPorts()[4]->GetCounters();
            NS_TEST_EXPECT_MSG_GT(port.trims, 100, "3 of 4 frames find no room");
            NS_TEST_EXPECT_MSG_EQ(port.trims, m_headers, "counted and arrived");
            NS_TEST_EXPECT_MSG_EQ(port.trims, m_traced, "counted and traced");
            NS_TEST_EXPECT_MSG_EQ(port.trimPayload, port.trims * 4096, "payload");
            NS_TEST_EXPECT_MSG_EQ(port.trimPayload, m_tracedPayload, "payload");
            NS_TEST_EXPECT_MSG_EQ(net.raw[4].received, 1000, "every frame arrives");
            NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, "none is dropped");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
            // The queue is 100 kB = 8 us long when the first is trimmed, but the headers overtake.
            const int64_t us = Seconds(1).GetTimeStep() / 1000000;
            NS_TEST_EXPECT_MSG_LT(m_firstHeader, 6 * us, "headers overtake the queue");
        }
        {
            m_headers = m_traced = 0;
            Net net(4096);
            Run(net, false, 200000);
            NS_TEST_EXPECT_MSG_EQ(m_headers, 0, "off");
            NS_TEST_EXPECT_MSG_EQ(m_traced, 0, "off");
            NS_TEST_EXPECT_MSG_GT(net.fabric->GetTotals().switches.drops, 100, "dropped instead");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
        {
            m_headers = m_traced = 0;
            Net net(4096);
            Run(net, true, 4200); // room for one frame, and then for no header
            const FabricTotals totals = net.fabric->GetTotals();
            NS_TEST_EXPECT_MSG_GT(totals.switches.drops, 0, "not even headers find room");
            NS_TEST_EXPECT_MSG_EQ(net.raw[4].received + totals.switches.drops, 1000, "all known");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }

    /** Sink of FrameTrim. */
    void Trimmed(const FabricPort*, const Frame& frame, uint32_t payload)
    {
        NS_TEST_EXPECT_MSG_EQ(frame.payload, 0, "trimmed");
        ++m_traced;
        m_tracedPayload += payload;
    }

    uint64_t m_headers{0};       //!< trimmed frames that arrived
    uint64_t m_traced{0};        //!< trimmed frames that were traced
    uint64_t m_tracedPayload{0}; //!< their payload
    int64_t m_firstHeader{0};    //!< tick of the first
};

/// @ingroup llm-training-tests
/// Lossless classes and ordinary packets are never trimmed.
class NoTrimmingTest : public TestCase
{
  public:
    NoTrimmingTest()
        : TestCase("trimming leaves lossless classes alone, also where their headroom is too small")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 200000;
        settings.headroom = 5000; // not enough for the cable
        settings.trimming = true;
        net.BuildStar(5, 100, MicroSeconds(5), settings);
        net.InstallRaw();
        for (uint32_t i = 0; i < 4; ++i)
        {
            net.raw[i].Start({4, 250, 4096, 3});
        }
        Simulator::Run();
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_GT(totals.switches.drops, 0, "headroom is too small");
        NS_TEST_EXPECT_MSG_EQ(totals.switches.trims, 0, "but nothing is trimmed");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Suite of the way through a switch.
class FabricSwitchingTestSuite : public TestSuite
{
  public:
    FabricSwitchingTestSuite()
        : TestSuite("llm-training-fabric-switching", Type::UNIT)
    {
        AddTestCase(new SwitchingTimeTest, llm::TestDuration::QUICK);
        AddTestCase(new CutThroughClosedFormTest, llm::TestDuration::QUICK);
        AddTestCase(new CutThroughCongestionTest, llm::TestDuration::QUICK);
        AddTestCase(new TrimmingTest, llm::TestDuration::QUICK);
        AddTestCase(new NoTrimmingTest, llm::TestDuration::QUICK);
    }
};

FabricSwitchingTestSuite g_fabricSwitchingTestSuite; //!< registers the suite

} // namespace
