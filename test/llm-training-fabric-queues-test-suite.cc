/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Queues against theory: dynamic threshold, M/D/1 waiting time, RED marking, sharing of classes.

#include "fabric-test-helpers.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-queues"; //!< name

/// @ingroup llm-training-tests
/// n saturated queues get alpha S / (1 + n alpha) each (Choudhury and Hahne 1998).
class DynamicThresholdTest : public TestCase
{
  public:
    DynamicThresholdTest()
        : TestCase("n saturated queues hold alpha S over 1 + n alpha each, lossy and lossless")
    {
    }

  private:
    /** The buffer alone: queues grow in turn until no frame is admitted any more. */
    void Alone(double alpha, uint32_t n)
    {
        const uint32_t bytes = 1000;
        SwitchSettings settings;
        settings.alpha = alpha;
        settings.losslessClasses = 0;
        settings.bufferBytes = 20000000;
        Ptr<FabricSwitch> made = settings.Make();
        PointerValue pointer;
        made->GetAttribute("Buffer", pointer);
        Ptr<FabricSharedBuffer> buffer = pointer.Get<FabricSharedBuffer>();
        FabricEventQueue events;
        buffer->Configure(std::vector<FabricBufferPort>(n + 1, FabricBufferPort{0, 1}),
                          events,
                          "test");
        for (bool any = true; any;)
        {
            any = false;
            for (uint32_t q = 0; q < n; ++q)
            {
                any |= buffer->Admit(n, q, 1, bytes) == FabricSharedBuffer::Verdict::ACCEPT;
            }
        }
        const double expected = alpha * 20e6 / (1 + static_cast<double>(n) * alpha);
        for (uint32_t q = 0; q < n; ++q)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(buffer->GetEgressUsed(q, 1)),
                                      expected,
                                      2 * bytes,
                                      "queue " << q << " of " << n << ", alpha " << alpha);
        }
        NS_TEST_EXPECT_MSG_EQ(buffer->SumOfShares(), buffer->GetUsed(), "shares");
    }

    /** n ingress ports under PFC into one egress: what they hold in the pool when all are paused.
     */
    void Lossless(double alpha, uint32_t n)
    {
        SwitchSettings settings;
        settings.alpha = alpha;
        settings.reserve = 0;
        settings.bufferBytes = 4 << 20;
        Net net(1024);
        net.BuildStar(n + 1, 100, NanoSeconds(500), settings);
        net.InstallRaw();
        const FabricSharedBuffer& buffer = net.Switch(0).GetBuffer();
        uint64_t most = 0;
        net.Switch(0).GetPorts()[0]->TraceConnectWithoutContext(
            "QueueBytes",
            Callback<void, const FabricPort*, uint8_t, uint64_t>(
                [&](const FabricPort*, uint8_t, uint64_t) {
                    most = std::max(most, buffer.GetSharedUsed());
                }));
        for (uint32_t i = 1; i <= n; ++i)
        {
            net.raw[i].Start({0, 8000, 1024, 3});
        }
        Simulator::Run();
        const double size = static_cast<double>(buffer.GetSharedSize());
        const double expected = alpha * size / (1 + n * alpha) * n;
        // Each may be beyond by a frame, which lowers the threshold by alpha frames.
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(most),
                                  expected,
                                  n * (1 + alpha) * 1086,
                                  n << " ingress ports, alpha " << alpha);
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const double alpha : {1.0 / 64, 1.0 / 8, 0.5, 1.0, 4.0})
        {
            for (const uint32_t n : {1, 2, 5, 16})
            {
                Alone(alpha, n);
            }
        }
        for (const double alpha : {1.0 / 8, 0.5, 2.0})
        {
            for (const uint32_t n : {2, 4, 8})
            {
                Lossless(alpha, n);
            }
        }
    }
};

/** Poisson arrivals at a host's port. */
class PoissonSource : public FabricEventHandler
{
  public:
    PoissonSource(Net& net, double load, uint64_t frames)
        : m_net(net),
          m_port(net.HostPort(0)),
          m_left(frames),
          m_gap(ServiceTicks() / load)
    {
        FabricEventQueue& events = net.fabric->GetEventQueue();
        m_id = events.Register(FabricEventKind::JOB, this, 0xffffffff);
        Next();
    }

    /** @return ticks of 1106 bytes at 100 Gb/s, with their fraction. */
    static double ServiceTicks()
    {
        return 1106 * 8 / 100e9 * static_cast<double>(Seconds(1).GetTimeStep());
    }

    void HandleFabricEvent(FabricEventKind, int64_t now) override
    {
        Frame* frame = m_net.raw[0].Make(1, 1024, 3);
        frame->offset = static_cast<uint64_t>(now);
        ++m_net.raw[0].sent;
        m_net.raw[0].sentPayload += 1024;
        m_port.SendFrame(frame, now);
        Next();
    }

  private:
    /** Schedule the next arrival. */
    void Next()
    {
        if (m_left-- == 0)
        {
            return;
        }
        const uint64_t high = m_random.Draw(m_drawn++, 0);
        const uint64_t low = m_random.Draw(m_drawn++, 0);
        const double uniform =
            (static_cast<double>((high << 20) | (low >> 12)) + 1) / 4503599627370496.0;
        m_at -= std::log(uniform) * m_gap;
        m_net.fabric->GetEventQueue().ScheduleAt(static_cast<int64_t>(m_at),
                                                 FabricEventKind::JOB,
                                                 m_id);
    }

    Net& m_net;
    FabricPort& m_port;
    uint64_t m_left;
    double m_gap;
    double m_at{0};
    uint64_t m_drawn{0};
    uint32_t m_id{0};
    Philox m_random{42};
};

/// @ingroup llm-training-tests
/// Waiting time of Poisson arrivals of frames of one length (Pollaczek and Khinchine).
class MD1Test : public TestCase
{
  public:
    MD1Test()
        : TestCase("Poisson arrivals wait as long as Pollaczek and Khinchine say, 3 percent being "
                   "3 sigma")
    {
    }

  private:
    void Check(double load, uint64_t frames)
    {
        Net net(1024);
        net.Link(net.AddHost(), net.AddHost(), 100, NanoSeconds(500));
        net.fabric->Build();
        net.InstallRaw();
        const double service = PoissonSource::ServiceTicks();
        const int64_t delay = net.HostPort(0).GetDelay();
        constexpr uint64_t BATCHES = 50;
        std::vector<double> batches(BATCHES, 0);
        uint64_t count = 0;
        net.raw[1].onReceive = [&](const Frame& frame, int64_t now) {
            const int64_t sojourn = now - delay - static_cast<int64_t>(frame.offset);
            batches[count++ * BATCHES / frames] += static_cast<double>(sojourn) - service;
        };
        PoissonSource source(net, load, frames);
        Simulator::Run();
        double mean = 0;
        for (double& batch : batches)
        {
            batch *= static_cast<double>(BATCHES) / static_cast<double>(frames) / service;
            mean += batch / BATCHES;
        }
        double variance = 0;
        for (const double batch : batches)
        {
            variance += (batch - mean) * (batch - mean) / (BATCHES - 1);
        }
        const double sigma = std::sqrt(variance / BATCHES);
        const double expected = load / (2 * (1 - load));
        NS_TEST_EXPECT_MSG_EQ(count, frames, "frames");
        NS_TEST_EXPECT_MSG_LT(3 * sigma, 0.03 * expected, "enough frames at load " << load);
        NS_TEST_EXPECT_MSG_EQ_TOL(mean, expected, 0.03 * expected, "mean wait at load " << load);
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Check(0.5, 300000);
        Check(0.8, 1000000);
        Check(0.9, 3000000);
    }
};

/// @ingroup llm-training-tests
/// Marks against the RED line, by what the trace sources say.
class RedLineTest : public TestCase
{
  public:
    RedLineTest()
        : TestCase("no mark up to Kmin, the RED line within 3 sigma between, all above Kmax")
    {
    }

  private:
    void RunOne(bool atDequeue)
    {
        constexpr uint64_t KMIN = 400000;
        constexpr uint64_t KMAX = 6000000;
        constexpr double PMAX = 0.3;
        constexpr uint32_t FRAME = 512 + 62;
        Ptr<RedEcnMarker> marker = CreateObject<RedEcnMarker>();
        marker->SetAttribute("Kmin", UintegerValue(KMIN));
        marker->SetAttribute("Kmax", UintegerValue(KMAX));
        marker->SetAttribute("Pmax", DoubleValue(PMAX));
        SwitchSettings settings;
        settings.marker = marker;
        settings.alpha = 1024;
        Net net(512);
        net.BuildStar(5, 100, NanoSeconds(500), settings);
        net.InstallRaw();
        FabricPort& port = *net.Switch(0).GetPorts()[0];
        port.SetAttribute("EcnMarkAtDequeue", BooleanValue(atDequeue));
        constexpr uint32_t BINS = 10;

        struct Bin
        {
            uint64_t frames{0}; //!< that met a queue of this length
            uint64_t marks{0};  //!< of them
            double expected{0}; //!< sum of probabilities
            double variance{0}; //!< of marks
        };

        std::vector<Bin> bins(BINS + 2); // below Kmin, on the line, above Kmax
        bool marked = false;
        uint64_t before = 0;
        uint64_t marks = 0;
        port.TraceConnectWithoutContext(
            "EcnMark",
            Callback<void, const FabricPort*, const Frame&>(
                [&](const FabricPort*, const Frame& frame) {
                    marked = true;
                    ++marks;
                    NS_TEST_EXPECT_MSG_EQ(bool(frame.flags & Frame::CE), true, "the mark is there");
                }));
        port.TraceConnectWithoutContext(
            "QueueBytes",
            Callback<void, const FabricPort*, uint8_t, uint64_t>(
                [&](const FabricPort*, uint8_t, uint64_t bytes) {
                    const bool enters = bytes > before;
                    before = bytes;
                    if (enters == atDequeue)
                    {
                        return;
                    }
                    // What the frame met, or left behind.
                    const uint64_t q = atDequeue ? bytes : bytes - FRAME;
                    const uint32_t index =
                        q <= KMIN ? 0
                        : q > KMAX
                            ? BINS + 1
                            : 1 + static_cast<uint32_t>((q - KMIN - 1) * BINS / (KMAX - KMIN));
                    Bin& bin = bins[index];
                    const double p = q <= KMIN  ? 0
                                     : q > KMAX ? 1
                                                : PMAX * static_cast<double>(q - KMIN) /
                                                      static_cast<double>(KMAX - KMIN);
                    ++bin.frames;
                    bin.marks += marked ? 1 : 0;
                    bin.expected += p;
                    bin.variance += p * (1 - p);
                    marked = false;
                }));
        for (uint32_t i = 1; i <= 4; ++i)
        {
            net.raw[i].Start({0, 5000, 512, 3});
        }
        uint64_t arrived = 0;
        net.raw[0].onReceive = [&arrived](const Frame& frame, int64_t) {
            arrived += frame.flags & Frame::CE ? 1 : 0;
        };
        Simulator::Run();
        for (uint32_t i = 0; i < bins.size(); ++i)
        {
            const Bin& bin = bins[i];
            NS_TEST_EXPECT_MSG_GT(bin.frames, 200, "frames in bin " << i);
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bin.marks),
                                      bin.expected,
                                      3 * std::sqrt(bin.variance) + 1e-6,
                                      "marks in bin " << i << " of " << bin.frames);
        }
        NS_TEST_EXPECT_MSG_EQ(arrived, marks, "marks arrive");
        NS_TEST_EXPECT_MSG_EQ(port.GetCounters().ecnMarks, marks, "counter");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        RunOne(false);
        RunOne(true);
        // Thresholds that contradict each other.
        Ptr<RedEcnMarker> marker = CreateObject<RedEcnMarker>();
        marker->SetAttribute("Kmin", UintegerValue(2000));
        marker->SetAttribute("Kmax", UintegerValue(1000));
        std::string error;
        try
        {
            marker->Configure(100000000000, 0, 0);
        }
        catch (const ConfigError& thrown)
        {
            error = thrown.what();
        }
        NS_TEST_EXPECT_MSG_NE(error.find("2000"), std::string::npos, error);
        NS_TEST_EXPECT_MSG_NE(error.find("1000"), std::string::npos, error);
    }
};

/// @ingroup llm-training-tests
/// Classes at one port.
class ClassSharingTest : public TestCase
{
  public:
    ClassSharingTest()
        : TestCase("classes share a port in halves from the first moment; strict ones go first")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        // Class 3 has the link alone for 10 MB; then class 0 joins, with frames of another length.
        {
            Net net(4096);
            net.Link(net.AddHost(), net.AddHost(), 100, NanoSeconds(500));
            net.fabric->Build();
            net.InstallRaw();
            uint64_t bytes[8] = {};
            int64_t joined = 0;
            const int64_t window = MicroSeconds(20).GetTimeStep();
            net.raw[1].onReceive = [&](const Frame& frame, int64_t now) {
                if (joined && now > joined + window && now < joined + 11 * window)
                {
                    bytes[frame.trafficClass] += frame.bytes;
                }
            };
            net.raw[0].Start({1, 6000, 4096, 3});
            Simulator::Schedule(MicroSeconds(800), [&] {
                joined = Simulator::Now().GetTimeStep();
                net.raw[0].Start({1, 6000, 1024, 0});
            });
            Simulator::Run();
            const double ratio = static_cast<double>(bytes[0]) / static_cast<double>(bytes[3]);
            NS_TEST_EXPECT_MSG_EQ_TOL(ratio, 1, 0.02, "halves");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
        // A strict class goes first.
        {
            Net net(4096);
            net.Link(net.AddHost(), net.AddHost(), 100, NanoSeconds(500));
            net.fabric->Build();
            net.InstallRaw();
            std::vector<uint8_t> order;
            net.raw[1].onReceive = [&](const Frame& frame, int64_t) {
                order.push_back(frame.trafficClass);
            };
            net.raw[0].Start({1, 10, 4096, 3});
            net.raw[0].Start({1, 10, 4096, 6});
            net.raw[0].Start({1, 10, 4096, 7});
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(order.size(), 30, "frames");
            // The first frame of class 3 and of class 6 found a free port.
            std::vector<uint8_t> expected(order.begin(), order.begin() + 1);
            expected.insert(expected.end(), 10, 7);
            expected.insert(expected.end(), 10, 6);
            expected.insert(expected.end(), 9, 3);
            NS_TEST_EXPECT_MSG_EQ((order == expected), true, "strict priority");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class FabricQueuesSuite : public TestSuite
{
  public:
    FabricQueuesSuite()
        : TestSuite("llm-training-fabric-queues", Type::UNIT)
    {
        AddTestCase(new DynamicThresholdTest, llm::TestDuration::QUICK);
        AddTestCase(new MD1Test, llm::TestDuration::QUICK);
        AddTestCase(new RedLineTest, llm::TestDuration::QUICK);
        AddTestCase(new ClassSharingTest, llm::TestDuration::QUICK);
    }
};

FabricQueuesSuite g_fabricQueuesSuite; //!< instance

} // namespace
