/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-bpe-tokenizer.h"

#include "llm-pre-tokenizer-characters.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/** A token of a piece that is being merged; position is that of its first byte. */
struct Symbol
{
    uint32_t token{0};    //!< what it is now
    uint32_t previous{0}; //!< position of the symbol before it
    uint32_t next{0};     //!< position of the symbol behind it; size of the piece: none
    bool merged{false};   //!< it is gone, part of the symbol before it
};

/** Two neighbours that could be merged. */
struct Candidate
{
    uint32_t rank{0};     //!< lowest first
    uint32_t position{0}; //!< of the left one; leftmost first
    uint32_t left{0};     //!< token when it was found, to notice what has changed since
    uint32_t right{0};    //!< the same
    uint32_t result{0};   //!< token that replaces both

    /** @param other one @return whether this one has to wait for it. */
    bool operator<(const Candidate& other) const
    {
        return std::tie(rank, position) > std::tie(other.rank, other.position);
    }
};

constexpr uint32_t NO_POSITION = 0xffffffff;

} // namespace

/** Tokens of the pieces met so far: a text repeats most of its words. */
class BpeTokenizer::PieceCache
{
  public:
    /** Where the tokens of a piece stand in an output that only grows. */
    struct Place
    {
        std::size_t begin; //!< index of the first
        std::size_t count; //!< how many
    };

    std::unordered_map<std::string_view, Place> places; //!< by piece
};

BpeTokenizer::BpeTokenizer(BpeVocabulary vocabulary)
    : m_vocabulary(std::move(vocabulary)),
      m_merges(m_vocabulary.merges)
{
    RequireUnicode(m_vocabulary.name);
    const std::size_t size = m_vocabulary.tokens.size();
    for (const BpeMerge& merge : m_vocabulary.merges)
    {
        const uint32_t largest = std::max({merge.left, merge.right, merge.result});
        if (largest >= size)
        {
            throw ConfigError(m_vocabulary.name,
                              "",
                              "a merge names token " + std::to_string(largest) +
                                  ", but the vocabulary has " + std::to_string(size));
        }
    }
    for (const AddedToken& token : m_vocabulary.added)
    {
        if (token.content.empty())
        {
            throw ConfigError(m_vocabulary.name,
                              "",
                              "added token " + std::to_string(token.id) + " is empty");
        }
        m_addedByFirstByte[static_cast<uint8_t>(token.content[0])].push_back(&token);
    }
    for (auto& tokens : m_addedByFirstByte)
    {
        std::stable_sort(tokens.begin(),
                         tokens.end(),
                         [](const AddedToken* a, const AddedToken* b) {
                             return a->content.size() > b->content.size();
                         });
    }
    if (m_vocabulary.wholePieces)
    {
        m_whole.reserve(size);
        for (std::size_t id = 0; id < size; ++id)
        {
            m_whole.emplace(m_vocabulary.tokens[id], static_cast<uint32_t>(id));
        }
        for (const AddedToken& token : m_vocabulary.added)
        {
            m_whole.erase(token.content);
        }
        m_whole.erase("");
    }
}

void
BpeTokenizer::MergePiece(std::string_view piece, std::vector<uint32_t>& ids) const
{
    if (m_vocabulary.wholePieces)
    {
        const auto whole = m_whole.find(piece);
        if (whole != m_whole.end())
        {
            ids.push_back(whole->second);
            return;
        }
    }
    const auto size = static_cast<uint32_t>(piece.size());
    std::vector<Symbol> symbols(size);
    for (uint32_t i = 0; i < size; ++i)
    {
        symbols[i] = {m_vocabulary.byteTokens[static_cast<uint8_t>(piece[i])],
                      i == 0 ? NO_POSITION : i - 1,
                      i + 1,
                      false};
    }
    std::vector<Candidate> found;
    found.reserve(size);
    const auto candidateAt = [&](uint32_t position, Candidate& candidate) {
        const uint32_t next = symbols[position].next;
        if (next >= size)
        {
            return false;
        }
        const uint32_t left = symbols[position].token;
        const uint32_t right = symbols[next].token;
        const BpeMergeTable::Entry* merge = m_merges.Find(left, right);
        if (merge != nullptr)
        {
            candidate = {merge->rank, position, left, right, merge->result};
        }
        return merge != nullptr;
    };
    Candidate candidate;
    for (uint32_t i = 0; i < size; ++i)
    {
        if (candidateAt(i, candidate))
        {
            found.push_back(candidate);
        }
    }
    std::priority_queue<Candidate> queue(std::less<Candidate>(), std::move(found));
    while (!queue.empty())
    {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[best.position];
        if (left.merged || left.token != best.left || left.next >= size ||
            symbols[left.next].token != best.right)
        {
            continue; // one of the two has been merged with another neighbour since
        }
        symbols[left.next].merged = true;
        left.token = best.result;
        left.next = symbols[left.next].next;
        if (left.next < size)
        {
            symbols[left.next].previous = best.position;
        }
        if (candidateAt(best.position, candidate))
        {
            queue.push(candidate);
        }
        if (left.previous != NO_POSITION && candidateAt(left.previous, candidate))
        {
            queue.push(candidate);
        }
    }
    for (uint32_t i = 0; i < size; i = symbols[i].next)
    {
        ids.push_back(symbols[i].token);
    }
}

void
BpeTokenizer::EncodeOrdinary(std::string_view text,
                             PieceCache& cache,
                             std::vector<uint32_t>& ids) const
{
    for (const std::string_view piece : m_vocabulary.preTokenizer.Split(text))
    {
        const auto [known, isNew] =
            cache.places.try_emplace(piece, PieceCache::Place{ids.size(), 0});
        if (isNew)
        {
            MergePiece(piece, ids);
            known->second.count = ids.size() - known->second.begin;
            continue;
        }
        const PieceCache::Place place = known->second;
        for (std::size_t i = 0; i < place.count; ++i)
        {
            const uint32_t token = ids[place.begin + i];
            ids.push_back(token);
        }
    }
}

const AddedToken*
BpeTokenizer::FindNextAdded(std::string_view text,
                            std::size_t from,
                            bool special,
                            std::size_t& at) const
{
    for (at = from; at < text.size(); ++at)
    {
        for (const AddedToken* token : m_addedByFirstByte[static_cast<uint8_t>(text[at])])
        {
            if ((special || !token->special) &&
                text.compare(at, token->content.size(), token->content) == 0)
            {
                return token;
            }
        }
    }
    return nullptr;
}

std::vector<uint32_t>
BpeTokenizer::Encode(const std::string& text, SpecialTokens special) const
{
    if (text.size() >= NO_POSITION)
    {
        throw ConfigError(m_vocabulary.name,
                          "",
                          "a text of " + std::to_string(text.size()) +
                              " bytes is too long; at most " + std::to_string(NO_POSITION - 1) +
                              ", encode it document by document");
    }
    std::vector<uint32_t> ids;
    ids.reserve(text.size() / 3);
    std::vector<std::string> normalized; // the cache points into them
    PieceCache cache;
    std::size_t from = 0;
    const std::string_view all = text;
    // One part before each added token and one behind the last.
    std::vector<std::pair<std::string_view, const AddedToken*>> parts;
    for (bool more = true; more;)
    {
        std::size_t at = all.size();
        const AddedToken* token =
            FindNextAdded(all, from, special == SpecialTokens::RECOGNISED, at);
        parts.emplace_back(all.substr(from, at - from), token);
        more = token != nullptr;
        from = more ? at + token->content.size() : at;
    }
    normalized.reserve(parts.size()); // so that no string moves
    for (const auto& [part, token] : parts)
    {
        if (m_vocabulary.normalizeNfc)
        {
            normalized.push_back(ToNfc(part));
            EncodeOrdinary(normalized.back(), cache, ids);
        }
        else
        {
            EncodeOrdinary(part, cache, ids);
        }
        if (token != nullptr)
        {
            ids.push_back(token->id);
        }
    }
    return ids;
}

std::string
BpeTokenizer::Decode(const std::vector<uint32_t>& ids) const
{
    std::string text;
    for (const uint32_t id : ids)
    {
        text += GetTokenBytes(id);
    }
    return text;
}

uint32_t
BpeTokenizer::GetVocabularySize() const
{
    return static_cast<uint32_t>(m_vocabulary.tokens.size());
}

std::string
BpeTokenizer::GetTokenBytes(uint32_t id) const
{
    if (id >= m_vocabulary.tokens.size() || m_vocabulary.tokens[id].empty())
    {
        throw ConfigError(m_vocabulary.name,
                          "",
                          "no token has id " + std::to_string(id) + "; the vocabulary has " +
                              std::to_string(m_vocabulary.tokens.size()) + " ids");
    }
    return m_vocabulary.tokens[id];
}

bool
BpeTokenizer::FindAddedToken(const std::string& content, uint32_t& id) const
{
    for (const AddedToken& token : m_vocabulary.added)
    {
        if (token.content == content)
        {
            id = token.id;
            return true;
        }
    }
    return false;
}

const std::string&
BpeTokenizer::GetName() const
{
    return m_vocabulary.name;
}

} // namespace llm
} // namespace ns3
