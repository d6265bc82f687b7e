/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-naive-collective.h"

#include "llm-message-program.h"

#include "ns3/assert.h"

namespace ns3
{
namespace llm
{

namespace
{

/** One rank's part: message after message, in the order root+1, root+2, ... */
class NaiveProgram : public MessageProgram
{
  public:
    NaiveProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_spec(spec),
          m_isRoot(rank == spec.root),
          m_piece(SplitBytes(spec.bytes, spec.channels, channel)),
          m_peers(m_isRoot ? spec.groupSize - 1 : 1)
    {
        const bool reduces = spec.kind != CollectiveKind::BROADCAST;
        const bool spreads = spec.kind != CollectiveKind::REDUCE;
        m_next = reduces ? 0 : m_peers;
        m_end = spec.groupSize == 1 ? m_next : m_peers * (spreads ? 2 : 1);
    }

  protected:
    bool NextStep(Step& step) override
    {
        if (m_next >= m_end)
        {
            return false;
        }
        const uint32_t number = m_next++;
        const bool inwards = number < m_peers;
        const uint32_t peer =
            m_isRoot ? (m_spec.root + 1 + number % m_peers) % m_spec.groupSize : m_spec.root;
        step.waits = number == m_peers ? Waits::FOR_ALL : Waits::AS_BEFORE;
        if (inwards == m_isRoot)
        {
            step.Receive(peer, inwards, m_piece);
        }
        else
        {
            step.Send(peer, m_piece);
        }
        return true;
    }

  private:
    const CollectiveSpec m_spec; //!< what
    const bool m_isRoot;         //!< whether this is the root
    const ByteRange m_piece;     //!< this channel's part of the buffer
    const uint32_t m_peers;      //!< messages per phase
    uint32_t m_next{0};          //!< message that comes next
    uint32_t m_end{0};           //!< number of messages
};

} // namespace

std::string
NaiveCollective::GetName() const
{
    return "naive";
}

std::string
NaiveCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_REDUCE && spec.kind != CollectiveKind::BROADCAST &&
        spec.kind != CollectiveKind::REDUCE)
    {
        return std::string("naive does all_reduce, broadcast and reduce, not ") +
               ToString(spec.kind);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
NaiveCollective::CreateProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<NaiveProgram>(spec, rank, channel);
}

uint64_t
NaiveCollective::PredictPairBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to) const
{
    const bool inwards = from != spec.root && to == spec.root;
    const bool outwards = from == spec.root && to != spec.root;
    switch (spec.kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return inwards || outwards ? spec.bytes : 0;
    case CollectiveKind::REDUCE:
        return inwards ? spec.bytes : 0;
    case CollectiveKind::BROADCAST:
        return outwards ? spec.bytes : 0;
    default:
        return 0;
    }
}

std::vector<uint32_t>
NaiveCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    if (from != spec.root)
    {
        return {spec.root};
    }
    return CollectiveAlgorithm::ListCandidates(spec, from);
}

double
NaiveCollective::DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    const double wholePs = links.network.GetPs(spec.bytes);
    const uint32_t phases = spec.kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
    return phases * (alphaPs + (spec.groupSize - 1.0) * wholePs);
}

} // namespace llm
} // namespace ns3
