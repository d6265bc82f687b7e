/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-frame.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <new>

namespace ns3
{
namespace llm
{

namespace
{
constexpr std::size_t SLAB_BYTES = std::size_t{2} << 20; //!< a huge page of x86-64 and ARM64
} // namespace

void
FramePool::FreeSlab::operator()(void* slab) const
{
    ::operator delete (slab, std::align_val_t{SLAB_BYTES});
}

void
FramePool::Grow()
{
    constexpr std::size_t FRAMES = SLAB_BYTES / sizeof(Frame);
    void* slab = ::operator new (SLAB_BYTES, std::align_val_t{SLAB_BYTES});
#ifdef MADV_HUGEPAGE
    // Half a million frames in flight are ordinary; with small pages each one costs a table walk.
    // Only advice: without huge pages everything works as well.
    static_cast<void>(madvise(slab, SLAB_BYTES, MADV_HUGEPAGE));
#endif
    m_slabs.emplace_back(slab);
    m_fresh = static_cast<Frame*>(slab);
    m_freshEnd = m_fresh + FRAMES;
    m_capacity += FRAMES;
}

} // namespace llm
} // namespace ns3
