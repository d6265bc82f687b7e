/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several transports on the same NICs, and queue pairs that start afresh for every message.

#include "fabric-test-helpers.h"
#include "llm-training-test-job.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-timely.h"
#include "ns3/test.h"

#include <map>
#include <set>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-sharing"; //!< name

/** @return a transport on all hosts of a network, as Net::Install makes it. */
Ptr<RdmaTransport>
InstallAnother(const Net& net, Recorder& recorder, RdmaTransportHelper helper)
{
    helper.SetAttribute("PathMtu", UintegerValue(net.fabric->GetPathMtu()));
    Ptr<RdmaTransport> transport = helper.Install(net.fabric, net.hosts);
    transport->SetListener(&recorder);
    return transport;
}

/** Sends over a transport. */
void
Send(const Ptr<RdmaTransport>& transport,
     uint32_t from,
     uint32_t to,
     uint64_t bytes,
     uint64_t tag = 0)
{
    Message message;
    message.from = from;
    message.to = to;
    message.bytes = bytes;
    message.tag = tag;
    transport->Send(message);
}

/// @ingroup llm-training-tests
/// Two transports, one NIC per host.
class TwoTransportsShareNics : public TestCase
{
  public:
    TwoTransportsShareNics()
        : TestCase("two transports share NICs: each has its messages, its congestion control and "
                   "its accounts; together they are what the ports count")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(1024);
        net.BuildStar(3, 100, MicroSeconds(1));
        net.Install();
        Recorder recorder;
        RdmaTransportHelper helper;
        helper.SetCongestionControl("timely");
        const Ptr<RdmaTransport> other = InstallAnother(net, recorder, helper);
        // Ranks, channels and tags are the same: nothing may be mixed up.
        for (uint64_t tag = 0; tag < 4; ++tag)
        {
            net.Send(0, 1, 100000, tag);
            Send(other, 0, 1, 300000, tag);
            Send(other, 2, 1, 0, tag);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 4, "one");
        NS_TEST_EXPECT_MSG_EQ(recorder.delivered.size(), 8, "other");
        NS_TEST_EXPECT_MSG_EQ(recorder.sent.size(), 8, "other");
        for (const auto& entry : net.recorder.delivered)
        {
            NS_TEST_EXPECT_MSG_EQ(entry.message.bytes, 100000, "one's own");
        }
        const TransportTotals a = net.transport->GetTotals();
        const TransportTotals b = other->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(a.payloadReceived, 400000, "one's bytes");
        NS_TEST_EXPECT_MSG_EQ(b.payloadReceived, 1200000, "other's bytes");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().hosts.txDataPayload,
                              a.payloadSent + b.payloadSent,
                              "at the ports");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetNics()[0],
                              other->GetNics()[0],
                              "they share the NIC");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetQueuePairCount(), 2, "one's queue pairs");
        NS_TEST_EXPECT_MSG_EQ(other->GetQueuePairCount(), 4, "other's queue pairs");
        NS_TEST_EXPECT_MSG_EQ(
            net.transport->FindQueuePair(0, 1, 0)->GetCongestionOps()->GetInstanceTypeId(),
            RdmaDcqcn::GetTypeId(),
            "one's congestion control");
        NS_TEST_EXPECT_MSG_EQ(
            other->FindQueuePair(0, 1, 0)->GetCongestionOps()->GetInstanceTypeId(),
            RdmaTimely::GetTypeId(),
            "other's congestion control");
        std::vector<std::string> open;
        other->DescribeOpen(open, 10);
        NS_TEST_EXPECT_MSG_EQ(open.size(), 0, "nothing open");
        // They share the sender: 1.6 MB at 100 Gb/s cannot be faster than 128 us.
        NS_TEST_EXPECT_MSG_GT(TimeStep(recorder.GetEnd()), MicroSeconds(128), "one port");
        other->Dispose();
    }
};

/// @ingroup llm-training-tests
/// What cannot be shared.
class OtherSettingsAreRefused : public TestCase
{
  public:
    OtherSettingsAreRefused()
        : TestCase("a transport that wants a NIC otherwise than it is, or twice, is refused")
    {
    }

  private:
    std::string ErrorOf(const Net& net, const RdmaTransportHelper& helper)
    {
        Recorder recorder;
        try
        {
            InstallAnother(net, recorder, helper);
        }
        catch (const llm::ConfigError& error)
        {
            return error.what();
        }
        return "no error";
    }

    void DoRun() override
    {
        Net net(1024);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.Install();
        RdmaTransportHelper interval;
        interval.SetAttribute("AckInterval", UintegerValue(4));
        NS_TEST_EXPECT_MSG_EQ(ErrorOf(net, interval),
                              "RdmaTransport: AckInterval: is 4, but 1 at the NIC that rank 0 "
                              "shares with another transport; give both the same",
                              "interval");
        std::string twice = "no error";
        try
        {
            net.transport->AddRank(2, &net.HostPort(0), net.hosts.Get(0));
        }
        catch (const llm::ConfigError& error)
        {
            twice = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(twice,
                              "RdmaTransport: rank 2: is at the endpoint of another rank; every "
                              "rank has one of its own",
                              "twice");
    }
};

/// @ingroup llm-training-tests
/// A transport goes away.
class OneLeavesTheOtherGoesOn : public TestCase
{
  public:
    OneLeavesTheOtherGoesOn()
        : TestCase("a transport that is disposed of in the middle hears no more; the other goes on")
    {
    }

  private:
    void DoRun() override
    {
        Net net(1024);
        net.BuildStar(3, 100, MicroSeconds(1));
        net.Install();
        Recorder recorder;
        const Ptr<RdmaTransport> other = InstallAnother(net, recorder, RdmaTransportHelper());
        net.Send(0, 1, 1000000);
        Send(other, 0, 1, 1000000);
        Send(other, 2, 1, 1000000);
        Simulator::Schedule(MicroSeconds(20), [other] { other->Dispose(); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 1, "goes on");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), 1, "goes on");
        NS_TEST_EXPECT_MSG_EQ(recorder.delivered.size(), 0, "left before");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().framesLive, 0, "frames");
    }
};

/// @ingroup llm-training-tests
/// Queue pairs that start afresh.
class FreshQueuePairsAreUsedAgain : public TestCase
{
  public:
    FreshQueuePairsAreUsedAgain()
        : TestCase("fresh queue pairs: as many as messages at a time, each with congestion control "
                   "and entropy of its own")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(1024);
        net.BuildStar(3, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("FreshQueuePairs", BooleanValue(true));
        net.Install(helper);
        // One after the other, each from within what is said of the one before.
        constexpr uint64_t MESSAGES = 200;
        net.recorder.onSent = [&](const Message& message, int64_t) {
            if (message.tag + 1 < MESSAGES)
            {
                net.Send(0, 1, message.tag % 7 == 3 ? 0 : 5000, message.tag + 1);
            }
        };
        net.Send(0, 1, 5000, 0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), MESSAGES, "each once");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(net.transport->GetQueuePairCount(),
                                    4,
                                    "two at a time: one that ends, one that begins");

        // Three at once, then three more: the same queue pairs, renewed.
        net.recorder.onSent = nullptr;
        const auto burst = [&net] {
            for (uint64_t tag = 0; tag < 3; ++tag)
            {
                net.Send(2, 1, 50000, tag);
            }
        };
        burst();
        const RdmaNic& nic = *net.transport->GetNics()[2];
        std::set<const RdmaCongestionOps*> before;
        std::set<uint16_t> flows;
        const auto look = [&](std::set<const RdmaCongestionOps*>& controls) {
            for (const auto& qp : nic.GetQueuePairs())
            {
                controls.insert(PeekPointer(qp->GetCongestionOps()));
                flows.insert(qp->GetChannel());
            }
        };
        // What is kept here must not be freed, or a new one may stand at the same place.
        std::vector<Ptr<RdmaCongestionOps>> kept;
        for (const auto& qp : nic.GetQueuePairs())
        {
            kept.push_back(qp->GetCongestionOps());
        }
        look(before);
        Simulator::Run();
        burst();
        std::set<const RdmaCongestionOps*> after;
        look(after);
        NS_TEST_EXPECT_MSG_EQ(nic.GetQueuePairs().size(), 3, "as many as at a time");
        NS_TEST_EXPECT_MSG_EQ(before.size() + after.size(), 6, "each flow its own");
        NS_TEST_EXPECT_MSG_EQ(flows.size(), 6, "each flow its own");
        for (const auto* control : after)
        {
            NS_TEST_EXPECT_MSG_EQ(before.count(control), 0, "a new congestion control");
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// A job over fresh queue pairs.
class CollectivesOverFreshQueuePairs : public TestCase
{
  public:
    CollectivesOverFreshQueuePairs()
        : TestCase("collectives complete over fresh queue pairs, to the byte")
    {
    }

  private:
    void DoRun() override
    {
        Net net(1024);
        net.BuildLeafSpine(2, 2, 4, 100, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("FreshQueuePairs", BooleanValue(true));
        net.Install(helper);
        llm::Operation reduce;
        reduce.kind = llm::OperationKind::ALL_REDUCE;
        reduce.bytes = 1000003;
        reduce.group = 0;
        llm::ProcessGroup group;
        group.name = "all";
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            group.ranks.push_back(rank);
        }
        const Ptr<llm::TrainingJob> job = CreateObject<llm::TrainingJob>();
        job->SetAttribute("Iterations", UintegerValue(3));
        job->SetWorkload(
            llmtest::MakeScript(8, std::vector<std::vector<llm::Operation>>(8, {reduce}), {group}));
        job->SetCollectives({"ring", 2, 65536, "none"});
        job->SetTransport(net.transport);
        job->Install(net.hosts);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, "ends");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().payloadReceived,
                              3ULL * 2 * 7 * 1000003,
                              "every byte once");
        job->Dispose();
    }
};

/// The suite.
class RdmaSharingTestSuite : public TestSuite
{
  public:
    RdmaSharingTestSuite()
        : TestSuite("llm-training-rdma-sharing", Type::UNIT)
    {
        AddTestCase(new TwoTransportsShareNics, llm::TestDuration::QUICK);
        AddTestCase(new OtherSettingsAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new OneLeavesTheOtherGoesOn, llm::TestDuration::QUICK);
        AddTestCase(new FreshQueuePairsAreUsedAgain, llm::TestDuration::QUICK);
        AddTestCase(new CollectivesOverFreshQueuePairs, llm::TestDuration::QUICK);
    }
};

RdmaSharingTestSuite g_rdmaSharingTestSuite; //!< registers

} // namespace
