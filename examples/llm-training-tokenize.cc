/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A text as a model sees it: its tokens, and how many training steps they are.
//
//   llm-training-tokenize                                   trains a vocabulary on Inferno I
//   llm-training-tokenize --vocabulary=tokenizer.json --text=book.txt --lines=3
//   llm-training-tokenize --vocabulary=cl100k_base.tiktoken --text=book.txt --bench=20

#include "ns3/core-module.h"
#include "ns3/llm-training-module.h"

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// @param part of a whole @param whole not 0 @return the quotient with four decimals
std::string
Ratio(uint64_t part, uint64_t whole)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(4)
         << static_cast<double>(part) / static_cast<double>(whole);
    return text.str();
}

/// @param text UTF-8 @return how many characters
uint64_t
CountCharacters(const std::string& text)
{
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return static_cast<uint64_t>(std::count_if(text.begin(), text.end(), begins));
}

/// Prints a line of the text cut into its tokens. @param tokenizer to use @param line of the text
void
PrintLine(const Tokenizer& tokenizer, const std::string& line)
{
    std::cout << "\n" << line << "\n  ";
    for (const uint32_t id : tokenizer.Encode(line))
    {
        std::cout << "|" << tokenizer.GetTokenBytes(id);
    }
    std::cout << "|\n ";
    for (const uint32_t id : tokenizer.Encode(line))
    {
        std::cout << " " << id;
    }
    std::cout << "\n";
}

/// Prints how fast texts are encoded. @param tokenizer to use @param text to encode @param times
/// that it is encoded
void
PrintThroughput(const Tokenizer& tokenizer, const std::string& text, uint32_t times)
{
    uint64_t tokens = 0;
    const std::clock_t begin = std::clock();
    for (uint32_t i = 0; i < times; ++i)
    {
        tokens += tokenizer.Encode(text).size();
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::cout << "throughput: " << static_cast<double>(text.size()) * times / seconds / 1e6
              << " MB/s, " << static_cast<double>(tokens) / seconds / 1e6
              << " M tokens/s (CPU time, " << times << " times " << text.size() << " bytes)\n";
}

/// Run the example. @param argc see main @param argv see main @return exit code
int
Run(int argc, char* argv[])
{
    std::string textFile = GetShippedFolder("text") + "/inferno-1-it.txt";
    std::string vocabularyFile;
    std::string preTokenizer;
    uint32_t vocabularySize = 1024;
    uint32_t lines = 3;
    uint32_t bench = 0;
    TokenDatasetConfig dataset;
    dataset.seq_length = 128;
    dataset.global_batch_size = 4;
    dataset.append_eod = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("text", "file with the text", textFile);
    cmd.AddValue("vocabulary",
                 "tokenizer.json, a tiktoken file, vocab.bpe or a SentencePiece model; empty: one "
                 "is trained on the text",
                 vocabularyFile);
    cmd.AddValue("preTokenizer",
                 "how the text is cut; empty: as the vocabulary says",
                 preTokenizer);
    cmd.AddValue("vocabularySize", "tokens of the trained vocabulary", vocabularySize);
    cmd.AddValue("lines", "lines of the text that are shown in tokens", lines);
    cmd.AddValue("sequence", "tokens per sequence", dataset.seq_length);
    cmd.AddValue("batch", "sequences per training step", dataset.global_batch_size);
    cmd.AddValue("bench", "encode the text so many times and print the throughput", bench);
    cmd.Parse(argc, argv);

    const std::string text = ReadWholeFile(textFile, "a text");
    std::unique_ptr<Tokenizer> tokenizer;
    if (vocabularyFile.empty())
    {
        BpeTrainerConfig trainer;
        trainer.vocabularySize = vocabularySize;
        if (!preTokenizer.empty())
        {
            trainer.preTokenizer = preTokenizer;
        }
        tokenizer = std::make_unique<BpeTokenizer>(TrainBpe({text}, trainer));
    }
    else
    {
        tokenizer = Tokenizer::ReadFile(vocabularyFile, preTokenizer);
    }

    TokenDataset data(dataset);
    data.AddDocument(*tokenizer, text);
    const TokenDatasetCounts counts = data.GetCounts();
    const uint64_t characters = CountCharacters(text);
    std::cout << "text: " << characters << " characters, " << text.size() << " bytes\n"
              << "vocabulary: " << tokenizer->GetVocabularySize() << " ids\n"
              << "tokens: " << counts.tokens << ", " << Ratio(counts.tokens, characters)
              << " per character\n"
              << "training: " << counts.sequences << " sequences of " << dataset.seq_length
              << " tokens, " << counts.steps << " steps of " << dataset.global_batch_size
              << " sequences per epoch, " << counts.tokensLeftOver << " tokens left over\n";
    std::istringstream stream(text);
    std::string line;
    for (uint32_t i = 0; i < lines && std::getline(stream, line); ++i)
    {
        PrintLine(*tokenizer, line);
    }
    if (bench > 0)
    {
        PrintThroughput(*tokenizer, text, bench);
    }
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    try
    {
        return Run(argc, argv);
    }
    catch (const ConfigError& error)
    {
        std::cerr << error.what() << std::endl;
        return 2;
    }
}
