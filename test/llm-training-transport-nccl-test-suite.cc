/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What NCCL puts between collectives and the wire: flags, latency, queue pairs, clear-to-send.

#include "fabric-test-helpers.h"
#include "llm-training-test-job.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nccl-transport.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-job.h"
#include "ns3/test.h"

#include <algorithm>

using namespace ns3;
using namespace fabrictest;

namespace
{

/// NCCL in front of a transport without contention.
struct Rig
{
    /// @param ranks how many
    explicit Rig(uint32_t ranks)
        : behind(CreateObject<llmtest::DelayTransport>()),
          nccl(CreateObject<NcclTransport>())
    {
        behind->keepLog = true;
        nccl->SetTransport(behind, std::vector<uint32_t>(ranks, Simulator::NO_CONTEXT));
        nccl->SetListener(&recorder);
    }

    ~Rig()
    {
        nccl->Dispose();
    }

    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    /// @return a message of rank 0 to rank 1
    static Message Make(NcclProtocol protocol, uint64_t bytes, uint64_t tag = 0)
    {
        Message message;
        message.to = 1;
        message.protocol = static_cast<uint8_t>(protocol);
        message.bytes = bytes;
        message.tag = tag;
        return message;
    }

    /// Set an attribute.
    void Set(const std::string& name, const std::string& value)
    {
        nccl->SetAttribute(name, StringValue(value));
    }

    Ptr<llmtest::DelayTransport> behind; //!< takes 1000 ticks and a tick per byte
    Ptr<NcclTransport> nccl;             //!< under test
    Recorder recorder;                   //!< hears of messages
};

/// @ingroup llm-training-tests
/// Flags and latency.
class FlagsAndLatencyTest : public TestCase
{
  public:
    FlagsAndLatencyTest()
        : TestCase("flags are sent and counted apart, and a message is used after its latency")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        for (const NcclProtocol protocol :
             {NcclProtocol::NONE, NcclProtocol::SIMPLE, NcclProtocol::LL, NcclProtocol::LL128})
        {
            Rig rig(2);
            rig.Set("SimpleLatency", "+600" + Unit());
            rig.Set("LlLatency", "+100" + Unit());
            rig.Set("Ll128Latency", "+200" + Unit());
            rig.nccl->Send(Rig::Make(protocol, 1000, 42));
            rig.nccl->Send(Rig::Make(protocol, 0, 43));
            Simulator::Run();
            const int64_t latency = protocol == NcclProtocol::SIMPLE  ? 600
                                    : protocol == NcclProtocol::LL    ? 100
                                    : protocol == NcclProtocol::LL128 ? 200
                                                                      : 0;
            const uint64_t wire = protocol == NcclProtocol::LL      ? 2000
                                  : protocol == NcclProtocol::LL128 ? 9 * 128
                                                                    : 1000;
            NS_TEST_ASSERT_MSG_EQ(rig.recorder.delivered.size(), 2, "both");
            NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered[0].message.tag, 43, "the empty one first");
            NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered[1].message.tag, 42, "tag as given");
            NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered[1].message.bytes, 1000, "payload only");
            NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered[1].now,
                                  1000 + static_cast<int64_t>(wire) + latency,
                                  ToString(protocol));
            NS_TEST_EXPECT_MSG_EQ(rig.recorder.sent.size(), 2, "acknowledged");
            const TransportTotals totals = rig.nccl->GetTotals();
            NS_TEST_EXPECT_MSG_EQ(totals.bytesStarted, 1000, "payload");
            NS_TEST_EXPECT_MSG_EQ(totals.bytesDelivered, 1000, "payload");
            NS_TEST_EXPECT_MSG_EQ(totals.protocolBytesStarted, wire - 1000, "flags");
            NS_TEST_EXPECT_MSG_EQ(totals.protocolBytesDelivered, wire - 1000, "flags");
            NS_TEST_EXPECT_MSG_EQ(totals.payloadReceived, wire, "of the transport behind");
            Simulator::Destroy();
        }
    }

    /// @return unit of a tick
    static std::string Unit()
    {
        return Time::GetResolution() == Time::PS ? "ps" : "ns";
    }
};

/// @ingroup llm-training-tests
/// Queue pairs.
class QueuePairsTest : public TestCase
{
  public:
    QueuePairsTest()
        : TestCase("queue pairs take messages in turn or parts of each; order is kept")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        for (const bool split : {false, true})
        {
            Rig rig(2);
            rig.Set("QpsPerConnection", "4");
            rig.Set("SplitDataOnQps", split ? "true" : "false");
            // The first is the longest: on queue pairs of their own the others come before it.
            const uint64_t sizes[] = {5001, 1, 300, 20, 7};
            for (uint64_t tag = 0; tag < 5; ++tag)
            {
                rig.nccl->Send(Rig::Make(NcclProtocol::NONE, sizes[tag], tag));
            }
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(rig.recorder.delivered.size(), 5, "all");
            for (uint64_t tag = 0; tag < 5; ++tag)
            {
                NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered[tag].message.tag, tag, "in order");
                NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered[tag].message.bytes, sizes[tag], "");
            }
            std::vector<uint64_t> byPair(4);
            for (const Message& message : rig.behind->log)
            {
                byPair.at(message.channel) += message.bytes;
            }
            const std::vector<uint64_t> wanted = split
                                                     ? std::vector<uint64_t>{1251 + 1 + 75 + 5 + 2,
                                                                             1250 + 75 + 5 + 2,
                                                                             1250 + 75 + 5 + 2,
                                                                             1250 + 75 + 5 + 1}
                                                     : std::vector<uint64_t>{5001 + 7, 1, 300, 20};
            for (uint32_t pair = 0; pair < 4; ++pair)
            {
                NS_TEST_EXPECT_MSG_EQ(byPair[pair], wanted[pair], "queue pair " << pair);
            }
            NS_TEST_EXPECT_MSG_EQ(rig.nccl->GetTotals().protocolBytesStarted, 0, "");
            Simulator::Destroy();
        }
    }
};

/// @ingroup llm-training-tests
/// Clear-to-send.
class ClearToSendTest : public TestCase
{
  public:
    ClearToSendTest()
        : TestCase("a message waits for its receiver, who gives leave for eight slots at a time")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        Rig rig(2);
        rig.Set("ClearToSend", "true");
        rig.Set("SimpleLatency", "0s");
        constexpr uint64_t slice = 1 << 20; // two slots
        for (uint64_t tag = 0; tag < 10; ++tag)
        {
            rig.nccl->Send(Rig::Make(NcclProtocol::SIMPLE, slice, tag));
        }
        NS_TEST_EXPECT_MSG_EQ(rig.behind->log.size(), 0, "nobody is ready for them");
        std::vector<std::string> lines;
        rig.nccl->DescribeOpen(lines, 10);
        NS_TEST_EXPECT_MSG_EQ(lines.front(),
                              "rank 0 -> rank 1 channel 0: 10 messages wait for clear-to-send, 0 "
                              "announced ones wait for slots",
                              "");
        for (uint64_t tag = 0; tag < 10; ++tag)
        {
            rig.nccl->Announce(Rig::Make(NcclProtocol::SIMPLE, slice, tag));
        }
        NS_TEST_EXPECT_MSG_EQ(rig.nccl->GetTotals().clearToSends, 4, "4 x 2 slots");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(rig.recorder.delivered.size(), 10, "all");
        // Leave takes 1000 + 64 ticks, a slice of a connection 1000 + its bytes (no contention);
        // the fifth waits for the first to come and for leave again.
        const auto ticks = static_cast<int64_t>(slice);
        NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered[0].now, 1064 + 1000 + ticks, "first");
        NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered[4].now, 2 * (1064 + 1000 + ticks), "fifth");
        const TransportTotals totals = rig.nccl->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.clearToSends, 10, "one each");
        NS_TEST_EXPECT_MSG_EQ(totals.protocolBytesStarted, 640, "records");
        NS_TEST_EXPECT_MSG_EQ(totals.protocolBytesDelivered, 640, "records");
        NS_TEST_EXPECT_MSG_EQ(totals.payloadReceived, 10 * slice + 640, "behind");
        rig.nccl->Send(Rig::Make(NcclProtocol::NONE, 5, 77));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.recorder.delivered.back().message.tag, 77, "no leave needed");
    }
};

/// @ingroup llm-training-tests
/// All of it under collectives, over RDMA.
class CollectivesTest : public TestCase
{
  public:
    CollectivesTest()
        : TestCase("collectives over queue pairs with flags, clear-to-send and losses: exact bytes")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string protocol : {"simple", "ll", "ll128"})
        {
            for (const bool loss : {false, true})
            {
                Check("ring", OperationKind::ALL_REDUCE, protocol, loss);
                Check("double_binary_tree", OperationKind::ALL_REDUCE, protocol, loss);
                Check("direct", OperationKind::ALL_TO_ALL, protocol, loss);
                Check("ring", OperationKind::BROADCAST, protocol, loss);
            }
        }
    }

    /// Three collectives of odd sizes.
    void Check(const std::string& algorithm,
               OperationKind kind,
               const std::string& protocol,
               bool loss)
    {
        const uint32_t n = 5;
        const SimulatorScope scope("ns3::llm::FabricSimulatorImpl");
        Net net(1024);
        net.BuildStar(n, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("Verb", StringValue("write_imm"));
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
        net.Install(helper);
        if (loss)
        {
            Net::Lose(net.HostPort(1),
                      [frames = uint32_t{0}](const Frame&) mutable { return ++frames % 97 == 0; });
        }
        Ptr<NcclTransport> nccl = CreateObject<NcclTransport>();
        nccl->SetAttribute("QpsPerConnection", UintegerValue(3));
        nccl->SetAttribute("SplitDataOnQps", BooleanValue(loss));
        nccl->SetAttribute("ClearToSend", BooleanValue(true));
        std::vector<uint32_t> nodes;
        for (uint32_t i = 0; i < n; ++i)
        {
            nodes.push_back(net.hosts.Get(i)->GetId());
        }
        nccl->SetTransport(net.transport, nodes);
        uint64_t messages = 0;
        uint64_t flags = 0;
        nccl->TraceConnectWithoutContext(
            "MessageStart",
            Callback<void, const Message&, int64_t>([&](const Message& message, int64_t) {
                ++messages;
                flags +=
                    GetNcclWireBytes(static_cast<NcclProtocol>(message.protocol), message.bytes) -
                    message.bytes;
            }));
        std::vector<Operation> program;
        for (const uint64_t bytes : {1U, 100003U, 300001U})
        {
            program.push_back(llmtest::Collective(kind, bytes));
        }
        Ptr<TrainingJob> job = CreateObject<TrainingJob>();
        job->SetWorkload(llmtest::MakeScript(n,
                                             std::vector<std::vector<Operation>>(n, program),
                                             {llmtest::WorldGroup(n)}));
        job->SetTransport(nccl);
        job->SetCollectives({algorithm, 2, 0, protocol});
        job->Install(net.hosts);
        Simulator::Run();
        const std::string what = algorithm + " " + protocol + (loss ? " with losses" : "");
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, what);
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        const TransportTotals totals = nccl->GetTotals();
        const TransportTotals wire = net.transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.bytesDelivered, job->GetTraffic().GetTotalBytes(), what);
        NS_TEST_EXPECT_MSG_EQ(totals.clearToSends, messages, what);
        NS_TEST_EXPECT_MSG_EQ(totals.protocolBytesStarted, flags + 64 * messages, what);
        NS_TEST_EXPECT_MSG_EQ(totals.protocolBytesDelivered, flags + 64 * messages, what);
        NS_TEST_EXPECT_MSG_EQ(wire.bytesStarted,
                              totals.bytesStarted + totals.protocolBytesStarted,
                              what);
        NS_TEST_EXPECT_MSG_EQ(wire.payloadReceived, wire.bytesStarted, what);
        NS_TEST_EXPECT_MSG_EQ((loss == (wire.payloadRetransmitted > 0)), true, what);
        const auto decisions = job->GetDecisions();
        NS_TEST_EXPECT_MSG_EQ(decisions.size(), 3, "one per size");
        NS_TEST_EXPECT_MSG_EQ(decisions.back().algorithm, algorithm, what);
        nccl->Dispose();
    }
};

/// @ingroup llm-training-tests
/// Immediate data.
class ImmediateTest : public TestCase
{
  public:
    ImmediateTest()
        : TestCase("immediate data makes the last frame of each message four bytes longer")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t bytes[2];
        for (const bool immediate : {false, true})
        {
            const SimulatorScope scope("ns3::DefaultSimulatorImpl");
            Net net(1024);
            net.BuildStar(2, 100, MicroSeconds(1));
            RdmaTransportHelper helper;
            helper.SetAttribute("Verb", StringValue(immediate ? "write_imm" : "write"));
            helper.SetAttribute("MaxWriteBytes", UintegerValue(4000));
            net.Install(helper);
            net.Send(0, 1, 10000);
            net.Send(0, 1, 7);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "");
            bytes[immediate] = net.HostPort(0).GetCounters().txDataBytes;
        }
        NS_TEST_EXPECT_MSG_EQ(bytes[1], bytes[0] + 2 * 4, "two messages");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingTransportNcclTestSuite : public TestSuite
{
  public:
    LlmTrainingTransportNcclTestSuite()
        : TestSuite("llm-training-transport-nccl", Type::UNIT)
    {
        AddTestCase(new FlagsAndLatencyTest);
        AddTestCase(new QueuePairsTest);
        AddTestCase(new ClearToSendTest);
        AddTestCase(new CollectivesTest);
        AddTestCase(new ImmediateTest);
    }
};

LlmTrainingTransportNcclTestSuite g_llmTrainingTransportNcclTestSuite; //!< registers the suite

} // namespace
