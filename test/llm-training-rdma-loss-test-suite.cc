/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Whatever frame is lost, every byte is delivered once, in order, and the run ends; or a failure
// is reported.

#include "fabric-test-helpers.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-loss"; //!< name
constexpr uint32_t MTU = 1024;                      //!< of most tests

/** @return helper with a timeout that tests can wait for. */
RdmaTransportHelper
MakeHelper(uint32_t ackInterval = 1)
{
    RdmaTransportHelper helper;
    helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
    helper.SetAttribute("AckInterval", UintegerValue(ackInterval));
    return helper;
}

/** @return true for RDMA data. */
bool
IsData(const Frame& frame)
{
    return frame.kind == FrameKind::WRITE;
}

/** Messages of one connection must come in order and whole, each once. */
std::string
CheckOrder(const Recorder& recorder)
{
    std::map<std::tuple<uint32_t, uint32_t, uint16_t>, uint64_t> next;
    for (const auto& entry : recorder.delivered)
    {
        const Message& message = entry.message;
        uint64_t& expected = next[{message.from, message.to, message.channel}];
        if (message.tag != expected)
        {
            return "rank " + std::to_string(message.from) + " to " + std::to_string(message.to) +
                   ": message " + std::to_string(message.tag) + " instead of " +
                   std::to_string(expected);
        }
        ++expected;
    }
    return "";
}

/// @ingroup llm-training-tests
/// Exactly one chosen frame is lost.
class OneFrameTest : public TestCase
{
  public:
    OneFrameTest()
        : TestCase("loss of exactly one first, middle or last data packet, ACK or NAK")
    {
    }

  private:
    /** What the loss must have caused. */
    struct Expect
    {
        bool timeout;    //!< only the timer could notice
        bool duplicate;  //!< something came twice
        bool outOfOrder; //!< something came too early
        uint64_t naks;   //!< sent
    };

    void Check(const std::string& what,
               uint32_t ackInterval,
               bool atSender,
               const std::function<bool(const Frame&)>& choose,
               const Expect& expect,
               uint64_t losses = 1,
               bool follow = false)
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.Install(MakeHelper(ackInterval));
        const auto model = Net::Lose(net.HostPort(atSender ? 0 : 1), choose);
        const uint64_t bytes = 33 * MTU - 1;
        net.Send(0, 1, bytes, 0);
        if (follow)
        {
            net.Send(0, 1, 10 * MTU, 1);
        }
        Simulator::Run();
        const TransportTotals totals = net.transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(model->losses, losses, what << ": lost");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        NS_TEST_EXPECT_MSG_EQ(CheckOrder(net.recorder), "", what);
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), (follow ? 2 : 1), what);
        NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), (follow ? 2 : 1), what);
        NS_TEST_EXPECT_MSG_EQ(net.recorder.failed.size(), 0, what);
        NS_TEST_EXPECT_MSG_EQ((totals.timeouts > 0), expect.timeout, what << ": timeout");
        NS_TEST_EXPECT_MSG_EQ((totals.payloadDuplicate > 0),
                              expect.duplicate,
                              what << ": duplicate");
        NS_TEST_EXPECT_MSG_EQ((totals.payloadOutOfOrder > 0), expect.outOfOrder, what << ": order");
        NS_TEST_EXPECT_MSG_EQ(totals.naksSent, expect.naks, what << ": NAKs");
    }

    /** @return a chooser of the n-th frame for which kind is true. */
    static std::function<bool(const Frame&)> Nth(uint32_t n, std::function<bool(const Frame&)> kind)
    {
        return [n, kind, seen = uint32_t{0}](const Frame& frame) mutable {
            return kind(frame) && ++seen == n;
        };
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const auto isAck = [](const Frame& frame) { return frame.kind == FrameKind::ACK; };
        const auto isNak = [](const Frame& frame) { return frame.kind == FrameKind::NAK; };
        for (const uint32_t every : {1, 4, 16, 100})
        {
            const std::string at = ", an ACK per " + std::to_string(every);
            Check("first data packet" + at, every, false, Nth(1, IsData), {false, false, true, 1});
            Check("middle data packet" + at,
                  every,
                  false,
                  Nth(17, IsData),
                  {false, false, true, 1});
            Check("last but one" + at, every, false, Nth(32, IsData), {false, false, true, 1});
            Check("last data packet" + at,
                  every,
                  false,
                  Nth(33, IsData),
                  {true, every == 100, false, 0});
            const uint32_t acks = (33 + every - 1) / every;
            Check("last ACK" + at, every, true, Nth(acks, isAck), {true, true, false, 0});
            if (acks > 1)
            {
                // The next ACK says all that it said.
                Check("first ACK" + at, every, true, Nth(1, isAck), {false, false, false, 0});
            }
            Check("last data packet, another message behind" + at,
                  every,
                  false,
                  Nth(33, IsData),
                  {false, false, true, 1},
                  1,
                  true);
            // The NAK is lost with the packet: only the timer helps.
            bool lost = false;
            Net net(MTU);
            net.BuildStar(2, 100, MicroSeconds(1));
            net.Install(MakeHelper(every));
            Net::Lose(net.HostPort(1), Nth(17, IsData));
            const auto naks = Net::Lose(net.HostPort(0), Nth(1, isNak));
            net.Send(0, 1, 33 * MTU);
            Simulator::Run();
            lost = naks->losses == 1;
            NS_TEST_EXPECT_MSG_EQ(lost, true, "a NAK was lost" << at);
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "NAK" << at);
            NS_TEST_EXPECT_MSG_GT(net.transport->GetTotals().timeouts, 0, "NAK" << at);
        }
        // The repeated packet is lost too, and the packet after a timeout.
        Check(
            "a packet twice",
            1,
            false,
            [seen = 0](const Frame& frame) mutable {
                return IsData(frame) && frame.psn == 16 && ++seen <= 2;
            },
            {true, false, true, 1},
            2);
        Check(
            "all of the first 40 frames",
            1,
            false,
            [seen = 0](const Frame& frame) mutable { return IsData(frame) && ++seen <= 40; },
            {true, false, true, 1},
            33 + 7);
        Check(
            "all ACKs of the first pass",
            1,
            true,
            [seen = 0](const Frame&) mutable { return ++seen <= 33; },
            {true, true, false, 0},
            33);
        // One packet alone.
        for (const bool ack : {false, true})
        {
            Net net(MTU);
            net.BuildStar(2, 100, MicroSeconds(1));
            net.Install(MakeHelper());
            Net::Lose(net.HostPort(ack ? 0 : 1), Nth(1, [](const Frame&) { return true; }));
            net.Send(0, 1, 1);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "message of one byte");
            NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().payloadDuplicate,
                                  (ack ? 1 : 0),
                                  "once");
            NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().payloadRetransmitted, 1, "again");
        }
    }
};

/// @ingroup llm-training-tests
/// Lost control frames.
class ControlFrameTest : public TestCase
{
  public:
    ControlFrameTest()
        : TestCase("loss of a CNP, of an XON and of an XOFF; all bytes arrive")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        // All CNPs but every third.
        {
            SwitchSettings settings;
            settings.marker = CreateObject<RedEcnMarker>();
            Net net(MTU);
            net.BuildStar(5, 100, MicroSeconds(1), settings);
            RdmaTransportHelper helper = MakeHelper();
            helper.SetAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(10)));
            helper.SetCongestionControl("ns3::llm::RdmaDcqcn");
            net.Install(helper);
            uint64_t lost = 0;
            for (uint32_t i = 1; i <= 4; ++i)
            {
                Net::Lose(net.HostPort(i), [&lost, seen = 0](const Frame& frame) mutable {
                    const bool loses = frame.kind == FrameKind::CNP && ++seen % 3 != 0;
                    lost += loses ? 1 : 0;
                    return loses;
                });
                net.Send(i, 0, 4 << 20);
            }
            Simulator::Run();
            const TransportTotals totals = net.transport->GetTotals();
            NS_TEST_EXPECT_MSG_GT(lost, 0, "CNPs were lost");
            NS_TEST_EXPECT_MSG_EQ(totals.cnpsSent, totals.cnpsReceived + lost, "CNPs");
            NS_TEST_EXPECT_MSG_EQ(totals.payloadRetransmitted, 0, "data was not lost");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "CNP");
        }
        // The first XON of every host: the pause runs out by itself.
        // The first XOFF of a host: headroom overflows or not, everything arrives.
        for (const bool xon : {true, false})
        {
            SwitchSettings settings;
            settings.bufferBytes = 400000;
            Net net(MTU);
            net.BuildStar(5, 100, MicroSeconds(1), settings);
            net.Install(MakeHelper());
            uint64_t lost = 0;
            uint64_t ended = 0;
            for (uint32_t i = 1; i <= 4; ++i)
            {
                Net::Lose(net.HostPort(i), [&lost, xon, seen = 0](const Frame& frame) mutable {
                    const bool is =
                        frame.kind == FrameKind::PFC && (frame.pfcTimersLow == 0) == xon;
                    const bool loses = is && seen++ == 0;
                    lost += loses ? 1 : 0;
                    return loses;
                });
                net.HostPort(i).TraceConnectWithoutContext(
                    "PfcResume",
                    Callback<void, const FabricPort*, uint8_t, uint16_t>(
                        [&ended](const FabricPort*, uint8_t, uint16_t) { ++ended; }));
                net.Send(i, 0, 1 << 20);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(lost, 4, "PFC frames were lost");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", (xon ? "XON" : "XOFF"));
            NS_TEST_EXPECT_MSG_EQ(ended, net.fabric->GetTotals().hosts.pauses, "every pause ends");
            if (xon)
            {
                NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, "nothing dropped");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Random loss on every link.
class RandomLossTest : public TestCase
{
  public:
    RandomLossTest()
        : TestCase("random loss on every link: exact bytes, order of messages, an end")
    {
    }

  private:
    void RunOne(double probability, uint32_t ackInterval, uint32_t seed, const std::string& control)
    {
        SwitchSettings settings;
        settings.marker = CreateObject<RedEcnMarker>();
        Net net(MTU);
        net.fabric->AssignStreams(seed);
        net.BuildLeafSpine(2, 2, 4, 100, 100, NanoSeconds(500), settings);
        RdmaTransportHelper helper = MakeHelper(ackInterval);
        helper.SetAttribute("RetryCount", UintegerValue(50));
        helper.SetCongestionControl(control);
        net.Install(helper);
        for (const auto& port : net.fabric->GetPorts())
        {
            Ptr<RandomLossModel> model = CreateObject<RandomLossModel>();
            model->SetAttribute("Probability", DoubleValue(probability));
            port->SetLossModel(model);
        }
        const Philox random(seed);
        uint64_t k = 0;
        for (uint32_t i = 0; i < 8; ++i)
        {
            for (uint32_t step = 1; step <= 3; ++step)
            {
                for (uint64_t tag = 0; tag < 4; ++tag)
                {
                    net.Send(i, (i + step) % 8, 1 + random.Draw(k++, 0) % 200000, tag);
                }
            }
        }
        Simulator::Run();
        const std::string what = "loss " + std::to_string(probability) + ", ACK interval " +
                                 std::to_string(ackInterval) + ", seed " + std::to_string(seed);
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        NS_TEST_EXPECT_MSG_EQ(CheckOrder(net.recorder), "", what);
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 8 * 3 * 4, what);
        NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), 8 * 3 * 4, what);
        NS_TEST_EXPECT_MSG_GT(net.transport->GetTotals().payloadRetransmitted, 0, what);
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (uint32_t seed = 1; seed <= 5; ++seed)
        {
            for (const uint32_t every : {1, 16})
            {
                RunOne(1e-3, every, seed, "ns3::llm::RdmaNoCongestionControl");
            }
            RunOne(1e-3, 1, 100 + seed, "ns3::llm::RdmaDcqcn");
        }
        RunOne(1e-2, 4, 1, "ns3::llm::RdmaNoCongestionControl");
        RunOne(3e-2, 16, 2, "ns3::llm::RdmaNoCongestionControl");
    }
};

/// @ingroup llm-training-tests
/// When acknowledgements are sent.
class AckIntervalTest : public TestCase
{
  public:
    AckIntervalTest()
        : TestCase("ACKs at the interval and at the end; a CE mark in between is not forgotten")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const uint64_t packets : {1, 16, 17, 32, 33})
        {
            Net net(MTU);
            net.BuildStar(2, 100, MicroSeconds(1));
            RdmaTransportHelper helper = MakeHelper(16);
            helper.SetCongestionControl("ns3::llm::RdmaDcqcn");
            net.Install(helper);
            std::vector<uint32_t> acked;
            Net::Lose(net.HostPort(0), [&acked](const Frame& frame) {
                if (frame.kind == FrameKind::ACK)
                {
                    acked.push_back(frame.psn + 1);
                }
                return false;
            });
            // Nothing but packet 3 is marked.
            uint32_t seen = 0;
            Net::Lose(*net.Switch(0).GetPorts()[0], [&seen](const Frame& frame) {
                if (IsData(frame) && ++seen == 3)
                {
                    const_cast<Frame&>(frame).flags |= Frame::CE;
                }
                return false;
            });
            net.Send(0, 1, packets * MTU);
            Simulator::Run();
            std::vector<uint32_t> expected;
            for (uint32_t p = 16; p < packets; p += 16)
            {
                expected.push_back(p);
            }
            expected.push_back(static_cast<uint32_t>(packets));
            NS_TEST_EXPECT_MSG_EQ((acked == expected), true, packets << " packets: ACKs");
            const TransportTotals totals = net.transport->GetTotals();
            NS_TEST_EXPECT_MSG_EQ(totals.acksSent, expected.size(), packets << " packets: ACKs");
            NS_TEST_EXPECT_MSG_EQ(totals.cnpsReceived, (packets >= 3 ? 1 : 0), "CNP");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", packets << " packets");
        }
    }
};

/// @ingroup llm-training-tests
/// A dead path is told of.
class RetriesExhaustedTest : public TestCase
{
  public:
    RetriesExhaustedTest()
        : TestCase("retries exhausted: every open message is reported failed, and the run ends")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(MTU);
        net.BuildStar(3, 100, MicroSeconds(1));
        RdmaTransportHelper helper = MakeHelper();
        helper.SetAttribute("RetryCount", UintegerValue(3));
        net.Install(helper);
        Net::Lose(net.HostPort(1),
                  [](const Frame& frame) { return IsData(frame) && frame.psn >= 5; });
        net.Send(0, 1, 10 * MTU, 0);
        net.Send(0, 1, 10 * MTU, 1);
        net.Send(0, 2, 10 * MTU, 0);
        // Posted to the dead queue pair later.
        Simulator::Schedule(MilliSeconds(5), [&net] { net.Send(0, 1, 100, 2); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_LT(Simulator::Now().GetMilliSeconds(), 6, "the run ends");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 1, "the others are not touched");
        NS_TEST_ASSERT_MSG_EQ(net.recorder.failed.size(), 3, "all messages of the queue pair");
        for (uint64_t tag = 0; tag < net.recorder.failed.size(); ++tag)
        {
            NS_TEST_EXPECT_MSG_EQ(net.recorder.failed[tag].message.tag, tag, "message");
            NS_TEST_EXPECT_MSG_EQ(net.recorder.failed[tag].message.to, 1, "message");
            const std::string& reason = net.recorder.reasons[tag];
            NS_TEST_EXPECT_MSG_NE(reason.find("rank 0"), std::string::npos, reason);
            NS_TEST_EXPECT_MSG_NE(reason.find("rank 1"), std::string::npos, reason);
            NS_TEST_EXPECT_MSG_NE(reason.find("3 retries"), std::string::npos, reason);
            NS_TEST_EXPECT_MSG_NE(reason.find("PSN 5"), std::string::npos, reason);
        }
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().timeouts, 4, "three retries");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(false), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Numbers that outgrow what the wire or 32 bits hold.
class LargeNumbersTest : public TestCase
{
  public:
    LargeNumbersTest()
        : TestCase(
              "PSNs wrap at 24 and 32 bit under loss; long messages are cut into WRITEs exactly")
    {
    }

  private:
    /** Messages across a wrap of the packet sequence number. */
    void Wrap(uint64_t initialPsn)
    {
        for (const uint32_t every : {1, 7})
        {
            Net net(256);
            net.BuildStar(3, 100, MicroSeconds(1));
            RdmaTransportHelper helper = MakeHelper(every);
            helper.SetAttribute("InitialPsn", UintegerValue(initialPsn));
            net.Install(helper);
            for (const auto& port : net.fabric->GetPorts())
            {
                Ptr<RandomLossModel> model = CreateObject<RandomLossModel>();
                model->SetAttribute("Probability", DoubleValue(0.01));
                port->SetLossModel(model);
            }
            for (uint64_t tag = 0; tag < 5; ++tag)
            {
                net.Send(0, 1, 20000 + tag, tag);
                net.Send(1, 0, 10000 + tag, tag);
                net.Send(2, 1, 30000, tag);
            }
            Simulator::Run();
            const std::string what = "from PSN " + std::to_string(initialPsn);
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
            NS_TEST_EXPECT_MSG_EQ(CheckOrder(net.recorder), "", what);
            NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 15, what);
            NS_TEST_EXPECT_MSG_GT(net.transport->GetTotals().payloadRetransmitted, 0, what);
            const RdmaQueuePair* qp = net.transport->FindQueuePair(0, 1, 0);
            uint64_t packets = 0;
            for (uint64_t tag = 0; tag < 5; ++tag)
            {
                packets += (20000 + tag + 255) / 256;
            }
            NS_TEST_EXPECT_MSG_EQ(qp->GetNextPsn(), initialPsn + packets, what);
        }
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Wrap((1ULL << 24) - 10);
        Wrap((1ULL << 32) - 10);
        Wrap((1ULL << 31) - 10);
        Wrap((3ULL << 32) - 200);

        // Cut into WRITEs of 1 GiB: looked at, not sent.
        {
            Net net(4096);
            net.BuildStar(2, 100, MicroSeconds(1));
            net.Install(MakeHelper());
            const uint64_t bytes = 5368709121; // 5 GiB and a byte
            net.Send(0, 1, 1000);
            net.Send(0, 1, bytes);
            uint64_t sum = 0;
            uint64_t writes = 0;
            uint64_t psn = 0;
            const RdmaWork* work = net.transport->FindQueuePair(0, 1, 0)->GetFirstWork();
            for (; work; work = work->next)
            {
                NS_TEST_EXPECT_MSG_EQ(work->offset, sum, "offset");
                NS_TEST_EXPECT_MSG_EQ(work->firstPsn, psn, "PSN");
                NS_TEST_EXPECT_MSG_EQ(work->endPsn - psn, (work->bytes + 4095) / 4096, "packets");
                NS_TEST_EXPECT_MSG_LT_OR_EQ(work->bytes, 1ULL << 30, "a WRITE");
                NS_TEST_EXPECT_MSG_EQ(work->lastOfMessage, (writes == 0 || writes == 6), "last");
                sum += work->bytes;
                psn = work->endPsn;
                ++writes;
            }
            NS_TEST_EXPECT_MSG_EQ(sum, bytes + 1000, "bytes");
            NS_TEST_EXPECT_MSG_EQ(writes, 7, "WRITEs");
            NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().bytesStarted, bytes + 1000, "started");
        }

        // The same in small, sent, with loss.
        Net net(1024);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper = MakeHelper(4);
        helper.SetAttribute("MaxWriteBytes", UintegerValue(3000));
        net.Install(helper);
        Net::Lose(net.HostPort(1), [seen = 0](const Frame& frame) mutable {
            return IsData(frame) && ++seen % 97 == 0;
        });
        uint32_t firsts = 0;
        for (uint64_t tag = 0; tag < 3; ++tag)
        {
            net.Send(0, 1, 1000003, tag);
        }
        Net::Lose(*net.Switch(0).GetPorts()[0], [&firsts](const Frame& frame) {
            firsts += (frame.flags & Frame::FIRST) && !(frame.flags & Frame::RETRANSMIT) ? 1 : 0;
            return false;
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "small WRITEs");
        NS_TEST_EXPECT_MSG_EQ(CheckOrder(net.recorder), "", "small WRITEs");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 3, "each message once");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), 3, "each message once");
        NS_TEST_EXPECT_MSG_EQ(firsts, 3 * ((1000003 + 2999) / 3000), "WRITEs");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class RdmaLossSuite : public TestSuite
{
  public:
    RdmaLossSuite()
        : TestSuite("llm-training-rdma-loss", Type::UNIT)
    {
        AddTestCase(new OneFrameTest, llm::TestDuration::QUICK);
        AddTestCase(new ControlFrameTest, llm::TestDuration::QUICK);
        AddTestCase(new RandomLossTest, llm::TestDuration::QUICK);
        AddTestCase(new AckIntervalTest, llm::TestDuration::QUICK);
        AddTestCase(new RetriesExhaustedTest, llm::TestDuration::QUICK);
        AddTestCase(new LargeNumbersTest, llm::TestDuration::QUICK);
    }
};

RdmaLossSuite g_rdmaLossSuite; //!< instance

} // namespace
