/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-receive-window.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

void
RdmaReceiveWindow::Add(uint64_t expected, uint64_t psn)
{
    // The expected packet may stand anywhere in its word: a word more than the distance needs.
    if (psn - expected + 64 > GetCapacity())
    {
        std::size_t words = std::max<std::size_t>(2, m_words.size());
        while (psn - expected + 64 > 64 * words)
        {
            words *= 2;
        }
        std::vector<uint64_t> old(words, 0);
        old.swap(m_words);
        for (uint64_t w = expected / 64; w < expected / 64 + old.size(); ++w)
        {
            m_words[w & (words - 1)] = old[w & (old.size() - 1)];
        }
    }
    Word(psn) |= uint64_t{1} << (psn % 64);
    ++m_count;
}

uint64_t
RdmaReceiveWindow::Take(uint64_t psn)
{
    uint64_t taken = 0;
    while (m_count > 0)
    {
        uint64_t& word = Word(psn);
        const auto shift = static_cast<uint32_t>(psn % 64);
        const uint64_t missing = ~(word >> shift);
        const uint32_t run =
            std::min<uint32_t>(64 - shift, missing ? __builtin_ctzll(missing) : 64U);
        if (run == 0)
        {
            break;
        }
        word &= ~((run == 64 ? ~uint64_t{0} : (uint64_t{1} << run) - 1) << shift);
        m_count -= run;
        taken += run;
        psn += run;
        if (shift + run < 64)
        {
            break;
        }
    }
    return taken;
}

} // namespace llm
} // namespace ns3
