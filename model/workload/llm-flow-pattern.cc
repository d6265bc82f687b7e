/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-flow-pattern.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-philox.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace llm
{

namespace
{

/** @return a number below @p bound. */
uint32_t
DrawBelow(const Philox& random, uint32_t sequence, uint32_t bound)
{
    return static_cast<uint32_t>((static_cast<uint64_t>(random.Draw(sequence, 0)) * bound) >> 32);
}

/** @return destination by rank: one cycle through all ranks, so that none is its own. */
std::vector<uint32_t>
DrawPermutation(const FlowPattern::Settings& settings)
{
    const Philox random(settings.key);
    std::vector<uint32_t> to(settings.ranks);
    std::iota(to.begin(), to.end(), 0U);
    for (uint32_t i = settings.ranks - 1; i > 0; --i) // Sattolo's algorithm
    {
        std::swap(to[i], to[DrawBelow(random, i, i)]);
    }
    return to;
}

} // namespace

const std::vector<std::string>&
FlowPattern::GetNames()
{
    static const std::vector<std::string> names{"permutation",
                                                "random",
                                                "shift",
                                                "ring",
                                                "all-to-all",
                                                "incast"};
    return names;
}

FlowList
FlowPattern::Make(const std::string& name, const Settings& settings, const std::string& source)
{
    const auto& names = GetNames();
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
        throw ConfigError(source,
                          "pattern",
                          "there is no '" + name + "'; did you mean '" + NearestName(name, names) +
                              "'?");
    }
    const uint32_t n = settings.ranks;
    if (n < 2 || settings.fanIn >= n)
    {
        throw ConfigError(source,
                          "pattern",
                          name + " needs at least " +
                              std::to_string(std::max<uint64_t>(2, uint64_t{settings.fanIn} + 1)) +
                              " ranks, there are " + std::to_string(n));
    }
    FlowList list;
    list.source = source;
    list.kind = "pattern " + name;
    list.ranks = n;
    const auto add = [&](uint32_t from, uint32_t to, uint64_t turn) {
        Flow flow;
        flow.from = from;
        flow.to = to;
        flow.bytes = settings.bytes;
        flow.startPs = settings.startPs + settings.staggerPs * static_cast<int64_t>(turn);
        flow.trafficClass = settings.trafficClass;
        list.flows.push_back(flow);
    };
    if (name == "incast")
    {
        const uint32_t senders = settings.fanIn > 0 ? settings.fanIn : n - 1;
        for (uint32_t i = 0; i < senders; ++i)
        {
            add(i + 1, 0, i);
        }
    }
    else if (name == "all-to-all")
    {
        for (uint32_t step = 1; step < n; ++step)
        {
            for (uint32_t rank = 0; rank < n; ++rank)
            {
                add(rank, (rank + step) % n, step - 1);
            }
        }
    }
    else if (name == "permutation")
    {
        const std::vector<uint32_t> to = DrawPermutation(settings);
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            add(rank, to[rank], 0);
        }
    }
    else
    {
        const Philox random(settings.key);
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            const uint32_t distance = name == "ring"    ? 1
                                      : name == "shift" ? n / 2
                                                        : 1 + DrawBelow(random, rank, n - 1);
            add(rank, (rank + distance) % n, 0);
        }
    }
    return list;
}

} // namespace llm
} // namespace ns3
