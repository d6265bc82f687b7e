/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-compute-jitter.h"
#include "ns3/llm-kernel-roofline.h"
#include "ns3/llm-measured-times.h"
#include "ns3/llm-model-flops.h"
#include "ns3/llm-part-times.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-step.h"
#include "ns3/system-path.h"
#include "ns3/test.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

ModelConfig
ReadShipped(const std::string& name)
{
    return ModelConfig::ReadFile(std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/models/" + name +
                                 ".json");
}

/** A machine of round numbers: 1e12 FLOP/s on 4 multiprocessors, 1e9 B/s. */
AcceleratorConfig
MakeRound()
{
    AcceleratorConfig config;
    config.flops_per_second = 1000000000000;
    config.memory_bytes_per_second = 1000000000000;
    config.multiprocessors = 4;
    config.compute_efficiency = 0.5;
    config.attention_efficiency = 0.25;
    config.memory_efficiency = 0.5;
    return config;
}

/** Times of a model under a layout. */
PartTimes
MakeTimes(const ModelConfig& model,
          const ParallelConfig& parallel,
          uint32_t seqLength,
          const AcceleratorConfig& config)
{
    TrainingConfig training;
    training.seq_length = seqLength;
    return PartTimes::Make(model,
                           training,
                           ParallelLayout(parallel),
                           DataType::BF16,
                           Accelerator(config));
}

/** Single kernels. */
class KernelsFollowTheirShape : public TestCase
{
  public:
    KernelsFollowTheirShape()
        : TestCase("a matrix product takes whole tiles in whole rounds, or its memory traffic")
    {
    }

  private:
    void DoRun() override
    {
        const KernelRoofline kernels(Accelerator(MakeRound()), 2);
        // A step is 2 x 128^3 FLOPs, 8388608 ps on all four processors at half of 1e12 FLOP/s.
        constexpr int64_t step = 2 * 128 * 128 * 128 * 2;
        NS_TEST_EXPECT_MSG_EQ(kernels.GetMatrixProductPs(1, 256, 256, 896),
                              4 * 8 * step,
                              "four tiles of 7 + 1 steps, four at a time");
        NS_TEST_EXPECT_MSG_EQ(kernels.GetMatrixProductPs(1, 129, 256, 896),
                              4 * 8 * step,
                              "one row more is a tile more");
        NS_TEST_EXPECT_MSG_EQ(kernels.GetMatrixProductPs(1, 128, 128, 128),
                              4 * step,
                              "one tile keeps three processors idle");
        NS_TEST_EXPECT_MSG_EQ(kernels.GetMatrixProductPs(6, 128, 128, 128),
                              4 * 3 * step,
                              "six tiles of two steps, in three rounds");
        NS_TEST_EXPECT_MSG_EQ(kernels.GetMatrixProductPs(3, 1, 128, 128),
                              kernels.GetMatrixProductPs(3, 128, 128, 128),
                              "a single row");
        NS_TEST_EXPECT_MSG_EQ(kernels.GetMatrixProductPs(5, 0, 128, 128), 0, "no rows");

        AcceleratorConfig slow = MakeRound();
        slow.memory_bytes_per_second = 1000000000;
        const KernelRoofline bound(Accelerator(slow), 2);
        // At half of 1e9 B/s a byte takes 2000 ps.
        NS_TEST_EXPECT_MSG_EQ(bound.GetMatrixProductPs(2, 128, 256, 384),
                              2000LL * 2 * 2 * (128 * 384 + 384 * 256 + 128 * 256),
                              "operands and result");
        NS_TEST_EXPECT_MSG_EQ(bound.GetWeightGradientPs(2, 128, 256, 384),
                              2000LL * 2 * (2 * (128 * 384 + 384 * 256) + 8 * 128 * 256),
                              "fp32 sum, both ways");
        NS_TEST_EXPECT_MSG_EQ(bound.GetMemoryPs(1000), 2000LL * 2000, "memory");

        // Efficiency grows with size towards the configured one.
        const Accelerator h100{AcceleratorConfig()};
        const KernelRoofline real(h100, 2);
        double last = 0;
        for (const uint64_t n : {256, 512, 1024, 2048, 4096, 8192, 16384})
        {
            const double size = static_cast<double>(n);
            const double reached =
                2 * size * size * size /
                (static_cast<double>(real.GetMatrixProductPs(1, n, n, n)) * 1e-12 * 989.4e12);
            NS_TEST_EXPECT_MSG_GT(reached, last, n);
            last = reached;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(last, 0.75, 0.01, "large");
    }
};

/** Parts of a dense model. */
class DensePartsAreSumsOfKernels : public TestCase
{
  public:
    DensePartsAreSumsOfKernels()
        : TestCase("a dense part takes the sum of its kernels; backward is two products for one")
    {
    }

  private:
    void DoRun() override
    {
        const AcceleratorConfig config = MakeRound();
        const Accelerator accelerator(config);
        const KernelRoofline kernels(accelerator, 2);
        const ModelConfig llama = ReadShipped("llama-3-8b");
        ParallelConfig parallel;
        parallel.tensor_model_parallel_size = 4;
        const PartTimes times = MakeTimes(llama, parallel, 1024, config);
        const uint64_t h = 4096;
        const uint64_t s = 1024;

        const int64_t norm = kernels.GetMemoryPs(2 * s * h);
        const int64_t residual = kernels.GetMemoryPs(3 * s * h);
        const int64_t core = accelerator.GetAttentionDurationPs(1024.0 * 2 * 1024 * 1024,
                                                                2.0 * 1024 * (2 * 1024 + 2 * 256));
        NS_TEST_EXPECT_MSG_EQ(times.attentionCorePs, core, "core");
        NS_TEST_EXPECT_MSG_EQ(times.attention.forwardPs,
                              norm + kernels.GetMatrixProductPs(1, s, 1536, h) +
                                  kernels.GetMemoryPs(2 * s * 1280) + core +
                                  kernels.GetMatrixProductPs(1, s, h, 1024) + residual,
                              "norm, qkv, rotation, core, output, residual");
        NS_TEST_EXPECT_MSG_EQ(times.attention.backwardWeightPs,
                              kernels.GetWeightGradientPs(1, 1536, h, s) +
                                  kernels.GetWeightGradientPs(1, h, 1024, s),
                              "two gradients of weights");
        const uint64_t f = 14336 / 4;
        NS_TEST_EXPECT_MSG_EQ(times.mlp.forwardPs,
                              norm + kernels.GetMatrixProductPs(1, s, 2 * f, h) +
                                  kernels.GetMemoryPs(3 * s * f) +
                                  kernels.GetMatrixProductPs(1, s, h, f) + residual,
                              "norm, gate and up, SwiGLU, down, residual");
        NS_TEST_EXPECT_MSG_EQ(
            times.mlp.backwardInputPs,
            kernels.GetMemoryPs(3 * s * h) * 2 + kernels.GetMatrixProductPs(1, s, h, 2 * f) +
                kernels.GetMemoryPs(5 * s * f) + kernels.GetMatrixProductPs(1, s, f, h),
            "the way back");
        const uint64_t v = 128512 / 4; // padded to a multiple of 512
        NS_TEST_EXPECT_MSG_EQ(times.head.forwardPs,
                              norm + kernels.GetMatrixProductPs(1, s, v, h) +
                                  kernels.GetMemoryPs(3 * s * v),
                              "norm, logits, softmax");
        NS_TEST_EXPECT_MSG_EQ(times.embedding.forwardPs, norm, "rows read and written");
        NS_TEST_EXPECT_MSG_EQ(times.embedding.backwardInputPs, 0, "no input");
        NS_TEST_EXPECT_MSG_EQ(times.embedding.backwardWeightPs, 2 * norm, "fp32 sum");
        NS_TEST_EXPECT_MSG_EQ(times.GetOptimizerPs(1000, 4),
                              30 * 1000 * 2,
                              "fp32 gradient, three states both ways, bf16 parameter");
        NS_TEST_EXPECT_MSG_EQ(times.router.forwardPs + times.GetExperts(100).forwardPs, 0, "dense");

        // Sequence parallelism cuts norms and residuals, and nothing else.
        parallel.sequence_parallel = true;
        const PartTimes cut = MakeTimes(llama, parallel, 1024, config);
        NS_TEST_EXPECT_MSG_EQ(times.mlp.forwardPs - cut.mlp.forwardPs,
                              (norm + residual) * 3 / 4,
                              "a quarter of the tokens");
        // Half of the sequence: half of the core, since every token sees as many others as before.
        parallel.context_parallel_size = 2;
        const PartTimes half = MakeTimes(llama, parallel, 1024, config);
        NS_TEST_EXPECT_MSG_EQ(half.attentionCorePs, core / 2, "context parallelism");
        // Norms of queries and keys; GPT-2 has learned positions and one matrix in front.
        ModelConfig normed = llama;
        normed.qk_norm = true;
        NS_TEST_EXPECT_MSG_EQ(MakeTimes(normed, parallel, 1024, config).attention.forwardPs -
                                  half.attention.forwardPs,
                              kernels.GetMemoryPs(2 * 512 * 1280),
                              "norms of queries and keys");
        ModelConfig gpt = ReadShipped("gpt2");
        const PartTimes small = MakeTimes(gpt, ParallelConfig(), 1024, config);
        NS_TEST_EXPECT_MSG_EQ(
            small.mlp.forwardPs,
            kernels.GetMemoryPs(5 * s * 768) + kernels.GetMatrixProductPs(1, s, 3072, 768) +
                kernels.GetMemoryPs(2 * s * 3072) + kernels.GetMatrixProductPs(1, s, 768, 3072),
            "GeLU");
    }
};

/** Parts of a MoE model with latent attention. */
class MoePartsFollowTheirLoad : public TestCase
{
  public:
    MoePartsFollowTheirLoad()
        : TestCase("experts take as long as their tokens ask; latent attention, MTP projection")
    {
    }

  private:
    void DoRun() override
    {
        const AcceleratorConfig config = MakeRound();
        const Accelerator accelerator(config);
        const KernelRoofline kernels(accelerator, 2);
        const ModelConfig deepseek = ReadShipped("deepseek-v3");
        ParallelConfig parallel;
        parallel.expert_model_parallel_size = 8;
        parallel.data_parallel_size = 8;
        const PartTimes times = MakeTimes(deepseek, parallel, 4096, config);
        const uint64_t h = 7168;
        const uint64_t s = 4096;
        NS_TEST_EXPECT_MSG_EQ(times.GetEvenExpertTokens(), s * 8, "K per token of each rank");
        const auto expected = [&](uint64_t tokens) {
            return kernels.GetMemoryPs(4 * tokens * h) +
                   kernels.GetMatrixProductPs(32, tokens / 32, 4096, h) +
                   kernels.GetMemoryPs(3 * tokens * 2048) +
                   kernels.GetMatrixProductPs(32, tokens / 32, h, 2048);
        };
        NS_TEST_EXPECT_MSG_EQ(times.GetExperts(32768).forwardPs, expected(32768), "even");
        NS_TEST_EXPECT_MSG_EQ(times.GetExperts(65536).forwardPs, expected(65536), "twice");
        NS_TEST_EXPECT_MSG_EQ(times.GetExperts(0).forwardPs, 0, "nobody came");
        NS_TEST_EXPECT_MSG_EQ(times.GetExperts(65536).backwardWeightPs,
                              kernels.GetWeightGradientPs(32, 4096, h, 2048) +
                                  kernels.GetWeightGradientPs(32, h, 2048, 2048),
                              "weights");
        NS_TEST_EXPECT_MSG_EQ(times.router.backwardWeightPs,
                              kernels.GetWeightGradientPs(1, 256, h, s),
                              "router");
        NS_TEST_EXPECT_MSG_EQ(times.sharedExperts.forwardPs,
                              kernels.GetMatrixProductPs(1, s, 4096, h) +
                                  kernels.GetMemoryPs(3 * s * 2048) +
                                  kernels.GetMatrixProductPs(1, s, h, 2048),
                              "shared expert");
        NS_TEST_EXPECT_MSG_EQ(times.combine.forwardPs,
                              kernels.GetMemoryPs(9 * s * h) + kernels.GetMemoryPs(3 * s * h),
                              "eight weighted outputs and a residual");
        NS_TEST_EXPECT_MSG_EQ(times.GetEvenMoe().forwardPs,
                              times.router.forwardPs + expected(32768) +
                                  times.sharedExperts.forwardPs + times.combine.forwardPs,
                              "all of a MoE layer");
        NS_TEST_EXPECT_MSG_EQ(times.mtpProjection.forwardPs,
                              kernels.GetMemoryPs(4 * s * h) +
                                  kernels.GetMatrixProductPs(1, s, h, 2 * h),
                              "two norms and a projection");

        const int64_t core =
            accelerator.GetAttentionDurationPs(4096.0 * 4096 * 128 * 320,
                                               2.0 * 4096 * 128 * (2 * 192 + 2 * 128));
        NS_TEST_EXPECT_MSG_EQ(times.attentionCorePs, core, "core");
        NS_TEST_EXPECT_MSG_EQ(
            times.attention.forwardPs,
            kernels.GetMemoryPs(2 * s * h) + kernels.GetMatrixProductPs(1, s, 1536, h) +
                kernels.GetMemoryPs(2 * s * 1536) +
                kernels.GetMatrixProductPs(1, s, 128 * 192, 1536) +
                kernels.GetMatrixProductPs(1, s, 576, h) + kernels.GetMemoryPs(2 * s * 512) +
                kernels.GetMatrixProductPs(1, s, 128 * 256, 512) +
                kernels.GetMemoryPs(4 * s * 128 * 192) + core +
                kernels.GetMatrixProductPs(1, s, h, 128 * 128) + kernels.GetMemoryPs(3 * s * h),
            "compress, norm, expand");

        // Experts cut by two: half of the width, twice the tokens.
        parallel.tensor_model_parallel_size = 2;
        parallel.sequence_parallel = true;
        const PartTimes cut = MakeTimes(deepseek, parallel, 4096, config);
        NS_TEST_EXPECT_MSG_EQ(cut.GetEvenExpertTokens(), s * 8, "half of the tokens of two ranks");
        NS_TEST_EXPECT_MSG_EQ(cut.GetExperts(32768).forwardPs,
                              kernels.GetMemoryPs(4 * 32768 * h) +
                                  kernels.GetMatrixProductPs(32, 1024, 2048, h) +
                                  kernels.GetMemoryPs(3 * 32768 * 1024) +
                                  kernels.GetMatrixProductPs(32, 1024, h, 1024),
                              "half of the width");
    }
};

/** Measured and fixed times. */
class MeasuredTimesReplaceTheRoofline : public TestCase
{
  public:
    MeasuredTimesReplaceTheRoofline()
        : TestCase("measured times replace the roofline, part by part; experts scale with load")
    {
    }

  private:
    void DoRun() override
    {
        const ModelConfig model = ReadShipped("mixtral-8x7b");
        AcceleratorConfig config;
        const PartTimes roofline = MakeTimes(model, ParallelConfig(), 4096, config);
        const std::string fileName = CreateTempDirFilename("times.json");
        std::ofstream(fileName) << R"({"attention": {"forward": 812.5},
                                       "experts": {"forward": 100, "backward": 210, "weight": 90},
                                       "embedding": {"forward": 3},
                                       "optimizer": {"forward": 9e3}})";
        config.measured_times = MeasuredTimes::ReadFile(fileName);
        const PartTimes times = MakeTimes(model, ParallelConfig(), 4096, config);
        NS_TEST_EXPECT_MSG_EQ(times.attention.forwardPs, 812500000, "forward");
        NS_TEST_EXPECT_MSG_EQ(times.attention.backwardInputPs, 812500000, "half of twice");
        NS_TEST_EXPECT_MSG_EQ(times.attention.backwardWeightPs, 812500000, "half of twice");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(times.attentionCorePs) / 812500000,
                                  static_cast<double>(roofline.attentionCorePs) /
                                      static_cast<double>(roofline.attention.forwardPs),
                                  1e-6,
                                  "the core keeps its share");
        NS_TEST_EXPECT_MSG_EQ(times.embedding.backwardWeightPs, 6000000, "all for the weights");
        NS_TEST_EXPECT_MSG_EQ(times.embedding.backwardInputPs, 0, "all for the weights");
        NS_TEST_EXPECT_MSG_EQ(times.GetExperts(8192).forwardPs, 100000000, "even load");
        NS_TEST_EXPECT_MSG_EQ(times.GetExperts(4096).forwardPs, 50000000, "half");
        NS_TEST_EXPECT_MSG_EQ(times.GetExperts(16384).backwardInputPs, 240000000, "twice");
        NS_TEST_EXPECT_MSG_EQ(times.GetExperts(16384).backwardWeightPs, 180000000, "twice");
        NS_TEST_EXPECT_MSG_EQ(times.GetOptimizerPs(1, 4), 9000000000, "optimizer");
        NS_TEST_EXPECT_MSG_EQ(times.head.forwardPs, roofline.head.forwardPs, "not measured");
        NS_TEST_EXPECT_MSG_EQ(times.router.forwardPs, roofline.router.forwardPs, "not measured");

        // A fixed time per layer holds for both kinds of layers and any load.
        AcceleratorConfig fixed;
        fixed.fixed_layer_forward_ps = 1000;
        fixed.fixed_layer_backward_ps = 2001;
        for (const char* name : {"deepseek-v3", "mixtral-8x7b"})
        {
            const PartTimes whole = MakeTimes(ReadShipped(name), ParallelConfig(), 4096, fixed);
            const PassTimes moe = whole.attention + whole.GetEvenMoe();
            const PassTimes dense = whole.attention + whole.mlp;
            NS_TEST_EXPECT_MSG_EQ(moe.forwardPs, 1000, name);
            NS_TEST_EXPECT_MSG_EQ(moe.GetBackwardPs(), 2001, name);
            NS_TEST_EXPECT_MSG_EQ(dense.forwardPs, 1000, name);
            NS_TEST_EXPECT_MSG_EQ(whole.GetExperts(1).forwardPs, whole.mlp.forwardPs, name);
            NS_TEST_EXPECT_MSG_EQ(whole.GetOptimizerPs(1000000, 4), 0, name);
            NS_TEST_EXPECT_MSG_EQ(whole.head.forwardPs, 0, name);
        }
    }
};

/** Every complaint about a table of times. */
class BadMeasuredTimesAreRefused : public TestCase
{
  public:
    BadMeasuredTimesAreRefused()
        : TestCase("a bad table of times is refused in one line")
    {
    }

  private:
    void Expect(const std::string& text, const std::string& expected)
    {
        const std::string message =
            MessageOf([&text] { MeasuredTimes::ParseText(text, "t.json", "times"); });
        NS_TEST_EXPECT_MSG_EQ(message.substr(0, expected.size()), expected, text);
    }

    void DoRun() override
    {
        Expect("{", "t.json: times: not valid JSON: parse error at line 1, column 2");
        Expect("[]", "t.json: times: must be a JSON object from part to times");
        Expect(R"({"atention": {"forward": 1}})",
               "t.json: times.atention: unknown part; known: embedding, attention, mlp, router, "
               "experts, shared_experts, combine, mtp_projection, head, optimizer");
        Expect(R"({"mlp": 5})", "t.json: times.mlp: must be an object with the key \"forward\"");
        Expect(R"({"mlp": {"forwards": 5}})",
               "t.json: times.mlp.forwards: unknown key; known: forward, backward, weight");
        Expect(R"({"mlp": {"backward": 5}})",
               "t.json: times.mlp.forward: is missing; it must be a time in microseconds");
        Expect(R"({"mlp": {"forward": -1}})",
               "t.json: times.mlp.forward: must be microseconds between 0 and 3.6e9 (an hour), is "
               "-1");
        Expect(R"({"mlp": {"forward": "1 us"}})",
               "t.json: times.mlp.forward: must be microseconds between 0 and 3.6e9 (an hour), is "
               "\"1 us\"");
        Expect(R"({"mlp": {"forward": 1, "weight": 3}})",
               "t.json: times.mlp.weight: 3000000 ps are above the 2000000 ps of all of backward");
        Expect(R"({"optimizer": {"forward": 1, "weight": 3}})",
               "t.json: times.optimizer.weight: the optimizer has \"forward\" only");
        NS_TEST_EXPECT_MSG_EQ(MessageOf([] { MeasuredTimes::ReadFile("/nowhere/times.json"); }),
                              "/nowhere/times.json: cannot be read or is empty; it should hold "
                              "times in JSON",
                              "no file");
    }
};

/** Jitter and stragglers. */
class ComputeIsUnevenAsAsked : public TestCase
{
  public:
    ComputeIsUnevenAsAsked()
        : TestCase("jitter keeps the mean and depends on seed, rank, iteration and operation only")
    {
    }

  private:
    /** Durations of the compute operations of a rank. */
    static std::vector<int64_t> List(const AcceleratorConfig& config,
                                     uint32_t rank,
                                     uint32_t iteration)
    {
        ModelConfig model = ReadShipped("gpt2");
        ParallelConfig parallel;
        parallel.data_parallel_size = 4;
        TrainingConfig training;
        training.global_batch_size = 16;
        const TrainingStep step(model, ParallelLayout(parallel), training, Accelerator(config));
        const auto program = step.CreateProgram(rank, iteration);
        std::vector<int64_t> durations;
        Operation operation;
        while (program->Next(operation))
        {
            if (operation.kind == OperationKind::COMPUTE)
            {
                durations.push_back(operation.durationPs);
            }
        }
        return durations;
    }

    void DoRun() override
    {
        AcceleratorConfig config;
        const std::vector<int64_t> even = List(config, 1, 0);
        NS_TEST_EXPECT_MSG_EQ(ComputeJitter(config).IsActive(), false, "off by default");
        NS_TEST_EXPECT_MSG_EQ((even == List(config, 3, 7)), true, "all alike");

        config.compute_jitter = 0.2;
        const std::vector<int64_t> first = List(config, 1, 0);
        NS_TEST_ASSERT_MSG_EQ(first.size(), even.size(), "as many operations");
        double sum = 0;
        double least = 2;
        double most = 0;
        for (std::size_t i = 0; i < first.size(); ++i)
        {
            const double factor = static_cast<double>(first[i]) / static_cast<double>(even[i]);
            sum += factor;
            least = std::min(least, factor);
            most = std::max(most, factor);
        }
        NS_TEST_EXPECT_MSG_GT(first.size(), 190, "enough to tell");
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / static_cast<double>(first.size()), 1, 0.03, "mean");
        NS_TEST_EXPECT_MSG_GT(least, 0.7999, "range");
        NS_TEST_EXPECT_MSG_LT(least, 0.82, "range");
        NS_TEST_EXPECT_MSG_LT(most, 1.2001, "range");
        NS_TEST_EXPECT_MSG_GT(most, 1.18, "range");
        NS_TEST_EXPECT_MSG_EQ((first == List(config, 1, 0)), true, "again the same");
        NS_TEST_EXPECT_MSG_EQ((first == List(config, 2, 0)), false, "another rank");
        NS_TEST_EXPECT_MSG_EQ((first == List(config, 1, 1)), false, "another iteration");
        config.jitter_seed = 2;
        NS_TEST_EXPECT_MSG_EQ((first == List(config, 1, 0)), false, "another seed");

        config.compute_jitter = 0;
        config.straggler_ranks = {3, 1};
        config.straggler_slowdown = 2;
        const std::vector<int64_t> slow = List(config, 1, 0);
        for (std::size_t i = 0; i < slow.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(slow[i], 2 * even[i], "straggler");
        }
        NS_TEST_EXPECT_MSG_EQ((List(config, 0, 0) == even), true, "no straggler");

        config.straggler_ranks = {4};
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&config] { List(config, 0, 0); }),
                              "AcceleratorConfig: straggler_ranks: names rank 4, but the last of 4 "
                              "is 3",
                              "no such rank");
    }
};

/** The suite. */
class WorkloadTimesTestSuite : public TestSuite
{
  public:
    WorkloadTimesTestSuite()
        : TestSuite("llm-training-workload-times", Type::UNIT)
    {
        AddTestCase(new KernelsFollowTheirShape, llm::TestDuration::QUICK);
        AddTestCase(new DensePartsAreSumsOfKernels, llm::TestDuration::QUICK);
        AddTestCase(new MoePartsFollowTheirLoad, llm::TestDuration::QUICK);
        AddTestCase(new MeasuredTimesReplaceTheRoofline, llm::TestDuration::QUICK);
        AddTestCase(new BadMeasuredTimesAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new ComputeIsUnevenAsAsked, llm::TestDuration::QUICK);
    }
};

const WorkloadTimesTestSuite g_workloadTimesTestSuite; //!< registers the suite

} // namespace
