/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-model-check.h"
#include "llm-model-config.h"

#include "ns3/llm-config-error.h"

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
        if (count == 0 || count > ModelCheck::LARGEST_SHAPE)
        {
            Fail(key,
                 "must be between 1 and " + std::to_string(ModelCheck::LARGEST_SHAPE) + ", is " +
                     value.dump());
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

} // namespace llm
} // namespace ns3
