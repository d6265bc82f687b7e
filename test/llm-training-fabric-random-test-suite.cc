/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Laws on networks thrown with dice: bytes in buffers, nothing lost without a failure, everything
// conserved, every run ends or says why. See llm-training-random-fabric.h.
//
// A failure prints its seed. To look at that one alone, or to hunt with many more:
//   LLM_TRAINING_SEEDS=17 llm-training-test-runner --suite=llm-training-fabric-random
//   LLM_TRAINING_SEEDS=1000-9999 ...

#include "llm-training-random-fabric.h"

#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <cstdlib>
#include <iostream>

using namespace fabrictest;

namespace
{

/// @ingroup llm-training-tests
/// Some seeds.
class RandomFabricsTest : public TestCase
{
  public:
    /** @param first seed. @param last seed. */
    RandomFabricsTest(uint64_t first, uint64_t last)
        : TestCase("laws on random networks, seeds " + std::to_string(first) + " to " +
                   std::to_string(last)),
          m_first(first),
          m_last(last)
    {
    }

  private:
    void DoRun() override
    {
        uint64_t hops = 0;
        uint64_t troubled = 0;
        uint64_t drops = 0;
        uint64_t pauses = 0;
        uint64_t failed = 0;
        uint64_t stuck = 0;
        for (uint64_t seed = m_first; seed <= m_last; ++seed)
        {
            const RandomFabricConfig config = RandomFabricDice::Throw(seed);
            if (m_first == m_last)
            {
                std::cout << config.Describe() << std::endl; // before it runs: it may not end
            }
            RandomFabricRun run(config);
            const std::string wrong = run.Run();
            NS_TEST_EXPECT_MSG_EQ(wrong, "", config.Describe());
            hops += run.hops;
            troubled += config.CanFail() ? 1 : 0;
            drops += run.drops;
            pauses += run.pauses;
            failed += run.failed;
            stuck += run.stuck ? 1 : 0;
        }
        if (std::getenv("LLM_TRAINING_SEEDS"))
        {
            std::cout << "seeds " << m_first << " to " << m_last << ": " << hops << " packet-hops, "
                      << troubled << " networks with failures, " << drops << " drops, " << pauses
                      << " pauses, " << failed << " messages failed, " << stuck << " networks stuck"
                      << std::endl;
        }
        if (m_last - m_first >= 99)
        {
            // The dice must reach what they are thrown for.
            NS_TEST_EXPECT_MSG_GT(troubled, 20, "networks with failures");
            NS_TEST_EXPECT_MSG_GT(drops, 100, "drops");
            NS_TEST_EXPECT_MSG_GT(pauses, 100, "pauses");
        }
    }

    uint64_t m_first;
    uint64_t m_last;
};

/// @ingroup llm-training-tests
/// The suite.
class RandomFabricSuite : public TestSuite
{
  public:
    RandomFabricSuite()
        : TestSuite("llm-training-fabric-random", Type::UNIT)
    {
        const char* seeds = std::getenv("LLM_TRAINING_SEEDS");
        if (seeds)
        {
            const std::string text = seeds;
            const auto dash = text.find('-');
            const uint64_t first = std::strtoull(text.c_str(), nullptr, 10);
            const uint64_t last = dash == std::string::npos
                                      ? first
                                      : std::strtoull(text.c_str() + dash + 1, nullptr, 10);
            AddTestCase(new RandomFabricsTest(first, last), llm::TestDuration::QUICK);
            return;
        }
        AddTestCase(new RandomFabricsTest(1, 100), llm::TestDuration::QUICK);
        AddTestCase(new RandomFabricsTest(101, 200), llm::TestDuration::QUICK);
        AddTestCase(new RandomFabricsTest(201, 300), llm::TestDuration::QUICK);
    }
};

RandomFabricSuite g_randomFabricSuite; //!< instance

} // namespace
