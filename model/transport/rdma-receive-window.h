/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVE_WINDOW_H
#define RDMA_RECEIVE_WINDOW_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Which packets a responder has taken ahead of their turn: a bitmap in a ring, one bit per packet
 * from the expected one on, that doubles when a packet is further ahead than it reaches.
 */
class RdmaReceiveWindow
{
  public:
    /** @return true if nothing came early. */
    bool IsEmpty() const
    {
        return m_count == 0;
    }

    /** @return packets that came early and whose turn has not come. */
    uint64_t GetCount() const
    {
        return m_count;
    }

    /** @return packets that fit without growing. */
    uint64_t GetCapacity() const
    {
        return 64 * m_words.size();
    }

    /**
     * @param expected first packet that is missing.
     * @param psn above it.
     * @return true if it has come.
     */
    bool Has(uint64_t expected, uint64_t psn) const
    {
        return psn - expected < GetCapacity() && ((Word(psn) >> (psn % 64)) & 1);
    }

    /**
     * Note a packet that has not come before.
     * @param expected first packet that is missing.
     * @param psn above it, less than 2^23.
     */
    void Add(uint64_t expected, uint64_t psn);

    /**
     * Forget the packets whose turn has come.
     * @param psn the first of them, if it has come.
     * @return how many there are in a row.
     */
    uint64_t Take(uint64_t psn);

  private:
    /** @param psn packet. @return word of its bit. */
    const uint64_t& Word(uint64_t psn) const
    {
        return m_words[psn / 64 & (m_words.size() - 1)];
    }

    /** @param psn packet. @return word of its bit. */
    uint64_t& Word(uint64_t psn)
    {
        return m_words[psn / 64 & (m_words.size() - 1)];
    }

    std::vector<uint64_t> m_words; //!< ring, a power of two long
    uint64_t m_count{0};           //!< bits set
};

} // namespace llm
} // namespace ns3

#endif // RDMA_RECEIVE_WINDOW_H
