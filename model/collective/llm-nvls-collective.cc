/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-nvls-collective.h"

#include "ns3/assert.h"

#include <algorithm>
#include <deque>

namespace ns3
{
namespace llm
{

namespace
{

constexpr std::size_t ON_THE_WAY = 2; //!< slices that a rank gives before the first is reduced

/** One rank's steps, slice after slice of all chunks. */
class NvlsProgram : public TransferProgram
{
  public:
    NvlsProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : m_spec(spec),
          m_rank(rank),
          m_channel(channel)
    {
        for (uint32_t owner = 0; owner < spec.groupSize && spec.groupSize > 1; ++owner)
        {
            m_slices = std::max(m_slices, CountSlices(Chunk(owner).bytes, spec.sliceBytes));
        }
    }

    bool Next(Transfer& transfer) override
    {
        while (m_next == m_todo.size())
        {
            if (m_slice == m_slices)
            {
                return false;
            }
            m_todo.clear();
            m_next = 0;
            ListSlice();
            ++m_slice;
        }
        transfer = m_todo[m_next++];
        return true;
    }

  private:
    /** List what is to be done for a slice of all chunks. */
    void ListSlice()
    {
        const uint32_t n = m_spec.groupSize;
        const bool reduces = m_spec.kind != CollectiveKind::ALL_GATHER;
        const bool gathers = m_spec.kind != CollectiveKind::REDUCE_SCATTER;
        const bool waits = m_sums.size() >= ON_THE_WAY;
        const uint64_t slot = waits ? m_sums.front() : 0;
        uint64_t sum = m_received;
        for (uint32_t owner = 0; owner < n && reduces; ++owner)
        {
            Add(owner, InNetwork::REDUCE, owner, true, slot, waits ? slot + 1 : slot);
        }
        if (reduces && Add(m_rank, InNetwork::REDUCE, m_rank, false, 0, 0))
        {
            m_sums.push_back(sum);
            if (m_sums.size() > ON_THE_WAY)
            {
                m_sums.pop_front();
            }
        }
        if (!gathers)
        {
            return;
        }
        Add(m_rank, InNetwork::MULTICAST, m_rank, true, sum, m_received);
        for (uint32_t owner = 0; owner < n; ++owner)
        {
            Add(owner, InNetwork::MULTICAST, owner, false, 0, 0);
        }
    }

    /** List a transfer of the present slice of a chunk. @return whether there is such a slice. */
    bool Add(uint32_t owner,
             InNetwork inNetwork,
             uint32_t peer,
             bool send,
             uint64_t firstDependency,
             uint64_t endDependency)
    {
        const ByteRange chunk = Chunk(owner);
        const uint64_t slices = CountSlices(chunk.bytes, m_spec.sliceBytes);
        if (m_slice >= slices)
        {
            return false;
        }
        const ByteRange slice = SplitBytes(chunk.bytes, slices, m_slice);
        const bool waits = endDependency > firstDependency;
        Transfer transfer;
        transfer.send = send;
        transfer.inNetwork = inNetwork;
        transfer.peer = peer;
        transfer.offset = chunk.offset + slice.offset;
        transfer.bytes = slice.bytes;
        transfer.firstDependency = waits ? firstDependency : 0;
        transfer.endDependency = waits ? endDependency : 0;
        m_todo.push_back(transfer);
        m_received += send ? 0 : 1;
        return true;
    }

    /** @return this channel's part of an owner's chunk. */
    ByteRange Chunk(uint32_t owner) const
    {
        return SplitChunk(m_spec.bytes, m_spec.groupSize, owner, m_spec.channels, m_channel);
    }

    const CollectiveSpec m_spec;  //!< what
    const uint32_t m_rank;        //!< who
    const uint32_t m_channel;     //!< which part
    uint64_t m_slices{0};         //!< of the longest chunk
    uint64_t m_slice{0};          //!< slice that comes next
    std::vector<Transfer> m_todo; //!< of the present slice
    std::size_t m_next{0};        //!< transfer of it that comes next
    uint64_t m_received{0};       //!< receives so far
    std::deque<uint64_t> m_sums;  //!< numbers of the last receives of sums
};

} // namespace

std::string
NvlsCollective::GetName() const
{
    return "nvls";
}

std::string
NvlsCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_REDUCE && spec.kind != CollectiveKind::ALL_GATHER &&
        spec.kind != CollectiveKind::REDUCE_SCATTER)
    {
        return std::string("nvls does all_reduce, all_gather and reduce_scatter, not ") +
               ToString(spec.kind);
    }
    const std::string wrong = CheckCollectiveSpec(spec);
    if (wrong.empty() && spec.ranksPerNode != spec.groupSize)
    {
        return "nvls needs all ranks of a group on one server, whose switch reduces; these " +
               std::to_string(spec.groupSize) +
               (spec.ranksPerNode == 0
                    ? " are on several"
                    : " are " + std::to_string(spec.ranksPerNode) + " per server");
    }
    return wrong;
}

std::unique_ptr<TransferProgram>
NvlsCollective::CreateProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<NvlsProgram>(spec, rank, channel);
}

uint64_t
NvlsCollective::PredictPairBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to) const
{
    if (from != to || spec.groupSize == 1)
    {
        return 0;
    }
    // To the switch: all that is to be reduced, and once the own chunk to be copied.
    return (spec.kind != CollectiveKind::ALL_GATHER ? spec.bytes : 0) +
           (spec.kind != CollectiveKind::REDUCE_SCATTER
                ? SplitBytes(spec.bytes, spec.groupSize, from).bytes
                : 0);
}

std::vector<uint32_t>
NvlsCollective::ListCandidates(const CollectiveSpec&, uint32_t from) const
{
    return {from};
}

double
NvlsCollective::DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    CollectiveSpec whole = spec;
    whole.channels = 1;
    whole.sliceBytes = 0;
    return DoPredictPipelinedTimePs(whole, links);
}

double
NvlsCollective::DoPredictPipelinedTimePs(const CollectiveSpec& spec,
                                         const CollectiveLinks& links) const
{
    const double wholePs = links.scaleUp.GetPs(spec.bytes);
    const double alphaPs = links.scaleUp.alphaPs;
    if (spec.kind != CollectiveKind::ALL_REDUCE)
    {
        return alphaPs + wholePs;
    }
    const uint64_t chunk = SplitBytes(spec.bytes, spec.groupSize, 0).bytes;
    const auto slices = static_cast<double>(CountSlices(chunk, spec.channels, spec.sliceBytes));
    // A port first lets out as many slices as may be on the way, then shares and copies in turn;
    // the copies of the last slices come in together. Or, of little data, latency decides.
    const double slicePs = wholePs / slices;
    const double copyPs = slicePs / spec.groupSize;
    const double ahead = std::min(slices, static_cast<double>(ON_THE_WAY) * spec.channels);
    return alphaPs + wholePs +
           std::max(ahead * slicePs + (slices - ahead) * copyPs, alphaPs + slices * copyPs);
}

} // namespace llm
} // namespace ns3
