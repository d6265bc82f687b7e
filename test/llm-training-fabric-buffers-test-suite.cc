/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Buffer models and their policies: pools at ingress and egress, shared headroom, static thresholds
// and ABM, by known answers; and books that balance at every look.

#include "fabric-test-helpers.h"
#include "llm-training-dice.h"

#include "ns3/fabric-pool-buffer.h"
#include "ns3/llm-active-buffer-management.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-static-threshold.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <deque>

using namespace ns3;
using namespace fabrictest;

namespace
{

using Verdict = FabricSharedBuffer::Verdict;

/** @return a dynamic threshold. */
Ptr<FabricBufferPolicy>
MakeDynamic(double alpha)
{
    Ptr<DynamicThreshold> policy = CreateObject<DynamicThreshold>();
    policy->SetAttribute("Alpha", DoubleValue(alpha));
    return policy;
}

/** @return a static threshold. */
Ptr<FabricBufferPolicy>
MakeStatic(uint64_t bytes)
{
    Ptr<StaticThreshold> policy = CreateObject<StaticThreshold>();
    policy->SetAttribute("Bytes", UintegerValue(bytes));
    return policy;
}

/** A frame in a buffer. */
struct Stored
{
    uint32_t ingress; //!< port
    uint32_t egress;  //!< port
    uint8_t c;        //!< class
    uint32_t bytes;   //!< length
};

/// @ingroup llm-training-tests
/// The ingress side of the pools, frame by frame.
class IngressPoolTest : public TestCase
{
  public:
    IngressPoolTest()
        : TestCase("pools: a priority group fills reserve, pool and headroom, pauses and resumes")
    {
    }

  private:
    void DoRun() override
    {
        FabricEventQueue events;
        Ptr<FabricPoolBuffer> buffer = CreateObject<FabricPoolBuffer>();
        buffer->SetAttribute("Size", UintegerValue(100000));
        buffer->SetAttribute("Reserve", UintegerValue(2000));
        buffer->SetAttribute("Xon", UintegerValue(3000));
        buffer->SetAttribute("XonOffset", UintegerValue(1000));
        buffer->SetAttribute("Policy", PointerValue(MakeDynamic(1)));
        // 2 ports, one lossless class: 2 x 2000 of reserve, 2 x 8000 of headroom, 80000 shared.
        buffer->Configure({{8000, 1}, {8000, 1}}, events, "switch");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedSize(), 80000, "pool");
        const auto admit = [&](uint32_t bytes) { return buffer->Admit(0, 1, 3, bytes); };
        NS_TEST_EXPECT_MSG_EQ((admit(1000) == Verdict::ACCEPT), true, "reserve");
        NS_TEST_EXPECT_MSG_EQ((admit(1000) == Verdict::ACCEPT), true, "reserve");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 0, "still the reserve");
        NS_TEST_EXPECT_MSG_EQ(buffer->BeginPause(0, 3), false, "no need");
        // T = 80000 - used: 40 frames of 1000 fit, with the last T is 40000 = used.
        for (int i = 0; i < 40; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(buffer->BeginPause(0, 3), false, "below the threshold");
            NS_TEST_EXPECT_MSG_EQ((admit(1000) == Verdict::ACCEPT), true, "pool");
        }
        NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 40000, "alpha S / (1 + alpha)");
        NS_TEST_EXPECT_MSG_EQ(buffer->BeginPause(0, 3), true, "at the threshold");
        NS_TEST_EXPECT_MSG_EQ(buffer->BeginPause(0, 3), false, "once");
        for (int i = 0; i < 8; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((admit(1000) == Verdict::ACCEPT), true, "headroom");
        }
        NS_TEST_EXPECT_MSG_EQ((admit(64) == Verdict::DROP_HEADROOM), true, "no more");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetUsed(), 50000, "all");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetEgressUsed(1, 3), 50000, "the same at egress");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetEgressPoolUsed(true), 50000, "no reserve there");
        NS_TEST_EXPECT_MSG_EQ(buffer->Check(50000), "", "books");
        // Headroom leaves first; then T - 1000 is reached after one more frame: 39000 + 1000 is
        // no more than 80000 - 39000.
        int left = 0;
        do
        {
            buffer->Release(0, 1, 3, 1000);
            ++left;
        } while (!buffer->EndPause(0, 3));
        NS_TEST_EXPECT_MSG_EQ(left, 9, "headroom and one frame");
        NS_TEST_EXPECT_MSG_EQ(buffer->Check(41000), "", "books");
    }
};

/// @ingroup llm-training-tests
/// XON in bytes holds where the threshold has fallen below it.
class XonTest : public TestCase
{
  public:
    XonTest()
        : TestCase("pools: Xon resumes a group whose threshold fell below what it uses")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t xon : {0, 5000})
        {
            FabricEventQueue events;
            Ptr<FabricPoolBuffer> buffer = CreateObject<FabricPoolBuffer>();
            buffer->SetAttribute("Size", UintegerValue(100000));
            buffer->SetAttribute("Reserve", UintegerValue(0));
            buffer->SetAttribute("Xon", UintegerValue(xon));
            buffer->SetAttribute("XonOffset", UintegerValue(0));
            buffer->SetAttribute("LosslessClasses", UintegerValue(0x18));
            buffer->SetAttribute("Policy", PointerValue(MakeDynamic(1.0 / 16)));
            FabricPoolBuffer::IngressProfile greedy;
            greedy.policy = MakeStatic(90000);
            buffer->SetIngressProfile(1, 4, greedy);
            buffer->Configure({{1000, 1}, {1000, 1}}, events, "switch");
            // Group (0, 3) takes 5000 B under T = 6062 B; then (1, 4) takes 80000 B.
            for (int i = 0; i < 5; ++i)
            {
                buffer->Admit(0, 1, 3, 1000);
            }
            NS_TEST_EXPECT_MSG_EQ(buffer->BeginPause(0, 3), false, "below");
            for (int i = 0; i < 80; ++i)
            {
                buffer->Admit(1, 0, 4, 1000);
            }
            NS_TEST_EXPECT_MSG_EQ(buffer->BeginPause(0, 3), true, "T fell to 750 B");
            buffer->Release(0, 1, 3, 1000);
            NS_TEST_EXPECT_MSG_EQ(buffer->EndPause(0, 3), (xon == 5000), "4000 B");
            NS_TEST_EXPECT_MSG_EQ(buffer->Check(84000), "", "books");
        }
    }
};

/// @ingroup llm-training-tests
/// The egress side.
class EgressPoolTest : public TestCase
{
  public:
    EgressPoolTest()
        : TestCase(
              "pools: lossy queues have a reserve and a threshold at egress, lossless ones the "
              "pool's size")
    {
    }

  private:
    void DoRun() override
    {
        FabricEventQueue events;
        Ptr<FabricPoolBuffer> buffer = CreateObject<FabricPoolBuffer>();
        buffer->SetAttribute("Size", UintegerValue(1000000));
        buffer->SetAttribute("EgressReserve", UintegerValue(1000));
        buffer->SetAttribute("EgressLossyPool", UintegerValue(114000));
        buffer->SetAttribute("EgressLosslessPool", UintegerValue(52000));
        buffer->SetAttribute("EgressLossyPolicy", PointerValue(MakeDynamic(1)));
        FabricPoolBuffer::EgressProfile slow;
        slow.policy = MakeStatic(7000);
        buffer->SetEgressProfile(1, 1, slow);
        buffer->Configure({{1000, 1}, {1000, 1}}, events, "switch");
        // 14 lossy queues less one with 1000 B each leave 101000 B; alpha 1: one gets half.
        uint32_t stored = 0;
        while (buffer->Admit(0, 1, 0, 500) == Verdict::ACCEPT)
        {
            ++stored;
        }
        NS_TEST_EXPECT_MSG_EQ(stored, 2 + 101, "reserve and alpha S / (1 + alpha)");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetEgressPoolUsed(false), 50500, "pool");
        uint32_t second = 0;
        while (buffer->Admit(0, 1, 1, 500) == Verdict::ACCEPT)
        {
            ++second;
        }
        NS_TEST_EXPECT_MSG_EQ(second, 14, "a profile of its own: 7000 B, no reserve");
        // The lossless pool: 52000 B of which 2 queues reserve 1000 B each.
        uint32_t lossless = 0;
        while (buffer->Admit(0, 1, 3, 500) == Verdict::ACCEPT)
        {
            ++lossless;
        }
        NS_TEST_EXPECT_MSG_EQ(lossless, 2 + 100, "its pool");
        NS_TEST_EXPECT_MSG_EQ(buffer->Check(500 * (103 + 14 + 102)), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Any order of frames in any configuration keeps the books.
class RandomPoolTest : public TestCase
{
  public:
    RandomPoolTest()
        : TestCase("pools: books balance after every frame of 60 random buffers")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t seed = 0; seed < 60; ++seed)
        {
            Dice dice(seed);
            const auto roll = [&dice](uint64_t sides) { return dice.Throw(sides); };
            FabricEventQueue events;
            Ptr<FabricSharedBuffer> buffer;
            if (seed % 3 == 0)
            {
                buffer = CreateObject<FabricSharedBuffer>();
            }
            else
            {
                buffer = CreateObject<FabricPoolBuffer>();
                buffer->SetAttribute("Xon", UintegerValue(roll(4000)));
                buffer->SetAttribute("EgressReserve", UintegerValue(roll(3000)));
                buffer->SetAttribute("LossyReserve", UintegerValue(roll(3000)));
                buffer->SetAttribute("EgressLossyPool", UintegerValue(150000 + roll(100000)));
            }
            buffer->SetAttribute("Size", UintegerValue(400000));
            buffer->SetAttribute("Reserve", UintegerValue(roll(5000)));
            buffer->SetAttribute("XonOffset", UintegerValue(roll(5000)));
            buffer->SetAttribute("LosslessClasses", UintegerValue(roll(256)));
            buffer->SetAttribute("HeadroomOversubscription", DoubleValue(1.0 + roll(4)));
            if (roll(3) == 0)
            {
                buffer->SetAttribute("Policy",
                                     PointerValue(CreateObject<ActiveBufferManagement>()));
            }
            const uint64_t rate = 100000000000;
            buffer->Configure({{3000, rate}, {2000, rate}, {4000, rate}}, events, "switch");
            std::deque<Stored> inside;
            uint64_t queued = 0;
            std::string wrong;
            for (int i = 0; i < 3000 && wrong.empty(); ++i)
            {
                if (roll(100) < 55)
                {
                    const Stored frame{static_cast<uint32_t>(roll(3)),
                                       static_cast<uint32_t>(roll(3)),
                                       static_cast<uint8_t>(roll(8)),
                                       static_cast<uint32_t>(64 + roll(4000))};
                    if (buffer->Admit(frame.ingress, frame.egress, frame.c, frame.bytes) ==
                        Verdict::ACCEPT)
                    {
                        inside.push_back(frame);
                        queued += frame.bytes;
                    }
                    buffer->BeginPause(frame.ingress, frame.c);
                }
                else if (!inside.empty())
                {
                    const auto which =
                        inside.begin() + static_cast<std::ptrdiff_t>(roll(inside.size()));
                    const Stored frame = *which;
                    inside.erase(which);
                    queued -= frame.bytes;
                    buffer->Release(frame.ingress, frame.egress, frame.c, frame.bytes);
                    buffer->EndPause(frame.ingress, frame.c);
                }
                wrong = buffer->Check(queued);
                NS_TEST_EXPECT_MSG_LT_OR_EQ(buffer->GetHeadroomUsed(),
                                            buffer->GetHeadroomPool(),
                                            "headroom");
            }
            NS_TEST_EXPECT_MSG_EQ(wrong, "", "seed " << seed);
            NS_TEST_EXPECT_MSG_GT(buffer->GetPeak(), 10000, "something was stored");
        }
    }
};

/// @ingroup llm-training-tests
/// Pools in a network: lossless loses nothing, lossy does, beside each other.
class PoolNetworkTest : public TestCase
{
  public:
    PoolNetworkTest()
        : TestCase("pools in a network: an incast of both kinds, lossless without loss")
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        SwitchSettings settings;
        settings.more = [](FabricSwitch& made) {
            Ptr<FabricPoolBuffer> buffer = CreateObject<FabricPoolBuffer>();
            buffer->SetAttribute("Size", UintegerValue(2 << 20));
            made.SetAttribute("Buffer", PointerValue(buffer));
        };
        net.BuildStar(9, 100, MicroSeconds(1), settings);
        net.InstallRaw();
        for (uint32_t i = 0; i < 8; ++i)
        {
            net.raw[i].Start({8, 600, 4096, static_cast<uint8_t>(i % 2 ? 3 : 0)});
        }
        uint32_t looks = 0;
        std::function<void()> look = [&] {
            const std::string wrong = net.Switch(0).CheckBuffer();
            NS_TEST_EXPECT_MSG_EQ(wrong, "", "at a look");
            if (++looks < 500)
            {
                Simulator::Schedule(NanoSeconds(977), look);
            }
        };
        Simulator::Schedule(NanoSeconds(977), look);
        uint64_t lossless = 0;
        net.raw[8].onReceive = [&](const Frame& frame, int64_t) {
            lossless += frame.trafficClass == 3 ? 1 : 0;
        };
        Simulator::Run();
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(lossless, 2400, "lossless");
        NS_TEST_EXPECT_MSG_GT(totals.switches.drops, 0, "lossy");
        NS_TEST_EXPECT_MSG_GT(totals.hosts.pauses, 0, "paused");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Headroom from a common pool.
class SharedHeadroomTest : public TestCase
{
  public:
    SharedHeadroomTest()
        : TestCase("shared headroom: the pool is the sum over the factor, and lossless only while "
                   "few ports need it")
    {
    }

  private:
    /** @return drops of an incast of n hosts under a factor. */
    uint64_t Run(uint32_t n, double factor)
    {
        Net net(4096);
        SwitchSettings settings;
        settings.bufferBytes = 1 << 20;
        settings.more = [factor](FabricSwitch& made) {
            PointerValue buffer;
            made.GetAttribute("Buffer", buffer);
            buffer.Get<FabricSharedBuffer>()->SetAttribute("HeadroomOversubscription",
                                                           DoubleValue(factor));
        };
        net.BuildStar(9, 100, MicroSeconds(1), settings);
        const FabricSharedBuffer& buffer = net.Switch(0).GetBuffer();
        const uint64_t each = buffer.GetHeadroomLimit(0, 3);
        NS_TEST_EXPECT_MSG_EQ(buffer.GetHeadroomPool(),
                              std::max(static_cast<uint64_t>(9.0 * each / factor), each),
                              "pool");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetSharedSize(),
                              (1U << 20) - 9 * 4096 - buffer.GetHeadroomPool(),
                              "the rest is shared");
        net.InstallRaw();
        for (uint32_t i = 0; i < n; ++i)
        {
            net.raw[i].Start({8, 500, 4096});
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        const uint64_t drops = net.fabric->GetTotals().switches.drops;
        NS_TEST_EXPECT_MSG_EQ(net.raw[8].received + drops, 500 * n, "all known");
        return drops;
    }

    void DoRun() override
    {
        const uint64_t own = Run(8, 1);
        NS_TEST_EXPECT_MSG_EQ(own, 0, "headroom of one's own");
        const uint64_t quarter = Run(2, 4);
        NS_TEST_EXPECT_MSG_EQ(quarter, 0, "a quarter is enough for two");
        const uint64_t eighth = Run(8, 8);
        NS_TEST_EXPECT_MSG_GT(eighth, 0, "an eighth is not for eight at a time");
    }
};

/// @ingroup llm-training-tests
/// Lossy queues under each policy, at their closed forms.
class PolicyTest : public TestCase
{
  public:
    PolicyTest()
        : TestCase("policies: queues at their closed forms for static, dynamic and ABM thresholds")
    {
    }

  private:
    /** @return longest queue of n saturated lossy queues, bytes. */
    uint64_t Run(uint32_t n, Ptr<FabricBufferPolicy> policy)
    {
        Net net(1024);
        SwitchSettings settings;
        settings.losslessClasses = 0;
        settings.bufferBytes = 1000000;
        settings.more = [policy](FabricSwitch& made) {
            PointerValue buffer;
            made.GetAttribute("Buffer", buffer);
            buffer.Get<FabricSharedBuffer>()->SetAttribute("Policy", PointerValue(policy));
        };
        // Three hosts send to each of the n receivers.
        net.BuildStar(4 * n, 100, MicroSeconds(1), settings);
        net.InstallRaw();
        for (uint32_t r = 0; r < n; ++r)
        {
            for (uint32_t s = 0; s < 3; ++s)
            {
                net.raw[n + 3 * r + s].Start({r, 8000, 1024, 0});
            }
        }
        // Half way through all queues are full; the mean of a queue over 100 looks.
        uint64_t sum = 0;
        uint32_t looks = 0;
        std::function<void()> look = [&] {
            sum += net.Switch(0).GetBuffer().GetEgressUsed(0, 0);
            if (++looks < 100)
            {
                Simulator::Schedule(NanoSeconds(1013), look);
            }
        };
        Simulator::Schedule(MicroSeconds(400), look);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        return sum / looks;
    }

    void DoRun() override
    {
        const double frame = 1086; // a frame does not fit where less is free
        for (const uint32_t n : {1U, 2U, 4U})
        {
            // The checking macros evaluate what they compare more than once.
            const auto fixed = static_cast<double>(Run(n, MakeStatic(100000)));
            NS_TEST_EXPECT_MSG_EQ_TOL(fixed, 100000 - frame / 2, frame, "static, " << n);
            const auto dynamic = static_cast<double>(Run(n, MakeDynamic(0.5)));
            const double expected = 0.5 * 1000000 / (1 + 0.5 * n);
            NS_TEST_EXPECT_MSG_EQ_TOL(dynamic, expected, 2 * frame, "dynamic, " << n);
            Ptr<ActiveBufferManagement> abm = CreateObject<ActiveBufferManagement>();
            abm->SetAttribute("Alpha", DoubleValue(0.5));
            const auto active = static_cast<double>(Run(n, abm));
            const double third = 0.5 * 1000000 / n / 1.5;
            NS_TEST_EXPECT_MSG_EQ_TOL(active,
                                      third,
                                      0.03 * third,
                                      "ABM, " << n << " queues: the class gets a third");
            NS_TEST_EXPECT_MSG_EQ(abm->GetCongested(0), 0, "nothing is queued any more");
        }
    }
};

/// @ingroup llm-training-tests
/// ABM's formula, by hand.
class AbmFormulaTest : public TestCase
{
  public:
    AbmFormulaTest()
        : TestCase("ABM: thresholds, congested queues and drain rates by known answers")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t us = Seconds(1).GetTimeStep() / 1000000;
        Ptr<ActiveBufferManagement> abm = CreateObject<ActiveBufferManagement>();
        abm->SetAttribute("Alpha", DoubleValue(0.5));
        abm->SetAttribute("CongestedShare", DoubleValue(0.9));
        abm->SetAttribute("UpdateInterval", TimeValue(MicroSeconds(10)));
        abm->SetClassAlpha(5, 2);
        abm->Configure({8000000000, 8000000000}); // 1 B per ns
        const uint64_t size = 1000000;
        NS_TEST_EXPECT_MSG_EQ(abm->GetThreshold(size, 200000), 400000, "alpha (B - Q)");
        NS_TEST_EXPECT_MSG_EQ(abm->GetQueueThreshold(0, 5, size, 600000, 0), 800000, "class alpha");
        NS_TEST_EXPECT_MSG_EQ(abm->GetQueueThreshold(0, 5, size, 100000, 0),
                              size,
                              "no more than B");
        // One queue of 280000 B, T = 0.5 (1000000 - 280000) = 360000: not congested.
        abm->QueueChanged(0, 1, 280000, 0, size, 280000, 0);
        NS_TEST_EXPECT_MSG_EQ(abm->GetCongested(1), 0, "78 %");
        // 320000 B of T = 340000: congested, alone.
        abm->QueueChanged(0, 1, 320000, 0, size, 320000, 0);
        NS_TEST_EXPECT_MSG_EQ(abm->GetCongested(1), 1, "94 %");
        NS_TEST_EXPECT_MSG_EQ(abm->GetQueueThreshold(1, 1, size, 320000, 0), 340000, "n = 1");
        // A second one, at the other port, which 340000 B would hold.
        abm->QueueChanged(1, 1, 310000, 0, size, 310000 + 320000, 0);
        NS_TEST_EXPECT_MSG_EQ(abm->GetCongested(1), 2, "both");
        NS_TEST_EXPECT_MSG_EQ(abm->GetQueueThreshold(1, 1, size, 630000, 0), 92500, "n = 2");
        NS_TEST_EXPECT_MSG_EQ(abm->GetQueueThreshold(1, 2, size, 630000, 0), 185000, "by class");
        // In 10 us the first drains 2500 of 10000 B that its port could carry.
        abm->QueueChanged(0, 1, 318000, 2000, size, 628000, 5 * us);
        NS_TEST_EXPECT_MSG_EQ(abm->GetDrainShare(0, 1), 1, "nothing measured yet");
        abm->QueueChanged(0, 1, 317500, 500, size, 627500, 10 * us);
        NS_TEST_EXPECT_MSG_EQ_TOL(abm->GetDrainShare(0, 1), 0.25, 1e-12, "mu / b");
        NS_TEST_EXPECT_MSG_EQ(abm->GetQueueThreshold(0, 1, size, 627600, 10 * us),
                              23275,
                              "0.5 x 372400 x 0.25 / 2");
        // It empties: no longer congested, its rate forgotten.
        abm->QueueChanged(0, 1, 0, 317500, size, 310000, 11 * us);
        NS_TEST_EXPECT_MSG_EQ(abm->GetCongested(1), 1, "the other");
        NS_TEST_EXPECT_MSG_EQ(abm->GetDrainShare(0, 1), 1, "forgotten");
    }
};

/// @ingroup llm-training-tests
/// Bad set-ups are one line.
class BufferErrorTest : public TestCase
{
  public:
    BufferErrorTest()
        : TestCase("buffers that cannot be are told in one line")
    {
    }

  private:
    /** Expect an error. @param set attributes of a buffer. @param part of the message. */
    void Expect(const std::function<void(FabricPoolBuffer&)>& set, const std::string& part)
    {
        FabricEventQueue events;
        Ptr<FabricPoolBuffer> buffer = CreateObject<FabricPoolBuffer>();
        buffer->SetAttribute("Size", UintegerValue(100000));
        set(*buffer);
        std::string what;
        try
        {
            buffer->Configure({{8000, 1}, {8000, 1}}, events, "leaf0");
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(what.find(part), std::string::npos, what);
        NS_TEST_EXPECT_MSG_EQ(what.find('\n'), std::string::npos, "one line");
    }

    void DoRun() override
    {
        Expect(
            [](FabricPoolBuffer& buffer) {
                buffer.SetAttribute("IngressPool", UintegerValue(90000));
            },
            "leave 75808 B of 100000 B");
        Expect(
            [](FabricPoolBuffer& buffer) {
                buffer.SetAttribute("EgressLossyPool", UintegerValue(200000));
            },
            "egress pool of lossy classes has 200000 B");
        Expect(
            [](FabricPoolBuffer& buffer) { buffer.SetAttribute("Reserve", UintegerValue(50000)); },
            "do not fit into a buffer of 100000 B");
        Expect(
            [](FabricPoolBuffer& buffer) {
                Ptr<ActiveBufferManagement> abm = CreateObject<ActiveBufferManagement>();
                buffer.SetAttribute("Policy", PointerValue(abm));
                buffer.SetAttribute("EgressLossyPolicy", PointerValue(abm));
            },
            "serves a pool already");
    }
};

/// @ingroup llm-training-tests
/// Suite of the buffer models.
class FabricBuffersTestSuite : public TestSuite
{
  public:
    FabricBuffersTestSuite()
        : TestSuite("llm-training-fabric-buffers", Type::UNIT)
    {
        AddTestCase(new IngressPoolTest, llm::TestDuration::QUICK);
        AddTestCase(new XonTest, llm::TestDuration::QUICK);
        AddTestCase(new EgressPoolTest, llm::TestDuration::QUICK);
        AddTestCase(new RandomPoolTest, llm::TestDuration::QUICK);
        AddTestCase(new PoolNetworkTest, llm::TestDuration::QUICK);
        AddTestCase(new SharedHeadroomTest, llm::TestDuration::QUICK);
        AddTestCase(new PolicyTest, llm::TestDuration::QUICK);
        AddTestCase(new AbmFormulaTest, llm::TestDuration::QUICK);
        AddTestCase(new BufferErrorTest, llm::TestDuration::QUICK);
    }
};

FabricBuffersTestSuite g_fabricBuffersTestSuite; //!< registers the suite

} // namespace
