/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-tokenizer-sentence-piece.h"

#include "ns3/llm-config-error.h"

#ifdef LLM_TRAINING_SENTENCEPIECE
#include <algorithm>
#include <sentencepiece_processor.h>
#endif

namespace ns3
{
namespace llm
{

#ifdef LLM_TRAINING_SENTENCEPIECE

namespace
{

/** A loaded model. */
class SentencePieceTokenizer : public Tokenizer
{
  public:
    /** @param fileName of the model */
    explicit SentencePieceTokenizer(const std::string& fileName)
        : m_name(fileName)
    {
        Check(m_processor.Load(fileName), "no SentencePiece model");
    }

    std::vector<uint32_t> Encode(const std::string& text, SpecialTokens) const override
    {
        std::vector<int> ids;
        Check(m_processor.Encode(text, &ids), "text cannot be encoded");
        return {ids.begin(), ids.end()};
    }

    std::string Decode(const std::vector<uint32_t>& ids) const override
    {
        std::for_each(ids.begin(), ids.end(), [this](uint32_t id) { CheckId(id); });
        std::string text;
        Check(m_processor.Decode(std::vector<int>(ids.begin(), ids.end()), &text),
              "ids cannot be decoded");
        return text;
    }

    uint32_t GetVocabularySize() const override
    {
        return static_cast<uint32_t>(m_processor.GetPieceSize());
    }

    std::string GetTokenBytes(uint32_t id) const override
    {
        CheckId(id);
        const auto piece = static_cast<int>(id);
        std::string bytes = m_processor.IdToPiece(piece);
        if (m_processor.IsByte(piece))
        {
            // Spelt <0x0A>
            return std::string(1, static_cast<char>(std::stoi(bytes.substr(3, 2), nullptr, 16)));
        }
        const std::string blank = "\xe2\x96\x81"; // U+2581
        for (std::size_t at = bytes.find(blank); at != std::string::npos;
             at = bytes.find(blank, at))
        {
            bytes.replace(at, blank.size(), " ");
        }
        return bytes;
    }

    bool FindAddedToken(const std::string& content, uint32_t& id) const override
    {
        const int piece = m_processor.PieceToId(content);
        const bool found = m_processor.IdToPiece(piece) == content && m_processor.IsControl(piece);
        if (found)
        {
            id = static_cast<uint32_t>(piece);
        }
        return found;
    }

    const std::string& GetName() const override
    {
        return m_name;
    }

  private:
    /** @param status of a call @param message what it means that it failed @throw ConfigError */
    void Check(const sentencepiece::util::Status& status, const std::string& message) const
    {
        if (!status.ok())
        {
            std::string why = status.ToString();
            std::replace(why.begin(), why.end(), '\n', ' ');
            throw ConfigError(m_name, "", message + ": " + why);
        }
    }

    /** @param id a token @throw ConfigError if it is none */
    void CheckId(uint32_t id) const
    {
        if (id >= GetVocabularySize())
        {
            throw ConfigError(m_name,
                              "",
                              "no token has id " + std::to_string(id) + "; the vocabulary has " +
                                  std::to_string(GetVocabularySize()) + " ids");
        }
    }

    std::string m_name;                                //!< file
    sentencepiece::SentencePieceProcessor m_processor; //!< the library's
};

} // namespace

std::unique_ptr<Tokenizer>
ReadSentencePiece(const std::string& fileName)
{
    return std::make_unique<SentencePieceTokenizer>(fileName);
}

bool
IsSentencePieceAvailable()
{
    return true;
}

#else

std::unique_ptr<Tokenizer>
ReadSentencePiece(const std::string& fileName)
{
    throw ConfigError(fileName,
                      "",
                      "SentencePiece models cannot be read by this build, because libsentencepiece "
                      "was not found when it was configured (Debian: apt install "
                      "libsentencepiece-dev, then configure again)");
}

bool
IsSentencePieceAvailable()
{
    return false;
}

#endif

} // namespace llm
} // namespace ns3
