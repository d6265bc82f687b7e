/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pairwise-collective.h"

#include "llm-message-program.h"

#include "ns3/assert.h"

namespace ns3
{
namespace llm
{

namespace
{

/** One rank's steps. */
class PairwiseProgram : public MessageProgram
{
  public:
    PairwiseProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_spec(spec),
          m_rank(rank),
          m_channel(channel)
    {
    }

  protected:
    bool NextStep(Step& step) override
    {
        const uint32_t n = m_spec.groupSize;
        if (m_distance >= n)
        {
            return false;
        }
        const bool exchanges = (n & (n - 1)) == 0;
        const uint32_t to = exchanges ? m_rank ^ m_distance : (m_rank + m_distance) % n;
        const uint32_t from = exchanges ? to : (m_rank + n - m_distance) % n;
        ++m_distance;

        step.Send(to, SplitChunk(m_spec.bytes, n, to, m_spec.channels, m_channel));
        const ByteRange part = SplitBytes(m_spec.bytes, n, m_rank);
        ByteRange mine = SplitChunk(m_spec.bytes, n, m_rank, m_spec.channels, m_channel);
        mine.offset += from * part.bytes - part.offset;
        step.Receive(from, false, mine);
        return true;
    }

  private:
    const CollectiveSpec m_spec; //!< what
    const uint32_t m_rank;       //!< who
    const uint32_t m_channel;    //!< which part
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
    return from == to ? 0 : SplitBytes(spec.bytes, spec.groupSize, to).bytes;
}

std::vector<uint32_t>
PairwiseCollective::PredictPeers(const CollectiveSpec& spec, uint32_t from) const
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
PairwiseCollective::PredictTimePs(const CollectiveSpec& spec,
                                  double alphaPs,
                                  double bitsPerSecond) const
{
    if (spec.groupSize == 1 || spec.bytes == 0)
    {
        return 0.0;
    }
    const double wholePs = 8e12 * static_cast<double>(spec.bytes) / bitsPerSecond;
    return (spec.groupSize - 1.0) * (alphaPs + wholePs / spec.groupSize);
}

} // namespace llm
} // namespace ns3
