/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pre-tokenizer.h"

#include "llm-pre-tokenizer-characters.h"
#include "llm-pre-tokenizer-scanners.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

namespace ns3
{
namespace llm
{

namespace
{

/** A name and what it stands for. */
struct NamedStages
{
    const char* name;                          //!< as written
    std::vector<PreTokenizer::Scanner> stages; //!< in order
};

/** @return every name. */
const std::vector<NamedStages>&
GetNamedStages()
{
    static const std::vector<NamedStages> named = {
        {"none", {}},
        {"gpt2", {ScanGpt2}},
        {"r50k", {ScanGpt2}},
        {"p50k", {ScanGpt2}},
        {"cl100k", {ScanCl100k}},
        {"llama3", {ScanCl100k}},
        {"qwen2", {ScanQwen2}},
        {"qwen3", {ScanQwen2}},
        {"o200k", {ScanO200k}},
        {"tekken", {ScanTekken}},
        {"deepseek-v3", {ScanThreeDigits, ScanCjk, ScanDeepSeekWords}},
    };
    return named;
}

/** A regular expression, as tokenizer files spell it, and its scanner. */
struct KnownPattern
{
    const char* pattern;           //!< line ends written as \r and \n
    PreTokenizer::Scanner scanner; //!< what matches it
};

// clang-format off
const KnownPattern KNOWN_PATTERNS[] = {
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", ScanGpt2},
    {R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", ScanGpt2},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)", ScanCl100k},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)", ScanQwen2},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)", ScanO200k},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)", ScanTekken},
    {R"(\p{N}{1,3})", ScanThreeDigits},
    {R"(\p{N})", ScanDigit},
    {R"(\p{N}+)", ScanDigits},
    {"[\xe4\xb8\x80-\xe9\xbe\xa5\xe3\x81\x80-\xe3\x82\x9f\xe3\x82\xa0-\xe3\x83\xbf]+", ScanCjk},
    {R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)", ScanDeepSeekWords},
};

// clang-format on

/** @param pattern as it stands in a file @return the same with line ends written out. */
std::string
EscapeLineEnds(const std::string& pattern)
{
    std::string escaped;
    for (const char c : pattern)
    {
        if (c == '\r' || c == '\n')
        {
            escaped += c == '\r' ? "\\r" : "\\n";
        }
        else
        {
            escaped += c;
        }
    }
    return escaped;
}

/** @param scanner what cuts @param text what is cut @param pieces where its pieces are appended */
void
Cut(PreTokenizer::Scanner scanner, std::string_view text, std::vector<std::string_view>& pieces)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    const char* unmatched = at;
    const auto add = [&pieces](const char* from, const char* to) {
        if (from != to)
        {
            pieces.emplace_back(from, static_cast<std::size_t>(to - from));
        }
    };
    while (at < end)
    {
        const char* const behind = scanner(at, end);
        if (behind == at)
        {
            at += CharacterAt(at, end).bytes;
            continue;
        }
        add(unmatched, at);
        add(at, behind);
        at = behind;
        unmatched = behind;
    }
    add(unmatched, end);
}

} // namespace

PreTokenizer
PreTokenizer::ByName(const std::string& name, const std::string& source, const std::string& path)
{
    PreTokenizer named;
    named.AddNamed(name, source, path);
    return named;
}

void
PreTokenizer::AddNamed(const std::string& name, const std::string& source, const std::string& path)
{
    std::vector<std::string> names;
    for (const NamedStages& known : GetNamedStages())
    {
        if (name == known.name)
        {
            m_stages.insert(m_stages.end(), known.stages.begin(), known.stages.end());
            return;
        }
        names.emplace_back(known.name);
    }
    std::string all;
    for (const std::string& known : names)
    {
        all += (all.empty() ? "" : ", ") + known;
    }
    throw ConfigError(source.empty() ? "pre-tokenizer" : source,
                      path,
                      "unknown pre-tokenizer '" + name + "', did you mean '" +
                          NearestName(name, names) + "'? known: " + all);
}

void
PreTokenizer::AddPattern(const std::string& pattern,
                         const std::string& source,
                         const std::string& path)
{
    const std::string escaped = EscapeLineEnds(pattern);
    for (const KnownPattern& known : KNOWN_PATTERNS)
    {
        if (escaped == known.pattern)
        {
            m_stages.push_back(known.scanner);
            return;
        }
    }
    throw ConfigError(source,
                      path,
                      "unknown pattern '" + escaped +
                          "'; known are those of GPT-2, cl100k, o200k, Llama-3, Qwen, Mistral "
                          "(tekken) and DeepSeek-V3; a pre-tokenizer may be named instead");
}

void
PreTokenizer::AddDigits(bool individual)
{
    m_stages.push_back(individual ? ScanDigit : ScanDigits);
}

std::vector<std::string_view>
PreTokenizer::Split(std::string_view text) const
{
    std::vector<std::string_view> pieces;
    if (!text.empty())
    {
        pieces.push_back(text);
    }
    for (const Scanner scanner : m_stages)
    {
        std::vector<std::string_view> finer;
        finer.reserve(pieces.size() > 1 ? 2 * pieces.size() : text.size() / 4);
        for (const std::string_view piece : pieces)
        {
            Cut(scanner, piece, finer);
        }
        pieces = std::move(finer);
    }
    return pieces;
}

} // namespace llm
} // namespace ns3
