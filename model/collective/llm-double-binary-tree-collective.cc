/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-double-binary-tree-collective.h"

#include "llm-rank-folding.h"

#include "ns3/assert.h"

#include <algorithm>
#include <array>
#include <deque>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint32_t TREES = 2; //!< each with half of the data

/** @return a rank's place in a tree: the trees are one, but for who stands where. */
uint32_t
PlaceOf(uint32_t tree, uint32_t rank, uint32_t n)
{
    if (tree == 0)
    {
        return rank;
    }
    return n % 2 == 0 ? n - 1 - rank : (rank + n - 1) % n;
}

/** @return the rank at a place. */
uint32_t
RankAt(uint32_t tree, uint32_t place, uint32_t n)
{
    if (tree == 0)
    {
        return place;
    }
    return n % 2 == 0 ? n - 1 - place : (place + 1) % n;
}

/** @return the parent of a place > 0: the lowest set bit goes one up, if there is such a place. */
uint32_t
ParentOf(uint32_t place, uint32_t n)
{
    const uint32_t lowest = place & (~place + 1);
    const uint32_t without = place ^ lowest;
    const uint64_t up = without | (static_cast<uint64_t>(lowest) << 1);
    return up < n ? static_cast<uint32_t>(up) : without;
}

/** @return the children of a place, nearest to 0 first. */
std::vector<uint32_t>
ChildrenOf(uint32_t place, uint32_t n)
{
    std::vector<uint32_t> children;
    if (place == 0)
    {
        if (n > 1)
        {
            children.push_back(UINT32_C(1) << FloorLog2(n - 1));
        }
        return children;
    }
    uint32_t distance = (place & (~place + 1)) / 2;
    if (distance > 0)
    {
        children.push_back(place - distance);
    }
    while (distance > 0 && distance >= n - place)
    {
        distance /= 2;
    }
    if (distance > 0)
    {
        children.push_back(place + distance);
    }
    return children;
}

/** One rank's place in one tree. */
struct TreePart
{
    bool hasParent{false};          //!< not the root
    uint32_t parent{0};             //!< rank of the parent
    std::vector<uint32_t> children; //!< ranks
    ByteRange piece;                //!< this channel's part of the tree's half
    uint64_t slices{0};             //!< of it
    std::deque<uint64_t> complete;  //!< root: per slice at it, the receive that completes it
};

/**
 * One rank in both trees. Round k has slice k of each tree on its way up, then slice k - lag of
 * each on its way down; the same rounds everywhere keep the messages of a pair in order.
 */
class DoubleBinaryTreeProgram : public TransferProgram
{
  public:
    DoubleBinaryTreeProgram(const CollectiveSpec& spec, uint32_t rank, uint32_t channel)
        : m_lag(2 * static_cast<uint64_t>(CeilLog2(spec.groupSize)))
    {
        const uint32_t n = spec.groupSize;
        for (uint32_t tree = 0; tree < TREES && n > 1; ++tree)
        {
            TreePart& part = m_parts[tree];
            const uint32_t place = PlaceOf(tree, rank, n);
            part.hasParent = place > 0;
            part.parent = place > 0 ? RankAt(tree, ParentOf(place, n), n) : 0;
            for (const uint32_t child : ChildrenOf(place, n))
            {
                part.children.push_back(RankAt(tree, child, n));
            }
            part.piece = SplitChunk(spec.bytes, TREES, tree, spec.channels, channel);
            part.slices = CountSlices(part.piece.bytes, spec.sliceBytes);
            m_rounds = std::max(m_rounds, part.slices);
        }
        m_rounds += m_rounds > 0 ? m_lag : 0;
    }

    bool Next(Transfer& transfer) override
    {
        while (m_next == m_todo.size())
        {
            if (m_round == m_rounds)
            {
                return false;
            }
            m_todo.clear();
            m_next = 0;
            for (TreePart& part : m_parts)
            {
                GoUp(part, m_round);
            }
            for (TreePart& part : m_parts)
            {
                if (m_round >= m_lag)
                {
                    GoDown(part, m_round - m_lag);
                }
            }
            ++m_round;
        }
        transfer = m_todo[m_next++];
        return true;
    }

  private:
    /** List a slice's way up: from the children, then to the parent. */
    void GoUp(TreePart& part, uint64_t slice)
    {
        if (slice >= part.slices)
        {
            return;
        }
        const uint64_t first = m_received;
        for (const uint32_t child : part.children)
        {
            Receive(part, slice, true, child);
        }
        if (part.hasParent)
        {
            Send(part, slice, part.parent, first, m_received);
        }
        else
        {
            part.complete.push_back(first); // the root has one child
        }
    }

    /** List a slice's way down: from the parent, then to the children. */
    void GoDown(TreePart& part, uint64_t slice)
    {
        if (slice >= part.slices)
        {
            return;
        }
        uint64_t number = m_received;
        if (part.hasParent)
        {
            Receive(part, slice, false, part.parent);
        }
        else
        {
            number = part.complete.front();
            part.complete.pop_front();
        }
        for (const uint32_t child : part.children)
        {
            Send(part, slice, child, number, number + 1);
        }
    }

    /** List a receive. */
    void Receive(const TreePart& part, uint64_t slice, bool reduce, uint32_t peer)
    {
        const ByteRange range = SplitBytes(part.piece.bytes, part.slices, slice);
        m_todo.push_back(
            {false, reduce, peer, part.piece.offset + range.offset, range.bytes, 0, 0, nullptr});
        ++m_received;
    }

    /** List a send that waits for the receives [first, end). */
    void Send(const TreePart& part, uint64_t slice, uint32_t peer, uint64_t first, uint64_t end)
    {
        const ByteRange range = SplitBytes(part.piece.bytes, part.slices, slice);
        const bool waits = end > first;
        m_todo.push_back({true,
                          false,
                          peer,
                          part.piece.offset + range.offset,
                          range.bytes,
                          waits ? first : 0,
                          waits ? end : 0,
                          nullptr});
    }

    const uint64_t m_lag;                  //!< rounds between a slice's ways up and down
    std::array<TreePart, TREES> m_parts{}; //!< the rank's place in each
    uint64_t m_rounds{0};                  //!< how many
    uint64_t m_round{0};                   //!< round that comes next
    std::vector<Transfer> m_todo;          //!< of the present round
    std::size_t m_next{0};                 //!< transfer of it that comes next
    uint64_t m_received{0};                //!< receives so far
};

} // namespace

std::string
DoubleBinaryTreeCollective::GetName() const
{
    return "double_binary_tree";
}

std::string
DoubleBinaryTreeCollective::WhyNot(const CollectiveSpec& spec) const
{
    if (spec.kind != CollectiveKind::ALL_REDUCE)
    {
        return std::string("double_binary_tree does all_reduce only, not ") + ToString(spec.kind);
    }
    return CheckCollectiveSpec(spec);
}

std::unique_ptr<TransferProgram>
DoubleBinaryTreeCollective::CreateProgram(const CollectiveSpec& spec,
                                          uint32_t rank,
                                          uint32_t channel) const
{
    NS_ASSERT_MSG(WhyNot(spec).empty(), WhyNot(spec));
    NS_ASSERT_MSG(rank < spec.groupSize && channel < spec.channels, "no such rank or channel");
    return std::make_unique<DoubleBinaryTreeProgram>(spec, rank, channel);
}

uint64_t
DoubleBinaryTreeCollective::PredictPairBytes(const CollectiveSpec& spec,
                                             uint32_t from,
                                             uint32_t to) const
{
    const uint32_t n = spec.groupSize;
    uint64_t bytes = 0;
    for (uint32_t tree = 0; tree < TREES; ++tree)
    {
        const uint32_t sender = PlaceOf(tree, from, n);
        const uint32_t receiver = PlaceOf(tree, to, n);
        const bool up = sender > 0 && ParentOf(sender, n) == receiver;
        const bool down = receiver > 0 && ParentOf(receiver, n) == sender;
        bytes += up || down ? SplitBytes(spec.bytes, TREES, tree).bytes : 0;
    }
    return bytes;
}

std::vector<uint32_t>
DoubleBinaryTreeCollective::ListCandidates(const CollectiveSpec& spec, uint32_t from) const
{
    std::vector<uint32_t> candidates;
    const uint32_t n = spec.groupSize;
    for (uint32_t tree = 0; tree < TREES; ++tree)
    {
        const uint32_t place = PlaceOf(tree, from, n);
        if (place > 0)
        {
            candidates.push_back(RankAt(tree, ParentOf(place, n), n));
        }
        // Children differ from their parent by a power of two.
        for (uint64_t distance = 1; distance < n; distance *= 2)
        {
            candidates.push_back(RankAt(tree, static_cast<uint32_t>((place + distance) % n), n));
            candidates.push_back(
                RankAt(tree, static_cast<uint32_t>((place + n - distance) % n), n));
        }
    }
    return candidates;
}

double
DoubleBinaryTreeCollective::DoPredictTimePs(const CollectiveSpec& spec,
                                            const CollectiveLinks& links) const
{
    const double alphaPs = links.network.alphaPs;
    const double wholePs = links.network.GetPs(spec.bytes);
    uint64_t count = 0;
    for (uint32_t channel = 0; channel < spec.channels; ++channel)
    {
        count += CountSlices(SplitChunk(spec.bytes, TREES, 0, spec.channels, channel).bytes,
                             spec.sliceBytes);
    }
    const double slices = static_cast<double>(count);
    const double levels = CeilLog2(spec.groupSize);
    const double busiest = std::min(2.0, spec.groupSize / 2.0);
    return 2 * levels * alphaPs + ((slices - 1) * busiest + 2 * levels - 1) / slices * wholePs;
}

} // namespace llm
} // namespace ns3
