/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Rings over several nodes: each channel has one of its own, so that all network ports are used.

#include "collective-checker.h"

#include "ns3/llm-ring-collective.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// What a ring does.
const CollectiveKind KINDS[] = {CollectiveKind::ALL_REDUCE,
                                CollectiveKind::ALL_GATHER,
                                CollectiveKind::REDUCE_SCATTER,
                                CollectiveKind::BROADCAST,
                                CollectiveKind::REDUCE};

/// @ingroup llm-training-tests
/// Schedules.
class RingNodesScheduleTest : public TestCase
{
  public:
    RingNodesScheduleTest()
        : TestCase(
              "rings of 1 to 33 ranks in nodes of every divisor, 1 to 5 channels, give each rank "
              "exactly the promised bytes, as predicted")
    {
    }

  private:
    void DoRun() override
    {
        const RingCollective ring;
        uint32_t seed = 0;
        for (uint32_t n = 1; n <= 33; ++n)
        {
            for (uint32_t g = 1; g <= n; ++g)
            {
                if (n % g != 0)
                {
                    continue;
                }
                for (const CollectiveKind kind : KINDS)
                {
                    ++seed;
                    CollectiveSpec spec;
                    spec.kind = kind;
                    spec.groupSize = n;
                    spec.ranksPerNode = g;
                    spec.bytes = seed % 4 == 0 ? n - 1 : 5 * n + seed % 7;
                    spec.channels = 1 + seed % 5;
                    spec.sliceBytes = seed % 3;
                    spec.root = seed % n;
                    ScheduleChecker checker(ring, spec, seed);
                    NS_TEST_EXPECT_MSG_EQ(checker.Run(), "", ToString(kind));
                    NS_TEST_EXPECT_MSG_EQ(RunInOrder(ring, spec), true, ToString(kind));
                }
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Ports.
class RingNodesPortsTest : public TestCase
{
  public:
    RingNodesPortsTest()
        : TestCase("as many network ports of a node carry a ring as it has channels, evenly")
    {
    }

  private:
    void DoRun() override
    {
        const RingCollective ring;
        constexpr uint32_t n = 16;
        constexpr uint32_t g = 4;
        for (const uint32_t channels : {1U, 2U, 4U, 8U})
        {
            CollectiveSpec spec;
            spec.groupSize = n;
            spec.ranksPerNode = g;
            spec.bytes = 1 << 20;
            spec.channels = channels;
            const uint32_t ports = std::min(channels, g);
            uint32_t used = 0;
            for (uint32_t from = 0; from < n; ++from)
            {
                uint64_t outside = 0;
                for (const uint32_t to : ring.PredictPeers(spec, from))
                {
                    outside += to / g == from / g ? 0 : ring.PredictPairBytes(spec, from, to);
                }
                NS_TEST_EXPECT_MSG_EQ((outside == 0 || outside == 2 * 15 * spec.bytes / n / ports),
                                      true,
                                      channels << " channels, rank " << from);
                used += outside > 0 ? 1 : 0;
            }
            NS_TEST_EXPECT_MSG_EQ(used, ports * n / g, channels << " channels");
            // 30 steps of 64 KiB, over as many ports of 50 GB/s as the NVLink of 100 GB/s lets.
            const CollectiveLinks links{{0, 4e11}, {0, 8e11}};
            NS_TEST_EXPECT_MSG_EQ_TOL(ring.PredictTimePs(spec, links),
                                      30 * 65536 * 20.0 / std::min(ports, 2U),
                                      1,
                                      channels << " channels");
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingCollectiveRingNodesTestSuite : public TestSuite
{
  public:
    LlmTrainingCollectiveRingNodesTestSuite()
        : TestSuite("llm-training-collective-ring-nodes", Type::UNIT)
    {
        AddTestCase(new RingNodesScheduleTest);
        AddTestCase(new RingNodesPortsTest);
    }
};

LlmTrainingCollectiveRingNodesTestSuite
    g_llmTrainingCollectiveRingNodesTestSuite; //!< registers the suite

} // namespace
