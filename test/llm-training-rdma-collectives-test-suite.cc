/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Collectives over RDMA on a quiet fabric take the time of their closed forms; under loss they are
// exact all the same; and what they cost in memory does not grow.

#include "fabric-test-helpers.h"
#include "llm-training-test-job.h"

#include "ns3/llm-ring-collective.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-job.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-collectives"; //!< name

/** @return heap bytes in use, or 0 where that cannot be known. */
std::size_t
HeapBytes()
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/** A job of one collective per iteration on all hosts of a net. */
Ptr<TrainingJob>
MakeJob(Net& net,
        OperationKind kind,
        uint64_t bytes,
        uint32_t channels,
        uint64_t slice,
        uint32_t iterations = 1)
{
    const uint32_t n = net.hosts.GetN();
    const std::vector<std::vector<Operation>> programs(n, {llmtest::Collective(kind, bytes)});
    Ptr<TrainingJob> job = CreateObject<TrainingJob>();
    job->SetAttribute("Iterations", UintegerValue(iterations));
    job->SetWorkload(llmtest::MakeScript(n, programs, {llmtest::WorldGroup(n)}));
    job->SetTransport(net.transport);
    job->SetCollectives({"ring", channels, slice});
    job->Install(net.hosts);
    return job;
}

/** @return wire bytes of a WRITE. */
int64_t
WireBytes(uint64_t bytes, uint32_t mtu)
{
    const uint64_t packets = (bytes + mtu - 1) / mtu;
    return static_cast<int64_t>(bytes + 82 * packets + 16);
}

/// @ingroup llm-training-tests
/// Times.
class RingTimeTest : public TestCase
{
  public:
    RingTimeTest()
        : TestCase("ring collectives take alpha-beta time, and the recursion's when pipelined")
    {
    }

  private:
    /** @return milliseconds that the collective took. */
    double RunOne(OperationKind kind,
                  uint32_t n,
                  uint64_t bytes,
                  uint64_t gbps,
                  int64_t delayPs,
                  uint64_t slice,
                  double* busBandwidth = nullptr,
                  double* lastArrival = nullptr)
    {
        Net net(4096);
        net.BuildStar(n, gbps, PicoSeconds(delayPs));
        RdmaTransportHelper helper;
        helper.SetAttribute("AckInterval", UintegerValue(16));
        net.Install(helper);
        int64_t lastFlow = 0;
        net.transport->TraceConnectWithoutContext(
            "MessageEnd",
            Callback<void, const Message&, int64_t>(
                [&lastFlow](const Message&, int64_t now) { lastFlow = now; }));
        const Ptr<TrainingJob> job = MakeJob(net, kind, bytes, 1, slice);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, "complete");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().hosts.pauses, 0, "a quiet fabric");
        const std::vector<CollectiveSummary> summary = job->GetCollectives();
        if (summary.size() != 1)
        {
            return 0;
        }
        // Through when the last flow is in and its acknowledgement back.
        NS_TEST_EXPECT_MSG_GT_OR_EQ(summary[0].ticks, lastFlow, "end");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(summary[0].ticks,
                                    lastFlow + PicoSeconds(3 * delayPs + 1000000).GetTimeStep(),
                                    "end");
        if (busBandwidth)
        {
            *busBandwidth = summary[0].bestBandwidth * 8 / 1e9;
        }
        if (lastArrival)
        {
            *lastArrival =
                static_cast<double>(lastFlow) / static_cast<double>(MilliSeconds(1).GetTimeStep());
        }
        const uint64_t sent = net.transport->GetTotals().payloadSent;
        NS_TEST_EXPECT_MSG_EQ(sent,
                              (kind == OperationKind::ALL_REDUCE ? 2 : 1) * bytes * (n - 1),
                              "bytes of the ring");
        return static_cast<double>(summary[0].ticks) /
               static_cast<double>(MilliSeconds(1).GetTimeStep());
    }

    /** @return milliseconds of send(s,j) = max(link free, arrival(s-1,j)) + slice time. */
    static double Recursion(uint32_t steps,
                            uint64_t chunk,
                            uint64_t slice,
                            uint64_t gbps,
                            int64_t latencyPs)
    {
        const uint64_t slices = (chunk + slice - 1) / slice;
        const int64_t slicePs = WireBytes(chunk / slices, 4096) * 8000 / static_cast<int64_t>(gbps);
        std::vector<int64_t> arrival(slices, 0);
        int64_t free = 0;
        for (uint32_t s = 0; s < steps; ++s)
        {
            for (uint64_t j = 0; j < slices; ++j)
            {
                free = std::max(free, arrival[j]) + slicePs;
                arrival[j] = free + latencyPs;
            }
        }
        return static_cast<double>(arrival.back()) / 1e9;
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const double efficiency = 4096.0 / 4178;
        // alpha of 5 us: two links of propagation, and a packet stored and forwarded.
        const int64_t frame400 = 4178 * 20;
        const int64_t delay = (5000000 - frame400) / 2;
        const double beta = 8.0 / (400e9 * efficiency) * 1e3; // ms per byte
        const RingCollective ring;
        for (const auto& [kind, name, steps] :
             {std::make_tuple(OperationKind::ALL_REDUCE, CollectiveKind::ALL_REDUCE, 14.0),
              std::make_tuple(OperationKind::REDUCE_SCATTER, CollectiveKind::REDUCE_SCATTER, 7.0),
              std::make_tuple(OperationKind::ALL_GATHER, CollectiveKind::ALL_GATHER, 7.0)})
        {
            const uint64_t bytes = 64 << 20;
            const double ms = RunOne(kind, 8, bytes, 400, delay, 0);
            const double expected = steps * (5e-3 + bytes / 8.0 * beta);
            NS_TEST_EXPECT_MSG_EQ_TOL(ms, expected, 0.01 * expected, "alpha-beta");
            CollectiveSpec spec;
            spec.kind = name;
            spec.groupSize = 8;
            spec.bytes = bytes;
            const double predicted = ring.PredictTimePs(spec, 5e6, 400e9 * efficiency) / 1e9;
            NS_TEST_EXPECT_MSG_EQ_TOL(ms, predicted, 0.01 * predicted, "its own prediction");
            if (kind == OperationKind::ALL_REDUCE)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(ms, 2.466, 0.02466, "published figure");
            }
        }
        for (const uint32_t n : {2, 5, 8})
        {
            for (const uint64_t slice : {uint64_t{65536}, uint64_t{262144}})
            {
                const uint64_t chunk = 1 << 20;
                double ms = 0; // without the last acknowledgement, which recursion has not
                RunOne(OperationKind::ALL_REDUCE, n, chunk * n, 100, 5000000, slice, nullptr, &ms);
                const double expected =
                    Recursion(2 * (n - 1), chunk, slice, 100, 2 * 5000000 + 4178 * 80);
                NS_TEST_EXPECT_MSG_EQ_TOL(ms,
                                          expected,
                                          0.02 * expected,
                                          "pipelined, " << n << " ranks, slices of " << slice);
            }
        }
        // 16 MiB over 8 hosts at 100 Gb/s: never faster than the wire.
        double busBandwidth = 0;
        const double ms =
            RunOne(OperationKind::ALL_REDUCE, 8, 16 << 20, 100, 1000000, 131072, &busBandwidth);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(ms, 2.349, "2 (n-1)/n S at the line");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(busBandwidth, 100, "bus bandwidth");
        NS_TEST_EXPECT_MSG_GT(busBandwidth, 90, "bus bandwidth");
    }
};

/// @ingroup llm-training-tests
/// Loss.
class LossyRingTest : public TestCase
{
  public:
    LossyRingTest()
        : TestCase("an all-reduce over a lossy link ends with exact bytes")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(1024);
        net.BuildStar(8, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(500)));
        helper.SetAttribute("RetryCount", UintegerValue(50));
        net.Install(helper);
        Ptr<RandomLossModel> model = CreateObject<RandomLossModel>();
        model->SetAttribute("Probability", DoubleValue(1e-3));
        net.HostPort(3).SetLossModel(model);
        const uint64_t bytes = 16 << 20;
        const Ptr<TrainingJob> job = MakeJob(net, OperationKind::ALL_REDUCE, bytes, 2, 65536);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, "complete");
        const TransportTotals totals = net.transport->GetTotals();
        NS_TEST_EXPECT_MSG_GT(totals.payloadRetransmitted, 0, "something was lost");
        NS_TEST_EXPECT_MSG_EQ(totals.bytesDelivered, 2 * 7 * bytes, "bytes");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");

        // A dead link: the job fails and says who.
        Net dead(1024);
        dead.BuildStar(4, 100, MicroSeconds(1));
        helper.SetAttribute("RetryCount", UintegerValue(2));
        dead.Install(helper);
        Net::Lose(dead.HostPort(2),
                  [](const Frame& frame) { return frame.kind == FrameKind::WRITE; });
        const Ptr<TrainingJob> failing = MakeJob(dead, OperationKind::ALL_REDUCE, 1 << 20, 1, 0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((failing->GetState() == TrainingJob::State::FAILED), true, "failed");
        std::string all;
        for (const std::string& line : failing->GetFailure())
        {
            all += line + "\n";
        }
        NS_TEST_EXPECT_MSG_NE(all.find("rank 1"), std::string::npos, all);
        NS_TEST_EXPECT_MSG_NE(all.find("rank 2"), std::string::npos, all);
        NS_TEST_EXPECT_MSG_NE(all.find("2 retries"), std::string::npos, all);
    }
};

/// @ingroup llm-training-tests
/// Memory.
class MemoryTest : public TestCase
{
  public:
    MemoryTest()
        : TestCase(
              "queue pairs are ring edges times channels, memory does not grow with iterations")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        NS_TEST_EXPECT_MSG_EQ(sizeof(Frame), 64, "a frame is one cache line");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(sizeof(RdmaQueuePair), 1024, "a queue pair");
        const uint32_t n = 64;
        const uint32_t channels = 2;
        Net net(1024);
        net.BuildLeafSpine(8, 8, 8, 100, 100, MicroSeconds(1));
        net.Install();
        const Ptr<TrainingJob> job =
            MakeJob(net, OperationKind::ALL_REDUCE, n * 1024 * channels, channels, 0, 10);
        std::vector<std::size_t> heap;
        std::vector<uint64_t> frames;
        std::vector<uint64_t> pairs;
        job->TraceConnectWithoutContext(
            "IterationEnd",
            Callback<void, uint32_t, const IterationRecord&>([&](uint32_t, const IterationRecord&) {
                heap.push_back(HeapBytes());
                frames.push_back(net.fabric->GetFramePool().GetCapacity());
                pairs.push_back(net.transport->GetQueuePairCount());
            }));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, "complete");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().messagesStarted,
                              10ULL * 2 * (n - 1) * n * channels,
                              "messages");
        NS_TEST_ASSERT_MSG_EQ(heap.size(), 10, "iterations");
        NS_TEST_EXPECT_MSG_EQ(pairs.front(),
                              2ULL * n * channels,
                              "two ends for each edge and channel");
        NS_TEST_EXPECT_MSG_EQ(pairs.back(), pairs.front(), "no more of them");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(frames.back(), frames.front() * 21 / 20, "frames");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(heap.back(), heap.front() + heap.front() / 20, "heap");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class RdmaCollectivesSuite : public TestSuite
{
  public:
    RdmaCollectivesSuite()
        : TestSuite("llm-training-rdma-collectives", Type::UNIT)
    {
        AddTestCase(new RingTimeTest, llm::TestDuration::QUICK);
        AddTestCase(new LossyRingTest, llm::TestDuration::QUICK);
        AddTestCase(new MemoryTest, llm::TestDuration::QUICK);
    }
};

RdmaCollectivesSuite g_rdmaCollectivesSuite; //!< instance

} // namespace
