/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-binomial-tree-collective.h"

#include "llm-rank-folding.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** One rank of the tree, slice after slice. */
class BinomialTreeProgram : public TransferProgram
{
  public:
    BinomialTreeProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : m_reduce(spec.kind == CollectiveKind::REDUCE),
          m_piece(SplitBytes(spec.bytes, spec.channels, channel)),
          m_slices(CountSlices(m_piece.bytes, spec.sliceBytes))
    {
        const uint32_t n = spec.groupSize;
        const uint32_t place = (rank + n - spec.root) % n;
        const uint32_t lowest = place & (~place + 1);
        const uint32_t top = UINT32_C(1) << CeilLog2(n);
        m_receives = 0;
        for (uint32_t distance = (place == 0 ? top : lowest) / 2; distance > 0; distance /= 2)
        {
            if (place + distance < n)
            {
                m_peers.push_back((rank + distance) % n);
            }
        }
        const uint32_t children = static_cast<uint32_t>(m_peers.size());
        if (place > 0)
        {
            m_peers.push_back((rank + n - lowest) % n);
        }
        // Now the largest subtree comes first and the parent last.
        if (m_reduce)
        {
            std::reverse(m_peers.begin(), m_peers.begin() + children);
            m_receives = children;
        }
        else if (place > 0)
        {
            std::rotate(m_peers.begin(), m_peers.end() - 1, m_peers.end());
            m_receives = 1;
        }
    }

    bool Next(Transfer& transfer) override
    {
        if (m_next == m_peers.size())
        {
            m_next = 0;
            ++m_slice;
        }
        if (m_slice >= m_slices || m_peers.empty())
        {
            return false;
        }
        const ByteRange range = SplitBytes(m_piece.bytes, m_slices, m_slice);
        transfer = Transfer();
        transfer.send = m_next >= m_receives;
        transfer.reduce = !transfer.send && m_reduce;
        transfer.peer = m_peers[m_next++];
        transfer.offset = m_piece.offset + range.offset;
        transfer.bytes = range.bytes;
        if (transfer.send)
        {
            transfer.firstDependency = m_slice * m_receives;
            transfer.endDependency = transfer.firstDependency + m_receives;
        }
        return true;
    }

  private:
    const bool m_reduce;           //!< towards the root
    const ByteRange m_piece;       //!< this channel's part of the buffer
    const uint64_t m_slices;       //!< slices of it
    std::vector<uint32_t> m_peers; //!< per slice: whom to receive from, then whom to send to
    std::size_t m_receives{0};     //!< how many of them are received from
    std::size_t m_next{0};         //!< peer that comes next
    uint64_t m_slice{0};           //!< of this slice
};

} // namespace

std::string
BinomialTreeCollective::GetName() const
{
    return "binomial_tree";
}

std::string
BinomialTreeCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::BROADCAST && spec.kind != CollectiveKind::REDUCE)
    {
        return std::string("binomial_tree does broadcast and reduce, not ") + ToString(spec.kind);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
BinomialTreeCollective::CreateProgram(const CollectiveSpec& spec,
                                      uint32_t rank,
                                      uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<BinomialTreeProgram>(spec, rank, channel);
}

uint64_t
BinomialTreeCollective::PredictPairBytes(const CollectiveSpec& spec,
                                         uint32_t from,
                                         uint32_t to) const
{
    const uint32_t n = spec.groupSize;
    const bool outwards = spec.kind == CollectiveKind::BROADCAST;
    const uint32_t parent = ((outwards ? from : to) + n - spec.root) % n;
    const uint32_t child = ((outwards ? to : from) + n - spec.root) % n;
    return child > 0 && (child & (child - 1)) == parent ? spec.bytes : 0;
}

std::vector<uint32_t>
BinomialTreeCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    const uint64_t n = spec.groupSize;
    std::vector<uint32_t> peers;
    for (uint64_t distance = 1; distance < n; distance *= 2)
    {
        const uint64_t away = spec.kind == CollectiveKind::BROADCAST ? distance : n - distance;
        peers.push_back(static_cast<uint32_t>((from + away) % n));
    }
    return peers;
}

double
BinomialTreeCollective::DoPredictTimePs(const CollectiveSpec& spec,
                                        const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    const double wholePs = links.network.GetPs(spec.bytes);
    const auto slices =
        static_cast<double>(CountSlices(spec.bytes, spec.channels, spec.sliceBytes));
    const double levels = CeilLog2(spec.groupSize);
    if (spec.kind == CollectiveKind::BROADCAST)
    {
        const double copies = levels * (slices - 1) + levels * (levels + 1) / 2;
        return levels * alphaPs + copies / slices * wholePs;
    }
    const double hiddenPs = (slices - 1) / slices * wholePs;
    return levels * wholePs + alphaPs + (levels - 1) * std::max(0.0, alphaPs - hiddenPs);
}

} // namespace llm
} // namespace ns3
