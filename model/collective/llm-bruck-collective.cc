/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-bruck-collective.h"

#include "llm-message-program.h"
#include "llm-rank-folding.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t MOST_BYTES = UINT64_C(1) << 56; //!< so that scratch offsets fit in 64 bits

/** One rank's steps. Parts are told apart by their way: how many ranks from sender to receiver. */
class BruckProgram : public MessageProgram
{
  public:
    BruckProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_spec(spec),
          m_rank(rank),
          m_channel(channel),
          m_longest(SplitBytes(spec.bytes, spec.groupSize, 0).bytes)
    {
    }

  protected:
    bool NextStep(Step& step) override
    {
        const uint32_t n = m_spec.groupSize;
        if (m_step >= CeilLog2(n))
        {
            return false;
        }
        const uint32_t hop = UINT32_C(1) << m_step;
        Message& send = step.Send((m_rank + hop) % n);
        for (uint32_t way = hop; way < n; ++way)
        {
            if ((way & hop) != 0)
            {
                send.Add(Outgoing(way, way & (hop - 1)));
            }
        }
        Message& receive = step.Receive((m_rank + n - hop) % n, false);
        for (uint32_t way = hop; way < n; ++way)
        {
            if ((way & hop) != 0)
            {
                receive.Add(Incoming(way, way & (2 * hop - 1)));
            }
        }
        ++m_step;
        return true;
    }

  private:
    /** @return where a part lies that has come so many ranks of its way to this rank. */
    ByteRange Outgoing(uint32_t way, uint32_t come) const
    {
        const uint32_t n = m_spec.groupSize;
        const uint32_t receiver = (m_rank + way - come) % n;
        ByteRange share = SplitChunk(m_spec.bytes, n, receiver, m_spec.channels, m_channel);
        if (come > 0)
        {
            share.offset += Waiting(way, come) - SplitBytes(m_spec.bytes, n, receiver).offset;
        }
        return share;
    }

    /** @return where a part goes that will then have come so many ranks of its way. */
    ByteRange Incoming(uint32_t way, uint32_t come) const
    {
        if (come < way)
        {
            return Outgoing(way, come);
        }
        const uint32_t n = m_spec.groupSize;
        const uint32_t sender = (m_rank + n - way) % n;
        const ByteRange part = SplitBytes(m_spec.bytes, n, m_rank);
        ByteRange share = SplitChunk(m_spec.bytes, n, m_rank, m_spec.channels, m_channel);
        share.offset += sender * part.bytes - part.offset;
        return share;
    }

    /** @return place in the scratch buffer: one per way and step of arrival. */
    uint64_t Waiting(uint32_t way, uint32_t come) const
    {
        const uint64_t arrival = FloorLog2(come);
        return SCRATCH_OFFSET + (arrival * m_spec.groupSize + way) * m_longest;
    }

    const CollectiveSpec m_spec; //!< what
    const uint32_t m_rank;       //!< who
    const uint32_t m_channel;    //!< which part
    const uint64_t m_longest;    //!< bytes of the longest part
    uint32_t m_step{0};          //!< step that comes next
};

} // namespace

std::string
BruckCollective::GetName() const
{
    return "bruck";
}

std::string
BruckCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_TO_ALL)
    {
        return std::string("bruck does all_to_all only, not ") + ToString(spec.kind);
    }
    if (spec.exchange)
    {
        return "bruck does all_to_all of even parts only: uneven ones would go through ranks that "
               "do not know their sizes; use direct, pairwise or pxn";
    }
    if (spec.bytes > MOST_BYTES)
    {
        return std::to_string(spec.bytes) + " bytes; bruck takes at most " +
               std::to_string(MOST_BYTES);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
BruckCollective::CreateProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<BruckProgram>(spec, rank, channel);
}

uint64_t
BruckCollective::PredictPairBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to) const
{
    const uint64_t n = spec.groupSize;
    const uint64_t hop = (to + n - from) % n;
    if (hop == 0 || (hop & (hop - 1)) != 0)
    {
        return 0;
    }
    // With m odd: the parts that have m * hop ranks to go, from the ranks up to hop - 1 before.
    uint64_t bytes = 0;
    for (uint64_t left = hop; left < n; left += 2 * hop)
    {
        bytes += std::min(hop, n - left) * SplitBytes(spec.bytes, n, (from + left) % n).bytes;
    }
    return bytes;
}

std::vector<uint32_t>
BruckCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    const uint64_t n = spec.groupSize;
    std::vector<uint32_t> peers;
    for (uint64_t hop = 1; hop < n; hop *= 2)
    {
        peers.push_back(static_cast<uint32_t>((from + hop) % n));
    }
    return peers;
}

double
BruckCollective::DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    const double wholePs = links.network.GetPs(spec.bytes);
    const uint64_t n = spec.groupSize;
    uint64_t parts = 0;
    for (uint64_t hop = 1; hop < n; hop *= 2)
    {
        parts += n / (2 * hop) * hop + (n % (2 * hop) > hop ? n % (2 * hop) - hop : 0);
    }
    return CeilLog2(spec.groupSize) * alphaPs +
           static_cast<double>(parts) * wholePs / spec.groupSize;
}

} // namespace llm
} // namespace ns3
