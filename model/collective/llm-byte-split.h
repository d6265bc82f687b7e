/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BYTE_SPLIT_H
#define LLM_BYTE_SPLIT_H

#include <cstdint>

namespace ns3
{
namespace llm
{

/** A contiguous piece of a collective's buffer, in bytes. */
struct ByteRange
{
    uint64_t offset{0}; //!< first byte
    uint64_t bytes{0};  //!< length, may be 0
};

/**
 * Cut bytes into parts whose sizes differ by at most one: the first (bytes mod parts) parts are
 * one byte longer. No byte is lost, for any count.
 * @param bytes length of the whole.
 * @param parts number of parts, >= 1.
 * @param index part asked for, 0 .. parts-1.
 * @return that part.
 */
ByteRange SplitBytes(uint64_t bytes, uint64_t parts, uint64_t index);

/**
 * One channel's piece of one rank's chunk. Each chunk is spread over all channels; the odd bytes go
 * to the channels in turn, so that over all chunks the channels differ by at most one byte.
 * @param bytes length of the whole buffer.
 * @param chunks number of chunks, >= 1; cut by SplitBytes.
 * @param chunk index of the chunk.
 * @param channels number of channels, >= 1.
 * @param channel index of the channel.
 * @return position in the whole buffer.
 */
ByteRange SplitChunk(uint64_t bytes,
                     uint32_t chunks,
                     uint32_t chunk,
                     uint32_t channels,
                     uint32_t channel);

/**
 * @param bytes length of a piece.
 * @param sliceBytes longest slice; 0: no slicing.
 * @return number of slices: 0 for an empty piece. Slice j is SplitBytes(bytes, count, j).
 */
uint64_t CountSlices(uint64_t bytes, uint64_t sliceBytes);

/**
 * @param bytes length of a buffer.
 * @param channels that it is spread over by SplitBytes, >= 1.
 * @param sliceBytes longest slice; 0: no slicing.
 * @return number of slices in all channels.
 */
uint64_t CountSlices(uint64_t bytes, uint32_t channels, uint64_t sliceBytes);

} // namespace llm
} // namespace ns3

#endif // LLM_BYTE_SPLIT_H
