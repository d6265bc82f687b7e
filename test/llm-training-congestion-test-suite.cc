/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-names.h"
#include "ns3/rdma-dcqcn-mellanox.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Attributes = std::map<std::string, std::string>;

constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

/** A congestion control on a bench: a clock, its two timers, and counts of what it asks for. */
class Bench : public RdmaCongestionHost
{
  public:
    Bench(const std::string& name,
          const Attributes& attributes,
          const std::string& line = "100Gbps")
    {
        ObjectFactory factory;
        factory.SetTypeId(RdmaCongestionNames::Lookup(name, "test"));
        for (const auto& attribute : attributes)
        {
            factory.Set(attribute.first, StringValue(attribute.second));
        }
        ops = factory.Create<RdmaDcqcnBase>();
        ops->SetHost(this);
        RdmaPathInfo path;
        path.lineRate = DataRate(line);
        path.baseRtt = MicroSeconds(8);
        path.mtu = 4096;
        path.wireBytes = 4178;
        path.hops = 2;
        path.bdp = path.lineRate.GetBitRate() / 8 * 8 / 1000000;
        ops->Init(path);
    }

    void ArmTimer(uint32_t id, Time at) override
    {
        late = late || at.GetTimeStep() < now;
        timers.at(id) = at.GetTimeStep();
    }

    void CancelTimer(uint32_t id) override
    {
        timers.at(id) = NEVER;
    }

    void ControlChanged() override
    {
        ++changes;
    }

    /** Run timers that are due before a time, or at it too, and set the clock. */
    void RunTo(Time time, bool inclusive = false)
    {
        const int64_t end = time.GetTimeStep();
        for (;;)
        {
            const auto first = std::min_element(timers.begin(), timers.end());
            if (*first > end || (*first == end && !inclusive))
            {
                break;
            }
            now = *first;
            const auto id = static_cast<uint32_t>(first - timers.begin());
            *first = NEVER;
            ++fired;
            ops->OnTimer(Now(), id);
        }
        now = end;
    }

    void Cnp(Time at)
    {
        RunTo(at);
        ops->OnCnp(at);
    }

    Time Now() const
    {
        return TimeStep(static_cast<uint64_t>(now));
    }

    bool Quiet() const
    {
        return timers[0] == NEVER && timers[1] == NEVER;
    }

    Ptr<RdmaDcqcnBase> ops;                      //!< on test
    std::array<int64_t, 2> timers{NEVER, NEVER}; //!< when due
    int64_t now{0};                              //!< clock
    bool late{false};                            //!< a timer was set for the past
    uint64_t changes{0};                         //!< calls of ControlChanged
    uint64_t fired{0};                           //!< timers that ran out
};

/** @return whether a equals b to 1e-9 of it or 1 bit/s. */
bool
IsClose(double a, double b)
{
    return std::max(a, b) - std::min(a, b) <= std::max(1.0, 1e-9 * b);
}

/** One step of a reference vector: what happens, current and target rate, alpha or stage. */
struct Step
{
    char what;      //!< c: CNP; t: increase; a: alpha decays; d: decrease
    double current; //!< bit/s
    double target;  //!< bit/s
    double last;    //!< alpha or stage
};

/// 100 Gb/s, g 1/256, F 5; the target never leaves the line rate in fast recovery.
const std::vector<Step> PAPER_VECTOR{{'c', 50000000000.0, 100000000000.0, 1.0},
                                     {'t', 75000000000.0, 100000000000.0, 1.0},
                                     {'t', 87500000000.0, 100000000000.0, 1.0},
                                     {'t', 93750000000.0, 100000000000.0, 1.0},
                                     {'t', 96875000000.0, 100000000000.0, 1.0},
                                     {'t', 98437500000.0, 100000000000.0, 1.0},
                                     {'t', 99218750000.0, 100000000000.0, 1.0},
                                     {'t', 99609375000.0, 100000000000.0, 1.0},
                                     {'a', 99609375000.0, 100000000000.0, 0.99609375},
                                     {'a', 99609375000.0, 100000000000.0, 0.9922027587890625},
                                     {'a', 99609375000.0, 100000000000.0, 0.9883269667625427},
                                     {'c', 50386059272.56867, 99609375000.0, 0.9883725645486265},
                                     {'t', 74997717136.28433, 99609375000.0, 0.9883725645486265},
                                     {'t', 87303546068.14217, 99609375000.0, 0.9883725645486265}};

/// 100 Gb/s, F 1, alpha 1 throughout.
const std::vector<Step> MELLANOX_VECTOR{{'d', 50000000000.0, 100000000000.0, 0},
                                        {'d', 25000000000.0, 100000000000.0, 0},
                                        {'t', 62500000000.0, 100000000000.0, 1},
                                        {'t', 81250000000.0, 100000000000.0, 2},
                                        {'t', 90625000000.0, 100000000000.0, 3},
                                        {'d', 45312500000.0, 90625000000.0, 0}};

/** The paper's reaction point answers the reference vector. */
class PaperAnswersTheVector : public TestCase
{
  public:
    PaperAnswersTheVector()
        : TestCase("DCQCN of the paper answers the reference vector step by step")
    {
    }

  private:
    void DoRun() override
    {
        // Increases by bytes alone, so that they and the decay of alpha come as the vector says.
        Bench bench("dcqcn", {{"IncreaseTimer", "0s"}, {"ByteCounter", "1000000"}});
        Time at = MicroSeconds(10);
        Time cnpAt;
        uint64_t decays = 0;
        for (const auto& step : PAPER_VECTOR)
        {
            switch (step.what)
            {
            case 'c':
                bench.Cnp(at);
                cnpAt = at;
                decays = 0;
                break;
            case 'a':
                ++decays;
                at = cnpAt + MicroSeconds(55 * decays);
                break;
            default:
                bench.ops->OnSend(at, 1000000);
            }
            const double rate = bench.ops->GetCurrentRate();
            NS_TEST_EXPECT_MSG_EQ(IsClose(rate, step.current), true, "current " << rate);
            NS_TEST_EXPECT_MSG_EQ(IsClose(bench.ops->GetTargetRate(), step.target), true, "target");
            NS_TEST_EXPECT_MSG_EQ_TOL(bench.ops->GetAlpha(at), step.last, 1e-12, "alpha");
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetRate(), static_cast<uint64_t>(rate), "paced");
            at += NanoSeconds(1);
        }
        NS_TEST_EXPECT_MSG_EQ(bench.Quiet(), true, "no timer is configured");

        // Up to the first decay, the same by the timer.
        Bench timed("dcqcn", {{"AlphaTimer", "1s"}, {"ByteCounter", "0"}});
        timed.Cnp(MicroSeconds(10));
        for (std::size_t i = 0; i < 8; ++i)
        {
            timed.RunTo(MicroSeconds(10 + 55 * i), true);
            NS_TEST_EXPECT_MSG_EQ(IsClose(timed.ops->GetCurrentRate(), PAPER_VECTOR[i].current),
                                  true,
                                  "tick " << i);
            NS_TEST_EXPECT_MSG_EQ(timed.ops->GetTimerStage(), i, "stage");
        }
    }
};

/** The adapter's reaction point answers the reference vector. */
class MellanoxAnswersTheVector : public TestCase
{
  public:
    MellanoxAnswersTheVector()
        : TestCase("DCQCN of the adapter answers the reference vector step by step")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench("dcqcn_mellanox",
                    {{"G", "0.00390625"}, {"InitialAlpha", "1"}, {"AlphaTimer", "1s"}});
        int64_t next = 100; // us
        for (const auto& step : MELLANOX_VECTOR)
        {
            if (step.what == 'd')
            {
                // Checks happen every 4 us from the first CNP on; each sees what came after the
                // one before.
                const double before = bench.ops->GetCurrentRate();
                bench.Cnp(MicroSeconds(next + (before < 100e9 ? 1 : 0)));
                NS_TEST_EXPECT_MSG_EQ(bench.ops->GetCurrentRate(), before, "not at once");
                bench.RunTo(MicroSeconds(next + 4));
                NS_TEST_EXPECT_MSG_EQ(bench.ops->GetCurrentRate(), before, "not before the check");
                next += 4;
                bench.RunTo(MicroSeconds(next), true);
            }
            else
            {
                next += 300;
                bench.RunTo(MicroSeconds(next), true);
            }
            const double rate = bench.ops->GetCurrentRate();
            NS_TEST_EXPECT_MSG_EQ(IsClose(rate, step.current), true, "current " << rate);
            NS_TEST_EXPECT_MSG_EQ(IsClose(bench.ops->GetTargetRate(), step.target), true, "target");
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetTimerStage(), step.last, "stage");
        }
    }
};

/** A DCQCN that ticks all its timers for ever, to compare with. */
class TickingDcqcn
{
  public:
    bool mellanox{false};       //!< periodic checks instead of reaction to the CNP
    double line{100e9};         //!< bit/s
    double g{0};                //!< weight
    double initialAlpha{1};     //!< alpha
    double ai{40e6};            //!< bit/s
    double hai{400e6};          //!< bit/s
    double floor{10e6};         //!< bit/s
    uint32_t steps{5};          //!< F
    int64_t alphaPeriod{55};    //!< ticks
    int64_t increasePeriod{55}; //!< ticks
    int64_t decreasePeriod{4};  //!< ticks
    uint64_t byteCounter{0};    //!< 0: none
    double current{0};          //!< Rc
    double target{0};           //!< Rt
    double alpha{0};            //!< estimate
    uint32_t timerStage{0};     //!< T
    uint32_t byteStage{0};      //!< B

    void Start()
    {
        current = target = line;
        alpha = initialAlpha;
    }

    void RunTo(int64_t end, bool inclusive)
    {
        for (;;)
        {
            const int64_t next = std::min({m_alphaAt, m_decreaseAt, m_increaseAt});
            if (next > end || (next == end && !inclusive))
            {
                return;
            }
            if (m_alphaAt == next)
            {
                m_alphaAt += alphaPeriod;
                alpha = (1 - g) * alpha;
                alpha = mellanox && m_alphaCnp ? alpha + g : Flush(alpha);
                m_alphaCnp = false;
            }
            else if (m_decreaseAt == next)
            {
                m_decreaseAt += decreasePeriod;
                if (m_decreaseCnp)
                {
                    m_decreaseCnp = false;
                    if (timerStage > 0 || byteStage > 0)
                    {
                        target = current;
                    }
                    Cut(next);
                }
            }
            else
            {
                m_increaseAt += increasePeriod;
                ++timerStage;
                Raise();
            }
        }
    }

    void Cnp(int64_t now)
    {
        RunTo(now, false);
        if (!mellanox)
        {
            target = current;
            Cut(now);
            alpha = (1 - g) * alpha + g;
            m_alphaAt = now + alphaPeriod;
            return;
        }
        if (m_alphaAt == NEVER)
        {
            m_alphaAt = now + alphaPeriod;
            m_decreaseAt = now + decreasePeriod;
        }
        m_alphaCnp = true;
        m_decreaseCnp = true;
    }

    void Send(int64_t now, uint32_t bytes)
    {
        RunTo(now, false);
        if (current >= line)
        {
            return;
        }
        m_bytes += bytes;
        while (byteCounter > 0 && m_bytes >= byteCounter && current < line)
        {
            m_bytes -= byteCounter;
            ++byteStage;
            Raise();
        }
    }

  private:
    static double Flush(double alpha)
    {
        return alpha < 0x1p-66 ? 0 : alpha;
    }

    void Cut(int64_t now)
    {
        current = std::max(floor, current * std::max(0.5, 1 - alpha / 2));
        timerStage = byteStage = 0;
        m_bytes = 0;
        m_increaseAt = now + increasePeriod;
    }

    void Raise()
    {
        if (current >= line)
        {
            return;
        }
        const uint32_t b = byteCounter > 0 ? byteStage : timerStage;
        const uint32_t low = std::min(timerStage, b);
        const uint32_t high = std::max(timerStage, b);
        if (mellanox)
        {
            target += high - 1 < steps ? 0 : (low > steps + 1 ? hai : ai);
        }
        else
        {
            target += high < steps ? 0 : (low > steps ? (low - steps) * hai : ai);
        }
        target = std::min(target, line);
        current = (current + target) / 2;
        current = line - current < 1 ? line : current;
    }

    int64_t m_alphaAt{NEVER};
    int64_t m_decreaseAt{NEVER};
    int64_t m_increaseAt{NEVER};
    bool m_alphaCnp{false};
    bool m_decreaseCnp{false};
    uint64_t m_bytes{0};
};

/** Laziness changes nothing. */
class LazyEqualsTicking : public TestCase
{
  public:
    LazyEqualsTicking()
        : TestCase("alpha and rates equal those of ticking timers to the bit")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937_64 random(1);
        for (uint32_t run = 0; run < 60; ++run)
        {
            Compare(run % 2 == 1, run, random);
        }
    }

    void Compare(bool mellanox, uint32_t run, std::mt19937_64& random)
    {
        const std::vector<std::string> weights{"0.00390625", "0.0048828125", "0.3", "1", "0"};
        const std::string g = weights[random() % weights.size()];
        TickingDcqcn ticking;
        ticking.mellanox = mellanox;
        ticking.g = std::stod(g);
        ticking.alphaPeriod = NanoSeconds(1000 + random() % 60000).GetTimeStep();
        ticking.increasePeriod = NanoSeconds(2000 + random() % 60000).GetTimeStep();
        ticking.decreasePeriod = NanoSeconds(1000 + random() % 5000).GetTimeStep();
        ticking.byteCounter = random() % 2 ? 200000 : 0;
        ticking.steps = random() % 6;
        ticking.Start();
        Attributes attributes{{"G", g},
                              {"InitialAlpha", "1"},
                              {"AlphaTimer", Ticks(ticking.alphaPeriod)},
                              {"IncreaseTimer", Ticks(ticking.increasePeriod)},
                              {"ByteCounter", std::to_string(ticking.byteCounter)},
                              {"FastRecoverySteps", std::to_string(ticking.steps)},
                              {"RateAi", "40Mbps"},
                              {"RateHai", "400Mbps"},
                              {"AiReferenceRate", "0bps"},
                              {"MinRate", "10Mbps"}};
        if (mellanox)
        {
            attributes["DecreasePeriod"] = Ticks(ticking.decreasePeriod);
        }
        Bench bench(mellanox ? "dcqcn_mellanox" : "dcqcn", attributes);
        int64_t now = 0;
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < 400; ++i)
        {
            // The readings below let the timers of an instant run, so no CNP may follow in it.
            now += std::max<int64_t>(1, Gap(ticking, random));
            const bool cnp = random() % 3 != 0;
            if (cnp)
            {
                ticking.Cnp(now);
                bench.Cnp(TimeStep(static_cast<uint64_t>(now)));
            }
            else
            {
                const auto bytes = static_cast<uint32_t>(random() % 500000);
                bench.RunTo(TimeStep(static_cast<uint64_t>(now)));
                ticking.Send(now, bytes);
                bench.ops->OnSend(bench.Now(), bytes);
            }
            wrong += bench.ops->GetCurrentRate() == ticking.current ? 0 : 1;
            wrong += bench.ops->GetTargetRate() == ticking.target ? 0 : 1;
            // A reading counts the updates that are due right now.
            bench.RunTo(bench.Now(), true);
            ticking.RunTo(now, true);
            wrong += bench.ops->GetAlpha(bench.Now()) == ticking.alpha ? 0 : 1;
            wrong += bench.ops->GetCurrentRate() == ticking.current ? 0 : 1;
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "run " << run);
        NS_TEST_EXPECT_MSG_EQ(bench.late, false, "no timer is set for the past");
    }

    /** @return ticks to the next event: now and then exactly on a period, or a long silence. */
    static int64_t Gap(const TickingDcqcn& model, std::mt19937_64& random)
    {
        switch (random() % 8)
        {
        case 0:
            return model.alphaPeriod * static_cast<int64_t>(1 + random() % 4);
        case 1:
            return model.increasePeriod * static_cast<int64_t>(1 + random() % 40);
        case 2:
            return model.decreasePeriod * static_cast<int64_t>(random() % 4);
        case 3:
            return MicroSeconds(random() % 3000).GetTimeStep();
        case 4:
            return random() % 20 ? 1 : MilliSeconds(200).GetTimeStep();
        default:
            return NanoSeconds(random() % 60000).GetTimeStep();
        }
    }

    static std::string Ticks(int64_t ticks)
    {
        return std::to_string(TimeStep(static_cast<uint64_t>(ticks)).GetNanoSeconds()) + "ns";
    }
};

/** What an idle queue pair sleeps through is made up for. */
class IdleTimeIsMadeUpFor : public TestCase
{
  public:
    IdleTimeIsMadeUpFor()
        : TestCase("an idle queue pair runs no timer, and restarts at the rate it would have")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937_64 random(2);
        for (const std::string name : {"dcqcn", "dcqcn_mellanox"})
        {
            Bench sleepy(name, {});
            Bench awake(name, {});
            uint32_t wrong = 0;
            uint32_t below = 0;
            Time now;
            for (uint32_t i = 0; i < 300; ++i)
            {
                now += NanoSeconds(random() % 400000);
                const uint64_t what = random() % 4;
                sleepy.RunTo(now);
                awake.RunTo(now);
                if (what == 0 && m_idleSince.IsNegative())
                {
                    m_idleSince = now;
                    sleepy.ops->OnIdle(now);
                    NS_TEST_EXPECT_MSG_EQ(sleepy.timers[0], NEVER, "rests");
                }
                else if (what == 1 && !m_idleSince.IsNegative())
                {
                    sleepy.ops->OnIdleRestart(now, now - m_idleSince);
                    m_idleSince = Time(-1);
                    wrong += sleepy.timers == awake.timers ? 0 : 1;
                }
                else if (what == 2)
                {
                    sleepy.ops->OnCnp(now);
                    awake.ops->OnCnp(now);
                    NS_TEST_EXPECT_MSG_EQ(sleepy.timers[1], awake.timers[1], "checks");
                }
                if (m_idleSince.IsNegative())
                {
                    wrong += sleepy.ops->GetRate() == awake.ops->GetRate() ? 0 : 1;
                    wrong += sleepy.ops->GetTargetRate() == awake.ops->GetTargetRate() ? 0 : 1;
                    below += awake.ops->GetRate() < 100000000000 ? 1 : 0;
                }
                wrong += sleepy.ops->GetAlpha(now) == awake.ops->GetAlpha(now) ? 0 : 1;
            }
            NS_TEST_EXPECT_MSG_EQ(wrong, 0, name);
            NS_TEST_EXPECT_MSG_GT(below, 100, "the comparison is not about the line rate only");
            NS_TEST_EXPECT_MSG_LT(sleepy.fired, awake.fired, "events are saved");
            m_idleSince = Time(-1);
        }
    }

    Time m_idleSince{-1}; //!< negative: not idle
};

/** Timers and counters run only where they matter. */
class NothingRunsAtLineRate : public TestCase
{
  public:
    NothingRunsAtLineRate()
        : TestCase("no timer runs at line rate, and no byte counts")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : {"dcqcn", "dcqcn_mellanox"})
        {
            Bench bench(name, {{"ByteCounter", "1000000"}});
            bench.ops->OnSend(MicroSeconds(1), 999999);
            NS_TEST_EXPECT_MSG_EQ(bench.Quiet(), true, name << ": before the first CNP");
            NS_TEST_EXPECT_MSG_EQ(bench.changes, 1, "only the first rate is told");
            bench.Cnp(MicroSeconds(10));
            bench.RunTo(MicroSeconds(14), true);
            NS_TEST_EXPECT_MSG_EQ(bench.Quiet(), false, "below line rate");
            NS_TEST_EXPECT_MSG_LT(bench.ops->GetRate(), 100000000000, "cut");
            // Within half of the line rate, 36 halvings of the distance leave 1 bit/s.
            bench.RunTo(Seconds(1));
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetRate(), 100000000000, "recovered");
            NS_TEST_EXPECT_MSG_EQ(bench.Quiet(), true, "after recovery");
            NS_TEST_EXPECT_MSG_GT(bench.fired, 30, "increases");
            NS_TEST_EXPECT_MSG_LT(bench.fired, 40, "increases");
            const uint64_t changes = bench.changes;
            bench.ops->OnSend(bench.Now(), 999999);
            bench.RunTo(Seconds(2));
            NS_TEST_EXPECT_MSG_EQ(bench.changes, changes, "quiet");

            // What was sent at line rate does not count towards the first interval below it.
            // Alpha has decayed to nothing: the paper's first CNP after a long peace is harmless.
            bench.Cnp(Seconds(2) + MicroSeconds(1));
            bench.Cnp(Seconds(2) + MicroSeconds(51));
            bench.RunTo(Seconds(2) + MicroSeconds(60));
            bench.ops->OnSend(bench.Now(), 999999);
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetByteStage(), 0, "one byte less than an interval");
            bench.ops->OnSend(bench.Now(), 1);
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetByteStage(), 1, "an interval");
            NS_TEST_EXPECT_MSG_EQ(bench.late, false, "no timer is set for the past");

            // Bytes alone can lead back to line rate: that ends the timer too.
            bench.ops->OnSend(bench.Now(), 60000000);
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetRate(), 100000000000, "recovered by bytes");
            NS_TEST_EXPECT_MSG_EQ(bench.timers[0], NEVER, "no increase is left to do");
        }
    }
};

/** The three phases of increase. */
class IncreaseHasThreePhases : public TestCase
{
  public:
    IncreaseHasThreePhases()
        : TestCase("fast recovery, additive and hyper increase follow each other")
    {
    }

  private:
    void DoRun() override
    {
        Paper();
        Mellanox();
    }

    void Paper()
    {
        // 100 -> 50 -> 25 Gb/s: the target is 50 Gb/s, and every step of it shows.
        Bench bench("dcqcn", {{"ByteCounter", "1000000"}, {"AiReferenceRate", "0bps"}});
        bench.Cnp(MicroSeconds(1));
        bench.Cnp(MicroSeconds(2));
        double target = 50e9;
        double current = 25e9;
        auto expect = [&](double step, const std::string& what) {
            target += step;
            current = (current + target) / 2;
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetTargetRate(), target, what);
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetCurrentRate(), current, what);
        };
        for (int64_t t = 1; t <= 8; ++t)
        {
            bench.RunTo(MicroSeconds(2 + 55 * t), true);
            expect(t < 5 ? 0 : 40e6, "timer, T " + std::to_string(t));
        }
        for (int64_t b = 1; b <= 8; ++b)
        {
            // T is 8: min(T, B) is B up to there.
            bench.ops->OnSend(bench.Now(), 1000000);
            expect(b <= 5 ? 40e6 : (b - 5) * 400e6, "bytes, B " + std::to_string(b));
        }
        bench.RunTo(MicroSeconds(2 + 55 * 9), true);
        expect(3 * 400e6, "T 9, B 8");
        NS_TEST_EXPECT_MSG_EQ(bench.ops->GetTimerStage(), 9, "T");
        NS_TEST_EXPECT_MSG_EQ(bench.ops->GetByteStage(), 8, "B");
        bench.Cnp(bench.Now() + NanoSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(bench.ops->GetTargetRate(), current, "a CNP moves the target");
        NS_TEST_EXPECT_MSG_EQ(bench.ops->GetTimerStage() + bench.ops->GetByteStage(), 0, "anew");
        target = current;
        current = bench.ops->GetCurrentRate();
        bench.RunTo(bench.Now() + MicroSeconds(55), true);
        expect(0, "fast recovery again, a whole interval after the CNP");
    }

    void Mellanox()
    {
        Bench bench("dcqcn_mellanox", {{"AlphaTimer", "1s"}, {"InitialAlpha", "1"}});
        bench.Cnp(MicroSeconds(0));
        bench.RunTo(MicroSeconds(304), true);
        NS_TEST_EXPECT_MSG_EQ(bench.ops->GetCurrentRate(), 75e9, "half the way back");
        bench.Cnp(MicroSeconds(304));
        bench.RunTo(MicroSeconds(308), true);
        double target = 75e9;
        double current = 37.5e9;
        NS_TEST_EXPECT_MSG_EQ(bench.ops->GetCurrentRate(), current, "cut");
        for (int64_t t = 1; t <= 6; ++t)
        {
            bench.RunTo(MicroSeconds(308 + 300 * t), true);
            target += t == 1 ? 0 : (t == 2 ? 5e6 : 50e6);
            current = (current + target) / 2;
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetTargetRate(), target, "T " << t);
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetCurrentRate(), current, "T " << t);
        }
    }
};

/** A storm of CNPs ends at the floor. */
class RateHasAFloor : public TestCase
{
  public:
    RateHasAFloor()
        : TestCase("the rate never falls below MinRate")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : {"dcqcn", "dcqcn_mellanox"})
        {
            Bench bench(name, {{"MinRate", "123Mbps"}});
            uint64_t least = std::numeric_limits<uint64_t>::max();
            for (int64_t i = 0; i < 100; ++i)
            {
                bench.Cnp(MicroSeconds(5 * i));
                least = std::min(least, bench.ops->GetRate());
            }
            NS_TEST_EXPECT_MSG_EQ(least, 123000000, name);
            NS_TEST_EXPECT_MSG_EQ(bench.ops->GetRate(), 123000000, name);

            Bench zero(name, {{"MinRate", "0bps"}});
            for (int64_t i = 0; i < 100; ++i)
            {
                zero.Cnp(MicroSeconds(5 * i));
            }
            NS_TEST_EXPECT_MSG_EQ(zero.ops->GetRate(), 1, "one bit per second is the least of all");
        }
    }
};

/** A decrease wins over an increase of the same instant. */
class DecreaseGoesFirst : public TestCase
{
  public:
    DecreaseGoesFirst()
        : TestCase("a decrease goes before an increase that is due at the same instant")
    {
    }

  private:
    void DoRun() override
    {
        // The increase of 4 us + 300 us falls on a check: 304 is a multiple of 4.
        Bench bench("dcqcn_mellanox", {{"AlphaTimer", "1s"}, {"InitialAlpha", "1"}});
        bench.Cnp(MicroSeconds(0));
        bench.Cnp(MicroSeconds(302));
        NS_TEST_EXPECT_MSG_EQ(bench.timers[0], bench.timers[1], "both are due");
        bench.RunTo(MicroSeconds(304), true);
        NS_TEST_EXPECT_MSG_EQ(bench.ops->GetCurrentRate(), 25e9, "two decreases, no increase");
        NS_TEST_EXPECT_MSG_EQ(bench.ops->GetTargetRate(), 100e9, "no increase");
        NS_TEST_EXPECT_MSG_EQ(bench.timers[1], NEVER, "done");
        NS_TEST_EXPECT_MSG_EQ(bench.timers[0], MicroSeconds(604).GetTimeStep(), "anew");
    }
};

/** Every attribute does something. */
class EveryAttributeHasAnEffect : public TestCase
{
  public:
    EveryAttributeHasAnEffect()
        : TestCase("every attribute changes what a run of CNPs and packets leads to")
    {
    }

  private:
    void DoRun() override
    {
        const Attributes common{{"G", "0.1"},
                                {"InitialAlpha", "0.25"},
                                {"AlphaTimer", "7us"},
                                {"IncreaseTimer", "33us"},
                                {"ByteCounter", "700000"},
                                {"FastRecoverySteps", "3"},
                                {"RateAi", "77Mbps"},
                                {"RateHai", "777Mbps"},
                                {"AiReferenceRate", "25Gbps"},
                                {"MinRate", "9Gbps"},
                                {"WindowBdp", "2"},
                                {"VariableWindow", "true"}};
        Attributes mellanox = common;
        mellanox.insert({{"DecreasePeriod", "9us"},
                         {"RateOnFirstCnp", "40Gbps"},
                         {"MinDecreaseFactor", "0.9"},
                         {"AlphaToRateShift", "10"},
                         {"ClampTargetRate", "true"},
                         {"ClampTargetRateAfterTimeIncrease", "false"}});
        Check("dcqcn", common);
        Check("dcqcn_mellanox", mellanox);
    }

    void Check(const std::string& name, const Attributes& changes)
    {
        const Attributes base{{"WindowBdp", "1"}, {"MinRate", "1Gbps"}};
        const auto reference = Fingerprint(name, base);
        for (const auto& change : changes)
        {
            Attributes changed = base;
            changed[change.first] = change.second;
            NS_TEST_EXPECT_MSG_EQ((Fingerprint(name, changed) == reference),
                                  false,
                                  name << " " << change.first);
        }
        const TypeId tid = RdmaCongestionNames::Lookup(name, "test");
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const std::string attribute = tid.GetAttribute(i).name;
            NS_TEST_EXPECT_MSG_EQ(changes.count(attribute), 1, attribute << " is tried");
        }
    }

    static std::vector<double> Fingerprint(const std::string& name, const Attributes& attributes)
    {
        std::vector<double> series;
        // A counter that leads to hyper increase, and one that the timer runs ahead of.
        for (const std::string bytes : {"1000000", "3000000"})
        {
            Attributes all = attributes;
            all.insert({"ByteCounter", bytes});
            Run(name, all, series);
        }
        return series;
    }

    static void Run(const std::string& name,
                    const Attributes& attributes,
                    std::vector<double>& series)
    {
        Bench bench(name, attributes);
        for (int64_t at = 1; at < 12000; at += 13)
        {
            const Time time = MicroSeconds(at);
            bench.RunTo(time);
            // Bursts of CNPs, then peace to recover in: too short at first, then long.
            if (at < 6000 ? at % 1100 < 100 : at % 3000 < 100)
            {
                bench.ops->OnCnp(time);
            }
            bench.ops->OnSend(time, 30000);
            series.push_back(bench.ops->GetCurrentRate());
            series.push_back(bench.ops->GetTargetRate());
            series.push_back(bench.ops->GetAlpha(time));
            series.push_back(static_cast<double>(bench.ops->GetWindow()));
        }
    }
};

/** What a queue pair has to do for a congestion control. */
class NeedsFollowAttributes : public TestCase
{
  public:
    NeedsFollowAttributes()
        : TestCase("packets are reported only to a byte counter; windows follow the rate if asked")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t cnp = RdmaCongestionOps::NEEDS_CNP;
        const uint32_t both = cnp | RdmaCongestionOps::NEEDS_SEND;
        NS_TEST_EXPECT_MSG_EQ(Bench("dcqcn", {}).ops->GetNeeds(), both, "10 MB");
        NS_TEST_EXPECT_MSG_EQ(Bench("dcqcn", {{"ByteCounter", "0"}}).ops->GetNeeds(), cnp, "none");
        NS_TEST_EXPECT_MSG_EQ(Bench("dcqcn_mellanox", {}).ops->GetNeeds(), cnp, "timer only");
        NS_TEST_EXPECT_MSG_EQ(Bench("dcqcn_mellanox", {{"ByteCounter", "1"}}).ops->GetNeeds(),
                              both,
                              "byte counter");

        Bench none("dcqcn", {});
        NS_TEST_EXPECT_MSG_EQ(none.ops->GetWindow(), RdmaCongestionOps::UNLIMITED, "no window");
        Bench fixed("dcqcn", {{"WindowBdp", "2"}});
        Bench variable("dcqcn", {{"WindowBdp", "2"}, {"VariableWindow", "true"}});
        NS_TEST_EXPECT_MSG_EQ(fixed.ops->GetWindow(), 200000, "2 x 100 kB");
        fixed.Cnp(MicroSeconds(1));
        variable.Cnp(MicroSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(fixed.ops->GetWindow(), 200000, "fixed");
        NS_TEST_EXPECT_MSG_EQ(variable.ops->GetWindow(), 100000, "half the rate");
        for (int64_t i = 2; i < 40; ++i)
        {
            variable.Cnp(MicroSeconds(i));
        }
        NS_TEST_EXPECT_MSG_EQ(variable.ops->GetWindow(), 4096, "a packet always fits");
    }
};

/** Attributes that cannot work together are refused. */
class ContradictionsAreRefused : public TestCase
{
  public:
    ContradictionsAreRefused()
        : TestCase("attributes that contradict each other or the path are refused")
    {
    }

  private:
    void DoRun() override
    {
        Expect(
            [] {
                Bench("dcqcn", {{"IncreaseTimer", "0s"}, {"ByteCounter", "0"}});
            },
            "ns3::llm::RdmaDcqcn: IncreaseTimer: IncreaseTimer and ByteCounter are both 0, so "
            "that no rate would ever rise; set one of them");
        Expect(
            [] {
                Bench("dcqcn_mellanox", {{"MinRate", "40Gbps"}}, "25Gbps");
            },
            "ns3::llm::RdmaDcqcnMellanox: MinRate: 40Gbps is above the line rate 25Gbps; set at "
            "most the line rate");
    }

    void Expect(const std::function<void()>& run, const std::string& message)
    {
        std::string what = "nothing";
        try
        {
            run();
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what, message, "the one line");
    }
};

/** Names of congestion controls. */
class NamesAreLookedUp : public TestCase
{
  public:
    NamesAreLookedUp()
        : TestCase("short names and TypeId names are found; others are refused with the nearest")
    {
    }

  private:
    void DoRun() override
    {
        auto found = [](const std::string& name) {
            return RdmaCongestionNames::Lookup(name, "test").GetName();
        };
        NS_TEST_EXPECT_MSG_EQ(found("dcqcn"), "ns3::llm::RdmaDcqcn", "paper");
        NS_TEST_EXPECT_MSG_EQ(found("dcqcn_mellanox"), "ns3::llm::RdmaDcqcnMellanox", "adapter");
        NS_TEST_EXPECT_MSG_EQ(found("none"), "ns3::llm::RdmaNoCongestionControl", "none");
        NS_TEST_EXPECT_MSG_EQ(found("ns3::llm::RdmaDcqcn"), "ns3::llm::RdmaDcqcn", "TypeId");

        // Neither abstract classes nor other objects.
        for (const std::string name :
             {"dcqn", "ns3::llm::RdmaCongestionOps", "ns3::llm::RdmaDcqcnBase", "ns3::Object", ""})
        {
            std::string what;
            try
            {
                RdmaCongestionNames::Lookup(name, "job.json", "transport.congestion_control");
            }
            catch (const ConfigError& error)
            {
                what = error.what();
            }
            const std::string start = "job.json: transport.congestion_control: no congestion "
                                      "control '" +
                                      name + "'; did you mean '";
            NS_TEST_EXPECT_MSG_EQ(what.substr(0, start.size()), start, "message");
            for (const std::string list :
                 {"Known: dcqcn, dcqcn_mellanox, hpcc, timely, ",
                  ", none, ns3::llm::RdmaDcqcn, ns3::llm::RdmaDcqcnMellanox, "})
            {
                NS_TEST_EXPECT_MSG_NE(what.find(list), std::string::npos, what);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(NearestName("dcqn", RdmaCongestionNames::GetNames()), "dcqcn", "");
        NS_TEST_EXPECT_MSG_EQ(NearestName("nome", RdmaCongestionNames::GetNames()), "none", "");
        NS_TEST_EXPECT_MSG_EQ(NearestName("ab", {"xyz", "abc", "b"}), "abc", "first of equals");
        NS_TEST_EXPECT_MSG_EQ(NearestName("", {"xyz", "b"}), "b", "insertions");
        NS_TEST_EXPECT_MSG_EQ(NearestName("x", {}), "", "nothing to choose from");
    }
};

/** Congestion control, one queue pair on a bench. */
class CongestionTestSuite : public TestSuite
{
  public:
    CongestionTestSuite()
        : TestSuite("llm-training-congestion", Type::UNIT)
    {
        AddTestCase(new PaperAnswersTheVector);
        AddTestCase(new MellanoxAnswersTheVector);
        AddTestCase(new LazyEqualsTicking);
        AddTestCase(new IdleTimeIsMadeUpFor);
        AddTestCase(new NothingRunsAtLineRate);
        AddTestCase(new IncreaseHasThreePhases);
        AddTestCase(new RateHasAFloor);
        AddTestCase(new DecreaseGoesFirst);
        AddTestCase(new EveryAttributeHasAnEffect);
        AddTestCase(new NeedsFollowAttributes);
        AddTestCase(new ContradictionsAreRefused);
        AddTestCase(new NamesAreLookedUp);
    }
};

const CongestionTestSuite g_congestionTestSuite; //!< registers the suite

} // namespace
