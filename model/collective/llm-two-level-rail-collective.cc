/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-two-level-rail-collective.h"

#include "llm-message-program.h"
#include "llm-node-grid.h"

#include "ns3/assert.h"

namespace ns3
{
namespace llm
{

namespace
{

/**
 * The n chunks of the buffer. Chunk (node, place) is the one that the rail of that place moves to
 * and from that node. In REDUCE_SCATTER and ALL_GATHER it is the rank's own; in ALL_REDUCE, where
 * nobody owns anything, the chunks of a rail lie together, so that a shard is one piece.
 */
class RailChunks
{
  public:
    explicit RailChunks(const CollectiveSpec& spec)
        : m_spec(spec),
          m_grid(spec)
    {
    }

    /** @return where one channel's part of a chunk lies. */
    ByteRange Get(uint32_t node, uint32_t place, uint32_t channel) const
    {
        const uint32_t n = m_spec.groupSize;
        if (m_spec.kind != CollectiveKind::ALL_REDUCE)
        {
            return SplitChunk(m_spec.bytes,
                              n,
                              m_grid.RankAt(node, place),
                              m_spec.channels,
                              channel);
        }
        const ByteRange piece = SplitBytes(m_spec.bytes, m_spec.channels, channel);
        ByteRange chunk = SplitBytes(piece.bytes, n, place * m_grid.GetNodes() + node);
        chunk.offset += piece.offset;
        return chunk;
    }

    /** @return bytes of a chunk, all channels. */
    uint64_t Count(uint32_t node, uint32_t place) const
    {
        if (m_spec.kind != CollectiveKind::ALL_REDUCE)
        {
            return SplitBytes(m_spec.bytes, m_spec.groupSize, m_grid.RankAt(node, place)).bytes;
        }
        uint64_t bytes = 0;
        for (uint32_t channel = 0; channel < m_spec.channels; ++channel)
        {
            bytes += Get(node, place, channel).bytes;
        }
        return bytes;
    }

    /** @return bytes of a rail's chunks, all channels. */
    uint64_t CountRail(uint32_t place) const
    {
        const uint32_t n = m_spec.groupSize;
        const uint32_t nodes = m_grid.GetNodes();
        if (m_spec.kind != CollectiveKind::ALL_REDUCE)
        {
            // The first (bytes mod n) chunks are one byte longer; the rail has every g-th.
            const uint64_t longer = m_spec.bytes % n;
            const uint64_t places = m_grid.GetPlaces();
            const uint64_t odd = longer > place ? (longer - place - 1) / places + 1 : 0;
            return nodes * (m_spec.bytes / n) + odd;
        }
        uint64_t bytes = 0;
        for (uint32_t channel = 0; channel < m_spec.channels; ++channel)
        {
            const uint64_t piece = SplitBytes(m_spec.bytes, m_spec.channels, channel).bytes;
            const uint64_t first = static_cast<uint64_t>(place) * nodes;
            bytes +=
                SplitBytes(piece, n, first + nodes).offset - SplitBytes(piece, n, first).offset;
        }
        return bytes;
    }

  private:
    const CollectiveSpec m_spec; //!< what
    const NodeGrid m_grid;       //!< nodes and rails
};

/** One rank's steps: scatter in the node, around the rail once or twice, gather in the node. */
class TwoLevelRailProgram : public MessageProgram
{
  public:
    TwoLevelRailProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_grid(spec),
          m_chunks(spec),
          m_node(m_grid.NodeOf(rank)),
          m_place(m_grid.PlaceOf(rank)),
          m_channel(channel)
    {
        const bool scatters = spec.kind != CollectiveKind::ALL_GATHER;
        const bool gathers = spec.kind != CollectiveKind::REDUCE_SCATTER;
        const uint32_t inside = m_grid.GetPlaces() - 1;
        const uint32_t around = m_grid.GetNodes() - 1;
        m_scatterSteps = scatters ? inside : 0;
        m_reduceSteps = m_scatterSteps + (scatters ? around : 0);
        m_ringSteps = m_reduceSteps + (gathers ? around : 0);
        m_steps = m_ringSteps + (gathers ? inside : 0);
    }

  protected:
    bool NextStep(Step& step) override
    {
        if (m_step >= m_steps)
        {
            return false;
        }
        const uint32_t number = m_step++;
        if (number < m_scatterSteps)
        {
            Exchange(step, number + 1, true);
        }
        else if (number < m_reduceSteps)
        {
            // The chunk that comes in is the one to send next; the last is the rank's own.
            PassOn(step, m_reduceSteps - number, true);
        }
        else if (number < m_ringSteps)
        {
            PassOn(step, m_ringSteps - number + 1, false);
        }
        else
        {
            Exchange(step, number - m_ringSteps + 1, false);
        }
        return true;
    }

  private:
    /** With the ranks at a distance in the node: shards that are summed up, or complete ones. */
    void Exchange(Step& step, uint32_t distance, bool reduces)
    {
        const uint32_t places = m_grid.GetPlaces();
        const uint32_t to = (m_place + distance) % places;
        const uint32_t from = (m_place + places - distance) % places;
        step.waits = distance == 1 ? Waits::FOR_ALL : Waits::AS_BEFORE;
        AddShard(step.Send(m_grid.RankAt(m_node, to)), reduces ? to : m_place);
        AddShard(step.Receive(m_grid.RankAt(m_node, from), reduces), reduces ? m_place : from);
    }

    /** Around the rail: send the chunk of the node that is so many places on, get the one before.
     */
    void PassOn(Step& step, uint32_t ahead, bool reduces)
    {
        const uint32_t nodes = m_grid.GetNodes();
        step.Send(m_grid.RankAt(m_node + 1, m_place),
                  m_chunks.Get((m_node + ahead) % nodes, m_place, m_channel));
        step.Receive(m_grid.RankAt(m_node + nodes - 1, m_place),
                     reduces,
                     m_chunks.Get((m_node + ahead + nodes - 1) % nodes, m_place, m_channel));
    }

    /** Add the chunks of a rail. */
    void AddShard(Message& message, uint32_t place) const
    {
        for (uint32_t node = 0; node < m_grid.GetNodes(); ++node)
        {
            message.Add(m_chunks.Get(node, place, m_channel));
        }
    }

    const NodeGrid m_grid;      //!< nodes and rails
    const RailChunks m_chunks;  //!< what
    const uint32_t m_node;      //!< where
    const uint32_t m_place;     //!< which rail
    const uint32_t m_channel;   //!< which part
    uint32_t m_scatterSteps{0}; //!< steps that scatter in the node
    uint32_t m_reduceSteps{0};  //!< those, and those that reduce around the rail
    uint32_t m_ringSteps{0};    //!< those, and those that gather around the rail
    uint32_t m_steps{0};        //!< all
    uint32_t m_step{0};         //!< step that comes next
};

} // namespace

std::string
TwoLevelRailCollective::GetName() const
{
    return "two_level_rail";
}

std::string
TwoLevelRailCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_REDUCE && spec.kind != CollectiveKind::ALL_GATHER &&
        spec.kind != CollectiveKind::REDUCE_SCATTER)
    {
        return std::string("two_level_rail does all_reduce, all_gather and reduce_scatter, not ") +
               ToString(spec.kind);
    }
    const std::string wrong = CheckCollectiveSpec(spec);
    return wrong.empty() ? CheckRanksPerNode(GetName(), spec) : wrong;
}

std::unique_ptr<TransferProgram>
TwoLevelRailCollective::CreateProgram(const CollectiveSpec& spec,
                                      uint32_t rank,
                                      uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<TwoLevelRailProgram>(spec, rank, channel);
}

uint64_t
TwoLevelRailCollective::PredictPairBytes(const CollectiveSpec& spec,
                                         uint32_t from,
                                         uint32_t to) const
{
    const NodeGrid grid(spec);
    const RailChunks chunks(spec);
    const bool scatters = spec.kind != CollectiveKind::ALL_GATHER;
    const bool gathers = spec.kind != CollectiveKind::REDUCE_SCATTER;
    const uint32_t node = grid.NodeOf(from);
    const uint32_t place = grid.PlaceOf(from);
    if (from == to)
    {
        return 0;
    }
    if (node == grid.NodeOf(to))
    {
        return (scatters ? chunks.CountRail(grid.PlaceOf(to)) : 0) +
               (gathers ? chunks.CountRail(place) : 0);
    }
    if (to != grid.RankAt(node + 1, place))
    {
        return 0;
    }
    // Around the ring: all chunks but the own one, then all but the receiver's.
    const uint64_t shard = chunks.CountRail(place);
    return (scatters ? shard - chunks.Count(node, place) : 0) +
           (gathers ? shard - chunks.Count(grid.NodeOf(to), place) : 0);
}

std::vector<uint32_t>
TwoLevelRailCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    const NodeGrid grid(spec);
    std::vector<uint32_t> candidates;
    for (uint32_t place = 0; place < grid.GetPlaces(); ++place)
    {
        candidates.push_back(grid.RankAt(grid.NodeOf(from), place));
    }
    candidates.push_back(grid.RankAt(grid.NodeOf(from) + 1, grid.PlaceOf(from)));
    return candidates;
}

double
TwoLevelRailCollective::DoPredictTimePs(const CollectiveSpec& spec,
                                        const CollectiveLinks& links) const
{
    const NodeGrid grid(spec);
    const double places = grid.GetPlaces();
    const double nodes = grid.GetNodes();
    const double insidePs =
        grid.GetPlaces() == 1
            ? 0.0
            : links.scaleUp.alphaPs + (places - 1) / places * links.scaleUp.GetPs(spec.bytes);
    const double chunkPs = links.network.GetPs(spec.bytes) / spec.groupSize;
    const double aroundPs = (nodes - 1) * (links.network.alphaPs + chunkPs);
    return (spec.kind == CollectiveKind::ALL_REDUCE ? 2 : 1) * (insidePs + aroundPs);
}

} // namespace llm
} // namespace ns3
