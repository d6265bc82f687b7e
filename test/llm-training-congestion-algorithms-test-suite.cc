/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-frame.h"
#include "ns3/llm-config-error.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-names.h"
#include "ns3/rdma-dctcp.h"
#include "ns3/rdma-delay-power-tcp.h"
#include "ns3/rdma-hpcc.h"
#include "ns3/rdma-nscc.h"
#include "ns3/rdma-power-tcp.h"
#include "ns3/rdma-swift.h"
#include "ns3/rdma-timely.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Attributes = std::map<std::string, std::string>;

/** @return whether a equals b to 1e-9 of it. */
bool
IsClose(double a, double b)
{
    return std::max(a, b) - std::min(a, b) <= 1e-9 * std::max(std::max(a, -a), std::max(b, -b));
}

/** @return whether rates are equal to 1e-9 or 1 bit/s. */
bool
IsSameRate(double a, double b)
{
    return IsClose(a, b) || (a - b <= 1 && b - a <= 1);
}

/** @return a path of full-size packets. @param line rate. @param rtt base. */
RdmaPathInfo
MakePath(const std::string& line, Time rtt)
{
    RdmaPathInfo path;
    path.lineRate = DataRate(line);
    path.baseRtt = rtt;
    path.mtu = 4096;
    path.wireBytes = 4178;
    path.hops = 5;
    path.bdp = static_cast<uint64_t>(path.lineRate.GetBitRate() / 8 * rtt.GetSeconds() + 0.5);
    return path;
}

/** @return an initialised congestion control without a queue pair. */
template <class Ops>
Ptr<Ops>
Make(const std::string& name, const RdmaPathInfo& path, const Attributes& attributes = {})
{
    ObjectFactory factory;
    factory.SetTypeId(RdmaCongestionNames::Lookup(name, "test"));
    for (const auto& attribute : attributes)
    {
        factory.Set(attribute.first, StringValue(attribute.second));
    }
    Ptr<Ops> ops = factory.Create<Ops>();
    ops->Init(path);
    return ops;
}

/** @return an ACK. */
RdmaAckInfo
MakeAck(Time now, Time rtt, uint64_t ackedPsn, uint64_t nextPsn, uint64_t bytes = 4096)
{
    RdmaAckInfo ack;
    ack.now = now;
    ack.rtt = rtt;
    ack.ackedBytes = bytes;
    ack.ackedPsn = ackedPsn;
    ack.nextPsn = nextPsn;
    return ack;
}

/** TIMELY. */
class TimelyAnswersTheVector : public TestCase
{
  public:
    TimelyAnswersTheVector()
        : TestCase("TIMELY answers the reference vector step by step")
    {
    }

  private:
    void DoRun() override
    {
        struct Step
        {
            int64_t rttUs;     //!< sample
            double difference; //!< moving average, s
            double gradient;   //!< normalised
            double rate;       //!< bit/s
        };

        const std::vector<Step> vector{
            {40, -1.75e-05, -0.8749999999999999, 10010000000.0},
            {60, 1.53125e-05, 0.7656249999999999, 3878875000.0000005},
            {100, 3.69140625e-05, 1.8457031249999998, 100000000.0},
            {80, -1.2885742187499998e-05, -0.6442871093749999, 110000000.0},
            {600, 0.00045338928222656244, 22.66946411132812, 100000000.0},
            {45, -0.0004289513397216796, -21.447566986083977, 110000000.0}};
        const auto ops =
            Make<RdmaTimely>("timely",
                             MakePath("100Gbps", MicroSeconds(20)),
                             {{"InitialRate", "10Gbps"}, {"DeltaReferenceRate", "0bps"}});
        ops->OnAck(MakeAck(MicroSeconds(60), MicroSeconds(60), 1, 10));
        NS_TEST_EXPECT_MSG_EQ(ops->GetRate(), 10000000000, "the first sample changes nothing");
        uint64_t psn = 10;
        for (const Step& step : vector)
        {
            const Time rtt = MicroSeconds(step.rttUs);
            ops->OnAck(MakeAck(MilliSeconds(psn), rtt, psn + 1, psn + 10));
            ops->OnAck(MakeAck(MilliSeconds(psn), Seconds(1), psn + 2, psn + 10)); // same RTT
            psn += 10;
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetGradient(), step.gradient), true, "gradient");
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetGradient() * 20e-6, step.difference), true, "d");
            NS_TEST_EXPECT_MSG_EQ(IsSameRate(ops->GetCurrentRate(), step.rate),
                                  true,
                                  ops->GetCurrentRate());
            NS_TEST_EXPECT_MSG_EQ(ops->GetRate(),
                                  static_cast<uint64_t>(ops->GetCurrentRate()),
                                  "paced");
        }
        // Five calm updates in a row, and the increase is hyper.
        double before = ops->GetCurrentRate();
        for (uint32_t i = 1; i <= 7; ++i)
        {
            ops->OnAck(MakeAck(MilliSeconds(psn), MicroSeconds(60), psn + 1, psn + 10));
            psn += 10;
            const double step = ops->GetCurrentRate() - before;
            NS_TEST_EXPECT_MSG_EQ(IsSameRate(step, i < 5 ? 10e6 : 50e6), true, i << ": " << step);
            before = ops->GetCurrentRate();
        }
    }
};

/** Swift. */
class SwiftAnswersTheVector : public TestCase
{
  public:
    SwiftAnswersTheVector()
        : TestCase("Swift answers the reference vector step by step")
    {
    }

  private:
    void DoRun() override
    {
        struct Step
        {
            int64_t atUs;    //!< when
            int64_t delayUs; //!< sample
            double target;   //!< s
            double cwnd;     //!< packets, after
        };

        const std::vector<Step> vector{{900, 15, 2.6614573353131963e-05, 20.05},
                                       {1000, 40, 2.6610929196211366e-05, 14.680982607680756},
                                       {1010, 40, 2.7102867980331397e-05, 14.680982607680756},
                                       {1500, 200, 2.7102867980331397e-05, 7.340491303840378},
                                       {1800, 10, 2.8514957331005524e-05, 7.476721967239818}};
        const auto ops = Make<RdmaSwift>("swift",
                                         MakePath("100Gbps", MicroSeconds(13)),
                                         {{"BaseTarget", "20us"},
                                          {"HopScaling", "1us"},
                                          {"FsRange", "40us"},
                                          {"InitialWindow", "20"}});
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetFsAlpha(), 1.3062172813487007e-05), true, "a");
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetFsBeta(), -1.3062172813487008e-06), true, "b");
        for (const Step& step : vector)
        {
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetTargetSeconds(), step.target),
                                  true,
                                  ops->GetTargetSeconds());
            ops->OnAck(MakeAck(MicroSeconds(step.atUs), MicroSeconds(step.delayUs), 1, 2));
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowPackets(), step.cwnd),
                                  true,
                                  ops->GetWindowPackets());
            NS_TEST_EXPECT_MSG_EQ(ops->GetWindow(),
                                  static_cast<uint64_t>(4096 * ops->GetWindowPackets()),
                                  "bytes");
        }
        // Losses: once per RTT; five timeouts in a row end at the least window, which is paced.
        const double before = ops->GetWindowPackets();
        ops->OnLoss(MicroSeconds(2500), RdmaLossKind::NAK);
        ops->OnLoss(MicroSeconds(2501), RdmaLossKind::NAK);
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowPackets(), before / 2), true, "half, once");
        NS_TEST_EXPECT_MSG_EQ(ops->GetRate(), 100000000000, "not paced");
        for (int64_t i = 0; i < 5; ++i)
        {
            ops->OnLoss(MilliSeconds(3 + i), RdmaLossKind::TIMEOUT);
        }
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowPackets(), 0.01), true, "least");
        // 4178 B on the link per 10 us / 0.01.
        NS_TEST_EXPECT_MSG_EQ(ops->GetRate(), 33424000, "a packet per millisecond");
    }
};

/** DCTCP. */
class DctcpAnswersTheVector : public TestCase
{
  public:
    DctcpAnswersTheVector()
        : TestCase("DCTCP answers the reference vector RTT by RTT")
    {
    }

  private:
    /** An ACK, marked or not. */
    void Ack(uint64_t ackedPsn, uint64_t nextPsn, bool marked, uint64_t bytes = 1000)
    {
        RdmaAckInfo ack = MakeAck(MicroSeconds(1), MicroSeconds(13), ackedPsn, nextPsn, bytes);
        ack.ecnEcho = marked;
        m_ops->OnAck(ack);
    }

    void Expect(double alpha, double rate)
    {
        NS_TEST_EXPECT_MSG_EQ(IsClose(m_ops->GetAlpha(), alpha), true, m_ops->GetAlpha());
        NS_TEST_EXPECT_MSG_EQ(IsSameRate(m_ops->GetCurrentRate(), rate), true, rate);
    }

    void DoRun() override
    {
        m_ops =
            Make<RdmaDctcp>("dctcp", MakePath("100Gbps", MicroSeconds(13)), {{"WindowBdp", "2"}});
        NS_TEST_EXPECT_MSG_EQ(m_ops->GetWindow(), 325000, "2 x 162500 B");
        Ack(1, 10, false, 0);
        Ack(5, 15, false);
        Ack(11, 20, true); // half of the RTT's bytes
        Expect(0.96875, 51562500000.0);
        NS_TEST_EXPECT_MSG_EQ(m_ops->GetWindow(), 167578, "the window follows the rate");
        Ack(21, 30, false);
        Expect(0.908203125, 52177500000.0);
        Ack(22, 30, false);
        Ack(23, 30, false);
        Ack(24, 30, false);
        Ack(31, 40, true); // a quarter
        Expect(0.8670654296875, 29556846771.240234);
        Ack(32, 41, true);
        Ack(33, 42, true);
        Expect(0.8670654296875, 29556846771.240234); // one decrease per RTT
    }

    Ptr<RdmaDctcp> m_ops; //!< on test
};

/** HPCC. */
class HpccAnswersTheVector : public TestCase
{
  public:
    HpccAnswersTheVector()
        : TestCase("HPCC answers the reference vector step by step")
    {
    }

  private:
    void DoRun() override
    {
        struct Step
        {
            int64_t dtNs;       //!< since the record before
            uint64_t bytes;     //!< sent since
            uint64_t queue;     //!< bytes
            uint64_t ackedPsn;  //!< of the ACK
            uint64_t nextPsn;   //!< of the ACK
            double utilization; //!< U
            double window;      //!< W
            double reference;   //!< Wc
            uint32_t stage;     //!< incStage
        };

        // The second does not end an RTT; the last comes a tenth of an RTT after the one before.
        const std::vector<Step> vector{
            {13000,
             162500,
             50000,
             11,
             20,
             1.3076923076923077,
             118131.47058823529,
             118131.47058823529,
             0},
            {13000, 81250, 0, 15, 25, 0.5, 118211.47058823529, 118131.47058823529, 0},
            {13000, 81250, 10000, 21, 30, 0.5, 118211.47058823529, 118211.47058823529, 1},
            {1300,
             16250,
             10000,
             31,
             40,
             0.5561538461538462,
             118291.47058823529,
             118291.47058823529,
             2}};
        const auto ops = Make<RdmaHpcc>("hpcc", MakePath("100Gbps", MicroSeconds(13)));
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindow(), 162500, "Winit");
        // Two hops; the second is never the most loaded.
        std::array<IntRecord, 2> records{{{MicroSeconds(100).GetTimeStep(), 100000000000, 7, 50000},
                                          {MicroSeconds(101).GetTimeStep(), 400000000000, 7, 0}}};
        RdmaAckInfo ack = MakeAck(MicroSeconds(110), MicroSeconds(13), 1, 10);
        ack.intHops = 2;
        ack.intRecords = records.data();
        ops->OnAck(ack);
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindow(), 162500, "the first ACK only records");
        for (const Step& step : vector)
        {
            for (IntRecord& record : records)
            {
                record.time += NanoSeconds(step.dtNs).GetTimeStep();
                record.bytesSent += step.bytes;
            }
            records[0].queueBytes = step.queue;
            ack.ackedPsn = step.ackedPsn;
            ack.nextPsn = step.nextPsn;
            ops->OnAck(ack);
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetUtilization(), step.utilization),
                                  true,
                                  ops->GetUtilization());
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowBytes(), step.window),
                                  true,
                                  ops->GetWindowBytes());
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetReferenceWindow(), step.reference), true, "Wc");
            NS_TEST_EXPECT_MSG_EQ(ops->GetStage(), step.stage, "stage");
            NS_TEST_EXPECT_MSG_EQ(
                IsSameRate(static_cast<double>(ops->GetRate()), step.window / 13e-6 * 8),
                true,
                "W / T");
        }
        const double before = ops->GetWindowBytes();
        ack.intHops = 1;
        ops->OnAck(ack);
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindowBytes(), before, "another path only records");
    }
};

/** PowerTCP. */
class PowerTcpAnswersTheVector : public TestCase
{
  public:
    PowerTcpAnswersTheVector()
        : TestCase("PowerTCP answers the reference vector step by step")
    {
    }

  private:
    void DoRun() override
    {
        struct Step
        {
            int64_t dtNs;   //!< since the record before
            uint64_t bytes; //!< sent since
            uint64_t queue; //!< bytes
            double power;   //!< averaged
            double window;  //!< bytes
        };

        const std::vector<Step> vector{
            {13000, 162500, 50000, 1.307692307692308, 142713.23529411765},
            {1300, 6575, 60000, 1.3165846153846157, 126453.22208635257},
            {13000, 214375, 0, 0.9500000000000001, 147068.11155360084}};
        const auto ops = Make<RdmaPowerTcp>("powertcp", MakePath("100Gbps", MicroSeconds(13)));
        IntRecord record{MicroSeconds(100).GetTimeStep(), 100000000000, 0, 50000};
        RdmaAckInfo ack = MakeAck(MicroSeconds(110), MicroSeconds(13), 1, 10);
        ack.intHops = 1;
        ack.intRecords = &record;
        ops->OnAck(ack);
        for (const Step& step : vector)
        {
            record.time += NanoSeconds(step.dtNs).GetTimeStep();
            record.bytesSent += step.bytes;
            record.queueBytes = step.queue;
            ack.ackedPsn = ack.nextPsn + 1;
            ack.nextPsn += 10;
            ops->OnAck(ack);
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetPower(), step.power), true, ops->GetPower());
            NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowBytes(), step.window),
                                  true,
                                  ops->GetWindowBytes());
        }
    }
};

/** Theta-PowerTCP. */
class DelayPowerTcpFollowsItsFormula : public TestCase
{
  public:
    DelayPowerTcpFollowsItsFormula()
        : TestCase("the delay form of PowerTCP follows its formula once per RTT")
    {
    }

  private:
    void DoRun() override
    {
        RdmaPathInfo path = MakePath("100Gbps", MicroSeconds(13));
        path.wireBytes = 12500; // 1 us on the NIC's link: tau is 12 us
        const auto ops = Make<RdmaDelayPowerTcp>("powertcp_delay", path);
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindow(), 162500, "bandwidth-delay product");
        ops->OnAck(MakeAck(MicroSeconds(100), MicroSeconds(12), 1, 10));
        ops->OnAck(MakeAck(MicroSeconds(112), MicroSeconds(18), 11, 20));
        // (6/12 + 1) * 18/12 = 2.25
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetPower(), 2.25), true, ops->GetPower());
        const double first = 0.9 * (162500 / 2.25 + 16250) + 0.1 * 162500;
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowBytes(), first), true, ops->GetWindowBytes());
        ops->OnAck(MakeAck(MicroSeconds(115), MicroSeconds(18), 12, 20));
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowBytes(), first), true, "once per RTT");
        // A quarter of tau: 0.75 * 2.25 + 0.25 * 1.5.
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetPower(), 2.0625), true, ops->GetPower());
        ops->OnAck(MakeAck(MicroSeconds(127), MicroSeconds(12), 21, 30));
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetPower(), 0.5), true, ops->GetPower());
        const double second = 0.9 * (first / 0.5 + 16250) + 0.1 * first;
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowBytes(), std::min(162500.0, second)),
                              true,
                              ops->GetWindowBytes());
    }
};

/** NSCC. */
class NsccAnswersTheVector : public TestCase
{
  public:
    NsccAnswersTheVector()
        : TestCase("NSCC's constants are the reference vector's, and it reacts by quadrant")
    {
    }

  private:
    void DoRun() override
    {
        const RdmaPathInfo path = MakePath("400Gbps", MicroSeconds(12));
        const auto ops = Make<RdmaNscc>("nscc", path, {{"TargetRtts", "0.75"}});
        const RdmaNscc::Constants& c = ops->GetConstants();
        const std::vector<std::array<double, 2>> vector{{{c.bdp, 600000.0}},
                                                        {{c.scalingA, 4.0}},
                                                        {{c.scalingB, 0.75}},
                                                        {{c.targetDelay, 9e-06}},
                                                        {{c.alpha, 5461333333.333333}},
                                                        {{c.fairIncrease, 81920.0}},
                                                        {{c.eta, 2457.6}},
                                                        {{c.fastScale, 1.0}},
                                                        {{c.maxWindow, 900000.0}},
                                                        {{c.quickAdaptDelay, 3.6e-05}},
                                                        {{ops->GetDecreaseFactor(20e-6), 0.56}}};
        for (const auto& pair : vector)
        {
            NS_TEST_EXPECT_MSG_EQ(IsClose(pair[0], pair[1]), true, pair[0] << " " << pair[1]);
        }
        NS_TEST_EXPECT_MSG_EQ(ops->GetDecreaseFactor(1), 0.5, "at most half");
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindow(), 900000, "starts at most");
        Quadrants(path);
        Adapts(path);
    }

    /** React in each of the four quadrants. */
    void Quadrants(const RdmaPathInfo& path)
    {
        const auto ops =
            Make<RdmaNscc>("nscc", path, {{"TargetRtts", "0.75"}, {"DelayWeight", "1"}});
        const Time least = path.GetLeastRtt();
        RdmaAckInfo ack = MakeAck(MicroSeconds(20), least + MicroSeconds(20), 1, 10);
        ack.ecnEcho = true;
        ops->OnAck(ack);
        NS_TEST_EXPECT_MSG_EQ_TOL(ops->GetWindowBytes(),
                                  0.56 * 900000 + 2457.6,
                                  1e-6,
                                  "echo and delay, eta");
        // Within 12 us there is neither another decrease nor, with an echo, an increase.
        double before = ops->GetWindowBytes();
        ack.now += MicroSeconds(1);
        ops->OnAck(ack);
        ack.rtt = least + MicroSeconds(5);
        ops->OnAck(ack);
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindowBytes(), before, "no change");
        // Eight packets without echo: fair above the target ...
        ack.ecnEcho = false;
        ack.rtt = least + MicroSeconds(10);
        for (uint32_t i = 0; i < 6; ++i)
        {
            ops->OnAck(ack);
        }
        NS_TEST_EXPECT_MSG_EQ(IsClose(ops->GetWindowBytes(), before + 6 * 81920 * 4096 / before),
                              true,
                              ops->GetWindowBytes());
        // ... proportional below: 5.46 GB/s * 4 us per byte.
        before = ops->GetWindowBytes();
        ack.rtt = least + MicroSeconds(5);
        for (uint32_t i = 0; i < 8; ++i)
        {
            ops->OnAck(ack);
        }
        const double delay = (ack.rtt - least).GetSeconds();
        NS_TEST_EXPECT_MSG_EQ_TOL(ops->GetWindowBytes(),
                                  before + 8 * 5461333333.333333 * (9e-6 - delay) * 4096 / before,
                                  1e-3,
                                  "proportional");
        // A whole window without delay, and the increase is fast: what is acknowledged.
        ack.rtt = least;
        while (ack.ackedPsn < 400)
        {
            before = ops->GetWindowBytes();
            ++ack.ackedPsn;
            ops->OnAck(ack);
            if (ops->GetWindowBytes() == before + 4096)
            {
                break;
            }
        }
        NS_TEST_EXPECT_MSG_GT(ack.ackedPsn, 80, "not before a window is acknowledged");
        NS_TEST_EXPECT_MSG_LT(ack.ackedPsn, 200, "fast at last");
    }

    /** A great delay, and little acknowledged. */
    void Adapts(const RdmaPathInfo& path)
    {
        const auto ops = Make<RdmaNscc>("nscc", path);
        RdmaAckInfo ack =
            MakeAck(MicroSeconds(50), path.GetLeastRtt() + MicroSeconds(60), 1, 10, 4096);
        ops->OnAck(ack);
        ack.now += MicroSeconds(10);
        ack.ackedBytes = 20000;
        ops->OnAck(ack);
        ack.now += MicroSeconds(14);
        ack.ackedBytes = 30000;
        ack.inFlight = 100000;
        ops->OnAck(ack);
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindow(), 50000, "what arrived in 24 us");
        ack.now += MicroSeconds(1);
        ack.ackedBytes = 50000;
        ack.ecnEcho = true;
        ops->OnAck(ack);
        ops->OnAck(ack);
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindow(), 50000, "what was in flight says nothing");
        ops->OnLoss(ack.now, RdmaLossKind::NAK);
        NS_TEST_EXPECT_MSG_EQ(ops->GetWindow(), 50000, "adapted already");
        // In an epoch without it, each trimmed packet takes one MTU off.
        const auto trimmed = CreateObject<RdmaNscc>();
        trimmed->Init(path);
        const uint64_t full = trimmed->GetWindow();
        for (uint64_t i = 1; i <= 3; ++i)
        {
            trimmed->OnLoss(ack.now, RdmaLossKind::TRIM);
            NS_TEST_EXPECT_MSG_EQ(trimmed->GetWindow(), full - i * path.mtu, "trimmed");
        }
    }
};

/** Rates and windows stay sane whatever comes. */
class ControlsStayInBounds : public TestCase
{
  public:
    ControlsStayInBounds()
        : TestCase("rate and window stay in bounds under random ACKs, losses and telemetry")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937_64 random(7);
        for (const std::string name :
             {"hpcc", "timely", "swift", "dctcp", "powertcp", "powertcp_delay", "nscc"})
        {
            const auto ops = Make<RdmaCongestionOps>(name, MakePath("100Gbps", MicroSeconds(8)));
            IntRecord record{0, 100000000000, 0, 0};
            RdmaAckInfo ack = MakeAck(MicroSeconds(1), MicroSeconds(8), 1, 20);
            ack.intHops = 1;
            ack.intRecords = &record;
            uint32_t wrong = 0;
            for (uint32_t i = 0; i < 20000; ++i)
            {
                ack.now += NanoSeconds(random() % 5000);
                ack.rtt = random() % 50 ? NanoSeconds(6000 + random() % 100000) : Time(0);
                ack.ackedPsn += random() % 3;
                ack.nextPsn = ack.ackedPsn + random() % 40;
                ack.ackedBytes = random() % 20000;
                ack.inFlight = random() % 200000;
                ack.ecnEcho = random() % 4 == 0;
                record.time += static_cast<int64_t>(random() % 3000);
                record.bytesSent += random() % 30000;
                record.queueBytes = random() % 3 ? random() % 500000 : 0;
                ops->OnAck(ack);
                if (random() % 200 == 0)
                {
                    ops->OnLoss(ack.now, random() % 2 ? RdmaLossKind::NAK : RdmaLossKind::TIMEOUT);
                }
                wrong += ops->GetRate() >= 1 && ops->GetRate() <= 100000000000 ? 0 : 1;
                wrong += ops->GetWindow() >= 1 ? 0 : 1;
            }
            NS_TEST_EXPECT_MSG_EQ(wrong, 0, name);
        }
    }
};

/** The table beside the frames. */
class TelemetryStaysWithItsFrame : public TestCase
{
  public:
    TelemetryStaysWithItsFrame()
        : TestCase("telemetry stays with its frame, over slabs and when there are more hops")
    {
    }

  private:
    void DoRun() override
    {
        FramePool pool;
        std::vector<Frame*> frames;
        for (uint32_t i = 0; i < 40000; ++i) // more than one slab
        {
            if (i == 10)
            {
                pool.RequireInt(2);
            }
            frames.push_back(pool.Allocate());
            frames.back()->bytes = 1000;
        }
        NS_TEST_EXPECT_MSG_GT(pool.GetCapacity(), 40000, "slabs");
        for (uint32_t i = 0; i < frames.size(); ++i)
        {
            FramePool::StartInt(*frames[i], static_cast<uint8_t>(i % 3));
            FramePool::AppendInt(*frames[i], {i, 1, 2, 3});
            FramePool::AppendInt(*frames[i], {i + 1, 4, 5, 6});
        }
        pool.RequireInt(20);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < frames.size(); ++i)
        {
            for (uint32_t hop = 2; hop < 25; ++hop)
            {
                FramePool::AppendInt(*frames[i], {i + hop, 7, 8, 9});
            }
            const IntRecord* records = FramePool::GetInt(*frames[i]);
            wrong += FramePool::CountInt(*frames[i]) == 20 ? 0 : 1;
            wrong += records[0].time == i && records[1].queueBytes == 6 ? 0 : 1;
            wrong += records[19].time == i + 19 ? 0 : 1;
            wrong += frames[i]->bytes == 1000 + 20 * (i % 3) ? 0 : 1;
            wrong += FramePool::GetIntBytes(*frames[i]) == 20 * (i % 3) ? 0 : 1;
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "records");
        for (Frame* frame : frames)
        {
            pool.Free(frame);
        }
        NS_TEST_EXPECT_MSG_EQ(pool.GetLive(), 0, "all back");
    }
};

/** Swift needs an order of its parameters. */
class SwiftRefusesContradictions : public TestCase
{
  public:
    SwiftRefusesContradictions()
        : TestCase("Swift refuses FsMin above FsMax")
    {
    }

  private:
    void DoRun() override
    {
        std::string what;
        try
        {
            Make<RdmaSwift>("swift", MakePath("100Gbps", MicroSeconds(8)), {{"FsMin", "200"}});
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what,
                              "ns3::llm::RdmaSwift: FsMin: 200.000000 is not below FsMax of "
                              "100.000000; set FsMin < FsMax",
                              "one line");
    }
};

/** Congestion controls other than DCQCN, one queue pair on a bench. */
class CongestionAlgorithmsTestSuite : public TestSuite
{
  public:
    CongestionAlgorithmsTestSuite()
        : TestSuite("llm-training-congestion-algorithms", Type::UNIT)
    {
        AddTestCase(new TimelyAnswersTheVector);
        AddTestCase(new SwiftAnswersTheVector);
        AddTestCase(new DctcpAnswersTheVector);
        AddTestCase(new HpccAnswersTheVector);
        AddTestCase(new PowerTcpAnswersTheVector);
        AddTestCase(new DelayPowerTcpFollowsItsFormula);
        AddTestCase(new NsccAnswersTheVector);
        AddTestCase(new ControlsStayInBounds);
        AddTestCase(new TelemetryStaysWithItsFrame);
        AddTestCase(new SwiftRefusesContradictions);
    }
};

const CongestionAlgorithmsTestSuite g_congestionAlgorithmsTestSuite; //!< registers the suite

} // namespace
