/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-expert-routing.h"

#include "ns3/llm-philox.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3
{
namespace llm
{

namespace
{

__extension__ using Wide = unsigned __int128;

/** Weight of the most popular expert: fine enough for 1 / 1024^3. */
constexpr double MOST_POPULAR = 1ULL << 40;

/** Newton's square root of a number from 1 on: from above, until it gets no better. */
double
SquareRoot(double square)
{
    double root = square;
    while (true)
    {
        const double better = (root + square / root) / 2;
        if (better >= root)
        {
            return root;
        }
        root = better;
    }
}

/** Chance that some of @p all things, of which @p drawn are drawn, are missed: @p few of them. */
double
MissAll(uint64_t all, uint64_t drawn, uint64_t few)
{
    double chance = 1;
    for (uint64_t i = 0; i < drawn; ++i)
    {
        if (few + i >= all)
        {
            return 0;
        }
        chance *= static_cast<double>(all - few - i) / static_cast<double>(all - i);
    }
    return chance;
}

/** C(n, k). */
double
Choose(uint64_t n, uint64_t k)
{
    if (k > n)
    {
        return 0;
    }
    double ways = 1;
    for (uint64_t i = 0; i < k; ++i)
    {
        ways = ways * static_cast<double>(n - i) / static_cast<double>(i + 1);
    }
    return ways;
}

/** Sum over all ways to draw @p drawn of the products of their odds, without those of a range. */
double
SumOfProducts(const std::vector<double>& odds,
              uint64_t drawn,
              std::size_t leaveFrom,
              std::size_t leaveTo)
{
    std::vector<double> sums(drawn + 1, 0.0);
    sums[0] = 1;
    for (std::size_t i = 0; i < odds.size(); ++i)
    {
        if (i >= leaveFrom && i < leaveTo)
        {
            continue;
        }
        for (uint64_t k = drawn; k > 0; --k)
        {
            sums[k] += sums[k - 1] * odds[i];
        }
    }
    return sums[drawn];
}

} // namespace

ExpertRouting::ExpertRouting(const ModelConfig& model,
                             const TrainingConfig& training,
                             uint64_t tokens)
    : m_tokens(tokens),
      m_experts(model.num_experts),
      m_perToken(model.num_experts_per_tok),
      m_groups(model.n_group),
      m_most(model.topk_group),
      m_skew(training.moe_expert_skew),
      m_seed(training.moe_skew_seed),
      m_capacity(tokens),
      m_pads(training.moe_pad_expert_input_to_capacity)
{
    if (training.moe_expert_capacity_factor > 0)
    {
        // Megatron-Core's get_capacity: ceil((tokens topk / experts) * factor), in doubles.
        const double capacity = static_cast<double>(tokens * m_perToken) /
                                static_cast<double>(m_experts) *
                                training.moe_expert_capacity_factor;
        m_capacity = static_cast<uint64_t>(capacity);
        m_capacity += static_cast<double>(m_capacity) < capacity ? 1 : 0;
        m_capacity = m_pads ? m_capacity : std::min(m_capacity, tokens);
    }
}

uint64_t
ExpertRouting::GetTokens() const
{
    return m_tokens;
}

bool
ExpertRouting::IsUniform() const
{
    return m_skew == 0;
}

uint64_t
ExpertRouting::GetCapacity() const
{
    return m_capacity;
}

double
ExpertRouting::Power(double base, double exponent)
{
    constexpr int fractionBits = 30;
    double power = 1;
    for (; exponent >= 1; exponent -= 1)
    {
        power *= base;
    }
    double root = base;
    for (int bit = 0; bit < fractionBits && exponent > 0; ++bit)
    {
        root = SquareRoot(root);
        exponent *= 2;
        if (exponent >= 1)
        {
            power *= root;
            exponent -= 1;
        }
    }
    return power;
}

std::vector<uint64_t>
ExpertRouting::Apportion(uint64_t slots, uint64_t most, const std::vector<uint64_t>& weights)
{
    std::vector<uint64_t> shares(weights.size(), 0);
    std::vector<std::size_t> open(weights.size());
    std::iota(open.begin(), open.end(), 0);
    Wide sum = 0;
    for (const uint64_t weight : weights)
    {
        sum += weight;
    }
    // Those whose part is above the most get the most; then there is more for the others.
    while (true)
    {
        const Wide rest = slots;
        const Wide total = sum;
        const auto full = [&](std::size_t i) { return rest * weights[i] > most * total; };
        const auto split = std::stable_partition(open.begin(), open.end(), [&full](std::size_t i) {
            return !full(i);
        });
        if (split == open.end())
        {
            break;
        }
        for (auto i = split; i != open.end(); ++i)
        {
            shares[*i] = most;
            slots -= most;
            sum -= weights[*i];
        }
        open.erase(split, open.end());
    }
    uint64_t left = slots;
    for (const std::size_t i : open)
    {
        shares[i] = static_cast<uint64_t>(static_cast<Wide>(slots) * weights[i] / sum);
        left -= shares[i];
    }
    std::stable_sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
        return static_cast<Wide>(slots) * weights[a] % sum >
               static_cast<Wide>(slots) * weights[b] % sum;
    });
    for (uint64_t i = 0; i < left; ++i)
    {
        ++shares[open[i]];
    }
    return shares;
}

std::vector<uint64_t>
ExpertRouting::GetPopularity(uint64_t layer) const
{
    if (IsUniform())
    {
        return std::vector<uint64_t>(m_experts, 1);
    }
    // Fisher and Yates: which place each expert takes.
    std::vector<uint64_t> places(m_experts);
    std::iota(places.begin(), places.end(), 0);
    const Philox philox(m_seed);
    for (uint64_t i = m_experts; i > 1; --i)
    {
        const uint64_t j = static_cast<uint64_t>(philox.Draw(i, layer)) * i >> 32;
        std::swap(places[i - 1], places[j]);
    }
    std::vector<uint64_t> weights(m_experts);
    for (uint64_t i = 0; i < m_experts; ++i)
    {
        const double weight = MOST_POPULAR / Power(static_cast<double>(places[i] + 1), m_skew);
        weights[i] = std::max<uint64_t>(1, static_cast<uint64_t>(weight));
    }
    return weights;
}

std::vector<uint64_t>
ExpertRouting::GetDemand(uint64_t layer) const
{
    return Apportion(m_tokens * m_perToken, m_tokens, GetPopularity(layer));
}

std::vector<uint64_t>
ExpertRouting::GetSlots(uint64_t layer) const
{
    if (m_pads)
    {
        return std::vector<uint64_t>(m_experts, m_capacity);
    }
    std::vector<uint64_t> slots = GetDemand(layer);
    for (uint64_t& count : slots)
    {
        count = std::min(count, m_capacity);
    }
    return slots;
}

uint64_t
ExpertRouting::GetDropped(uint64_t layer) const
{
    uint64_t dropped = 0;
    for (const uint64_t count : GetDemand(layer))
    {
        dropped += count - std::min(count, m_capacity);
    }
    return dropped;
}

double
ExpertRouting::GetMissProbability(uint64_t experts, bool limited) const
{
    if (!limited || m_most >= m_groups)
    {
        return MissAll(m_experts, m_perToken, experts);
    }
    const uint64_t perGroup = m_experts / m_groups;
    const uint64_t candidates = m_most * perGroup;
    if (experts <= perGroup)
    {
        const double drawn = static_cast<double>(m_most) / static_cast<double>(m_groups);
        return 1 - drawn * (1 - MissAll(candidates, m_perToken, experts));
    }
    const uint64_t held = experts / perGroup;
    double miss = 0;
    for (uint64_t drawn = 0; drawn <= std::min(held, m_most); ++drawn)
    {
        miss += Choose(held, drawn) * Choose(m_groups - held, m_most - drawn) /
                Choose(m_groups, m_most) * MissAll(candidates, m_perToken, drawn * perGroup);
    }
    return miss;
}

double
ExpertRouting::GetExpectedParts(uint64_t parts) const
{
    return static_cast<double>(parts) * (1 - GetMissProbability(m_experts / parts, true));
}

std::vector<uint64_t>
ExpertRouting::GetCopies(uint64_t layer, uint64_t parts) const
{
    // Of experts in a part, which has one at least.
    const uint64_t size = std::max<uint64_t>(1, m_experts / parts);
    const double tokens = static_cast<double>(m_tokens);
    const double uniformHit = 1 - GetMissProbability(size, true);
    const std::vector<uint64_t> slots = GetSlots(layer);

    std::vector<double> odds;
    uint64_t drawn = m_perToken;
    std::vector<uint64_t> demand;
    double all = 1;
    double limit = 1;
    if (!IsUniform())
    {
        // Experts that take every token are drawn for sure.
        demand = GetDemand(layer);
        for (const uint64_t count : demand)
        {
            const bool sure = count == m_tokens;
            odds.push_back(
                sure ? 0 : static_cast<double>(count) / static_cast<double>(m_tokens - count));
            drawn -= sure ? 1 : 0;
        }
        all = SumOfProducts(odds, drawn, 0, 0);
        limit = uniformHit / (1 - GetMissProbability(size, false));
    }
    std::vector<uint64_t> copies(parts);
    for (uint64_t part = 0; part < parts; ++part)
    {
        const uint64_t first = part * size;
        double hit = uniformHit;
        if (!IsUniform())
        {
            bool sure = false;
            for (uint64_t i = first; i < first + size; ++i)
            {
                sure |= demand[i] == m_tokens;
            }
            hit = sure ? 1 : 1 - SumOfProducts(odds, drawn, first, first + size) / all;
            hit = std::min(1.0, hit * limit);
        }
        // No more tokens than slots, and at most as many slots of a token as there are experts.
        const uint64_t held = std::accumulate(slots.begin() + first,
                                              slots.begin() + first + size,
                                              static_cast<uint64_t>(0));
        const uint64_t fewest = (held + size - 1) / size;
        copies[part] = std::clamp(static_cast<uint64_t>(std::llround(hit * tokens)), fewest, held);
    }
    return copies;
}

} // namespace llm
} // namespace ns3
