/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-frame.h"

namespace ns3
{
namespace llm
{

void
FramePool::Grow()
{
    constexpr std::size_t SLAB = 1024;
    m_slabs.emplace_back(new Frame[SLAB]);
    Frame* slab = m_slabs.back().get();
    for (std::size_t i = SLAB; i-- > 0;)
    {
        slab[i].next = m_free;
        m_free = &slab[i];
    }
    m_capacity += SLAB;
}

} // namespace llm
} // namespace ns3
