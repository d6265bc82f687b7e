/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Numbers at which tables of other simulators ended: ports of a switch, messages of a pair.

#include "fabric-test-helpers.h"

#include "ns3/boolean.h"
#include "ns3/llm-training-compat.h"
#include "ns3/rdma-transport-helper.h"
#include "ns3/test.h"

#include <algorithm>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-limits"; //!< name

/// @ingroup llm-training-tests
/// More messages between two ranks than 16 bits count.
class ManyMessagesTest : public TestCase
{
  public:
    ManyMessagesTest()
        : TestCase("70000 messages of one pair arrive once and in order, on queue pairs that "
                   "persist and on fresh ones, of which few exist")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const bool fresh : {false, true})
        {
            Net net(1024);
            net.BuildStar(2, 400, NanoSeconds(100));
            RdmaTransportHelper helper;
            helper.SetAttribute("FreshQueuePairs", BooleanValue(fresh));
            helper.SetCongestionControl("none");
            net.Install(helper);
            const uint64_t messages = 70000;
            uint64_t next = 0;
            uint64_t wrong = 0;
            const auto send = [&net, &next] {
                net.Send(0, 1, 1 + next % 3, next);
                ++next;
            };
            net.recorder.onDelivered = [&](const Message& message, int64_t) {
                wrong += message.tag + 4 == next || fresh ? 0 : 1;
                if (next < messages)
                {
                    send();
                }
            };
            for (uint32_t i = 0; i < 4; ++i) // open at a time
            {
                send();
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), messages, "messages");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(wrong, 3, "in order; the last three send no other");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(net.transport->GetQueuePairCount(),
                                        (fresh ? 32 : 2),
                                        "queue pairs");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }
};

/// @ingroup llm-training-tests
/// More ports than other simulators have tables for.
class ManyPortsTest : public TestCase
{
  public:
    ManyPortsTest()
        : TestCase("a switch with 1100 ports: every port sends, receives and pauses")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const uint32_t hosts = 1100;
        SwitchSettings settings;
        settings.bufferBytes = uint64_t{256} << 20;
        settings.alpha = 1.0 / 8192;
        Net net(1024);
        net.BuildStar(hosts, 100, NanoSeconds(500), settings);
        RdmaTransportHelper helper;
        helper.SetCongestionControl("none");
        net.Install(helper);
        for (uint32_t i = 0; i < hosts; ++i)
        {
            net.Send(i, (i + 1) % hosts, 5000);
        }
        for (uint32_t i = 1000; i < hosts - 1; ++i)
        {
            net.Send(i, hosts - 1, 100000);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), hosts + hosts - 1001, "messages");
        uint64_t paused = 0;
        for (uint32_t i = 1024; i < hosts; ++i)
        {
            paused += net.HostPort(i).GetCounters().pauses > 0 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_GT(paused, 0, "hosts behind the 1024th port are paused");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class FabricLimitsSuite : public TestSuite
{
  public:
    FabricLimitsSuite()
        : TestSuite("llm-training-fabric-limits", Type::UNIT)
    {
        AddTestCase(new ManyMessagesTest, llm::TestDuration::QUICK);
        AddTestCase(new ManyPortsTest, llm::TestDuration::QUICK);
    }
};

FabricLimitsSuite g_fabricLimitsSuite; //!< instance

} // namespace
