/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-stage-split.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

const char* const LAYOUT = "pipeline_model_parallel_layout";
const char* const FIRST = "decoder_first_pipeline_num_layers";
const char* const LAST = "decoder_last_pipeline_num_layers";

/** Longer than any layout that somebody means. */
constexpr std::size_t MOST_LETTERS = 1 << 20;

/** Reads digits from a place on, which moves behind them. @return 0 if there are none; no more
 *  than MOST_LETTERS. */
uint64_t
ReadNumber(const std::string& text, std::size_t& place)
{
    uint64_t number = 0;
    while (place < text.size() && std::isdigit(static_cast<unsigned char>(text[place])) != 0)
    {
        number = std::min<uint64_t>(10 * number + static_cast<uint64_t>(text[place++] - '0'),
                                    MOST_LETTERS);
    }
    return number;
}

} // namespace

StageSplit::StageSplit(const ParallelConfig& config, uint64_t layers, Fail fail)
    : m_config(config),
      m_layers(layers),
      m_fail(std::move(fail))
{
}

void
StageSplit::FailLayout(const std::string& message) const
{
    m_fail(LAYOUT, "'" + m_config.pipeline_model_parallel_layout + "' " + message);
}

std::vector<StageLayers>
StageSplit::Split() const
{
    const std::vector<uint64_t> counts =
        m_config.pipeline_model_parallel_layout.empty() ? SplitEvenly() : FollowLayout();
    std::vector<StageLayers> stages;
    uint64_t next = 0;
    for (const uint64_t count : counts)
    {
        stages.push_back({next, count});
        next += count;
    }
    return stages;
}

std::vector<uint64_t>
StageSplit::SplitEvenly() const
{
    const uint32_t p = m_config.pipeline_model_parallel_size;
    const uint64_t v = m_config.virtual_pipeline_model_parallel_size;
    const uint64_t first = m_config.decoder_first_pipeline_num_layers;
    const uint64_t last = m_config.decoder_last_pipeline_num_layers;
    if (p == 1 && (first != 0 || last != 0))
    {
        m_fail(first != 0 ? FIRST : LAST,
               "needs pipeline_model_parallel_size of at least 2, which is 1");
    }
    if (first + last > m_layers)
    {
        m_fail(FIRST,
               std::to_string(first) + " + " + std::to_string(last) +
                   " layers on the first and the last stage are more than the model's " +
                   std::to_string(m_layers) + " (num_hidden_layers)");
    }
    for (const auto& end : {std::pair(FIRST, first), std::pair(LAST, last)})
    {
        if (end.second % v != 0)
        {
            m_fail(end.first,
                   std::to_string(end.second) +
                       " layers cannot be spread evenly over the rank's "
                       "virtual_pipeline_model_parallel_size " +
                       std::to_string(v) + " chunks; " + LAYOUT + " can");
        }
    }
    const uint64_t evenRanks = p - (first != 0 ? 1 : 0) - (last != 0 ? 1 : 0);
    const uint64_t rest = m_layers - first - last;
    const uint64_t places = evenRanks * v;
    if (places == 0 ? rest != 0 : rest % places != 0 || rest < places)
    {
        m_fail(
            "pipeline_model_parallel_size",
            std::to_string(rest) + " layers (num_hidden_layers " + std::to_string(m_layers) +
                ") cannot be spread evenly over " + std::to_string(evenRanks) + " stages" +
                (v > 1 ? " of virtual_pipeline_model_parallel_size " + std::to_string(v) + " chunks"
                       : "") +
                "; decoder_first_pipeline_num_layers or decoder_last_pipeline_num_layers can "
                "make an end different, " +
                LAYOUT + " any");
    }
    std::vector<uint64_t> counts(p * v, places == 0 ? 0 : rest / places);
    for (uint64_t chunk = 0; chunk < v; ++chunk)
    {
        uint64_t& atFirst = counts[chunk * p];
        uint64_t& atLast = counts[chunk * p + p - 1];
        atFirst = first != 0 ? first / v : atFirst;
        atLast = last != 0 ? last / v : atLast;
    }
    return counts;
}

std::vector<uint64_t>
StageSplit::FollowLayout() const
{
    const uint64_t stages = static_cast<uint64_t>(m_config.pipeline_model_parallel_size) *
                            m_config.virtual_pipeline_model_parallel_size;
    for (const auto& end : {std::pair(FIRST, m_config.decoder_first_pipeline_num_layers),
                            std::pair(LAST, m_config.decoder_last_pipeline_num_layers)})
    {
        if (end.second != 0)
        {
            m_fail(end.first,
                   "is " + std::to_string(end.second) + ", but " + LAYOUT +
                       " says already what is where; leave one of them out");
        }
    }
    std::vector<uint64_t> counts = ReadLayout(m_config.pipeline_model_parallel_layout);
    if (counts.size() != stages)
    {
        FailLayout("has " + std::to_string(counts.size()) +
                   " stages, pipeline_model_parallel_size x virtual_pipeline_model_parallel_size "
                   "are " +
                   std::to_string(stages));
    }
    const uint64_t sum = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    if (sum != m_layers)
    {
        FailLayout("has " + std::to_string(sum) + " layers, the model has " +
                   std::to_string(m_layers) + " (num_hidden_layers)");
    }
    for (std::size_t stage = 1; stage + 1 < counts.size(); ++stage)
    {
        if (counts[stage] == 0)
        {
            FailLayout("leaves stage " + std::to_string(stage) +
                       " without a layer; only the first and the last can be so");
        }
    }
    return counts;
}

std::vector<uint64_t>
StageSplit::ReadLayout(const std::string& text) const
{
    return text.find_first_not_of("0123456789, ") == std::string::npos ? ReadNumbers(text)
                                                                       : ReadLetters(text);
}

std::vector<uint64_t>
StageSplit::ReadNumbers(const std::string& text) const
{
    std::vector<uint64_t> counts;
    std::size_t place = 0;
    while (true)
    {
        place = std::min(text.find_first_not_of(' ', place), text.size());
        const std::size_t begin = place;
        counts.push_back(ReadNumber(text, place));
        const std::size_t end = place;
        place = std::min(text.find_first_not_of(' ', place), text.size());
        if (begin == end || (place < text.size() && text[place] != ','))
        {
            FailLayout("is no list of numbers at character " + std::to_string(end + 1) +
                       "; it should look like '4,4,4,3'");
        }
        if (place == text.size())
        {
            return counts;
        }
        ++place;
    }
}

std::string
StageSplit::Expand(const std::string& text) const
{
    std::string open;       // what stands before the parenthesis
    std::string written;    // letters so far, within the parenthesis
    std::string repeatable; // what "*" repeats
    bool inside = false;
    for (std::size_t i = 0; i < text.size();)
    {
        const char letter = text[i++];
        if (letter == ',' || letter == ' ')
        {
            continue;
        }
        if (std::string("EtmL|").find(letter) != std::string::npos)
        {
            repeatable = letter;
            written += letter;
        }
        else if (letter == '(' && !inside)
        {
            inside = true;
            open = std::exchange(written, "");
            repeatable.clear();
        }
        else if (letter == ')' && inside)
        {
            inside = false;
            repeatable = written;
            written = open + repeatable;
        }
        else if (letter == '*' && !repeatable.empty() && i < text.size() && text[i] >= '1' &&
                 text[i] <= '9')
        {
            const uint64_t times = ReadNumber(text, i);
            if (times * repeatable.size() + written.size() > MOST_LETTERS)
            {
                FailLayout("has too many layers");
            }
            for (uint64_t more = 1; more < times; ++more)
            {
                written += repeatable;
            }
            repeatable.clear();
        }
        else
        {
            FailLayout("cannot be read at character " + std::to_string(i) + " ('" + letter +
                       "'); it should look like '4,4,4,3' or 'Et*4|(tttt|)*2,t*3,L'");
        }
    }
    if (inside)
    {
        FailLayout("lacks a closing parenthesis");
    }
    return written;
}

std::vector<uint64_t>
StageSplit::ReadLetters(const std::string& text) const
{
    const std::string letters = Expand(text);
    const std::size_t tail = letters.find_first_not_of('m', letters.find_first_of("mL"));
    if (letters.empty() || letters.front() != 'E' || letters.back() != 'L' ||
        letters.find('E', 1) != std::string::npos || tail + 1 != letters.size())
    {
        FailLayout("must begin with E (embedding) and end with L (output layer), with m "
                   "(multi-token prediction) just before it: they are on the first and the last "
                   "stage here");
    }
    std::vector<uint64_t> counts(1, 0);
    for (const char letter : letters)
    {
        counts.back() += letter == 't' ? 1 : 0;
        if (letter == '|')
        {
            counts.push_back(0);
        }
    }
    return counts;
}

} // namespace llm
} // namespace ns3
