/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Laws on random switches: whatever way of switching, buffer, policy and classes, lossless classes
// lose nothing, and the books balance at every look.

#include "fabric-test-helpers.h"
#include "llm-training-dice.h"

#include "ns3/fabric-pool-buffer.h"
#include "ns3/llm-active-buffer-management.h"
#include "ns3/llm-static-threshold.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace ns3;
using namespace fabrictest;

namespace
{

/** What was thrown for one network. */
struct RandomSwitches
{
    /** @param dice decide. */
    explicit RandomSwitches(Dice& dice)
    {
        settings.losslessClasses = dice.Pick<uint8_t>({0x08, 0x18, 0x00, 0x38});
        settings.bufferBytes = dice.Pick<uint64_t>({3000000, 6000000, 12000000});
        settings.reserve = dice.Pick<uint64_t>({0, 2000, 4096});
        settings.cutThrough = dice.Throw(2) == 0;
        settings.latency = NanoSeconds(dice.Pick<uint64_t>({0, 0, 50, 300, 1500}));
        settings.trimming = dice.Throw(2) == 0;
        if (dice.Throw(2) == 0)
        {
            settings.marker = CreateObject<RedEcnMarker>();
        }
        const uint64_t model = dice.Throw(2);
        const uint64_t policy = dice.Throw(3);
        const double alpha = dice.Pick<double>({1.0 / 16, 0.125, 0.5, 1, 4});
        const SwitchSettings same = settings;
        settings.more = [model, policy, alpha, same](FabricSwitch& made) {
            Ptr<FabricSharedBuffer> buffer =
                model == 0 ? CreateObject<FabricSharedBuffer>()
                           : Ptr<FabricSharedBuffer>(CreateObject<FabricPoolBuffer>());
            buffer->SetAttribute("Size", UintegerValue(same.bufferBytes));
            buffer->SetAttribute("Reserve", UintegerValue(same.reserve));
            buffer->SetAttribute("LosslessClasses", UintegerValue(same.losslessClasses));
            buffer->SetAttribute("Policy", PointerValue(MakePolicy(policy, alpha)));
            if (model == 1)
            {
                buffer->SetAttribute("Xon", UintegerValue(2000));
                buffer->SetAttribute("EgressReserve", UintegerValue(1500));
                buffer->SetAttribute("EgressLossyPolicy", PointerValue(MakePolicy(policy, alpha)));
            }
            made.SetAttribute("Buffer", PointerValue(buffer));
        };
        name = std::string(model == 0 ? "shared" : "pools") + ", policy " + std::to_string(policy) +
               (settings.cutThrough ? ", cut-through" : "") +
               (settings.trimming ? ", trimming" : "");
    }

    /** @return a policy. */
    static Ptr<FabricBufferPolicy> MakePolicy(uint64_t which, double alpha)
    {
        if (which == 0)
        {
            Ptr<StaticThreshold> policy = CreateObject<StaticThreshold>();
            policy->SetAttribute("Bytes", UintegerValue(static_cast<uint64_t>(alpha * 400000)));
            return policy;
        }
        Ptr<FabricBufferPolicy> policy;
        if (which == 1)
        {
            policy = CreateObject<DynamicThreshold>();
        }
        else
        {
            policy = CreateObject<ActiveBufferManagement>();
        }
        policy->SetAttribute("Alpha", DoubleValue(alpha));
        return policy;
    }

    SwitchSettings settings; //!< of every switch
    std::string name;        //!< for messages
};

/// @ingroup llm-training-tests
/// Random networks of random switches.
class RandomSwitchesTest : public TestCase
{
  public:
    RandomSwitchesTest()
        : TestCase("80 random networks of random switches: lossless is lossless, books balance at "
                   "every look")
    {
    }

  private:
    /** One network. @param seed of the dice. */
    void Run(uint64_t seed)
    {
        Dice dice(seed);
        RandomSwitches thrown(dice);
        Net net(dice.Pick<uint32_t>({1024, 4096}));
        const uint64_t hostGbps = dice.Pick<uint64_t>({25, 100, 200});
        const uint64_t uplinkGbps = dice.Pick<uint64_t>({25, 100, 400});
        const Time delay = NanoSeconds(dice.Pick<uint64_t>({10, 600, 2000}));
        const uint32_t leaves = 1 + static_cast<uint32_t>(dice.Throw(3));
        const uint32_t perLeaf = 2 + static_cast<uint32_t>(dice.Throw(3));
        net.BuildLeafSpine(leaves,
                           leaves > 1 ? 1 + static_cast<uint32_t>(dice.Throw(2)) : 1,
                           perLeaf,
                           hostGbps,
                           uplinkGbps,
                           delay,
                           thrown.settings);
        net.InstallRaw();
        const uint32_t hosts = leaves * perLeaf;
        std::map<std::tuple<uint32_t, uint32_t, uint8_t>, uint64_t> sent;
        std::map<std::tuple<uint32_t, uint32_t, uint8_t>, uint64_t> received;
        const uint64_t flows = 2 + dice.Throw(3 * hosts);
        const uint32_t sink = static_cast<uint32_t>(dice.Throw(hosts));
        for (uint64_t f = 0; f < flows; ++f)
        {
            const auto from = static_cast<uint32_t>(dice.Throw(hosts));
            const auto to = dice.Throw(2) ? sink : static_cast<uint32_t>(dice.Throw(hosts));
            const auto c = dice.Pick<uint8_t>({0, 3, 3, 4, 5});
            if (from == to)
            {
                continue;
            }
            const uint64_t frames = 200 + dice.Throw(1500);
            net.raw[from].Start({to, frames, 64 + static_cast<uint32_t>(dice.Throw(960)), c});
            sent[{from, to, c}] += frames;
        }
        for (uint32_t h = 0; h < hosts; ++h)
        {
            net.raw[h].onReceive = [&](const Frame& frame, int64_t) {
                ++received[{frame.source, frame.destination, frame.trafficClass}];
            };
        }
        std::string wrong;
        uint32_t looks = 0;
        std::function<void()> look = [&] {
            for (const auto& one : net.fabric->GetSwitches())
            {
                wrong += one->CheckBuffer();
            }
            if (++looks < 300)
            {
                Simulator::Schedule(NanoSeconds(509), look);
            }
        };
        Simulator::Schedule(NanoSeconds(509), look);
        Simulator::Run();
        const std::string what = "seed " + std::to_string(seed) + ": " + thrown.name;
        NS_TEST_EXPECT_MSG_EQ(wrong, "", what);
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        uint64_t sum = 0;
        uint64_t all = 0;
        for (const auto& [flow, frames] : sent)
        {
            const uint8_t c = std::get<2>(flow);
            if ((thrown.settings.losslessClasses >> c) & 1)
            {
                NS_TEST_EXPECT_MSG_EQ(received[flow], frames, what << ", class " << +c);
            }
            all += frames;
        }
        for (const auto& [flow, frames] : received)
        {
            sum += frames;
        }
        const FabricTotals totals = net.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(sum + totals.switches.drops, all, what << ": frames");
        NS_TEST_EXPECT_MSG_EQ((totals.switches.trims > 0 && !thrown.settings.trimming),
                              false,
                              what << ": trims");
        m_drops += totals.switches.drops;
        m_trims += totals.switches.trims;
        m_pauses += totals.hosts.pauses + totals.switches.pauses;
    }

    void DoRun() override
    {
        for (uint64_t seed = 1; seed <= 80; ++seed)
        {
            Run(seed);
        }
        NS_TEST_EXPECT_MSG_GT(m_drops, 1000, "lossy classes were under pressure");
        NS_TEST_EXPECT_MSG_GT(m_trims, 1000, "and trimmed");
        NS_TEST_EXPECT_MSG_GT(m_pauses, 1000, "lossless classes were paused");
    }

    uint64_t m_drops{0};  //!< of all networks
    uint64_t m_trims{0};  //!< of all networks
    uint64_t m_pauses{0}; //!< of all networks
};

/// @ingroup llm-training-tests
/// Suite of random switches.
class FabricRandomSwitchesTestSuite : public TestSuite
{
  public:
    FabricRandomSwitchesTestSuite()
        : TestSuite("llm-training-fabric-random-switches", Type::UNIT)
    {
        AddTestCase(new RandomSwitchesTest, llm::TestDuration::QUICK);
    }
};

FabricRandomSwitchesTestSuite g_fabricRandomSwitchesTestSuite; //!< registers the suite

} // namespace
