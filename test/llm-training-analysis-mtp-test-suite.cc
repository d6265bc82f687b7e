/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-closed-form.h"
#include "llm-training-workload-expect.h"

#include "ns3/llm-memory-model.h"
#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A small model with MTP modules and how it is trained. */
struct MtpRecipe
{
    ModelConfig model;
    ParallelConfig parallel;
    TrainingConfig training;

    MtpRecipe()
    {
        model.SetFamily("deepseek_v3");
        model.vocab_size = 500;
        model.hidden_size = 64;
        model.num_hidden_layers = 4;
        model.num_attention_heads = 4;
        model.head_dim = 16;
        model.intermediate_size = 96;
        model.num_experts = 8;
        model.num_experts_per_tok = 2;
        model.moe_intermediate_size = 32;
        model.first_k_dense_replace = 1;
        model.num_nextn_predict_layers = 1;
        training.seq_length = 32;
    }

    TrainingStep Make() const
    {
        AcceleratorConfig accelerator;
        return TrainingStep(model, ParallelLayout(parallel), training, Accelerator(accelerator));
    }
};

/** Closed form. */
class ModulesFollowTheirClosedForm : public TestCase
{
  public:
    ModulesFollowTheirClosedForm()
        : TestCase("MTP modules send what the closed form says, on every layout and schedule")
    {
    }

  private:
    void Check(const MtpRecipe& recipe, const std::string& what)
    {
        const TrainingStep step = recipe.Make();
        NS_TEST_EXPECT_MSG_EQ(ClosedFormCheck(step).Run(3), "", what);
    }

    void DoRun() override
    {
        Dice dice(17);
        for (int i = 0; i < 24; ++i)
        {
            MtpRecipe recipe;
            const auto t = dice.Pick<uint32_t>({1, 2, 4});
            const auto p = dice.Pick<uint32_t>({1, 2});
            recipe.parallel.tensor_model_parallel_size = t;
            recipe.parallel.pipeline_model_parallel_size = p;
            recipe.parallel.data_parallel_size = dice.Pick<uint32_t>({1, 2});
            recipe.parallel.sequence_parallel = dice.Throw(2) == 1;
            recipe.model.num_nextn_predict_layers = 1 + dice.Throw(2);
            recipe.model.tie_word_embeddings = dice.Throw(2) == 1;
            if (dice.Throw(3) == 0)
            {
                // Dense.
                recipe.model.num_experts = 0;
                recipe.model.num_experts_per_tok = 0;
                recipe.model.moe_intermediate_size = 0;
                recipe.model.expert_score_correction_bias = false;
                recipe.model.first_k_dense_replace = 0;
            }
            else
            {
                recipe.parallel.sequence_parallel = true; // as experts ask for
            }
            recipe.model.num_hidden_layers *= p;
            recipe.parallel.pipeline_schedule =
                dice.Pick<std::string>({"1f1b", "gpipe", "zb_h1", p == 2 ? "dualpipe" : "1f1b"});
            recipe.training.global_batch_size = recipe.parallel.data_parallel_size * 4;
            recipe.training.data_parallel_sharding_strategy =
                dice.Pick<std::string>({"no_shard", "optim", "optim_grads"});
            recipe.training.recompute_granularity =
                dice.Pick<std::string>({"none", "selective", "full"});
            Check(recipe,
                  "step " + std::to_string(i) + ": " + recipe.parallel.pipeline_schedule + " t " +
                      std::to_string(t) + " p " + std::to_string(p));
        }
    }
};

/** What the last stage has. */
class ModulesAreOnTheLastStage : public TestCase
{
  public:
    ModulesAreOnTheLastStage()
        : TestCase("modules are behind the output layer of the last stage, which has a copy of the "
                   "embedding; its gradient is summed with the first stage's")
    {
    }

  private:
    void DoRun() override
    {
        MtpRecipe recipe;
        recipe.parallel.pipeline_model_parallel_size = 2;
        const TrainingStep step = recipe.Make();
        uint64_t all = 0;
        for (uint32_t stage = 0; stage < 2; ++stage)
        {
            all += step.GetStage(stage).parameters;
        }
        // Vocabulary 500 is padded to 512, in three tables.
        NS_TEST_EXPECT_MSG_EQ(all,
                              CountParameters(step.GetModel()) +
                                  CountMtpParameters(step.GetModel()) + 512 * 64 + 2 * 12 * 64,
                              "model, module and a copy of the embedding");
        const StageWork& last = step.GetStage(1);
        NS_TEST_EXPECT_MSG_EQ(last.layers.count, 3, "two layers and the module's");
        NS_TEST_EXPECT_MSG_EQ(step.GetStage(0).mtpModules, 0, "first stage");
        NS_TEST_EXPECT_MSG_EQ(last.mtpModules, 1, "last stage");
        std::string parts;
        for (const auto& part : last.parts)
        {
            parts += part.setup ? "" : std::string("EAMHP").substr(static_cast<int>(part.part), 1);
        }
        NS_TEST_EXPECT_MSG_EQ(parts, "AMAMHEPAMH", "order");
        const CollectiveSelector selector;
        const TrafficModel model(
            step,
            [&selector](CollectiveSpec& spec, const ProcessGroup&, ParallelDimension) {
                return selector.Choose(spec, "ring").algorithm;
            });
        NS_TEST_EXPECT_MSG_EQ(model.GetPairBytes(0, 1, ParallelDimension::EMBEDDING),
                              512 * 64 * 4,
                              "gradient of the embedding");
        NS_TEST_EXPECT_MSG_EQ(
            model.GetPassTimes(1).forwardPs,
            step.GetTimes().embedding.forwardPs + step.GetTimes().mtpProjection.forwardPs +
                2 * step.GetTimes().head.forwardPs + 3 * step.GetTimes().attention.forwardPs +
                3 * step.GetTimes().GetEvenMoe().forwardPs,
            "time of the last stage");
        const MemoryModel memory(step);
        NS_TEST_EXPECT_MSG_EQ(memory.GetStageBytes(1),
                              2 * memory.GetLayerBytes(2) + memory.GetLayerBytes(4) +
                                  32 * 2 * 4 * 64 + 2 * (32 * 2 * 2 * 64 + 4 * 32 * 512),
                              "three layers, projection, two output layers");

        recipe.training.data_parallel_sharding_strategy = "optim_grads_params";
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&recipe] { recipe.Make(); }),
                              "ModelConfig: num_nextn_predict_layers: is 1, but training with "
                              "multi-token prediction and sharded parameters is not supported yet; "
                              "parameters and FLOPs are",
                              "refused");
    }
};

/** The suite. */
class AnalysisMtpTestSuite : public TestSuite
{
  public:
    AnalysisMtpTestSuite()
        : TestSuite("llm-training-analysis-mtp", Type::UNIT)
    {
        AddTestCase(new ModulesFollowTheirClosedForm, llm::TestDuration::QUICK);
        AddTestCase(new ModulesAreOnTheLastStage, llm::TestDuration::QUICK);
    }
};

const AnalysisMtpTestSuite g_analysisMtpTestSuite; //!< registers the suite

} // namespace
