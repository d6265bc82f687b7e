/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-closed-form.h"
#include "llm-training-workload-expect.h"

#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-step.h"
#include "ns3/llm-workload-timeline.h"
#include "ns3/test.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A tiny llama of 4 layers on two ranks. */
struct LayerRecipe
{
    ModelConfig model;
    ParallelConfig parallel;
    TrainingConfig training;
    AcceleratorConfig accelerator;

    LayerRecipe()
    {
        model.SetFamily("llama");
        model.vocab_size = 1024;
        model.hidden_size = 64;
        model.num_hidden_layers = 4;
        model.num_attention_heads = 8;
        model.num_key_value_heads = 8;
        model.intermediate_size = 96;
        training.seq_length = 16;
        parallel.tensor_model_parallel_size = 2;
        parallel.sequence_parallel = true;
        accelerator.fixed_layer_forward_ps = FORWARD;
        accelerator.fixed_layer_backward_ps = 2 * FORWARD;
    }

    TrainingStep Make() const
    {
        return TrainingStep(model,
                            ParallelLayout(parallel),
                            training,
                            Accelerator(accelerator),
                            "s.json",
                            "training");
    }

    /** @param wirePs of each collective in a layer; others take no time. @return iteration. */
    int64_t Run(int64_t wirePs) const
    {
        const TrainingStep step = Make();
        WorkloadTimeline timeline(step);
        timeline.SetCommunicationTime([wirePs](uint32_t, const Operation& one) {
            return one.dimension == ParallelDimension::TENSOR && one.layer >= 0 ? wirePs : 0;
        });
        return timeline.Run();
    }

    static constexpr int64_t FORWARD = 1000000; //!< of a layer
};

/** Full and selective. */
class LayersAreComputedAgain : public TestCase
{
  public:
    LayersAreComputedAgain()
        : TestCase("full recomputation runs a layer forward again ahead of its backward, with its "
                   "collectives; selective runs the attention core again")
    {
    }

  private:
    /** @return counts of collectives of layers in backward, by kind and layer. */
    static std::map<std::string, uint64_t> Count(const LayerRecipe& recipe)
    {
        const TrainingStep step = recipe.Make();
        const auto program = step.CreateProgram(0, 0);
        std::map<std::string, uint64_t> counts;
        Operation one;
        while (program->Next(one))
        {
            if (one.kind != OperationKind::COMPUTE && one.phase == StepPhase::BACKWARD &&
                one.layer >= 0)
            {
                ++counts[ToString(one.kind) + std::string(" ") + std::to_string(one.layer)];
            }
        }
        return counts;
    }

    void CheckFull()
    {
        constexpr int64_t f = LayerRecipe::FORWARD;
        LayerRecipe recipe;
        recipe.parallel.pipeline_model_parallel_size = 1;
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(0), 4 * 3 * f, "kept");
        recipe.training.recompute_granularity = "full";
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(0), 4 * 4 * f, "a quarter more");
        NS_TEST_EXPECT_MSG_EQ(Count(recipe)["all_gather 0"], 4 + 2, "and 2 in forward");
        NS_TEST_EXPECT_MSG_EQ(Count(recipe)["reduce_scatter 3"], 2 + 2, "and 2 in forward");
        recipe.training.recompute_num_layers = 3;
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(0), (4 * 3 + 3) * f, "three of four");
        NS_TEST_EXPECT_MSG_EQ(Count(recipe)["all_gather 2"], 4 + 2, "the third");
        NS_TEST_EXPECT_MSG_EQ(Count(recipe)["all_gather 3"], 4, "not the fourth");
        recipe.parallel.sequence_parallel = false;
        NS_TEST_EXPECT_MSG_EQ(Count(recipe)["all_reduce 0"], 2 + 2, "without SP");
        NS_TEST_EXPECT_MSG_EQ(Count(recipe)["all_reduce 3"], 2, "without SP");
        NS_TEST_EXPECT_MSG_EQ(ClosedFormCheck(recipe.Make()).Run(1), "", "closed form");
        // In the order of the layer: both forward collectives, then those of backward.
        recipe.model.num_hidden_layers = 1;
        recipe.training.recompute_num_layers = 1;
        const TrainingStep step = recipe.Make();
        const auto program = step.CreateProgram(0, 0);
        std::string text;
        Operation one;
        while (program->Next(one))
        {
            const bool counts = one.phase == StepPhase::BACKWARD && one.layer == 0;
            text += !counts ? "" : one.kind == OperationKind::COMPUTE ? "c" : "r";
        }
        NS_TEST_EXPECT_MSG_EQ(text, "crcrcrcr", "attention, MLP; MLP, attention");
    }

    void CheckSchedules()
    {
        constexpr int64_t f = LayerRecipe::FORWARD;
        for (const char* schedule : {"gpipe", "1f1b", "zb_h1"})
        {
            LayerRecipe recipe;
            recipe.parallel.pipeline_model_parallel_size = 2;
            recipe.parallel.pipeline_schedule = schedule;
            recipe.training.global_batch_size = 4;
            recipe.training.recompute_granularity = "full";
            const TrainingStep step = recipe.Make();
            WorkloadTimeline timeline(step);
            timeline.Run();
            NS_TEST_EXPECT_MSG_EQ(timeline.GetWork(0).computePs,
                                  4 * 2 * 4 * f,
                                  schedule << ": with B, not with W");
            NS_TEST_EXPECT_MSG_EQ(ClosedFormCheck(step).Run(1), "", schedule);
            const TrafficModel model(
                step,
                [](CollectiveSpec&, const ProcessGroup&, ParallelDimension) { return nullptr; });
            NS_TEST_EXPECT_MSG_EQ(model.GetComputePs(0), 4 * 2 * 4 * f, schedule);
            NS_TEST_EXPECT_MSG_EQ(model.GetBackwardPs(0), 2 * 3 * f, schedule);
        }
    }

    void CheckSelective()
    {
        LayerRecipe recipe;
        const int64_t core = recipe.Make().GetTimes().attentionCorePs;
        NS_TEST_EXPECT_MSG_GT(core, 0, "some");
        const int64_t kept = recipe.Run(0);
        recipe.training.recompute_granularity = "selective";
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(0), kept + 4 * core, "the core once more");
        NS_TEST_EXPECT_MSG_EQ(Count(recipe)["all_gather 0"], 4, "no communication");
        recipe.training.tp_comm_overlap = true;
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(0), kept + 4 * core, "likewise");
    }

    void DoRun() override
    {
        CheckFull();
        CheckSchedules();
        CheckSelective();
    }
};

/** tp_comm_overlap. */
class TensorCollectivesHideBehindProducts : public TestCase
{
  public:
    TensorCollectivesHideBehindProducts()
        : TestCase("tensor-parallel collectives run beside the products that they feed or drain: "
                   "what is shorter takes no time")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t f = LayerRecipe::FORWARD;
        constexpr int64_t busy = 4 * 3 * f;
        LayerRecipe recipe;
        // 4 forward and 6 backward.
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(1000), busy + 4 * 10 * 1000, "in turns");
        recipe.training.tp_comm_overlap = true;
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(0), busy, "the same compute");
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(1000), busy, "hidden");
        // Longer than any product: each takes its own time, and so do attention cores.
        const int64_t slow = recipe.Run(10 * f);
        NS_TEST_EXPECT_MSG_GT(slow, 4 * 10 * 10 * f, "all collectives");
        NS_TEST_EXPECT_MSG_LT(slow, 4 * 10 * 10 * f + busy, "and what is beside none of them");
        NS_TEST_EXPECT_MSG_EQ(ClosedFormCheck(recipe.Make()).Run(1), "", "the same bytes");

        // Halves: 3 all-gathers and 2 reduce-scatters less one, and the last all-gather.
        recipe.parallel.pipeline_model_parallel_size = 2;
        recipe.parallel.pipeline_schedule = "zb_h1";
        recipe.training.global_batch_size = 4;
        const int64_t halves = recipe.Run(0);
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(1000), halves, "hidden in B and W");
        NS_TEST_EXPECT_MSG_EQ(ClosedFormCheck(recipe.Make()).Run(1), "", "the same bytes");

        recipe = LayerRecipe();
        recipe.parallel.tensor_model_parallel_size = 1;
        recipe.training.tp_comm_overlap = true;
        NS_TEST_EXPECT_MSG_EQ(recipe.Run(1000), busy, "one rank has none");
    }
};

/** Complaints. */
class BadRecomputationIsRefused : public TestCase
{
  public:
    BadRecomputationIsRefused()
        : TestCase("recomputation and overlap that make no sense are refused in one line")
    {
    }

  private:
    void Expect(const std::function<void(LayerRecipe&)>& change, const std::string& expected)
    {
        LayerRecipe recipe;
        change(recipe);
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&recipe] { recipe.Make(); }),
                              "s.json: training." + expected,
                              "message");
    }

    void DoRun() override
    {
        Expect([](LayerRecipe& recipe) { recipe.training.recompute_granularity = "block"; },
               "recompute_granularity: unknown granularity 'block'; known: none, selective, full");
        Expect(
            [](LayerRecipe& recipe) {
                recipe.training.recompute_granularity = "selective";
                recipe.training.recompute_num_layers = 2;
            },
            "recompute_num_layers: is 2, which recompute_granularity full needs, not selective");
        Expect(
            [](LayerRecipe& recipe) {
                recipe.training.tp_comm_overlap = true;
                recipe.parallel.sequence_parallel = false;
            },
            "tp_comm_overlap: needs sequence_parallel, as in Megatron: all-reduces are not "
            "overlapped");
    }
};

/** The suite. */
class WorkloadOverlapTestSuite : public TestSuite
{
  public:
    WorkloadOverlapTestSuite()
        : TestSuite("llm-training-workload-overlap", Type::UNIT)
    {
        AddTestCase(new LayersAreComputedAgain, llm::TestDuration::QUICK);
        AddTestCase(new TensorCollectivesHideBehindProducts, llm::TestDuration::QUICK);
        AddTestCase(new BadRecomputationIsRefused, llm::TestDuration::QUICK);
    }
};

const WorkloadOverlapTestSuite g_workloadOverlapTestSuite; //!< registers the suite

} // namespace
