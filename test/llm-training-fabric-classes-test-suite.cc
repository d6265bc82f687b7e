/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Scheduling of traffic classes at ports: weights and strict priority, at hosts and at switches.

#include "fabric-test-helpers.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <array>
#include <numeric>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-classes"; //!< name

/// @ingroup llm-training-tests
/// Weighted deficit round robin.
class WeightsTest : public TestCase
{
  public:
    /// @param atSwitch where the classes compete: at a switch, or at a host
    explicit WeightsTest(bool atSwitch)
        : TestCase(std::string("classes share a ") + (atSwitch ? "switch" : "host") +
                   " port by their weights, within 1 %, whatever their frames' length"),
          m_atSwitch(atSwitch)
    {
    }

  private:
    /// @param weights of the classes @param active which of them send
    void Measure(const std::array<uint32_t, 8>& weights, const std::vector<uint8_t>& active)
    {
        Net net(4096);
        SwitchSettings settings;
        settings.losslessClasses = 0x3F; // all that compete: the sources must not lose the race
        const uint32_t sources = m_atSwitch ? static_cast<uint32_t>(active.size()) : 1;
        net.BuildStar(sources + 1, 100, NanoSeconds(500), settings);
        for (const auto& port : net.fabric->GetPorts())
        {
            port->SetClassWeights(weights);
        }
        net.InstallRaw();
        std::array<uint64_t, 8> bytes{};
        const int64_t from = MicroSeconds(200).GetTimeStep();
        const int64_t to = MicroSeconds(5200).GetTimeStep();
        net.raw[sources].onReceive = [&](const Frame& frame, int64_t now) {
            if (now >= from && now < to)
            {
                bytes[frame.trafficClass] += frame.bytes;
            }
        };
        for (std::size_t i = 0; i < active.size(); ++i)
        {
            // Frames of three lengths.
            const uint32_t payload = std::array<uint32_t, 3>{4096, 700, 1500}[i % 3];
            net.raw[m_atSwitch ? i : 0].Start({sources, 65000000 / payload, payload, active[i]});
        }
        Simulator::Stop(MicroSeconds(5300)); // none has run dry
        Simulator::Run();
        const uint64_t sum = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
        uint32_t weightSum = 0;
        for (const uint8_t trafficClass : active)
        {
            weightSum += weights[trafficClass];
        }
        // 5 ms at 100 Gb/s, less preambles and gaps of the shortest frames.
        NS_TEST_EXPECT_MSG_GT(sum, 60000000, "the link is busy");
        for (const uint8_t trafficClass : active)
        {
            const double expected = static_cast<double>(weights[trafficClass]) / weightSum;
            const double share =
                static_cast<double>(bytes[trafficClass]) / static_cast<double>(sum);
            NS_TEST_EXPECT_MSG_EQ_TOL(share,
                                      expected,
                                      0.01 * expected,
                                      "class " << +trafficClass << " of "
                                               << net.HostPort(0).GetClassWeights()[trafficClass]
                                               << "/" << weightSum);
        }
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Measure({1, 1, 1, 1, 1, 1, 1, 1}, {0, 3, 5});
        Measure({1, 2, 1, 4, 1, 1, 1, 1}, {0, 1, 3});
        Measure({7, 1, 1, 3, 1, 10, 1, 1}, {0, 3, 5});
        Measure({1, 1, 1, 20, 1, 1, 1, 1}, {1, 3});
        // Weights are proportions.
        Measure({100, 100, 100, 300, 100, 100, 100, 100}, {0, 3});
    }

    const bool m_atSwitch; //!< where
};

/// @ingroup llm-training-tests
/// Strict classes above weighted ones.
class StrictAboveWeightsTest : public TestCase
{
  public:
    StrictAboveWeightsTest()
        : TestCase("strict classes, as chosen, go before weighted ones, which share the rest")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(4096);
        SwitchSettings settings;
        settings.losslessClasses = 0x3F;
        net.BuildStar(4, 100, NanoSeconds(500), settings);
        for (const auto& port : net.fabric->GetPorts())
        {
            port->SetAttribute("StrictClasses", UintegerValue(1 << 2));
            port->SetAttribute("ClassWeights", StringValue("1 1 1 2 1 1 1 1"));
        }
        net.InstallRaw();
        std::array<uint64_t, 8> bytes{};
        std::array<int64_t, 8> last{};
        net.raw[3].onReceive = [&](const Frame& frame, int64_t now) {
            bytes[frame.trafficClass] += bytes[2] < 9000 * 4096 ? frame.bytes : 0;
            last[frame.trafficClass] = now;
        };
        net.raw[0].Start({3, 10000, 4096, 2});
        net.raw[1].Start({3, 10000, 4096, 3});
        net.raw[2].Start({3, 10000, 4096, 4});
        Simulator::Run();
        // While it has something to send, the strict class has all but the first moment.
        NS_TEST_EXPECT_MSG_LT(bytes[3] + bytes[4], bytes[2] / 100, "strict");
        // Of what is left, class 3 gets two thirds: when it ends, class 4 has sent half as much.
        const double ratio =
            static_cast<double>(last[4] - last[2]) / static_cast<double>(last[3] - last[2]);
        NS_TEST_EXPECT_MSG_EQ_TOL(ratio, 20.0 / 15, 0.02, "two thirds");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Mistakes.
class WeightErrorsTest : public TestCase
{
  public:
    WeightErrorsTest()
        : TestCase("wrong weights are one-line errors")
    {
    }

  private:
    void DoRun() override
    {
        Net net(4096);
        net.Link(net.AddHost(), net.AddHost(), 100, NanoSeconds(500));
        net.fabric->Build();
        for (const char* text : {"1 2 3",
                                 "",
                                 "1 1 1 1 1 1 1 x",
                                 "1 1 1 1 1 1 1 1 1",
                                 "0 1 1 1 1 1 1 1",
                                 "1 1 1 1 1 1 1 1001"})
        {
            std::string error;
            try
            {
                net.HostPort(0).SetAttribute("ClassWeights", StringValue(text));
            }
            catch (const ConfigError& thrown)
            {
                error = thrown.what();
            }
            NS_TEST_EXPECT_MSG_NE(error.find("ClassWeights"), std::string::npos, text);
            NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line");
        }
        StringValue value;
        net.HostPort(0).GetAttribute("ClassWeights", value);
        NS_TEST_EXPECT_MSG_EQ(value.Get(), "1 1 1 1 1 1 1 1", "unchanged");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class FabricClassesSuite : public TestSuite
{
  public:
    FabricClassesSuite()
        : TestSuite("llm-training-fabric-classes", Type::UNIT)
    {
        AddTestCase(new WeightsTest(false), llm::TestDuration::QUICK);
        AddTestCase(new WeightsTest(true), llm::TestDuration::QUICK);
        AddTestCase(new StrictAboveWeightsTest, llm::TestDuration::QUICK);
        AddTestCase(new WeightErrorsTest, llm::TestDuration::QUICK);
    }
};

FabricClassesSuite g_fabricClassesSuite; //!< instance

} // namespace
