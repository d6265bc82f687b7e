/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-closed-form.h"
#include "llm-training-listed-workload.h"
#include "llm-training-workload-expect.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-pipeline-clock.h"
#include "ns3/llm-traffic-model.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-step.h"
#include "ns3/llm-workload-checker.h"
#include "ns3/llm-workload-timeline.h"
#include "ns3/test.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr auto COMPUTE = OperationKind::COMPUTE;
constexpr auto SEND = OperationKind::SEND;
constexpr auto RECV = OperationKind::RECV;
constexpr auto ALL_REDUCE = OperationKind::ALL_REDUCE;

/** Adds a COMPUTE. */
Operation&
AddCompute(ListedWorkload& workload, uint32_t rank, int64_t durationPs)
{
    Operation& operation = workload.Add(rank, COMPUTE, 0);
    operation.durationPs = durationPs;
    return operation;
}

/** Communication takes a picosecond per byte. */
int64_t
OneBytePerPs(uint32_t /* rank */, const Operation& operation)
{
    return static_cast<int64_t>(operation.bytes);
}

/** @return time on a path that serves a dimension. */
int64_t
GetPs(const TimeBreakdown& breakdown, ParallelDimension dimension)
{
    return breakdown.communicationPs.at(static_cast<std::size_t>(dimension));
}

/** Small programs, whose times can be added up by hand. */
class TimesOfSmallPrograms : public TestCase
{
  public:
    TimesOfSmallPrograms()
        : TestCase("streams run in order and beside each other, collectives wait for the last "
                   "member, messages set out when they are ready; the critical path has no gap")
    {
    }

  private:
    void DoRun() override
    {
        // Rank 0: 100 of compute, then all-reduces 30 bytes while it computes 50 more, then both.
        // Rank 1: 120 of compute, the all-reduce, then it sends 7 bytes to rank 0.
        ListedWorkload workload(2);
        workload.groups = {{ParallelDimension::DATA, "dp", {0, 1}}};
        AddCompute(workload, 0, 100);
        Operation* operation = &workload.Add(0, ALL_REDUCE, 30);
        operation->stream = OperationStream::DATA;
        operation->waits = {0};
        AddCompute(workload, 0, 50);
        operation = &workload.AddPeer(0, RECV, 7, 1, 5);
        operation->stream = OperationStream::RECV_FORWARD;
        operation->dimension = ParallelDimension::PIPELINE;
        operation = &AddCompute(workload, 0, 11);
        operation->waits = {1, 3};
        AddCompute(workload, 1, 120);
        operation = &workload.Add(1, ALL_REDUCE, 30);
        operation->stream = OperationStream::DATA;
        operation->waits = {0};
        operation = &workload.AddPeer(1, SEND, 7, 0, 5);
        operation->stream = OperationStream::SEND_FORWARD;
        operation->dimension = ParallelDimension::PIPELINE;
        operation->waits = {1};

        WorkloadTimeline timeline(workload);
        NS_TEST_EXPECT_MSG_EQ(timeline.Run(), 161, "100 + 50 + 11 without communication");
        NS_TEST_EXPECT_MSG_EQ(timeline.GetCriticalPath().computePs, 161, "compute of rank 0");
        NS_TEST_EXPECT_MSG_EQ(timeline.GetEndPs(1), 120, "rank 1");
        NS_TEST_EXPECT_MSG_EQ_TOL(timeline.GetBubbleFraction(),
                                  2 * 161.0 / (161 + 120) - 1,
                                  1e-12,
                                  "idle over busy");

        timeline.SetCommunicationTime(&OneBytePerPs);
        NS_TEST_EXPECT_MSG_EQ(timeline.Run(), 120 + 30 + 7 + 11, "over rank 1");
        const TimeBreakdown& path = timeline.GetCriticalPath();
        NS_TEST_EXPECT_MSG_EQ(path.computePs, 131, "120 + 11");
        NS_TEST_EXPECT_MSG_EQ(GetPs(path, ParallelDimension::DATA), 30, "all-reduce");
        NS_TEST_EXPECT_MSG_EQ(GetPs(path, ParallelDimension::PIPELINE), 7, "message");
        NS_TEST_EXPECT_MSG_EQ(path.GetTotal(), 168, "no gap");
        NS_TEST_EXPECT_MSG_EQ(timeline.GetWork(0).computePs, 161, "busy");
        NS_TEST_EXPECT_MSG_EQ(GetPs(timeline.GetWork(0), ParallelDimension::PIPELINE),
                              0,
                              "messages count where they are sent");
        NS_TEST_EXPECT_MSG_EQ(GetPs(timeline.GetWork(1), ParallelDimension::PIPELINE), 7, "sent");
        NS_TEST_EXPECT_MSG_EQ(timeline.GetEndPs(1), 157, "rank 1");
    }
};

/** What cannot end. */
class EndlessWorkIsNamed : public TestCase
{
  public:
    EndlessWorkIsNamed()
        : TestCase("a receive without a send, a collective without a member: one line each")
    {
    }

  private:
    void DoRun() override
    {
        ListedWorkload receive(2);
        receive.AddPeer(1, RECV, 7, 0, 5);
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&receive]() { WorkloadTimeline(receive, "w").Run(); }),
                              "w: rank 1 operation 0: recv from rank 0 with tag 5 never gets its "
                              "partner; a check of the workload says more",
                              "message");
        ListedWorkload graph(1);
        AddCompute(graph, 0, 1).stream = OperationStream::UNORDERED;
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&graph]() { WorkloadTimeline(graph, "w").Run(); }),
                              "w: rank 0 operation 0: is of an imported graph, without streams; "
                              "timelines are for programs with streams",
                              "message");
        ListedWorkload collective(2);
        collective.groups = {{ParallelDimension::DATA, "dp", {0, 1}}};
        AddCompute(collective, 0, 1);
        collective.Add(0, ALL_REDUCE, 7);
        NS_TEST_EXPECT_MSG_EQ(
            MessageOf([&collective]() { WorkloadTimeline(collective, "w").Run(); }),
            "w: rank 0 operation 1: all_reduce over group 0 never gets its partner; a check of the "
            "workload says more",
            "message");
    }
};

/** A model of eight equal layers with a fixed time, on a pipeline. */
struct PipelineRecipe
{
    ModelConfig model;
    ParallelConfig parallel;
    TrainingConfig training;
    AcceleratorConfig accelerator;

    PipelineRecipe(const std::string& schedule, uint32_t p, uint64_t m, uint32_t v = 1)
    {
        model.SetFamily("llama");
        model.vocab_size = 1000;
        model.hidden_size = 64;
        model.num_hidden_layers = 2ULL * p * v;
        model.num_attention_heads = 8;
        model.num_key_value_heads = 8;
        model.intermediate_size = 96;
        training.seq_length = 16;
        parallel.pipeline_schedule = schedule;
        parallel.pipeline_model_parallel_size = p;
        parallel.virtual_pipeline_model_parallel_size = v;
        SetMicrobatches(m);
        // F = B = W.
        accelerator.fixed_layer_forward_ps = FORWARD_PS;
        accelerator.fixed_layer_backward_ps = 2 * FORWARD_PS;
    }

    void SetMicrobatches(uint64_t m)
    {
        const uint32_t d = parallel.data_parallel_size == 0 ? 1 : parallel.data_parallel_size;
        training.global_batch_size = static_cast<uint32_t>(m) * d;
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

    static constexpr int64_t FORWARD_PS = 1000000; //!< of a layer
};

/** Bubbles once more, with what is really executed. */
class BubblesByExecution : public TestCase
{
  public:
    BubblesByExecution()
        : TestCase("the operations of every schedule, run against a clock without cost of "
                   "communication, have the bubble of its paper, to the ps")
    {
    }

  private:
    void Expect(const PipelineRecipe& recipe, int64_t bubble)
    {
        const TrainingStep step = recipe.Make();
        WorkloadChecker(step).Run();
        WorkloadTimeline timeline(step);
        const int64_t timePs = timeline.Run();
        // Each rank computes all microbatches through 1/p of the layers.
        const auto layers = static_cast<int64_t>(recipe.model.num_hidden_layers /
                                                 recipe.parallel.pipeline_model_parallel_size);
        const int64_t busyPs = static_cast<int64_t>(step.GetMicrobatchCount()) * layers * 3 *
                               PipelineRecipe::FORWARD_PS;
        const std::string label =
            recipe.parallel.pipeline_schedule + " p " +
            std::to_string(recipe.parallel.pipeline_model_parallel_size) + " v " +
            std::to_string(recipe.parallel.virtual_pipeline_model_parallel_size);
        NS_TEST_EXPECT_MSG_EQ(timePs - busyPs, bubble * 2 * PipelineRecipe::FORWARD_PS, label);
        NS_TEST_EXPECT_MSG_EQ(timeline.GetCriticalPath().computePs, timePs, label);
        for (const uint32_t rank : timeline.GetRanks())
        {
            NS_TEST_EXPECT_MSG_EQ(timeline.GetWork(rank).computePs, busyPs, label);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(timeline.GetBubbleFraction(),
                                  static_cast<double>(timePs - busyPs) /
                                      static_cast<double>(busyPs),
                                  1e-9,
                                  label);
    }

    void DoRun() override
    {
        struct Case
        {
            uint32_t p;
            uint64_t m;
        };

        for (const auto& [p, m] : {Case{2, 4}, Case{4, 8}, Case{8, 32}})
        {
            // In units of F of a chunk of layers; traffic of papers in the schedules' own suite.
            const int64_t others = p - 1;
            Expect(PipelineRecipe("gpipe", p, m), others * 3);
            Expect(PipelineRecipe("1f1b", p, m), others * 3);
            Expect(PipelineRecipe("1f1b", p, m, 2), others * 3);
            Expect(PipelineRecipe("1f1b", p, m, 4), others * 3);
            Expect(PipelineRecipe("zb_h1", p, m), others);
            Expect(PipelineRecipe("dualpipe", p, m), (p / 2 - 1) * 2);
            for (const bool overlap : {true, false})
            {
                PipelineRecipe recipe("dualpipe", p, m);
                recipe.training.overlap_p2p_comm = overlap;
                recipe.parallel.tensor_model_parallel_size = 2;
                recipe.parallel.sequence_parallel = true;
                recipe.parallel.data_parallel_size = 2;
                recipe.training.overlap_grad_reduce = overlap;
                recipe.SetMicrobatches(m);
                Expect(recipe, (p / 2 - 1) * 2);
            }
        }
    }
};

/** Pipelines with sharded data parallelism. */
class SchedulesWithEverySharding : public TestCase
{
  public:
    SchedulesWithEverySharding()
        : TestCase("every schedule with every way to shard: no deadlock in any order of ranks, "
                   "closed form = emitted bytes, the same bubble")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zb_h1", "dualpipe"})
        {
            int64_t unshardedPs = 0;
            for (const char* strategy : {"no_shard", "optim", "optim_grads", "optim_grads_params"})
            {
                for (uint32_t flags = 0; flags < 8; ++flags)
                {
                    const bool interleaved = std::string(schedule) == "interleaved";
                    PipelineRecipe recipe(interleaved ? "1f1b" : schedule,
                                          4,
                                          8,
                                          interleaved ? 2 : 1);
                    recipe.parallel.data_parallel_size = 3;
                    recipe.SetMicrobatches(8);
                    recipe.training.data_parallel_sharding_strategy = strategy;
                    recipe.training.overlap_grad_reduce = (flags & 1) != 0;
                    recipe.training.overlap_param_gather = (flags & 2) != 0;
                    recipe.training.reshard_after_forward =
                        (flags & 4) != 0 || std::string(strategy) != "optim_grads_params";
                    recipe.model.tie_word_embeddings = (flags & 4) != 0;
                    const TrainingStep step = recipe.Make();
                    const std::string label =
                        std::string(schedule) + " " + strategy + " " + std::to_string(flags);
                    NS_TEST_EXPECT_MSG_EQ(ClosedFormCheck(step).Run(flags), "", label);
                    const int64_t timePs = WorkloadTimeline(step).Run();
                    unshardedPs = unshardedPs == 0 ? timePs : unshardedPs;
                    NS_TEST_EXPECT_MSG_EQ(timePs, unshardedPs, label);
                }
            }
        }
    }
};

/** The clock of passes beside that of operations. */
class ClockOfPasses : public TestCase
{
  public:
    ClockOfPasses()
        : TestCase("passes alone take the time of their operations; the published bubble; memory "
                   "in flight by schedule, with uneven stages too")
    {
    }

  private:
    static TrafficModel::Chooser Ring()
    {
        static const CollectiveSelector selector;
        return [](CollectiveSpec& spec, const ProcessGroup&, ParallelDimension) {
            return selector.Choose(spec, "ring").algorithm;
        };
    }

    void ExpectPeaks(const PipelineRecipe& recipe,
                     const std::vector<uint64_t>& chunkBytes,
                     const std::vector<uint64_t>& peaks)
    {
        const TrainingStep step = recipe.Make();
        const PipelineClock clock(step);
        for (uint32_t rank = 0; rank < peaks.size(); ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(clock.GetPeakBytes(rank, chunkBytes),
                                  peaks[rank],
                                  recipe.parallel.pipeline_schedule << " rank " << rank);
        }
    }

    void DoRun() override
    {
        for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zb_h1", "dualpipe"})
        {
            const bool interleaved = std::string(schedule) == "interleaved";
            PipelineRecipe recipe(interleaved ? "1f1b" : schedule, 4, 8, interleaved ? 2 : 1);
            const TrainingStep even = recipe.Make();
            const TrafficModel model(even, Ring());
            const int64_t timePs = WorkloadTimeline(even).Run();
            NS_TEST_EXPECT_MSG_EQ(model.GetIdealIterationPs(), timePs, schedule);
            NS_TEST_EXPECT_MSG_EQ_TOL(
                model.GetBubbleFraction(),
                static_cast<double>(timePs) / static_cast<double>(model.GetComputePs(0)) - 1,
                1e-12,
                schedule);

            // Uneven, with embedding, output layer and optimizer.
            recipe.accelerator = AcceleratorConfig();
            recipe.parallel.pipeline_model_parallel_layout =
                interleaved ? "0,3,1,2,1,1,1,5" : "1,4,2,3";
            recipe.model.num_hidden_layers = interleaved ? 14 : 10;
            const TrainingStep uneven = recipe.Make();
            NS_TEST_EXPECT_MSG_EQ(TrafficModel(uneven, Ring()).GetIdealIterationPs(),
                                  WorkloadTimeline(uneven).Run(),
                                  schedule);
        }
        ExpectPeaks(PipelineRecipe("gpipe", 4, 6), {10}, {60, 60, 60, 60});
        ExpectPeaks(PipelineRecipe("1f1b", 4, 8), {10}, {40, 30, 20, 10});
        ExpectPeaks(PipelineRecipe("1f1b", 4, 2), {10}, {20, 20, 20, 10});
        ExpectPeaks(PipelineRecipe("1f1b", 4, 8, 2), {1, 1}, {11, 9, 7, 5});
        ExpectPeaks(PipelineRecipe("zb_h1", 4, 8), {10}, {40, 40, 40, 40});
        ExpectPeaks(PipelineRecipe("dualpipe", 4, 8), {10, 10}, {50, 50, 50, 50});
        // The last chunk of a microbatch ends first: all 8 are in flight on the first one.
        ExpectPeaks(PipelineRecipe("1f1b", 4, 8, 2), {10, 0}, {80});

        // DualPipe holds two stages' parameters on each rank.
        const TrainingStep dual = PipelineRecipe("dualpipe", 4, 8).Make();
        const TrafficModel model(dual, Ring());
        NS_TEST_EXPECT_MSG_EQ(model.EstimateMemory(1).parameters,
                              2 * (dual.GetStage(1).parameters + dual.GetStage(2).parameters),
                              "bf16");
    }
};

/** Sends of the emitted programs. */
class SendsByExecution : public TestCase
{
  public:
    SendsByExecution()
        : TestCase("emitted sends: 1F1B 4 x 2 microbatches 6 + 6, 4 x 8 24 + 24, interleaved "
                   "4 x 2 x 8 56 + 56, DualPipe 4 x 8 24 + 24")
    {
    }

  private:
    void Expect(const PipelineRecipe& recipe, uint64_t sends)
    {
        const TrainingStep step = recipe.Make();
        std::map<OperationStream, uint64_t> counts;
        WorkloadChecker checker(step);
        checker.SetObserver([&counts](uint32_t, const Operation& operation) {
            if (operation.kind == SEND)
            {
                ++counts[operation.stream];
            }
        });
        checker.Run();
        NS_TEST_EXPECT_MSG_EQ(counts[OperationStream::SEND_FORWARD], sends, "forward");
        NS_TEST_EXPECT_MSG_EQ(counts[OperationStream::SEND_BACKWARD], sends, "backward");
    }

    void DoRun() override
    {
        Expect(PipelineRecipe("1f1b", 4, 2), 6);
        Expect(PipelineRecipe("1f1b", 4, 8), 24);
        Expect(PipelineRecipe("1f1b", 4, 8, 2), 56);
        Expect(PipelineRecipe("dualpipe", 4, 8), 24);
        NS_TEST_EXPECT_MSG_EQ(
            MessageOf([]() { PipelineRecipe("1f1b", 4, 6, 2).Make(); }),
            "s.json: training.global_batch_size: 6 microbatches (m = global_batch_size / "
            "(micro_batch_size x data_parallel_size)) are not a multiple of "
            "pipeline_model_parallel_size 4, as virtual_pipeline_model_parallel_size 2 needs",
            "message");
        NS_TEST_EXPECT_MSG_EQ(
            MessageOf([]() { PipelineRecipe("dualpipe", 4, 6).Make(); }),
            "s.json: training.global_batch_size: 6 microbatches (m = global_batch_size / "
            "(micro_batch_size x data_parallel_size)) are too few for pipeline_schedule dualpipe, "
            "which needs at least 8, two per pipeline stage",
            "message");
    }
};

/** One pipeline stands for all. */
class OnePipelineOutOfMany : public TestCase
{
  public:
    OnePipelineOutOfMany()
        : TestCase("one pipeline of a job of equal ones takes the time of all, with cost of "
                   "communication too")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* schedule : {"gpipe", "1f1b", "zb_h1", "dualpipe"})
        {
            PipelineRecipe recipe(schedule, 4, 8);
            recipe.parallel.tensor_model_parallel_size = 2;
            recipe.parallel.data_parallel_size = 3;
            recipe.SetMicrobatches(8);
            const TrainingStep step = recipe.Make();
            WorkloadTimeline all(step);
            WorkloadTimeline one(step);
            one.SetRanks({1, 7, 13, 19});
            for (uint32_t place = 0; place < 4; ++place)
            {
                NS_TEST_ASSERT_MSG_EQ(step.GetLayout().GetRank({1, 0, 0, place}),
                                      one.GetRanks()[place],
                                      "tensor rank 1 of the first replica");
            }
            for (WorkloadTimeline* timeline : {&all, &one})
            {
                timeline->SetCommunicationTime(&OneBytePerPs);
            }
            const int64_t timePs = all.Run();
            NS_TEST_EXPECT_MSG_EQ(one.Run(), timePs, schedule);
            NS_TEST_EXPECT_MSG_EQ(all.GetCriticalPath().GetTotal(), timePs, schedule);
            NS_TEST_EXPECT_MSG_GT(GetPs(one.GetCriticalPath(), ParallelDimension::TENSOR),
                                  0,
                                  schedule);
            NS_TEST_EXPECT_MSG_GT(GetPs(one.GetCriticalPath(), ParallelDimension::PIPELINE),
                                  0,
                                  schedule);
        }
    }
};

/** The suite. */
class AnalysisTimelineTestSuite : public TestSuite
{
  public:
    AnalysisTimelineTestSuite()
        : TestSuite("llm-training-analysis-timeline", Type::UNIT)
    {
        AddTestCase(new TimesOfSmallPrograms, llm::TestDuration::QUICK);
        AddTestCase(new EndlessWorkIsNamed, llm::TestDuration::QUICK);
        AddTestCase(new BubblesByExecution, llm::TestDuration::QUICK);
        AddTestCase(new SchedulesWithEverySharding, llm::TestDuration::QUICK);
        AddTestCase(new ClockOfPasses, llm::TestDuration::QUICK);
        AddTestCase(new SendsByExecution, llm::TestDuration::QUICK);
        AddTestCase(new OnePipelineOutOfMany, llm::TestDuration::QUICK);
    }
};

const AnalysisTimelineTestSuite g_analysisTimelineTestSuite; //!< registers the suite

} // namespace
