/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-frame.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <new>

namespace ns3
{
namespace llm
{

namespace
{
constexpr uint32_t LEAST_INT_HOPS = 8; //!< a table is seldom made twice
} // namespace

void
FramePool::FreeSlab::operator()(void* slab) const
{
    static_cast<SlabHead*>(slab)->~SlabHead();
    ::operator delete (slab, std::align_val_t{SLAB_BYTES});
}

void
FramePool::Grow()
{
    void* slab = ::operator new (SLAB_BYTES, std::align_val_t{SLAB_BYTES});
#ifdef MADV_HUGEPAGE
    // Half a million frames in flight are ordinary; with small pages each one costs a table walk.
    // Only advice: without huge pages everything works as well.
    static_cast<void>(madvise(slab, SLAB_BYTES, MADV_HUGEPAGE));
#endif
    auto* head = new (slab) SlabHead;
    m_slabs.emplace_back(slab);
    if (m_intHops > 0)
    {
        head->ints = std::make_unique<FabricIntTable>(FRAMES, m_intHops);
    }
    m_fresh = static_cast<Frame*>(slab) + 1;
    m_freshEnd = m_fresh + FRAMES - 1;
    m_capacity += FRAMES - 1;
}

void
FramePool::RequireInt(uint32_t hops)
{
    if (hops <= m_intHops)
    {
        return;
    }
    m_intHops = std::max(hops, LEAST_INT_HOPS);
    for (const auto& slab : m_slabs)
    {
        auto* head = static_cast<SlabHead*>(slab.get());
        head->ints = head->ints ? head->ints->Widen(m_intHops)
                                : std::make_unique<FabricIntTable>(FRAMES, m_intHops);
    }
}

} // namespace llm
} // namespace ns3
