/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-accelerator.h"
#include "ns3/llm-model-config.h"
#include "ns3/llm-model-flops.h"
#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-training-compat.h"
#include "ns3/system-path.h"
#include "ns3/test.h"

#include <cmath>
#include <fstream>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @return a model of the GPT-2 family as plain numbers. */
ModelConfig
MakeGpt(uint64_t hidden, uint64_t layers, uint64_t vocabulary, uint64_t positions)
{
    ModelConfig model;
    model.SetFamily("gpt2");
    model.vocab_size = vocabulary;
    model.hidden_size = hidden;
    model.num_hidden_layers = layers;
    model.num_attention_heads = 1;
    model.max_position_embeddings = positions;
    model.Validate();
    return model;
}

/** Counts the parameters by listing tensors. */
uint64_t
CountByListing(const ModelConfig& model)
{
    uint64_t count = 0;
    for (const auto& tensor : ListParameterTensors(model))
    {
        count += tensor.GetElements();
    }
    return count;
}

/** Counts of published checkpoints. */
class ParametersEqualPublishedCheckpoints : public TestCase
{
  public:
    ParametersEqualPublishedCheckpoints()
        : TestCase("the shipped model files have the parameters of the published checkpoints")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* file;
            uint64_t parameters;
        };

        const std::vector<Row> rows{{"gpt2", 124439808},
                                    {"gpt2-xl", 1557611200},
                                    {"gpt3-175b", 174604259328},
                                    {"llama-2-7b", 6738415616},
                                    {"llama-2-13b", 13015864320},
                                    {"llama-2-70b", 68976648192},
                                    {"llama-3-8b", 8030261248},
                                    {"llama-3-70b", 70553706496},
                                    {"llama-3.1-405b", 405853388800},
                                    {"llama-3.2-1b", 1235814400},
                                    {"qwen2.5-72b", 72706203648},
                                    {"qwen3-8b", 8190735360}};
        for (const auto& row : rows)
        {
            const ModelConfig model = ModelConfig::ReadFile(
                std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/models/" + row.file + ".json");
            NS_TEST_EXPECT_MSG_EQ(model.name, row.file, "name");
            NS_TEST_EXPECT_MSG_EQ(CountParameters(model), row.parameters, row.file);
            NS_TEST_EXPECT_MSG_EQ(CountByListing(model), row.parameters, row.file);
        }
    }
};

/** Counts of models that are not shipped, as plain numbers and as text. */
class ParametersOfPlainNumbers : public TestCase
{
  public:
    ParametersOfPlainNumbers()
        : TestCase("plain numbers and text give the published parameter counts")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* json;
            uint64_t parameters;
        };

        const std::vector<Row> rows{
            // Llama-2-13B, Llama-2-70B, Llama-3.2-3B, Mistral-7B-v0.1
            {R"({"model_type": "llama", "vocab_size": 32000, "hidden_size": 5120,
                 "num_hidden_layers": 40, "num_attention_heads": 40, "intermediate_size": 13824})",
             13015864320},
            {R"({"model_type": "llama", "vocab_size": 32000, "hidden_size": 8192,
                 "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
                 "intermediate_size": 28672})",
             68976648192},
            {R"({"model_type": "llama", "vocab_size": 128256, "hidden_size": 3072,
                 "num_hidden_layers": 28, "num_attention_heads": 24, "num_key_value_heads": 8,
                 "intermediate_size": 8192, "tie_word_embeddings": true})",
             3212749824},
            {R"({"model_type": "mistral", "vocab_size": 32000, "hidden_size": 4096,
                 "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
                 "intermediate_size": 14336, "head_dim": null, "sliding_window": 4096})",
             7241732096}};
        for (const auto& row : rows)
        {
            const ModelConfig model = ModelConfig::ParseText(row.json, "text");
            NS_TEST_EXPECT_MSG_EQ(CountParameters(model), row.parameters, row.json);
            NS_TEST_EXPECT_MSG_EQ(CountByListing(model), row.parameters, row.json);
        }
        const ModelConfig qwen = ModelConfig::ReadFile(std::string(LLM_TRAINING_SOURCE_DIR) +
                                                       "/examples/models/qwen2.5-72b.json");
        NS_TEST_EXPECT_MSG_EQ(CountNonEmbeddingParameters(qwen), 70214787072, "non-embedding");

        // Megatron 2021, table 1: V = 51200, s = 2048, in units of 0.1 B.
        struct Size
        {
            uint64_t hidden;
            uint64_t layers;
            double tenths;
        };

        const std::vector<Size> sizes{{2304, 24, 17},
                                      {3072, 30, 36},
                                      {4096, 36, 75},
                                      {6144, 40, 184},
                                      {8192, 48, 391},
                                      {10240, 60, 761},
                                      {12288, 80, 1456},
                                      {16384, 96, 3101},
                                      {20480, 105, 5296},
                                      {25600, 128, 10080}};
        for (const auto& size : sizes)
        {
            const ModelConfig model = MakeGpt(size.hidden, size.layers, 51200, 2048);
            const uint64_t count = CountParameters(model);
            NS_TEST_EXPECT_MSG_EQ(CountByListing(model), count, "listing");
            NS_TEST_EXPECT_MSG_EQ(std::round(static_cast<double>(count) / 1e8),
                                  size.tenths,
                                  "Megatron 2021 table 1");
        }
    }
};

/** Biases that a llama file may ask for. */
class LlamaBiasesAreCounted : public TestCase
{
  public:
    LlamaBiasesAreCounted()
        : TestCase("attention_bias, mlp_bias and head_dim change the parameters as they should")
    {
    }

  private:
    static uint64_t Count(const std::string& extra)
    {
        const ModelConfig model = ModelConfig::ParseText(
            R"({"model_type": "llama", "vocab_size": 100, "hidden_size": 64,
                "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
                "intermediate_size": 96)" +
                extra + "}",
            "text");
        NS_ABORT_MSG_IF(CountByListing(model) != CountParameters(model), "listing differs");
        return CountParameters(model);
    }

    void DoRun() override
    {
        // 2 V h + h + L (h a d + 2 h k d + a d h + 3 h f + 2 h)
        const uint64_t plain = 2 * 6400 + 64 + 2 * (4096 + 4096 + 4096 + 18432 + 128);
        NS_TEST_EXPECT_MSG_EQ(Count(""), plain, "plain");
        NS_TEST_EXPECT_MSG_EQ(Count(R"(, "attention_bias": true)"),
                              plain + 2 * (64 + 64 + 64),
                              "q, k and v, o");
        NS_TEST_EXPECT_MSG_EQ(Count(R"(, "mlp_bias": true)"), plain + 2 * (96 + 96 + 64), "MLP");
        NS_TEST_EXPECT_MSG_EQ(Count(R"(, "head_dim": 32)"),
                              plain + 2 * (4096 + 4096 + 4096),
                              "heads of twice the width");
        NS_TEST_EXPECT_MSG_EQ(Count(R"(, "tie_word_embeddings": true)"), plain - 6400, "tied");
    }
};

/** Old and new spellings, nesting. */
class ModelFilesAreReadInAllSpellings : public TestCase
{
  public:
    ModelFilesAreReadInAllSpellings()
        : TestCase("old and new key names, nested text_config and defaults of each family")
    {
    }

  private:
    void DoRun() override
    {
        const ModelConfig gpt = ModelConfig::ParseText(
            R"({"model_type": "gpt2", "vocab_size": 10, "n_embd": 8, "n_layer": 3, "n_head": 2,
                "n_positions": 16, "n_ctx": 16, "n_inner": null, "bos_token_id": 9})",
            "text");
        NS_TEST_EXPECT_MSG_EQ(gpt.intermediate_size, 32, "n_inner is 4 n_embd");
        NS_TEST_EXPECT_MSG_EQ(gpt.num_key_value_heads, 2, "as many as heads");
        NS_TEST_EXPECT_MSG_EQ(gpt.head_dim, 4, "h / a");
        NS_TEST_EXPECT_MSG_EQ(gpt.tie_word_embeddings, true, "gpt2 ties");
        const ModelConfig common = ModelConfig::ParseText(
            R"({"model_type": "gpt2", "vocab_size": 10, "hidden_size": 8, "num_hidden_layers": 3,
                "num_attention_heads": 2, "max_position_embeddings": 16})",
            "text");
        NS_TEST_EXPECT_MSG_EQ(CountParameters(common), CountParameters(gpt), "common names");

        const ModelConfig nested = ModelConfig::ParseText(
            R"({"model_type": "vlm", "vision_config": {}, "text_config": {"model_type": "llama",
                "vocab_size": 10, "hidden_size": 8, "num_hidden_layers": 3,
                "num_attention_heads": 2, "intermediate_size": 12, "dtype": "float16",
                "torch_dtype": "float16"}})",
            "text");
        NS_TEST_EXPECT_MSG_EQ(nested.num_hidden_layers, 3, "nested");
        NS_TEST_EXPECT_MSG_EQ(nested.torch_dtype, "float16", "dtype");
        NS_TEST_EXPECT_MSG_EQ(nested.tie_word_embeddings, false, "llama does not tie");

        // .../Some-Model/config.json is named after its folder.
        const std::string folder = CreateTempDirFilename("Some-Model");
        SystemPath::MakeDirectories(folder);
        std::ofstream(folder + "/config.json")
            << R"({"model_type": "llama", "vocab_size": 10, "hidden_size": 8,
                   "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 12})";
        NS_TEST_EXPECT_MSG_EQ(ModelConfig::ReadFile(folder + "/config.json").name,
                              "Some-Model",
                              "name");
    }
};

/** Every complaint about a model file. */
class BadModelFilesAreRefused : public TestCase
{
  public:
    BadModelFilesAreRefused()
        : TestCase("a bad model file is refused in one line with file, JSON path and both numbers")
    {
    }

  private:
    /** A good llama file, with one more key that comes last and so wins. */
    static std::string Llama(const std::string& extra)
    {
        return R"({"model_type": "llama", "vocab_size": 100, "hidden_size": 64,
                   "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96)" +
               extra + "}";
    }

    void Expect(const std::string& json, const std::string& expected)
    {
        const std::string message = MessageOf([&json] { ModelConfig::ParseText(json, "m.json"); });
        NS_TEST_EXPECT_MSG_EQ(message.substr(0, expected.size()), expected, json);
        NS_TEST_EXPECT_MSG_EQ(message.find('\n'), std::string::npos, "one line");
    }

    void DoRun() override
    {
        const std::string known =
            "; known: deepseek_v2, deepseek_v3, gpt2, llama, mistral, mixtral, qwen2, qwen2_moe, "
            "qwen3, qwen3_moe";
        Expect("", "m.json: not valid JSON: parse error at line 1, column 1");
        Expect("{\"a\": 1,\n ]", "m.json: not valid JSON: parse error at line 2, column 2");
        Expect("{\"hidden_size\": 1e999}", "m.json: not valid JSON: number overflow");
        Expect("{\"hidden_size\": " + std::string(100000, '[') + std::string(100000, ']') + "}",
               "m.json: is nested more than 64 levels deep");
        Expect("{\"a\": \"\xff\"}", "m.json: not valid JSON: parse error");
        Expect("[1]", "m.json: must be a JSON object");
        Expect(R"({"text_config": 3})", "m.json: text_config: must be a JSON object");
        Expect("{}", "m.json: model_type: is missing" + known);
        Expect(R"({"model_type": 5})", "m.json: model_type: must be a string, is 5");
        Expect(R"({"model_type": "bert"})",
               "m.json: model_type: unknown model type 'bert'" + known);
        Expect(R"({"text_config": {"model_type": "llama"}})",
               "m.json: text_config.vocab_size: is missing; it must be a whole number");
        Expect(R"({"model_type": "llama", "vocab_size": 5})",
               "m.json: hidden_size: is missing; it must be a whole number");
        Expect(R"({"model_type": "gpt2", "vocab_size": 5})",
               "m.json: n_embd: is missing; it must be a whole number");
        Expect(Llama(R"(, "vocab_size": "many")"),
               "m.json: vocab_size: must be a whole number >= 1, is \"many\"");
        Expect(Llama(R"(, "vocab_size": -5)"),
               "m.json: vocab_size: must be a whole number >= 1, is -5");
        Expect(Llama(R"(, "vocab_size": 5.5)"),
               "m.json: vocab_size: must be a whole number >= 1, is 5.5");
        Expect(Llama(R"(, "vocab_size": 0)"),
               "m.json: vocab_size: must be between 1 and 4294967296, is 0");
        Expect(Llama(R"(, "vocab_size": 99999999999999999999)"),
               "m.json: vocab_size: must be a whole number >= 1, is 1e+20");
        Expect(Llama(R"(, "hidden_size": 4000000000, "num_hidden_layers": 1000000)"),
               "m.json: hidden_size: the shape has more than 10^16 parameters");
        Expect(Llama(R"(, "num_attention_heads": 7)"),
               "m.json: num_attention_heads: 7 heads do not divide hidden_size 64; give head_dim "
               "if that is meant");
        Expect(Llama(R"(, "num_key_value_heads": 3)"),
               "m.json: num_key_value_heads: 3 key-value heads do not divide 4 attention heads");
        Expect(Llama(R"(, "num_local_experts": 8)"),
               "m.json: num_local_experts: is 8, but model_type 'llama' is dense and has no "
               "experts");
        Expect(Llama(R"(, "tie_word_embeddings": "yes")"),
               "m.json: tie_word_embeddings: must be true or false, is \"yes\"");
        Expect(Llama(R"(, "dtype": "float16", "torch_dtype": "bfloat16")"),
               "m.json: dtype: \"float16\" contradicts torch_dtype, which is \"bfloat16\"");
        Expect(Llama(R"(, "dtype": "int4")"),
               "m.json: torch_dtype: unknown data type 'int4'; known: bf16, fp16, fp32");
        Expect(R"({"model_type": "gpt2", "vocab_size": 5, "n_embd": 8, "hidden_size": 16})",
               "m.json: hidden_size: 16 contradicts n_embd, which is 8");
        NS_TEST_EXPECT_MSG_EQ(
            MessageOf([] { ModelConfig::ReadFile("/nowhere/config.json"); }),
            "/nowhere/config.json: cannot be read or is empty; it should be a Hugging Face "
            "config.json",
            "no file");
        NS_TEST_EXPECT_MSG_EQ(
            MessageOf([] { ModelConfig::ReadFile("/"); }),
            "/: cannot be read or is empty; it should be a Hugging Face config.json",
            "a folder");
        NS_TEST_EXPECT_MSG_EQ(MessageOf([] { ModelConfig::ParseText("{}", "s.json", "model"); }),
                              "s.json: model.model_type: is missing" + known,
                              "inside another file");
        ModelConfig empty;
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&empty] { empty.Validate(); }),
                              "ModelConfig: vocab_size: must be between 1 and 4294967296, is 0",
                              "nothing filled in");
        ModelConfig narrow = ModelConfig::ParseText(Llama(""), "text");
        narrow.intermediate_size = 0;
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&narrow] { narrow.Validate(); }),
                              "ModelConfig: intermediate_size: must be at least 1, is 0",
                              "no MLP");
        narrow.SetFamily("gpt2");
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&narrow] { narrow.Validate(); }),
                              "ModelConfig: max_position_embeddings: must be at least 1 for "
                              "learned positions, is 0",
                              "no positions");
        NS_TEST_EXPECT_MSG_EQ(narrow.SetFamily("bert"), false, "unknown family");
    }
};

/** FLOPs against the formulas and figures of the papers. */
class FlopsEqualPublishedFormulas : public TestCase
{
  public:
    FlopsEqualPublishedFormulas()
        : TestCase("FLOPs reproduce Megatron's, Korthikanti's and MegaScale's formulas and MFU")
    {
    }

  private:
    /** @return utilisation in percent. */
    static double Mfu(double flopsPerToken, double tokens, double seconds, double gpus, double peak)
    {
        return 100 * flopsPerToken * tokens / (seconds * gpus * peak);
    }

    void DoRun() override
    {
        // Megatron 2021 eq. 3: 96 B s L h^2 (1 + s/(6h) + V/(16 L h)), full recomputation.
        for (const uint64_t h : {2304, 12288, 25600})
        {
            const uint64_t layers = 32;
            const ModelConfig model = MakeGpt(h, layers, 51200, 2048);
            const ModelFlops flops(model, 2048, false);
            const uint64_t formula = 96 * layers * h * h + 16 * layers * 2048 * h + 6 * 51200 * h;
            NS_TEST_EXPECT_MSG_EQ(flops.GetTrainingWithRecompute(), formula, "Megatron 2021");
            // Korthikanti 2022 app. A: 72 B L s h^2 (1 + s/(6h) + V/(12 h L)).
            const uint64_t model72 = 72 * layers * h * h + 12 * layers * 2048 * h + 6 * 51200 * h;
            NS_TEST_EXPECT_MSG_EQ(flops.GetTraining(), model72, "Korthikanti 2022");
        }

        // Megatron 2021 table 1 and s.5.1: time of an iteration at the stated rate.
        struct Iteration
        {
            uint64_t hidden;
            uint64_t layers;
            double batch;
            double gpus;
            double rate;
            double seconds;
        };

        for (const auto& row : {Iteration{25600, 128, 3072, 3072, 163e12, 102.6},
                                Iteration{12288, 80, 2304, 1536, 148e12, 24.8},
                                Iteration{2304, 24, 512, 32, 137e12, 3.53}})
        {
            const ModelFlops flops(MakeGpt(row.hidden, row.layers, 51200, 2048), 2048, false);
            const double seconds = row.batch * 2048 *
                                   static_cast<double>(flops.GetTrainingWithRecompute()) /
                                   (row.gpus * row.rate);
            NS_TEST_EXPECT_MSG_EQ_TOL(seconds, row.seconds, row.seconds * 0.003, "iteration");
        }

        // Korthikanti 2022 table 5 (A100) and MegaScale 2024 table 2's Megatron-LM rows.
        struct Published
        {
            uint64_t hidden;
            uint64_t layers;
            uint64_t vocabulary;
            double batch;
            double gpus;
            double seconds;
            double mfu;
            double tolerance;
        };

        for (const auto& row : {Published{6144, 48, 51200, 4, 8, 1.10, 41.5, 0.2},
                                Published{12288, 96, 51200, 64, 64, 13.75, 51.4, 0.1},
                                Published{25600, 128, 51200, 512, 512, 71.49, 56.3, 0.1},
                                Published{12288, 96, 64000, 6144, 3072, 29.02, 48.7, 0.1},
                                Published{12288, 96, 64000, 6144, 6144, 14.78, 47.8, 0.1},
                                Published{12288, 96, 64000, 6144, 8192, 12.24, 43.3, 0.1},
                                Published{12288, 96, 64000, 6144, 12288, 8.57, 41.2, 0.15}})
        {
            const ModelFlops flops(MakeGpt(row.hidden, row.layers, row.vocabulary, 2048),
                                   2048,
                                   false);
            const double mfu = Mfu(static_cast<double>(flops.GetTraining()),
                                   row.batch * 2048,
                                   row.seconds,
                                   row.gpus,
                                   312e12);
            NS_TEST_EXPECT_MSG_EQ_TOL(mfu, row.mfu, row.tolerance, "MFU");
        }
        // Llama-3.1-405B, 512 sequences of 8192 in 84.168 s on 512 v6e: 0.2792; and 3.8e25 FLOPs
        // for 15.6 T tokens by 6 N D.
        const std::string models = std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/models/";
        const ModelConfig large = ModelConfig::ReadFile(models + "llama-3.1-405b.json");
        const ModelFlops whole(large, 8192, false);
        NS_TEST_EXPECT_MSG_EQ_TOL(
            Mfu(static_cast<double>(whole.GetTraining()), 512.0 * 8192, 84.168, 512, 918e12),
            27.92,
            0.1,
            "Llama-3.1-405B");
        NS_TEST_EXPECT_MSG_EQ_TOL(6.0 * static_cast<double>(CountParameters(large)) * 15.6e12,
                                  3.799e25,
                                  0.001e25,
                                  "6 N D");

        // Grouped queries and SwiGLU, by hand; causal attention halves the core and nothing else.
        const ModelConfig llama = ModelConfig::ReadFile(models + "llama-3-8b.json");
        const ModelFlops full(llama, 8192, false);
        const ModelFlops half(llama, 8192, true);
        NS_TEST_EXPECT_MSG_EQ(full.GetAttentionProjections(),
                              2 * 4096 * (32 + 16 + 32) * 128,
                              "grouped");
        NS_TEST_EXPECT_MSG_EQ(full.GetMlp(), 2 * 3 * 4096 * 14336, "SwiGLU");
        NS_TEST_EXPECT_MSG_EQ(full.GetAttentionCore(), 4 * 8192 * 4096, "full");
        NS_TEST_EXPECT_MSG_EQ(half.GetAttentionCore(), 2 * 8192 * 4096, "causal");
        NS_TEST_EXPECT_MSG_EQ(full.GetForward() - half.GetForward(),
                              2ULL * 32 * 8192 * 4096,
                              "cores");
        NS_TEST_EXPECT_MSG_EQ(half.GetTraining(), 3 * half.GetForward(), "backward is twice");
    }
};

/** Roofline. */
class AcceleratorFollowsItsRoofline : public TestCase
{
  public:
    AcceleratorFollowsItsRoofline()
        : TestCase("an accelerator takes the longer of arithmetic and memory traffic")
    {
    }

  private:
    void DoRun() override
    {
        struct Peak
        {
            const char* name;
            uint64_t flops;
            uint64_t scaleUp;
        };

        for (const auto& peak : {Peak{"A100", 312000000000000, 2400000000000},
                                 Peak{"H100", 989400000000000, 3600000000000},
                                 Peak{"H200", 989400000000000, 3600000000000},
                                 Peak{"B200", 2250000000000000, 7200000000000}})
        {
            AcceleratorConfig config;
            config.name = peak.name;
            const Accelerator preset(config);
            NS_TEST_EXPECT_MSG_EQ(preset.GetConfig().flops_per_second, peak.flops, peak.name);
            NS_TEST_EXPECT_MSG_EQ(preset.GetConfig().scale_up_bits_per_second,
                                  peak.scaleUp,
                                  peak.name);
        }
        AcceleratorConfig config;
        config.flops_per_second = 1000000000000;
        config.memory_bytes_per_second = 1000000000;
        config.compute_efficiency = 0.5;
        config.memory_efficiency = 0.25;
        const Accelerator accelerator(config);
        NS_TEST_EXPECT_MSG_EQ(accelerator.GetDurationPs(3e6, 0), 6000000, "arithmetic");
        NS_TEST_EXPECT_MSG_EQ(accelerator.GetDurationPs(3e6, 1000), 6000000, "hidden memory");
        NS_TEST_EXPECT_MSG_EQ(accelerator.GetDurationPs(3e6, 2000), 8000000, "memory");
        NS_TEST_EXPECT_MSG_EQ(accelerator.GetDurationPs(0, 0), 0, "nothing");
        NS_TEST_EXPECT_MSG_EQ(accelerator.GetDurationPs(0.1, 0), 1, "rounded up");

        config.fixed_layer_forward_ps = 5;
        NS_TEST_EXPECT_MSG_EQ(Accelerator(config).GetConfig().fixed_layer_backward_ps, 10, "twice");
    }
};

/** Every complaint about an accelerator. */
class BadAcceleratorsAreRefused : public TestCase
{
  public:
    BadAcceleratorsAreRefused()
        : TestCase("a bad accelerator is refused with its value and what would be right")
    {
    }

  private:
    void Expect(const std::function<void(AcceleratorConfig&)>& change, const std::string& expected)
    {
        AcceleratorConfig config;
        change(config);
        NS_TEST_EXPECT_MSG_EQ(
            MessageOf([&config] { Accelerator made(config, "s.json", "accelerator"); }),
            "s.json: accelerator." + expected,
            "message");
    }

    void DoRun() override
    {
        Expect([](auto& config) { config.name = "V100"; },
               "name: unknown accelerator 'V100'; known: A100, H100, H200, B200");
        Expect([](auto& config) { config.compute_efficiency = 0; },
               "compute_efficiency: must be above 0 and at most 1, is 0.000000");
        Expect([](auto& config) { config.attention_efficiency = -1; },
               "attention_efficiency: must be above 0 and at most 1, is -1.000000");
        Expect([](auto& config) { config.compute_jitter = 1; },
               "compute_jitter: must be at least 0 and below 1, is 1.000000");
        Expect([](auto& config) { config.straggler_slowdown = 0.5; },
               "straggler_slowdown: must be between 1 and 1000000, is 0.500000");
        Expect([](auto& config) { config.memory_efficiency = 1.5; },
               "memory_efficiency: must be above 0 and at most 1, is 1.500000");
        Expect([](auto& config) { config.fixed_layer_forward_ps = -1; },
               "fixed_layer_forward_ps: must not be negative, is -1");
        Expect([](auto& config) { config.fixed_layer_forward_ps = 9000000000000000000; },
               "fixed_layer_forward_ps: must be at most 3600000000000000 (an hour), is "
               "9000000000000000000");
        Expect([](auto& config) { config.fixed_layer_backward_ps = 3600000000000001; },
               "fixed_layer_backward_ps: must be at most 3600000000000000 (an hour), is "
               "3600000000000001");
        Expect([](auto& config) { config.fixed_layer_backward_ps = 7; },
               "fixed_layer_backward_ps: must not be negative and needs fixed_layer_forward_ps, "
               "is 7 with forward 0");
        AcceleratorConfig slow;
        slow.flops_per_second = 1;
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&slow] { Accelerator(slow).GetDurationPs(1e8, 0); }),
                              "AcceleratorConfig: flops_per_second: one kernel would take more "
                              "than 106 days",
                              "too slow");
    }
};

/** The suite. */
class WorkloadModelTestSuite : public TestSuite
{
  public:
    WorkloadModelTestSuite()
        : TestSuite("llm-training-workload-model", Type::UNIT)
    {
        AddTestCase(new ParametersEqualPublishedCheckpoints, llm::TestDuration::QUICK);
        AddTestCase(new ParametersOfPlainNumbers, llm::TestDuration::QUICK);
        AddTestCase(new LlamaBiasesAreCounted, llm::TestDuration::QUICK);
        AddTestCase(new ModelFilesAreReadInAllSpellings, llm::TestDuration::QUICK);
        AddTestCase(new BadModelFilesAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new FlopsEqualPublishedFormulas, llm::TestDuration::QUICK);
        AddTestCase(new AcceleratorFollowsItsRoofline, llm::TestDuration::QUICK);
        AddTestCase(new BadAcceleratorsAreRefused, llm::TestDuration::QUICK);
    }
};

const WorkloadModelTestSuite g_workloadModelTestSuite; //!< registers the suite

} // namespace
