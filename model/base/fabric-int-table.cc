/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-int-table.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

FabricIntTable::FabricIntTable(std::size_t frames, uint32_t hops)
    : m_frames(frames),
      m_hops(hops),
      m_stacks(new Stack[frames]()),
      m_records(new IntRecord[frames * hops])
{
}

std::unique_ptr<FabricIntTable>
FabricIntTable::Widen(uint32_t hops) const
{
    auto wider = std::make_unique<FabricIntTable>(m_frames, hops);
    for (std::size_t i = 0; i < m_frames; ++i)
    {
        wider->m_stacks[i] = m_stacks[i];
        std::copy_n(GetRecords(i), m_stacks[i].count, &wider->m_records[i * hops]);
    }
    return wider;
}

} // namespace llm
} // namespace ns3
