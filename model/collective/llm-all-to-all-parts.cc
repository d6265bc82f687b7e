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

ByteRange
GetShare(const CollectiveSpec& spec, uint32_t from, uint32_t to, uint32_t channel)
{
    if (spec.exchange)
    {
        const uint64_t turn = (static_cast<uint64_t>(from) + to + channel) % spec.channels;
        return SplitBytes(spec.exchange->Get(from, to), spec.channels, turn);
    }
    ByteRange share = SplitChunk(spec.bytes, spec.groupSize, to, spec.channels, channel);
    share.offset -= SplitBytes(spec.bytes, spec.groupSize, to).offset;
    return share;
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
AllToAllParts::GetSend(uint32_t to) const
{
    ByteRange share = GetShare(m_spec, m_rank, to, m_channel);
    share.offset +=
        m_spec.exchange ? m_sendOffsets[to] : SplitBytes(m_spec.bytes, m_spec.groupSize, to).offset;
    return share;
}

ByteRange
AllToAllParts::GetReceive(uint32_t from) const
{
    ByteRange share = GetShare(m_spec, from, m_rank, m_channel);
    share.offset += m_spec.exchange
                        ? m_receiveOffsets[from]
                        : from * SplitBytes(m_spec.bytes, m_spec.groupSize, m_rank).bytes;
    return share;
}

} // namespace llm
} // namespace ns3
