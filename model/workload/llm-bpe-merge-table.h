/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BPE_MERGE_TABLE_H
#define LLM_BPE_MERGE_TABLE_H

#include "llm-bpe-vocabulary.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Merges by pair of tokens: a hash table with open addressing, because every pair of neighbours in
 * a text is looked up and most are not in it.
 */
class BpeMergeTable
{
  public:
    /** What becomes of a pair. */
    struct Entry
    {
        uint64_t pair{ABSENT}; //!< left and right token
        uint32_t rank{0};      //!< order of merging
        uint32_t result{0};    //!< token that replaces them
    };

    /** @param merges to hold; of two with the same pair the lower rank counts. */
    explicit BpeMergeTable(const std::vector<BpeMerge>& merges)
    {
        while ((std::size_t{1} << m_bits) < 2 * merges.size())
        {
            ++m_bits;
        }
        m_slots.resize(std::size_t{1} << m_bits);
        for (const BpeMerge& merge : merges)
        {
            Entry& slot = m_slots[SlotOf(PairOf(merge.left, merge.right))];
            if (slot.pair == ABSENT || merge.rank < slot.rank)
            {
                slot = {PairOf(merge.left, merge.right), merge.rank, merge.result};
            }
        }
    }

    /** @param left token @param right token @return the merge, or nullptr. */
    const Entry* Find(uint32_t left, uint32_t right) const
    {
        const Entry& slot = m_slots[SlotOf(PairOf(left, right))];
        return slot.pair == ABSENT ? nullptr : &slot;
    }

  private:
    static constexpr uint64_t ABSENT = ~uint64_t{0}; //!< no pair

    /** @param left token @param right token @return both in one. */
    static uint64_t PairOf(uint32_t left, uint32_t right)
    {
        return uint64_t{left} << 32 | right;
    }

    /** @param pair to look for @return the slot where it is, or where it would be. */
    std::size_t SlotOf(uint64_t pair) const
    {
        // Fibonacci hashing: the high bits of the product depend on all bits of the pair.
        std::size_t slot = (pair * 0x9e3779b97f4a7c15ULL) >> (64 - m_bits);
        while (m_slots[slot].pair != pair && m_slots[slot].pair != ABSENT)
        {
            slot = (slot + 1) & (m_slots.size() - 1);
        }
        return slot;
    }

    unsigned m_bits{4};         //!< logarithm of the number of slots
    std::vector<Entry> m_slots; //!< at most half full
};

} // namespace llm
} // namespace ns3

#endif // LLM_BPE_MERGE_TABLE_H
