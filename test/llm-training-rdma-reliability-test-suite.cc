/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Each scheme of loss recovery sends again exactly what its rule says: windows by themselves, one
// chosen packet lost, reordering without loss, trimmed packets, timeouts.

#include "llm-training-reliability.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/rdma-ack-timeout.h"
#include "ns3/rdma-go-back-n.h"
#include "ns3/rdma-go-back-zero.h"
#include "ns3/rdma-reliability-names.h"
#include "ns3/test.h"

#include <algorithm>
#include <set>

using namespace ns3;
using namespace fabrictest;
using namespace reliabilitytest;

namespace
{

const char* const SUITE = "llm-training-rdma-reliability"; //!< name
constexpr uint32_t MTU = 1024;                             //!< of most tests
constexpr uint32_t PACKETS = 33;                           //!< of most messages

/// @ingroup llm-training-tests
/// Has factories know of the congestion control of these tests.
const TypeId TELL_TALE = TellTaleCongestionControl::GetTypeId();

/// @ingroup llm-training-tests
/// The responder's bitmap against a set.
class ReceiveWindowTest : public TestCase
{
  public:
    ReceiveWindowTest()
        : TestCase("receive window: any order, growth, runs across words, PSNs beyond 2^32")
    {
    }

  private:
    void DoRun() override
    {
        const Philox random(7);
        uint64_t k = 0;
        for (uint64_t start : {uint64_t{0}, uint64_t{63}, (uint64_t{1} << 32) - 5})
        {
            for (const uint64_t reach : {uint64_t{3}, uint64_t{64}, uint64_t{200}, uint64_t{5000}})
            {
                RdmaReceiveWindow window;
                std::set<uint64_t> early;
                uint64_t expected = start;
                while (expected < start + 20000)
                {
                    const uint64_t psn = expected + random.Draw(k++, 0) % reach;
                    if (psn == expected)
                    {
                        uint64_t run = 0;
                        ++expected;
                        while (early.erase(expected + run) > 0)
                        {
                            ++run;
                        }
                        NS_TEST_ASSERT_MSG_EQ(window.Take(expected), run, "from " << expected);
                        expected += run;
                    }
                    else
                    {
                        const bool known = early.count(psn) > 0;
                        NS_TEST_ASSERT_MSG_EQ(window.Has(expected, psn), known, "packet " << psn);
                        if (!known)
                        {
                            early.insert(psn);
                            window.Add(expected, psn);
                        }
                    }
                    NS_TEST_ASSERT_MSG_EQ(window.GetCount(), early.size(), "count");
                }
                NS_TEST_EXPECT_MSG_LT_OR_EQ(window.GetCapacity(),
                                            std::max<uint64_t>(128, 2 * (reach + 64)),
                                            "no larger than the window needs");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The requester's window against a plain list.
class SendWindowTest : public TestCase
{
  public:
    SendWindowTest()
        : TestCase("send window: states, bytes and the oldest lost packet, at random")
    {
    }

  private:
    using State = RdmaSendWindow::State;

    /** A packet as the test keeps it. */
    struct Entry
    {
        uint32_t payload;
        State state;
    };

    void Compare(const RdmaSendWindow& window, const std::vector<Entry>& all, uint64_t base)
    {
        uint64_t grounded = 0;
        uint64_t lost = 0;
        for (uint64_t psn = base; psn < all.size(); ++psn)
        {
            NS_TEST_ASSERT_MSG_EQ(window.GetPayload(psn), all[psn].payload, "packet " << psn);
            NS_TEST_ASSERT_MSG_EQ((window.GetState(psn) == all[psn].state), true, psn);
            lost += all[psn].state == State::LOST ? 1 : 0;
            grounded += all[psn].state == State::LOST || all[psn].state == State::ARRIVED
                            ? all[psn].payload
                            : 0;
        }
        NS_TEST_ASSERT_MSG_EQ(window.GetLostPackets(), lost, "lost");
        NS_TEST_ASSERT_MSG_EQ(window.GetGrounded(), grounded, "bytes");
    }

    void DoRun() override
    {
        const Philox random(3);
        uint64_t k = 0;
        RdmaSendWindow window;
        window.Start(0);
        std::vector<Entry> all;
        uint64_t base = 0;
        for (uint32_t step = 0; step < 3000; ++step)
        {
            const uint64_t action = random.Draw(k++, 0) % 10;
            const uint64_t psn =
                all.size() > base ? base + random.Draw(k++, 0) % (all.size() - base) : 0;
            if (action < 4 || all.size() == base)
            {
                const auto payload = static_cast<uint32_t>(1 + random.Draw(k++, 0) % 9000);
                all.push_back({payload, State::FLYING});
                window.Push(payload);
            }
            else if (action < 6)
            {
                const bool news = all[psn].state != State::ARRIVED;
                NS_TEST_ASSERT_MSG_EQ(window.MarkArrived(psn),
                                      (news ? all[psn].payload : 0),
                                      "arrived");
                all[psn].state = State::ARRIVED;
            }
            else if (action < 8)
            {
                const bool flies =
                    all[psn].state == State::FLYING || all[psn].state == State::AGAIN;
                NS_TEST_ASSERT_MSG_EQ(window.MarkLost(psn), flies, "lost");
                all[psn].state = flies ? State::LOST : all[psn].state;
            }
            else if (action == 8 && window.GetLostPackets() > 0)
            {
                const auto oldest =
                    std::find_if(all.begin() + static_cast<std::ptrdiff_t>(base),
                                 all.end(),
                                 [](const Entry& e) { return e.state == State::LOST; });
                NS_TEST_ASSERT_MSG_EQ(window.TakeLost(),
                                      static_cast<uint64_t>(oldest - all.begin()),
                                      "oldest");
                oldest->state = State::AGAIN;
            }
            else if (step % 7 == 0)
            {
                uint64_t bytes = 0;
                for (uint64_t i = base; i < psn; ++i)
                {
                    bytes += all[i].state == State::ARRIVED ? 0 : all[i].payload;
                }
                NS_TEST_ASSERT_MSG_EQ(window.Advance(psn), bytes, "acknowledged");
                base = psn;
            }
            else if (all[psn].state == State::AGAIN)
            {
                window.Forget(psn);
                all[psn].state = State::FLYING;
            }
            Compare(window, all, base);
        }
        NS_TEST_EXPECT_MSG_LT(window.GetCapacity(), 2 * (all.size() - base) + 2048, "capacity");
    }
};

/// @ingroup llm-training-tests
/// Timers of the standard.
class TimersTest : public TestCase
{
  public:
    TimersTest()
        : TestCase("local ACK timeouts, the scaled one, RNR delays; names of schemes")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::FromExponent(0), NanoSeconds(4096), "t = 0");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::FromExponent(14), NanoSeconds(67108864), "t = 14");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::FromExponent(20), NanoSeconds(4294967296), "t = 20");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::FromExponent(31), NanoSeconds(8796093022208), "31");
        // 64 x 8 us = 512 us: t = 7 gives 524.288 us, t = 6 only 262.144 us.
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::Scale(MicroSeconds(8)), NanoSeconds(524288), "8 us");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::Scale(NanoSeconds(64)), NanoSeconds(4096), "64 ns");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::Scale(NanoSeconds(65)), NanoSeconds(8192), "65 ns");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::Scale(Time(0)), NanoSeconds(67108864), "unknown");
        // InfiniBand Vol. 1, table "encoding for RNR NAK timer field".
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::GetRnrDelay(0), MicroSeconds(655360), "0");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::GetRnrDelay(1), MicroSeconds(10), "1");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::GetRnrDelay(12), MicroSeconds(640), "12");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::GetRnrDelay(20), MicroSeconds(10240), "20");
        NS_TEST_EXPECT_MSG_EQ(RdmaAckTimeout::GetRnrDelay(31), MicroSeconds(491520), "31");

        for (const Scheme& scheme : SCHEMES)
        {
            const TypeId tid = GetRdmaReliabilityNames().Lookup(scheme.name, "test");
            NS_TEST_EXPECT_MSG_EQ((GetRdmaReliabilityNames().Lookup(tid.GetName(), "test") == tid),
                                  true,
                                  scheme.name);
        }
        std::string error;
        try
        {
            GetRdmaReliabilityNames().Lookup("selective_repeated",
                                             "a.json",
                                             "transport.reliability");
        }
        catch (const ConfigError& e)
        {
            error = e.what();
        }
        NS_TEST_EXPECT_MSG_NE(error.find("a.json"), std::string::npos, error);
        NS_TEST_EXPECT_MSG_NE(error.find("'selective_repeat'?"), std::string::npos, error);
        NS_TEST_EXPECT_MSG_NE(error.find("ns3::llm::RdmaOutOfOrder"), std::string::npos, error);
    }
};

/// @ingroup llm-training-tests
/// A net of two hosts, 100 Gb/s, two links of 1 us; all packets of a message are sent before the
/// answer to the first comes back.
class Pair
{
  public:
    /** @param scheme name. @param settings attributes of it. @param ackInterval packets. */
    explicit Pair(const std::string& scheme,
                  const Settings& settings = {},
                  uint32_t ackInterval = 1)
        : net(MTU)
    {
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("AckInterval", UintegerValue(ackInterval));
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(1)));
        helper.SetReliability(scheme);
        for (const auto& [name, value] : settings)
        {
            helper.SetReliabilityAttribute(name, StringValue(value));
        }
        net.Install(helper);
    }

    /** Lose data packets at the receiver. @param choose by PSN and how often it was seen before. */
    void LoseData(const std::function<bool(uint32_t psn, uint32_t before)>& choose)
    {
        Net::Lose(net.HostPort(1), [this, choose](const Frame& frame) {
            return frame.kind == FrameKind::WRITE && choose(frame.psn, seen[frame.psn]++);
        });
    }

    /** Send one message of PACKETS packets, and run. */
    void Run()
    {
        net.Send(0, 1, PACKETS * MTU);
        Simulator::Run();
        totals = net.transport->GetTotals();
        end = net.recorder.sent.empty() ? Time(0) : TimeStep(net.recorder.sent.back().now);
    }

    /** @return packets sent again. */
    uint64_t Again() const
    {
        return totals.payloadRetransmitted / MTU;
    }

    Net net;                           //!< network
    std::map<uint32_t, uint32_t> seen; //!< by PSN, at the receiver
    TransportTotals totals;            //!< after Run
    Time end;                          //!< when the sender was done
};

/// @ingroup llm-training-tests
/// Exactly one packet is lost, or some.
class KnownAnswersTest : public TestCase
{
  public:
    KnownAnswersTest()
        : TestCase("chosen packets lost: what is sent again is what the rule says, to the packet")
    {
    }

  private:
    /** What must come out. */
    struct Expect
    {
        uint64_t again;      //!< packets sent again
        uint64_t naks;       //!< NAKs
        uint64_t timeouts;   //!< timeouts
        uint64_t outOfOrder; //!< packets thrown away
        uint64_t duplicates; //!< packets
    };

    void Check(const std::string& what,
               const std::string& scheme,
               const Settings& settings,
               const std::function<bool(uint32_t psn, uint32_t before)>& choose,
               const Expect& expect)
    {
        Pair pair(scheme, settings);
        pair.LoseData(choose);
        pair.Run();
        const std::string label = scheme + ", " + what;
        NS_TEST_EXPECT_MSG_EQ(pair.net.CheckBooks(), "", label);
        NS_TEST_EXPECT_MSG_EQ(pair.net.recorder.delivered.size(), 1, label);
        NS_TEST_EXPECT_MSG_EQ(pair.Again(), expect.again, label << ": again");
        NS_TEST_EXPECT_MSG_EQ(pair.totals.naksSent, expect.naks, label << ": NAKs");
        NS_TEST_EXPECT_MSG_EQ(pair.totals.timeouts, expect.timeouts, label << ": timeouts");
        NS_TEST_EXPECT_MSG_EQ(pair.totals.payloadOutOfOrder / MTU,
                              expect.outOfOrder,
                              label << ": out of order");
        NS_TEST_EXPECT_MSG_EQ(pair.totals.payloadDuplicate / MTU,
                              expect.duplicates,
                              label << ": duplicates");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const auto one = [](uint32_t k) {
            return [k](uint32_t psn, uint32_t before) { return psn == k && before == 0; };
        };
        const auto two = [](uint32_t j, uint32_t k) {
            return [j, k](uint32_t psn, uint32_t before) {
                return (psn == j || psn == k) && before == 0;
            };
        };
        const auto row = [](uint32_t from, uint32_t to) {
            return [from, to](uint32_t psn, uint32_t before) {
                return psn >= from && psn < to && before == 0;
            };
        };
        const auto twice = [](uint32_t k) {
            return [k](uint32_t psn, uint32_t before) { return psn == k && before <= 1; };
        };
        for (const uint32_t k : {0U, 1U, 16U, 31U})
        {
            const std::string what = "packet " + std::to_string(k);
            const uint64_t behind = PACKETS - 1 - k;
            Check(what, "go_back_n", {}, one(k), {behind + 1, 1, 0, behind, 0});
            // Thrown away: what came behind, and what had come before.
            Check(what, "go_back_0", {}, one(k), {PACKETS, 1, 0, behind + k, 0});
            Check(what, "selective_repeat", {}, one(k), {1, behind, 0, 0, 0});
            Check(what, "out_of_order", {}, one(k), {1, 0, 0, 0, 0});
            Check(what, "out_of_order", {{"ReorderDegree", "1"}}, one(k), {1, 0, 0, 0, 0});
        }
        for (const char* scheme : {"go_back_n", "selective_repeat", "out_of_order"})
        {
            // Nothing tells of the last packet's loss but the timer.
            Check("last packet", scheme, {}, one(32), {1, 0, 1, 0, 0});
            Check("last two", scheme, {}, row(31, 33), {2, 0, 1, 0, 0});
        }
        Check("last packet", "go_back_0", {}, one(32), {PACKETS, 0, 1, 32, 0});
        Check("last two, the oldest first",
              "selective_repeat",
              {{"ResendAllAfterTimeout", "false"}},
              row(31, 33),
              {2, 0, 2, 0, 0});

        Check("packets 8 and 20", "go_back_n", {}, two(8, 20), {25, 1, 0, 23, 0});
        Check("packets 8 and 20", "selective_repeat", {}, two(8, 20), {2, 23, 0, 0, 0});
        Check("packets 8 and 20", "out_of_order", {}, two(8, 20), {2, 0, 0, 0, 0});
        Check("packets 8 to 15", "selective_repeat", {}, row(8, 16), {8, 17, 0, 0, 0});
        Check("packets 8 to 15", "out_of_order", {}, row(8, 16), {8, 0, 0, 0, 0});
        Check("packets 8 to 15",
              "out_of_order",
              {{"ReorderDegree", "12"}},
              row(8, 16),
              {8, 0, 0, 0, 0});
        // The degree alone would not see those near the end; ReorderTime does.
        Check("packet 30", "out_of_order", {{"ReorderDegree", "12"}}, one(30), {1, 0, 0, 0, 0});

        // Lost again: one pass per round, then the timer. Out of order it is missed again.
        Check("packet 16 twice", "go_back_n", {}, twice(16), {34, 1, 1, 32, 0});
        Check("packet 16 twice", "selective_repeat", {}, twice(16), {2, 16, 1, 0, 0});
        Check("packet 16 twice", "out_of_order", {}, twice(16), {2, 0, 0, 0, 0});
        Check("all packets", "selective_repeat", {}, row(0, 33), {33, 0, 1, 0, 0});
        Check("all packets", "out_of_order", {}, row(0, 33), {33, 0, 1, 0, 0});
        Check("all packets", "go_back_n", {}, row(0, 33), {33, 0, 1, 0, 0});
        Check("all packets", "go_back_0", {}, row(0, 33), {33, 0, 1, 0, 0});

        // Without an address in every packet the schemes do the same.
        for (const char* scheme : {"selective_repeat", "out_of_order"})
        {
            const uint64_t naks = std::string(scheme) == "selective_repeat" ? 16 : 0;
            Check("no address",
                  scheme,
                  {{"AddressInEveryPacket", "false"}},
                  one(16),
                  {1, naks, 0, 0, 0});
        }
    }
};

/// @ingroup llm-training-tests
/// A long message: new packets are sent while old ones are missing.
class RoundsTest : public TestCase
{
  public:
    RoundsTest()
        : TestCase(
              "IRN: losses in a stream are repaired once each, round after round; BDP-FC binds")
    {
    }

  private:
    void RunOne(const std::string& scheme, uint32_t every, uint64_t expectedTimeouts)
    {
        Pair pair(scheme);
        std::set<uint32_t> lost;
        pair.LoseData([&lost, every](uint32_t psn, uint32_t before) {
            const bool loses = psn % every == every / 2 && before == 0;
            if (loses)
            {
                lost.insert(psn);
            }
            return loses;
        });
        const uint64_t packets = 4000;
        const RdmaQueuePair* qp = nullptr;
        uint64_t most = 0;
        Net::Lose(pair.net.HostPort(0), [&](const Frame&) {
            qp = pair.net.transport->FindQueuePair(0, 1, 0);
            most = std::max(most, qp->GetNextPsn() - qp->GetUnackedPsn());
            return false;
        });
        pair.net.Send(0, 1, packets * MTU);
        Simulator::Run();
        const TransportTotals totals = pair.net.transport->GetTotals();
        const std::string what = scheme + ", every " + std::to_string(every) + "th";
        NS_TEST_EXPECT_MSG_EQ(pair.net.CheckBooks(), "", what);
        NS_TEST_EXPECT_MSG_EQ(totals.payloadRetransmitted / MTU, lost.size(), what << ": once");
        NS_TEST_EXPECT_MSG_EQ(totals.timeouts, expectedTimeouts, what << ": timeouts");
        NS_TEST_EXPECT_MSG_EQ(totals.payloadDuplicate, 0, what << ": duplicates");
        if (scheme == "selective_repeat")
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(most, qp->GetSelective()->maxPackets, what << ": BDP-FC");
            // Base RTT: 4 links, and data and ACK stored and forwarded.
            const double rtt = 4e-6 + 2 * (1106 + 16) * 8e-11;
            const auto bdp = static_cast<uint64_t>(rtt * 12.5e9 / 1106);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(qp->GetSelective()->maxPackets, bdp, what << ": BDP");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(qp->GetSelective()->maxPackets, bdp + 2, what << ": BDP");
        }
    }

    /** Without losses, BDP-FC costs nothing: it is the least window that fills the link. */
    void FullRate()
    {
        std::vector<Time> ends;
        for (const char* limit : {"true", "false"})
        {
            Pair pair("selective_repeat", {{"BdpFlowControl", limit}});
            pair.net.Send(0, 1, 4000 * MTU);
            Simulator::Run();
            ends.push_back(TimeStep(pair.net.recorder.GetEnd()));
            NS_TEST_EXPECT_MSG_EQ(pair.net.CheckBooks(), "", "no loss");
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(ends[0], ends[1] + NanoSeconds(1), "the link is full");
        Pair pair("selective_repeat", {{"MaxPackets", "10"}});
        uint64_t most = 0;
        Net::Lose(pair.net.HostPort(0), [&](const Frame&) {
            const RdmaQueuePair* qp = pair.net.transport->FindQueuePair(0, 1, 0);
            most = std::max(most, qp->GetNextPsn() - qp->GetUnackedPsn());
            return false;
        });
        pair.net.Send(0, 1, 4000 * MTU);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(most, 10, "MaxPackets");
        NS_TEST_EXPECT_MSG_EQ(pair.net.CheckBooks(), "", "MaxPackets");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const uint32_t every : {1000U, 100U, 10U, 3U})
        {
            RunOne("selective_repeat", every, 0);
            RunOne("out_of_order", every, 0);
        }
        FullRate();
    }
};

/// @ingroup llm-training-tests
/// Timeouts, long and short.
class TimeoutsTest : public TestCase
{
  public:
    TimeoutsTest()
        : TestCase("IRN: RTO_low with few packets in flight, else RTO_high; timeout of each scheme")
    {
    }

  private:
    /** Lose the first transmission of the last @p packets of so many. */
    void Check(const std::string& scheme, const Settings& settings, uint64_t packets, Time timeout)
    {
        Pair pair(scheme, settings);
        pair.LoseData([](uint32_t, uint32_t before) { return before == 0; });
        pair.net.Send(0, 1, packets * MTU);
        Simulator::Run();
        const Time end = TimeStep(pair.net.recorder.GetEnd());
        const std::string what = scheme + ", " + std::to_string(packets) + " packets";
        NS_TEST_EXPECT_MSG_GT(end, timeout, what);
        NS_TEST_EXPECT_MSG_LT(end, timeout + MicroSeconds(6), what);
        NS_TEST_EXPECT_MSG_EQ(pair.net.transport->GetTotals().timeouts, 1, what);
        NS_TEST_EXPECT_MSG_EQ(pair.net.transport->GetTotals().resentAfterTimeout,
                              packets * MTU,
                              what);
        NS_TEST_EXPECT_MSG_EQ(pair.net.CheckBooks(), "", what);
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Check("selective_repeat", {}, 1, MicroSeconds(100));
        Check("selective_repeat", {}, 3, MicroSeconds(100));
        Check("selective_repeat", {}, 4, MicroSeconds(320));
        Check("selective_repeat", {}, 30, MicroSeconds(320));
        Check("selective_repeat", {{"LowTimeoutPackets", "10"}}, 10, MicroSeconds(100));
        Check("selective_repeat", {{"LowTimeoutPackets", "10"}}, 11, MicroSeconds(320));
        Check("selective_repeat", {{"HighTimeout", "0s"}}, 11, MilliSeconds(1));
        Check("selective_repeat",
              {{"HighTimeout", "0s"}, {"LowTimeout", "0s"}},
              2,
              NanoSeconds(312500));
        for (const char* scheme : {"go_back_n", "go_back_0", "out_of_order"})
        {
            Check(scheme, {}, 1, MilliSeconds(1));
            Check(scheme, {}, 30, MilliSeconds(1));
        }

        // Derived from the path: a base RTT of 4.2 us gives 4.096 us x 2^7.
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetTimers("scaled");
        net.Install(helper);
        Net::Lose(net.HostPort(1), [seen = 0](const Frame&) mutable { return seen++ == 0; });
        net.Send(0, 1, MTU);
        Simulator::Run();
        const Time end = TimeStep(net.recorder.GetEnd());
        NS_TEST_EXPECT_MSG_GT(end, NanoSeconds(524288), "scaled");
        NS_TEST_EXPECT_MSG_LT(end, NanoSeconds(524288) + MicroSeconds(6), "scaled");
    }
};

/// @ingroup llm-training-tests
/// Acknowledgements that are lost or rare.
class AcksTest : public TestCase
{
  public:
    AcksTest()
        : TestCase("every scheme: ACK interval, lost first, middle and last ACK or NAK")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const Scheme& scheme : SCHEMES)
        {
            for (const uint32_t interval : {1, 4, 100})
            {
                for (uint32_t lostAnswer = 1; lostAnswer <= 40; ++lostAnswer)
                {
                    Pair pair(scheme.name, {}, interval);
                    CheckingListener listener(pair.net);
                    pair.LoseData([](uint32_t psn, uint32_t before) {
                        return before == 0 && (psn == 5 || psn == 20 || psn == 40);
                    });
                    uint32_t seen = 0;
                    Net::Lose(pair.net.HostPort(0),
                              [&seen, lostAnswer](const Frame&) { return ++seen == lostAnswer; });
                    pair.net.Send(0, 1, 12 * MTU, 0);
                    pair.net.Send(0, 1, 12 * MTU + 1, 1);
                    pair.net.Send(0, 1, 1, 2);
                    pair.net.Send(0, 1, 16 * MTU, 3);
                    Simulator::Run();
                    const std::string what = std::string(scheme.name) + ", ACK interval " +
                                             std::to_string(interval) + ", answer " +
                                             std::to_string(lostAnswer) + " lost";
                    NS_TEST_ASSERT_MSG_EQ(pair.net.CheckBooks(), "", what);
                    NS_TEST_ASSERT_MSG_EQ(listener.GetWrong(), "", what);
                    NS_TEST_ASSERT_MSG_EQ(pair.net.recorder.delivered.size(), 4, what);
                    NS_TEST_ASSERT_MSG_EQ(pair.net.recorder.sent.size(), 4, what);
                }
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Packets take paths of different length.
class ReorderingTest : public TestCase
{
  public:
    ReorderingTest()
        : TestCase("reordering without loss: nothing is sent again out of order, messages in order")
    {
    }

  private:
    /** @return totals of some messages over four spines of different distance. */
    TransportTotals RunOne(const std::string& scheme, const Settings& settings, uint32_t interval)
    {
        Net net(MTU);
        BuildUnequalPaths(net, 2, 4, 2);
        RdmaTransportHelper helper;
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(1)));
        helper.SetAttribute("AckInterval", UintegerValue(interval));
        helper.SetAttribute("PathSelector", PointerValue(CreateObject<SprayTestSelector>()));
        helper.SetReliability(scheme);
        for (const auto& [name, value] : settings)
        {
            helper.SetReliabilityAttribute(name, StringValue(value));
        }
        net.Install(helper);
        CheckingListener listener(net);
        for (uint64_t tag = 0; tag < 20; ++tag)
        {
            net.Send(0, 2, 1 + tag * 7 * MTU / 2, tag);
            net.Send(3, 1, 1 + tag * 5 * MTU / 3, tag);
        }
        Simulator::Run();
        const std::string what = scheme + ", ACK interval " + std::to_string(interval);
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        NS_TEST_EXPECT_MSG_EQ(listener.GetWrong(), "", what);
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 40, what);
        NS_TEST_EXPECT_MSG_GT(listener.GetReordered(), 100, what << ": reordered");
        return net.transport->GetTotals();
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const uint32_t interval : {1, 16})
        {
            const TransportTotals placed = RunOne("out_of_order", {}, interval);
            NS_TEST_EXPECT_MSG_EQ(placed.payloadRetransmitted, 0, "nothing again");
            NS_TEST_EXPECT_MSG_EQ(placed.naksSent, 0, "no NAK");
            NS_TEST_EXPECT_MSG_EQ(placed.timeouts, 0, "no timeout");
            // A threshold that reordering exceeds, in packets or in time.
            NS_TEST_EXPECT_MSG_GT(
                RunOne("out_of_order", {{"ReorderDegree", "1"}}, interval).payloadRetransmitted,
                0,
                "degree");
            NS_TEST_EXPECT_MSG_GT(
                RunOne("out_of_order", {{"ReorderTime", "100ns"}}, interval).payloadRetransmitted,
                0,
                "time");
            // IRN takes reordering for loss; go-back-N throws away what comes early.
            const TransportTotals irn = RunOne("selective_repeat", {}, interval);
            NS_TEST_EXPECT_MSG_GT(irn.payloadDuplicate, 0, "spurious");
            NS_TEST_EXPECT_MSG_EQ(irn.payloadOutOfOrder, 0, "kept");
            NS_TEST_EXPECT_MSG_GT(RunOne("go_back_n", {}, interval).payloadOutOfOrder, 0, "thrown");
        }
    }
};

/// @ingroup llm-training-tests
/// Packets without payload.
class TrimmingTest : public TestCase
{
  public:
    TrimmingTest()
        : TestCase("trimmed packets: NAK at once, that packet again, never delivered")
    {
    }

  private:
    /** What must come out. */
    struct Expect
    {
        uint64_t again; //!< packets sent again
        uint64_t naks;  //!< NAKs
    };

    /** A data packet loses its payload on its way into the last link. */
    void Check(const std::string& scheme,
               const std::function<bool(uint32_t psn, uint32_t before)>& choose,
               const Expect& expect,
               uint64_t trims)
    {
        Pair pair(scheme);
        uint64_t trimmed = 0;
        Net::Lose(*pair.net.Switch(0).GetPorts()[0], [&](const Frame& frame) {
            if (frame.kind == FrameKind::WRITE && choose(frame.psn, pair.seen[frame.psn]++))
            {
                auto& cut = const_cast<Frame&>(frame);
                trimmed += cut.payload;
                cut.bytes = static_cast<uint16_t>(cut.bytes - cut.payload);
                cut.payload = 0;
            }
            return false;
        });
        // The sender's congestion control hears of each.
        pair.Run();
        const std::string what = scheme + ", " + std::to_string(trims) + " trimmed";
        NS_TEST_EXPECT_MSG_EQ(pair.totals.trimsReceived, trims, what);
        NS_TEST_EXPECT_MSG_EQ(trimmed, trims * MTU, what);
        NS_TEST_EXPECT_MSG_EQ(pair.Again(), expect.again, what << ": again");
        NS_TEST_EXPECT_MSG_EQ(pair.totals.naksSent, expect.naks, what << ": NAKs");
        NS_TEST_EXPECT_MSG_EQ(pair.totals.timeouts, 0, what << ": timeouts");
        NS_TEST_EXPECT_MSG_EQ(pair.totals.payloadReceived, PACKETS * MTU, what << ": once");
        NS_TEST_EXPECT_MSG_EQ(pair.totals.payloadSent + pair.totals.payloadRetransmitted,
                              pair.totals.payloadReceived + pair.totals.payloadDuplicate +
                                  pair.totals.payloadOutOfOrder + trimmed,
                              what << ": all bytes");
        NS_TEST_EXPECT_MSG_EQ(pair.net.recorder.delivered.size(), 1, what);
        NS_TEST_EXPECT_MSG_LT(pair.end, MicroSeconds(20), what << ": without waiting");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const uint32_t k : {0U, 16U, 32U})
        {
            const auto one = [k](uint32_t psn, uint32_t before) { return psn == k && before == 0; };
            const auto thrice = [k](uint32_t psn, uint32_t before) {
                return psn == k && before < 3;
            };
            const uint64_t behind = PACKETS - 1 - k;
            Check("go_back_n", one, {behind + 1, 1}, 1);
            Check("go_back_0", one, {PACKETS, 1}, 1);
            Check("out_of_order", one, {1, 1}, 1);
            Check("out_of_order", thrice, {3, 3}, 3);
            Check("selective_repeat", one, {1, 1 + behind}, 1);
            Check("selective_repeat", thrice, {3, 3 + behind}, 3);
        }
        const auto all = [](uint32_t, uint32_t before) { return before == 0; };
        Check("go_back_n", all, {PACKETS, 1}, PACKETS);
        Check("out_of_order", all, {PACKETS, PACKETS}, PACKETS);
        Check("selective_repeat", all, {PACKETS, PACKETS}, PACKETS);
    }
};

/// @ingroup llm-training-tests
/// What congestion control and path selector are told.
class TellingTest : public TestCase
{
  public:
    TellingTest()
        : TestCase("acknowledged bytes once each, no RTT of packets sent again, kinds of losses, "
                   "feedback of paths")
    {
    }

  private:
    void RunOne(const std::string& scheme)
    {
        Net net(MTU);
        if (scheme == "go_back_0") // lives for ever among paths that differ so
        {
            net.BuildStar(2, 100, MicroSeconds(1));
        }
        else
        {
            BuildUnequalPaths(net, 2, 4, 1);
        }
        RdmaTransportHelper helper;
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(1)));
        const Ptr<SprayTestSelector> selector = CreateObject<SprayTestSelector>();
        selector->wantsFeedback = true;
        helper.SetAttribute("PathSelector", PointerValue(selector));
        helper.SetReliability(scheme);
        helper.SetCongestionControl("ns3::llm::TellTaleCongestionControl");
        net.Install(helper);
        for (const auto& port : net.fabric->GetPorts())
        {
            Ptr<RandomLossModel> model = CreateObject<RandomLossModel>();
            model->SetAttribute("Probability", DoubleValue(0.01));
            port->SetLossModel(model);
        }
        uint64_t bytes = 0;
        for (uint64_t tag = 0; tag < 10; ++tag)
        {
            bytes += 1 + tag * 3 * MTU / 2;
            net.Send(0, 1, 1 + tag * 3 * MTU / 2, tag);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", scheme);
        const auto ops = DynamicCast<TellTaleCongestionControl>(
            net.transport->FindQueuePair(0, 1, 0)->GetCongestionOps());
        const TransportTotals totals = net.transport->GetTotals();
        NS_TEST_EXPECT_MSG_GT(totals.payloadRetransmitted, 0, scheme);
        if (scheme != "go_back_0") // which acknowledges some bytes, and takes them back
        {
            NS_TEST_EXPECT_MSG_EQ(ops->acked, bytes, scheme << ": acknowledged once");
        }
        NS_TEST_EXPECT_MSG_EQ(ops->timeouts, totals.timeouts, scheme << ": timeouts");
        NS_TEST_EXPECT_MSG_EQ(ops->naks, totals.recoveries, scheme << ": NAKs");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(ops->worstInFlight, bytes, scheme << ": never negative");
        // The farthest path is 4 x (1 + 4 x 0.5) us; a repeated packet comes much later.
        NS_TEST_EXPECT_MSG_LT(ops->longestRtt, MicroSeconds(25), scheme << ": RTT");
        NS_TEST_EXPECT_MSG_GT(ops->withoutRtt, 0, scheme << ": no sample");
        NS_TEST_EXPECT_MSG_GT(selector->arrived, 0, scheme << ": feedback");
        NS_TEST_EXPECT_MSG_EQ(selector->unknown, 0, scheme << ": entropy is one that was chosen");
        NS_TEST_EXPECT_MSG_EQ(selector->timeouts, totals.timeouts, scheme << ": feedback");
    }

    /** A NAK for a trimmed packet says so to both. */
    void Trimmed(const std::string& scheme)
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        const Ptr<SprayTestSelector> selector = CreateObject<SprayTestSelector>();
        selector->wantsFeedback = true;
        helper.SetAttribute("PathSelector", PointerValue(selector));
        helper.SetReliability(scheme);
        helper.SetCongestionControl("ns3::llm::TellTaleCongestionControl");
        net.Install(helper);
        uint16_t entropy = 0;
        Net::Lose(*net.Switch(0).GetPorts()[0], [&entropy](const Frame& frame) {
            if (frame.kind == FrameKind::WRITE && frame.psn == 4 && entropy == 0)
            {
                auto& cut = const_cast<Frame&>(frame);
                entropy = cut.entropy;
                cut.bytes = static_cast<uint16_t>(cut.bytes - cut.payload);
                cut.payload = 0;
            }
            return false;
        });
        net.Send(0, 1, 5 * MTU);
        Simulator::Run();
        const auto ops = DynamicCast<TellTaleCongestionControl>(
            net.transport->FindQueuePair(0, 1, 0)->GetCongestionOps());
        NS_TEST_EXPECT_MSG_EQ(ops->trims, 1, scheme);
        NS_TEST_EXPECT_MSG_EQ(ops->naks, 0, scheme);
        NS_TEST_EXPECT_MSG_EQ(selector->trimmed.size(), 1, scheme);
        NS_TEST_EXPECT_MSG_EQ((selector->trimmed == std::vector<uint16_t>{entropy}), true, scheme);
        NS_TEST_EXPECT_MSG_EQ(selector->lost, 0, scheme);
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const Scheme& scheme : SCHEMES)
        {
            RunOne(scheme.name);
            Trimmed(scheme.name);
        }
    }
};

/// @ingroup llm-training-tests
/// Messages that are whole before their turn.
class MessageOrderTest : public TestCase
{
  public:
    MessageOrderTest()
        : TestCase("one lost packet holds all later messages back, and lets them go in order")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const char* scheme : {"selective_repeat", "out_of_order"})
        {
            Pair pair(scheme);
            CheckingListener listener(pair.net);
            pair.LoseData([](uint32_t psn, uint32_t before) { return psn == 2 && before == 0; });
            for (uint64_t tag = 0; tag < 6; ++tag)
            {
                pair.net.Send(0, 1, tag < 5 ? 3 * MTU : 1, tag);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(pair.net.CheckBooks(), "", scheme);
            NS_TEST_EXPECT_MSG_EQ(listener.GetWrong(), "", scheme);
            NS_TEST_ASSERT_MSG_EQ(pair.net.recorder.delivered.size(), 6, scheme);
            NS_TEST_EXPECT_MSG_EQ(pair.net.recorder.delivered.front().now,
                                  pair.net.recorder.delivered.back().now,
                                  scheme << ": all at once");
            NS_TEST_EXPECT_MSG_EQ(pair.net.transport->GetTotals().payloadRetransmitted,
                                  MTU,
                                  scheme);
        }
    }
};

/// @ingroup llm-training-tests
/// A class of neither kind.
class NeitherKind : public RdmaReliability
{
  public:
    RdmaReceiveVerdict Receive(RdmaReceiverState&, uint64_t) const override
    {
        return {};
    }

    RdmaReceiveVerdict ReceiveTrimmed(RdmaReceiverState&, uint64_t) const override
    {
        return {};
    }
};

/// @ingroup llm-training-tests
/// What a queue pair costs and what is refused.
class SizesTest : public TestCase
{
  public:
    SizesTest()
        : TestCase("a queue pair stays within 1 KiB; windows grow with what is in flight; errors")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(sizeof(RdmaQueuePair) + sizeof(RdmaSelectiveSender) +
                                        sizeof(RdmaReceiveWindow),
                                    1024,
                                    "a queue pair with its windows, less their rings");
        Pair plain("go_back_n");
        plain.Run();
        const RdmaQueuePair* qp = plain.net.transport->FindQueuePair(0, 1, 0);
        NS_TEST_EXPECT_MSG_EQ((qp->GetSelective() == nullptr), true, "nothing paid");
        NS_TEST_EXPECT_MSG_EQ((qp->GetReceiver().early == nullptr), true, "nothing paid");

        Pair pair("out_of_order");
        pair.LoseData([](uint32_t psn, uint32_t before) { return psn == 0 && before < 10; });
        pair.net.Send(0, 1, 4000 * MTU);
        Simulator::Run();
        qp = pair.net.transport->FindQueuePair(0, 1, 0);
        NS_TEST_EXPECT_MSG_EQ(pair.net.CheckBooks(), "", "a hole for long");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(qp->GetSelective()->window.GetCapacity(), 4096, "ring");
        NS_TEST_EXPECT_MSG_GT(qp->GetPeer()->GetReceiver().early->GetCapacity(), 500, "bitmap");

        std::string error;
        try
        {
            Net net(MTU);
            net.BuildStar(2, 100, MicroSeconds(1));
            RdmaTransportHelper helper;
            helper.SetAttribute("Reliability", PointerValue(CreateObject<NeitherKind>()));
            net.Install(helper);
        }
        catch (const ConfigError& e)
        {
            error = e.what();
        }
        NS_TEST_EXPECT_MSG_NE(error.find("neither"), std::string::npos, error);
    }
};

/// @ingroup llm-training-tests
/// The suite.
class RdmaReliabilitySuite : public TestSuite
{
  public:
    RdmaReliabilitySuite()
        : TestSuite("llm-training-rdma-reliability", Type::UNIT)
    {
        AddTestCase(new ReceiveWindowTest, llm::TestDuration::QUICK);
        AddTestCase(new SendWindowTest, llm::TestDuration::QUICK);
        AddTestCase(new TimersTest, llm::TestDuration::QUICK);
        AddTestCase(new KnownAnswersTest, llm::TestDuration::QUICK);
        AddTestCase(new RoundsTest, llm::TestDuration::QUICK);
        AddTestCase(new TimeoutsTest, llm::TestDuration::QUICK);
        AddTestCase(new AcksTest, llm::TestDuration::QUICK);
        AddTestCase(new ReorderingTest, llm::TestDuration::QUICK);
        AddTestCase(new TrimmingTest, llm::TestDuration::QUICK);
        AddTestCase(new TellingTest, llm::TestDuration::QUICK);
        AddTestCase(new MessageOrderTest, llm::TestDuration::QUICK);
        AddTestCase(new SizesTest, llm::TestDuration::QUICK);
    }
};

RdmaReliabilitySuite g_rdmaReliabilitySuite; //!< instance

} // namespace
