/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-halving-doubling-collective.h"

#include "llm-message-program.h"
#include "llm-rank-folding.h"

#include "ns3/assert.h"

namespace ns3
{
namespace llm
{

namespace
{

/** One rank's steps. Blocks are what a core is responsible for: in ALL_REDUCE the p-th parts of the
 *  channel's piece, else the chunks of the ranks that the core stands for. */
class HalvingDoublingProgram : public MessageProgram
{
  public:
    HalvingDoublingProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_spec(spec),
          m_rank(rank),
          m_channel(channel),
          m_folding(spec.groupSize),
          m_folded(m_folding.IsFolded(rank)),
          m_core(m_folding.CoreOf(rank)),
          m_levels(FloorLog2(m_folding.GetCores()))
    {
        const bool halves = spec.kind != CollectiveKind::ALL_GATHER;
        const bool doubles = spec.kind != CollectiveKind::REDUCE_SCATTER;
        m_halvings = halves ? m_levels : 0;
        m_steps = m_folded ? 0 : m_halvings + (doubles ? m_levels : 0);
    }

  protected:
    bool NextStep(Step& step) override
    {
        const uint32_t number = m_step++;
        if (number == 0)
        {
            HandOver(step);
        }
        else if (number <= m_halvings && number <= m_steps)
        {
            Halve(step, UINT32_C(1) << (m_levels - number));
        }
        else if (number <= m_steps)
        {
            Double(step, UINT32_C(1) << (number - m_halvings - 1));
        }
        else if (number == m_steps + 1)
        {
            HandBack(step);
        }
        else
        {
            m_step = number; // stay at the end
            return false;
        }
        return true;
    }

  private:
    /** The folded rank gives its part to the rank that stands for it. */
    void HandOver(Step& step)
    {
        const bool gathers = m_spec.kind == CollectiveKind::ALL_GATHER;
        if (m_folded)
        {
            Message& message = step.Send(m_rank + 1);
            gathers ? AddChunks(message, m_rank, m_rank + 1) : AddAll(message);
        }
        else if (m_folding.StandsForTwo(m_rank))
        {
            Message& message = step.Receive(m_rank - 1, !gathers);
            gathers ? AddChunks(message, m_rank - 1, m_rank) : AddAll(message);
        }
    }

    /** The folded rank gets its result. */
    void HandBack(Step& step)
    {
        if (!m_folded && !m_folding.StandsForTwo(m_rank))
        {
            return;
        }
        const uint32_t folded = m_folded ? m_rank : m_rank - 1;
        Message& message = m_folded ? step.Receive(m_rank + 1, false) : step.Send(m_rank - 1);
        switch (m_spec.kind)
        {
        case CollectiveKind::REDUCE_SCATTER:
            AddChunks(message, folded, folded + 1);
            break;
        case CollectiveKind::ALL_GATHER:
            AddChunks(message, 0, folded);
            AddChunks(message, folded + 1, m_spec.groupSize);
            break;
        default:
            AddAll(message);
        }
    }

    /** Exchange halves of a range of 2 * distance blocks. */
    void Halve(Step& step, uint32_t distance)
    {
        const uint32_t partner = m_core ^ distance;
        const uint32_t peer = m_folding.RankOf(partner);
        const uint32_t theirs = partner / distance * distance;
        const uint32_t mine = m_core / distance * distance;
        AddBlocks(step.Send(peer), theirs, theirs + distance);
        AddBlocks(step.Receive(peer, true), mine, mine + distance);
    }

    /** Exchange all that is complete. */
    void Double(Step& step, uint32_t distance)
    {
        const uint32_t partner = m_core ^ distance;
        const uint32_t peer = m_folding.RankOf(partner);
        const uint32_t theirs = partner / distance * distance;
        const uint32_t mine = m_core / distance * distance;
        AddBlocks(step.Send(peer), mine, mine + distance);
        AddBlocks(step.Receive(peer, false), theirs, theirs + distance);
    }

    /** Add this channel's part of the whole buffer. */
    void AddAll(Message& message) const
    {
        AddBlocks(message, 0, m_folding.GetCores());
    }

    /** Add this channel's part of the blocks [first, end). */
    void AddBlocks(Message& message, uint32_t first, uint32_t end) const
    {
        if (m_spec.kind != CollectiveKind::ALL_REDUCE)
        {
            AddChunks(message, m_folding.FirstRankOf(first), m_folding.FirstRankOf(end));
            return;
        }
        const ByteRange piece = SplitBytes(m_spec.bytes, m_spec.channels, m_channel);
        const uint64_t begin = SplitBytes(piece.bytes, m_folding.GetCores(), first).offset;
        const uint64_t behind = SplitBytes(piece.bytes, m_folding.GetCores(), end).offset;
        message.Add({piece.offset + begin, behind - begin});
    }

    /** Add this channel's part of the chunks of the ranks [first, end). */
    void AddChunks(Message& message, uint32_t first, uint32_t end) const
    {
        for (uint32_t chunk = first; chunk < end; ++chunk)
        {
            message.Add(
                SplitChunk(m_spec.bytes, m_spec.groupSize, chunk, m_spec.channels, m_channel));
        }
    }

    const CollectiveSpec m_spec; //!< what
    const uint32_t m_rank;       //!< who
    const uint32_t m_channel;    //!< which part
    const RankFolding m_folding; //!< powers of two
    const bool m_folded;         //!< another rank stands for this one
    const uint32_t m_core;       //!< number among the cores
    const uint32_t m_levels;     //!< log2 of the cores
    uint32_t m_halvings{0};      //!< steps that halve
    uint32_t m_steps{0};         //!< steps that halve or double
    uint32_t m_step{0};          //!< step that comes next
};

/** @return bytes of the blocks [first, end), see HalvingDoublingProgram, in all channels. */
uint64_t
BytesOfBlocks(const CollectiveSpec& spec, const RankFolding& folding, uint32_t first, uint32_t end)
{
    if (spec.kind != CollectiveKind::ALL_REDUCE)
    {
        const uint32_t n = spec.groupSize;
        return SplitBytes(spec.bytes, n, folding.FirstRankOf(end)).offset -
               SplitBytes(spec.bytes, n, folding.FirstRankOf(first)).offset;
    }
    uint64_t bytes = 0;
    for (uint32_t channel = 0; channel < spec.channels; ++channel)
    {
        const uint64_t piece = SplitBytes(spec.bytes, spec.channels, channel).bytes;
        bytes += SplitBytes(piece, folding.GetCores(), end).offset -
                 SplitBytes(piece, folding.GetCores(), first).offset;
    }
    return bytes;
}

} // namespace

std::string
HalvingDoublingCollective::GetName() const
{
    return "halving_doubling";
}

std::string
HalvingDoublingCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_REDUCE && spec.kind != CollectiveKind::ALL_GATHER &&
        spec.kind != CollectiveKind::REDUCE_SCATTER)
    {
        return std::string(
                   "halving_doubling does all_reduce, all_gather and reduce_scatter, not ") +
               ToString(spec.kind);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
HalvingDoublingCollective::CreateProgram(const CollectiveSpec& spec,
                                         uint32_t rank,
                                         uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<HalvingDoublingProgram>(spec, rank, channel);
}

uint64_t
HalvingDoublingCollective::PredictPairBytes(const CollectiveSpec& spec,
                                            uint32_t from,
                                            uint32_t to) const
{
    const RankFolding folding(spec.groupSize);
    if (folding.IsFolded(from))
    {
        const bool gathers = spec.kind == CollectiveKind::ALL_GATHER;
        return to != from + 1 ? 0
               : gathers      ? SplitBytes(spec.bytes, spec.groupSize, from).bytes
                              : spec.bytes;
    }
    if (folding.IsFolded(to))
    {
        const uint64_t chunk = SplitBytes(spec.bytes, spec.groupSize, to).bytes;
        return from != to + 1                                ? 0
               : spec.kind == CollectiveKind::ALL_REDUCE     ? spec.bytes
               : spec.kind == CollectiveKind::REDUCE_SCATTER ? chunk
                                                             : spec.bytes - chunk;
    }
    const uint32_t mine = folding.CoreOf(from);
    const uint32_t theirs = folding.CoreOf(to);
    const uint32_t distance = mine ^ theirs;
    if (distance == 0 || (distance & (distance - 1)) != 0)
    {
        return 0;
    }
    const auto around = [&](uint32_t core) {
        const uint32_t first = core & ~(distance - 1);
        return BytesOfBlocks(spec, folding, first, first + distance);
    };
    return (spec.kind != CollectiveKind::ALL_GATHER ? around(theirs) : 0) +
           (spec.kind != CollectiveKind::REDUCE_SCATTER ? around(mine) : 0);
}

std::vector<uint32_t>
HalvingDoublingCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    return RankFolding(spec.groupSize).GetPartners(from);
}

double
HalvingDoublingCollective::DoPredictTimePs(const CollectiveSpec& spec,
                                           const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    const double wholePs = links.network.GetPs(spec.bytes);
    const RankFolding folding(spec.groupSize);
    const double cores = folding.GetCores();
    const double phasePs = FloorLog2(folding.GetCores()) * alphaPs + (cores - 1) / cores * wholePs;
    const bool folds = folding.GetFolded() > 0;
    if (spec.kind == CollectiveKind::ALL_REDUCE)
    {
        return 2 * phasePs + (folds ? 2 * (alphaPs + wholePs) : 0);
    }
    // One way the whole buffer (ALL_GATHER: without the own chunk), the other way one chunk.
    const double chunkPs = wholePs / spec.groupSize;
    const double kept = spec.kind == CollectiveKind::ALL_GATHER ? chunkPs : 0;
    return phasePs + (folds ? 2 * alphaPs + wholePs - kept + chunkPs : 0);
}

} // namespace llm
} // namespace ns3
