/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-published-run.h"

#include "ns3/llm-memory-model.h"
#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Activations of GPT. */
class ActivationsFollowKorthikanti : public TestCase
{
  public:
    ActivationsFollowKorthikanti()
        : TestCase("activations of a GPT layer are Korthikanti's formulas; FlashAttention keeps a "
                   "number per head and token instead of the scores")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t h = 12288;
        constexpr uint64_t s = 2048;
        constexpr uint64_t a = 96;
        constexpr uint64_t b = 2;
        for (const uint32_t t : {1, 8})
        {
            for (const bool sequence : {false, true})
            {
                PublishedRun run(MakeGptModel(h, 96, a, 51200, s));
                run.Set(t, 8, 1, 0, s);
                run.training.micro_batch_size = b;
                run.training.attention_backend = "unfused";
                run.parallel.sequence_parallel = sequence;
                const PublishedStep unfused(run);
                const uint64_t scores = 5 * a * s * s * b / t;
                const uint64_t linear =
                    t > 1 && sequence ? 34 * s * b * h / t : 10 * s * b * h + 24 * s * b * h / t;
                const MemoryModel memory(unfused.GetStep());
                NS_TEST_EXPECT_MSG_EQ(memory.GetLayerBytes(5), linear + scores, "with scores");
                run.training.attention_backend = "flash";
                const PublishedStep flash(run);
                NS_TEST_EXPECT_MSG_EQ(MemoryModel(flash.GetStep()).GetLayerBytes(5),
                                      linear + 4 * a * s * b / t,
                                      "without");
                // Recomputed: no scores, or only the layer's input.
                run.training.attention_backend = "unfused";
                run.training.recompute_granularity = "selective";
                const PublishedStep selective(run);
                NS_TEST_EXPECT_MSG_EQ(MemoryModel(selective.GetStep()).GetLayerBytes(5),
                                      linear,
                                      "scores again");
                run.training.recompute_granularity = "full";
                const PublishedStep full(run);
                const uint64_t input = 2 * s * b * h / (sequence ? t : 1);
                NS_TEST_EXPECT_MSG_EQ(MemoryModel(full.GetStep()).GetLayerBytes(5),
                                      input,
                                      "layers again");
                NS_TEST_EXPECT_MSG_EQ(full.GetModel().EstimateMemory(3).workspace,
                                      linear + scores,
                                      "of the layer at hand");
                run.training.recompute_num_layers = 5;
                const PublishedStep partly(run);
                NS_TEST_EXPECT_MSG_EQ(MemoryModel(partly.GetStep()).GetStageBytes(3),
                                      5 * input + 7 * (linear + scores),
                                      "five of twelve");
                // Dropout of the embedding; two inputs and fp32 logits of the output layer.
                const uint64_t part = s * b * h / (sequence ? t : 1);
                NS_TEST_EXPECT_MSG_EQ(memory.GetStageBytes(0) - 12 * memory.GetLayerBytes(0),
                                      part,
                                      "first stage");
                NS_TEST_EXPECT_MSG_EQ(memory.GetStageBytes(7) - 12 * memory.GetLayerBytes(0),
                                      4 * part + 4 * s * b * (51200 / t),
                                      "last stage");
            }
        }
    }
};

/** Grouped queries, norms of heads, contexts. */
class ActivationsOfOtherFamilies : public TestCase
{
  public:
    ActivationsOfOtherFamilies()
        : TestCase("activations of grouped queries, head norms, SwiGLU")
    {
    }

  private:
    void DoRun() override
    {
        PublishedRun run(ReadShippedModel("qwen3-8b"));
        run.Set(4, 1, 1, 0, 1024);
        const PublishedStep step(run);
        // h 4096, 32 heads and 8 pairs of 128, f 12288. Halves by tensor parallelism.
        const uint64_t whole = 4 * 4096;
        const uint64_t cut = (2 * 4096 + 2 * 1024) + (4096 + 1024) + 3 * 12288;
        NS_TEST_EXPECT_MSG_EQ(MemoryModel(step.GetStep()).GetLayerBytes(0),
                              1024 * (2 * whole + 2 * cut / 4 + 4 * 32 / 4),
                              "no dropout");

        // Experts: 8 of 128 for each of T / t tokens, of a quarter of their width after an
        // all-gather; the router's probabilities; outputs that the combination weighs.
        PublishedRun sparse(ReadShippedModel("qwen3-30b-a3b"));
        sparse.Set(4, 1, 2, 0, 1024);
        sparse.parallel.sequence_parallel = true;
        sparse.parallel.expert_model_parallel_size = 2;
        const PublishedStep moe(sparse);
        const uint64_t attention =
            256 * 2 * 2 * 2048 + 1024 * 2 * (3 * 4096 + 3 * 512) / 4 + 1024 * 4 * 32 / 4;
        const uint64_t slots = 256 * 8;
        NS_TEST_EXPECT_MSG_EQ(MemoryModel(moe.GetStep()).GetLayerBytes(0),
                              attention + 256 * (2 * 2 * 2048 + 4 * 128) +
                                  2 * slots * (4 * 2048 + 3 * 768 + 2048),
                              "experts");
    }
};

/** States. */
class ModelStatesFollowZero : public TestCase
{
  public:
    ModelStatesFollowZero()
        : TestCase("parameters, gradients and optimizer as ZeRO cuts them; a model that cannot fit "
                   "is told in one line")
    {
    }

  private:
    void Expect(const std::string& strategy,
                uint64_t parameters,
                uint64_t gradients,
                uint64_t optimizer)
    {
        const MemoryEstimate memory =
            EstimateModelStates(1000, 8, strategy, DataType::BF16, DataType::FP32);
        NS_TEST_EXPECT_MSG_EQ(memory.parameters, parameters, strategy);
        NS_TEST_EXPECT_MSG_EQ(memory.gradients, gradients, strategy);
        NS_TEST_EXPECT_MSG_EQ(memory.optimizer, optimizer, strategy);
        NS_TEST_EXPECT_MSG_EQ(memory.GetTotal(), parameters + gradients + optimizer, strategy);
    }

    void DoRun() override
    {
        Expect("no_shard", 2000, 4000, 12000);
        Expect("optim", 2000, 4000, 1500);
        Expect("optim_grads", 2000, 500, 1500);
        Expect("optim_grads_params", 250, 500, 1500);
        NS_TEST_EXPECT_MSG_EQ(
            EstimateModelStates(1000, 8, "no_shard", DataType::FP32, DataType::FP32).GetTotal(),
            16000,
            "no master copy");
        NS_TEST_EXPECT_MSG_EQ(
            EstimateModelStates(1001, 8, "optim", DataType::BF16, DataType::BF16).optimizer,
            1502,
            "rounded up");

        PublishedRun run(ReadShippedModel("llama-3-70b"));
        run.Set(8, 1, 16, 0, 8192);
        run.parallel.sequence_parallel = true;
        run.training.data_parallel_sharding_strategy = "optim_grads_params";
        run.accelerator.name = "H100";
        const PublishedStep sharded(run);
        const uint64_t held = sharded.GetStep().GetStage(0).parameters;
        const MemoryEstimate memory = sharded.GetModel().EstimateMemory(0);
        NS_TEST_EXPECT_MSG_EQ(memory.parameters, held * 2 / 16, "a sixteenth");
        NS_TEST_EXPECT_MSG_EQ(memory.optimizer, held * 12 / 16, "a sixteenth");
        // Gradients of the largest unit, parameters of the largest two that follow one another: the
        // embedding is larger than a layer, padded to a multiple of 1024.
        const uint64_t layer = (CountLayerParameters(run.model, 0) - 2 * 8192) / 8 + 2 * 8192;
        const uint64_t embedding = 129024 / 8 * 8192;
        NS_TEST_EXPECT_MSG_EQ(memory.workspace,
                              4 * (embedding + 8192) + 2 * (embedding + 8192 + layer),
                              "units that are there as a whole");
        NS_TEST_EXPECT_MSG_EQ(sharded.GetModel().GetMemoryWarning(), "", "fits");

        run.training.data_parallel_sharding_strategy = "no_shard";
        const PublishedStep whole(run);
        NS_TEST_EXPECT_MSG_EQ(whole.GetModel().EstimateMemory(0).workspace, 0, "all is there");
        const std::string warning = whole.GetModel().GetMemoryWarning();
        const std::string start = "ranks of pipeline position 0 need about ";
        const std::string end = ", but an accelerator has 74.506 GiB";
        NS_TEST_EXPECT_MSG_EQ(warning.substr(0, start.size()), start, warning);
        NS_TEST_EXPECT_MSG_EQ(warning.substr(warning.size() - end.size()), end, warning);
    }
};

/** The suite. */
class AnalysisMemoryTestSuite : public TestSuite
{
  public:
    AnalysisMemoryTestSuite()
        : TestSuite("llm-training-analysis-memory", Type::UNIT)
    {
        AddTestCase(new ActivationsFollowKorthikanti, llm::TestDuration::QUICK);
        AddTestCase(new ActivationsOfOtherFamilies, llm::TestDuration::QUICK);
        AddTestCase(new ModelStatesFollowZero, llm::TestDuration::QUICK);
    }
};

const AnalysisMemoryTestSuite g_analysisMemoryTestSuite; //!< registers the suite

} // namespace
