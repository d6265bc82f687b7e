/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-test-job.h"

#include "ns3/data-rate.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-scale-up-transport.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

/// Writes down deliveries.
struct Log : public MessageListener
{
    /// A delivery.
    struct Entry
    {
        Message message; //!< what
        int64_t now;     //!< tick
    };

    std::vector<Entry> delivered; //!< in order
    std::vector<Entry> sent;      //!< in order

    void MessageDelivered(const Message& message, int64_t now) override
    {
        delivered.push_back({message, now});
    }

    void MessageSent(const Message& message, int64_t now) override
    {
        sent.push_back({message, now});
    }

    void MessageFailed(const Message&, const std::string&) override
    {
    }
};

/// @param rate of a port @param latency ticks @param queue of events @param ranks in domain 0
/// @return the transport
Ptr<ScaleUpTransport>
MakeDomain(const std::string& rate, int64_t latency, FabricEventQueue& queue, uint32_t ranks)
{
    auto transport = CreateObject<ScaleUpTransport>();
    transport->SetAttribute("Bandwidth", DataRateValue(DataRate(rate)));
    transport->SetAttribute("Latency", TimeValue(TimeStep(latency)));
    transport->SetEventQueue(queue);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        transport->AddRank(rank, 0, 0);
    }
    return transport;
}

/// @param from sender @param to receiver @param bytes length @return message
Message
MakeMessage(uint32_t from, uint32_t to, uint64_t bytes)
{
    Message message;
    message.from = from;
    message.to = to;
    message.bytes = bytes;
    return message;
}

/// @ingroup llm-training-tests
/// Messages into one accelerator follow each other without gap or drift.
class ScaleUpIncastTestCase : public TestCase
{
  public:
    ScaleUpIncastTestCase()
        : TestCase("n transfers into one scale-up port serialise exactly, without drift")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            SimulatorScope scope(simulator);
            FabricEventQueue queue;
            Log log;
            const uint32_t senders = 200;
            auto transport = MakeDomain("7Gb/s", 100, queue, senders + 1);
            transport->SetListener(&log);
            Simulator::Schedule(TimeStep(1000), [&]() {
                FabricEntry entry(queue);
                // the last first: who goes first at one instant is the port's number
                for (uint32_t from = senders; from > 0; --from)
                {
                    transport->Send(MakeMessage(from, 0, 100));
                }
            });
            Simulator::Run();
            const uint64_t ticks = static_cast<uint64_t>(Seconds(1).GetTimeStep());
            NS_TEST_ASSERT_MSG_EQ(log.delivered.size(), senders, "all arrive");
            for (uint64_t k = 0; k < senders; ++k)
            {
                const uint64_t rate = 7000000000ULL;
                const auto serial = static_cast<int64_t>(((k + 1) * 800 * ticks + rate - 1) / rate);
                NS_TEST_EXPECT_MSG_EQ(log.delivered[k].message.from, k + 1, "order of ports");
                NS_TEST_EXPECT_MSG_EQ(log.delivered[k].now, 1100 + serial, "message " << k);
                NS_TEST_EXPECT_MSG_EQ(log.sent[k].now, log.delivered[k].now, "acknowledged");
            }
            NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().bytesDelivered, senders * 100, "bytes");
            NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().payloadReceived, senders * 100, "bytes");
        }
    }
};

/// @ingroup llm-training-tests
/// Messages out of one accelerator follow each other; a free ingress adds nothing.
class ScaleUpEgressTestCase : public TestCase
{
  public:
    ScaleUpEgressTestCase()
        : TestCase("a scale-up egress serialises, cuts through and never drifts")
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(g_simulators[1]);
        FabricEventQueue queue;
        Log log;
        auto transport = MakeDomain("7Gb/s", 100, queue, 3);
        transport->SetListener(&log);
        const uint64_t count = 1000;
        Simulator::Schedule(TimeStep(0), [&]() {
            FabricEntry entry(queue);
            for (uint64_t i = 0; i < count; ++i)
            {
                transport->Send(MakeMessage(0, 1, 100));
            }
        });
        // 5 GiB later, alone: latency plus its serialisation, in 64 bits
        Simulator::Schedule(MilliSeconds(1), [&]() {
            FabricEntry entry(queue);
            transport->Send(MakeMessage(1, 2, 5368709120ULL));
            transport->Send(MakeMessage(1, 2, 0));
        });
        Simulator::Run();
        const uint64_t ticks = static_cast<uint64_t>(Seconds(1).GetTimeStep());
        const uint64_t rate = 7000000000ULL;
        NS_TEST_ASSERT_MSG_EQ(log.delivered.size(), count + 2, "all arrive");
        for (uint64_t k = 0; k < count; ++k)
        {
            const auto serial = static_cast<int64_t>(((k + 1) * 800 * ticks + rate - 1) / rate);
            NS_TEST_EXPECT_MSG_EQ(log.delivered[k].now, 100 + serial, "message " << k);
        }
        const double seconds = 5368709120.0 * 8 / 7e9;
        const Time big = TimeStep(log.delivered[count].now) - MilliSeconds(1) - TimeStep(100);
        NS_TEST_EXPECT_MSG_EQ_TOL(big.GetSeconds(), seconds, 1e-9, "5 GiB");
        NS_TEST_EXPECT_MSG_EQ(log.delivered[count + 1].message.bytes, 0, "empty, in order");
    }
};

/// @ingroup llm-training-tests
/// A ring collective in a domain takes its closed form.
class ScaleUpRingTestCase : public TestCase
{
  public:
    ScaleUpRingTestCase()
        : TestCase("ring all-reduce in a scale-up domain: 2(n-1)(latency + chunk time)")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            for (uint32_t channels = 1; channels <= 4; channels *= 2)
            {
                SimulatorScope scope(simulator);
                FabricEventQueue queue;
                // 1 GB/s: a byte per nanosecond
                const int64_t ns = NanoSeconds(1).GetTimeStep();
                auto transport = MakeDomain("8Gb/s", 500 * ns, queue, 8);
                JobRig rig(
                    MakeScript(8,
                               std::vector<std::vector<Operation>>(
                                   8,
                                   {Collective(OperationKind::ALL_REDUCE, 8 * 4096 * channels)}),
                               {WorldGroup(8)}),
                    transport,
                    "ring",
                    channels);
                Simulator::Run();
                NS_TEST_EXPECT_MSG_EQ(rig.job->IsComplete(), true, "complete");
                // Channels take turns; while one waits for its latency the next sends. The last
                // channel's first chunk leaves (channels - 1) chunk times late.
                const int64_t step = 500 + 4096;
                const int64_t busy = 4096 * static_cast<int64_t>(channels);
                const int64_t expected =
                    14 * std::max(step, busy) + (busy > step ? 500 : (busy - 4096));
                NS_TEST_EXPECT_MSG_EQ(rig.job->GetIterations()[0].duration,
                                      expected * ns,
                                      channels << " channels");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Servers decide the way; both ways count.
class RoutedTransportTestCase : public TestCase
{
  public:
    RoutedTransportTestCase()
        : TestCase("messages inside a server use the scale-up domain, others the network")
    {
    }

  private:
    /// @param action throws @return its message
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
        SimulatorScope scope(g_simulators[1]);
        auto network = CreateObject<DelayTransport>();
        auto scaleUp = CreateObject<ScaleUpTransport>();
        scaleUp->SetEventQueue(network->GetEventQueue());
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            scaleUp->AddRank(rank, rank / 4, 0);
        }
        NS_TEST_EXPECT_MSG_EQ(scaleUp->IsConnected(0, 3), true, "one domain");
        NS_TEST_EXPECT_MSG_EQ(scaleUp->IsConnected(3, 4), false, "two domains");
        auto routed = CreateObject<RoutedTransport>();
        routed->SetRoutes(scaleUp, network, {0, 0, 0, 0, 1, 1, 1, 1});
        JobRig rig(MakeScript(8,
                              std::vector<std::vector<Operation>>(
                                  8,
                                  {Collective(OperationKind::ALL_REDUCE, 8000)}),
                              {WorldGroup(8)}),
                   routed);
        uint64_t started = 0;
        routed->TraceConnectWithoutContext(
            "MessageStart",
            Callback<void, const Message&, int64_t>([&](const Message&, int64_t) { ++started; }));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.job->IsComplete(), true, "complete");
        NS_TEST_EXPECT_MSG_EQ(started, 112, "traced once each");
        NS_TEST_EXPECT_MSG_EQ(routed->GetTotals().bytesDelivered, 112000, "all bytes");
        NS_TEST_EXPECT_MSG_EQ(network->GetTotals().bytesDelivered, 28000, "two of eight edges");
        NS_TEST_EXPECT_MSG_EQ(scaleUp->GetTotals().bytesDelivered, 84000, "six of eight edges");

        NS_TEST_EXPECT_MSG_EQ(What([&]() { scaleUp->Send(MakeMessage(3, 4, 1)); }),
                              "ScaleUpTransport: message from rank 3 to rank 4; both must be "
                              "different ranks of one scale-up domain",
                              "across domains");
        NS_TEST_EXPECT_MSG_EQ(What([&]() { scaleUp->AddRank(3, 0, 0); }),
                              "ScaleUpTransport: rank 3 is there",
                              "twice");
        NS_TEST_EXPECT_MSG_EQ(What([&]() { routed->Send(MakeMessage(3, 8, 1)); }),
                              "RoutedTransport: message from rank 3 to rank 8; two different ranks "
                              "below 8 are needed",
                              "unknown rank");
        auto other = CreateObject<DelayTransport>();
        NS_TEST_EXPECT_MSG_NE(
            What([&]() { routed->SetRoutes(scaleUp, other, {0}); }).find("different event queues"),
            std::string::npos,
            "two queues");
        NS_TEST_EXPECT_MSG_EQ(What([&]() { CreateObject<ScaleUpTransport>()->AddRank(0, 0, 0); }),
                              "ScaleUpTransport: AddRank before SetEventQueue",
                              "no queue");
    }
};

/// @ingroup llm-training-tests
/// The suite of the scale-up transport.
class LlmTrainingTransportScaleUpTestSuite : public TestSuite
{
  public:
    LlmTrainingTransportScaleUpTestSuite()
        : TestSuite("llm-training-transport-scale-up", Type::UNIT)
    {
        AddTestCase(new ScaleUpIncastTestCase);
        AddTestCase(new ScaleUpEgressTestCase);
        AddTestCase(new ScaleUpRingTestCase);
        AddTestCase(new RoutedTransportTestCase);
    }
};

LlmTrainingTransportScaleUpTestSuite g_llmTrainingTransportScaleUpTestSuite; //!< registers it

} // namespace
