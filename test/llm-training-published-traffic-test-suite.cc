/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-published-run.h"

#include "ns3/llm-collective-algorithm.h"
#include "ns3/llm-expert-routing.h"
#include "ns3/llm-moe-recipe.h"
#include "ns3/llm-nccl-protocol.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-result.h"
#include "ns3/nstime.h"
#include "ns3/test.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What a rank's program has: operations by kind, phase, whether in a layer, bytes. */
using Census = std::map<std::tuple<OperationKind, StepPhase, bool, uint64_t>, uint64_t>;

Census
Count(const TrainingStep& step, uint32_t rank)
{
    Census census;
    const auto program = step.CreateProgram(rank, 0);
    Operation operation;
    while (program->Next(operation))
    {
        ++census[{operation.kind, operation.phase, operation.layer >= 0, operation.bytes}];
    }
    return census;
}

/** AICB's workload files, which hold exact sizes and counts (128 ranks). */
class AicbTensorParallel : public TestCase
{
  public:
    AicbTensorParallel()
        : TestCase("AICB's GPT-13B on TP 8: all-reduces without, all-gathers and reduce-scatters "
                   "with sequence parallelism, cross-entropy, gradients of norms")
    {
    }

  private:
    static PublishedRun MakeRun(bool sequenceParallel)
    {
        ModelConfig model = MakeGptModel(5120, 40, 40, 50257, 2048);
        // AICB has no biases behind row-parallel matrices in its sum over norms.
        model.mlp_bias = false;
        model.attention_output_bias = false;
        PublishedRun run(model);
        run.Set(8, 1, 16, 16, 2048);
        run.parallel.sequence_parallel = sequenceParallel;
        run.training.grad_reduce_dtype = "bf16";
        return run;
    }

    void CheckAllReduce()
    {
        constexpr uint64_t activation = 20971520;
        constexpr auto reduce = OperationKind::ALL_REDUCE;
        const PublishedStep step(MakeRun(false));
        NS_TEST_EXPECT_MSG_EQ(step.GetStep().GetWorldSize(), 128, "ranks");
        Census census = Count(step.GetStep(), 0);
        NS_TEST_EXPECT_MSG_EQ((census[{reduce, StepPhase::FORWARD, true, activation}]),
                              80,
                              "two per layer");
        NS_TEST_EXPECT_MSG_EQ((census[{reduce, StepPhase::BACKWARD, true, activation}]),
                              80,
                              "two per layer");
        NS_TEST_EXPECT_MSG_EQ((census[{reduce, StepPhase::FORWARD, false, activation}]),
                              1,
                              "embedding");
        NS_TEST_EXPECT_MSG_EQ((census[{reduce, StepPhase::BACKWARD, false, activation}]),
                              1,
                              "output layer");
        NS_TEST_EXPECT_MSG_EQ((census[{reduce, StepPhase::FORWARD, false, 8192}]),
                              3,
                              "cross-entropy");
    }

    void CheckSequenceParallel()
    {
        constexpr uint64_t activation = 20971520;
        constexpr auto gather = OperationKind::ALL_GATHER;
        constexpr auto scatter = OperationKind::REDUCE_SCATTER;
        const PublishedStep step(MakeRun(true));
        Census census = Count(step.GetStep(), 0);
        NS_TEST_EXPECT_MSG_EQ((census[{gather, StepPhase::FORWARD, true, activation}]),
                              80,
                              "column-parallel, forward");
        NS_TEST_EXPECT_MSG_EQ((census[{gather, StepPhase::BACKWARD, true, activation}]),
                              80 + 80,
                              "column- and row-parallel, backward");
        NS_TEST_EXPECT_MSG_EQ((census[{scatter, StepPhase::FORWARD, true, activation}]),
                              80,
                              "row-parallel, forward");
        NS_TEST_EXPECT_MSG_EQ((census[{scatter, StepPhase::BACKWARD, true, activation}]),
                              80,
                              "column-parallel, backward");
        // 4 L h of 2 bytes, and the final norm, which AICB leaves out.
        NS_TEST_EXPECT_MSG_EQ(
            (census
                 [{OperationKind::ALL_REDUCE, StepPhase::GRADIENT, false, 1638400 + 2 * 5120 * 2}]),
            1,
            "gradients of norms");
    }

    void DoRun() override
    {
        CheckAllReduce();
        CheckSequenceParallel();
    }
};

/** AICB's Llama-65B on a pipeline. */
class AicbPipeline : public TestCase
{
  public:
    AicbPipeline()
        : TestCase("AICB's Llama-65B on TP 2, PP 8: eight sends of 33554432 bytes each way, in "
                   "1F1B order")
    {
    }

  private:
    static std::string ListSends(const TrainingStep& step, uint32_t stage)
    {
        std::string sends;
        const auto program = step.CreateProgram(stage * 16, 0);
        Operation operation;
        while (program->Next(operation))
        {
            if (operation.kind == OperationKind::SEND)
            {
                const char letter = operation.phase == StepPhase::FORWARD ? 'F' : 'B';
                sends += operation.bytes == 33554432 ? letter : '?';
            }
        }
        return sends;
    }

    void DoRun() override
    {
        ModelConfig model = ReadShippedModel("llama-2-70b");
        model.num_key_value_heads = 64;
        model.intermediate_size = 22016;
        PublishedRun run(model);
        run.Set(2, 8, 8, 64, 2048);
        const PublishedStep step(run);
        NS_TEST_EXPECT_MSG_EQ(step.GetStep().GetWorldSize(), 128, "ranks");
        NS_TEST_EXPECT_MSG_EQ(ListSends(step.GetStep(), 0), "FFFFFFFF", "first stage");
        NS_TEST_EXPECT_MSG_EQ(ListSends(step.GetStep(), 3), "FFFFFBFBFBFBBBBB", "warms up with 4");
        NS_TEST_EXPECT_MSG_EQ(ListSends(step.GetStep(), 6), "FFBFBFBFBFBFBFBB", "warms up with 1");
        NS_TEST_EXPECT_MSG_EQ(ListSends(step.GetStep(), 7), "BBBBBBBB", "last stage");
    }
};

/** Sizes that papers round. */
class PublishedSizes : public TestCase
{
  public:
    PublishedSizes()
        : TestCase("HPN's GPT-3 volumes, activations of GPT-2 and Llama 3")
    {
    }

  private:
    void DoRun() override
    {
        // HPN (SIGCOMM 2024) table 3: 5.5 GB of gradients, 6 MB between stages.
        PublishedRun run(ReadShippedModel("gpt3-175b"));
        run.Set(8, 8, 512, 4096, 2048);
        run.parallel.sequence_parallel = true;
        run.training.grad_reduce_dtype = "bf16";
        const PublishedStep hpn(run);
        uint64_t gradients = 0;
        for (const auto& use : hpn.GetModel().ListCollectives(3))
        {
            gradients += use.dimension == ParallelDimension::DATA ? use.bytes * use.count : 0;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(gradients) / 1e9, 5.5, 0.07, "gradients");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(hpn.GetStep().GetPipelineBytes()) / 1e6,
                                  6,
                                  0.5,
                                  "between stages");

        PublishedRun small(ReadShippedModel("gpt2"));
        small.Set(1, 1, 1, 32, 1024);
        small.training.micro_batch_size = 32;
        NS_TEST_EXPECT_MSG_EQ(PublishedStep(small).GetStep().GetActivationBytes(),
                              50331648,
                              "GPT-2: 50 MB");

        PublishedRun large(ReadShippedModel("llama-3.1-405b"));
        large.Set(8, 2, 1, 1, 8192);
        large.parallel.sequence_parallel = true;
        const PublishedStep llama(large);
        NS_TEST_EXPECT_MSG_EQ(llama.GetStep().GetActivationBytes(), 268435456, "gathered");
        NS_TEST_EXPECT_MSG_EQ(llama.GetStep().GetPipelineBytes(), 33554432, "between stages");
    }
};

/** DeepEP and DeepSeek-V3. */
class DeepSeekExperts : public TestCase
{
  public:
    DeepSeekExperts()
        : TestCase("DeepEP's low-latency dispatch and combine: bytes over time is the stated "
                   "bandwidth; DeepSeek-V3's 13 experts for the price of 4 nodes")
    {
    }

  private:
    /** Sizes of the all-to-alls of a layer, forward. */
    static std::vector<uint64_t> ListAllToAlls(const ModelConfig& model, uint32_t ranks)
    {
        ParallelConfig parallel;
        parallel.data_parallel_size = ranks;
        parallel.expert_model_parallel_size = ranks;
        const ParallelLayout layout(parallel);
        TrainingConfig training;
        training.seq_length = 128;
        training.moe_dispatch_dtype = "fp8";
        const Accelerator accelerator{AcceleratorConfig()};
        const PartTimes times =
            PartTimes::Make(model, training, layout, DataType::BF16, accelerator);
        const uint64_t tokens = 128;
        const RecipeContext context{model,
                                    layout,
                                    training,
                                    times,
                                    DataType::BF16,
                                    layout.GetPaddedVocabSize(model),
                                    false,
                                    tokens * model.hidden_size * 2,
                                    tokens * 8,
                                    tokens * 4};
        const MoeRecipes recipes(context);
        std::vector<uint64_t> sizes;
        for (const auto& step : recipes.Get(3).front().forward.steps)
        {
            if (step.kind == OperationKind::ALL_TO_ALL)
            {
                sizes.push_back(step.bytes);
            }
        }
        return sizes;
    }

    void CheckDeepEp()
    {
        const ModelConfig model = ReadShippedModel("deepseek-v3");

        struct Row
        {
            uint32_t ranks;
            double dispatchUs;
            double dispatchRate;
            double combineUs;
            double combineRate;
        };

        for (const auto& row : {Row{8, 77, 98, 114, 127},
                                Row{16, 118, 63, 195, 74},
                                Row{32, 155, 48, 273, 53},
                                Row{64, 173, 43, 314, 46},
                                Row{128, 192, 39, 369, 39},
                                Row{256, 194, 39, 360, 40}})
        {
            const std::vector<uint64_t> sizes = ListAllToAlls(model, row.ranks);
            NS_TEST_ASSERT_MSG_EQ(sizes.size(), 2, "dispatch and combine");
            const auto rate = [](uint64_t bytes, double us) {
                return static_cast<double>(bytes) / us / 1e3; // GB/s
            };
            NS_TEST_EXPECT_MSG_EQ_TOL(rate(sizes[0], row.dispatchUs),
                                      row.dispatchRate,
                                      row.dispatchRate * 0.021,
                                      row.ranks);
            NS_TEST_EXPECT_MSG_EQ_TOL(rate(sizes[1], row.combineUs),
                                      row.combineRate,
                                      row.combineRate * 0.021,
                                      row.ranks);
        }
    }

    void CheckNodes()
    {
        // s.3.2.2: NVLink 160 GB/s, InfiniBand 50 GB/s, at most 4 nodes per token: NVLink hands on
        // 3.2 copies in the time of one, 13 experts in all.
        ModelConfig model = ReadShippedModel("deepseek-v3");
        const double copiesPerNode = 160.0 / 50;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(model.topk_group) * copiesPerNode,
                                  13,
                                  0.21,
                                  "experts");
        model.num_experts_per_tok = 13;
        model.Validate();
        const ExpertRouting routing(model, TrainingConfig(), 4096);
        // 64 ranks in 8 nodes, which are the routing groups.
        NS_TEST_EXPECT_MSG_EQ_TOL(routing.GetExpectedParts(8), 3.95, 0.05, "at most 4 nodes");
    }

    void DoRun() override
    {
        CheckDeepEp();
        CheckNodes();
    }
};

/** NCCL and its tests. */
class NcclFigures : public TestCase
{
  public:
    NcclFigures()
        : TestCase("nccl-tests' bus bandwidth for its algorithm bandwidth; NCCL's buffers")
    {
    }

  private:
    static CollectiveRecord MakeAllReduce(uint32_t ranks, uint64_t bytes, double us)
    {
        CollectiveRecord record;
        record.kind = CollectiveKind::ALL_REDUCE;
        record.groupSize = ranks;
        record.bytes = bytes;
        record.end = MicroSeconds(1).GetTimeStep() * static_cast<int64_t>(us);
        return record;
    }

    void DoRun() override
    {
        struct Row
        {
            uint32_t ranks;
            double algorithm;
            double bus;
        };

        for (const auto& row : {Row{16, 126.90, 237.94},
                                Row{16, 247.77, 464.57},
                                Row{16, 408.82, 766.54},
                                Row{8, 477.05, 834.84}})
        {
            const double factor = BusBandwidthFactor(CollectiveKind::ALL_REDUCE, row.ranks);
            NS_TEST_EXPECT_MSG_EQ_TOL(row.algorithm * factor, row.bus, 0.011, row.ranks);
        }
        const CollectiveRecord record = MakeAllReduce(16, 8589934592, 67689);
        NS_TEST_EXPECT_MSG_EQ_TOL(record.GetAlgorithmBandwidth() / 1e9, 126.90, 0.005, "algbw");
        NS_TEST_EXPECT_MSG_EQ_TOL(record.GetBusBandwidth() / 1e9, 237.94, 0.01, "busbw");

        uint64_t buffers = 0;
        for (const auto protocol : NCCL_PROTOCOLS)
        {
            buffers += GetNcclProtocolSizes(protocol).bufferBytes;
        }
        NS_TEST_EXPECT_MSG_EQ(buffers, 9408 * 1024, "LL, LL128, Simple");
    }
};

/** Rail-only networks. */
class MostPairsAreSilent : public TestCase
{
  public:
    MostPairsAreSilent()
        : TestCase("nearly all pairs of accelerators have no traffic, and few carry most of it")
    {
    }

  private:
    void DoRun() override
    {
        // GPT-1T of Megatron 2021 on 3072 GPUs; seen from one rank of each kind of stage.
        PublishedRun run(MakeGptModel(25600, 128, 160, 51200, 2048));
        run.Set(8, 64, 6, 3072, 2048);
        const PublishedStep step(run);
        for (const uint32_t rank : {0U, 8U * 6 * 31 + 5, 3071U})
        {
            uint64_t all = 0;
            uint64_t tensor = 0;
            std::map<uint32_t, uint64_t> peers;
            for (const auto& peer : step.GetModel().GetPeers(rank))
            {
                peers[peer.peer] += peer.bytes;
                all += peer.bytes;
                tensor += peer.dimension == ParallelDimension::TENSOR ? peer.bytes : 0;
            }
            NS_TEST_EXPECT_MSG_LT(peers.size(), 3072 / 100, "over 99 % of pairs are silent");
            NS_TEST_EXPECT_MSG_GT(static_cast<double>(tensor),
                                  0.75 * static_cast<double>(all),
                                  "most stays in a server");
        }
    }
};

/** The suite: published volumes. */
class PublishedTrafficTestSuite : public TestSuite
{
  public:
    PublishedTrafficTestSuite()
        : TestSuite("llm-training-published-traffic", Type::UNIT)
    {
        AddTestCase(new AicbTensorParallel, llm::TestDuration::QUICK);
        AddTestCase(new AicbPipeline, llm::TestDuration::QUICK);
        AddTestCase(new PublishedSizes, llm::TestDuration::QUICK);
        AddTestCase(new DeepSeekExperts, llm::TestDuration::QUICK);
        AddTestCase(new NcclFigures, llm::TestDuration::QUICK);
        AddTestCase(new MostPairsAreSilent, llm::TestDuration::QUICK);
    }
};

const PublishedTrafficTestSuite g_publishedTrafficTestSuite; //!< registers the suite

} // namespace
