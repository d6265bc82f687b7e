/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-direct-collective.h"

#include "llm-message-program.h"

#include "ns3/assert.h"

namespace ns3
{
namespace llm
{

namespace
{

/** One rank's ALL_TO_ALL: sends and receives, peer after peer. */
class DirectProgram : public TransferProgram
{
  public:
    DirectProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : m_spec(spec),
          m_rank(rank),
          m_channel(channel),
          m_received(SplitBytes(spec.bytes, spec.groupSize, rank)),
          m_receive(SplitChunk(spec.bytes, spec.groupSize, rank, spec.channels, channel)),
          m_receiveSlices(CountSlices(m_receive.bytes, spec.sliceBytes))
    {
        EnterStep();
    }

    bool Next(Transfer& transfer) override
    {
        while (m_distance < m_spec.groupSize)
        {
            if (m_sent < m_sendSlices)
            {
                const ByteRange piece = SplitBytes(m_send.bytes, m_sendSlices, m_sent++);
                transfer =
                    {true, false, m_to, m_send.offset + piece.offset, piece.bytes, 0, 0, nullptr};
                return true;
            }
            if (m_got < m_receiveSlices)
            {
                const uint32_t n = m_spec.groupSize;
                const uint32_t from = (m_rank + n - m_distance) % n;
                const ByteRange piece = SplitBytes(m_receive.bytes, m_receiveSlices, m_got++);
                const uint64_t base = from * m_received.bytes;
                const uint64_t inPart = m_receive.offset - m_received.offset;
                transfer =
                    {false, false, from, base + inPart + piece.offset, piece.bytes, 0, 0, nullptr};
                return true;
            }
            ++m_distance;
            EnterStep();
        }
        return false;
    }

  private:
    /** Look up the part that goes to the rank at the present distance. */
    void EnterStep()
    {
        const uint32_t n = m_spec.groupSize;
        m_to = (m_rank + m_distance) % n;
        m_send = SplitChunk(m_spec.bytes, n, m_to, m_spec.channels, m_channel);
        m_sendSlices = CountSlices(m_send.bytes, m_spec.sliceBytes);
        m_sent = 0;
        m_got = 0;
    }

    const CollectiveSpec m_spec;    //!< what
    const uint32_t m_rank;          //!< who
    const uint32_t m_channel;       //!< which part of each part
    const ByteRange m_received;     //!< the part of each sender that is for this rank
    const ByteRange m_receive;      //!< this channel's share of it
    const uint64_t m_receiveSlices; //!< slices of m_receive

    uint32_t m_distance{1};   //!< sends to rank + distance, receives from rank - distance
    uint32_t m_to{0};         //!< receiver of the present step
    ByteRange m_send;         //!< what it gets
    uint64_t m_sendSlices{0}; //!< slices of m_send
    uint64_t m_sent{0};       //!< slices sent in this step
    uint64_t m_got{0};        //!< slices received in this step
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
        step.waits = m_distance == 1; // once per phase
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
    return std::make_unique<DirectProgram>(spec, rank, channel);
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
    default:
        return theirs;
    }
}

std::vector<uint32_t>
DirectCollective::PredictPeers(const CollectiveSpec& spec, uint32_t from) const
{
    std::vector<uint32_t> peers;
    for (uint32_t to = 0; to < spec.groupSize; ++to)
    {
        if (PredictPairBytes(spec, from, to) > 0)
        {
            peers.push_back(to);
        }
    }
    return peers;
}

double
DirectCollective::PredictTimePs(const CollectiveSpec& spec,
                                double alphaPs,
                                double bitsPerSecond) const
{
    if (spec.groupSize == 1 || spec.bytes == 0)
    {
        return 0.0;
    }
    const double partPs = 8e12 * static_cast<double>(spec.bytes) / spec.groupSize / bitsPerSecond;
    const uint32_t phases = spec.kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
    return phases * (alphaPs + (spec.groupSize - 1.0) * partPs);
}

} // namespace llm
} // namespace ns3
