/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-test-job.h"

#include "ns3/config.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-operation-window.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

/// @return heap bytes in use, or 0 where that cannot be known
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

/// @param lines of a report @param text to look for @return true if a line contains it
bool
Says(const std::vector<std::string>& lines, const std::string& text)
{
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(text) != std::string::npos;
    });
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
/// One collective over all ranks puts exactly the bytes of the ring on its edges.
class RingBytesTestCase : public TestCase
{
  public:
    /**
     * @param name what is pinned @param kind collective @param ranks of the group
     * @param bytes size @param perRank bytes that every rank sends, 0 if they differ
     * @param total bytes of all @param messages of all @param sizes of the messages, ascending
     */
    RingBytesTestCase(const std::string& name,
                      OperationKind kind,
                      uint32_t ranks,
                      uint64_t bytes,
                      uint64_t perRank,
                      uint64_t total,
                      uint64_t messages,
                      std::vector<uint64_t> sizes)
        : TestCase(name),
          m_kind(kind),
          m_ranks(ranks),
          m_bytes(bytes),
          m_perRank(perRank),
          m_total(total),
          m_messages(messages),
          m_sizes(std::move(sizes))
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            RunOn(simulator);
        }
    }

    /// Run with one simulator.
    void RunOn(const std::string& simulator)
    {
        SimulatorScope scope(simulator);
        auto transport = CreateObject<DelayTransport>();
        transport->keepLog = true;
        JobRig rig(
            MakeScript(m_ranks,
                       std::vector<std::vector<Operation>>(m_ranks, {Collective(m_kind, m_bytes)}),
                       {WorldGroup(m_ranks)}),
            transport);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(rig.job->IsComplete(), true, Join(rig.job->GetFailure()));
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().messagesDelivered, m_messages, "messages");
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().bytesDelivered, m_total, "bytes");
        NS_TEST_EXPECT_MSG_EQ(rig.job->GetTraffic().GetTotalBytes(), m_total, "bytes counted");
        NS_TEST_EXPECT_MSG_EQ(rig.job->GetTraffic().GetBytes(ParallelDimension::DATA),
                              m_total,
                              "bytes of the dimension");
        std::vector<uint64_t> sent(m_ranks, 0);
        std::vector<uint64_t> received(m_ranks, 0);
        std::vector<uint64_t> sizes;
        for (const Message& message : transport->log)
        {
            sent[message.from] += message.bytes;
            received[message.to] += message.bytes;
            sizes.push_back(message.bytes);
        }
        std::sort(sizes.begin(), sizes.end());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        NS_TEST_EXPECT_MSG_EQ((sizes == m_sizes), true, "sizes of messages");
        for (uint32_t rank = 0; m_perRank > 0 && rank < m_ranks; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(sent[rank], m_perRank, "sent by rank " << rank);
            NS_TEST_EXPECT_MSG_EQ(received[rank], m_perRank, "received by rank " << rank);
        }
        for (const PairTraffic& pair : rig.job->GetTraffic().GetPairs())
        {
            NS_TEST_EXPECT_MSG_EQ(pair.to, (pair.from + 1) % m_ranks, "edges of the ring only");
            NS_TEST_EXPECT_MSG_EQ(pair.bytes, sent[pair.from], "bytes of the edge");
        }
    }

    const OperationKind m_kind;          //!< collective
    const uint32_t m_ranks;              //!< ranks
    const uint64_t m_bytes;              //!< size
    const uint64_t m_perRank;            //!< expected
    const uint64_t m_total;              //!< expected
    const uint64_t m_messages;           //!< expected
    const std::vector<uint64_t> m_sizes; //!< expected
};

/// @ingroup llm-training-tests
/// Ring collectives without contention take steps times (latency + chunk time), exactly.
class RingTimeTestCase : public TestCase
{
  public:
    RingTimeTestCase()
        : TestCase("ring collectives take steps times latency plus chunk time")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<OperationKind, int64_t>> kinds = {
            {OperationKind::ALL_REDUCE, 14},
            {OperationKind::ALL_GATHER, 7},
            {OperationKind::REDUCE_SCATTER, 7}};
        for (const auto& simulator : g_simulators)
        {
            for (const auto& [kind, steps] : kinds)
            {
                SimulatorScope scope(simulator);
                auto transport = CreateObject<DelayTransport>();
                transport->delay = 700;
                JobRig rig(
                    MakeScript(8,
                               std::vector<std::vector<Operation>>(8, {Collective(kind, 80000)}),
                               {WorldGroup(8)}),
                    transport);
                CollectiveRecord seen;
                rig.job->TraceConnectWithoutContext(
                    "CollectiveEnd",
                    Callback<void, const CollectiveRecord&>(
                        [&seen](const CollectiveRecord& record) { seen = record; }));
                Simulator::Run();
                const int64_t expected = steps * (700 + 10000);
                NS_TEST_EXPECT_MSG_EQ(rig.job->IsComplete(), true, "complete");
                NS_TEST_EXPECT_MSG_EQ(rig.job->GetIterations()[0].duration, expected, "time");
                NS_TEST_EXPECT_MSG_EQ(seen.end - seen.start, expected, "record");
                NS_TEST_EXPECT_MSG_EQ(seen.bytes, 80000, "record");
                const double factor = kind == OperationKind::ALL_REDUCE ? 1.75 : 0.875;
                const double busbw = 80000 / TimeStep(expected).GetSeconds() * factor;
                NS_TEST_EXPECT_MSG_EQ_TOL(seen.GetBusBandwidth(), busbw, busbw * 1e-12, "busbw");
                const auto summary = rig.job->GetCollectives();
                NS_TEST_ASSERT_MSG_EQ(summary.size(), 1, "one kind");
                NS_TEST_EXPECT_MSG_EQ(summary[0].count, 1, "one collective");
                NS_TEST_EXPECT_MSG_EQ_TOL(summary[0].GetBusBandwidth(),
                                          busbw,
                                          busbw * 1e-12,
                                          "mean busbw");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Empty communication and groups of one complete at once, without messages.
class EmptyTestCase : public TestCase
{
  public:
    EmptyTestCase()
        : TestCase("0-byte operations and 1-rank groups complete at once and release what waits")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<OperationKind> kinds = {OperationKind::ALL_REDUCE,
                                                  OperationKind::ALL_GATHER,
                                                  OperationKind::REDUCE_SCATTER,
                                                  OperationKind::BROADCAST,
                                                  OperationKind::REDUCE};
        for (const auto& simulator : g_simulators)
        {
            SimulatorScope scope(simulator);
            ProcessGroup one;
            one.name = "one";
            one.ranks = {1};
            std::vector<std::vector<Operation>> program(4);
            for (uint32_t rank = 0; rank < 4; ++rank)
            {
                for (const auto kind : kinds)
                {
                    program[rank].push_back(Collective(kind, 0));
                    if (rank == 1)
                    {
                        program[rank].push_back(Collective(kind, 12345, 1));
                    }
                }
            }
            program[0].push_back(PointToPoint(OperationKind::SEND, 2, 0, 5));
            program[2].push_back(PointToPoint(OperationKind::RECV, 0, 0, 5));
            for (auto& operations : program)
            {
                operations.push_back(Compute(50, {operations.size() - 1}));
            }
            auto transport = CreateObject<DelayTransport>();
            JobRig rig(MakeScript(4, program, {WorldGroup(4), one}), transport, "ring", 3, 7);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(rig.job->IsComplete(), true, Join(rig.job->GetFailure()));
            NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().bytesStarted, 0, "no bytes");
            NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().messagesStarted, 1, "the 0-byte send");
            NS_TEST_EXPECT_MSG_EQ(rig.job->GetIterations()[0].duration,
                                  NanoSeconds(50).GetTimeStep(),
                                  "only the computation takes time");
            const auto summary = rig.job->GetCollectives();
            NS_TEST_EXPECT_MSG_EQ(summary.size(), kinds.size(), "all kinds are recorded");
            NS_TEST_EXPECT_MSG_EQ(summary[0].count, 2, "both groups");
        }
    }
};

/// @ingroup llm-training-tests
/// Streams overlap, waits are honoured, and every instant is accounted for once.
class OverlapTestCase : public TestCase
{
  public:
    OverlapTestCase()
        : TestCase("compute, exposed communication and bubble add up to the iteration")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            SimulatorScope scope(simulator);
            const int64_t ns = NanoSeconds(1).GetTimeStep();
            // Rank 0: computes 100, sends (takes 40), reduces gradients (starts at 100).
            // Rank 1: waits for the send, computes 30, reduces.
            Operation send = PointToPoint(OperationKind::SEND, 1, 10, 1);
            send.waits.assign(1, 0);
            Operation reduce0 = Collective(OperationKind::ALL_REDUCE, 2);
            reduce0.waits.assign(1, 0);
            Operation reduce1 = Collective(OperationKind::ALL_REDUCE, 2);
            reduce1.waits.assign(1, 1);
            auto transport = CreateObject<DelayTransport>();
            transport->delay = 40 * ns;
            transport->bytesPerTick = 1000;
            JobRig rig(
                MakeScript(
                    2,
                    {{Compute(100), send, reduce0, Compute(60), Compute(5, {2})},
                     {PointToPoint(OperationKind::RECV, 0, 10, 1), Compute(30, {0}), reduce1}},
                    {WorldGroup(2)}),
                transport);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(rig.job->IsComplete(), true, Join(rig.job->GetFailure()));
            // Rank 1 joins at 170, sends; rank 0 has its chunk at 210, both end at 250.
            const RankTimes& first = rig.job->GetRank(0)->GetTimes();
            NS_TEST_EXPECT_MSG_EQ(first.compute, 165 * ns, "100 + 60 + 5");
            NS_TEST_EXPECT_MSG_EQ(first.exposed, 90 * ns, "from 160 to 250");
            NS_TEST_EXPECT_MSG_EQ(first.bubble, 0, "no pipeline receive");
            const RankTimes& second = rig.job->GetRank(1)->GetTimes();
            NS_TEST_EXPECT_MSG_EQ(second.bubble, 140 * ns, "100 + 40");
            NS_TEST_EXPECT_MSG_EQ(second.compute, 30 * ns, "30");
            NS_TEST_EXPECT_MSG_EQ(second.exposed, 80 * ns, "from 170 to 250");
            NS_TEST_EXPECT_MSG_EQ(rig.job->GetIterations()[0].duration, 255 * ns, "end");
            NS_TEST_EXPECT_MSG_EQ(rig.job->GetProgress(), 1.0, "progress");
        }
    }
};

/// @ingroup llm-training-tests
/// Whatever cannot end is reported: who, with whom, tag, both sizes.
class FailureTestCase : public TestCase
{
  public:
    FailureTestCase()
        : TestCase("mismatches and stalls stop the run with a report")
    {
    }

  private:
    /// Run two ranks. @return the failure
    std::vector<std::string> Fail(std::vector<Operation> first,
                                  std::vector<Operation> second,
                                  uint64_t lose = UINT64_MAX,
                                  uint64_t fail = UINT64_MAX)
    {
        std::vector<std::vector<std::string>> reports;
        for (const auto& simulator : g_simulators)
        {
            SimulatorScope scope(simulator);
            auto transport = CreateObject<DelayTransport>();
            transport->lose = lose;
            transport->fail = fail;
            JobRig rig(MakeScript(2, {first, second}, {WorldGroup(2)}), transport);
            bool told = false;
            rig.job->SetCompletionCallback(
                Callback<void, Ptr<TrainingJob>>([&told](Ptr<TrainingJob>) { told = true; }));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ((rig.job->GetState() == TrainingJob::State::FAILED),
                                  true,
                                  "the job has failed");
            NS_TEST_EXPECT_MSG_EQ(told, true, "the callback was called");
            reports.push_back(rig.job->GetFailure());
        }
        NS_TEST_EXPECT_MSG_EQ((reports[0] == reports[1]), true, "the same on both simulators");
        return reports[0];
    }

    /// Expect a text in a report.
    void Expect(const std::vector<std::string>& lines, const std::string& text)
    {
        NS_TEST_EXPECT_MSG_EQ(Says(lines, text), true, text << " is not in " << Join(lines));
    }

    void DoRun() override
    {
        const uint64_t mib = 1048576;
        const auto send = PointToPoint(OperationKind::SEND, 1, mib, 7);
        Expect(Fail({send}, {PointToPoint(OperationKind::RECV, 0, 2 * mib, 7)}),
               "rank 0 sends 1048576 B to rank 1 with tag 7, and rank 1 expects 2097152 B");
        Expect(Fail({send}, {}),
               "rank 0 sent 1048576 B to rank 1 with tag 7, which rank 1 does not receive");
        auto lines = Fail({send}, {PointToPoint(OperationKind::RECV, 0, mib, 8)});
        Expect(lines, "no progress since");
        Expect(lines, "rank 0 sent 1048576 B to rank 1 with tag 7, which rank 1 does not receive");
        Expect(
            lines,
            "rank 1: recv (iteration 0, operation 0) waits for 1048576 B from rank 0 with tag 8");
        lines = Fail({send}, {PointToPoint(OperationKind::RECV, 0, mib, 7)}, 0);
        Expect(lines, "rank 0: send (iteration 0, operation 0) waits for acknowledgement of");
        Expect(lines, "rank 1: recv");
        Expect(Fail({send}, {PointToPoint(OperationKind::RECV, 0, mib, 7)}, UINT64_MAX, 0),
               "message of 1048576 B from rank 0 to rank 1 cannot be delivered: cable cut");

        const auto reduce = Collective(OperationKind::ALL_REDUCE, 100);
        Expect(Fail({reduce}, {Collective(OperationKind::ALL_GATHER, 100)}),
               "rank 0 runs all_reduce of 100 B, rank 1 runs all_gather of 100 B");
        Expect(Fail({reduce}, {Collective(OperationKind::ALL_REDUCE, 101)}),
               "collective 0 of group 0 (dp) does not match: rank 0 runs all_reduce of 100 B, "
               "rank 1 runs all_reduce of 101 B");
        lines = Fail({reduce}, {});
        Expect(lines,
               "rank 0: all_reduce (iteration 0, operation 0) of 100 B: collective 0 of "
               "group 0 (dp), waits for 50 B from rank 1 (channel 0), not joined by rank 1");
        lines = Fail({reduce}, {reduce}, 1);
        Expect(lines, "waits for 50 B from rank 1");
        Expect(Fail({PointToPoint(OperationKind::SEND, 2, 1, 0)}, {}),
               "send with rank 2 of 2; the peer must be another rank");
        Expect(Fail({Collective(OperationKind::ALL_REDUCE, 1, 3)}, {}), "group 3 of 1");
        Expect(Fail({Collective(OperationKind::ALL_TO_ALL, 1)}, {}), "ring does no all_to_all");
    }
};

/// @ingroup llm-training-tests
/// What cannot be installed is refused with the numbers.
class InstallErrorTestCase : public TestCase
{
  public:
    InstallErrorTestCase()
        : TestCase("a job refuses a wrong number of nodes, channels or classes")
    {
    }

  private:
    /// @param action throws @param text in the error
    void Expect(const std::function<void()>& action, const std::string& text)
    {
        std::string what = "nothing was thrown";
        try
        {
            action();
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ((what.find(text) != std::string::npos), true, what);
    }

    void DoRun() override
    {
        auto job = CreateObject<TrainingJob>();
        NodeContainer nodes;
        nodes.Create(64);
        Expect([&]() { job->Install(nodes); }, "needs a workload and a transport");
        job->SetWorkload(MakeScript(128, std::vector<std::vector<Operation>>(128)));
        job->SetTransport(CreateObject<DelayTransport>());
        Expect([&]() { job->Install(nodes); }, "the workload has 128 ranks, but 64 nodes");
        Expect([&]() { job->SetCollectives({"ring", 0, 0}); }, "0 channels; 1 to 4096");
        Expect([&]() { job->SetTrafficClass(ParallelDimension::DATA, 8); }, "0 to 7 exist");
        NodeContainer more;
        more.Create(64);
        nodes.Add(more);
        job->Install(nodes);
        Expect([&]() { job->Install(nodes); }, "installed already");
        Simulator::Destroy();
    }
};

/// @ingroup llm-training-tests
/// A long program is never held in memory, and iterations leave nothing behind.
class MemoryTestCase : public TestCase
{
  public:
    MemoryTestCase()
        : TestCase("memory grows neither with accumulation steps nor with iterations")
    {
    }

  private:
    void DoRun() override
    {
        AccumulationSteps();
        Iterations();
    }

    /// 32,768 accumulation steps on 8 ranks.
    void AccumulationSteps()
    {
        SimulatorScope scope(g_simulators[1]);
        const uint64_t steps = 32768;
        auto workload = std::make_shared<ScriptedWorkload>(
            8,
            std::vector<ProcessGroup>{WorldGroup(8)},
            [](uint32_t, uint32_t, uint64_t n, Operation& operation) {
                if (n < 2 * steps)
                {
                    operation.durationPs = 1000;
                    operation.microbatch = static_cast<int32_t>(n / 2);
                    operation.waits.assign(n > 0 ? 1 : 0, n - 1);
                    return true;
                }
                operation.kind = OperationKind::ALL_REDUCE;
                operation.stream = OperationStream::DATA;
                operation.bytes = 1 << 20;
                operation.waits.assign(1, n - 1);
                return n == 2 * steps;
            });
        JobRig rig(workload, CreateObject<DelayTransport>());
        std::size_t peak = 0;
        uint64_t calls = 0;
        const std::size_t before = HeapBytes();
        rig.job->GetRank(7)->TraceConnectWithoutContext(
            "OperationEnd",
            Callback<void, uint32_t, uint32_t, const Operation&, int64_t, int64_t>(
                [&](uint32_t, uint32_t, const Operation&, int64_t, int64_t) {
                    if (++calls % 1024 == 0)
                    {
                        peak = std::max(peak, HeapBytes());
                    }
                }));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.job->IsComplete(), true, Join(rig.job->GetFailure()));
        NS_TEST_EXPECT_MSG_EQ(rig.job->GetOperationsDone(), 8 * (2 * steps + 1), "operations");
        NS_TEST_EXPECT_MSG_LT(peak, before + (std::size_t{4} << 20), "less than 4 MiB");
    }

    /// Ten iterations need no more than one.
    void Iterations()
    {
        SimulatorScope scope(g_simulators[1]);
        const uint32_t ranks = 64;
        std::vector<std::vector<Operation>> program(ranks);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            program[rank] = {PointToPoint(OperationKind::SEND, rank ^ 1, 100, 3),
                             PointToPoint(OperationKind::RECV, rank ^ 1, 100, 3),
                             Collective(OperationKind::ALL_REDUCE, 1 << 20),
                             Collective(OperationKind::ALL_GATHER, 1 << 20),
                             Compute(rank, {1})};
        }
        JobRig rig(MakeScript(ranks, program, {WorldGroup(ranks)}),
                   CreateObject<DelayTransport>(),
                   "ring",
                   2,
                   4096,
                   10);
        std::vector<std::size_t> heap;
        rig.job->TraceConnectWithoutContext(
            "IterationEnd",
            Callback<void, uint32_t, const IterationRecord&>(
                [&](uint32_t, const IterationRecord&) { heap.push_back(HeapBytes()); }));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(rig.job->IsComplete(), true, Join(rig.job->GetFailure()));
        NS_TEST_ASSERT_MSG_EQ(heap.size(), 10, "iterations");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(heap[9], heap[0] + heap[0] / 20, "within 5 % of the first");
        int64_t sum = 0;
        for (const IterationRecord& record : rig.job->GetIterations())
        {
            sum += record.duration;
        }
        NS_TEST_EXPECT_MSG_EQ(sum,
                              rig.job->GetEndTick() - rig.job->GetStartTick(),
                              "iterations fill the job's time");
    }
};

/// @ingroup llm-training-tests
/// Random jobs: complete, exact bytes, and the same history on either simulator.
class RandomJobTestCase : public TestCase
{
  public:
    RandomJobTestCase()
        : TestCase("random jobs emit the predicted bytes and run alike on both simulators")
    {
    }

  private:
    /// A job and what it should emit.
    struct Plan
    {
        std::shared_ptr<ScriptedWorkload> workload;                  //!< what
        std::string algorithm;                                       //!< how
        uint32_t channels;                                           //!< how
        uint64_t slice;                                              //!< how
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> predicted; //!< bytes by pair
    };

    /// @param seed of the plan @return a plan
    static Plan Make(uint32_t seed)
    {
        std::mt19937 random(seed);
        const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
        Plan plan;
        const uint32_t world = 2 + below(9);
        plan.algorithm = below(3) > 0 ? "ring" : "auto";
        plan.channels = 1 + below(3);
        plan.slice = below(2) ? 0 : 1 + below(5000);
        std::vector<ProcessGroup> groups = {WorldGroup(world)};
        for (uint32_t g = 0; g < 3; ++g)
        {
            std::vector<uint32_t> ranks(world);
            for (uint32_t r = 0; r < world; ++r)
            {
                ranks[r] = r;
            }
            std::shuffle(ranks.begin(), ranks.end(), random);
            ranks.resize(1 + below(world));
            groups.push_back({ParallelDimension::TENSOR, "g", ranks});
        }
        std::vector<std::vector<Operation>> program(world);
        const auto add = [&](uint32_t rank, Operation operation) {
            if (!program[rank].empty() && below(2))
            {
                operation.waits.assign(1, below(static_cast<uint32_t>(program[rank].size())));
            }
            program[rank].push_back(operation);
        };
        const CollectiveSelector selector;
        for (uint32_t step = 0; step < 25; ++step)
        {
            if (below(3) == 0)
            {
                const uint32_t from = below(world);
                const uint32_t to = (from + 1 + below(world - 1)) % world;
                const uint64_t bytes = below(4) ? below(20000) : 0;
                add(from, PointToPoint(OperationKind::SEND, to, bytes, below(2)));
                auto receive = program[from].back();
                receive.kind = OperationKind::RECV;
                receive.stream = OperationStream::RECV_FORWARD;
                receive.peer = from;
                receive.waits.clear();
                add(to, receive);
                plan.predicted[{from, to}] += bytes;
                continue;
            }
            const uint32_t g = below(static_cast<uint32_t>(groups.size()));
            CollectiveSpec spec;
            spec.kind = static_cast<CollectiveKind>(below(5));
            spec.groupSize = static_cast<uint32_t>(groups[g].ranks.size());
            spec.bytes = below(4) ? below(100000) : below(10);
            spec.channels = plan.channels;
            spec.sliceBytes = plan.slice;
            spec.root = below(spec.groupSize);
            const auto* algorithm = selector.Choose(spec, plan.algorithm).algorithm;
            auto operation = Collective(static_cast<OperationKind>(1 + static_cast<int>(spec.kind)),
                                        spec.bytes,
                                        g);
            operation.root = spec.root;
            for (uint32_t i = 0; i < spec.groupSize; ++i)
            {
                add(groups[g].ranks[i], operation);
                add(groups[g].ranks[i], Compute(below(30000)));
                for (uint32_t j = 0; j < spec.groupSize; ++j)
                {
                    plan.predicted[{groups[g].ranks[i], groups[g].ranks[j]}] +=
                        algorithm->PredictPairBytes(spec, i, j);
                }
            }
        }
        plan.workload = MakeScript(world, program, groups);
        return plan;
    }

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 60; ++seed)
        {
            const Plan plan = Make(seed);
            std::vector<std::string> histories;
            for (const auto& simulator : g_simulators)
            {
                histories.push_back(RunOn(simulator, plan, seed));
            }
            NS_TEST_EXPECT_MSG_EQ((histories[0] == histories[1]), true, "histories of " << seed);
        }
    }

    /// @return every operation's start and end
    std::string RunOn(const std::string& simulator, const Plan& plan, uint32_t seed)
    {
        SimulatorScope scope(simulator);
        auto transport = CreateObject<DelayTransport>();
        transport->delay = 500;
        const uint32_t iterations = 2;
        JobRig rig(plan.workload, transport, plan.algorithm, plan.channels, plan.slice, iterations);
        std::ostringstream history;
        Config::ConnectWithoutContext(
            "/NodeList/*/ApplicationList/*/$ns3::llm::LlmTrainingApplication/OperationEnd",
            Callback<void, uint32_t, uint32_t, const Operation&, int64_t, int64_t>(
                [&](uint32_t rank, uint32_t it, const Operation& op, int64_t start, int64_t now) {
                    history << rank << ' ' << it << ' ' << op.id << ' ' << start << ' ' << now
                            << '\n';
                }));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.job->IsComplete(),
                              true,
                              "seed " << seed << ": " << Join(rig.job->GetFailure()));
        for (const auto& [pair, bytes] : plan.predicted)
        {
            uint64_t emitted = 0;
            for (const PairTraffic& traffic : rig.job->GetTraffic().GetPairs())
            {
                if (traffic.from == pair.first && traffic.to == pair.second)
                {
                    emitted += traffic.bytes;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(emitted, iterations * bytes, "seed " << seed);
        }
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().bytesDelivered,
                              rig.job->GetTraffic().GetTotalBytes(),
                              "delivered");
        for (uint32_t rank = 0; rank < rig.job->GetWorldSize(); ++rank)
        {
            const auto times = rig.job->GetRank(rank)->GetTimes();
            NS_TEST_EXPECT_MSG_LT_OR_EQ(times.Total(),
                                        rig.job->GetEndTick(),
                                        "no instant is counted twice");
        }
        return history.str();
    }
};

/// @ingroup llm-training-tests
/// Two jobs keep their start times and do not know each other; a stopped one ends in order.
class TwoJobsTestCase : public TestCase
{
  public:
    TwoJobsTestCase()
        : TestCase("two jobs run side by side, and an application's stop time stops its job")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            SimulatorScope scope(simulator);
            const auto script =
                MakeScript(2,
                           std::vector<std::vector<Operation>>(
                               2,
                               {Compute(1000), Collective(OperationKind::ALL_REDUCE, 100)}),
                           {WorldGroup(2)});
            NodeContainer nodes;
            nodes.Create(2);
            std::vector<Ptr<TrainingJob>> jobs;
            for (uint32_t i = 0; i < 3; ++i)
            {
                auto job = CreateObject<TrainingJob>();
                job->SetAttribute("StartTime", TimeValue(MicroSeconds(10 * i)));
                job->SetAttribute("Iterations", UintegerValue(i == 2 ? 1000 : 1));
                job->SetWorkload(script);
                job->SetTransport(CreateObject<DelayTransport>());
                auto applications = job->Install(nodes);
                if (i == 2)
                {
                    applications.Stop(MicroSeconds(100));
                }
                jobs.push_back(job);
            }
            Simulator::Run();
            const int64_t us = MicroSeconds(1).GetTimeStep();
            for (int64_t i = 0; i < 2; ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(jobs[i]->IsComplete(), true, "job " << i);
                NS_TEST_EXPECT_MSG_EQ(jobs[i]->GetStartTick(), 10 * i * us, "start");
            }
            NS_TEST_EXPECT_MSG_EQ(jobs[0]->GetEndTick() - jobs[0]->GetStartTick(),
                                  jobs[1]->GetEndTick() - jobs[1]->GetStartTick(),
                                  "both take the same time");
            NS_TEST_EXPECT_MSG_EQ((jobs[2]->GetState() == TrainingJob::State::STOPPED),
                                  true,
                                  "stopped");
            NS_TEST_EXPECT_MSG_EQ(jobs[2]->GetEndTick(), 100 * us, "when it was told");
            NS_TEST_EXPECT_MSG_LT(jobs[2]->GetProgress(), 1.0, "not complete");
            NS_TEST_EXPECT_MSG_GT(jobs[2]->GetProgress(), 0.0, "but begun");
            NS_TEST_EXPECT_MSG_LT(Simulator::Now(),
                                  Seconds(1),
                                  "no watchdog keeps the simulator running");
        }
    }
};

/// @ingroup llm-training-tests
/// The window refuses programs that make no sense.
class WindowTestCase : public TestCase
{
  public:
    WindowTestCase()
        : TestCase("the operation window keeps stream order and refuses nonsense")
    {
    }

  private:
    void DoRun() override
    {
        const auto fetch = [](uint64_t id, std::vector<uint64_t> waits) {
            OperationWindow window(4);
            window.Begin(std::make_unique<FunctionProgram>([=](uint64_t, Operation& operation) {
                operation.id = id;
                operation.waits = waits;
                return true;
            }));
            window.Fetch();
        };
        std::string what;
        try
        {
            fetch(3, {});
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what,
                              "step program: operation 0: carries id 3; ids count up from 0 in "
                              "program order",
                              "id");
        try
        {
            fetch(0, {0});
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what,
                              "step program: operation 0: waits for operation 0; it may wait for "
                              "earlier ones only",
                              "wait");

        OperationWindow window(2);
        window.Begin(std::make_unique<FunctionProgram>([](uint64_t n, Operation& operation) {
            operation.stream = n == 1 ? OperationStream::DATA : OperationStream::COMPUTE;
            operation.waits.assign(n == 2 ? 1 : 0, 1);
            return n < 3;
        }));
        const uint32_t first = window.Fetch();
        const uint32_t second = window.Fetch();
        NS_TEST_EXPECT_MSG_EQ(window.Fetch(), OperationWindow::NONE, "full");
        window[first].started = true;
        window[second].started = true;
        window.Complete(first);
        const uint32_t third = window.Fetch();
        NS_TEST_EXPECT_MSG_EQ(window.GetHead(OperationStream::COMPUTE), third, "next of stream");
        NS_TEST_EXPECT_MSG_EQ(window.IsReady(third), false, "waits for the second");
        NS_TEST_EXPECT_MSG_EQ(window.FindCause(third), second, "because of it");
        window.Complete(second);
        NS_TEST_EXPECT_MSG_EQ(window.IsReady(third), true, "ready");
        window[third].started = true;
        window.Complete(third);
        NS_TEST_EXPECT_MSG_EQ(window.IsOver(), false, "the program's end is not known yet");
        NS_TEST_EXPECT_MSG_EQ(window.Fetch(), OperationWindow::NONE, "end");
        NS_TEST_EXPECT_MSG_EQ(window.IsOver(), true, "over");
    }
};

/// @ingroup llm-training-tests
/// The suite of the executor.
class LlmTrainingApplicationTestSuite : public TestSuite
{
  public:
    LlmTrainingApplicationTestSuite()
        : TestSuite("llm-training-application", Type::UNIT)
    {
        AddTestCase(new RingBytesTestCase("all-reduce of 5 GiB over 8 ranks",
                                          OperationKind::ALL_REDUCE,
                                          8,
                                          5368709120,
                                          9395240960,
                                          75161927680,
                                          112,
                                          {671088640}));
        AddTestCase(new RingBytesTestCase("all-reduce of 1,000,003 B over 7 ranks",
                                          OperationKind::ALL_REDUCE,
                                          7,
                                          1000003,
                                          0,
                                          12000036,
                                          84,
                                          {142857, 142858}));
        AddTestCase(new RingBytesTestCase("all-reduce of 4 B over 8 ranks",
                                          OperationKind::ALL_REDUCE,
                                          8,
                                          4,
                                          0,
                                          56,
                                          56,
                                          {1}));
        AddTestCase(new RingBytesTestCase("all-gather of 1 GiB over 8 ranks",
                                          OperationKind::ALL_GATHER,
                                          8,
                                          1073741824,
                                          939524096,
                                          7516192768,
                                          56,
                                          {134217728}));
        AddTestCase(new RingBytesTestCase("reduce-scatter of 1 GiB over 8 ranks",
                                          OperationKind::REDUCE_SCATTER,
                                          8,
                                          1073741824,
                                          939524096,
                                          7516192768,
                                          56,
                                          {134217728}));
        AddTestCase(new RingBytesTestCase("all-reduce of 1 GiB over 8 ranks",
                                          OperationKind::ALL_REDUCE,
                                          8,
                                          1073741824,
                                          1879048192,
                                          15032385536,
                                          112,
                                          {134217728}));
        AddTestCase(new RingTimeTestCase);
        AddTestCase(new EmptyTestCase);
        AddTestCase(new OverlapTestCase);
        AddTestCase(new FailureTestCase);
        AddTestCase(new InstallErrorTestCase);
        AddTestCase(new MemoryTestCase);
        AddTestCase(new RandomJobTestCase);
        AddTestCase(new TwoJobsTestCase);
        AddTestCase(new WindowTestCase);
    }
};

LlmTrainingApplicationTestSuite g_llmTrainingApplicationTestSuite; //!< registers the suite

} // namespace
