/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-token-dataset.h"

#include "ns3/llm-config-error.h"

#include <limits>

namespace ns3
{
namespace llm
{

namespace
{

const std::string SOURCE = "token dataset";
constexpr uint64_t LARGEST = std::numeric_limits<uint64_t>::max();

/** @param config to check @throw ConfigError */
void
Check(const TokenDatasetConfig& config)
{
    if (config.seq_length == 0 || config.global_batch_size == 0)
    {
        throw ConfigError(SOURCE,
                          config.seq_length == 0 ? "seq_length" : "global_batch_size",
                          "is 0; it should be at least 1");
    }
    if (config.seq_length > LARGEST / config.global_batch_size)
    {
        throw ConfigError(SOURCE,
                          "seq_length",
                          std::to_string(config.seq_length) + " times global_batch_size " +
                              std::to_string(config.global_batch_size) +
                              " exceeds 2^64 - 1 tokens");
    }
}

} // namespace

TokenDataset::TokenDataset(const TokenDatasetConfig& config)
    : m_config(config)
{
    Check(config);
}

TokenDatasetCounts
TokenDataset::Count(uint64_t tokens, const TokenDatasetConfig& config, uint64_t epochs)
{
    Check(config);
    if (epochs == 0)
    {
        throw ConfigError(SOURCE, "epochs", "is 0; it should be at least 1");
    }
    if (tokens > LARGEST / epochs)
    {
        throw ConfigError(SOURCE,
                          "epochs",
                          std::to_string(epochs) + " of " + std::to_string(tokens) +
                              " tokens exceed 2^64 - 1 tokens");
    }
    const uint64_t all = tokens * epochs;
    TokenDatasetCounts counts;
    counts.tokens = tokens;
    // The last token is only ever asked for.
    counts.sequences = all == 0 ? 0 : (all - 1) / config.seq_length;
    counts.steps = counts.sequences / config.global_batch_size;
    counts.tokensPerStep = config.seq_length * config.global_batch_size;
    counts.tokensLeftOver = all - counts.steps * counts.tokensPerStep;
    return counts;
}

uint64_t
TokenDataset::AddDocument(const Tokenizer& tokenizer, const std::string& text)
{
    std::vector<uint32_t> ids = tokenizer.Encode(text);
    if (m_config.append_eod)
    {
        uint32_t eod = 0;
        if (!tokenizer.FindAddedToken(m_config.eod, eod))
        {
            throw ConfigError(SOURCE,
                              "eod",
                              "the tokenizer " + tokenizer.GetName() + " has no token '" +
                                  m_config.eod + "' to end a document");
        }
        ids.push_back(eod);
    }
    AddTokens(ids);
    return ids.size();
}

void
TokenDataset::AddTokens(const std::vector<uint32_t>& ids)
{
    m_tokens.insert(m_tokens.end(), ids.begin(), ids.end());
}

TokenDatasetCounts
TokenDataset::GetCounts(uint64_t epochs) const
{
    return Count(m_tokens.size(), m_config, epochs);
}

std::vector<uint32_t>
TokenDataset::GetSequence(uint64_t index) const
{
    std::vector<uint32_t> sequence;
    if (m_tokens.empty())
    {
        return sequence;
    }
    // As long as Count could count the sequence, the product stays below 2^64.
    std::size_t at = index * m_config.seq_length % m_tokens.size();
    for (uint64_t i = 0; i <= m_config.seq_length; ++i)
    {
        sequence.push_back(m_tokens[at]);
        at = at + 1 == m_tokens.size() ? 0 : at + 1;
    }
    return sequence;
}

} // namespace llm
} // namespace ns3
