/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TOKENIZER_H
#define LLM_TOKENIZER_H

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
 * Text to tokens and back: the first arrow of the module's journey. A token is a number below the
 * vocabulary's size; a model turns each into a vector.
 *
 * Implementations: BpeTokenizer (GPT-2, tiktoken and Hugging Face files, or trained here) and
 * SentencePieceTokenizer. Not modelled: padding, truncation, and the tokens that chat templates
 * and post-processors put around a text (no begin-of-sequence token is added).
 */
class Tokenizer
{
  public:
    /** What to do where the text spells a special token such as <|endoftext|>. */
    enum class SpecialTokens
    {
        AS_TEXT,   //!< it is text like any other (tiktoken's encode_ordinary)
        RECOGNISED //!< it becomes that token (Hugging Face's way)
    };

    virtual ~Tokenizer() = default;

    /**
     * Reads a tokenizer from a file, whose kind is found by looking into it:
     * - Hugging Face's tokenizer.json;
     * - tiktoken, lines of "base64 rank";
     * - GPT-2's vocab.bpe, also named merges.txt, lines of "left right"; an encoder.json or
     *   vocab.json in the same folder gives the ids, without it they follow from the order;
     * - SentencePiece's tokenizer.model.
     *
     * @param fileName the file.
     * @param preTokenizer a name as in PreTokenizer::ByName; empty: what the file says, gpt2 for
     *        vocab.bpe, and for a tiktoken file what its number of tokens tells.
     * @return the tokenizer.
     * @throw ConfigError if the file cannot be read or is not as it should be, or if this build
     *        lacks the library that its kind needs.
     */
    static std::unique_ptr<Tokenizer> ReadFile(const std::string& fileName,
                                               const std::string& preTokenizer = "");

    /**
     * @param text any bytes; what is no UTF-8 is kept byte by byte.
     * @param special whether special tokens in the text are looked for.
     * @return token ids.
     */
    virtual std::vector<uint32_t> Encode(const std::string& text,
                                         SpecialTokens special = SpecialTokens::AS_TEXT) const = 0;

    /**
     * @param ids token ids.
     * @return the text.
     * @throw ConfigError if an id is not in the vocabulary.
     */
    virtual std::string Decode(const std::vector<uint32_t>& ids) const = 0;

    /** @return the largest id plus one. */
    virtual uint32_t GetVocabularySize() const = 0;

    /**
     * @param id a token.
     * @return its bytes, perhaps only a part of a character.
     * @throw ConfigError if the id is not in the vocabulary.
     */
    virtual std::string GetTokenBytes(uint32_t id) const = 0;

    /**
     * @param content of a special or added token, e.g. "<|endoftext|>".
     * @param id where its id is stored, if there is such a token.
     * @return whether there is.
     */
    virtual bool FindAddedToken(const std::string& content, uint32_t& id) const = 0;

    /** @return where it came from, for reports. */
    virtual const std::string& GetName() const = 0;
};

} // namespace llm
} // namespace ns3

#endif // LLM_TOKENIZER_H
