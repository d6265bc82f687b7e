/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-model-config.h"
#include "ns3/llm-model-flops.h"
#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

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

uint64_t
Sum(const std::vector<ParameterTensor>& tensors)
{
    uint64_t count = 0;
    for (const auto& tensor : tensors)
    {
        count += tensor.GetElements();
    }
    return count;
}

/** Qwen1.5-MoE-A2.7B and DeepSeek-V2-Lite, typed in. */
const char* const QWEN2_MOE =
    R"({"model_type": "qwen2_moe", "vocab_size": 151936, "hidden_size": 2048,
        "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16,
        "intermediate_size": 5632, "moe_intermediate_size": 1408,
        "shared_expert_intermediate_size": 5632, "num_experts": 60, "num_experts_per_tok": 4,
        "decoder_sparse_step": 1, "tie_word_embeddings": false})";
const char* const DEEPSEEK_V2_LITE =
    R"({"model_type": "deepseek_v2", "vocab_size": 102400, "hidden_size": 2048,
        "num_hidden_layers": 27, "num_attention_heads": 16, "num_key_value_heads": 16,
        "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64,
        "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1,
        "moe_layer_freq": 1, "n_group": 1, "topk_group": 1, "q_lora_rank": null,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "tie_word_embeddings": false})";

/** Counts of published mixtures of experts. */
class MoeParametersEqualPublishedCheckpoints : public TestCase
{
  public:
    MoeParametersEqualPublishedCheckpoints()
        : TestCase("mixtures of experts have the parameters, all and active, of the checkpoints")
    {
    }

  private:
    void Check(const ModelConfig& model, uint64_t all, uint64_t active)
    {
        NS_TEST_EXPECT_MSG_EQ(CountParameters(model), all, model.model_type);
        NS_TEST_EXPECT_MSG_EQ(Sum(ListParameterTensors(model)), all, model.model_type);
        NS_TEST_EXPECT_MSG_EQ(CountActiveParameters(model), active, model.model_type);
    }

    void DoRun() override
    {
        Check(ReadShipped("mixtral-8x7b"), 46702792704, 12879925248);
        Check(ReadShipped("mixtral-8x22b"), 140620634112, 39152031744);
        Check(ReadShipped("qwen3-30b-a3b"), 30532122624, 3353032704);
        Check(ReadShipped("qwen3-235b-a22b"), 235093634560, 22190763520);
        Check(ReadShipped("deepseek-v3"), 671026419200, 37552297472);
        Check(ModelConfig::ParseText(QWEN2_MOE, "text"), 14315784192, 2689173504);
        Check(ModelConfig::ParseText(DEEPSEEK_V2_LITE, "text"), 15706484224, 2661150208);

        const ModelConfig deepseek = ReadShipped("deepseek-v3");
        NS_TEST_EXPECT_MSG_EQ(CountMtpParameters(deepseek), 11610068224, "MTP module");
        NS_TEST_EXPECT_MSG_EQ(Sum(ListMtpTensors(deepseek, 0)), 11610068224, "MTP module");
        NS_TEST_EXPECT_MSG_EQ(ListMtpTensors(deepseek, 0).front().name,
                              "layers.61.enorm.weight",
                              "as in the checkpoint");
        for (const uint64_t layer : {0, 3})
        {
            NS_TEST_EXPECT_MSG_EQ(Sum(ListLayerTensors(deepseek, layer)),
                                  CountLayerParameters(deepseek, layer),
                                  "layer");
        }
        NS_TEST_EXPECT_MSG_EQ(CountNonEmbeddingParameters(deepseek) -
                                  CountActiveNonEmbeddingParameters(deepseek),
                              58ULL * 248 * 3 * 7168 * 2048,
                              "idle experts");
    }
};

/** Which layers are MoE in each family. */
class EachFamilyPlacesItsMoeLayers : public TestCase
{
  public:
    EachFamilyPlacesItsMoeLayers()
        : TestCase("each family says in its own way which layers have experts")
    {
    }

  private:
    static std::string Kinds(const std::string& json)
    {
        const ModelConfig model = ModelConfig::ParseText(json, "text");
        std::string kinds;
        uint64_t moe = 0;
        for (uint64_t layer = 0; layer < model.num_hidden_layers; ++layer)
        {
            kinds += model.IsMoeLayer(layer) ? 'M' : 'd';
            moe += model.IsMoeLayer(layer) ? 1 : 0;
        }
        return moe == model.CountMoeLayers() ? kinds : "miscounted";
    }

    static std::string Make(const std::string& family, const std::string& extra)
    {
        return R"({"model_type": ")" + family +
               R"(", "vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 6,
                   "num_attention_heads": 4, "intermediate_size": 96, "num_experts_per_tok": 2,
                   "moe_intermediate_size": 32, "kv_lora_rank": 8, "qk_nope_head_dim": 8,
                   "qk_rope_head_dim": 4, "v_head_dim": 8)" +
               extra + "}";
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Kinds(Make("mixtral", R"(, "num_local_experts": 4)")),
                              "MMMMMM",
                              "all");
        const std::string qwen = R"(, "num_experts": 4, "decoder_sparse_step": 2)";
        NS_TEST_EXPECT_MSG_EQ(Kinds(Make("qwen3_moe", qwen)), "dMdMdM", "every second");
        NS_TEST_EXPECT_MSG_EQ(Kinds(Make("qwen3_moe", qwen + R"(, "mlp_only_layers": [3, 4])")),
                              "dMdddM",
                              "some only dense");
        const std::string deepseek = R"(, "n_routed_experts": 4, "first_k_dense_replace": )";
        NS_TEST_EXPECT_MSG_EQ(Kinds(Make("deepseek_v3", deepseek + "2")), "ddMMMM", "first dense");
        NS_TEST_EXPECT_MSG_EQ(Kinds(Make("deepseek_v3", deepseek + R"(0, "moe_layer_freq": 2)")),
                              "MdMdMd",
                              "from the first on");
        NS_TEST_EXPECT_MSG_EQ(Kinds(Make("deepseek_v3", deepseek + R"(1, "moe_layer_freq": 3)")),
                              "dddMdd",
                              "multiples");
        // An MTP module is of the kind of the last layer.
        NS_TEST_EXPECT_MSG_EQ(
            ModelConfig::ParseText(Make("deepseek_v3", deepseek + R"(1, "moe_layer_freq": 3)"), "x")
                .IsMoeLayer(6),
            false,
            "module");
    }
};

/** Spellings of keys. */
class MoeKeysAreReadInAllSpellings : public TestCase
{
  public:
    MoeKeysAreReadInAllSpellings()
        : TestCase("experts in old and new spellings; head_dim of deepseek and rope keys ignored")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"})
        {
            const ModelConfig model = ModelConfig::ParseText(
                R"({"model_type": "mixtral", "vocab_size": 100, "hidden_size": 64,
                    "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96,
                    "num_experts_per_tok": 2, "dtype": "bfloat16",
                    "rope_parameters": {"rope_theta": 1e6}, ")" +
                    std::string(key) + R"(": 4})",
                "text");
            NS_TEST_EXPECT_MSG_EQ(model.num_experts, 4, key);
            NS_TEST_EXPECT_MSG_EQ(model.moe_intermediate_size, 96, "width of mixtral's experts");
        }
        const std::string json = DEEPSEEK_V2_LITE;
        const ModelConfig nested = ModelConfig::ParseText(
            R"({"model_type": "vlm", "text_config": )" + json.substr(0, json.size() - 1) +
                R"(, "head_dim": 64, "rope_theta": 10000, "rope_scaling": {"type": "yarn"}}})",
            "text");
        NS_TEST_EXPECT_MSG_EQ(nested.GetQueryHeadDim(), 192, "d_n + d_r");
        NS_TEST_EXPECT_MSG_EQ(nested.head_dim, 192, "not the file's");
        NS_TEST_EXPECT_MSG_EQ(nested.GetValueHeadDim(), 128, "d_v");
        NS_TEST_EXPECT_MSG_EQ(nested.shared_expert_intermediate_size, 2816, "two of 1408");
        NS_TEST_EXPECT_MSG_EQ(nested.expert_score_correction_bias, false, "V3 only");

        // Plain numbers.
        ModelConfig plain;
        plain.vocab_size = 100;
        plain.hidden_size = 64;
        plain.num_hidden_layers = 2;
        plain.num_attention_heads = 4;
        plain.num_experts = 8;
        plain.num_experts_per_tok = 2;
        plain.moe_intermediate_size = 32;
        plain.Validate();
        // 2 V h + h + L (4 h^2 + 8 x 3 h f_e + 8 h + 2 h)
        NS_TEST_EXPECT_MSG_EQ(CountParameters(plain),
                              12800 + 64 + 2 * (16384 + 49152 + 512 + 128),
                              "no dense MLP needed");
        NS_TEST_EXPECT_MSG_EQ(Sum(ListParameterTensors(plain)), CountParameters(plain), "listed");
    }
};

/** Every complaint about experts and latent attention. */
class BadMoeModelsAreRefused : public TestCase
{
  public:
    BadMoeModelsAreRefused()
        : TestCase("contradictions of experts and latent attention are refused in one line")
    {
    }

  private:
    void Expect(const std::string& extra, const std::string& expected)
    {
        // Of keys that stand there twice the last one wins.
        const std::string json =
            R"({"model_type": "deepseek_v3", "vocab_size": 100, "hidden_size": 64,
                "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 96,
                "moe_intermediate_size": 32, "n_routed_experts": 8, "num_experts_per_tok": 2,
                "first_k_dense_replace": 1, "kv_lora_rank": 8, "qk_nope_head_dim": 8,
                "qk_rope_head_dim": 4, "v_head_dim": 8, )" +
            extra + "}";
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&json] { ModelConfig::ParseText(json, "m.json"); }),
                              "m.json: " + expected,
                              extra);
    }

    static std::string Plain(void (*change)(ModelConfig&))
    {
        ModelConfig model = ReadShipped("deepseek-v3");
        change(model);
        return MessageOf([&model] { model.Validate(); });
    }

    void DoRun() override
    {
        Expect(R"("num_experts_per_tok": 9)",
               "num_experts_per_tok: must be between 1 and num_experts 8, is 9");
        Expect(R"("num_experts_per_tok": null)",
               "num_experts_per_tok: is missing; it must be a whole number");
        Expect(R"("n_routed_experts": null)",
               "num_local_experts: is missing; it must be a whole number");
        Expect(R"("num_experts": 4)", "n_routed_experts: 8 contradicts num_experts, which is 4");
        Expect(R"("moe_intermediate_size": null)",
               "moe_intermediate_size: is missing; it must be a whole number");
        Expect(R"("kv_lora_rank": null)", "kv_lora_rank: is missing; it must be a whole number");
        Expect(R"("v_head_dim": null)", "v_head_dim: is missing; it must be a whole number");
        Expect(R"("num_key_value_heads": 2)",
               "num_key_value_heads: must be 4, the attention heads, for latent attention, is 2");
        Expect(R"("n_group": 3)", "n_group: 8 experts cannot form 3 equal groups");
        Expect(R"("n_group": 2, "topk_group": 3)",
               "topk_group: must be between 1 and n_group 2, is 3");
        Expect(R"("n_group": 8, "topk_group": 1)",
               "num_experts_per_tok: 2 is above the 1 experts of topk_group 1 groups");
        Expect(R"("n_shared_experts": 9)", "n_shared_experts: 9 is above the 8 routed experts");
        Expect(R"("first_k_dense_replace": 4)",
               "num_experts: is 8, but none of the 4 layers has experts (first_k_dense_replace, "
               "moe_layer_freq, decoder_sparse_step, mlp_only_layers)");
        Expect(R"("moe_layer_freq": 0)", "moe_layer_freq: must be between 1 and 4294967296, is 0");
        Expect(R"("num_hidden_layers": 1000001)",
               "num_hidden_layers: must be between 1 and 1000000, is 1000001");
        Expect(R"("num_nextn_predict_layers": 1000001)",
               "num_nextn_predict_layers: must be between 1 and 1000000, is 1000001");
        Expect(R"("n_routed_experts": 65536, "moe_intermediate_size": 4000000000)",
               "hidden_size: the shape has more than 10^16 parameters; one of its numbers must be "
               "wrong");
        Expect(R"("model_type": "qwen3_moe", "mlp_only_layers": [4])",
               "mlp_only_layers: names layer 4, but the last of 4 is 3");
        Expect(R"("model_type": "qwen3_moe", "mlp_only_layers": 4)",
               "mlp_only_layers: must be a list of whole numbers, is 4");
        Expect(R"("model_type": "qwen3_moe", "mlp_only_layers": [-1])",
               "mlp_only_layers: must be a list of whole numbers, has -1");

        NS_TEST_EXPECT_MSG_EQ(Plain([](ModelConfig& m) { m.num_experts = 0; }),
                              "ModelConfig: num_experts_per_tok: is 8, but num_experts is 0",
                              "experts per token of a dense model");
        NS_TEST_EXPECT_MSG_EQ(Plain([](ModelConfig& m) {
                                  m.moe_intermediate_size = 0;
                                  m.intermediate_size = 0;
                              }),
                              "ModelConfig: moe_intermediate_size: is 0 and so is "
                              "intermediate_size: the 256 experts have no width",
                              "no width");
        NS_TEST_EXPECT_MSG_EQ(Plain([](ModelConfig& m) { m.intermediate_size = 0; }),
                              "ModelConfig: intermediate_size: must be at least 1, is 0",
                              "dense layers");
        NS_TEST_EXPECT_MSG_EQ(Plain([](ModelConfig& m) { m.v_head_dim = 0; }),
                              "ModelConfig: v_head_dim: must be at least 1 for latent attention "
                              "(kv_lora_rank is 512), is 0",
                              "no values");
        NS_TEST_EXPECT_MSG_EQ(Plain([](ModelConfig& m) { m.kv_lora_rank = 0; }),
                              "ModelConfig: kv_lora_rank: is 0, but q_lora_rank, qk_nope_head_dim, "
                              "qk_rope_head_dim and v_head_dim belong to latent attention, which "
                              "needs it",
                              "no keys");
        NS_TEST_EXPECT_MSG_EQ(Plain([](ModelConfig& m) {
                                  m.shared_expert_gate = true;
                                  m.shared_expert_intermediate_size = 0;
                              }),
                              "ModelConfig: shared_expert_intermediate_size: is 0, but "
                              "shared_expert_gate is set",
                              "gate of nothing");
    }
};

/** What a rank holds. */
class ExpertsAreCutTwice : public TestCase
{
  public:
    ExpertsAreCutTwice()
        : TestCase("routed experts are cut over ep and etp, shared ones over tp, routers not")
    {
    }

  private:
    void DoRun() override
    {
        const ModelConfig model = ReadShipped("deepseek-v3");
        const uint64_t h = 7168;
        uint64_t expert = 0;
        uint64_t shared = 0;
        uint64_t whole = 0;
        uint64_t attention = 0;
        uint64_t untrained = 0;
        for (const auto& tensor : ListLayerTensors(model, 3))
        {
            const uint64_t held = tensor.GetElementsOnRank(4, 0, 32, 2);
            untrained += tensor.hasGradient ? 0 : held;
            if (tensor.sharding == TensorSharding::EXPERT)
            {
                expert += held;
            }
            else if (tensor.sharding == TensorSharding::SPLIT)
            {
                (tensor.part == ModelPart::MLP ? shared : attention) += held;
            }
            else
            {
                whole += held;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(expert, 8 * 3 * h * 1024, "256 / 32 experts of half their width");
        NS_TEST_EXPECT_MSG_EQ(shared, 3 * h * 512, "a quarter of the shared one");
        NS_TEST_EXPECT_MSG_EQ(attention,
                              (1536ULL * 128 * 192 + 512ULL * 128 * 256 + 128 * 128 * h) / 4,
                              "what expands latent attention");
        NS_TEST_EXPECT_MSG_EQ(whole,
                              2 * h + (h + 1) * 1536 + h * 576 + 512 + 256 * h + 256,
                              "norms, what compresses, router");
        NS_TEST_EXPECT_MSG_EQ(untrained, 256, "routing bias");
    }
};

/** FLOPs of experts, latent attention and MTP, by hand. */
class MoeFlopsFollowTheActivePart : public TestCase
{
  public:
    MoeFlopsFollowTheActivePart()
        : TestCase("FLOPs count K experts and the shared ones, latent attention, MTP modules")
    {
    }

  private:
    void DoRun() override
    {
        ModelConfig model = ReadShipped("deepseek-v3");
        const uint64_t h = 7168;
        const ModelFlops flops(model, 4096, true);
        const uint64_t projections =
            2 * (h * 1536 + 1536ULL * 128 * 192 + h * 576 + 512ULL * 128 * 256 + 128 * 128 * h);
        const uint64_t core = 4096ULL * 128 * (128 + 64 + 128);
        NS_TEST_EXPECT_MSG_EQ(flops.GetAttentionProjections(), projections, "projections");
        NS_TEST_EXPECT_MSG_EQ(flops.GetAttentionCore(), core, "core");
        NS_TEST_EXPECT_MSG_EQ(ModelFlops(model, 4096, false).GetAttentionCore(), 2 * core, "full");
        NS_TEST_EXPECT_MSG_EQ(flops.GetMoe(), 9 * 2 * 3 * h * 2048, "eight and one shared");
        NS_TEST_EXPECT_MSG_EQ(flops.GetLayer(0), projections + core + 6 * h * 18432, "dense");
        NS_TEST_EXPECT_MSG_EQ(flops.GetLayer(3), projections + core + flops.GetMoe(), "MoE");
        const uint64_t layers =
            61 * (projections + core) + 3 * flops.GetMlp() + 58 * flops.GetMoe();
        NS_TEST_EXPECT_MSG_EQ(flops.GetLayers(), layers, "layers");
        const uint64_t head = 2 * h * 129280;
        const uint64_t module = 4 * h * h + projections + core + flops.GetMoe() + head;
        NS_TEST_EXPECT_MSG_EQ(flops.GetForward(), layers + head + module, "with its MTP module");
        NS_TEST_EXPECT_MSG_EQ(flops.GetTrainingWithSelectiveRecompute() - flops.GetTraining(),
                              62 * core,
                              "cores again");
        NS_TEST_EXPECT_MSG_EQ(flops.GetTrainingWithRecompute() - flops.GetTraining(),
                              layers + flops.GetLayer(61),
                              "layers again");
        // Two FLOPs per active parameter, but for input embedding, norms, router and its bias.
        model.num_nextn_predict_layers = 0;
        const ModelFlops plain(model, 4096, true);
        const uint64_t norms = 61 * (2 * h + 1536 + 512) + h;
        const uint64_t routers = 58 * 256 * (h + 1);
        NS_TEST_EXPECT_MSG_EQ(plain.GetForward() - 61 * core,
                              2 * (CountActiveParameters(model) - 129280 * h - norms - routers),
                              "matrices");
        // Queries that are not compressed.
        const ModelConfig lite = ModelConfig::ParseText(DEEPSEEK_V2_LITE, "text");
        NS_TEST_EXPECT_MSG_EQ(ModelFlops(lite, 4096, true).GetAttentionProjections(),
                              2ULL *
                                  (2048 * 16 * 192 + 2048 * 576 + 512 * 16 * 256 + 16 * 128 * 2048),
                              "plain queries");
    }
};

/** The suite. */
class WorkloadMoeModelTestSuite : public TestSuite
{
  public:
    WorkloadMoeModelTestSuite()
        : TestSuite("llm-training-workload-moe-model", Type::UNIT)
    {
        AddTestCase(new MoeParametersEqualPublishedCheckpoints, llm::TestDuration::QUICK);
        AddTestCase(new EachFamilyPlacesItsMoeLayers, llm::TestDuration::QUICK);
        AddTestCase(new MoeKeysAreReadInAllSpellings, llm::TestDuration::QUICK);
        AddTestCase(new BadMoeModelsAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new ExpertsAreCutTwice, llm::TestDuration::QUICK);
        AddTestCase(new MoeFlopsFollowTheActivePart, llm::TestDuration::QUICK);
    }
};

const WorkloadMoeModelTestSuite g_workloadMoeModelTestSuite; //!< registers the suite

} // namespace
