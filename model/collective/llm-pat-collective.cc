/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pat-collective.h"

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

/** One rank's steps. A chunk's place in its tree is how many ranks it is away from its owner. */
class PatProgram : public MessageProgram
{
  public:
    PatProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_spec(spec),
          m_rank(rank),
          m_channel(channel),
          m_steps(CeilLog2(spec.groupSize))
    {
    }

  protected:
    bool NextStep(Step& step) override
    {
        if (m_step >= m_steps)
        {
            return false;
        }
        const uint32_t n = m_spec.groupSize;
        const bool gathers = m_spec.kind == CollectiveKind::ALL_GATHER;
        const uint32_t level = gathers ? m_steps - 1 - m_step : m_step;
        const uint32_t distance = UINT32_C(1) << level;
        const uint32_t ahead = (m_rank + distance) % n;
        const uint32_t behind = (m_rank + n - distance) % n;
        ++m_step;
        if (gathers)
        {
            AddTrees(step.Send(ahead), 0, distance);
            AddTrees(step.Receive(behind, false), distance, distance);
        }
        else
        {
            AddTrees(step.Send(behind), distance, distance);
            AddTrees(step.Receive(ahead, true), 0, distance);
        }
        return true;
    }

  private:
    /** Add the chunks of which this rank has the places first, first + 2 distance, ... and that go
     *  between it and the place by distance farther (first = 0) or nearer. */
    void AddTrees(Message& message, uint32_t first, uint32_t distance) const
    {
        const uint32_t n = m_spec.groupSize;
        for (uint64_t near = 0; near + distance < n; near += 2 * static_cast<uint64_t>(distance))
        {
            const auto place = static_cast<uint32_t>(near + first);
            message.Add(
                SplitChunk(m_spec.bytes, n, (m_rank + n - place) % n, m_spec.channels, m_channel));
        }
    }

    const CollectiveSpec m_spec; //!< what
    const uint32_t m_rank;       //!< who
    const uint32_t m_channel;    //!< which part
    const uint32_t m_steps;      //!< how many
    uint32_t m_step{0};          //!< step that comes next
};

/** @return how many of first, first - stride, ... (count of them, none negative) are < limit. */
uint64_t
CountBelow(uint64_t first, uint64_t stride, uint64_t count, uint64_t limit)
{
    const uint64_t above = first < limit ? 0 : (first - limit) / stride + 1;
    return count - std::min(count, above);
}

} // namespace

std::string
PatCollective::GetName() const
{
    return "pat";
}

std::string
PatCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_GATHER && spec.kind != CollectiveKind::REDUCE_SCATTER)
    {
        return std::string("pat does all_gather and reduce_scatter, not ") + ToString(spec.kind);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
PatCollective::CreateProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<PatProgram>(spec, rank, channel);
}

uint64_t
PatCollective::PredictPairBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to) const
{
    // The hop is the same in both directions of time: from the place nearer to the owner.
    const uint64_t n = spec.groupSize;
    const bool gathers = spec.kind == CollectiveKind::ALL_GATHER;
    const uint64_t near = gathers ? from : to;
    const uint64_t distance = ((gathers ? to : from) + n - near) % n;
    if (distance == 0 || (distance & (distance - 1)) != 0)
    {
        return 0;
    }
    // Owners near, near - 2 distance, ... modulo n; the first (bytes mod n) chunks are longer.
    const uint64_t stride = 2 * distance;
    const uint64_t trees = (n - distance - 1) / stride + 1;
    const uint64_t unwrapped = std::min(trees, near / stride + 1);
    const uint64_t longer = spec.bytes % n;
    return trees * (spec.bytes / n) + CountBelow(near, stride, unwrapped, longer) +
           CountBelow(near + n - unwrapped * stride, stride, trees - unwrapped, longer);
}

std::vector<uint32_t>
PatCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    const uint64_t n = spec.groupSize;
    const bool gathers = spec.kind == CollectiveKind::ALL_GATHER;
    std::vector<uint32_t> peers;
    for (uint64_t distance = 1; distance < n; distance *= 2)
    {
        const uint64_t away = gathers ? distance : n - distance;
        peers.push_back(static_cast<uint32_t>((from + away) % n));
    }
    return peers;
}

double
PatCollective::DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    const double wholePs = links.network.GetPs(spec.bytes);
    const double n = spec.groupSize;
    return CeilLog2(spec.groupSize) * alphaPs + (n - 1) / n * wholePs;
}

} // namespace llm
} // namespace ns3
