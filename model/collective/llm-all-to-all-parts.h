/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ALL_TO_ALL_PARTS_H
#define LLM_ALL_TO_ALL_PARTS_H

#include "llm-collective-algorithm.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @param spec ALL_TO_ALL, even or uneven.
 * @param from group rank.
 * @param to group rank.
 * @return bytes that one has for the other, all channels; what a rank has for itself included.
 */
uint64_t GetPartBytes(const CollectiveSpec& spec, uint32_t from, uint32_t to);

/**
 * @param spec ALL_TO_ALL, even or uneven.
 * @param from group rank.
 * @param to group rank.
 * @param channel below spec.channels.
 * @return the channel's share of that part, counted from the beginning of the part.
 */
ByteRange GetShare(const CollectiveSpec& spec, uint32_t from, uint32_t to, uint32_t channel);

/**
 * @ingroup llm-training
 *
 * Where the parts of an ALL_TO_ALL lie, for one rank and one channel. The send buffer holds a part
 * for each rank, in their order, that for oneself included; the receive buffer holds what each
 * rank has sent, in their order. Even parts are cut by SplitBytes and SplitChunk. The offset of an
 * uneven part is the sum of those before it (MPI's displacements), and its odd bytes go to the
 * channels in turn, beginning with channel -(from + to) modulo the channels.
 *
 * Memory: two numbers per rank of the group where parts are uneven, else none.
 */
class AllToAllParts
{
  public:
    /** @param spec ALL_TO_ALL. @param rank group rank. @param channel below spec.channels. */
    AllToAllParts(const CollectiveSpec& spec, uint32_t rank, uint32_t channel);

    /** @param to group rank. @return the channel's share of its part in the send buffer. */
    ByteRange GetSend(uint32_t to) const;
    /** @param from group rank. @return the channel's share of its part in the receive buffer. */
    ByteRange GetReceive(uint32_t from) const;

  private:
    const CollectiveSpec m_spec;            //!< what
    const uint32_t m_rank;                  //!< whose buffers
    const uint32_t m_channel;               //!< whose share
    std::vector<uint64_t> m_sendOffsets;    //!< by receiver; uneven only
    std::vector<uint64_t> m_receiveOffsets; //!< by sender; uneven only
};

} // namespace llm
} // namespace ns3

#endif // LLM_ALL_TO_ALL_PARTS_H
