/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-bpe-gpt2-format.h"

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

using Ids = std::unordered_map<std::string, uint32_t>; // looked up only

/** A line of the file. */
struct Line
{
    std::string path;  //!< "line N"
    std::string left;  //!< bytes
    std::string right; //!< bytes
};

/** @param text of the file @param source its name @return its merges in order. */
std::vector<Line>
ReadLines(const std::string& text, const std::string& source)
{
    const BpeByteAlphabet alphabet;
    const std::vector<std::string_view> lines = SplitLines(text);
    std::vector<Line> merges;
    merges.reserve(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        if (i == 0 && lines[i].substr(0, 8) == "#version")
        {
            continue;
        }
        Line line{"line " + std::to_string(i + 1), "", ""};
        const std::size_t blank = lines[i].find(' ');
        const bool isPair = blank != std::string_view::npos && blank > 0 &&
                            blank + 1 < lines[i].size() &&
                            lines[i].find(' ', blank + 1) == std::string_view::npos;
        if (!isPair)
        {
            throw ConfigError(source,
                              line.path,
                              "expected two tokens with one blank between them, found '" +
                                  QuoteBytes(lines[i]) + "'");
        }
        if (!alphabet.Read(lines[i].substr(0, blank), line.left) ||
            !alphabet.Read(lines[i].substr(blank + 1), line.right))
        {
            throw ConfigError(source,
                              line.path,
                              "'" + QuoteBytes(lines[i]) +
                                  "' has a character that stands for no byte in GPT-2's spelling");
        }
        merges.push_back(std::move(line));
    }
    return merges;
}

/** @param ids by bytes @param bytes of a token @param source, line where it stands @return its id.
 */
uint32_t
IdOf(const Ids& ids, const std::string& bytes, const std::string& source, const Line& line)
{
    const auto found = ids.find(bytes);
    if (found == ids.end())
    {
        throw ConfigError(source,
                          line.path,
                          "no single byte, no earlier line and no encoder.json makes the token '" +
                              QuoteBytes(BpeByteAlphabet().Spell(bytes)) + "'");
    }
    return found->second;
}

} // namespace

BpeVocabulary
ReadGpt2Merges(const std::string& text, const std::string& source)
{
    BpeVocabulary vocabulary;
    vocabulary.name = source;
    vocabulary.preTokenizer = PreTokenizer::ByName("gpt2");
    Ids ids;
    const auto add = [&](const std::string& bytes) {
        const auto id = static_cast<uint32_t>(vocabulary.tokens.size());
        vocabulary.tokens.push_back(bytes);
        return ids.emplace(bytes, id).second;
    };
    for (const uint8_t byte : BpeByteAlphabet().GetOrder())
    {
        add(std::string(1, static_cast<char>(byte)));
    }
    const std::vector<Line> lines = ReadLines(text, source);
    for (std::size_t rank = 0; rank < lines.size(); ++rank)
    {
        const Line& line = lines[rank];
        const uint32_t left = IdOf(ids, line.left, source, line);
        const uint32_t right = IdOf(ids, line.right, source, line);
        const auto result = static_cast<uint32_t>(vocabulary.tokens.size());
        if (!add(line.left + line.right))
        {
            throw ConfigError(source,
                              line.path,
                              "the token '" +
                                  QuoteBytes(BpeByteAlphabet().Spell(line.left + line.right)) +
                                  "' is made a second time");
        }
        vocabulary.merges.push_back({left, right, result, static_cast<uint32_t>(rank)});
    }
    vocabulary.FindByteTokens();
    vocabulary.AddToken("<|endoftext|>", static_cast<uint32_t>(vocabulary.tokens.size()), true);
    return vocabulary;
}

BpeVocabulary
ReadGpt2Merges(const std::string& text,
               const std::string& source,
               const std::string& encoderText,
               const std::string& encoderSource)
{
    BpeVocabulary vocabulary;
    vocabulary.name = source;
    vocabulary.preTokenizer = PreTokenizer::ByName("gpt2");
    const BpeByteAlphabet alphabet;
    const nlohmann::json encoder = ParseJsonFile(encoderText, encoderSource);
    if (!encoder.is_object())
    {
        throw ConfigError(encoderSource, "", "expected an object of tokens and their ids");
    }
    Ids ids;
    for (const auto& [spelt, value] : encoder.items())
    {
        const uint32_t id = ReadTokenId(value, encoderSource, QuoteBytes(spelt));
        std::string bytes;
        if (!alphabet.Read(spelt, bytes))
        {
            bytes = spelt; // a special token, spelt as it is
        }
        vocabulary.tokens.resize(std::max<std::size_t>(vocabulary.tokens.size(), id + 1));
        if (bytes.empty() || !vocabulary.tokens[id].empty())
        {
            throw ConfigError(encoderSource,
                              QuoteBytes(spelt),
                              bytes.empty() ? "an empty token"
                                            : "id " + std::to_string(id) + " is that of '" +
                                                  QuoteBytes(vocabulary.tokens[id]) + "' too");
        }
        vocabulary.tokens[id] = bytes;
        ids.emplace(bytes, id);
    }
    vocabulary.FindByteTokens();
    std::vector<bool> made(vocabulary.tokens.size());
    for (const Line& line : ReadLines(text, source))
    {
        const uint32_t result = IdOf(ids, line.left + line.right, source, line);
        vocabulary.merges.push_back({IdOf(ids, line.left, source, line),
                                     IdOf(ids, line.right, source, line),
                                     result,
                                     static_cast<uint32_t>(vocabulary.merges.size())});
        made[result] = true;
    }
    for (uint32_t id = 0; id < made.size(); ++id)
    {
        const std::string& bytes = vocabulary.tokens[id];
        if (!made[id] && bytes.size() > 1)
        {
            vocabulary.added.push_back({bytes, id, true});
        }
    }
    return vocabulary;
}

std::string
WriteGpt2Merges(const BpeVocabulary& vocabulary)
{
    const BpeByteAlphabet alphabet;
    std::string text = "#version: 0.2\n";
    uint32_t rank = 0;
    for (const BpeMerge& merge : vocabulary.merges)
    {
        if (merge.rank != rank || merge.result != 256 + rank)
        {
            throw ConfigError(vocabulary.name,
                              "",
                              "cannot be written as vocab.bpe: the merge of rank " +
                                  std::to_string(merge.rank) + " makes token " +
                                  std::to_string(merge.result) + ", not " +
                                  std::to_string(256 + rank));
        }
        text += alphabet.Spell(vocabulary.tokens[merge.left]) + " " +
                alphabet.Spell(vocabulary.tokens[merge.right]) + "\n";
        ++rank;
    }
    return text;
}

} // namespace llm
} // namespace ns3
