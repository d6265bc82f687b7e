/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-bpe-trainer.h"

#include "llm-pre-tokenizer-characters.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

using Pair = std::pair<uint32_t, uint32_t>;

/** Keeps the number of each pair of neighbours up to date while pairs are merged. */
class PairCounter
{
  public:
    /** @param words of the texts with their numbers @param byteTokens token of each byte */
    PairCounter(const std::map<std::string_view, uint64_t>& words,
                const std::array<uint32_t, 256>& byteTokens)
    {
        for (const auto& [text, count] : words)
        {
            Word word{{}, count};
            for (const char c : text)
            {
                word.tokens.push_back(byteTokens[static_cast<uint8_t>(c)]);
            }
            m_words.push_back(std::move(word));
            CountWord(static_cast<uint32_t>(m_words.size() - 1));
        }
        QueueTouched();
    }

    /**
     * @param minimum a pair counts that is met so often
     * @param pair where the most frequent one is stored
     * @return whether there is one.
     */
    bool FindMostFrequent(uint64_t minimum, Pair& pair)
    {
        while (!m_queue.empty())
        {
            const Candidate best = m_queue.top();
            if (best.count < minimum)
            {
                return false;
            }
            m_queue.pop();
            if (m_pairs[KeyOf(best.pair)].count == best.count)
            {
                pair = best.pair;
                return true;
            }
        }
        return false;
    }

    /** @param pair that is replaced everywhere @param result by this token */
    void Merge(Pair pair, uint32_t result)
    {
        std::vector<uint32_t> words = std::move(m_pairs[KeyOf(pair)].words);
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        for (const uint32_t word : words)
        {
            UncountWord(word);
            ReplaceInWord(m_words[word].tokens, pair, result);
            CountWord(word);
        }
        QueueTouched();
    }

  private:
    /** A piece of text that is met several times. */
    struct Word
    {
        std::vector<uint32_t> tokens; //!< as merged so far
        uint64_t count;               //!< how often it is met
    };

    /** Two neighbours. */
    struct PairCount
    {
        uint64_t count{0};           //!< how often they are met
        std::vector<uint32_t> words; //!< words that have them, or had them
    };

    /** A pair and its number at some time. */
    struct Candidate
    {
        uint64_t count; //!< most frequent first
        Pair pair;      //!< lowest first

        /** @param other one @return whether this one has to wait for it */
        bool operator<(const Candidate& other) const
        {
            return count != other.count ? count < other.count : pair > other.pair;
        }
    };

    /** @param pair of tokens @return both in one number */
    static uint64_t KeyOf(Pair pair)
    {
        return uint64_t{pair.first} << 32 | pair.second;
    }

    /** @param tokens of a word @param pair that is replaced @param result by this */
    static void ReplaceInWord(std::vector<uint32_t>& tokens, Pair pair, uint32_t result)
    {
        std::size_t to = 0;
        for (std::size_t from = 0; from < tokens.size(); ++to)
        {
            const bool here = from + 1 < tokens.size() && tokens[from] == pair.first &&
                              tokens[from + 1] == pair.second;
            tokens[to] = here ? result : tokens[from];
            from += here ? 2 : 1;
        }
        tokens.resize(to);
    }

    /** @param index of a word whose pairs are counted */
    void CountWord(uint32_t index)
    {
        const Word& word = m_words[index];
        for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i)
        {
            const Pair pair(word.tokens[i], word.tokens[i + 1]);
            PairCount& entry = m_pairs[KeyOf(pair)];
            entry.count += word.count;
            if (entry.words.empty() || entry.words.back() != index)
            {
                entry.words.push_back(index);
            }
            m_touched.push_back(pair);
        }
    }

    /** @param index of a word whose pairs are no longer counted */
    void UncountWord(uint32_t index)
    {
        const Word& word = m_words[index];
        for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i)
        {
            const Pair pair(word.tokens[i], word.tokens[i + 1]);
            m_pairs[KeyOf(pair)].count -= word.count;
            m_touched.push_back(pair);
        }
    }

    /** Queues the pairs whose numbers have changed; what is queued of them is out of date. */
    void QueueTouched()
    {
        std::sort(m_touched.begin(), m_touched.end());
        m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
        for (const Pair& pair : m_touched)
        {
            const uint64_t count = m_pairs[KeyOf(pair)].count;
            if (count > 0)
            {
                m_queue.push({count, pair});
            }
        }
        m_touched.clear();
    }

    std::vector<Word> m_words;                       //!< all different ones
    std::unordered_map<uint64_t, PairCount> m_pairs; //!< looked up only
    std::priority_queue<Candidate> m_queue;          //!< some out of date
    std::vector<Pair> m_touched;                     //!< see QueueTouched
};

} // namespace

BpeVocabulary
TrainBpe(const std::vector<std::string>& texts, const BpeTrainerConfig& config)
{
    const std::string source = "BPE trainer";
    RequireUnicode(source);
    if (config.vocabularySize < 257)
    {
        throw ConfigError(source,
                          "",
                          "a vocabulary of " + std::to_string(config.vocabularySize) +
                              " ids has no room for the 256 bytes and <|endoftext|>; at least 257");
    }
    if (config.minimumCount == 0)
    {
        throw ConfigError(source, "", "the minimum count of a pair is 0; it should be at least 1");
    }
    BpeVocabulary vocabulary;
    vocabulary.name = "trained";
    vocabulary.preTokenizer = PreTokenizer::ByName(config.preTokenizer, source);
    for (const uint8_t byte : BpeByteAlphabet().GetOrder())
    {
        vocabulary.tokens.emplace_back(1, static_cast<char>(byte));
    }
    vocabulary.FindByteTokens();
    std::map<std::string_view, uint64_t> words;
    for (const std::string& text : texts)
    {
        for (const std::string_view piece : vocabulary.preTokenizer.Split(text))
        {
            ++words[piece];
        }
    }
    PairCounter counter(words, vocabulary.byteTokens);
    Pair pair;
    while (vocabulary.tokens.size() + 1 < config.vocabularySize &&
           counter.FindMostFrequent(config.minimumCount, pair))
    {
        const auto result = static_cast<uint32_t>(vocabulary.tokens.size());
        vocabulary.tokens.push_back(vocabulary.tokens[pair.first] + vocabulary.tokens[pair.second]);
        vocabulary.merges.push_back({pair.first, pair.second, result, result - 256});
        counter.Merge(pair, result);
    }
    vocabulary.AddToken("<|endoftext|>", static_cast<uint32_t>(vocabulary.tokens.size()), true);
    return vocabulary;
}

} // namespace llm
} // namespace ns3
