/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-model-config.h"

#include "llm-data-type.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::json;

/** Larger than any shape of a language model, small enough that no product of three overflows. */
constexpr uint64_t LARGEST_SHAPE = 1ULL << 32;

/** More layers than any model has, few enough to go through them one by one. */
constexpr uint64_t MOST_LAYERS = 1000000;

/** Levels of nesting; deeper, what shows a value in an error would overflow the stack. */
constexpr int DEEPEST = 64;

/** Spellings of E: mixtral's, qwen's, deepseek's; transformers v5 maps them onto each other. */
const std::vector<std::string> EXPERT_KEYS{"num_local_experts", "num_experts", "n_routed_experts"};

std::string
JoinFamilyNames()
{
    std::string names;
    for (const auto& name : ModelConfig::GetFamilyNames())
    {
        names += (names.empty() ? "" : ", ") + name;
    }
    return names;
}

bool
StartsWith(const std::string& text, const std::string& start)
{
    return text.compare(0, start.size(), start) == 0;
}

/** @return whether layers of the family have experts. */
bool
IsMoeFamily(const std::string& modelType)
{
    return modelType == "mixtral" || modelType == "qwen2_moe" || modelType == "qwen3_moe" ||
           StartsWith(modelType, "deepseek");
}

/** Reads keys of one JSON object, with every complaint in one form. */
class KeyReader
{
  public:
    KeyReader(const Json& object, std::string source, std::string path)
        : m_object(object),
          m_source(std::move(source)),
          m_path(std::move(path))
    {
    }

    [[noreturn]] void Fail(const std::string& key, const std::string& message) const
    {
        throw ConfigError(m_source, GetPathOf(key), message);
    }

    std::string GetPathOf(const std::string& key) const
    {
        return m_path.empty() || key.empty() ? m_path + key : m_path + "." + key;
    }

    /** @return the first of the spellings that is there and not null; empty if none is. */
    std::string Find(const std::vector<std::string>& spellings) const
    {
        std::string found;
        for (const auto& key : spellings)
        {
            const auto it = m_object.find(key);
            if (it == m_object.end() || it->is_null())
            {
                continue;
            }
            if (found.empty())
            {
                found = key;
            }
            else if (m_object.at(found) != *it)
            {
                Fail(key,
                     it->dump() + " contradicts " + GetPathOf(found) + ", which is " +
                         m_object.at(found).dump());
            }
        }
        return found;
    }

    uint64_t GetCount(const std::vector<std::string>& spellings) const
    {
        const std::string key = Find(spellings);
        if (key.empty())
        {
            Fail(spellings.front(), "is missing; it must be a whole number");
        }
        const Json& value = m_object.at(key);
        // A negative number is signed, not unsigned, for the library.
        if (!value.is_number_unsigned())
        {
            Fail(key, "must be a whole number >= 1, is " + value.dump());
        }
        const auto count = value.get<uint64_t>();
        if (count == 0 || count > LARGEST_SHAPE)
        {
            Fail(key,
                 "must be between 1 and " + std::to_string(LARGEST_SHAPE) + ", is " + value.dump());
        }
        return count;
    }

    uint64_t GetCount(const std::vector<std::string>& spellings, uint64_t fallback) const
    {
        return Find(spellings).empty() ? fallback : GetCount(spellings);
    }

    /** A count that may be nothing. */
    uint64_t GetCountOrZero(const std::string& key, uint64_t fallback) const
    {
        if (Find({key}).empty())
        {
            return fallback;
        }
        const Json& value = m_object.at(key);
        return value.is_number_unsigned() && value.get<uint64_t>() == 0 ? 0 : GetCount({key});
    }

    std::vector<uint64_t> GetCounts(const std::string& key) const
    {
        std::vector<uint64_t> counts;
        if (Find({key}).empty())
        {
            return counts;
        }
        const Json& value = m_object.at(key);
        if (!value.is_array())
        {
            Fail(key, "must be a list of whole numbers, is " + value.dump());
        }
        for (const auto& entry : value)
        {
            if (!entry.is_number_unsigned())
            {
                Fail(key, "must be a list of whole numbers, has " + entry.dump());
            }
            counts.push_back(entry.get<uint64_t>());
        }
        return counts;
    }

    bool GetFlag(const std::string& key, bool fallback) const
    {
        if (Find({key}).empty())
        {
            return fallback;
        }
        const Json& value = m_object.at(key);
        if (!value.is_boolean())
        {
            Fail(key, "must be true or false, is " + value.dump());
        }
        return value.get<bool>();
    }

    std::string GetString(const std::vector<std::string>& spellings) const
    {
        const std::string key = Find(spellings);
        if (key.empty())
        {
            return "";
        }
        const Json& value = m_object.at(key);
        if (!value.is_string())
        {
            Fail(key, "must be a string, is " + value.dump());
        }
        return value.get<std::string>();
    }

  private:
    const Json& m_object;
    std::string m_source;
    std::string m_path;
};

/** The shape of a model must not hide experts: its parameters and traffic would be wrong. */
void
RefuseExperts(const KeyReader& keys, const std::string& modelType)
{
    for (const auto& key : EXPERT_KEYS)
    {
        const uint64_t experts = keys.GetCount({key}, 1);
        if (experts > 1)
        {
            keys.Fail(key,
                      "is " + std::to_string(experts) + ", but model_type '" + modelType +
                          "' is dense and has no experts");
        }
    }
}

/** The keys of mixtures of experts. */
void
ReadExperts(const KeyReader& keys, ModelConfig& model)
{
    const std::string& family = model.model_type;
    model.num_experts = keys.GetCount(EXPERT_KEYS);
    model.num_experts_per_tok = keys.GetCount({"num_experts_per_tok"});
    if (family != "mixtral")
    {
        model.moe_intermediate_size = keys.GetCount({"moe_intermediate_size"});
    }
    if (StartsWith(family, "qwen"))
    {
        model.decoder_sparse_step = keys.GetCount({"decoder_sparse_step"}, 1);
        model.mlp_only_layers = keys.GetCounts("mlp_only_layers");
    }
    if (family == "qwen2_moe")
    {
        model.shared_expert_intermediate_size = keys.GetCount({"shared_expert_intermediate_size"});
    }
    if (StartsWith(family, "deepseek"))
    {
        const uint64_t shared = keys.GetCountOrZero("n_shared_experts", 0);
        if (shared > model.num_experts)
        {
            keys.Fail("n_shared_experts",
                      std::to_string(shared) + " is above the " +
                          std::to_string(model.num_experts) + " routed experts");
        }
        model.shared_expert_intermediate_size = shared * model.moe_intermediate_size;
        model.first_k_dense_replace = keys.GetCountOrZero("first_k_dense_replace", 0);
        model.moe_layer_freq = keys.GetCount({"moe_layer_freq"}, 1);
        model.n_group = keys.GetCount({"n_group"}, 1);
        model.topk_group = keys.GetCount({"topk_group"}, 1);
        model.num_nextn_predict_layers = keys.GetCountOrZero("num_nextn_predict_layers", 0);
    }
}

/** The keys of latent attention. */
void
ReadLatentAttention(const KeyReader& keys, ModelConfig& model)
{
    model.q_lora_rank = keys.GetCount({"q_lora_rank"}, 0);
    model.kv_lora_rank = keys.GetCount({"kv_lora_rank"});
    model.qk_nope_head_dim = keys.GetCount({"qk_nope_head_dim"});
    model.qk_rope_head_dim = keys.GetCount({"qk_rope_head_dim"});
    model.v_head_dim = keys.GetCount({"v_head_dim"});
}

/** The parts of Validate, with every complaint in one form. */
class ShapeCheck
{
  public:
    ShapeCheck(std::string source, std::string path)
        : m_source(std::move(source)),
          m_path(std::move(path))
    {
    }

    [[noreturn]] void Fail(const std::string& key, const std::string& message) const
    {
        throw ConfigError(m_source, m_path.empty() ? key : m_path + "." + key, message);
    }

    void Require(const std::string& key, uint64_t value, uint64_t most = LARGEST_SHAPE) const
    {
        if (value == 0)
        {
            Fail(key, "must be between 1 and " + std::to_string(most) + ", is 0");
        }
        Limit(key, value, most);
    }

    void Limit(const std::string& key, uint64_t value, uint64_t most = LARGEST_SHAPE) const
    {
        if (value > most)
        {
            Fail(key,
                 "must be between 1 and " + std::to_string(most) + ", is " + std::to_string(value));
        }
    }

    void Attention(ModelConfig& model) const
    {
        const std::string heads = std::to_string(model.num_attention_heads);
        if (model.HasLatentAttention())
        {
            Latent(model);
        }
        else if (model.q_lora_rank > 0 || model.qk_nope_head_dim > 0 ||
                 model.qk_rope_head_dim > 0 || model.v_head_dim > 0)
        {
            Fail("kv_lora_rank",
                 "is 0, but q_lora_rank, qk_nope_head_dim, qk_rope_head_dim and v_head_dim belong "
                 "to latent attention, which needs it");
        }
        if (model.head_dim == 0)
        {
            if (model.hidden_size % model.num_attention_heads != 0)
            {
                Fail("num_attention_heads",
                     heads + " heads do not divide hidden_size " +
                         std::to_string(model.hidden_size) + "; give head_dim if that is meant");
            }
            model.head_dim = model.hidden_size / model.num_attention_heads;
        }
        if (model.num_key_value_heads == 0)
        {
            model.num_key_value_heads = model.num_attention_heads;
        }
        if (model.num_attention_heads % model.num_key_value_heads != 0)
        {
            Fail("num_key_value_heads",
                 std::to_string(model.num_key_value_heads) + " key-value heads do not divide " +
                     heads + " attention heads");
        }
    }

    void Experts(ModelConfig& model) const
    {
        if (model.num_experts == 0)
        {
            RefuseExpertNumbers(model);
            return;
        }
        const std::string experts = std::to_string(model.num_experts);
        Limit("num_experts", model.num_experts);
        if (model.num_experts_per_tok == 0 || model.num_experts_per_tok > model.num_experts)
        {
            Fail("num_experts_per_tok",
                 "must be between 1 and num_experts " + experts + ", is " +
                     std::to_string(model.num_experts_per_tok));
        }
        if (model.moe_intermediate_size == 0)
        {
            model.moe_intermediate_size = model.intermediate_size;
        }
        if (model.moe_intermediate_size == 0)
        {
            Fail("moe_intermediate_size",
                 "is 0 and so is intermediate_size: the " + experts + " experts have no width");
        }
        Limit("moe_intermediate_size", model.moe_intermediate_size);
        Limit("shared_expert_intermediate_size", model.shared_expert_intermediate_size);
        if (model.shared_expert_gate && model.shared_expert_intermediate_size == 0)
        {
            Fail("shared_expert_intermediate_size", "is 0, but shared_expert_gate is set");
        }
        Require("moe_layer_freq", model.moe_layer_freq);
        Require("decoder_sparse_step", model.decoder_sparse_step);
        for (const uint64_t layer : model.mlp_only_layers)
        {
            if (layer >= model.num_hidden_layers)
            {
                Fail("mlp_only_layers",
                     "names layer " + std::to_string(layer) + ", but the last of " +
                         std::to_string(model.num_hidden_layers) + " is " +
                         std::to_string(model.num_hidden_layers - 1));
            }
        }
        if (model.CountMoeLayers() == 0)
        {
            Fail("num_experts",
                 "is " + experts + ", but none of the " + std::to_string(model.num_hidden_layers) +
                     " layers has experts (first_k_dense_replace, moe_layer_freq, "
                     "decoder_sparse_step, mlp_only_layers)");
        }
        ExpertGroups(model);
    }

    void Size(const ModelConfig& model) const
    {
        // Keeps every byte count of the model far from 2^64; doubles cannot overflow here.
        constexpr double mostParameters = 1e16;
        const auto h = static_cast<double>(model.hidden_size);
        const double attention =
            static_cast<double>(model.num_attention_heads) *
                static_cast<double>(model.GetQueryHeadDim() + model.GetValueHeadDim()) *
                (2 * h + static_cast<double>(model.q_lora_rank) +
                 static_cast<double>(model.kv_lora_rank)) +
            h * static_cast<double>(model.q_lora_rank + model.kv_lora_rank);
        const double feedForward = 3 * h *
                                   (static_cast<double>(model.intermediate_size) +
                                    static_cast<double>(model.num_experts) *
                                        static_cast<double>(model.moe_intermediate_size + 1) +
                                    static_cast<double>(model.shared_expert_intermediate_size));
        const double parameters = (static_cast<double>(model.num_hidden_layers) +
                                   static_cast<double>(model.num_nextn_predict_layers)) *
                                      (attention + feedForward + 2 * h * h) +
                                  h * (2.0 * static_cast<double>(model.vocab_size) +
                                       static_cast<double>(model.max_position_embeddings));
        if (!(parameters < mostParameters))
        {
            Fail("hidden_size",
                 "the shape has more than 10^16 parameters; one of its numbers must be wrong");
        }
    }

  private:
    void Latent(ModelConfig& model) const
    {
        Limit("q_lora_rank", model.q_lora_rank);
        Limit("kv_lora_rank", model.kv_lora_rank);
        const auto needs = [this, &model](const std::string& key, uint64_t value) {
            if (value == 0)
            {
                Fail(key,
                     "must be at least 1 for latent attention (kv_lora_rank is " +
                         std::to_string(model.kv_lora_rank) + "), is 0");
            }
            Limit(key, value);
        };
        needs("qk_nope_head_dim", model.qk_nope_head_dim);
        needs("qk_rope_head_dim", model.qk_rope_head_dim);
        needs("v_head_dim", model.v_head_dim);
        if (model.num_key_value_heads != 0 &&
            model.num_key_value_heads != model.num_attention_heads)
        {
            Fail("num_key_value_heads",
                 "must be " + std::to_string(model.num_attention_heads) +
                     ", the attention heads, for latent attention, is " +
                     std::to_string(model.num_key_value_heads));
        }
        model.head_dim = model.GetQueryHeadDim();
    }

    void RefuseExpertNumbers(const ModelConfig& model) const
    {
        struct Number
        {
            const char* key;
            uint64_t value;
        };

        for (const auto& number :
             {Number{"num_experts_per_tok", model.num_experts_per_tok},
              Number{"moe_intermediate_size", model.moe_intermediate_size},
              Number{"shared_expert_intermediate_size", model.shared_expert_intermediate_size}})
        {
            if (number.value > 0)
            {
                Fail(number.key, "is " + std::to_string(number.value) + ", but num_experts is 0");
            }
        }
    }

    void ExpertGroups(const ModelConfig& model) const
    {
        const std::string groups = std::to_string(model.n_group);
        if (model.n_group == 0 || model.num_experts % model.n_group != 0)
        {
            Fail("n_group",
                 std::to_string(model.num_experts) + " experts cannot form " + groups +
                     " equal groups");
        }
        if (model.topk_group == 0 || model.topk_group > model.n_group)
        {
            Fail("topk_group",
                 "must be between 1 and n_group " + groups + ", is " +
                     std::to_string(model.topk_group));
        }
        const uint64_t reachable = model.topk_group * (model.num_experts / model.n_group);
        if (model.num_experts_per_tok > reachable)
        {
            Fail("num_experts_per_tok",
                 std::to_string(model.num_experts_per_tok) + " is above the " +
                     std::to_string(reachable) + " experts of topk_group " +
                     std::to_string(model.topk_group) + " groups");
        }
    }

    std::string m_source;
    std::string m_path;
};

ModelConfig
FromJson(const Json& root, const std::string& source, const std::string& path)
{
    if (!root.is_object())
    {
        throw ConfigError(source, path, "must be a JSON object");
    }
    const auto nested = root.find("text_config");
    if (nested != root.end())
    {
        const std::string inner = path.empty() ? "text_config" : path + ".text_config";
        return FromJson(*nested, source, inner);
    }
    const KeyReader keys(root, source, path);
    ModelConfig model;
    model.model_type = keys.GetString({"model_type"});
    if (model.model_type.empty())
    {
        keys.Fail("model_type", "is missing; known: " + JoinFamilyNames());
    }
    // The text part of a multimodal llama says "llama4_text" and the like: another family.
    if (!model.SetFamily(model.model_type))
    {
        keys.Fail("model_type",
                  "unknown model type '" + model.model_type + "'; known: " + JoinFamilyNames());
    }
    const std::string& family = model.model_type;
    if (!IsMoeFamily(family))
    {
        RefuseExperts(keys, family);
    }
    const bool gpt2 = family == "gpt2";
    const bool latent = StartsWith(family, "deepseek");
    const auto spell = [gpt2](const char* own, const char* common) {
        return gpt2 ? std::vector<std::string>{own, common} : std::vector<std::string>{common};
    };
    model.vocab_size = keys.GetCount({"vocab_size"});
    model.hidden_size = keys.GetCount(spell("n_embd", "hidden_size"));
    model.num_hidden_layers = keys.GetCount(spell("n_layer", "num_hidden_layers"));
    model.num_attention_heads = keys.GetCount(spell("n_head", "num_attention_heads"));
    if (gpt2)
    {
        model.intermediate_size = keys.GetCount({"n_inner", "intermediate_size"}, 0);
        model.max_position_embeddings =
            keys.GetCount({"n_positions", "n_ctx", "max_position_embeddings"});
    }
    else
    {
        model.intermediate_size = keys.GetCount({"intermediate_size"});
        model.max_position_embeddings = keys.GetCount({"max_position_embeddings"}, 0);
        model.num_key_value_heads = keys.GetCount({"num_key_value_heads"}, 0);
        model.head_dim = latent ? 0 : keys.GetCount({"head_dim"}, 0);
    }
    if (latent)
    {
        ReadLatentAttention(keys, model);
    }
    if (IsMoeFamily(family))
    {
        ReadExperts(keys, model);
    }
    model.tie_word_embeddings = keys.GetFlag("tie_word_embeddings", model.tie_word_embeddings);
    if (family == "llama" || family == "qwen3" || family == "qwen3_moe" || latent)
    {
        model.qkv_bias = keys.GetFlag("attention_bias", false);
        model.attention_output_bias = model.qkv_bias;
    }
    if (family == "llama")
    {
        model.mlp_bias = keys.GetFlag("mlp_bias", false);
    }
    model.torch_dtype = keys.GetString({"torch_dtype", "dtype"});
    model.Validate(source, path);
    return model;
}

} // namespace

const std::vector<std::string>&
ModelConfig::GetFamilyNames()
{
    static const std::vector<std::string> names{"deepseek_v2",
                                                "deepseek_v3",
                                                "gpt2",
                                                "llama",
                                                "mistral",
                                                "mixtral",
                                                "qwen2",
                                                "qwen2_moe",
                                                "qwen3",
                                                "qwen3_moe"};
    return names;
}

bool
ModelConfig::SetFamily(const std::string& modelType)
{
    const auto& names = GetFamilyNames();
    if (std::find(names.begin(), names.end(), modelType) == names.end())
    {
        return false;
    }
    const bool gpt2 = modelType == "gpt2";
    model_type = modelType;
    gated_mlp = !gpt2;
    layer_norm_bias = gpt2;
    learned_positions = gpt2;
    qkv_bias = gpt2 || StartsWith(modelType, "qwen2");
    attention_output_bias = gpt2;
    mlp_bias = gpt2;
    qk_norm = StartsWith(modelType, "qwen3");
    tie_word_embeddings = gpt2;
    expert_score_correction_bias = modelType == "deepseek_v3";
    shared_expert_gate = modelType == "qwen2_moe";
    return true;
}

void
ModelConfig::Validate(const std::string& source, const std::string& path)
{
    const ShapeCheck check(source, path);
    check.Require("vocab_size", vocab_size);
    check.Require("hidden_size", hidden_size);
    check.Require("num_hidden_layers", num_hidden_layers, MOST_LAYERS);
    check.Limit("num_nextn_predict_layers", num_nextn_predict_layers, MOST_LAYERS);
    check.Require("num_attention_heads", num_attention_heads);
    check.Attention(*this);
    check.Experts(*this);
    if (intermediate_size == 0 && model_type == "gpt2")
    {
        intermediate_size = 4 * hidden_size;
    }
    if (intermediate_size == 0 && CountMoeLayers() < num_hidden_layers)
    {
        check.Fail("intermediate_size", "must be at least 1, is 0");
    }
    if (learned_positions && max_position_embeddings == 0)
    {
        check.Fail("max_position_embeddings", "must be at least 1 for learned positions, is 0");
    }
    check.Size(*this);
    if (!torch_dtype.empty())
    {
        ParseDataType(torch_dtype, source, path.empty() ? "torch_dtype" : path + ".torch_dtype");
    }
}

ModelConfig
ModelConfig::ParseText(const std::string& text, const std::string& source, const std::string& path)
{
    Json root;
    try
    {
        root = Json::parse(text, [&](int depth, Json::parse_event_t, const Json&) {
            if (depth > DEEPEST)
            {
                throw ConfigError(source,
                                  path,
                                  "is nested more than " + std::to_string(DEEPEST) +
                                      " levels deep");
            }
            return true;
        });
    }
    catch (const Json::exception& error) // no JSON, or a number such as 1e999
    {
        // The library's text repeats its own exception id in brackets; keep what follows.
        std::string what = error.what();
        const auto bracket = what.find("] ");
        throw ConfigError(source,
                          path,
                          "not valid JSON: " +
                              (bracket == std::string::npos ? what : what.substr(bracket + 2)));
    }
    return FromJson(root, source, path);
}

ModelConfig
ModelConfig::ReadFile(const std::string& fileName)
{
    std::ifstream file(fileName);
    std::stringstream text;
    text << file.rdbuf();
    if (!file || !text) // copying nothing, as from a folder, fails the target only
    {
        throw ConfigError(fileName,
                          "",
                          "cannot be read or is empty; it should be a Hugging Face config.json");
    }
    ModelConfig model = ParseText(text.str(), fileName);
    const auto slash = fileName.find_last_of('/');
    std::string stem = slash == std::string::npos ? fileName : fileName.substr(slash + 1);
    const auto dot = stem.find_last_of('.');
    if (dot != std::string::npos && dot != 0)
    {
        stem.erase(dot);
    }
    if (stem == "config" && slash != std::string::npos)
    {
        // .../Llama-2-7b-hf/config.json: the folder has the name.
        const std::string folder = fileName.substr(0, slash);
        stem = folder.substr(folder.find_last_of('/') + 1);
    }
    model.name = stem;
    return model;
}

bool
ModelConfig::IsMoeLayer(uint64_t layer) const
{
    layer = std::min(layer, num_hidden_layers - 1);
    return num_experts > 0 && layer >= first_k_dense_replace && layer % moe_layer_freq == 0 &&
           (layer + 1) % decoder_sparse_step == 0 &&
           std::find(mlp_only_layers.begin(), mlp_only_layers.end(), layer) ==
               mlp_only_layers.end();
}

uint64_t
ModelConfig::CountMoeLayers() const
{
    uint64_t count = 0;
    for (uint64_t layer = 0; num_experts > 0 && layer < num_hidden_layers; ++layer)
    {
        count += IsMoeLayer(layer) ? 1 : 0;
    }
    return count;
}

bool
ModelConfig::HasLatentAttention() const
{
    return kv_lora_rank > 0;
}

uint64_t
ModelConfig::GetQueryHeadDim() const
{
    return HasLatentAttention() ? qk_nope_head_dim + qk_rope_head_dim : head_dim;
}

uint64_t
ModelConfig::GetValueHeadDim() const
{
    return HasLatentAttention() ? v_head_dim : head_dim;
}

} // namespace llm
} // namespace ns3
