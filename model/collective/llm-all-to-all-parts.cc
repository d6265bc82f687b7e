/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-all-to-all-parts.h"

namespace ns3
{
namespace llm
{

uint64_t
GetPartBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to)
{
    return spec.exchange ? spec.exchange->Get(from, to)
                         : SplitBytes(spec.bytes, spec.groupSize, to).bytes;
}

AllToAllParts::AllToAllParts(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
    : m_spec(spec),
      m_rank(rank),
      m_channel(channel)
{
    if (!spec.exchange)
    {
        return;
    }
    uint64_t sent = 0;
    uint64_t received = 0;
    for (uint32_t other = 0; other < spec.groupSize; ++other)
    {
        m_sendOffsets.push_back(sent);
        m_receiveOffsets.push_back(received);
        sent += spec.exchange->Get(rank, other);
        received += spec.exchange->Get(other, rank);
    }
}

ByteRange
AllToAllParts::GetShare(uint32_t from, uint32_t to, uint64_t offset) const
{
    const uint64_t turn = (static_cast<uint64_t>(from) + to + m_channel) % m_spec.channels;
    const ByteRange share = SplitBytes(m_spec.exchange->Get(from, to), m_spec.channels, turn);
    return {offset + share.offset, share.bytes};
}

ByteRange
AllToAllParts::GetSend(uint32_t to) const
{
    if (m_spec.exchange)
    {
        return GetShare(m_rank, to, m_sendOffsets[to]);
    }
    return SplitChunk(m_spec.bytes, m_spec.groupSize, to, m_spec.channels, m_channel);
}

ByteRange
AllToAllParts::GetReceive(uint32_t from) const
{
    if (m_spec.exchange)
    {
        return GetShare(from, m_rank, m_receiveOffsets[from]);
    }
    const ByteRange part = SplitBytes(m_spec.bytes, m_spec.groupSize, m_rank);
    ByteRange share =
        SplitChunk(m_spec.bytes, m_spec.groupSize, m_rank, m_spec.channels, m_channel);
    share.offset += from * part.bytes - part.offset;
    return share;
}

} // namespace llm
} // namespace ns3
