/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-direct-collective.h"

#include "llm-all-to-all-parts.h"
#include "llm-message-program.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** One rank's ALL_TO_ALL: sends and receives, peer after peer, none of which waits. */
class DirectPartProgram : public MessageProgram
{
  public:
    DirectPartProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_ranks(spec.groupSize),
          m_rank(rank),
          m_parts(spec, rank, channel)
    {
    }

  protected:
    bool NextStep(Step& step) override
    {
        if (m_distance >= m_ranks)
        {
            return false;
        }
        const uint32_t to = (m_rank + m_distance) % m_ranks;
        const uint32_t from = (m_rank + m_ranks - m_distance) % m_ranks;
        ++m_distance;
        step.waits = Waits::FOR_NOTHING;
        step.Send(to, m_parts.GetSend(to));
        step.Receive(from, false, m_parts.GetReceive(from));
        return true;
    }

  private:
    const uint32_t m_ranks;      //!< in the group
    const uint32_t m_rank;       //!< who
    const AllToAllParts m_parts; //!< what
    uint32_t m_distance{1};      //!< sends to rank + distance, receives from rank - distance
};

/** One rank's exchange of chunks with all others: to reduce them, to gather them, or both. */
class DirectChunkProgram : public MessageProgram
{
  public:
    DirectChunkProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_spec(spec),
          m_rank(rank),
          m_channel(channel),
          m_reduces(spec.kind != CollectiveKind::ALL_GATHER)
    {
    }

  protected:
    bool NextStep(Step& step) override
    {
        const uint32_t n = m_spec.groupSize;
        if (m_distance == n && m_reduces && m_spec.kind == CollectiveKind::ALL_REDUCE)
        {
            m_reduces = false;
            m_distance = 1;
        }
        if (m_distance == n)
        {
            return false;
        }
        const uint32_t to = (m_rank + m_distance) % n;
        const uint32_t from = (m_rank + n - m_distance) % n;
        step.waits = m_distance == 1 ? Waits::FOR_ALL : Waits::AS_BEFORE; // once per phase
        step.Send(to, Chunk(m_reduces ? to : m_rank));
        step.Receive(from, m_reduces, Chunk(m_reduces ? m_rank : from));
        ++m_distance;
        return true;
    }

  private:
    /** @return this channel's part of a rank's chunk. */
    ByteRange Chunk(uint32_t owner) const
    {
        return SplitChunk(m_spec.bytes, m_spec.groupSize, owner, m_spec.channels, m_channel);
    }

    const CollectiveSpec m_spec; //!< what
    const uint32_t m_rank;       //!< who
    const uint32_t m_channel;    //!< which part of each chunk
    bool m_reduces;              //!< chunks go to their owners; else they come from them
    uint32_t m_distance{1};      //!< of the peers of the step that comes next
};

} // namespace

std::string
DirectCollective::GetName() const
{
    return "direct";
}

std::string
DirectCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind == CollectiveKind::BROADCAST || spec.kind == CollectiveKind::REDUCE)
    {
        return std::string("direct does all_reduce, all_gather, reduce_scatter and all_to_all, "
                           "not ") +
               ToString(spec.kind);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
DirectCollective::CreateProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    if (spec.kind != CollectiveKind::ALL_TO_ALL)
    {
        return std::make_unique<DirectChunkProgram>(spec, rank, channel);
    }
    return std::make_unique<DirectPartProgram>(spec, rank, channel);
}

uint64_t
DirectCollective::PredictPairBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to) const
{
    if (from == to)
    {
        return 0;
    }
    const uint64_t own = SplitBytes(spec.bytes, spec.groupSize, from).bytes;
    const uint64_t theirs = SplitBytes(spec.bytes, spec.groupSize, to).bytes;
    switch (spec.kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return own + theirs;
    case CollectiveKind::ALL_GATHER:
        return own;
    case CollectiveKind::ALL_TO_ALL:
        return GetPartBytes(spec, from, to);
    default:
        return theirs;
    }
}

double
DirectCollective::DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    if (spec.exchange)
    {
        // The busiest port, in either direction.
        uint64_t most = 0;
        for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
        {
            const uint64_t own = spec.exchange->Get(rank, rank);
            most = std::max(
                {most, spec.exchange->GetSent(rank) - own, spec.exchange->GetReceived(rank) - own});
        }
        return alphaPs + links.network.GetPs(most);
    }
    const double partPs = links.network.GetPs(spec.bytes) / spec.groupSize;
    const uint32_t phases = spec.kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
    return phases * (alphaPs + (spec.groupSize - 1.0) * partPs);
}

} // namespace llm
} // namespace ns3
