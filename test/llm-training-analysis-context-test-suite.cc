/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-step.h"
#include "ns3/test.h"

#include <algorithm>
#include <functional>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** One layer of Llama-3-405B's attention, TP 8, CP 4. */
struct Case
{
    Case()
    {
        model.SetFamily("llama");
        model.vocab_size = 1024;
        model.hidden_size = 16384;
        model.num_hidden_layers = 1;
        model.num_attention_heads = 128;
        model.num_key_value_heads = 8;
        model.intermediate_size = 53248;
        model.max_position_embeddings = 131072;
        parallel.tensor_model_parallel_size = 8;
        parallel.context_parallel_size = 4;
        parallel.sequence_parallel = true;
        training.seq_length = 131072;
    }

    TrainingStep Make() const
    {
        return TrainingStep(model,
                            ParallelLayout(parallel, 0, "s.json", "parallelism"),
                            training,
                            Accelerator(AcceleratorConfig()),
                            "s.json",
                            "training");
    }

    ModelConfig model;
    ParallelConfig parallel;
    TrainingConfig training;
};

/** All that one rank runs. */
std::vector<Operation>
ListOperations(const TrainingStep& step, uint32_t rank)
{
    std::vector<Operation> list;
    const auto program = step.CreateProgram(rank, 0);
    Operation operation;
    while (program->Next(operation))
    {
        list.push_back(operation);
    }
    return list;
}

/** What it runs for context parallelism. */
std::vector<Operation>
ListContextOperations(const TrainingStep& step, uint32_t rank)
{
    std::vector<Operation> list = ListOperations(step, rank);
    list.erase(std::remove_if(list.begin(),
                              list.end(),
                              [](const Operation& one) {
                                  return one.kind == OperationKind::COMPUTE ||
                                         one.dimension != ParallelDimension::CONTEXT;
                              }),
               list.end());
    return list;
}

/** Numbers by hand. */
class VolumesOfContext : public TestCase
{
  public:
    VolumesOfContext()
        : TestCase("one layer of 128k tokens, TP 8 x CP 4: what ring, all-gather, all-to-all and "
                   "both together send; everything else has a quarter of the sequence")
    {
    }

  private:
    /** 32768 tokens, one key-value head of 128 per rank, bf16. */
    static constexpr uint64_t KEYS = 32768ULL * 128 * 2;
    static constexpr uint64_t QUERIES = 16 * KEYS;

    void CheckRing()
    {
        const TrainingStep step = Case().Make();
        const std::vector<Operation> list = ListContextOperations(step, 9);
        uint64_t sends[2] = {0, 0};
        for (const auto& one : list)
        {
            NS_TEST_EXPECT_MSG_EQ(one.bytes, 2 * KEYS, "W");
            NS_TEST_EXPECT_MSG_LT(one.tag, 1ULL << 63, "as jobs want them");
            const bool send = one.kind == OperationKind::SEND;
            // TP 8: the next of rank 9's ring is 17, the one before 1.
            NS_TEST_EXPECT_MSG_EQ(one.peer, (send ? 17U : 1U), "neighbour");
            sends[one.phase == StepPhase::FORWARD ? 0 : 1] += send ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(sends[0], 3, "c - 1 forward");
        NS_TEST_EXPECT_MSG_EQ(sends[1], 3 + 4, "c - 1 and c backward");
        NS_TEST_EXPECT_MSG_EQ(step.GetActivationBytes(), 32768ULL * 16384 * 2, "X");
        NS_TEST_EXPECT_MSG_EQ(step.GetPipelineBytes(), 32768ULL * 16384 * 2 / 8, "to a stage");
        NS_TEST_EXPECT_MSG_EQ(step.GetCrossEntropyBytes(), 32768 * 4, "cross-entropy");
        NS_TEST_EXPECT_MSG_EQ(step.GetBatchBytes(), 131072 * 8, "token ids of the whole");
    }

    void CheckOverlap()
    {
        // Blocks are computed while the next keys and values are on their way.
        const TrainingStep step = Case().Make();
        std::vector<Operation> compute;
        std::vector<uint64_t> hops;
        for (const auto& one : ListOperations(step, 0))
        {
            if (one.phase == StepPhase::FORWARD && one.kind == OperationKind::RECV)
            {
                hops.push_back(one.id);
            }
            if (one.phase == StepPhase::FORWARD && one.kind == OperationKind::COMPUTE)
            {
                compute.push_back(one);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(hops.size(), 3, "hops");
        // Embedding, projections, four blocks, output projection ...
        NS_TEST_ASSERT_MSG_GT(compute.size(), 6, "blocks");
        for (std::size_t block = 0; block < 4; ++block)
        {
            const auto& waits = compute[2 + block].waits;
            for (std::size_t hop = 0; hop < 3; ++hop)
            {
                const bool waitsFor =
                    std::find(waits.begin(), waits.end(), hops[hop]) != waits.end();
                NS_TEST_EXPECT_MSG_EQ(waitsFor, (hop + 1 == block), "its own, not the next one");
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(compute[2 + block].durationPs),
                                      static_cast<double>(compute[2].durationPs),
                                      1.0,
                                      "balanced");
        }
    }

    void CheckGather()
    {
        Case one;
        one.parallel.cp_comm_type = "all_gather";
        const std::vector<Operation> list = ListContextOperations(one.Make(), 0);
        NS_TEST_ASSERT_MSG_EQ(list.size(), 2, "one forward, one backward");
        NS_TEST_EXPECT_MSG_EQ((list[0].kind == OperationKind::ALL_GATHER), true, "forward");
        NS_TEST_EXPECT_MSG_EQ((list[1].kind == OperationKind::REDUCE_SCATTER), true, "backward");
        NS_TEST_EXPECT_MSG_EQ(list[0].bytes, 4 * 2 * KEYS, "c W");
        NS_TEST_EXPECT_MSG_EQ(list[1].bytes, 4 * 2 * KEYS, "c W");
        one.training.recompute_granularity = "selective";
        NS_TEST_EXPECT_MSG_EQ(ListContextOperations(one.Make(), 0).size(), 3, "gathered again");
        one.training.recompute_granularity = "full";
        NS_TEST_EXPECT_MSG_EQ(ListContextOperations(one.Make(), 0).size(), 3, "gathered again");
    }

    void CheckExchange()
    {
        Case one;
        one.parallel.tensor_model_parallel_size = 2;
        one.parallel.cp_comm_type = "a2a";
        // 4 key-value heads per rank now.
        const std::vector<Operation> list = ListContextOperations(one.Make(), 0);
        NS_TEST_ASSERT_MSG_EQ(list.size(), 8, "4 forward, 4 backward");
        const std::vector<uint64_t> expected{4 * QUERIES,
                                             4 * KEYS,
                                             4 * KEYS,
                                             4 * QUERIES,
                                             4 * QUERIES,
                                             4 * QUERIES,
                                             4 * KEYS,
                                             4 * KEYS};
        for (std::size_t i = 0; i < 8; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((list[i].kind == OperationKind::ALL_TO_ALL), true, "exchange");
            NS_TEST_EXPECT_MSG_EQ(list[i].bytes, expected[i], "bytes of " << i);
        }
        one.parallel.cp_comm_type = "a2a+p2p";
        one.parallel.hierarchical_context_parallel_size = 2;
        const std::vector<Operation> both = ListContextOperations(one.Make(), 0);
        // A ring of two: a hop forward, three backward, each a send and a receive.
        NS_TEST_ASSERT_MSG_EQ(both.size(), 8 + 2 * 4, "exchanges and hops");
        NS_TEST_EXPECT_MSG_EQ((both[3].kind == OperationKind::SEND), true, "ring within");
        NS_TEST_EXPECT_MSG_EQ(both[3].bytes, 2 * 4 * KEYS, "W");
        NS_TEST_EXPECT_MSG_EQ(both[3].peer, 4, "two parts of two, TP 2");
    }

    void CheckLatent()
    {
        // DeepSeek-V3's attention, TP 2 x CP 2: 8192 of 16384 tokens, 64 of 128 heads.
        Case one;
        one.model.SetFamily("deepseek_v3");
        one.model.hidden_size = 7168;
        one.model.num_key_value_heads = 128;
        one.model.q_lora_rank = 1536;
        one.model.kv_lora_rank = 512;
        one.model.qk_nope_head_dim = 128;
        one.model.qk_rope_head_dim = 64;
        one.model.v_head_dim = 128;
        one.parallel.tensor_model_parallel_size = 2;
        one.parallel.context_parallel_size = 2;
        one.training.seq_length = 16384;
        const TrainingStep step = one.Make();
        const std::vector<Operation> ring = ListContextOperations(step, 0);
        NS_TEST_ASSERT_MSG_EQ(ring.size(), 8, "a hop forward, three backward");
        NS_TEST_EXPECT_MSG_EQ(ring[0].bytes, 8192ULL * 64 * (192 + 128) * 2, "expanded");
        std::vector<uint64_t> gathered;
        std::vector<uint64_t> scattered;
        for (const auto& operation : ListOperations(step, 0))
        {
            if (operation.layer != 0 || operation.id > ring.back().id + 6 ||
                operation.dimension != ParallelDimension::TENSOR)
            {
                continue;
            }
            if (operation.phase == StepPhase::FORWARD &&
                operation.kind == OperationKind::ALL_GATHER)
            {
                gathered.push_back(operation.bytes / 8192 / 2);
            }
            if (operation.phase == StepPhase::BACKWARD &&
                operation.kind == OperationKind::REDUCE_SCATTER)
            {
                scattered.push_back(operation.bytes / 8192 / 2);
            }
        }
        // Attention, then the MLP; backward the other way round.
        NS_TEST_EXPECT_MSG_EQ((gathered == std::vector<uint64_t>{1536, 512, 64, 7168}),
                              true,
                              "compressed queries, keys and values, positions; MLP");
        NS_TEST_EXPECT_MSG_EQ((scattered == std::vector<uint64_t>{7168, 1536, 512, 64}),
                              true,
                              "MLP; gradients of the same");
    }

    void CheckGradients()
    {
        // The weights are the same on all context-parallel ranks: gradients go over all of them.
        const TrainingStep step = Case().Make();
        for (const auto& one : ListOperations(step, 0))
        {
            if (one.dimension == ParallelDimension::DATA && one.kind != OperationKind::COMPUTE)
            {
                NS_TEST_EXPECT_MSG_EQ(
                    (step.GetGroups()[one.group].ranks == std::vector<uint32_t>{0, 8, 16, 24}),
                    true,
                    "data-parallel group");
            }
        }
    }

    void DoRun() override
    {
        CheckRing();
        CheckOverlap();
        CheckGather();
        CheckExchange();
        CheckLatent();
        CheckGradients();
    }
};

/** Every complaint. */
class BadContextsAreRefused : public TestCase
{
  public:
    BadContextsAreRefused()
        : TestCase("context parallelism that does not fit the sequence or the heads is refused")
    {
    }

  private:
    void Expect(const std::function<void(Case&)>& spoil, const std::string& expected)
    {
        Case one;
        spoil(one);
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&one] { one.Make(); }), "s.json: " + expected, "message");
    }

    void DoRun() override
    {
        const auto latent = [](Case& one) {
            one.model.num_key_value_heads = 128;
            one.model.kv_lora_rank = 512;
            one.model.qk_nope_head_dim = 128;
            one.model.qk_rope_head_dim = 64;
            one.model.v_head_dim = 128;
        };
        Expect(
            [&latent](Case& one) {
                latent(one);
                one.parallel.sequence_parallel = false;
            },
            "parallelism.sequence_parallel: must be true for latent attention with "
            "tensor_model_parallel_size 8, whose ranks compress parts of the sequence; is false");
        Expect(
            [&latent](Case& one) {
                latent(one);
                one.training.tp_comm_overlap = true;
            },
            "training.tp_comm_overlap: is true, but latent attention (kv_lora_rank 512) gathers "
            "what it compresses, beside no matrix product");
        Expect([](Case& one) { one.training.seq_length = 131072 - 16; },
               "training.seq_length: 131056 is not a multiple of 32: two chunks for each of "
               "context_parallel_size 4 ranks, and parts of them for tensor_model_parallel_size 8 "
               "under sequence_parallel");
        Expect([](Case& one) { one.parallel.cp_comm_type = "a2a"; },
               "parallelism.context_parallel_size: 4 does not divide the model's 1 key-value heads "
               "of a rank (num_key_value_heads / tensor_model_parallel_size)");
        Expect(
            [](Case& one) {
                one.model.num_attention_heads = 8;
                one.parallel.cp_comm_type = "a2a+p2p";
                one.parallel.hierarchical_context_parallel_size = 2;
            },
            "parallelism.hierarchical_context_parallel_size: 2 does not divide the model's 1 "
            "attention heads of a rank (num_attention_heads / tensor_model_parallel_size)");
    }
};

/** The suite. */
class AnalysisContextTestSuite : public TestSuite
{
  public:
    AnalysisContextTestSuite()
        : TestSuite("llm-training-analysis-context", Type::UNIT)
    {
        AddTestCase(new VolumesOfContext, llm::TestDuration::QUICK);
        AddTestCase(new BadContextsAreRefused, llm::TestDuration::QUICK);
    }
};

const AnalysisContextTestSuite g_analysisContextTestSuite; //!< registers the suite

} // namespace
