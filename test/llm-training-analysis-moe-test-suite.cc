/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-closed-form.h"
#include "llm-training-workload-expect.h"

#include "ns3/llm-training-compat.h"

#include <algorithm>
#include <functional>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A model with one MoE layer and attention that sends nothing. */
struct Case
{
    Case()
    {
        model.SetFamily("mixtral");
        model.vocab_size = 1000;
        model.hidden_size = 4096;
        model.num_hidden_layers = 1;
        model.num_attention_heads = 32;
        model.intermediate_size = 1024;
        model.num_experts = 8;
        model.num_experts_per_tok = 2;
        model.max_position_embeddings = 4096;
        parallel.data_parallel_size = 8;
        parallel.expert_model_parallel_size = 8;
        training.seq_length = 4096;
        training.ddp_bucket_scheme = "none";
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

/** What one rank runs for its experts, in order. */
std::vector<Operation>
ListExpertOperations(const TrainingStep& step, uint32_t rank)
{
    std::vector<Operation> list;
    const auto program = step.CreateProgram(rank, 0);
    Operation operation;
    while (program->Next(operation))
    {
        if (operation.dimension == ParallelDimension::EXPERT &&
            operation.kind != OperationKind::COMPUTE)
        {
            list.push_back(operation);
        }
    }
    return list;
}

/** @return the closed form with direct all-to-alls and rings. */
TrafficModel
MakeTraffic(const TrainingStep& step, CollectiveSelector& selector)
{
    return TrafficModel(step,
                        [&selector](CollectiveSpec& spec, const ProcessGroup&, ParallelDimension) {
                            const bool exchange = spec.kind == CollectiveKind::ALL_TO_ALL;
                            return selector.Choose(spec, exchange ? "direct" : "ring").algorithm;
                        });
}

/** Numbers that can be looked up. */
class VolumesOfExperts : public TestCase
{
  public:
    VolumesOfExperts()
        : TestCase("4096 tokens, top 2, hidden 4096, EP 8: 67108864 bytes routed, 58720256 leave "
                   "the rank, four times per layer; DeepSeek-V3 with EP 64")
    {
    }

  private:
    void CheckUniform()
    {
        const TrainingStep step = Case().Make();
        const std::vector<Operation> list = ListExpertOperations(step, 3);
        NS_TEST_ASSERT_MSG_EQ(list.size(), 5, "counts, dispatch, combine, and both backward");
        NS_TEST_EXPECT_MSG_EQ((list[0].kind == OperationKind::ALL_GATHER), true, "counts first");
        NS_TEST_EXPECT_MSG_EQ(list[0].bytes, 8 * 8 * 8, "8 ranks, 8 experts, 8 bytes");
        for (int i = 1; i < 5; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((list[i].kind == OperationKind::ALL_TO_ALL), true, "exchange");
            NS_TEST_EXPECT_MSG_EQ(list[i].bytes, 67108864, "4096 x 2 x 4096 x 2");
            NS_TEST_EXPECT_MSG_EQ((list[i].phase == StepPhase::FORWARD), (i < 3), "two and two");
        }
        CollectiveSelector selector;
        const TrafficModel traffic = MakeTraffic(step, selector);
        NS_TEST_EXPECT_MSG_EQ(traffic.GetBytesSent(3, ParallelDimension::EXPERT),
                              4 * 58720256 + 7 * 64,
                              "7 of 8 leave");
        NS_TEST_EXPECT_MSG_EQ(traffic.GetPairBytes(3, 5, ParallelDimension::EXPERT),
                              4 * 58720256 / 7,
                              "a seventh of it to each other rank");
        // Each rank has all of one expert: nobody to sum its gradients with. The rest is summed
        // over all.
        NS_TEST_EXPECT_MSG_EQ(traffic.GetCollectiveCount(3, ParallelDimension::DATA), 1, "dense");
    }

    void CheckSkew()
    {
        Case one;
        one.training.moe_expert_skew = 1;
        const TrainingStep step = one.Make();
        const std::vector<Operation> list = ListExpertOperations(step, 0);
        NS_TEST_ASSERT_MSG_EQ(list.size(), 5, "the same operations");
        const ExchangeBytes* there = list[1].exchange;
        const ExchangeBytes* back = list[2].exchange;
        NS_TEST_ASSERT_MSG_EQ((there != nullptr && back != nullptr), true, "uneven");
        NS_TEST_EXPECT_MSG_EQ(list[1].bytes, 67108864, "as many bytes in all");
        // 1 + 1/2 + ... + 1/8 = 2.717857: the most popular has 8192 / 2.717857 = 3014.14 slots.
        uint64_t hottest = 0;
        uint64_t sum = 0;
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(there->GetSent(rank), 67108864, "each rank sends the same");
            NS_TEST_EXPECT_MSG_EQ(back->GetReceived(rank), 67108864, "and gets it back");
            sum += there->GetReceived(rank);
            hottest = std::max(hottest, there->GetReceived(rank));
        }
        NS_TEST_EXPECT_MSG_EQ(sum, 8ULL * 67108864, "the sum is unchanged");
        NS_TEST_EXPECT_MSG_EQ(hottest, 8ULL * 3014 * 8192, "the hot rank");

        // A hot rank computes longer, and at most what the capacity admits.
        const auto longest = [](const TrainingStep& of) {
            int64_t most = 0;
            for (uint32_t rank = 0; rank < 8; ++rank)
            {
                const auto program = of.CreateProgram(rank, 0);
                Operation operation;
                int64_t sumPs = 0;
                while (program->Next(operation))
                {
                    sumPs += operation.durationPs;
                }
                most = std::max(most, sumPs);
            }
            return most;
        };
        const int64_t skewed = longest(step);
        one.training.moe_expert_capacity_factor = 1;
        const TrainingStep capped = one.Make();
        NS_TEST_EXPECT_MSG_LT(longest(capped), skewed, "dropped tokens are not computed");
        const ExchangeBytes* limited = ListExpertOperations(capped, 0)[1].exchange;
        uint64_t most = 0;
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            most = std::max(most, limited->GetReceived(rank));
        }
        NS_TEST_EXPECT_MSG_EQ(most, 67108864, "no expert gets more than with uniform routing");
        one.training.moe_pad_expert_input_to_capacity = true;
        const std::vector<Operation> padded = ListExpertOperations(one.Make(), 0);
        NS_TEST_ASSERT_MSG_EQ(padded.size(), 4, "no counts");
        NS_TEST_EXPECT_MSG_EQ((padded[0].exchange == nullptr), true, "even");
        NS_TEST_EXPECT_MSG_EQ(padded[0].bytes, 67108864, "all");
    }

    void CheckTensorParallel()
    {
        // TP 2, experts cut by 2 as well, EP 4: each rank has half of two experts.
        Case one;
        one.parallel.tensor_model_parallel_size = 2;
        one.parallel.data_parallel_size = 4;
        one.parallel.expert_model_parallel_size = 4;
        one.parallel.sequence_parallel = true;
        const std::vector<Operation> list = ListExpertOperations(one.Make(), 0);
        NS_TEST_ASSERT_MSG_EQ(list.size(), 9, "counts; 4 over ep, 4 over etp");
        // 2048 tokens of each rank, 4096 slots.
        NS_TEST_EXPECT_MSG_EQ(list[1].bytes, 4096 * 8192, "dispatch");
        NS_TEST_EXPECT_MSG_EQ((list[2].kind == OperationKind::ALL_GATHER), true, "over etp");
        NS_TEST_EXPECT_MSG_EQ(list[2].bytes, 2 * 4096 * 8192, "what both have got");
        NS_TEST_EXPECT_MSG_EQ((list[3].kind == OperationKind::REDUCE_SCATTER), true, "over etp");
        NS_TEST_EXPECT_MSG_EQ(list[4].bytes, 4096 * 8192, "combine");

        // Folded: whole experts, EP 8.
        one.parallel.expert_tensor_parallel_size = 1;
        one.parallel.expert_model_parallel_size = 8;
        const std::vector<Operation> folded = ListExpertOperations(one.Make(), 0);
        NS_TEST_ASSERT_MSG_EQ(folded.size(), 5, "counts, 4 over ep");
        NS_TEST_EXPECT_MSG_EQ(folded[1].bytes, 4096 * 8192, "dispatch");

        one.training.moe_token_dispatcher_type = "allgather";
        const std::vector<Operation> gathered = ListExpertOperations(one.Make(), 0);
        NS_TEST_ASSERT_MSG_EQ(gathered.size(), 4, "gather, scatter, both ways");
        NS_TEST_EXPECT_MSG_EQ(gathered[0].bytes, 8 * 2048 * 8192, "all tokens of 8 ranks");
    }

    void CheckDeepSeek()
    {
        // DeepSeek-V3: 256 experts, top 8, hidden 7168, EP 64 over 8 nodes, fp8 dispatch.
        Case one;
        one.model.SetFamily("deepseek_v3");
        one.model.hidden_size = 7168;
        one.model.num_hidden_layers = 4;
        one.model.first_k_dense_replace = 3;
        one.model.num_attention_heads = 128;
        one.model.intermediate_size = 18432;
        one.model.num_experts = 256;
        one.model.num_experts_per_tok = 8;
        one.model.moe_intermediate_size = 2048;
        one.model.shared_expert_intermediate_size = 2048;
        one.model.n_group = 8;
        one.model.topk_group = 4;
        one.parallel.data_parallel_size = 64;
        one.parallel.expert_model_parallel_size = 64;
        one.training.moe_dispatch_dtype = "fp8";
        std::vector<Operation> list = ListExpertOperations(one.Make(), 17);
        NS_TEST_ASSERT_MSG_EQ(list.size(), 5, "one layer with experts");
        NS_TEST_EXPECT_MSG_EQ(list[1].bytes, 4096ULL * 8 * (7168 + 224), "there in fp8");
        NS_TEST_EXPECT_MSG_EQ(list[2].bytes, 4096ULL * 8 * 14336, "back in bf16");
        NS_TEST_EXPECT_MSG_EQ(list[3].bytes, 4096ULL * 8 * (7168 + 224), "gradients there");
        NS_TEST_EXPECT_MSG_EQ(list[4].bytes, 4096ULL * 8 * 14336, "gradients back");

        one.training.moe_token_dispatcher_type = "flex";
        one.training.moe_ranks_per_node = 8;
        const TrainingStep step = one.Make();
        list = ListExpertOperations(step, 17);
        NS_TEST_ASSERT_MSG_EQ(list.size(), 8, "two hops, four times");
        // 4 (1 - C(96, 8) / C(128, 8)) = 3.62901 of 8 nodes: 4096 x 3.62901 / 8 = 1858.05 to each.
        const uint64_t perNode = 1858;
        NS_TEST_EXPECT_MSG_EQ(list[0].exchange->Get(17, 25) / 7392, perNode, "tokens per node");
        NS_TEST_EXPECT_MSG_EQ(list[0].exchange->GetSent(17), 7 * perNode * 7392, "to 7 nodes");
        NS_TEST_EXPECT_MSG_LT(list[0].exchange->GetSent(17), 4096ULL * 4 * 7392, "M h q_d");
        NS_TEST_EXPECT_MSG_EQ(list[0].exchange->Get(17, 26), 0, "only to its place");
        NS_TEST_EXPECT_MSG_GT(list[1].exchange->Get(17, 18), 0, "then within the node");
        NS_TEST_EXPECT_MSG_EQ(list[3].exchange->Get(25, 17), perNode * 14336, "back in bf16");
    }

    void DoRun() override
    {
        CheckUniform();
        CheckSkew();
        CheckTensorParallel();
        CheckDeepSeek();
    }
};

/** Shared experts. */
class SharedExpertsRunBesideDispatch : public TestCase
{
  public:
    SharedExpertsRunBesideDispatch()
        : TestCase("shared experts send nothing over ep, and run beside the dispatch if told so")
    {
    }

  private:
    void DoRun() override
    {
        Case one;
        one.model.shared_expert_intermediate_size = 2048;
        for (const bool overlap : {false, true})
        {
            one.training.moe_shared_expert_overlap = overlap;
            const TrainingStep step = one.Make();
            std::vector<Operation> forward;
            const auto program = step.CreateProgram(0, 0);
            Operation operation;
            while (program->Next(operation))
            {
                if (operation.phase == StepPhase::FORWARD && operation.layer == 0)
                {
                    forward.push_back(operation);
                }
            }
            // Attention, shared experts, router, counts, dispatch, experts, combination, its sum.
            NS_TEST_ASSERT_MSG_EQ(forward.size(), 8, "operations");
            const uint64_t first = forward[0].id;
            const Operation& counts = forward[3];
            NS_TEST_ASSERT_MSG_EQ((counts.kind == OperationKind::ALL_GATHER), true, "counts");
            NS_TEST_ASSERT_MSG_EQ(counts.waits.size(), 1, "waits for the router alone");
            // With overlap the router comes first and the dispatch does not wait for the shared.
            NS_TEST_EXPECT_MSG_EQ(counts.waits[0] - first, (overlap ? 1 : 2), "router");
            NS_TEST_EXPECT_MSG_EQ((forward[4].kind == OperationKind::ALL_TO_ALL), true, "tokens");
        }
    }
};

/** Every complaint. */
class BadExpertsAreRefused : public TestCase
{
  public:
    BadExpertsAreRefused()
        : TestCase("fields about experts that do not fit together are refused")
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
        NS_TEST_EXPECT_MSG_EQ(MessageOf([] { Case().Make(); }), "nothing thrown", "good");
        Expect(
            [](Case& one) {
                one.parallel.tensor_model_parallel_size = 2;
                one.parallel.data_parallel_size = 4;
                one.parallel.expert_tensor_parallel_size = 1;
            },
            "parallelism.sequence_parallel: must be true for experts with "
            "tensor_model_parallel_size 2, so that no token is routed twice; is false");
        Expect([](Case& one) { one.training.moe_token_dispatcher_type = "deepep"; },
               "training.moe_token_dispatcher_type: unknown type 'deepep'; known: alltoall, "
               "allgather, flex");
        Expect([](Case& one) { one.training.moe_dispatch_dtype = "int8"; },
               "training.moe_dispatch_dtype: unknown type 'int8'; known: fp8, or empty for "
               "params_dtype");
        Expect(
            [](Case& one) {
                one.training.moe_token_dispatcher_type = "allgather";
                one.training.moe_dispatch_dtype = "fp8";
            },
            "training.moe_dispatch_dtype: fp8 needs moe_token_dispatcher_type alltoall or flex, "
            "which is allgather");
        Expect([](Case& one) { one.training.moe_expert_skew = -1; },
               "training.moe_expert_skew: must be between 0 and 8, is -1.000000");
        Expect([](Case& one) { one.training.moe_expert_capacity_factor = -2; },
               "training.moe_expert_capacity_factor: must be between 0 (no limit) and 1024, is "
               "-2.000000");
        Expect([](Case& one) { one.training.moe_pad_expert_input_to_capacity = true; },
               "training.moe_pad_expert_input_to_capacity: needs moe_expert_capacity_factor above "
               "0, which is 0");
        Expect([](Case& one) { one.training.moe_shared_expert_overlap = true; },
               "training.moe_shared_expert_overlap: is true, but the model has no shared experts "
               "(shared_expert_intermediate_size 0)");
        Expect([](Case& one) { one.training.moe_token_dispatcher_type = "flex"; },
               "training.moe_ranks_per_node: must be given for flex: neighbouring ranks that share "
               "a node");
        Expect(
            [](Case& one) {
                one.training.moe_token_dispatcher_type = "flex";
                one.training.moe_ranks_per_node = 3;
            },
            "training.moe_ranks_per_node: nodes of 3 ranks do not hold equally many of the 8 "
            "ranks of an expert-parallel group");
        Expect(
            [](Case& one) {
                one.training.moe_token_dispatcher_type = "flex";
                one.training.moe_expert_capacity_factor = 1;
                one.training.moe_pad_expert_input_to_capacity = true;
            },
            "training.moe_token_dispatcher_type: flex does not pad; "
            "moe_pad_expert_input_to_capacity is true");
        Expect(
            [](Case& one) {
                one.training.moe_token_dispatcher_type = "flex";
                one.parallel.expert_model_parallel_size = 4;
                one.parallel.expert_tensor_parallel_size = 2;
            },
            "training.moe_token_dispatcher_type: flex needs expert_tensor_parallel_size 1, which "
            "is 2");
        Expect(
            [](Case& one) {
                one.model.num_experts = 48;
                one.model.n_group = 12;
                one.model.topk_group = 4;
                one.training.moe_ranks_per_node = 8;
                one.training.moe_token_dispatcher_type = "flex";
            },
            "training.moe_token_dispatcher_type: flex needs routing groups that hold whole ranks "
            "and nodes, or the reverse: 4 experts in a group (num_experts / n_group), 6 on a rank "
            "or a node");
        Expect(
            [](Case& one) {
                one.model = ModelConfig();
                one.model.SetFamily("llama");
                one.model.vocab_size = 100;
                one.model.hidden_size = 64;
                one.model.num_hidden_layers = 1;
                one.model.num_attention_heads = 4;
                one.model.intermediate_size = 64;
                one.parallel.expert_model_parallel_size = 1;
                one.training.moe_expert_skew = 1;
            },
            "training.moe_expert_skew: is set, but the model has no experts (num_experts 0)");
    }
};

/** The suite. */
class AnalysisMoeTestSuite : public TestSuite
{
  public:
    AnalysisMoeTestSuite()
        : TestSuite("llm-training-analysis-moe", Type::UNIT)
    {
        AddTestCase(new VolumesOfExperts, llm::TestDuration::QUICK);
        AddTestCase(new SharedExpertsRunBesideDispatch, llm::TestDuration::QUICK);
        AddTestCase(new BadExpertsAreRefused, llm::TestDuration::QUICK);
    }
};

const AnalysisMoeTestSuite g_analysisMoeTestSuite; //!< registers the suite

} // namespace
