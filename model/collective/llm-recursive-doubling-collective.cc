/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-recursive-doubling-collective.h"

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

/** One rank's exchanges of the whole buffer. */
class RecursiveDoublingProgram : public MessageProgram
{
  public:
    RecursiveDoublingProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_rank(rank),
          m_piece(SplitBytes(spec.bytes, spec.channels, channel)),
          m_folding(spec.groupSize),
          m_exchanges(m_folding.IsFolded(rank) ? 0 : FloorLog2(m_folding.GetCores()))
    {
    }

  protected:
    bool NextStep(Step& step) override
    {
        const bool folded = m_folding.IsFolded(m_rank);
        const bool pairs = m_folding.StandsForTwo(m_rank);
        if (m_step > m_exchanges + 1)
        {
            return false;
        }
        const uint32_t number = m_step++;
        if (number == 0 && folded)
        {
            step.Send(m_rank + 1, m_piece);
        }
        else if (number == 0 && pairs)
        {
            step.Receive(m_rank - 1, true, m_piece);
        }
        else if (number > m_exchanges && folded)
        {
            step.Receive(m_rank + 1, false, m_piece);
        }
        else if (number > m_exchanges && pairs)
        {
            step.Send(m_rank - 1, m_piece);
        }
        else if (number > 0 && number <= m_exchanges)
        {
            const uint32_t distance = UINT32_C(1) << (number - 1);
            const uint32_t peer = m_folding.RankOf(m_folding.CoreOf(m_rank) ^ distance);
            step.Send(peer, m_piece);
            step.Receive(peer, true, m_piece);
        }
        return true;
    }

  private:
    const uint32_t m_rank;       //!< who
    const ByteRange m_piece;     //!< this channel's part of the buffer
    const RankFolding m_folding; //!< powers of two
    const uint32_t m_exchanges;  //!< steps between cores
    uint32_t m_step{0};          //!< step that comes next
};

} // namespace

std::string
RecursiveDoublingCollective::GetName() const
{
    return "recursive_doubling";
}

std::string
RecursiveDoublingCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_REDUCE && spec.kind != CollectiveKind::ALL_GATHER)
    {
        return std::string("recursive_doubling does all_reduce and all_gather, not ") +
               ToString(spec.kind);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
RecursiveDoublingCollective::CreateProgram(const CollectiveSpec& spec,
                                           uint32_t rank,
                                           uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    if (spec.kind == CollectiveKind::ALL_GATHER)
    {
        return HalvingDoublingCollective().CreateProgram(spec, rank, channel);
    }
    return std::make_unique<RecursiveDoublingProgram>(spec, rank, channel);
}

uint64_t
RecursiveDoublingCollective::PredictPairBytes(const CollectiveSpec& spec,
                                              uint32_t from,
                                              uint32_t to) const
{
    if (spec.kind == CollectiveKind::ALL_GATHER)
    {
        return HalvingDoublingCollective().PredictPairBytes(spec, from, to);
    }
    const RankFolding folding(spec.groupSize);
    if (folding.IsFolded(from) || folding.IsFolded(to))
    {
        return folding.CoreOf(from) == folding.CoreOf(to) && from != to ? spec.bytes : 0;
    }
    const uint32_t distance = folding.CoreOf(from) ^ folding.CoreOf(to);
    return distance != 0 && (distance & (distance - 1)) == 0 ? spec.bytes : 0;
}

std::vector<uint32_t>
RecursiveDoublingCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    return RankFolding(spec.groupSize).GetPartners(from);
}

double
RecursiveDoublingCollective::DoPredictTimePs(const CollectiveSpec& spec,
                                             const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    const double wholePs = links.network.GetPs(spec.bytes);
    if (spec.kind == CollectiveKind::ALL_GATHER)
    {
        return HalvingDoublingCollective().PredictTimePs(spec, links);
    }
    const RankFolding folding(spec.groupSize);
    const uint32_t steps = FloorLog2(folding.GetCores()) + (folding.GetFolded() > 0 ? 2 : 0);
    return steps * (alphaPs + wholePs);
}

} // namespace llm
} // namespace ns3
