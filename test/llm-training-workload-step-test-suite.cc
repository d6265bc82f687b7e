/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-one-forward-one-backward.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-step.h"
#include "ns3/llm-workload-checker.h"
#include "ns3/llm-workload-timeline.h"
#include "ns3/test.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

// All operations together would take above 800 MB. AddressSanitizer keeps freed memory for a while.
#ifdef __SANITIZE_ADDRESS__
constexpr int64_t MOST_GROWTH = 640 << 20; //!< bytes
#else
constexpr int64_t MOST_GROWTH = 16 << 20; //!< bytes
#endif

/** What a step is made of; the defaults are a tiny llama on one rank. */
struct Recipe
{
    ModelConfig model;
    ParallelConfig parallel;
    TrainingConfig training;
    AcceleratorConfig accelerator;

    Recipe()
    {
        model.SetFamily("llama");
        model.vocab_size = 1000;
        model.hidden_size = 64;
        model.num_hidden_layers = 4;
        model.num_attention_heads = 8;
        model.num_key_value_heads = 8;
        model.intermediate_size = 96;
        training.seq_length = 16;
    }

    void SetSizes(uint32_t t, uint32_t p, uint32_t d, uint32_t microbatches)
    {
        parallel.tensor_model_parallel_size = t;
        parallel.pipeline_model_parallel_size = p;
        parallel.data_parallel_size = d;
        training.global_batch_size = microbatches * d * training.micro_batch_size;
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
};

/** @return a GPT as plain numbers. */
Recipe
MakeGpt(uint64_t hidden, uint64_t layers, uint64_t heads, uint64_t vocabulary)
{
    Recipe recipe;
    recipe.model = ModelConfig();
    recipe.model.SetFamily("gpt2");
    recipe.model.vocab_size = vocabulary;
    recipe.model.hidden_size = hidden;
    recipe.model.num_hidden_layers = layers;
    recipe.model.num_attention_heads = heads;
    recipe.model.max_position_embeddings = 2048;
    recipe.training.seq_length = 2048;
    return recipe;
}

/** @return all operations of a rank. */
std::vector<Operation>
ListOperations(const TrainingStep& step, uint32_t rank)
{
    std::vector<Operation> operations;
    const auto program = step.CreateProgram(rank, 0);
    Operation operation;
    while (program->Next(operation))
    {
        operations.push_back(operation);
    }
    return operations;
}

/** Counts operations that a predicate takes. */
template <typename Predicate>
uint64_t
CountIf(const std::vector<Operation>& operations, Predicate predicate)
{
    return static_cast<uint64_t>(std::count_if(operations.begin(), operations.end(), predicate));
}

/** @return e.g. "4 all_reduce gradient L-1 M-1 8192 <2,3>". */
std::string
Describe(const Operation& operation)
{
    std::string waits;
    for (const auto wait : operation.waits)
    {
        waits += (waits.empty() ? "" : ",") + std::to_string(wait);
    }
    return std::to_string(operation.id) + " " + ToString(operation.kind) + " " +
           ToString(operation.phase) + " L" + std::to_string(operation.layer) + " M" +
           std::to_string(operation.microbatch) + " " + std::to_string(operation.bytes) + " <" +
           waits + ">";
}

/** The schedule. */
class OneForwardOneBackwardInOrder : public TestCase
{
  public:
    OneForwardOneBackwardInOrder()
        : TestCase("1F1B warms up, alternates and drains, and holds at most p - r microbatches")
    {
    }

  private:
    static std::string Write(uint32_t stage, uint32_t stages, uint64_t microbatches)
    {
        OneForwardOneBackward schedule(stage, stages, microbatches);
        std::string text;
        PipelinePass pass;
        while (schedule.Next(pass))
        {
            text += (pass.IsBackward() ? "b" : "f") + std::to_string(pass.microbatch);
        }
        return text;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Write(0, 4, 2), "f0f1b0b1", "less microbatches than stages");
        NS_TEST_EXPECT_MSG_EQ(Write(2, 4, 2), "f0f1b0b1", "warm-up of one");
        NS_TEST_EXPECT_MSG_EQ(Write(3, 4, 2), "f0b0f1b1", "last");
        NS_TEST_EXPECT_MSG_EQ(Write(0, 4, 5), "f0f1f2f3b0f4b1b2b3b4", "first");
        NS_TEST_EXPECT_MSG_EQ(Write(2, 4, 5), "f0f1b0f2b1f3b2f4b3b4", "third");
        NS_TEST_EXPECT_MSG_EQ(Write(0, 1, 3), "f0b0f1b1f2b2", "no pipeline");
        for (uint32_t stage = 0; stage < 8; ++stage)
        {
            OneForwardOneBackward schedule(stage, 8, 20);
            PipelinePass pass;
            int held = 0;
            int most = 0;
            int passes = 0;
            while (schedule.Next(pass))
            {
                held += pass.IsBackward() ? -1 : 1;
                most = std::max(most, held);
                ++passes;
            }
            NS_TEST_EXPECT_MSG_EQ(passes, 40, "all passes");
            NS_TEST_EXPECT_MSG_EQ(most, 8 - static_cast<int>(stage), "held");
        }
    }
};

/** The whole program of a small step, line by line. */
class SmallStepsLineByLine : public TestCase
{
  public:
    SmallStepsLineByLine()
        : TestCase("the programs of two small steps are these, line by line")
    {
    }

  private:
    void Expect(const TrainingStep& step, uint32_t rank, const std::vector<std::string>& lines)
    {
        const auto operations = ListOperations(step, rank);
        for (std::size_t i = 0; i < std::min(lines.size(), operations.size()); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(Describe(operations[i]), lines[i], "line");
        }
        NS_TEST_EXPECT_MSG_EQ(operations.size(), lines.size(), "length");
        NS_TEST_EXPECT_MSG_EQ(step.CountOperations(rank), lines.size(), "announced");
    }

    void DoRun() override
    {
        // Two stages of one layer, two replicas, two microbatches, tied embedding.
        Recipe recipe;
        recipe.model.num_hidden_layers = 2;
        recipe.model.tie_word_embeddings = true;
        recipe.SetSizes(1, 2, 2, 2);
        // X = 16 * 64 * 2; V' h = 1024 * 64; layer = 4 * 64^2 + 3 * 64 * 96 + 2 * 64.
        Expect(recipe.Make(),
               0,
               {"0 compute forward L-1 M0 0 <>",
                "1 compute forward L0 M0 0 <>",
                "2 compute forward L0 M0 0 <>",
                "3 send forward L-1 M0 2048 <2>",
                "4 compute forward L-1 M1 0 <3>",
                "5 compute forward L0 M1 0 <>",
                "6 compute forward L0 M1 0 <>",
                "7 send forward L-1 M1 2048 <6>",
                "8 recv backward L-1 M0 2048 <>",
                "9 compute backward L0 M0 0 <7,8>",
                "10 compute backward L0 M0 0 <>",
                "11 compute backward L-1 M0 0 <>",
                "12 recv backward L-1 M1 2048 <>",
                "13 compute backward L0 M1 0 <12>",
                "14 compute backward L0 M1 0 <>",
                "15 compute backward L-1 M1 0 <>",
                "16 all_reduce gradient L-1 M1 401920 <15>",
                "17 all_reduce gradient L-1 M-1 262144 <15,16>",
                "18 all_reduce optimizer L-1 M-1 4 <>",
                "19 compute optimizer L-1 M-1 0 <18>"});
        Expect(recipe.Make(),
               2,
               {"0 recv forward L-1 M0 2048 <>",
                "1 compute forward L1 M0 0 <0>",
                "2 compute forward L1 M0 0 <>",
                "3 compute forward L-1 M0 0 <>",
                "4 compute backward L-1 M0 0 <>",
                "5 compute backward L1 M0 0 <>",
                "6 compute backward L1 M0 0 <>",
                "7 send backward L-1 M0 2048 <6>",
                "8 recv forward L-1 M1 2048 <>",
                "9 compute forward L1 M1 0 <7,8>",
                "10 compute forward L1 M1 0 <>",
                "11 compute forward L-1 M1 0 <>",
                "12 compute backward L-1 M1 0 <>",
                "13 compute backward L1 M1 0 <>",
                "14 compute backward L1 M1 0 <>",
                "15 all_reduce gradient L-1 M1 402176 <14>",
                "16 send backward L-1 M1 2048 <14>",
                "17 all_reduce gradient L-1 M-1 4 <14,16>",
                "18 all_reduce gradient L-1 M-1 262144 <14,16,15>",
                "19 all_reduce optimizer L-1 M-1 4 <>",
                "20 compute optimizer L-1 M-1 0 <19>"});
        // One layer, tensor parallel over two with sequence parallelism.
        Recipe sequence;
        sequence.model.num_hidden_layers = 1;
        sequence.parallel.sequence_parallel = true;
        sequence.SetSizes(2, 1, 1, 1);
        Expect(sequence.Make(),
               1,
               {"0 broadcast setup L-1 M0 128 <>",
                "1 compute forward L-1 M0 0 <0>",
                "2 reduce_scatter forward L-1 M0 2048 <1>",
                "3 all_gather forward L0 M0 2048 <>",
                "4 compute forward L0 M0 0 <3>",
                "5 reduce_scatter forward L0 M0 2048 <4>",
                "6 all_gather forward L0 M0 2048 <>",
                "7 compute forward L0 M0 0 <6>",
                "8 reduce_scatter forward L0 M0 2048 <7>",
                "9 all_gather forward L-1 M0 2048 <>",
                "10 compute forward L-1 M0 0 <9>",
                "11 all_reduce forward L-1 M0 64 <10>",
                "12 all_reduce forward L-1 M0 64 <>",
                "13 all_reduce forward L-1 M0 64 <>",
                "14 all_gather backward L-1 M0 2048 <>",
                "15 compute backward L-1 M0 0 <14>",
                "16 reduce_scatter backward L-1 M0 2048 <15>",
                "17 all_gather backward L0 M0 2048 <>",
                "18 all_gather backward L0 M0 2048 <>",
                "19 compute backward L0 M0 0 <18>",
                "20 reduce_scatter backward L0 M0 2048 <19>",
                "21 all_gather backward L0 M0 2048 <>",
                "22 all_gather backward L0 M0 2048 <>",
                "23 compute backward L0 M0 0 <22>",
                "24 reduce_scatter backward L0 M0 2048 <23>",
                "25 all_gather backward L-1 M0 2048 <>",
                "26 compute backward L-1 M0 0 <25>",
                "27 all_reduce gradient L-1 M-1 768 <26>",
                "28 all_reduce optimizer L-1 M-1 4 <27>",
                "29 compute optimizer L-1 M-1 0 <28>"});
    }
};

/** AICB's published workload files. */
class TensorParallelVolumes : public TestCase
{
  public:
    TensorParallelVolumes()
        : TestCase("GPT-13B on TP 8: published counts and sizes, without and with sequence "
                   "parallelism")
    {
    }

  private:
    void DoRun() override
    {
        Recipe recipe = MakeGpt(5120, 40, 40, 32000);
        recipe.training.grad_reduce_dtype = "bf16";
        recipe.SetSizes(8, 1, 16, 1);
        constexpr uint64_t activation = 20971520;
        const auto count = [](const std::vector<Operation>& operations,
                              OperationKind kind,
                              StepPhase phase,
                              bool inLayer,
                              uint64_t bytes) {
            return CountIf(operations, [=](const Operation& one) {
                return one.kind == kind && one.phase == phase && (one.layer >= 0) == inLayer &&
                       one.bytes == bytes && one.dimension == ParallelDimension::TENSOR;
            });
        };
        const auto forward = StepPhase::FORWARD;
        const auto backward = StepPhase::BACKWARD;
        const auto allReduce = OperationKind::ALL_REDUCE;
        const auto allGather = OperationKind::ALL_GATHER;
        const auto scatter = OperationKind::REDUCE_SCATTER;
        {
            const TrainingStep step = recipe.Make();
            const auto all = ListOperations(step, 77);
            NS_TEST_EXPECT_MSG_EQ(count(all, allReduce, forward, true, activation), 80, "forward");
            NS_TEST_EXPECT_MSG_EQ(count(all, allReduce, backward, true, activation), 80, "back");
            NS_TEST_EXPECT_MSG_EQ(count(all, allReduce, forward, false, activation), 1, "embed");
            NS_TEST_EXPECT_MSG_EQ(count(all, allReduce, backward, false, activation), 1, "head");
            NS_TEST_EXPECT_MSG_EQ(count(all, allReduce, forward, false, 8192), 3, "entropy");
            NS_TEST_EXPECT_MSG_EQ(CountIf(all,
                                          [](const Operation& one) {
                                              return one.kind == OperationKind::BROADCAST &&
                                                     one.bytes == 16384;
                                          }),
                                  1,
                                  "token ids");
            // With LayerNorm weights and biases, row and column biases, unsharded positions.
            NS_TEST_EXPECT_MSG_EQ(step.GetPaddedVocabSize(), 32768, "padding");
            NS_TEST_EXPECT_MSG_EQ(step.GetStage(0).parameters, 1605739520, "per rank");
            uint64_t gradients = 0;
            for (const auto& one : all)
            {
                gradients += one.dimension == ParallelDimension::DATA ? one.bytes : 0;
            }
            NS_TEST_EXPECT_MSG_EQ(gradients, 2 * 1605739520ULL, "gradients in bf16");
        }
        recipe.parallel.sequence_parallel = true;
        {
            const TrainingStep step = recipe.Make();
            const auto all = ListOperations(step, 0);
            NS_TEST_EXPECT_MSG_EQ(count(all, allGather, forward, true, activation), 80, "column");
            NS_TEST_EXPECT_MSG_EQ(count(all, allGather, backward, true, activation),
                                  160,
                                  "column and row");
            NS_TEST_EXPECT_MSG_EQ(count(all, scatter, forward, true, activation), 80, "row");
            NS_TEST_EXPECT_MSG_EQ(count(all, scatter, backward, true, activation), 80, "column");
            NS_TEST_EXPECT_MSG_EQ(count(all, allReduce, forward, true, activation), 0, "none");
            // Learned positions: embedding summed whole, its gradient gathered.
            NS_TEST_EXPECT_MSG_EQ(count(all, allReduce, forward, false, activation), 1, "embed");
            NS_TEST_EXPECT_MSG_EQ(count(all, allGather, forward, false, activation), 1, "head");
            NS_TEST_EXPECT_MSG_EQ(count(all, allGather, backward, false, activation), 2, "both");
            NS_TEST_EXPECT_MSG_EQ(count(all, scatter, backward, false, activation), 1, "head");
            // Norms of the layers, published as 4 L h 2; plus row biases and the final norm.
            uint64_t norms = 0;
            for (const auto& tensor : ListParameterTensors(step.GetModel()))
            {
                const bool norm = tensor.name.find("norm") != std::string::npos;
                norms += norm && tensor.layer >= 0 ? tensor.GetElements() * 2 : 0;
            }
            NS_TEST_EXPECT_MSG_EQ(norms, 1638400, "published");
            const uint64_t more = 2 * (40 * 2 * 5120 + 2 * 5120);
            NS_TEST_EXPECT_MSG_EQ(count(all, allReduce, StepPhase::GRADIENT, false, norms + more),
                                  1,
                                  "gradients of norms and row biases");
        }
    }
};

/** Sizes between stages. */
class PipelineVolumes : public TestCase
{
  public:
    PipelineVolumes()
        : TestCase("published sizes and counts of pipeline messages; 1F1B send counts")
    {
    }

  private:
    void DoRun() override
    {
        // Llama-65B, TP 2, PP 8, 8 microbatches.
        Recipe recipe;
        recipe.model.hidden_size = 8192;
        recipe.model.num_hidden_layers = 80;
        recipe.model.num_attention_heads = 64;
        recipe.model.num_key_value_heads = 64;
        recipe.model.intermediate_size = 22016;
        recipe.training.seq_length = 2048;
        recipe.SetSizes(2, 8, 1, 8);
        const TrainingStep step = recipe.Make();
        for (uint32_t stage = 0; stage < 8; ++stage)
        {
            uint64_t forward = 0;
            uint64_t backward = 0;
            for (const auto& one : ListOperations(step, 2 * stage))
            {
                if (one.kind != OperationKind::SEND)
                {
                    continue;
                }
                NS_TEST_EXPECT_MSG_EQ(one.bytes, 33554432, "2 s b h");
                forward += one.phase == StepPhase::FORWARD ? 1 : 0;
                backward += one.phase == StepPhase::BACKWARD ? 1 : 0;
                NS_TEST_EXPECT_MSG_EQ(
                    one.peer,
                    (one.phase == StepPhase::FORWARD ? 2 * stage + 2 : 2 * stage - 2),
                    "peer");
            }
            NS_TEST_EXPECT_MSG_EQ(forward, (stage < 7 ? 8 : 0), "forward");
            NS_TEST_EXPECT_MSG_EQ(backward, (stage > 0 ? 8 : 0), "backward");
        }

        // Four stages with two and with eight microbatches: (p - 1) m each way.
        for (const uint32_t microbatches : {2, 8})
        {
            Recipe four;
            four.SetSizes(1, 4, 1, microbatches);
            const TrainingStep small = four.Make();
            std::map<std::string, uint64_t> sends;
            WorkloadChecker checker(small);
            checker.SetObserver([&sends](uint32_t, const Operation& one) {
                sends[ToString(one.phase)] += one.kind == OperationKind::SEND ? 1 : 0;
            });
            checker.Run();
            NS_TEST_EXPECT_MSG_EQ(sends["forward"], 3 * microbatches, "forward");
            NS_TEST_EXPECT_MSG_EQ(sends["backward"], 3 * microbatches, "backward");
        }

        // GPT-2 small, 32 sequences of 1024: 50 MB; GPT-3 and Llama-3.1-405B under sequence
        // parallelism on TP 8.
        Recipe seed = MakeGpt(768, 12, 12, 50257);
        seed.training.seq_length = 1024;
        seed.training.micro_batch_size = 32;
        NS_TEST_EXPECT_MSG_EQ(seed.Make().GetActivationBytes(), 50331648, "GPT-2");
        Recipe gpt3 = MakeGpt(12288, 96, 96, 50257);
        gpt3.parallel.sequence_parallel = true;
        gpt3.SetSizes(8, 8, 1, 8);
        NS_TEST_EXPECT_MSG_EQ(gpt3.Make().GetPipelineBytes(), 6291456, "6 MB");
        Recipe llama;
        llama.model.hidden_size = 16384;
        llama.model.intermediate_size = 53248;
        llama.training.seq_length = 8192;
        llama.parallel.sequence_parallel = true;
        llama.SetSizes(8, 1, 1, 1);
        NS_TEST_EXPECT_MSG_EQ(llama.Make().GetActivationBytes(), 268435456, "tensor");
        NS_TEST_EXPECT_MSG_EQ(llama.Make().GetPipelineBytes(), 33554432, "message");
    }
};

/** Gradient reduction. */
class GradientsOverlapWithBackward : public TestCase
{
  public:
    GradientsOverlapWithBackward()
        : TestCase("buckets are reduced in the last backward as they fill, or all at its end")
    {
    }

  private:
    void DoRun() override
    {
        Recipe recipe;
        recipe.training.ddp_bucket_size = 10000;
        recipe.SetSizes(1, 2, 2, 3);
        const TrainingStep step = recipe.Make();
        const auto all = ListOperations(step, 0);
        NS_TEST_EXPECT_MSG_EQ(step.GetStage(0).buckets.size(), 5, "first stage has buckets");
        NS_TEST_EXPECT_MSG_EQ(step.GetStage(1).buckets.size(), 1, "later stages have one");
        std::size_t next = 0;
        uint64_t elements = 0;
        for (const auto& one : all)
        {
            if (one.dimension != ParallelDimension::DATA || one.kind == OperationKind::COMPUTE)
            {
                continue;
            }
            const StageBucket& bucket = step.GetStage(0).buckets.at(next++);
            elements += bucket.bucket.elements;
            NS_TEST_EXPECT_MSG_EQ(one.bytes, bucket.bucket.elements * 4, "fp32");
            NS_TEST_EXPECT_MSG_EQ(one.microbatch, 2, "only the last microbatch");
            NS_TEST_ASSERT_MSG_EQ(one.waits.size(), 1, "waits for one compute");
            const Operation& producer = all.at(one.waits.front());
            NS_TEST_EXPECT_MSG_EQ(ToString(producer.kind), std::string("compute"), "compute");
            NS_TEST_EXPECT_MSG_EQ(ToString(producer.phase), std::string("backward"), "backward");
            NS_TEST_EXPECT_MSG_EQ(producer.layer, bucket.layer, "of the layer that fills it");
        }
        NS_TEST_EXPECT_MSG_EQ(next, 5, "all buckets");
        NS_TEST_EXPECT_MSG_EQ(elements, step.GetStage(0).parameters, "all gradients");

        recipe.training.overlap_grad_reduce = false;
        const TrainingStep late = recipe.Make();
        const auto tail = ListOperations(late, 0);
        NS_TEST_EXPECT_MSG_EQ(late.GetStage(0).buckets.size(), 1, "one bucket");
        bool reduced = false;
        for (const auto& one : tail)
        {
            NS_TEST_EXPECT_MSG_EQ((reduced && one.phase == StepPhase::BACKWARD), false, "after");
            reduced = reduced || one.dimension == ParallelDimension::DATA;
            reduced = reduced && one.kind != OperationKind::COMPUTE;
        }
        recipe.training.ddp_bucket_scheme = "pytorch";
        recipe.training.bucket_cap_mb = 1;
        recipe.model.hidden_size = 512;
        NS_TEST_EXPECT_MSG_EQ((recipe.Make().GetStage(1).buckets.size() > 1),
                              true,
                              "PyTorch's buckets do not depend on stage or overlap");
    }
};

/** The end of an iteration. */
class OncePerIteration : public TestCase
{
  public:
    OncePerIteration()
        : TestCase("tied embeddings, scalars, head norms and the optimizer, once per iteration")
    {
    }

  private:
    static uint64_t Count(const TrainingStep& step, uint32_t rank, ParallelDimension dimension)
    {
        return CountIf(ListOperations(step, rank), [dimension](const Operation& one) {
            return one.kind == OperationKind::ALL_REDUCE && one.dimension == dimension;
        });
    }

    void DoRun() override
    {
        Recipe recipe;
        recipe.model.tie_word_embeddings = true;
        recipe.SetSizes(2, 4, 2, 2);
        const TrainingStep step = recipe.Make();
        const auto embedding = ParallelDimension::EMBEDDING;
        const auto scalar = ParallelDimension::SCALAR;
        for (uint32_t stage = 0; stage < 4; ++stage)
        {
            const uint32_t rank = 4 * stage;
            NS_TEST_EXPECT_MSG_EQ(Count(step, rank, embedding), (stage % 3 == 0 ? 1 : 0), "ends");
            NS_TEST_EXPECT_MSG_EQ(Count(step, rank, scalar), (stage == 3 ? 2 : 1), "norm, loss");
            const auto all = ListOperations(step, rank);
            NS_TEST_EXPECT_MSG_EQ(ToString(all.back().kind), std::string("compute"), "last");
            NS_TEST_EXPECT_MSG_EQ(ToString(all.back().phase), std::string("optimizer"), "last");
        }
        for (const auto& one : ListOperations(step, 0))
        {
            if (one.dimension == embedding)
            {
                NS_TEST_EXPECT_MSG_EQ(one.bytes, 1024 / 2 * 64 * 4, "V'/t h g");
                const ProcessGroup& group = step.GetGroups().at(one.group);
                NS_TEST_EXPECT_MSG_EQ((group.ranks == std::vector<uint32_t>{0, 12}), true, "ends");
            }
        }
        // Both ends hold the embedding: V'/t h = 512 * 64; a layer's norms are whole.
        const uint64_t layer = (4 * 64 * 64 + 3 * 64 * 96) / 2 + 2 * 64;
        NS_TEST_EXPECT_MSG_EQ(step.GetStage(0).parameters, 512 * 64 + layer, "first");
        NS_TEST_EXPECT_MSG_EQ(step.GetStage(1).parameters, layer, "inner");
        NS_TEST_EXPECT_MSG_EQ(step.GetStage(3).parameters, 512 * 64 + layer + 64, "last");

        recipe.training.params_dtype = "fp16";
        NS_TEST_EXPECT_MSG_EQ(Count(recipe.Make(), 0, scalar), 2, "overflow flag and norm");

        recipe.model.tie_word_embeddings = false;
        NS_TEST_EXPECT_MSG_EQ(Count(recipe.Make(), 0, embedding), 0, "not tied");

        // Norms of queries and keys are summed over the heads' ranks in any case.
        recipe.model.qk_norm = true;
        NS_TEST_EXPECT_MSG_EQ(recipe.Make().GetStage(0).normGradients, 2 * 8, "q and k");
        recipe.parallel.sequence_parallel = true;
        NS_TEST_EXPECT_MSG_EQ(recipe.Make().GetStage(0).normGradients, 2 * 8 + 2 * 64, "norms");
        recipe.parallel.tensor_model_parallel_size = 1;
        NS_TEST_EXPECT_MSG_EQ(recipe.Make().GetStage(0).normGradients, 0, "one rank");

        // One rank communicates nothing.
        Recipe alone;
        alone.SetSizes(1, 1, 1, 2);
        const TrainingStep single = alone.Make();
        NS_TEST_EXPECT_MSG_EQ(single.GetGroups().size(), 0, "no groups");
        NS_TEST_EXPECT_MSG_EQ(
            CountIf(ListOperations(single, 0),
                    [](const Operation& one) { return one.kind != OperationKind::COMPUTE; }),
            0,
            "compute only");
    }
};

/** Time of an iteration without communication. */
class BubbleOfOneForwardOneBackward : public TestCase
{
  public:
    BubbleOfOneForwardOneBackward()
        : TestCase("without communication time an iteration takes (m + p - 1)(f + b), to the ps")
    {
    }

  private:
    void DoRun() override
    {
        struct Shape
        {
            uint32_t t;
            uint32_t p;
            uint32_t d;
            uint32_t m;
        };

        for (const auto& shape : {Shape{1, 1, 1, 3},
                                  Shape{1, 2, 1, 4},
                                  Shape{1, 4, 1, 8},
                                  Shape{2, 4, 2, 2},
                                  Shape{2, 8, 1, 32},
                                  Shape{4, 2, 2, 5}})
        {
            for (const bool overlap : {false, true})
            {
                Recipe recipe;
                recipe.model.num_hidden_layers = 8;
                recipe.accelerator.fixed_layer_forward_ps = 1000003;
                recipe.accelerator.fixed_layer_backward_ps = 1700001;
                recipe.training.overlap_p2p_comm = overlap;
                recipe.SetSizes(shape.t, shape.p, shape.d, shape.m);
                const int64_t slots = shape.m + shape.p - 1;
                const int64_t perStage = 8 / shape.p * (1000003 + 1700001);
                const TrainingStep step = recipe.Make();
                NS_TEST_EXPECT_MSG_EQ(WorkloadTimeline(step).Run(), slots * perStage, "time");
            }
        }
    }
};

/** Many microbatches. */
class MemoryDoesNotGrowWithMicrobatches : public TestCase
{
  public:
    MemoryDoesNotGrowWithMicrobatches()
        : TestCase("32768 accumulation steps on 8 ranks are produced lazily")
    {
    }

  private:
    /** @return resident pages. */
    static int64_t GetResidentPages()
    {
        int64_t total = 0;
        int64_t resident = 0;
        std::ifstream("/proc/self/statm") >> total >> resident;
        return resident;
    }

    void DoRun() override
    {
        Recipe recipe;
        recipe.SetSizes(2, 2, 2, 32768);
        const TrainingStep step = recipe.Make();
        const int64_t before = GetResidentPages();
        int64_t most = before;
        uint64_t seen = 0;
        WorkloadChecker checker(step);
        checker.SetObserver([&most, &seen](uint32_t, const Operation&) {
            if (++seen % 100000 == 0)
            {
                most = std::max(most, GetResidentPages());
            }
        });
        const uint64_t count = checker.Run();
        uint64_t announced = 0;
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            announced += step.CountOperations(rank);
        }
        NS_TEST_EXPECT_MSG_EQ(count, announced, "operations");
        NS_TEST_EXPECT_MSG_GT(count, 32768ULL * 8 * 2 * 8, "at least compute and all-reduce");
        const int64_t pages = MOST_GROWTH / sysconf(_SC_PAGESIZE);
        NS_TEST_EXPECT_MSG_LT(most - before, pages, "resident pages");
    }
};

/** Every complaint about a step. */
class BadTrainingIsRefused : public TestCase
{
  public:
    BadTrainingIsRefused()
        : TestCase("a batch, length or scheme that does not fit is refused with all numbers")
    {
    }

  private:
    void Expect(const std::function<void(Recipe&)>& change, const std::string& expected)
    {
        Recipe recipe;
        recipe.SetSizes(2, 2, 2, 2);
        change(recipe);
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&recipe] { recipe.Make(); }),
                              "s.json: training." + expected,
                              "message");
    }

    void DoRun() override
    {
        Expect([](Recipe& recipe) { recipe.training.global_batch_size = 7; },
               "global_batch_size: 7 is not a multiple of micro_batch_size 1 x "
               "data_parallel_size 2 = 2");
        Expect([](Recipe& recipe) { recipe.training.micro_batch_size = 0; },
               "micro_batch_size: must be at least 1, is 0");
        Expect(
            [](Recipe& recipe) {
                recipe.training.micro_batch_size = 4000000000;
                recipe.training.global_batch_size = 0;
            },
            "micro_batch_size: the global batch would be above 2^32 sequences");
        Expect(
            [](Recipe& recipe) {
                recipe.training.micro_batch_size = 2000000000;
                recipe.training.global_batch_size = 0;
                recipe.training.seq_length = 4000;
            },
            "micro_batch_size: 2000000000 sequences of 4000 tokens and hidden_size 64 make "
            "activations above 1 PB");
        Expect(
            [](Recipe& recipe) {
                recipe.parallel.data_parallel_size = 1;
                recipe.training.global_batch_size = 4000000000;
            },
            "global_batch_size: 4000000000 microbatches are above 2^31");
        Expect([](Recipe& recipe) { recipe.training.seq_length = 0; },
               "seq_length: must be given: the model has no max_position_embeddings");
        Expect(
            [](Recipe& recipe) {
                recipe.parallel.sequence_parallel = true;
                recipe.training.seq_length = 15;
            },
            "seq_length: 15 cannot be split by tensor_model_parallel_size 2, which "
            "sequence_parallel asks for");
        Expect(
            [](Recipe& recipe) {
                recipe.model.SetFamily("gpt2");
                recipe.model.max_position_embeddings = 8;
            },
            "seq_length: 16 is above the model's 8 learned positions (max_position_embeddings)");
        Expect([](Recipe& recipe) { recipe.training.params_dtype = "int8"; },
               "params_dtype: unknown data type 'int8'; known: bf16, fp16, fp32");
        Expect([](Recipe& recipe) { recipe.training.grad_reduce_dtype = ""; },
               "grad_reduce_dtype: unknown data type ''; known: bf16, fp16, fp32");
        Expect([](Recipe& recipe) { recipe.training.ddp_bucket_scheme = "horovod"; },
               "ddp_bucket_scheme: unknown scheme 'horovod'; known: megatron, pytorch, deepspeed, "
               "none");
        Expect([](Recipe& recipe) { recipe.training.bucket_cap_mb = 0; },
               "bucket_cap_mb: must be between 1 and 1073741824, is 0");

        // Defaults.
        Recipe recipe;
        recipe.SetSizes(1, 1, 4, 1);
        recipe.model.max_position_embeddings = 77;
        recipe.model.torch_dtype = "float16";
        recipe.training.seq_length = 0;
        recipe.training.global_batch_size = 0;
        recipe.training.micro_batch_size = 3;
        const TrainingStep step = recipe.Make();
        NS_TEST_EXPECT_MSG_EQ(step.GetTraining().seq_length, 77, "the model's");
        NS_TEST_EXPECT_MSG_EQ(step.GetTraining().global_batch_size, 12, "one microbatch each");
        NS_TEST_EXPECT_MSG_EQ(step.GetMicrobatchCount(), 1, "one");
        NS_TEST_EXPECT_MSG_EQ(ToString(step.GetParamsType()), std::string("fp16"), "the model's");
    }
};

/** The suite. */
class WorkloadStepTestSuite : public TestSuite
{
  public:
    WorkloadStepTestSuite()
        : TestSuite("llm-training-workload-step", Type::UNIT)
    {
        AddTestCase(new OneForwardOneBackwardInOrder, llm::TestDuration::QUICK);
        AddTestCase(new SmallStepsLineByLine, llm::TestDuration::QUICK);
        AddTestCase(new TensorParallelVolumes, llm::TestDuration::QUICK);
        AddTestCase(new PipelineVolumes, llm::TestDuration::QUICK);
        AddTestCase(new GradientsOverlapWithBackward, llm::TestDuration::QUICK);
        AddTestCase(new OncePerIteration, llm::TestDuration::QUICK);
        AddTestCase(new BubbleOfOneForwardOneBackward, llm::TestDuration::QUICK);
        AddTestCase(new MemoryDoesNotGrowWithMicrobatches, llm::TestDuration::QUICK);
        AddTestCase(new BadTrainingIsRefused, llm::TestDuration::QUICK);
    }
};

const WorkloadStepTestSuite g_workloadStepTestSuite; //!< registers the suite

} // namespace
