/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-published-run.h"

#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @return a llama as plain numbers. */
ModelConfig
MakeLlama(uint64_t hidden,
          uint64_t layers,
          uint64_t heads,
          uint64_t keyValueHeads,
          uint64_t width,
          uint64_t vocabulary)
{
    ModelConfig model;
    model.SetFamily("llama");
    model.hidden_size = hidden;
    model.num_hidden_layers = layers;
    model.num_attention_heads = heads;
    model.num_key_value_heads = keyValueHeads;
    model.intermediate_size = width;
    model.vocab_size = vocabulary;
    model.tie_word_embeddings = true;
    model.Validate();
    return model;
}

/** Published counts that are exact. */
class ExactParameterCounts : public TestCase
{
  public:
    ExactParameterCounts()
        : TestCase("parameters of checkpoints, to the last one")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* model;
            uint64_t stated;
        };

        // Totals of the safetensors files; GPT by the papers' shapes.
        for (const auto& row : {Row{"gpt2", 124439808},
                                Row{"gpt2-xl", 1557611200},
                                Row{"gpt3-175b", 174604259328},
                                Row{"llama-2-7b", 6738415616},
                                Row{"llama-2-13b", 13015864320},
                                Row{"llama-2-70b", 68976648192},
                                Row{"llama-3-8b", 8030261248},
                                Row{"llama-3-70b", 70553706496},
                                Row{"llama-3.1-405b", 405853388800},
                                Row{"llama-3.2-1b", 1235814400},
                                Row{"mixtral-8x7b", 46702792704},
                                Row{"mixtral-8x22b", 140620634112},
                                Row{"qwen2.5-72b", 72706203648},
                                Row{"qwen3-235b-a22b", 235093634560},
                                Row{"deepseek-v3", 671026419200}})
        {
            NS_TEST_EXPECT_MSG_EQ(CountParameters(ReadShippedModel(row.model)),
                                  row.stated,
                                  row.model);
        }
        NS_TEST_EXPECT_MSG_EQ(CountParameters(MakeLlama(3072, 28, 24, 8, 8192, 128256)),
                              3212749824,
                              "Llama-3.2-3B");
        ModelConfig instruct = ReadShippedModel("mixtral-8x22b");
        instruct.vocab_size = 32768;
        NS_TEST_EXPECT_MSG_EQ(CountParameters(instruct), 140630071296, "Mixtral-8x22B-Instruct");
    }
};

/** Published counts that are rounded. */
class RoundedParameterCounts : public TestCase
{
  public:
    RoundedParameterCounts()
        : TestCase("parameters as papers and model cards round them, total and active")
    {
    }

  private:
    /** Stated to within half of its last digit. */
    void Expect(uint64_t count, double statedBillions, double digit, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(count) / 1e9,
                                  statedBillions,
                                  digit / 2 + 1e-9,
                                  what);
    }

    void DoRun() override
    {
        Expect(CountParameters(ReadShippedModel("gpt2")), 0.124, 0.001, "GPT-2");
        Expect(CountParameters(ReadShippedModel("gpt2-xl")), 1.5, 0.2, "GPT-2 XL");
        Expect(CountParameters(ReadShippedModel("gpt3-175b")), 174.6, 0.1, "GPT-3 app. D");
        const ModelConfig mixtral = ReadShippedModel("mixtral-8x7b");
        NS_TEST_EXPECT_MSG_EQ(CountActiveParameters(mixtral), 12879925248, "Mixtral-8x7B");
        Expect(CountActiveParameters(mixtral), 12.9, 0.1, "Mixtral-8x7B active");
        const ModelConfig large = ReadShippedModel("mixtral-8x22b");
        Expect(CountParameters(large), 141, 1, "Mixtral-8x22B");
        Expect(CountActiveParameters(large), 39, 1, "Mixtral-8x22B active");
        const ModelConfig qwen = ReadShippedModel("qwen2.5-72b");
        Expect(CountParameters(qwen), 72.7, 0.1, "Qwen2.5-72B");
        // Stated 70.0; without embeddings it is 70.21.
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(CountNonEmbeddingParameters(qwen)) / 1e9,
                                  70.0,
                                  0.22,
                                  "Qwen2.5-72B without embeddings");
        const ModelConfig qwen3 = ReadShippedModel("qwen3-235b-a22b");
        Expect(CountParameters(qwen3), 235, 1, "Qwen3-235B");
        Expect(CountActiveParameters(qwen3), 22, 1, "Qwen3-235B active");
        NS_TEST_EXPECT_MSG_EQ(CountActiveParameters(qwen3), 22190763520, "Qwen3-235B active");

        const ModelConfig deepseek = ReadShippedModel("deepseek-v3");
        Expect(CountParameters(deepseek), 671, 1, "DeepSeek-V3");
        NS_TEST_EXPECT_MSG_EQ(CountActiveParameters(deepseek), 37552297472, "DeepSeek-V3 active");
        // "37 B active"; README_WEIGHTS says 36.7 B, which leaves the input embedding out (36.63).
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(CountActiveParameters(deepseek)) / 1e9,
                                  37,
                                  0.6,
                                  "DeepSeek-V3 active");
        NS_TEST_EXPECT_MSG_EQ_TOL(
            static_cast<double>(CountActiveParameters(deepseek) - 129280ULL * 7168) / 1e9,
            36.7,
            0.1,
            "DeepSeek-V3 active without the input embedding");
        NS_TEST_EXPECT_MSG_EQ(CountMtpParameters(deepseek), 11610068224, "MTP module");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(CountMtpParameters(deepseek)) / 1e9,
                                  11.5,
                                  0.115,
                                  "MTP module, 1 %");
        Expect(CountMtpParameters(deepseek) - 2ULL * 7168 * 7168,
               11.5,
               0.1,
               "MTP module without projection");
    }
};

/** Megatron 2021, table 1. */
class MegatronTableOne : public TestCase
{
  public:
    MegatronTableOne()
        : TestCase("the ten models of Megatron 2021, table 1")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            uint64_t hidden;
            uint64_t layers;
            double billions;
        };

        for (const auto& row : {Row{2304, 24, 1.7},
                                Row{3072, 30, 3.6},
                                Row{4096, 36, 7.5},
                                Row{6144, 40, 18.4},
                                Row{8192, 48, 39.1},
                                Row{10240, 60, 76.1},
                                Row{12288, 80, 145.6},
                                Row{16384, 96, 310.1},
                                Row{20480, 105, 529.6},
                                Row{25600, 128, 1008.0}})
        {
            const uint64_t count =
                CountParameters(MakeGptModel(row.hidden, row.layers, 1, 51200, 2048));
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(count) / 1e9,
                                      row.billions,
                                      0.05,
                                      row.hidden);
        }
    }
};

/** The suite: published parameter counts. */
class PublishedParametersTestSuite : public TestSuite
{
  public:
    PublishedParametersTestSuite()
        : TestSuite("llm-training-published-parameters", Type::UNIT)
    {
        AddTestCase(new ExactParameterCounts, llm::TestDuration::QUICK);
        AddTestCase(new RoundedParameterCounts, llm::TestDuration::QUICK);
        AddTestCase(new MegatronTableOne, llm::TestDuration::QUICK);
    }
};

const PublishedParametersTestSuite g_publishedParametersTestSuite; //!< registers the suite

} // namespace
