/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-tokenizer.h"

#include "llm-bpe-gpt2-format.h"
#include "llm-bpe-json-format.h"
#include "llm-bpe-tiktoken-format.h"
#include "llm-bpe-tokenizer.h"
#include "llm-pre-tokenizer-characters.h"
#include "llm-tokenizer-file.h"
#include "llm-tokenizer-sentence-piece.h"

#include <algorithm>
#include <fstream>

namespace ns3
{
namespace llm
{

namespace
{

constexpr char KINDS[] = "tokenizer.json, a tiktoken file, vocab.bpe or a SentencePiece model";

/** @param text of a file @return whether its first line is one of tiktoken's. */
bool
LooksLikeTiktoken(const std::string& text)
{
    const std::string line = text.substr(0, text.find('\n'));
    const std::size_t blank = line.find(' ');
    const auto isDigit = [](char c) { return (c >= '0' && c <= '9') || c == '\r'; };
    return blank != std::string::npos && blank % 4 == 0 && blank + 1 < line.size() &&
           std::all_of(line.begin() + static_cast<std::ptrdiff_t>(blank) + 1, line.end(), isDigit);
}

/** @param text of a file @return whether it is SentencePiece's protocol buffer. */
bool
LooksLikeSentencePiece(const std::string& text)
{
    // It begins with its first piece: field 1 of length-delimited type, and has bytes no text has.
    return text[0] == '\n' && text.find('\0') != std::string::npos;
}

/** @param text of a vocab.bpe @param fileName its name @return the vocabulary, with the ids of an
 * encoder.json beside it. */
BpeVocabulary
ReadGpt2Files(const std::string& text, const std::string& fileName)
{
    const std::size_t slash = fileName.find_last_of('/');
    const std::string folder = slash == std::string::npos ? "" : fileName.substr(0, slash + 1);
    for (const char* name : {"encoder.json", "vocab.json"})
    {
        const std::string encoder = folder + name;
        if (std::ifstream(encoder).good())
        {
            return ReadGpt2Merges(text,
                                  fileName,
                                  ReadWholeFile(encoder, "GPT-2's tokens and their ids"),
                                  encoder);
        }
    }
    return ReadGpt2Merges(text, fileName);
}

/** @param text of a file @param fileName its name @param preTokenizer as for ReadFile @return the
 * vocabulary. */
BpeVocabulary
ReadVocabulary(const std::string& text,
               const std::string& fileName,
               const std::string& preTokenizer)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && text[first] == '{')
    {
        return ReadTokenizerJson(text, fileName, preTokenizer);
    }
    if (LooksLikeTiktoken(text))
    {
        return ReadTiktoken(text, fileName, preTokenizer);
    }
    BpeVocabulary vocabulary = ReadGpt2Files(text, fileName);
    if (!preTokenizer.empty())
    {
        vocabulary.preTokenizer = PreTokenizer::ByName(preTokenizer, fileName);
    }
    return vocabulary;
}

} // namespace

std::unique_ptr<Tokenizer>
Tokenizer::ReadFile(const std::string& fileName, const std::string& preTokenizer)
{
    const std::string text = ReadWholeFile(fileName, KINDS);
    if (LooksLikeSentencePiece(text))
    {
        return ReadSentencePiece(fileName);
    }
    RequireUnicode(fileName);
    return std::make_unique<BpeTokenizer>(ReadVocabulary(text, fileName, preTokenizer));
}

} // namespace llm
} // namespace ns3
