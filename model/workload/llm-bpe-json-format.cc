/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-bpe-json-format.h"

#include "llm-tokenizer-file.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::json;

/** Reads one file. */
class TokenizerJsonReader
{
  public:
    /** @param root of the file @param source its name */
    TokenizerJsonReader(const Json& root, const std::string& source)
        : m_root(root),
          m_source(source)
    {
        m_vocabulary.name = source;
    }

    /** @param preTokenizer that replaces the file's; empty: none does @return what the file says */
    BpeVocabulary Read(const std::string& preTokenizer)
    {
        ReadModel();
        ReadNormalizer(Member(m_root, "normalizer"), "normalizer");
        if (preTokenizer.empty())
        {
            ReadPreTokenizer(Member(m_root, "pre_tokenizer"), "pre_tokenizer");
            if (!m_byteLevel)
            {
                Fail("pre_tokenizer",
                     "no ByteLevel in it: not a byte-level vocabulary; for SentencePiece read the "
                     "model's tokenizer.model instead");
            }
        }
        else
        {
            m_vocabulary.preTokenizer = PreTokenizer::ByName(preTokenizer, m_source);
        }
        ReadAddedTokens();
        m_vocabulary.FindByteTokens();
        return std::move(m_vocabulary);
    }

  private:
    /** @param path where @param message what is wrong @throw ConfigError */
    [[noreturn]] void Fail(const std::string& path, const std::string& message) const
    {
        throw ConfigError(m_source, path, message);
    }

    /** @param object perhaps an object @param key of a member @return its value; null if absent. */
    static const Json& Member(const Json& object, const char* key)
    {
        static const Json absent;
        const auto found = object.find(key);
        return found == object.end() ? absent : *found;
    }

    /** @param value any @return whether it is a text without characters. */
    static bool IsEmptyText(const Json& value)
    {
        return value.is_string() && value.get_ref<const std::string&>().empty();
    }

    /** @param object that may hold it @param key its name @param path of the object @return a
     * boolean, false if it is absent or null. */
    bool Flag(const Json& object, const char* key, const std::string& path) const
    {
        const Json& value = Member(object, key);
        if (!value.is_null() && !value.is_boolean())
        {
            Fail(path + "." + key, "should be true or false");
        }
        return value.is_boolean() && value.get<bool>();
    }

    /** @param object that holds it @param path of the object @return its "type". */
    std::string TypeOf(const Json& object, const std::string& path) const
    {
        const Json& type = Member(object, "type");
        if (!type.is_string())
        {
            Fail(path, "should be an object with a type");
        }
        return type.get<std::string>();
    }

    /** @param spelt a token @param path where it stands @return its id. */
    uint32_t IdOf(const std::string& spelt, const std::string& path) const
    {
        const auto found = m_ids.find(spelt);
        if (found == m_ids.end())
        {
            Fail(path, "'" + QuoteBytes(spelt) + "' is not in model.vocab");
        }
        return found->second;
    }

    void ReadModel()
    {
        const Json& model = Member(m_root, "model");
        const std::string type = TypeOf(model, "model");
        if (type != "BPE")
        {
            Fail("model.type", "'" + QuoteBytes(type) + "' is not known; known: BPE");
        }
        if (Flag(model, "byte_fallback", "model"))
        {
            Fail("model.byte_fallback",
                 "true: not a byte-level vocabulary; for SentencePiece read the model's "
                 "tokenizer.model instead");
        }
        for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
        {
            const Json& value = Member(model, key);
            if (!value.is_null() && !IsEmptyText(value) && value != 0.0)
            {
                Fail(std::string("model.") + key,
                     "should be null; anything else is not known here");
            }
        }
        m_vocabulary.wholePieces = Flag(model, "ignore_merges", "model");
        ReadVocab(Member(model, "vocab"));
        ReadMerges(Member(model, "merges"));
    }

    void ReadVocab(const Json& vocab)
    {
        if (!vocab.is_object() || vocab.empty())
        {
            Fail("model.vocab", "should be an object of tokens and their ids");
        }
        const BpeByteAlphabet alphabet;
        auto& tokens = m_vocabulary.tokens;
        m_ids.reserve(vocab.size());
        for (const auto& [spelt, value] : vocab.items())
        {
            const std::string path = "model.vocab." + QuoteBytes(spelt);
            const uint32_t id = ReadTokenId(value, m_source, path);
            tokens.resize(std::max<std::size_t>(tokens.size(), id + std::size_t{1}));
            if (!tokens[id].empty())
            {
                Fail(path, "another token has the id " + std::to_string(id) + " too");
            }
            if (!alphabet.Read(spelt, tokens[id]))
            {
                tokens[id] = spelt; // an added token, spelt as it is
            }
            m_ids.emplace(spelt, id);
        }
    }

    void ReadMerges(const Json& merges)
    {
        if (!merges.is_array())
        {
            Fail("model.merges", "should be an array of pairs, [a, b] or \"a b\"");
        }
        for (std::size_t i = 0; i < merges.size(); ++i)
        {
            const std::string path = "model.merges[" + std::to_string(i) + "]";
            const Json& merge = merges[i];
            std::string left;
            std::string right;
            if (merge.is_string())
            {
                const auto& both = merge.get_ref<const std::string&>();
                const std::size_t blank = both.find(' ');
                left = both.substr(0, blank);
                right = blank == std::string::npos ? "" : both.substr(blank + 1);
            }
            else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                     merge[1].is_string())
            {
                left = merge[0].get<std::string>();
                right = merge[1].get<std::string>();
            }
            if (left.empty() || right.empty())
            {
                Fail(path, "should be a pair of tokens, [a, b] or \"a b\"");
            }
            m_vocabulary.merges.push_back({IdOf(left, path),
                                           IdOf(right, path),
                                           IdOf(left + right, path),
                                           static_cast<uint32_t>(i)});
        }
    }

    void ReadNormalizer(const Json& normalizer, const std::string& path)
    {
        if (normalizer.is_null())
        {
            return;
        }
        const std::string type = TypeOf(normalizer, path);
        if (type == "NFC")
        {
            m_vocabulary.normalizeNfc = true;
        }
        else if (type == "Sequence")
        {
            ForEach(normalizer,
                    "normalizers",
                    path,
                    [this](const Json& one, const std::string& at) { ReadNormalizer(one, at); });
        }
        else
        {
            Fail(path + ".type", "'" + QuoteBytes(type) + "' is not known; known: NFC, Sequence");
        }
    }

    void ReadPreTokenizer(const Json& cutter, const std::string& path)
    {
        const std::string type = TypeOf(cutter, path);
        if (type == "Sequence")
        {
            ForEach(cutter, "pretokenizers", path, [this](const Json& one, const std::string& at) {
                ReadPreTokenizer(one, at);
            });
        }
        else if (type == "Split")
        {
            ReadSplit(cutter, path);
        }
        else if (type == "Digits")
        {
            m_vocabulary.preTokenizer.AddDigits(Flag(cutter, "individual_digits", path));
        }
        else if (type == "ByteLevel")
        {
            if (Flag(cutter, "add_prefix_space", path))
            {
                Fail(path + ".add_prefix_space", "true is not known here");
            }
            // Unless told otherwise it cuts as GPT-2 did.
            if (Member(cutter, "use_regex").is_null() || Flag(cutter, "use_regex", path))
            {
                m_vocabulary.preTokenizer.AddNamed("gpt2");
            }
            m_byteLevel = true;
        }
        else
        {
            Fail(path + ".type",
                 "'" + QuoteBytes(type) +
                     "' is not known; known: ByteLevel, Digits, Sequence, Split");
        }
    }

    void ReadSplit(const Json& split, const std::string& path)
    {
        const Json& regex = Member(Member(split, "pattern"), "Regex");
        if (!regex.is_string())
        {
            Fail(path + ".pattern", "should be an object with a Regex");
        }
        const bool inverted = Flag(split, "invert", path);
        // Removing what does not match is the same: these patterns leave nothing over.
        if (Member(split, "behavior") != (inverted ? "Removed" : "Isolated"))
        {
            Fail(path, "should have behavior Isolated, or behavior Removed and invert true");
        }
        m_vocabulary.preTokenizer.AddPattern(regex.get<std::string>(),
                                             m_source,
                                             path + ".pattern.Regex");
    }

    /** @param holder of an array @param key of the array @param path of the holder @param read what
     * to do with each element and its path. */
    template <typename F>
    void ForEach(const Json& holder, const char* key, const std::string& path, F read) const
    {
        const Json& list = Member(holder, key);
        const std::string listPath = path + "." + key;
        if (!list.is_array())
        {
            Fail(listPath, "should be an array");
        }
        for (std::size_t i = 0; i < list.size(); ++i)
        {
            read(list[i], listPath + "[" + std::to_string(i) + "]");
        }
    }

    void ReadAddedTokens()
    {
        const Json& list = Member(m_root, "added_tokens");
        if (list.is_null())
        {
            return;
        }
        ForEach(m_root, "added_tokens", "", [this](const Json& token, const std::string& dotted) {
            const std::string path = dotted.substr(1);
            const Json& content = Member(token, "content");
            if (!content.is_string() || IsEmptyText(content))
            {
                Fail(path + ".content", "should be a text that is not empty");
            }
            if (Flag(token, "single_word", path))
            {
                Fail(path + ".single_word", "true is not known here");
            }
            const auto text = content.get<std::string>();
            const uint32_t id = ReadTokenId(Member(token, "id"), m_source, path + ".id");
            const auto known = m_ids.find(text);
            const bool isUsed = id < m_vocabulary.tokens.size() && !m_vocabulary.tokens[id].empty();
            if (isUsed && (known == m_ids.end() || known->second != id))
            {
                Fail(path + ".id", "another token has the id " + std::to_string(id) + " too");
            }
            m_vocabulary.AddToken(text, id, Flag(token, "special", path));
        });
    }

    const Json& m_root;                              //!< of the file
    const std::string m_source;                      //!< its name
    BpeVocabulary m_vocabulary;                      //!< what was read
    std::unordered_map<std::string, uint32_t> m_ids; //!< of spelt tokens, looked up only
    bool m_byteLevel{false};                         //!< ByteLevel was met
};

} // namespace

BpeVocabulary
ReadTokenizerJson(const std::string& text,
                  const std::string& source,
                  const std::string& preTokenizer)
{
    const Json root = ParseJsonFile(text, source);
    if (!root.is_object())
    {
        throw ConfigError(source, "", "expected the object of a tokenizer.json");
    }
    return TokenizerJsonReader(root, source).Read(preTokenizer);
}

} // namespace llm
} // namespace ns3
