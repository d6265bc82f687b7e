/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-two-level-node-collective.h"

#include "llm-message-program.h"
#include "llm-node-grid.h"

#include "ns3/assert.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @return whether ranks give all that they have to their leader, and not only a chunk. */
bool
Reduces(const CollectiveSpec& spec)
{
    return spec.kind != CollectiveKind::ALL_GATHER;
}

/** @return whether ranks get all from their leader, and not only a chunk. */
bool
Gathers(const CollectiveSpec& spec)
{
    return spec.kind != CollectiveKind::REDUCE_SCATTER;
}

/** @return bytes of a node's block, which goes around the leaders' ring, all channels. */
uint64_t
CountBlock(const CollectiveSpec& spec, const NodeGrid& grid, uint32_t node)
{
    if (spec.kind != CollectiveKind::ALL_REDUCE)
    {
        const uint64_t first = static_cast<uint64_t>(node) * grid.GetPlaces();
        return SplitBytes(spec.bytes, spec.groupSize, first + grid.GetPlaces()).offset -
               SplitBytes(spec.bytes, spec.groupSize, first).offset;
    }
    uint64_t bytes = 0;
    for (uint32_t channel = 0; channel < spec.channels; ++channel)
    {
        const uint64_t piece = SplitBytes(spec.bytes, spec.channels, channel).bytes;
        bytes += SplitBytes(piece, grid.GetNodes(), node).bytes;
    }
    return bytes;
}

/** One rank's steps: to the leader, around the ring of leaders once or twice, from the leader. */
class TwoLevelNodeProgram : public MessageProgram
{
  public:
    TwoLevelNodeProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_spec(spec),
          m_grid(spec),
          m_node(m_grid.NodeOf(rank)),
          m_place(m_grid.PlaceOf(rank)),
          m_channel(channel)
    {
        const uint32_t around = m_place == 0 ? m_grid.GetNodes() - 1 : 0;
        m_reduceSteps = 1 + (Reduces(spec) ? around : 0);
        m_ringSteps = m_reduceSteps + (Gathers(spec) ? around : 0);
    }

  protected:
    bool NextStep(Step& step) override
    {
        if (m_step > m_ringSteps)
        {
            return false;
        }
        const uint32_t number = m_step++;
        if (number == 0)
        {
            MeetLeader(step, true);
        }
        else if (number < m_reduceSteps)
        {
            PassOn(step, m_reduceSteps - number, true);
        }
        else if (number < m_ringSteps)
        {
            PassOn(step, m_ringSteps - number + 1, false);
        }
        else
        {
            MeetLeader(step, false);
        }
        return true;
    }

  private:
    /** To the leader of the node or from it. */
    void MeetLeader(Step& step, bool inwards)
    {
        const uint32_t first = m_place == 0 ? 1 : m_place;
        const uint32_t end = m_place == 0 ? m_grid.GetPlaces() : m_place + 1;
        for (uint32_t place = first; place < end; ++place)
        {
            const bool sends = inwards == (m_place > 0);
            const uint32_t peer = m_grid.RankAt(m_node, m_place == 0 ? place : 0);
            Message& message =
                sends ? step.Send(peer) : step.Receive(peer, inwards && Reduces(m_spec));
            const uint32_t member = m_grid.RankAt(m_node, place);
            if (inwards ? Reduces(m_spec) : m_spec.kind == CollectiveKind::ALL_REDUCE)
            {
                AddAll(message);
            }
            else if (inwards || !Gathers(m_spec))
            {
                AddChunks(message, member, member + 1);
            }
            else
            {
                AddChunks(message, 0, member);
                AddChunks(message, member + 1, m_spec.groupSize);
            }
        }
    }

    /** Around: send the block of the node that is so many places on, get the one before. */
    void PassOn(Step& step, uint32_t ahead, bool reduces)
    {
        const uint32_t nodes = m_grid.GetNodes();
        AddBlock(step.Send(m_grid.RankAt(m_node + 1, 0)), (m_node + ahead) % nodes);
        AddBlock(step.Receive(m_grid.RankAt(m_node + nodes - 1, 0), reduces),
                 (m_node + ahead + nodes - 1) % nodes);
    }

    /** Add a node's block. */
    void AddBlock(Message& message, uint32_t node) const
    {
        if (m_spec.kind != CollectiveKind::ALL_REDUCE)
        {
            const uint32_t first = m_grid.RankAt(node, 0);
            AddChunks(message, first, first + m_grid.GetPlaces());
            return;
        }
        const ByteRange piece = SplitBytes(m_spec.bytes, m_spec.channels, m_channel);
        const ByteRange block = SplitBytes(piece.bytes, m_grid.GetNodes(), node);
        message.Add({piece.offset + block.offset, block.bytes});
    }

    /** Add this channel's part of the whole buffer. */
    void AddAll(Message& message) const
    {
        if (m_spec.kind == CollectiveKind::ALL_REDUCE)
        {
            message.Add(SplitBytes(m_spec.bytes, m_spec.channels, m_channel));
            return;
        }
        AddChunks(message, 0, m_spec.groupSize);
    }

    /** Add this channel's part of the chunks of the ranks [first, end). */
    void AddChunks(Message& message, uint32_t first, uint32_t end) const
    {
        for (uint32_t rank = first; rank < end; ++rank)
        {
            message.Add(
                SplitChunk(m_spec.bytes, m_spec.groupSize, rank, m_spec.channels, m_channel));
        }
    }

    const CollectiveSpec m_spec; //!< what
    const NodeGrid m_grid;       //!< nodes
    const uint32_t m_node;       //!< where
    const uint32_t m_place;      //!< 0: leader
    const uint32_t m_channel;    //!< which part
    uint32_t m_reduceSteps{0};   //!< the first step, and those that reduce around the ring
    uint32_t m_ringSteps{0};     //!< those, and those that gather around the ring
    uint32_t m_step{0};          //!< step that comes next
};

} // namespace

std::string
TwoLevelNodeCollective::GetName() const
{
    return "two_level_node";
}

std::string
TwoLevelNodeCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_REDUCE && spec.kind != CollectiveKind::ALL_GATHER &&
        spec.kind != CollectiveKind::REDUCE_SCATTER)
    {
        return std::string("two_level_node does all_reduce, all_gather and reduce_scatter, not ") +
               ToString(spec.kind);
    }
    const std::string wrong = CheckCollectiveSpec(spec);
    return wrong.empty() ? CheckRanksPerNode(GetName(), spec) : wrong;
}

std::unique_ptr<TransferProgram>
TwoLevelNodeCollective::CreateProgram(const CollectiveSpec& spec,
                                      uint32_t rank,
                                      uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<TwoLevelNodeProgram>(spec, rank, channel);
}

uint64_t
TwoLevelNodeCollective::PredictPairBytes(const CollectiveSpec& spec,
                                         uint32_t from,
                                         uint32_t to) const
{
    const NodeGrid grid(spec);
    const uint32_t node = grid.NodeOf(from);
    const bool fromLeader = grid.PlaceOf(from) == 0;
    const bool toLeader = grid.PlaceOf(to) == 0;
    const auto chunk = [&spec](uint32_t rank) {
        return SplitBytes(spec.bytes, spec.groupSize, rank).bytes;
    };
    if (node == grid.NodeOf(to))
    {
        if (fromLeader == toLeader)
        {
            return 0;
        }
        if (toLeader)
        {
            return Reduces(spec) ? spec.bytes : chunk(from);
        }
        return !Gathers(spec)                            ? chunk(to)
               : spec.kind == CollectiveKind::ALL_GATHER ? spec.bytes - chunk(to)
                                                         : spec.bytes;
    }
    if (!fromLeader || to != grid.RankAt(node + 1, 0))
    {
        return 0;
    }
    // Around the ring: all blocks but the own one, then all but the receiver's.
    return (Reduces(spec) ? spec.bytes - CountBlock(spec, grid, node) : 0) +
           (Gathers(spec) ? spec.bytes - CountBlock(spec, grid, grid.NodeOf(to)) : 0);
}

std::vector<uint32_t>
TwoLevelNodeCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    const NodeGrid grid(spec);
    const uint32_t node = grid.NodeOf(from);
    if (grid.PlaceOf(from) > 0)
    {
        return {grid.RankAt(node, 0)};
    }
    std::vector<uint32_t> candidates{grid.RankAt(node + 1, 0)};
    for (uint32_t place = 1; place < grid.GetPlaces(); ++place)
    {
        candidates.push_back(grid.RankAt(node, place));
    }
    return candidates;
}

double
TwoLevelNodeCollective::DoPredictTimePs(const CollectiveSpec& spec,
                                        const CollectiveLinks& links) const
{
    const NodeGrid grid(spec);
    const double others = grid.GetPlaces() - 1.0;
    const double n = spec.groupSize;
    const auto insidePs = [&](double share) {
        return others > 0 ? links.scaleUp.alphaPs + others * share * links.scaleUp.GetPs(spec.bytes)
                          : 0.0;
    };
    const double blockPs = links.network.GetPs(spec.bytes) / grid.GetNodes();
    const double aroundPs = (grid.GetNodes() - 1.0) * (links.network.alphaPs + blockPs);
    switch (spec.kind)
    {
    case CollectiveKind::REDUCE_SCATTER:
        return insidePs(1) + aroundPs + insidePs(1 / n);
    case CollectiveKind::ALL_GATHER:
        return insidePs(1 / n) + aroundPs + insidePs((n - 1) / n);
    default:
        return 2 * (insidePs(1) + aroundPs);
    }
}

} // namespace llm
} // namespace ns3
