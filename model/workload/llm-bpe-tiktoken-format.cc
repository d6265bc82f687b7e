/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-bpe-tiktoken-format.h"

#include "llm-tokenizer-file.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <charconv>
#include <unordered_map>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/** What a file of so many tokens is. */
struct KnownEncoding
{
    std::size_t tokens;                                    //!< lines of the file
    const char* preTokenizer;                              //!< how texts are cut
    std::vector<std::pair<const char*, uint32_t>> special; //!< and their ids
};

/** @return those known. */
const std::vector<KnownEncoding>&
GetKnownEncodings()
{
    // openai/tiktoken tiktoken_ext/openai_public.py; Llama-3 and Qwen by their tokenizer.json.
    static const std::vector<KnownEncoding> known = {
        {50256, "r50k", {{"<|endoftext|>", 50256}}},
        {50280, "p50k", {{"<|endoftext|>", 50256}}},
        {100256,
         "cl100k",
         {{"<|endoftext|>", 100257},
          {"<|fim_prefix|>", 100258},
          {"<|fim_middle|>", 100259},
          {"<|fim_suffix|>", 100260},
          {"<|endofprompt|>", 100276}}},
        {199998, "o200k", {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}}},
        {128000,
         "llama3",
         {{"<|begin_of_text|>", 128000},
          {"<|end_of_text|>", 128001},
          {"<|start_header_id|>", 128006},
          {"<|end_header_id|>", 128007},
          {"<|eot_id|>", 128009}}},
        {151643,
         "qwen2",
         {{"<|endoftext|>", 151643}, {"<|im_start|>", 151644}, {"<|im_end|>", 151645}}},
    };
    return known;
}

/** @param base64 text @param bytes where what it stands for is stored @return false if it is none.
 */
bool
DecodeBase64(std::string_view base64, std::string& bytes)
{
    using namespace boost::archive::iterators;
    using Decoder = transform_width<binary_from_base64<const char*>, 8, 6>;
    if (base64.empty() || base64.size() % 4 != 0)
    {
        return false;
    }
    std::size_t padding = 0;
    while (padding < 2 && base64[base64.size() - 1 - padding] == '=')
    {
        ++padding;
    }
    const std::size_t size = base64.size() / 4 * 3 - padding;
    bytes.clear();
    try
    {
        Decoder decoder(base64.data());
        for (std::size_t i = 0; i < size; ++i, ++decoder)
        {
            bytes.push_back(*decoder);
        }
    }
    catch (const dataflow_exception&)
    {
        return false;
    }
    return true;
}

/** Reads the lines. @param text of the file @param vocabulary where the tokens are stored. @return
 * how many. */
std::size_t
ReadTokens(const std::string& text, BpeVocabulary& vocabulary)
{
    const std::vector<std::string_view> lines = SplitLines(text);
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        const std::string path = "line " + std::to_string(i + 1);
        const std::string_view line = lines[i];
        const std::size_t blank = std::min(line.find(' '), line.size());
        std::string bytes;
        uint64_t rank = 0;
        const char* const end = line.data() + line.size();
        const char* const digits = line.data() + std::min(blank + 1, line.size());
        const auto number = std::from_chars(digits, end, rank);
        if (!DecodeBase64(line.substr(0, blank), bytes) || number.ec != std::errc() ||
            number.ptr != end)
        {
            throw ConfigError(vocabulary.name,
                              path,
                              "expected base64, a blank and a rank, found '" + QuoteBytes(line) +
                                  "'");
        }
        if (rank >= TOKEN_ID_LIMIT)
        {
            throw ConfigError(vocabulary.name,
                              path,
                              "the rank " + std::to_string(rank) + " is not below " +
                                  std::to_string(TOKEN_ID_LIMIT));
        }
        vocabulary.tokens.resize(std::max<std::size_t>(vocabulary.tokens.size(), rank + 1));
        if (!vocabulary.tokens[rank].empty())
        {
            throw ConfigError(vocabulary.name,
                              path,
                              "the rank " + std::to_string(rank) + " stands in the file twice");
        }
        vocabulary.tokens[rank] = bytes;
    }
    return lines.size();
}

/** Finds all pairs of tokens that together are a token. @param vocabulary with tokens. */
void
FindMerges(BpeVocabulary& vocabulary)
{
    std::unordered_map<std::string_view, uint32_t> ids; // looked up only
    ids.reserve(vocabulary.tokens.size());
    for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
    {
        const std::string& bytes = vocabulary.tokens[id];
        if (!bytes.empty() && !ids.emplace(bytes, static_cast<uint32_t>(id)).second)
        {
            throw ConfigError(vocabulary.name,
                              "",
                              "the token of rank " + std::to_string(id) + " is also that of rank " +
                                  std::to_string(ids[bytes]));
        }
    }
    for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
    {
        const std::string_view bytes = vocabulary.tokens[id];
        for (std::size_t cut = 1; cut < bytes.size(); ++cut)
        {
            const auto left = ids.find(bytes.substr(0, cut));
            if (left == ids.end())
            {
                continue;
            }
            const auto right = ids.find(bytes.substr(cut));
            if (right != ids.end())
            {
                const auto result = static_cast<uint32_t>(id);
                vocabulary.merges.push_back({left->second, right->second, result, result});
            }
        }
    }
}

} // namespace

BpeVocabulary
ReadTiktoken(const std::string& text, const std::string& source, const std::string& preTokenizer)
{
    BpeVocabulary vocabulary;
    vocabulary.name = source;
    vocabulary.wholePieces = true;
    const std::size_t count = ReadTokens(text, vocabulary);
    vocabulary.FindByteTokens();
    const auto& all = GetKnownEncodings();
    const auto known = std::find_if(all.begin(), all.end(), [count](const KnownEncoding& encoding) {
        return encoding.tokens == count;
    });
    if (!preTokenizer.empty())
    {
        vocabulary.preTokenizer = PreTokenizer::ByName(preTokenizer, source);
    }
    else if (known != all.end())
    {
        vocabulary.preTokenizer = PreTokenizer::ByName(known->preTokenizer);
    }
    else
    {
        throw ConfigError(source,
                          "",
                          std::to_string(count) +
                              " tokens are those of no encoding known here, so that a "
                              "pre-tokenizer has to be named, e.g. cl100k");
    }
    FindMerges(vocabulary);
    if (known != all.end())
    {
        for (const auto& [content, id] : known->special)
        {
            vocabulary.AddToken(content, id, true);
        }
    }
    return vocabulary;
}

} // namespace llm
} // namespace ns3
