/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pairwise-collective.h"

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

/** @return to whom a rank of n sends in a step, 1 .. n-1. */
uint32_t
ReceiverOf(uint32_t rank, uint32_t step, uint32_t n)
{
    return (n & (n - 1)) == 0 ? rank ^ step : (rank + step) % n;
}

/** @return from whom it receives. */
uint32_t
SenderTo(uint32_t rank, uint32_t step, uint32_t n)
{
    return (n & (n - 1)) == 0 ? rank ^ step : (rank + n - step) % n;
}

/** One rank's steps. */
class PairwiseProgram : public MessageProgram
{
  public:
    PairwiseProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
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
        const uint32_t to = ReceiverOf(m_rank, m_distance, m_ranks);
        const uint32_t from = SenderTo(m_rank, m_distance, m_ranks);
        ++m_distance;
        step.Send(to, m_parts.GetSend(to));
        step.Receive(from, false, m_parts.GetReceive(from));
        return true;
    }

  private:
    const uint32_t m_ranks;      //!< in the group
    const uint32_t m_rank;       //!< who
    const AllToAllParts m_parts; //!< what
    uint32_t m_distance{1};      //!< of the step that comes next
};

} // namespace

std::string
PairwiseCollective::GetName() const
{
    return "pairwise";
}

std::string
PairwiseCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_TO_ALL)
    {
        return std::string("pairwise does all_to_all only, not ") + ToString(spec.kind);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
PairwiseCollective::CreateProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<PairwiseProgram>(spec, rank, channel);
}

uint64_t
PairwiseCollective::PredictPairBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to) const
{
    return from == to ? 0 : GetPartBytes(spec, from, to);
}

double
PairwiseCollective::DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    if (spec.exchange)
    {
        // In step: each takes as long as its largest part.
        double timePs = 0;
        for (uint32_t step = 1; step < spec.groupSize; ++step)
        {
            uint64_t most = 0;
            for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
            {
                most = std::max(most,
                                spec.exchange->Get(rank, ReceiverOf(rank, step, spec.groupSize)));
            }
            timePs += most > 0 ? alphaPs + links.network.GetPs(most) : 0;
        }
        return timePs;
    }
    const double wholePs = links.network.GetPs(spec.bytes);
    return (spec.groupSize - 1.0) * (alphaPs + wholePs / spec.groupSize);
}

} // namespace llm
} // namespace ns3
