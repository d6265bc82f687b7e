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

constexpr double PS = 1e12;       //!< per second
constexpr double DAY = 86400;     //!< seconds
constexpr double PETAFLOP = 1e15; //!< FLOPs

/** @return model FLOPs utilisation in percent. */
double
Percent(const PublishedStep& step, double seconds)
{
    return 100 * step.GetModel().GetMfu(seconds * PS);
}

/** @return seconds of an iteration in which each accelerator does so many FLOP/s. */
double
SecondsAt(const PublishedStep& step, double flopsPerSecond)
{
    return step.GetModel().GetFlops() / (step.GetStep().GetWorldSize() * flopsPerSecond);
}

/** Narayanan et al. 2021. */
class MegatronTwentyOne : public TestCase
{
  public:
    MegatronTwentyOne()
        : TestCase("Megatron 2021: aggregate rates of table 1, days of training of s.5.1")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            uint64_t hidden;
            uint64_t layers;
            uint64_t heads;
            uint32_t t;
            uint32_t p;
            uint32_t d;
            uint32_t batch;
            double seconds; // at the stated rate
            double aggregate;
            double tolerance;
        };

        for (const auto& row : {Row{25600, 128, 160, 8, 64, 6, 3072, 102.6, 502.0, 502.0 * 0.003},
                                Row{12288, 80, 96, 8, 8, 24, 2304, 24.8, 227.1, 227.1 * 0.002},
                                Row{2304, 24, 24, 1, 1, 32, 512, 3.53, 4.4, 0.05}})
        {
            PublishedRun run(MakeGptModel(row.hidden, row.layers, row.heads, 51200, 2048));
            run.Set(row.t, row.p, row.d, row.batch, 2048);
            const PublishedStep step(run);
            // The paper counts the forward that full recomputation does again.
            const double flops = static_cast<double>(step.GetFlops().GetTrainingWithRecompute()) *
                                 step.GetModel().GetTokens();
            NS_TEST_EXPECT_MSG_EQ_TOL(flops / row.seconds / PETAFLOP,
                                      row.aggregate,
                                      row.tolerance,
                                      row.hidden);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(
            EstimateTrainingSeconds(EstimateTrainingFlops(175e9, 300e9, true), 1024, 140e12) / DAY,
            34,
            0.5,
            "GPT-3");
        NS_TEST_EXPECT_MSG_EQ_TOL(
            EstimateTrainingSeconds(EstimateTrainingFlops(1008e9, 450e9, true), 3072, 163e12) / DAY,
            84,
            0.5,
            "1T");
    }
};

/** Korthikanti et al. 2022. */
class KorthikantiTwentyTwo : public TestCase
{
  public:
    KorthikantiTwentyTwo()
        : TestCase("Korthikanti 2022: MFU and HFU of table 5, the 530B run, scores of s.4.1")
    {
    }

  private:
    static PublishedStep Make(uint64_t hidden,
                              uint64_t layers,
                              uint64_t heads,
                              uint32_t p,
                              uint32_t d,
                              uint32_t batch,
                              const std::string& backend = "flash")
    {
        PublishedRun run(MakeGptModel(hidden, layers, heads, 51200, 2048));
        run.Set(8, p, d, batch, 2048);
        run.training.attention_backend = backend;
        return PublishedStep(run);
    }

    /** HFU: the attention core is recomputed, as the paper counts it. */
    static double PercentHardware(const PublishedStep& step, double seconds)
    {
        return Percent(step, seconds) *
               static_cast<double>(step.GetFlops().GetTrainingByKorthikanti()) /
               static_cast<double>(step.GetFlops().GetTraining());
    }

    /** @return bytes of scores in units of s b h. */
    static double Scores(uint64_t hidden, uint64_t layers, uint64_t heads, uint32_t p)
    {
        const PublishedStep kept = Make(hidden, layers, heads, p, 1, 1, "unfused");
        const PublishedStep none = Make(hidden, layers, heads, p, 1, 1, "flash");
        const uint64_t sums = 4 * heads * 2048 / 8;
        const uint64_t bytes = MemoryModel(kept.GetStep()).GetLayerBytes(0) -
                               (MemoryModel(none.GetStep()).GetLayerBytes(0) - sums);
        return 8 * static_cast<double>(bytes) / (2048 * static_cast<double>(hidden));
    }

    void DoRun() override
    {
        const PublishedStep small = Make(6144, 48, 64, 1, 1, 4);
        NS_TEST_EXPECT_MSG_EQ_TOL(Percent(small, 1.10), 41.5, 0.2, "22B MFU");
        NS_TEST_EXPECT_MSG_EQ_TOL(PercentHardware(small, 1.10), 43.7, 0.2, "22B HFU");
        const PublishedStep gpt3 = Make(12288, 96, 96, 8, 1, 64);
        NS_TEST_EXPECT_MSG_EQ_TOL(Percent(gpt3, 13.75), 51.4, 0.05, "175B MFU");
        NS_TEST_EXPECT_MSG_EQ_TOL(PercentHardware(gpt3, 13.75), 52.8, 0.05, "175B HFU");
        const PublishedStep trillion = Make(25600, 128, 160, 64, 1, 512);
        NS_TEST_EXPECT_MSG_EQ_TOL(Percent(trillion, 71.49), 56.3, 0.05, "1T MFU");
        NS_TEST_EXPECT_MSG_EQ_TOL(PercentHardware(trillion, 71.49), 57.0, 0.05, "1T HFU");

        // Abstract: 530B on 2240 GPUs, 29 % faster.
        const PublishedStep turing = Make(20480, 105, 128, 35, 8, 2240);
        NS_TEST_EXPECT_MSG_EQ_TOL(Percent(turing, 39.1), 54.2, 0.1, "530B");
        NS_TEST_EXPECT_MSG_EQ_TOL(Percent(turing, 50.4), 42.1, 0.1, "530B, full recomputation");
        NS_TEST_EXPECT_MSG_EQ_TOL(Percent(turing, 39.1) / Percent(turing, 50.4),
                                  1.29,
                                  0.005,
                                  "faster");

        NS_TEST_EXPECT_MSG_EQ_TOL(Scores(12288, 96, 96, 8), 80, 1e-9, "GPT-3: 5 a s / h");
        NS_TEST_EXPECT_MSG_EQ_TOL(Scores(20480, 105, 128, 35), 64, 1e-9, "MT-NLG: 5 a s / h");
    }
};

/** Llama 3. */
class LlamaThree : public TestCase
{
  public:
    LlamaThree()
        : TestCase("Llama 3 405B: tokens and MFU of table 4, FLOPs of s.3.2, torchprime's MFU")
    {
    }

  private:
    void DoRun() override
    {
        const ModelConfig model = ReadShippedModel("llama-3.1-405b");

        struct Row
        {
            uint32_t d;
            uint32_t perReplica;
            double rate;
            double mfu;
            double tolerance;
        };

        for (const auto& row : {Row{64, 32, 430e12, 43, 0.5}, Row{128, 16, 400e12, 41, 0.6}})
        {
            PublishedRun run(model);
            run.Set(8, 16, row.d, row.d * row.perReplica, 8192);
            // 126 layers on 16 stages: the first and the last have one less.
            run.parallel.decoder_first_pipeline_num_layers = 7;
            run.parallel.decoder_last_pipeline_num_layers = 7;
            run.parallel.sequence_parallel = true;
            run.accelerator.name = "H100";
            const PublishedStep step(run);
            NS_TEST_EXPECT_MSG_EQ(step.GetModel().GetTokens(), 16777216, "16M tokens");
            NS_TEST_EXPECT_MSG_EQ(step.GetStep().GetWorldSize(), 128 * row.d, "GPUs");
            NS_TEST_EXPECT_MSG_EQ_TOL(Percent(step, SecondsAt(step, row.rate)),
                                      row.mfu,
                                      row.tolerance,
                                      row.d);
        }
        const auto parameters = static_cast<double>(CountParameters(model));
        NS_TEST_EXPECT_MSG_EQ_TOL(EstimateTrainingFlops(parameters, 15.6e12, false),
                                  3.8e25,
                                  0.005e25,
                                  "15.6 T tokens");

        // torchprime on 512 TPU v6e: 512 sequences of 8192 in 84.168 s, MFU 0.2792.
        const ModelFlops flops(model, 8192, false);
        // Its N leaves out the input embedding only.
        const auto perToken = static_cast<double>(
            flops.GetTrainingByPalm(CountParameters(model) - model.vocab_size * model.hidden_size));
        NS_TEST_EXPECT_MSG_EQ_TOL(perToken * 512 * 8192 / (84.168 * 512 * 918e12),
                                  0.2792,
                                  0.2792 * 0.0035,
                                  "torchprime, Llama-3.1-405B");
        // The same for Mixtral on 128 TPU v5p: 4608 sequences of 4096 in 51.876 s, 0.51.
        const ModelConfig mixtral = ReadShippedModel("mixtral-8x7b");
        const auto sparse =
            static_cast<double>(ModelFlops(mixtral, 4096, false)
                                    .GetTrainingByPalm(CountActiveParameters(mixtral) -
                                                       mixtral.vocab_size * mixtral.hidden_size));
        NS_TEST_EXPECT_MSG_EQ_TOL(sparse * 4608 * 4096 / (51.876 * 128 * 459e12),
                                  0.51,
                                  0.51 * 0.01,
                                  "torchprime, Mixtral-8x7B");
    }
};

/** MegaScale. */
class MegaScaleTableTwo : public TestCase
{
  public:
    MegaScaleTableTwo()
        : TestCase("MegaScale 2024, table 2: tokens per second, days, MFU; sliding windows keep "
                   "its own MFU below")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            uint32_t d;
            double seconds;
            double kiloTokens;
            double days;
            double mfu;
            double baseSeconds;
            double baseKiloTokens;
            double baseMfu;
        };

        for (const auto& row : {Row{48, 23.66, 531.9, 6.53, 59.1, 29.02, 433.6, 48.7},
                                Row{96, 12.21, 1030.9, 3.37, 57.3, 14.78, 851.6, 47.8},
                                Row{128, 9.56, 1315.6, 2.64, 54.9, 12.24, 1027.9, 43.3},
                                Row{192, 6.34, 1984.0, 1.75, 55.2, 8.57, 1466.8, 41.2}})
        {
            PublishedRun run(MakeGptModel(12288, 96, 96, 64000, 2048));
            run.Set(8, 8, row.d, 6144, 2048);
            run.parallel.virtual_pipeline_model_parallel_size = 6;
            const PublishedStep step(run);
            const double speed = step.GetModel().GetTokensPerSecond(row.seconds * PS);
            NS_TEST_EXPECT_MSG_EQ_TOL(speed / 1e3, row.kiloTokens, row.kiloTokens * 0.001, row.d);
            NS_TEST_EXPECT_MSG_EQ_TOL(300e9 / speed / DAY, row.days, 0.0051, row.d);
            // Full attention: 0.7 points above what sliding windows reach.
            const double mfu = Percent(step, row.seconds);
            NS_TEST_EXPECT_MSG_EQ_TOL(mfu, row.mfu + 0.65, 0.1, row.d);
            // Megatron-LM, full attention.
            const double base = step.GetModel().GetTokensPerSecond(row.baseSeconds * PS);
            NS_TEST_EXPECT_MSG_EQ_TOL(base / 1e3,
                                      row.baseKiloTokens,
                                      row.baseKiloTokens * 0.0011,
                                      row.d);
            NS_TEST_EXPECT_MSG_EQ_TOL(Percent(step, row.baseSeconds), row.baseMfu, 0.15, row.d);
        }
    }
};

/** Others. */
class OtherPublishedRuns : public TestCase
{
  public:
    OtherPublishedRuns()
        : TestCase("PaLM's MFU, GPT-3's FLOPs, Megatron's H100 table, DeepSeek-V3's GPU hours, "
                   "ZeRO's figure 1")
    {
    }

  private:
    void CheckPalm()
    {
        // Multi-query attention with heads of 256, SwiGLU, one embedding for both ends.
        ModelConfig palm;
        palm.SetFamily("llama");
        palm.hidden_size = 18432;
        palm.num_hidden_layers = 118;
        palm.num_attention_heads = 48;
        palm.num_key_value_heads = 1;
        palm.head_dim = 256;
        palm.intermediate_size = 4 * 18432;
        palm.vocab_size = 256000;
        palm.tie_word_embeddings = true;
        palm.Validate();
        const uint64_t parameters = CountParameters(palm);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(parameters) / 1e9, 540.35, 0.01, "PaLM");
        const auto perToken =
            static_cast<double>(ModelFlops(palm, 2048, false).GetTrainingByPalm(parameters));
        NS_TEST_EXPECT_MSG_EQ_TOL(100 * perToken * 238.3e3 / (6144 * 275e12), 46.2, 0.05, "MFU");
    }

    void CheckMegatronOnH100()
    {
        // 177B: positions are rotary and the output layer has weights of its own.
        ModelConfig model = MakeGptModel(12288, 96, 96, 131072, 4096);
        model.learned_positions = false;
        model.tie_word_embeddings = false;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(CountParameters(model)) / 1e9,
                                  177,
                                  0.5,
                                  "177B");
        PublishedRun run(model);
        run.Set(8, 6, 48, 1152, 4096);
        run.accelerator.name = "H100";
        const PublishedStep step(run);
        const double seconds = SecondsAt(step, 432.8e12);
        NS_TEST_EXPECT_MSG_EQ(step.GetStep().GetWorldSize(), 2304, "GPUs");
        NS_TEST_EXPECT_MSG_EQ_TOL(Percent(step, seconds), 44, 0.5, "MFU");
        NS_TEST_EXPECT_MSG_EQ_TOL(step.GetModel().GetFlops() / seconds / PETAFLOP,
                                  997.2,
                                  0.05,
                                  "aggregate");
    }

    void CheckDeepSeek()
    {
        // 14.8 T tokens in 2.664 M hours of H800, 989 TFLOP/s: 180 K hours and 3.7 days of 2048 of
        // them per T; with context extension (119 K) and post-training (5 K) 2.788 M hours, $2
        // each.
        const ModelFlops flops(ReadShippedModel("deepseek-v3"), 4096, true);
        const double total = static_cast<double>(flops.GetTraining()) * 14.8e12;
        const double rate = total / (2.664e6 * 3600);
        const double hours = EstimateTrainingSeconds(total / 14.8, 1, rate) / 3600;
        NS_TEST_EXPECT_MSG_EQ_TOL(hours, 180e3, 500, "GPU hours per T tokens");
        NS_TEST_EXPECT_MSG_EQ_TOL(EstimateTrainingSeconds(total / 14.8, 2048, rate) / DAY,
                                  3.7,
                                  0.05,
                                  "days per T tokens");
        const double all = EstimateTrainingSeconds(total, 1, rate) / 3600 + 119e3 + 5e3;
        NS_TEST_EXPECT_MSG_EQ_TOL(all, 2.788e6, 500, "GPU hours");
        NS_TEST_EXPECT_MSG_EQ_TOL(2 * all, 5.576e6, 500, "dollars");
        // What these hours imply: about 0.39 of the peak, half of the attention core counted.
        NS_TEST_EXPECT_MSG_EQ_TOL(rate / 989e12, 0.39, 0.02, "MFU");
    }

    void CheckZero()
    {
        const auto gigabytes = [](const std::string& strategy) {
            return static_cast<double>(
                       EstimateModelStates(7500000000, 64, strategy, DataType::FP16, DataType::FP16)
                           .GetTotal()) /
                   1e9;
        };
        NS_TEST_EXPECT_MSG_EQ_TOL(gigabytes("no_shard"), 120, 0.05, "baseline");
        NS_TEST_EXPECT_MSG_EQ_TOL(gigabytes("optim"), 31.4, 0.05, "optimizer");
        NS_TEST_EXPECT_MSG_EQ_TOL(gigabytes("optim_grads"), 16.6, 0.05, "gradients");
        NS_TEST_EXPECT_MSG_EQ_TOL(gigabytes("optim_grads_params"), 1.9, 0.05, "parameters");
    }

    void DoRun() override
    {
        CheckPalm();
        const auto gpt3 = static_cast<double>(CountParameters(ReadShippedModel("gpt3-175b")));
        NS_TEST_EXPECT_MSG_EQ_TOL(EstimateTrainingFlops(gpt3, 300e9, false),
                                  3.14e23,
                                  0.005e23,
                                  "GPT-3 app. D");
        CheckMegatronOnH100();
        CheckDeepSeek();
        CheckZero();
    }
};

/** The roofline against the clock. */
class RooflineExplainsPublishedTimes : public TestCase
{
  public:
    RooflineExplainsPublishedTimes()
        : TestCase("the roofline's time without communication is three fifths to all of what was "
                   "measured with it")
    {
    }

  private:
    void Expect(PublishedRun run, double seconds, const std::string& what)
    {
        run.training.causal_attention_flops = run.accelerator.name == "H100";
        const PublishedStep step(run);
        const double ideal = static_cast<double>(step.GetModel().GetIdealIterationPs()) / PS;
        NS_TEST_EXPECT_MSG_GT(ideal / seconds, 0.6, what);
        NS_TEST_EXPECT_MSG_LT(ideal / seconds, 1.0, what);
    }

    void DoRun() override
    {
        // Korthikanti 2022 table 5: selective recomputation, sequence parallelism, interleaved.
        struct Row
        {
            uint64_t hidden;
            uint64_t layers;
            uint64_t heads;
            uint32_t p;
            uint32_t v;
            uint32_t batch;
            uint32_t micro;
            double seconds;
        };

        for (const auto& row : {Row{6144, 48, 64, 1, 1, 4, 4, 1.10},
                                Row{12288, 96, 96, 8, 3, 64, 1, 13.75},
                                Row{20480, 105, 128, 35, 3, 280, 1, 37.83},
                                Row{25600, 128, 160, 64, 1, 512, 1, 71.49}})
        {
            PublishedRun run(MakeGptModel(row.hidden, row.layers, row.heads, 51200, 2048));
            run.Set(8, row.p, 1, row.batch, 2048);
            run.training.micro_batch_size = row.micro;
            run.training.recompute_granularity = "selective";
            run.parallel.sequence_parallel = true;
            run.parallel.virtual_pipeline_model_parallel_size = row.v;
            Expect(run, row.seconds, std::to_string(row.hidden));
        }
        // Llama 3 table 4: 430 TFLOP/s on 8192 H100; 126 layers in 64 chunks.
        PublishedRun run(ReadShippedModel("llama-3.1-405b"));
        run.Set(8, 16, 64, 2048, 8192);
        run.parallel.virtual_pipeline_model_parallel_size = 4;
        std::string layers = "1";
        for (int stage = 1; stage < 63; ++stage)
        {
            layers += ",2";
        }
        run.parallel.pipeline_model_parallel_layout = layers + ",1";
        run.parallel.sequence_parallel = true;
        run.accelerator.name = "H100";
        const ModelFlops flops(run.model, 8192, true);
        Expect(run,
               static_cast<double>(flops.GetTraining()) * 2048 * 8192 / (8192 * 430e12),
               "Llama 3");
    }
};

/** The suite: published times and utilisation. */
class PublishedUtilizationTestSuite : public TestSuite
{
  public:
    PublishedUtilizationTestSuite()
        : TestSuite("llm-training-published-utilization", Type::UNIT)
    {
        AddTestCase(new MegatronTwentyOne, llm::TestDuration::QUICK);
        AddTestCase(new KorthikantiTwentyTwo, llm::TestDuration::QUICK);
        AddTestCase(new LlamaThree, llm::TestDuration::QUICK);
        AddTestCase(new MegaScaleTableTwo, llm::TestDuration::QUICK);
        AddTestCase(new OtherPublishedRuns, llm::TestDuration::QUICK);
        AddTestCase(new RooflineExplainsPublishedTimes, llm::TestDuration::QUICK);
    }
};

const PublishedUtilizationTestSuite g_publishedUtilizationTestSuite; //!< registers the suite

} // namespace
