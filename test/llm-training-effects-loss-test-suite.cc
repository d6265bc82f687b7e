/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What losses do: the livelock of go-back-0 (Guo et al., SIGCOMM 2016, section 4.1), and an incast
// into a lossy class with and without packet trimming.

#include "fabric-test-helpers.h"

#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>

using namespace ns3;
using namespace fabrictest;

namespace
{

/// @ingroup llm-training-tests
/// One packet in 256 is lost, without chance.
class LivelockTest : public TestCase
{
  public:
    LivelockTest()
        : TestCase(
              "livelock: messages of 4 MiB at 1 loss in 256 never end under go-back-0, and get "
              "most of the line under go-back-N")
    {
    }

  private:
    /** What 20 ms of sending come to. */
    struct Outcome
    {
        uint64_t messages; //!< delivered
        double use;        //!< of the link, 0 to 1
        double goodput;    //!< bytes of delivered messages over what the link carries, 0 to 1
    };

    Outcome Run(const std::string& scheme)
    {
        const Time end = MilliSeconds(20);
        Net net(4096);
        net.BuildStar(2, 40, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetReliability(scheme);
        helper.SetCongestionControl("none");
        net.Install(helper);
        uint64_t seen = 0;
        Net::Lose(net.HostPort(1), [&seen](const Frame& frame) {
            return frame.kind == FrameKind::WRITE && ++seen % 256 == 0;
        });
        constexpr uint64_t BYTES = 4 << 20;
        for (uint64_t i = 0; i < 24; ++i)
        {
            net.Send(0, 1, BYTES, i);
        }
        Simulator::Stop(end);
        Simulator::Run();
        const double carried = 40e9 / 8 * end.GetSeconds();
        const FabricPortCounters& sender = net.HostPort(0).GetCounters();
        Outcome outcome;
        outcome.messages = net.recorder.delivered.size();
        outcome.use =
            static_cast<double>(sender.txBytes + wire::PREAMBLE_IFG * sender.txFrames) / carried;
        outcome.goodput = static_cast<double>(outcome.messages * BYTES) / carried;
        return outcome;
    }

    void DoRun() override
    {
        const Outcome zero = Run("go_back_0");
        NS_TEST_EXPECT_MSG_EQ(zero.messages, 0, "go-back-0: not one message");
        NS_TEST_EXPECT_MSG_GT(zero.use, 0.95, "go-back-0: though the link is busy");
        const Outcome n = Run("go_back_n");
        NS_TEST_EXPECT_MSG_GT(n.goodput, 0.8, "go-back-N: most of the line");
        const Outcome selective = Run("selective_repeat");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(selective.goodput, n.goodput, "selective repeat: no less");
    }
};

/// @ingroup llm-training-tests
/// Twelve senders, one receiver, no PFC, little memory.
class TrimmedIncastTest : public TestCase
{
  public:
    TrimmedIncastTest()
        : TestCase("an incast into a lossy class: with trimming no timeout decides when it ends")
    {
    }

  private:
    /** @return time until all is delivered. @param scheme of loss recovery. @param trimming or
     *  drops. */
    Time Run(const std::string& scheme, bool trimming)
    {
        Net net(4096);
        SwitchSettings settings;
        settings.losslessClasses = 0;
        settings.bufferBytes = 400000;
        settings.alpha = 1;
        settings.trimming = trimming;
        net.BuildStar(13, 100, MicroSeconds(1), settings);
        RdmaTransportHelper helper;
        helper.SetReliability(scheme);
        helper.SetCongestionControl("nscc");
        net.Install(helper);
        for (uint32_t i = 0; i < 12; ++i)
        {
            net.Send(i, 12, 1 << 20, i);
        }
        Simulator::Run();
        const std::string what = scheme + (trimming ? ", trimming" : ", drops");
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 12, what << ": all delivered");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what << ": books");
        NS_TEST_EXPECT_MSG_EQ((totals.switches.trims > 0), trimming, what << ": trims");
        NS_TEST_EXPECT_MSG_EQ((totals.switches.drops > 0), !trimming, what << ": drops");
        return Time(net.recorder.GetEnd());
    }

    void DoRun() override
    {
        // 12 MiB at 98 % of 100 Gb/s take 1.03 ms.
        const Time least = MicroSeconds(1026);
        for (const char* scheme : {"selective_repeat", "out_of_order"})
        {
            const Time trimmed = Run(scheme, true);
            NS_TEST_EXPECT_MSG_GT(trimmed, least, scheme);
            NS_TEST_EXPECT_MSG_LT(trimmed, 1.5 * least, scheme << ": near to what the link allows");
            const Time dropped = Run(scheme, false);
            NS_TEST_EXPECT_MSG_GT(dropped, trimmed, scheme << ": drops are learnt of later");
        }
        Run("go_back_n", true);
    }
};

/// @ingroup llm-training-tests
/// Suite of losses.
class LossEffectsTestSuite : public TestSuite
{
  public:
    LossEffectsTestSuite()
        : TestSuite("llm-training-effects-loss", Type::UNIT)
    {
        AddTestCase(new LivelockTest, llm::TestDuration::QUICK);
        AddTestCase(new TrimmedIncastTest, llm::TestDuration::QUICK);
    }
};

LossEffectsTestSuite g_lossEffectsTestSuite; //!< registers the suite

} // namespace
