/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_JOURNEY_TEXT_H
#define LLM_JOURNEY_TEXT_H

#include "llm-journey.h"

#include "ns3/llm-token-dataset.h"
#include "ns3/llm-tokenizer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The first part of a journey: text to words, tokens, sequences and batches.
 */
class JourneyText
{
  public:
    /** Part of the text that is followed. */
    enum class Piece : uint8_t
    {
        WORD,
        LINE,
        BATCH
    };

    /**
     * @param config which text, which tokenizer, which piece.
     * @param sequenceLength tokens per sequence.
     * @param batchSize sequences per step.
     * @param modelVocabulary ids that the model knows; the tokenizer must not have more.
     * @throw ConfigError.
     */
    JourneyText(const JourneyConfig& config,
                uint64_t sequenceLength,
                uint64_t batchSize,
                uint64_t modelVocabulary);

    /** @param document gets the chapters of words, tokens and batches. */
    void Tell(ReportDocument& document) const;

    /** @return which kind of piece is followed. */
    Piece GetPiece() const;
    /** @return "word 4", "line 1" or "batch 1". */
    std::string GetPieceName() const;
    /** @return tokens of the piece. */
    uint64_t GetPieceTokens() const;
    /** @return the text's name. */
    const std::string& GetName() const;
    /** @return bytes of text that make a batch, about. */
    double GetBytesPerToken() const;

  private:
    /** A word and where it stands. */
    struct Word
    {
        std::size_t offset; //!< first byte
        std::size_t bytes;  //!< length
        std::size_t line;   //!< of the text, from 0
    };

    void ReadText(const JourneyConfig& config);
    void MakeTokenizer(const JourneyConfig& config, uint64_t modelVocabulary);
    void Choose(const JourneyConfig& config);
    void ChooseWord(const std::string& word);
    void TellWords(ReportDocument& document) const;
    void TellTokens(ReportDocument& document) const;
    void TellBatches(ReportDocument& document) const;
    /** @return token as it can be printed. */
    std::string ShowToken(uint32_t id) const;
    /** @return the start of a sequence, in words, on one line. */
    std::string ShowTokens(const std::vector<uint32_t>& ids) const;

    std::string m_name;                     //!< of the text
    std::string m_text;                     //!< all of it
    std::vector<std::string> m_lines;       //!< of the text
    std::vector<Word> m_words;              //!< of the text
    std::unique_ptr<Tokenizer> m_tokenizer; //!< text to tokens
    bool m_trained{false};                  //!< its vocabulary was made of the text
    TokenDatasetConfig m_datasetConfig;     //!< sequences and batches
    std::unique_ptr<TokenDataset> m_data;   //!< tokens of the text, in sequences
    Piece m_piece{Piece::LINE};             //!< what is followed
    uint64_t m_number{1};                   //!< which one, from 1
    std::string m_pieceText;                //!< word or line
    std::vector<uint32_t> m_pieceTokens;    //!< word or line
};

} // namespace llm
} // namespace ns3

#endif // LLM_JOURNEY_TEXT_H
