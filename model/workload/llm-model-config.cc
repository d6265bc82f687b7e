/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-model-config.h"

#include "llm-data-type.h"

#include "ns3/llm-config-error.h"

#include <fstream>
#include <limits>
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

/** Levels of nesting; deeper, what shows a value in an error would overflow the stack. */
constexpr int DEEPEST = 64;

const char* const FAMILIES = "gpt2, llama, mistral, qwen2, qwen3";

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
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"})
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
        keys.Fail("model_type", std::string("is missing; known: ") + FAMILIES);
    }
    // The text part of a multimodal llama says "llama4_text" and the like: no dense family.
    if (!model.SetFamily(model.model_type))
    {
        keys.Fail("model_type",
                  "unknown model type '" + model.model_type + "'; known: " + FAMILIES);
    }
    RefuseExperts(keys, model.model_type);

    const bool gpt2 = model.model_type == "gpt2";
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
        model.head_dim = keys.GetCount({"head_dim"}, 0);
    }
    model.tie_word_embeddings = keys.GetFlag("tie_word_embeddings", model.tie_word_embeddings);
    if (model.model_type == "llama" || model.model_type == "qwen3")
    {
        model.qkv_bias = keys.GetFlag("attention_bias", false);
        model.attention_output_bias = model.qkv_bias;
    }
    if (model.model_type == "llama")
    {
        model.mlp_bias = keys.GetFlag("mlp_bias", false);
    }
    model.torch_dtype = keys.GetString({"torch_dtype", "dtype"});
    model.Validate(source, path);
    return model;
}

} // namespace

bool
ModelConfig::SetFamily(const std::string& modelType)
{
    const bool gpt2 = modelType == "gpt2";
    const bool qwen2 = modelType == "qwen2";
    const bool qwen3 = modelType == "qwen3";
    if (!gpt2 && !qwen2 && !qwen3 && modelType != "llama" && modelType != "mistral")
    {
        return false;
    }
    model_type = modelType;
    gated_mlp = !gpt2;
    layer_norm_bias = gpt2;
    learned_positions = gpt2;
    qkv_bias = gpt2 || qwen2;
    attention_output_bias = gpt2;
    mlp_bias = gpt2;
    qk_norm = qwen3;
    tie_word_embeddings = gpt2;
    return true;
}

void
ModelConfig::Validate(const std::string& source, const std::string& path)
{
    const auto fail = [&source, &path](const std::string& key, const std::string& message) {
        throw ConfigError(source, path.empty() ? key : path + "." + key, message);
    };

    struct Required
    {
        const char* key;
        uint64_t value;
    };

    for (const auto& required : {Required{"vocab_size", vocab_size},
                                 Required{"hidden_size", hidden_size},
                                 Required{"num_hidden_layers", num_hidden_layers},
                                 Required{"num_attention_heads", num_attention_heads}})
    {
        if (required.value == 0 || required.value > LARGEST_SHAPE)
        {
            fail(required.key,
                 "must be between 1 and " + std::to_string(LARGEST_SHAPE) + ", is " +
                     std::to_string(required.value));
        }
    }
    if (head_dim == 0)
    {
        if (hidden_size % num_attention_heads != 0)
        {
            fail("num_attention_heads",
                 std::to_string(num_attention_heads) + " heads do not divide hidden_size " +
                     std::to_string(hidden_size) + "; give head_dim if that is meant");
        }
        head_dim = hidden_size / num_attention_heads;
    }
    if (num_key_value_heads == 0)
    {
        num_key_value_heads = num_attention_heads;
    }
    if (num_attention_heads % num_key_value_heads != 0)
    {
        fail("num_key_value_heads",
             std::to_string(num_key_value_heads) + " key-value heads do not divide " +
                 std::to_string(num_attention_heads) + " attention heads");
    }
    if (intermediate_size == 0)
    {
        if (model_type != "gpt2")
        {
            fail("intermediate_size", "must be at least 1, is 0");
        }
        intermediate_size = 4 * hidden_size;
    }
    if (learned_positions && max_position_embeddings == 0)
    {
        fail("max_position_embeddings", "must be at least 1 for learned positions, is 0");
    }
    // Keeps every byte count of the model far from 2^64; doubles cannot overflow here.
    constexpr double mostParameters = 1e16;
    const auto h = static_cast<double>(hidden_size);
    const double parameters =
        static_cast<double>(num_hidden_layers) * h *
            (4.0 * static_cast<double>(num_attention_heads) * static_cast<double>(head_dim) +
             3.0 * static_cast<double>(intermediate_size)) +
        h * (2.0 * static_cast<double>(vocab_size) + static_cast<double>(max_position_embeddings));
    if (!(parameters < mostParameters))
    {
        fail("hidden_size",
             "the shape has more than 10^16 parameters; one of its numbers must be wrong");
    }
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
    return num_experts > 0 && layer >= first_k_dense_replace && layer % moe_layer_freq == 0;
}

bool
ModelConfig::HasLatentAttention() const
{
    return kv_lora_rank > 0;
}

} // namespace llm
} // namespace ns3
