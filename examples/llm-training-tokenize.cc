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

constexpr uint32_t MOST = 1000000000; //!< of any count here

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
    std::string textFile;
    std::string vocabularyFile;
    std::string preTokenizer;
    std::string vocabularySize = "1024";
    std::string lines = "3";
    std::string sequence = "128";
    std::string batch = "4";
    std::string bench = "0";
    ProgramOptions options("llm-training-tokenize",
                           "A text as a model sees it: its tokens, and how many training steps "
                           "they are.\n\nVocabularies: tokenizer.json, a tiktoken file, vocab.bpe "
                           "or a SentencePiece\nmodel. Without one, one is trained on the text.");
    options.AddText("text", "text file; empty: canto I of the Inferno", textFile);
    options.AddText("vocabulary", "file; empty: made of the text", vocabularyFile);
    options.AddText("preTokenizer", "how text is cut; empty: the vocabulary's", preTokenizer);
    options.AddText("vocabularySize", "most ids of one made here", vocabularySize);
    options.AddText("lines", "lines that are shown in tokens", lines);
    options.AddText("sequence", "tokens per sequence", sequence);
    options.AddText("batch", "sequences per training step", batch);
    options.AddText("bench", "encode so often, print the throughput", bench);
    options.Parse(argc, argv);
    if (textFile.empty())
    {
        textFile = GetShippedFolder("text") + "/inferno-1-it.txt";
    }
    if (!vocabularyFile.empty() && options.IsGiven("vocabularySize"))
    {
        throw ConfigError("command line",
                          "--vocabularySize",
                          "is for a vocabulary made here; --vocabulary gives '" + vocabularyFile +
                              "'");
    }
    TokenDatasetConfig dataset;
    dataset.seq_length = ReadOptionCount(sequence, "--sequence", 1, MOST);
    dataset.global_batch_size = ReadOptionCount(batch, "--batch", 1, MOST);
    dataset.append_eod = false;
    const uint32_t shownLines = ReadOptionCount(lines, "--lines", 0, MOST);
    const uint32_t times = ReadOptionCount(bench, "--bench", 0, 1000000);

    const std::string text = ReadWholeFile(textFile, "a text");
    std::unique_ptr<Tokenizer> tokenizer;
    if (vocabularyFile.empty())
    {
        BpeTrainerConfig trainer;
        trainer.vocabularySize = ReadOptionCount(vocabularySize, "--vocabularySize", 257, MOST);
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
    for (uint32_t i = 0; i < shownLines && std::getline(stream, line); ++i)
    {
        PrintLine(*tokenizer, line);
    }
    if (times > 0)
    {
        PrintThroughput(*tokenizer, text, times);
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
