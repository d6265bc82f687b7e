/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BPE_VOCABULARY_H
#define LLM_BPE_VOCABULARY_H

#include "llm-pre-tokenizer.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{
namespace llm
{

/** Two neighbours that become one token. */
struct BpeMerge
{
    uint32_t left{0};   //!< token
    uint32_t right{0};  //!< token behind it
    uint32_t result{0}; //!< token that replaces both
    uint32_t rank{0};   //!< the lowest rank in a piece is merged first
};

/** A token that is found in the text by its spelling, before any merging. */
struct AddedToken
{
    std::string content; //!< its bytes, not empty
    uint32_t id{0};      //!< token
    bool special{true};  //!< a mark of the model's rather than text
};

/**
 * @ingroup llm-training
 *
 * Everything that a byte-level BPE tokenizer consists of, as data: what the readers of files and
 * the trainer produce and BpeTokenizer runs.
 */
struct BpeVocabulary
{
    std::string name;                //!< file or whatever it came from, for reports and errors
    std::vector<std::string> tokens; //!< bytes by id; empty where an id is not in use
    std::array<uint32_t, 256> byteTokens{}; //!< token of each single byte
    std::vector<BpeMerge> merges;           //!< in any order
    std::vector<AddedToken> added;          //!< special ones and others
    PreTokenizer preTokenizer;              //!< cuts the text before bytes are merged
    bool normalizeNfc{false};               //!< Unicode's composition NFC comes first
    bool wholePieces{false};                //!< a piece that is a token needs no merges: tiktoken
                                            //!< and Hugging Face's "ignore_merges"

    /**
     * Finds the token of each single byte.
     * @throw ConfigError if one has none: not a byte-level vocabulary.
     */
    void FindByteTokens();

    /**
     * Puts a token that is looked for by its spelling at the end, or where it says.
     * @param content its bytes.
     * @param id its id.
     * @param special whether it is a mark rather than text.
     */
    void AddToken(const std::string& content, uint32_t id, bool special);
};

/**
 * The alphabet in which GPT-2's and Hugging Face's files write bytes as printable characters:
 * 33-126, 161-172 and 174-255 as themselves, the other 68 bytes in order as U+0100 and up.
 */
class BpeByteAlphabet
{
  public:
    BpeByteAlphabet();

    /** @return the bytes in the order of GPT-2's first 256 ids: printable ones, then the others. */
    std::array<uint8_t, 256> GetOrder() const
    {
        return m_order;
    }

    /** @param bytes any. @return them spelt. */
    std::string Spell(std::string_view bytes) const;

    /**
     * @param spelt text in the alphabet.
     * @param bytes where its bytes are stored.
     * @return false if a character is not of the alphabet.
     */
    bool Read(std::string_view spelt, std::string& bytes) const;

  private:
    std::array<uint8_t, 256> m_order{};   //!< see GetOrder
    std::array<uint16_t, 256> m_codes{};  //!< code point of each byte, below U+0144
    std::array<int16_t, 0x144> m_bytes{}; //!< byte of each code point, -1: none
};

} // namespace llm
} // namespace ns3

#endif // LLM_BPE_VOCABULARY_H
