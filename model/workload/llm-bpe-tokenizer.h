/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BPE_TOKENIZER_H
#define LLM_BPE_TOKENIZER_H

#include "llm-bpe-merge-table.h"
#include "llm-bpe-vocabulary.h"
#include "llm-tokenizer.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Byte-level byte-pair encoding: the text is cut into pieces, each piece into bytes, and the
 * adjacent pair of lowest rank (the leftmost of equals) becomes one token until no pair is known
 * (Sennrich 2016; over bytes: Radford 2019). Decoding what was encoded gives the same bytes, unless
 * the vocabulary asks for Unicode composition first.
 */
class BpeTokenizer : public Tokenizer
{
  public:
    /**
     * @param vocabulary what to run.
     * @throw ConfigError if a merge names a token that does not exist, or this build does not know
     *        Unicode.
     */
    explicit BpeTokenizer(BpeVocabulary vocabulary);

    // The indices point into the vocabulary.
    BpeTokenizer(const BpeTokenizer&) = delete;
    BpeTokenizer& operator=(const BpeTokenizer&) = delete;

    std::vector<uint32_t> Encode(const std::string& text,
                                 SpecialTokens special = SpecialTokens::AS_TEXT) const override;
    std::string Decode(const std::vector<uint32_t>& ids) const override;
    uint32_t GetVocabularySize() const override;
    std::string GetTokenBytes(uint32_t id) const override;
    bool FindAddedToken(const std::string& content, uint32_t& id) const override;
    const std::string& GetName() const override;

    /** @return what it runs. */
    const BpeVocabulary& GetVocabulary() const
    {
        return m_vocabulary;
    }

  private:
    class PieceCache;

    /** Encodes text that holds no added token. @param text what @param cache pieces known so far
     * @param ids where tokens are appended */
    void EncodeOrdinary(std::string_view text, PieceCache& cache, std::vector<uint32_t>& ids) const;

    /** Merges the bytes of one piece. @param piece not empty @param ids where its tokens are
     * appended */
    void MergePiece(std::string_view piece, std::vector<uint32_t>& ids) const;

    /**
     * @param text where to look @param from first byte to look at @param special whether special
     * tokens count
     * @param at where the place of the first added token is stored
     * @return the token that begins there, the longest; nullptr if there is none.
     */
    const AddedToken* FindNextAdded(std::string_view text,
                                    std::size_t from,
                                    bool special,
                                    std::size_t& at) const;

    BpeVocabulary m_vocabulary;                             //!< what it runs
    BpeMergeTable m_merges;                                 //!< by pair
    std::unordered_map<std::string_view, uint32_t> m_whole; //!< tokens that a piece may be at once
    std::array<std::vector<const AddedToken*>, 256> m_addedByFirstByte; //!< longest first
};

} // namespace llm
} // namespace ns3

#endif // LLM_BPE_TOKENIZER_H
