/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-expert-routing.h"
#include "ns3/llm-node-exchange.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Counts = std::vector<uint64_t>;

/** @return a small model of E experts, K per token. */
ModelConfig
MakeModel(uint64_t experts, uint64_t perToken)
{
    ModelConfig model;
    model.SetFamily("llama");
    model.vocab_size = 1000;
    model.hidden_size = 64;
    model.num_hidden_layers = 2;
    model.num_attention_heads = 8;
    model.intermediate_size = 96;
    model.num_experts = experts;
    model.num_experts_per_tok = perToken;
    model.moe_intermediate_size = 48;
    model.Validate();
    return model;
}

uint64_t
Sum(const Counts& counts)
{
    return std::accumulate(counts.begin(), counts.end(), static_cast<uint64_t>(0));
}

/** Numbers of tokens. */
class SlotsAreApportioned : public TestCase
{
  public:
    SlotsAreApportioned()
        : TestCase("token slots are apportioned to experts by popularity, none is lost, none gets "
                   "more than there are tokens")
    {
    }

  private:
    void CheckApportion()
    {
        const auto is =
            [this](uint64_t slots, uint64_t most, const Counts& weights, const Counts& expected) {
                NS_TEST_EXPECT_MSG_EQ((ExpertRouting::Apportion(slots, most, weights) == expected),
                                      true,
                                      slots << " slots");
            };
        is(8, 8, {1, 1, 1, 1}, {2, 2, 2, 2});
        is(10, 10, {1, 1, 1, 1}, {3, 3, 2, 2});
        // 100 in the proportion 6 : 3 : 2: 54.5, 27.3, 18.2; the largest remainder rounds up.
        is(100, 100, {6, 3, 2}, {55, 27, 18});
        // At most 50 for one: the other two share what is left as 3 : 2.
        is(100, 50, {6, 3, 2}, {50, 30, 20});
        // Twice: 10 for the second as well, and the last two take the rest.
        is(25, 10, {100, 50, 1, 1}, {10, 10, 3, 2});
        is(30, 10, {100, 1, 1}, {10, 10, 10});
        is(0, 10, {5, 1}, {0, 0});
        // Beyond 64 bits in between.
        is(1ULL << 40, 1ULL << 40, {3ULL << 40, 1ULL << 40}, {3ULL << 38, 1ULL << 38});
    }

    void CheckPower()
    {
        for (const double base : {1.0, 2.0, 3.0, 10.0, 255.0})
        {
            for (const double exponent : {0.0, 0.5, 1.0, 1.25, 0.3, 2.7, 0.123456})
            {
                const double expected = std::pow(base, exponent);
                NS_TEST_EXPECT_MSG_EQ_TOL(ExpertRouting::Power(base, exponent),
                                          expected,
                                          expected * 1e-8,
                                          base << "^" << exponent);
            }
        }
    }

    void CheckSkew()
    {
        const ModelConfig model = MakeModel(16, 2);
        TrainingConfig training;
        training.moe_expert_skew = 1;
        const ExpertRouting routing(model, training, 1000);
        Counts sorted = routing.GetSlots(0);
        NS_TEST_EXPECT_MSG_EQ(Sum(sorted), 2000, "no slot is lost");
        std::sort(sorted.rbegin(), sorted.rend());
        // 1 + 1/2 + ... + 1/16 = 3.380729: the first has 2000 / 3.380729 = 591.6.
        NS_TEST_EXPECT_MSG_EQ(sorted[0], 592, "most popular");
        NS_TEST_EXPECT_MSG_EQ(sorted[1], 296, "half of it");
        NS_TEST_EXPECT_MSG_EQ(sorted[15], 37, "a sixteenth");
        NS_TEST_EXPECT_MSG_EQ((routing.GetSlots(0) == routing.GetSlots(0)), true, "repeatable");
        NS_TEST_EXPECT_MSG_EQ((routing.GetSlots(0) == routing.GetSlots(1)), false, "layers differ");
        training.moe_skew_seed = 2;
        NS_TEST_EXPECT_MSG_EQ(
            (ExpertRouting(model, training, 1000).GetSlots(0) == routing.GetSlots(0)),
            false,
            "seeds differ");
        NS_TEST_EXPECT_MSG_EQ(routing.IsUniform(), false, "skew");

        // So steep that the first expert gets every token, and the others share the rest.
        training.moe_expert_skew = 4;
        Counts steep = ExpertRouting(model, training, 1000).GetSlots(3);
        NS_TEST_EXPECT_MSG_EQ(*std::max_element(steep.begin(), steep.end()), 1000, "every token");
        NS_TEST_EXPECT_MSG_EQ(Sum(steep), 2000, "no slot is lost");
    }

    void CheckCapacity()
    {
        const ModelConfig model = MakeModel(16, 2);
        TrainingConfig training;
        training.moe_expert_skew = 1;
        training.moe_expert_capacity_factor = 1.5;
        const ExpertRouting routing(model, training, 1000);
        // ceil(1.5 * 2000 / 16) = 188: of 592, 296, 197 and more the rest is dropped.
        NS_TEST_EXPECT_MSG_EQ(routing.GetCapacity(), 188, "capacity");
        const Counts slots = routing.GetSlots(0);
        NS_TEST_EXPECT_MSG_EQ(*std::max_element(slots.begin(), slots.end()), 188, "full");
        NS_TEST_EXPECT_MSG_EQ(routing.GetDropped(0), 592 - 188 + 296 - 188 + 197 - 188, "dropped");
        NS_TEST_EXPECT_MSG_EQ(Sum(slots) + routing.GetDropped(0), 2000, "sum");

        training.moe_pad_expert_input_to_capacity = true;
        NS_TEST_EXPECT_MSG_EQ((ExpertRouting(model, training, 1000).GetSlots(5) == Counts(16, 188)),
                              true,
                              "padded");
        training.moe_expert_skew = 0;
        training.moe_expert_capacity_factor = 1;
        NS_TEST_EXPECT_MSG_EQ(ExpertRouting(model, training, 1000).GetDropped(0), 0, "exact");
        NS_TEST_EXPECT_MSG_EQ(ExpertRouting(model, training, 1000).GetCapacity(), 125, "exact");
    }

    void DoRun() override
    {
        CheckApportion();
        CheckPower();
        CheckSkew();
        CheckCapacity();
    }
};

/** Distinct nodes. */
class CopiesFollowTheExpectation : public TestCase
{
  public:
    CopiesFollowTheExpectation()
        : TestCase("a token needs one copy per node that has one of its experts: as many as the "
                   "expectation says, within rounding, and limited routing bounds them")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t tokens = 4096;
        ModelConfig model = MakeModel(256, 8);
        TrainingConfig training;
        // n (1 - C(E - E/n, K) / C(E, K)): C(224, 8) / C(256, 8) by logarithms of factorials.
        const auto choose = [](double n, double k) {
            return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
        };
        const double nodes = 8 * (1 - std::exp(choose(224, 8) - choose(256, 8)));
        const ExpertRouting free(model, training, tokens);
        NS_TEST_EXPECT_MSG_EQ_TOL(free.GetExpectedParts(8), nodes, 1e-9, "expected nodes");
        const Counts copies = free.GetCopies(0, 8);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(Sum(copies)), nodes * tokens, 4.0, "copies");
        NS_TEST_EXPECT_MSG_EQ(copies[0], copies[7], "all nodes alike");

        // DeepSeek-V3: at most 4 of 8 nodes, each of them one routing group.
        model.n_group = 8;
        model.topk_group = 4;
        const ExpertRouting limited(model, training, tokens);
        const double inGroups = 4 * (1 - std::exp(choose(96, 8) - choose(128, 8)));
        NS_TEST_EXPECT_MSG_EQ_TOL(limited.GetExpectedParts(8), inGroups, 1e-9, "nodes");
        NS_TEST_EXPECT_MSG_LT(inGroups, 4, "at most four");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(Sum(limited.GetCopies(0, 8))),
                                  inGroups * tokens,
                                  4.0,
                                  "copies");
        // Two groups on each of four nodes: missed if the four groups are among the other six.
        double missed = 0;
        for (int drawn = 0; drawn <= 2; ++drawn)
        {
            const double groups = std::exp(choose(2, drawn) + choose(6, 4 - drawn) - choose(8, 4));
            missed += groups * std::exp(choose(128 - 32 * drawn, 8) - choose(128, 8));
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(limited.GetExpectedParts(4), 4 * (1 - missed), 1e-9, "big nodes");
        // One expert per rank: as many copies as slots.
        NS_TEST_EXPECT_MSG_EQ_TOL(limited.GetExpectedParts(256), 8, 1e-9, "one expert each");

        // With skew: all tokens need the hot node if it has an expert that takes all; never more
        // copies than slots; nearly uniform is nearly the same.
        training.moe_expert_skew = 3;
        model.n_group = 1;
        model.topk_group = 1;
        const ExpertRouting steep(model, training, tokens);
        const Counts hot = steep.GetCopies(1, 8);
        const Counts slots = steep.GetSlots(1);
        NS_TEST_EXPECT_MSG_EQ(*std::max_element(hot.begin(), hot.end()), tokens, "every token");
        for (std::size_t node = 0; node < 8; ++node)
        {
            const auto first = slots.begin() + static_cast<std::ptrdiff_t>(node * 32);
            const uint64_t held = std::accumulate(first, first + 32, static_cast<uint64_t>(0));
            NS_TEST_EXPECT_MSG_EQ((hot[node] <= held), true, "copies and slots");
        }
        training.moe_expert_skew = 1e-6;
        const Counts nearly = ExpertRouting(model, training, tokens).GetCopies(1, 8);
        for (std::size_t node = 0; node < 8; ++node)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(nearly[node]),
                                      static_cast<double>(copies[node]),
                                      4.0,
                                      "continuous in the skew");
        }
        // Two experts per token and two on each of two nodes, one of them four times as popular:
        // loads 8 : 2 : 2 : 2 of 14 slots for 7 tokens, capped: 7, then 7 among three.
        NS_TEST_EXPECT_MSG_EQ((ExpertRouting::Apportion(14, 7, {8, 2, 2, 2}) == Counts{7, 3, 2, 2}),
                              true,
                              "capped");
    }
};

/** Two hops. */
class HopsCarryWhatTheyShould : public TestCase
{
  public:
    HopsCarryWhatTheyShould()
        : TestCase("tokens cross to each node once and are handed on within it; results come back "
                   "the same way")
    {
    }

  private:
    void CheckSums(const ExchangeBytes& exchange)
    {
        for (uint32_t rank = 0; rank < exchange.GetGroupSize(); ++rank)
        {
            uint64_t sent = 0;
            uint64_t received = 0;
            for (uint32_t other = 0; other < exchange.GetGroupSize(); ++other)
            {
                sent += exchange.Get(rank, other);
                received += exchange.Get(other, rank);
            }
            NS_TEST_EXPECT_MSG_EQ(exchange.GetSent(rank), sent, "sent");
            NS_TEST_EXPECT_MSG_EQ(exchange.GetReceived(rank), received, "received");
        }
    }

    void DoRun() override
    {
        // Three nodes of two ranks.
        const NodeExchange across(NodeHop::BETWEEN, {10, 20, 30}, 2, false);
        NS_TEST_EXPECT_MSG_EQ(across.GetGroupSize(), 6, "ranks");
        NS_TEST_EXPECT_MSG_EQ(across.Get(0, 2), 20, "to the same place of the second node");
        NS_TEST_EXPECT_MSG_EQ(across.Get(0, 3), 0, "to no other");
        NS_TEST_EXPECT_MSG_EQ(across.Get(0, 1), 0, "not within the node");
        NS_TEST_EXPECT_MSG_EQ(across.GetSent(3), 40, "to the other nodes");
        NS_TEST_EXPECT_MSG_EQ(across.GetReceived(3), 40, "20 from each of two");
        const NodeExchange within(NodeHop::WITHIN, {1, 2, 3, 4, 5, 6}, 2, false);
        NS_TEST_EXPECT_MSG_EQ(within.Get(0, 1), 6, "from the rank at this place of three nodes");
        NS_TEST_EXPECT_MSG_EQ(within.Get(5, 4), 15, "to the first rank of the last node");
        NS_TEST_EXPECT_MSG_EQ(within.Get(0, 2), 0, "not between nodes");
        const NodeExchange back(NodeHop::WITHIN, {1, 2, 3, 4, 5, 6}, 2, true);
        const NodeExchange home(NodeHop::BETWEEN, {10, 20, 30}, 2, true);
        for (uint32_t from = 0; from < 6; ++from)
        {
            for (uint32_t to = 0; to < 6; ++to)
            {
                NS_TEST_EXPECT_MSG_EQ(back.Get(to, from), within.Get(from, to), "reverse");
                NS_TEST_EXPECT_MSG_EQ(home.Get(to, from), across.Get(from, to), "reverse");
            }
        }
        for (const ExchangeBytes* exchange :
             std::initializer_list<const ExchangeBytes*>{&across, &within, &back, &home})
        {
            CheckSums(*exchange);
        }
    }
};

/** The suite. */
class WorkloadMoeTestSuite : public TestSuite
{
  public:
    WorkloadMoeTestSuite()
        : TestSuite("llm-training-workload-moe", Type::UNIT)
    {
        AddTestCase(new SlotsAreApportioned, llm::TestDuration::QUICK);
        AddTestCase(new CopiesFollowTheExpectation, llm::TestDuration::QUICK);
        AddTestCase(new HopsCarryWhatTheyShould, llm::TestDuration::QUICK);
    }
};

const WorkloadMoeTestSuite g_workloadMoeTestSuite; //!< registers the suite

} // namespace
