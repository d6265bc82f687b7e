/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-ring-collective.h"

#include "llm-byte-split.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/**
 * The ring of a channel. Over several nodes, channel c enters each node at its place c and leaves
 * it at the place before, so that channels share a node's network ports among them; else all
 * channels go by rank.
 */
class RingOrder
{
  public:
    RingOrder(const CollectiveSpec& spec, uint32_t channel)
        : m_ranks(spec.groupSize),
          m_perNode(IsRotated(spec) ? spec.ranksPerNode : 1),
          m_shift(channel % m_perNode)
    {
    }

    /** @return whether channels differ. */
    static bool IsRotated(const CollectiveSpec& spec)
    {
        return spec.channels > 1 && spec.ranksPerNode > 1 && spec.ranksPerNode < spec.groupSize;
    }

    /** @return place in the ring. */
    uint32_t PlaceOf(uint32_t rank) const
    {
        return Rotate(rank, m_perNode - m_shift);
    }

    /** @param place of the ring, any multiple of the ranks added. @return the rank there. */
    uint32_t RankAt(uint32_t place) const
    {
        return Rotate(place % m_ranks, m_shift);
    }

  private:
    /** @return the rank so many places further in its node. */
    uint32_t Rotate(uint32_t rank, uint32_t by) const
    {
        return rank / m_perNode * m_perNode + (rank + by) % m_perNode;
    }

    const uint32_t m_ranks;   //!< in the group
    const uint32_t m_perNode; //!< ranks of a node; 1: no rotation
    const uint32_t m_shift;   //!< place in each node where the ring enters
};

/** Which chunk goes when: step t of the rank at place r sends the chunk of the rank at place
 *  r + shift - t (modulo the group). */
struct RingShape
{
    uint32_t steps;       //!< number of steps
    uint32_t reduceSteps; //!< the first so many receives reduce, the others overwrite
    uint32_t shift;       //!< see above, modulo the group
};

/** @param spec a ring kind. @return its shape. */
RingShape
ShapeOf(const CollectiveSpec& spec)
{
    const uint32_t once = spec.groupSize - 1;
    switch (spec.kind)
    {
    case CollectiveKind::REDUCE_SCATTER:
        return {once, once, once};
    case CollectiveKind::ALL_GATHER:
        return {once, 0, 0};
    default:
        return {2 * once, once, once};
    }
}

/** One rank's steps around the ring. */
class RingProgram : public TransferProgram
{
  public:
    RingProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : m_spec(spec),
          m_channel(channel),
          m_shape(ShapeOf(spec)),
          m_order(spec, channel),
          m_next(m_order.RankAt(m_order.PlaceOf(rank) + 1)),
          m_previous(m_order.RankAt(m_order.PlaceOf(rank) + spec.groupSize - 1)),
          m_sendPlace((m_order.PlaceOf(rank) + m_shape.shift) % spec.groupSize)
    {
        EnterStep();
    }

    bool Next(Transfer& transfer) override
    {
        while (m_step < m_shape.steps)
        {
            const uint64_t slice = m_emitted / 2;
            const bool send = m_emitted % 2 == 0;
            if (slice >= std::max(m_sendSlices, m_receiveSlices))
            {
                LeaveStep();
                continue;
            }
            ++m_emitted;
            if (send && slice < m_sendSlices)
            {
                Fill(transfer, m_send, m_sendSlices, slice);
                transfer.send = true;
                transfer.reduce = false;
                transfer.peer = m_next;
                transfer.firstDependency = m_step > 0 ? m_sentFrom + slice : 0;
                transfer.endDependency = m_step > 0 ? transfer.firstDependency + 1 : 0;
                return true;
            }
            if (!send && slice < m_receiveSlices)
            {
                Fill(transfer, m_receive, m_receiveSlices, slice);
                transfer.send = false;
                transfer.reduce = m_step < m_shape.reduceSteps;
                transfer.peer = m_previous;
                transfer.firstDependency = 0;
                transfer.endDependency = 0;
                return true;
            }
        }
        return false;
    }

  private:
    /** Look up the chunks of the present step. */
    void EnterStep()
    {
        const uint32_t n = m_spec.groupSize;
        const uint32_t sendChunk = m_order.RankAt(m_sendPlace);
        const uint32_t receiveChunk = m_order.RankAt(m_sendPlace + n - 1);
        m_send = SplitChunk(m_spec.bytes, n, sendChunk, m_spec.channels, m_channel);
        m_receive = SplitChunk(m_spec.bytes, n, receiveChunk, m_spec.channels, m_channel);
        m_sendSlices = CountSlices(m_send.bytes, m_spec.sliceBytes);
        m_receiveSlices = CountSlices(m_receive.bytes, m_spec.sliceBytes);
        m_emitted = 0;
    }

    /** The chunk received in this step is the one to send in the next. */
    void LeaveStep()
    {
        m_sentFrom = m_received;
        m_received += m_receiveSlices;
        m_sendPlace = (m_sendPlace + m_spec.groupSize - 1) % m_spec.groupSize;
        ++m_step;
        EnterStep();
    }

    /** Set the byte range of a transfer. */
    static void Fill(Transfer& transfer, const ByteRange& chunk, uint64_t slices, uint64_t slice)
    {
        const ByteRange piece = SplitBytes(chunk.bytes, slices, slice);
        transfer.offset = chunk.offset + piece.offset;
        transfer.bytes = piece.bytes;
    }

    const CollectiveSpec m_spec; //!< what
    const uint32_t m_channel;    //!< which part of each chunk
    const RingShape m_shape;     //!< which chunk when
    const RingOrder m_order;     //!< who follows whom
    const uint32_t m_next;       //!< successor
    const uint32_t m_previous;   //!< predecessor

    uint32_t m_step{0};          //!< present step
    uint32_t m_sendPlace;        //!< place of the rank whose chunk is sent in it
    ByteRange m_send;            //!< bytes sent in it
    ByteRange m_receive;         //!< bytes received in it
    uint64_t m_sendSlices{0};    //!< slices of m_send
    uint64_t m_receiveSlices{0}; //!< slices of m_receive
    uint64_t m_emitted{0};       //!< sends (even) and receives (odd) of this step, in turn
    uint64_t m_received{0};      //!< receives of the steps before this one
    uint64_t m_sentFrom{0};      //!< number of the first receive of the step before
};

/** Place of a rank in the chain of BROADCAST or REDUCE, 0 where the data starts. */
uint32_t
ChainPlace(const CollectiveSpec& spec, const RingOrder& order, uint32_t rank)
{
    const uint32_t root = order.PlaceOf(spec.root);
    const uint32_t start = spec.kind == CollectiveKind::BROADCAST ? root : root + 1;
    return (order.PlaceOf(rank) + 2 * spec.groupSize - start) % spec.groupSize;
}

/** One rank of a chain: receives each slice, then passes it on. */
class ChainProgram : public TransferProgram
{
  public:
    ChainProgram(const CollectiveSpec& spec,
                 const RingOrder& order,
                 uint32_t rank,
                 uint32_t channel)
        : m_reduce(spec.kind == CollectiveKind::REDUCE),
          m_next(order.RankAt(order.PlaceOf(rank) + 1)),
          m_previous(order.RankAt(order.PlaceOf(rank) + spec.groupSize - 1)),
          m_receives(ChainPlace(spec, order, rank) > 0),
          m_sends(ChainPlace(spec, order, rank) + 1 < spec.groupSize),
          m_piece(SplitBytes(spec.bytes, spec.channels, channel)),
          m_slices(CountSlices(m_piece.bytes, spec.sliceBytes))
    {
    }

    bool Next(Transfer& transfer) override
    {
        while (m_emitted / 2 < m_slices)
        {
            const uint64_t slice = m_emitted / 2;
            const bool send = m_emitted % 2 == 1;
            ++m_emitted;
            if (send ? m_sends : m_receives)
            {
                const ByteRange piece = SplitBytes(m_piece.bytes, m_slices, slice);
                const bool waits = send && m_receives;
                transfer.send = send;
                transfer.reduce = !send && m_reduce;
                transfer.peer = send ? m_next : m_previous;
                transfer.offset = m_piece.offset + piece.offset;
                transfer.bytes = piece.bytes;
                transfer.firstDependency = waits ? slice : 0;
                transfer.endDependency = waits ? slice + 1 : 0;
                return true;
            }
        }
        return false;
    }

  private:
    const bool m_reduce;       //!< receives add
    const uint32_t m_next;     //!< successor
    const uint32_t m_previous; //!< predecessor
    const bool m_receives;     //!< not the start of the chain
    const bool m_sends;        //!< not its end
    const ByteRange m_piece;   //!< this channel's part of the buffer
    const uint64_t m_slices;   //!< slices of m_piece
    uint64_t m_emitted{0};     //!< receives (even) and sends (odd), in turn
};

/** @return whether the kind is a chain. */
bool
IsChain(CollectiveKind kind)
{
    return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE;
}

/** @return time of the whole buffer at the port that carries most of a step. */
double
GetBufferPs(const CollectiveSpec& spec, const CollectiveLinks& links)
{
    const double networkPs = links.network.GetPs(spec.bytes);
    if (!RingOrder::IsRotated(spec))
    {
        return networkPs;
    }
    // The busiest network port carries so many of all channels.
    const uint32_t ports = spec.ranksPerNode;
    const uint32_t busiest = (spec.channels + ports - 1) / ports;
    return std::max(networkPs * busiest / spec.channels, links.scaleUp.GetPs(spec.bytes));
}

} // namespace

std::string
RingCollective::GetName() const
{
    return "ring";
}

std::string
RingCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind == CollectiveKind::ALL_TO_ALL)
    {
        return "ring does no all_to_all; use direct";
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
RingCollective::CreateProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    if (IsChain(spec.kind))
    {
        return std::make_unique<ChainProgram>(spec, RingOrder(spec, channel), rank, channel);
    }
    return std::make_unique<RingProgram>(spec, rank, channel);
}

uint64_t
RingCollective::PredictPairBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to) const
{
    const uint32_t n = spec.groupSize;
    if (n == 1)
    {
        return 0;
    }
    if (!RingOrder::IsRotated(spec))
    {
        return to == (from + 1) % n ? PredictChannelBytes(spec,
                                                          from,
                                                          to,
                                                          spec.bytes,
                                                          SplitBytes(spec.bytes, n, from).bytes,
                                                          SplitBytes(spec.bytes, n, to).bytes)
                                    : 0;
    }
    uint64_t sum = 0;
    for (uint32_t channel = 0; channel < spec.channels; ++channel)
    {
        const RingOrder order(spec, channel);
        if (order.RankAt(order.PlaceOf(from) + 1) == to)
        {
            // Odd bytes are dealt to channels in turn, so that those of all chunks divide evenly.
            sum +=
                PredictChannelBytes(spec,
                                    from,
                                    to,
                                    SplitBytes(spec.bytes, spec.channels, channel).bytes,
                                    SplitChunk(spec.bytes, n, from, spec.channels, channel).bytes,
                                    SplitChunk(spec.bytes, n, to, spec.channels, channel).bytes);
        }
    }
    return sum;
}

uint64_t
RingCollective::PredictChannelBytes(const CollectiveSpec& spec,
                                    uint32_t from,
                                    uint32_t to,
                                    uint64_t all,
                                    uint64_t own,
                                    uint64_t theirs)
{
    switch (spec.kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return (all - own) + (all - theirs);
    case CollectiveKind::REDUCE_SCATTER:
        return all - own;
    case CollectiveKind::ALL_GATHER:
        return all - theirs;
    case CollectiveKind::BROADCAST:
        return to == spec.root ? 0 : all;
    case CollectiveKind::REDUCE:
        return from == spec.root ? 0 : all;
    case CollectiveKind::ALL_TO_ALL:
        break;
    }
    return 0;
}

std::vector<uint32_t>
RingCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    const uint32_t n = spec.groupSize;
    if (!RingOrder::IsRotated(spec))
    {
        return {(from + 1) % n};
    }
    // The next in the node, and the one at that place of the next node.
    const uint32_t g = spec.ranksPerNode;
    const uint32_t inside = from / g * g + (from + 1) % g;
    return {inside, (inside + g) % n};
}

double
RingCollective::DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    const double n = spec.groupSize;
    const double wholePs = GetBufferPs(spec, links);
    if (IsChain(spec.kind))
    {
        const auto slices =
            static_cast<double>(CountSlices(spec.bytes, spec.channels, spec.sliceBytes));
        return (n - 1) * alphaPs + (n + slices - 2) * wholePs / slices;
    }
    return ShapeOf(spec).steps * (alphaPs + wholePs / n);
}

double
RingCollective::DoPredictPipelinedTimePs(const CollectiveSpec& spec,
                                         const CollectiveLinks& links) const
{
    if (IsChain(spec.kind))
    {
        return DoPredictTimePs(spec, links);
    }
    // A slice goes when it has arrived and the port is free. The port never rests if the first
    // slice of a chunk arrives before the last one has left.
    const double alphaPs = links.network.alphaPs;
    const double chunkPs = GetBufferPs(spec, links) / spec.groupSize;
    const uint64_t chunk = SplitBytes(spec.bytes, spec.groupSize, 0).bytes;
    const auto slices = static_cast<double>(CountSlices(chunk, spec.channels, spec.sliceBytes));
    const double restPs = std::max(0.0, alphaPs - (slices - 1) / slices * chunkPs);
    const double steps = ShapeOf(spec).steps;
    return steps * chunkPs + alphaPs + (steps - 1) * restPs;
}

} // namespace llm
} // namespace ns3
