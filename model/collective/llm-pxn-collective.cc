/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pxn-collective.h"

#include "llm-all-to-all-parts.h"
#include "llm-message-program.h"
#include "llm-node-grid.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** One rank's steps: for each other node collect, then send; in the end, the own node. */
class PxnProgram : public MessageProgram
{
  public:
    PxnProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : MessageProgram(spec.sliceBytes),
          m_spec(spec),
          m_grid(spec),
          m_parts(spec, rank, channel),
          m_node(m_grid.NodeOf(rank)),
          m_place(m_grid.PlaceOf(rank)),
          m_channel(channel),
          m_waiting(m_grid.GetPlaces())
    {
    }

  protected:
    bool NextStep(Step& step) override
    {
        const uint32_t nodes = m_grid.GetNodes();
        if (m_distance > nodes)
        {
            return false;
        }
        if (m_distance == nodes)
        {
            StayInside(step);
            ++m_distance;
        }
        else if (!m_collected)
        {
            Collect(step, m_node + m_distance);
            m_collected = true;
        }
        else
        {
            Cross(step);
            m_collected = false;
            ++m_distance;
        }
        return true;
    }

  private:
    /** Give the others their part for a node, get theirs. */
    void Collect(Step& step, uint32_t node)
    {
        step.waits = Waits::FOR_NOTHING;
        const uint32_t places = m_grid.GetPlaces();
        const uint32_t receiver = m_grid.RankAt(node, m_place);
        for (uint32_t distance = 1; distance < places; ++distance)
        {
            const uint32_t to = (m_place + distance) % places;
            const uint32_t from = (m_place + places - distance) % places;
            step.Send(m_grid.RankAt(m_node, to), m_parts.GetSend(m_grid.RankAt(node, to)));
            const uint32_t sender = m_grid.RankAt(m_node, from);
            const ByteRange share = GetShare(m_spec, sender, receiver, m_channel);
            m_waiting[from] = {SCRATCH_OFFSET + m_scratch + share.offset, share.bytes};
            m_scratch += GetPartBytes(m_spec, sender, receiver);
            step.Receive(sender, false, m_waiting[from]);
        }
        m_waiting[m_place] = m_parts.GetSend(receiver);
    }

    /** Send on what was collected, and get what was collected for this rank. */
    void Cross(Step& step)
    {
        const uint32_t nodes = m_grid.GetNodes();
        step.waits = Waits::FOR_LAST_STEP;
        Message& send = step.Send(m_grid.RankAt(m_node + m_distance, m_place));
        for (const ByteRange& part : m_waiting)
        {
            send.Add(part);
        }
        const uint32_t from = m_node + nodes - m_distance;
        Message& receive = step.Receive(m_grid.RankAt(from, m_place), false);
        for (uint32_t place = 0; place < m_grid.GetPlaces(); ++place)
        {
            receive.Add(m_parts.GetReceive(m_grid.RankAt(from, place)));
        }
    }

    /** Exchange what is for the own node. */
    void StayInside(Step& step)
    {
        step.waits = Waits::FOR_NOTHING;
        const uint32_t places = m_grid.GetPlaces();
        for (uint32_t distance = 1; distance < places; ++distance)
        {
            const uint32_t to = m_grid.RankAt(m_node, m_place + distance);
            const uint32_t from = m_grid.RankAt(m_node, m_place + places - distance);
            step.Send(to, m_parts.GetSend(to));
            step.Receive(from, false, m_parts.GetReceive(from));
        }
    }

    const CollectiveSpec m_spec;      //!< what
    const NodeGrid m_grid;            //!< nodes and rails
    const AllToAllParts m_parts;      //!< the rank's own
    const uint32_t m_node;            //!< where
    const uint32_t m_place;           //!< which rail
    const uint32_t m_channel;         //!< which share of each part
    std::vector<ByteRange> m_waiting; //!< by place: what it has for the present receiver
    uint64_t m_scratch{0};            //!< scratch buffer in use
    uint32_t m_distance{1};           //!< to the present node
    bool m_collected{false};          //!< what is for it
};

/** @return bytes between two ranks of a node, what is forwarded included. */
uint64_t
CountInside(const CollectiveSpec& spec, const NodeGrid& grid, uint32_t from, uint32_t to)
{
    uint64_t bytes = 0;
    for (uint32_t node = 0; node < grid.GetNodes(); ++node)
    {
        bytes += GetPartBytes(spec, from, grid.RankAt(node, grid.PlaceOf(to)));
    }
    return bytes;
}

/** @return bytes that a node has for a rank. */
uint64_t
CountAcross(const CollectiveSpec& spec, const NodeGrid& grid, uint32_t node, uint32_t to)
{
    uint64_t bytes = 0;
    for (uint32_t place = 0; place < grid.GetPlaces(); ++place)
    {
        bytes += GetPartBytes(spec, grid.RankAt(node, place), to);
    }
    return bytes;
}

/** @return the most bytes that a port takes in or lets out, see each. */
uint64_t
FindBusiest(const CollectiveSpec& spec, const NodeGrid& grid, bool network)
{
    uint64_t most = 0;
    for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
    {
        const uint32_t node = grid.NodeOf(rank);
        uint64_t sent = 0;
        uint64_t received = 0;
        const uint32_t others = network ? grid.GetNodes() : grid.GetPlaces();
        for (uint32_t distance = 1; distance < others; ++distance)
        {
            const uint32_t peer = network ? grid.RankAt(node + distance, grid.PlaceOf(rank))
                                          : grid.RankAt(node, grid.PlaceOf(rank) + distance);
            sent +=
                network ? CountAcross(spec, grid, node, peer) : CountInside(spec, grid, rank, peer);
            received += network ? CountAcross(spec, grid, grid.NodeOf(peer), rank)
                                : CountInside(spec, grid, peer, rank);
        }
        most = std::max({most, sent, received});
    }
    return most;
}

} // namespace

std::string
PxnCollective::GetName() const
{
    return "pxn";
}

std::string
PxnCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_TO_ALL)
    {
        return std::string("pxn does all_to_all only, not ") + ToString(spec.kind);
    }
    const std::string wrong = CheckCollectiveSpec(spec);
    return wrong.empty() ? CheckRanksPerNode(GetName(), spec) : wrong;
}

std::unique_ptr<TransferProgram>
PxnCollective::CreateProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<PxnProgram>(spec, rank, channel);
}

uint64_t
PxnCollective::PredictPairBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to) const
{
    const NodeGrid grid(spec);
    if (from == to)
    {
        return 0;
    }
    if (grid.NodeOf(from) == grid.NodeOf(to))
    {
        return CountInside(spec, grid, from, to);
    }
    return grid.PlaceOf(from) == grid.PlaceOf(to) ? CountAcross(spec, grid, grid.NodeOf(from), to)
                                                  : 0;
}

std::vector<uint32_t>
PxnCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    const NodeGrid grid(spec);
    std::vector<uint32_t> candidates;
    for (uint32_t place = 0; place < grid.GetPlaces(); ++place)
    {
        candidates.push_back(grid.RankAt(grid.NodeOf(from), place));
    }
    for (uint32_t node = 0; node < grid.GetNodes(); ++node)
    {
        candidates.push_back(grid.RankAt(node, grid.PlaceOf(from)));
    }
    return candidates;
}

double
PxnCollective::DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const
{
    const NodeGrid grid(spec);
    const double nodes = grid.GetNodes();
    const double places = grid.GetPlaces();
    const bool forwards = grid.GetPlaces() > 1;
    double insidePs = 0; // for one node
    double acrossPs = 0; // to one node
    if (spec.exchange)
    {
        insidePs = links.scaleUp.GetPs(FindBusiest(spec, grid, false)) / nodes;
        acrossPs = links.network.GetPs(FindBusiest(spec, grid, true)) / std::max(1.0, nodes - 1);
    }
    else
    {
        insidePs = (places - 1) / spec.groupSize * links.scaleUp.GetPs(spec.bytes);
        acrossPs = places / spec.groupSize * links.network.GetPs(spec.bytes);
    }
    const double forwardPs = forwards ? links.scaleUp.alphaPs : 0.0;
    const double stayPs = forwardPs + nodes * insidePs;
    if (grid.GetNodes() == 1)
    {
        return stayPs;
    }
    // Whichever port is slower works without a break.
    const double crossPs =
        std::max(insidePs + (nodes - 1) * acrossPs, (nodes - 1) * insidePs + acrossPs);
    return std::max(stayPs, forwardPs + links.network.alphaPs + crossPs);
}

} // namespace llm
} // namespace ns3
