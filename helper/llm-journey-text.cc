/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-journey-text.h"

#include "llm-shipped-files.h"

#include "ns3/llm-bpe-tokenizer.h"
#include "ns3/llm-bpe-trainer.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-tokenizer-file.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace ns3
{
namespace llm
{

namespace
{

constexpr std::size_t SHOWN_SEQUENCES = 8; //!< rows of a batch that are listed
constexpr std::size_t SHOWN_TOKENS = 400;  //!< tokens of a piece that are listed

[[noreturn]] void
Fail(const std::string& path, const std::string& message)
{
    throw ConfigError("command line", path, message);
}

/** @return characters of UTF-8 text. */
uint64_t
CountCharacters(const std::string& text)
{
    return static_cast<uint64_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

bool
IsBlank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/** @return whether the bytes are whole characters of UTF-8 that a terminal shows. */
bool
IsPrintable(const std::string& bytes)
{
    std::size_t rest = 0;
    for (const char byte : bytes)
    {
        const auto c = static_cast<unsigned char>(byte);
        if (rest > 0)
        {
            if ((c & 0xc0) != 0x80)
            {
                return false;
            }
            --rest;
            continue;
        }
        if (c < 0x20 || c == 0x7f || (c & 0xc0) == 0x80 || c >= 0xf8)
        {
            return false;
        }
        rest = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    }
    return rest == 0;
}

/** @return at most so many characters, from the start. */
std::string
Shorten(const std::string& text, std::size_t characters)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && ++count > characters)
        {
            return text.substr(0, i) + "...";
        }
    }
    return text;
}

/** @return "a / b = 0.42" as a number with its way. */
ReportValue
Ratio(uint64_t part, uint64_t whole)
{
    return ReportValue::Real(static_cast<double>(part) / static_cast<double>(whole), 3);
}

/** @return "= 1,024 / 5". */
std::string
Division(uint64_t part, uint64_t whole)
{
    return "= " + GroupDigits(part) + " / " + GroupDigits(whole);
}

} // namespace

JourneyText::JourneyText(const JourneyConfig& config,
                         uint64_t sequenceLength,
                         uint64_t batchSize,
                         uint64_t modelVocabulary)
{
    ReadText(config);
    MakeTokenizer(config, modelVocabulary);
    m_datasetConfig.seq_length = sequenceLength;
    m_datasetConfig.global_batch_size = batchSize;
    uint32_t id = 0;
    m_datasetConfig.append_eod = m_tokenizer->FindAddedToken(m_datasetConfig.eod, id);
    m_data = std::make_unique<TokenDataset>(m_datasetConfig);
    m_data->AddDocument(*m_tokenizer, m_text);
    Choose(config);
}

void
JourneyText::ReadText(const JourneyConfig& config)
{
    const bool canto = config.textFile.empty();
    const std::string file =
        canto ? GetShippedFolder("text") + "/inferno-1-" + config.language + ".txt"
              : config.textFile;
    m_text = ReadWholeFile(file, "a text");
    m_name = canto ? std::string("canto I of Dante's Inferno, ") +
                         (config.language == "it" ? "in Italian" : "in English")
                   : std::filesystem::path(file).filename().string();
    std::size_t line = 0;
    std::size_t lineStart = 0;
    for (std::size_t i = 0; i <= m_text.size(); ++i)
    {
        if (i < m_text.size() && m_text[i] != '\n')
        {
            continue;
        }
        if (i > lineStart || i < m_text.size())
        {
            m_lines.push_back(m_text.substr(lineStart, i - lineStart));
            for (std::size_t j = lineStart; j < i;)
            {
                if (IsBlank(m_text[j]))
                {
                    ++j;
                    continue;
                }
                std::size_t end = j;
                while (end < i && !IsBlank(m_text[end]))
                {
                    ++end;
                }
                m_words.push_back({j, end - j, line});
                j = end;
            }
        }
        lineStart = i + 1;
        ++line;
    }
    if (m_words.empty())
    {
        throw ConfigError(file, "", "there is no word in this text");
    }
}

void
JourneyText::MakeTokenizer(const JourneyConfig& config, uint64_t modelVocabulary)
{
    if (config.tokenizerFile.empty())
    {
        BpeTrainerConfig trainer;
        trainer.vocabularySize = config.vocabularySize;
        m_tokenizer = std::make_unique<BpeTokenizer>(TrainBpe({m_text}, trainer));
        m_trained = true;
    }
    else
    {
        m_tokenizer = Tokenizer::ReadFile(config.tokenizerFile);
    }
    if (m_tokenizer->GetVocabularySize() > modelVocabulary)
    {
        Fail(m_trained ? "--vocabulary-size" : "--tokenizer",
             "the vocabulary has " + std::to_string(m_tokenizer->GetVocabularySize()) +
                 " ids, the model's embedding only " + std::to_string(modelVocabulary) +
                 " rows (vocab_size); choose a tokenizer and a model that belong together");
    }
}

void
JourneyText::Choose(const JourneyConfig& config)
{
    if (!config.word.empty())
    {
        ChooseWord(config.word);
    }
    else if (config.batch > 0)
    {
        m_piece = Piece::BATCH;
        m_number = config.batch;
        return;
    }
    else
    {
        m_number = std::max<uint64_t>(config.line, 1);
        if (m_number > m_lines.size())
        {
            Fail("--line",
                 "is " + std::to_string(m_number) + ", but the text has " +
                     std::to_string(m_lines.size()) + " lines");
        }
        m_pieceText = m_lines[m_number - 1];
        if (std::all_of(m_pieceText.begin(), m_pieceText.end(), IsBlank))
        {
            Fail("--line", "line " + std::to_string(m_number) + " of the text is empty");
        }
    }
    m_pieceTokens = m_tokenizer->Encode(m_pieceText);
}

void
JourneyText::ChooseWord(const std::string& word)
{
    m_piece = Piece::WORD;
    if (std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }))
    {
        m_number = word.size() > 18 ? UINT64_MAX : std::stoull(word);
        if (m_number == 0 || m_number > m_words.size())
        {
            Fail("--word",
                 "is " + word + ", but the text's words have the numbers 1 to " +
                     std::to_string(m_words.size()));
        }
    }
    else
    {
        const auto bare = [this](const Word& w) {
            // Without the punctuation at its ends.
            std::string text = m_text.substr(w.offset, w.bytes);
            const auto isMark = [](char c) {
                return c != '\0' && std::string(",.;:!?\"'()").find(c) != std::string::npos;
            };
            while (!text.empty() && isMark(text.back()))
            {
                text.pop_back();
            }
            while (!text.empty() && isMark(text.front()))
            {
                text.erase(text.begin());
            }
            return text;
        };
        const auto found = std::find_if(m_words.begin(), m_words.end(), [&](const Word& w) {
            return m_text.compare(w.offset, w.bytes, word) == 0 || bare(w) == word;
        });
        if (found == m_words.end())
        {
            Fail("--word", "'" + word + "' is not a word of the text");
        }
        m_number = static_cast<uint64_t>(found - m_words.begin()) + 1;
    }
    const Word& chosen = m_words[m_number - 1];
    // A blank in front belongs to the word's first token.
    const bool blank = chosen.offset > 0 && m_text[chosen.offset - 1] == ' ';
    m_pieceText = m_text.substr(chosen.offset - (blank ? 1 : 0), chosen.bytes + (blank ? 1 : 0));
}

JourneyText::Piece
JourneyText::GetPiece() const
{
    return m_piece;
}

std::string
JourneyText::GetPieceName() const
{
    const char* const kind = m_piece == Piece::WORD   ? "word "
                             : m_piece == Piece::LINE ? "line "
                                                      : "batch ";
    return kind + GroupDigits(m_number);
}

uint64_t
JourneyText::GetPieceTokens() const
{
    return m_piece == Piece::BATCH ? m_datasetConfig.seq_length * m_datasetConfig.global_batch_size
                                   : m_pieceTokens.size();
}

const std::string&
JourneyText::GetName() const
{
    return m_name;
}

double
JourneyText::GetBytesPerToken() const
{
    return static_cast<double>(m_text.size()) / static_cast<double>(m_data->GetTokens().size());
}

std::string
JourneyText::ShowToken(uint32_t id) const
{
    const std::string bytes = m_tokenizer->GetTokenBytes(id);
    if (IsPrintable(bytes))
    {
        return "\"" + bytes + "\"";
    }
    std::string text;
    for (const char byte : bytes)
    {
        char hex[8];
        std::snprintf(hex, sizeof(hex), "%02x", static_cast<unsigned char>(byte));
        text += (text.empty() ? "" : " ") + std::string(hex);
    }
    return "bytes " + text;
}

std::string
JourneyText::ShowTokens(const std::vector<uint32_t>& ids) const
{
    std::string text = m_tokenizer->Decode(ids);
    for (char& c : text)
    {
        c = IsBlank(c) ? ' ' : c;
    }
    // A sequence may begin in the middle of a character.
    std::size_t start = 0;
    while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xc0) == 0x80)
    {
        ++start;
    }
    text.erase(0, start);
    while (!text.empty() && !IsPrintable(text)) // nor does it end with a whole one
    {
        text.pop_back();
    }
    return text;
}

void
JourneyText::Tell(ReportDocument& document) const
{
    TellWords(document);
    TellTokens(document);
    TellBatches(document);
}

void
JourneyText::TellWords(ReportDocument& document) const
{
    ReportSection& section = document.AddSection("words", "Words");
    section.Say("A text is a row of characters. People see words in it, parted by blanks and ends "
                "of lines; a computer stores it as bytes, one for most letters and two for letters "
                "such as è (the encoding is called UTF-8).");
    const uint64_t characters = CountCharacters(m_text);
    section.Add("lines", "lines", m_lines.size());
    section.Add("words", "words", m_words.size(), "pieces between blanks and ends of lines");
    section.Add("characters", "characters", characters, "with blanks and ends of lines");
    section.Add("text_bytes",
                "bytes",
                ReportValue::Bytes(m_text.size()),
                m_text.size() > characters
                    ? GroupDigits(m_text.size() - characters) + " more than characters: è, ì, ..."
                    : "as many as characters");
    section.Add("piece", "what we follow", GetPieceName());
    if (m_piece == Piece::BATCH)
    {
        return;
    }
    section.Quote({"    " + m_pieceText});
    const auto count = static_cast<uint64_t>(
        std::count_if(m_words.begin(), m_words.end(), [this](const Word& word) {
            return m_piece == Piece::LINE && word.line == m_number - 1;
        }));
    section.Add("piece_words", "words in it", m_piece == Piece::LINE ? count : 1);
    section.Add("piece_characters", "characters in it", CountCharacters(m_pieceText));
    section.Add("piece_bytes", "bytes in it", ReportValue::Bytes(m_pieceText.size()));
}

void
JourneyText::TellTokens(ReportDocument& document) const
{
    ReportSection& section = document.AddSection("tokens", "Tokens");
    section.Say("A model reads neither letters nor words but tokens: pieces of text, each with a "
                "number, its id. Which pieces there are stands in the vocabulary, made once before "
                "training: it starts with the 256 single bytes, and then, again and again, the two "
                "neighbours that are met most often become one new piece (byte-pair encoding, "
                "BPE). Frequent words end up as one token, rare ones as several.");
    section.Say(
        m_trained ? "So that nothing else is needed, this vocabulary was made of the text itself. "
                    "Those of real models are made of much more text and are larger; "
                    "--tokenizer=FILE reads one."
                  : "The vocabulary comes from " + m_tokenizer->GetName() + ".");
    const uint64_t ids = m_tokenizer->GetVocabularySize();
    const uint64_t eod = m_datasetConfig.append_eod ? 1 : 0;
    const uint64_t tokens = m_data->GetTokens().size() - eod;
    const uint64_t characters = CountCharacters(m_text);
    section.Add("vocabulary",
                "ids in the vocabulary",
                ids,
                m_trained ? "= 256 bytes + " + GroupDigits(ids - 257) + " pieces + 1 end of text"
                          : "");
    section.Add("text_tokens", "tokens of the text", tokens);
    section.Add("tokens_per_character",
                "tokens per character",
                Ratio(tokens, characters),
                Division(tokens, characters));
    section.Add("tokens_per_word",
                "tokens per word",
                Ratio(tokens, m_words.size()),
                Division(tokens, m_words.size()));
    section.Add("bytes_per_token",
                "bytes of text per token",
                Ratio(m_text.size(), tokens),
                Division(m_text.size(), tokens));
    if (m_piece == Piece::BATCH)
    {
        return;
    }
    section.Say("The tokens of " + GetPieceName() +
                ". A blank belongs to the token behind it. What two tokens say together is no "
                "longer seen from here on: the model gets the ids.");
    section.BeginTable("piece_tokens",
                       {{"position", "position"}, {"token", "token"}, {"id", "id"}});
    for (std::size_t i = 0; i < std::min(m_pieceTokens.size(), SHOWN_TOKENS); ++i)
    {
        section.AddRow({uint64_t{i}, ShowToken(m_pieceTokens[i]), m_pieceTokens[i]});
    }
    section.Add("piece_token_count", "tokens of " + GetPieceName(), m_pieceTokens.size());
}

void
JourneyText::TellBatches(ReportDocument& document) const
{
    ReportSection& section = document.AddSection("batches", "Sequences and batches");
    const uint64_t T = m_datasetConfig.seq_length;
    const uint64_t B = m_datasetConfig.global_batch_size;
    const uint64_t tokens = m_data->GetTokens().size();
    section.Say(
        "Training cuts the stream of tokens into sequences of T tokens. In each sequence the "
        "model guesses every next token from those before it, all T guesses at once; the "
        "right answers are the same tokens, one further on. B sequences make a batch, and "
        "one batch is one step of training: guess, see how wrong the guesses were, change "
        "the model a little. A run has hundreds of thousands of such steps, all alike, so "
        "one of them tells everything about the network.");
    section.Add("sequence_length", "T: tokens of a sequence", T);
    section.Add("global_batch_size", "B: sequences of a batch", B);
    section.Add("tokens_per_step",
                "tokens of a step",
                B * T,
                "= B x T = " + GroupDigits(B) + " x " + GroupDigits(T));
    section.Add("stream_tokens",
                "tokens of the text",
                tokens,
                m_datasetConfig.append_eod ? "with one that says: the text ends" : "");
    const TokenDatasetCounts once = m_data->GetCounts();
    section.Add("sequences",
                "whole sequences in it",
                once.sequences,
                "= (" + GroupDigits(tokens) + " - 1) / T, rounded down");
    section.Add("texts_per_step",
                "such texts in a step",
                ReportValue::Real(static_cast<double>(B * T) / static_cast<double>(tokens), 2),
                Division(B * T, tokens));
    if (once.steps == 0)
    {
        section.Say(
            "The text alone is less than one batch. A real run has other texts to go on with; "
            "here this one is read again and again.");
    }
    else
    {
        section.Add("steps_per_epoch",
                    "steps of all the text",
                    once.steps,
                    "= " + GroupDigits(once.sequences) + " sequences / B, rounded down");
    }
    const uint64_t step = m_piece == Piece::BATCH ? m_number - 1 : 0;
    section.Say("The first sequences of batch " + GroupDigits(step + 1) + ":");
    section.BeginTable("batch_sequences",
                       {{"row", "row"},
                        {"first_token", "first token\nin the stream"},
                        {"first_id", "first\nid"},
                        {"begins", "begins with"}});
    for (uint64_t row = 0; row < std::min<uint64_t>(B, SHOWN_SEQUENCES); ++row)
    {
        const uint64_t index = m_data->GetSequenceIndex(step, row);
        std::vector<uint32_t> sequence = m_data->GetSequence(index);
        sequence.resize(std::min<std::size_t>(sequence.size(), 24));
        section.AddRow({row, index * T, sequence.front(), Shorten(ShowTokens(sequence), 40)});
    }
}

} // namespace llm
} // namespace ns3
