/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-byte-split.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

ByteRange
SplitBytes(uint64_t bytes, uint64_t parts, uint64_t index)
{
    const uint64_t base = bytes / parts;
    const uint64_t longer = bytes % parts;
    return {index * base + std::min(index, longer), base + (index < longer ? 1 : 0)};
}

ByteRange
SplitChunk(uint64_t bytes, uint32_t chunks, uint32_t chunk, uint32_t channels, uint32_t channel)
{
    const ByteRange whole = SplitBytes(bytes, chunks, chunk);
    // Odd bytes of all chunks before this one: chunks have two sizes only.
    const uint64_t base = bytes / chunks;
    const uint64_t longer = std::min<uint64_t>(chunk, bytes % chunks);
    const uint64_t before = longer * ((base + 1) % channels) + (chunk - longer) * (base % channels);

    // The channels [first, first + odd), taken modulo the number of channels, get one byte more.
    const uint64_t first = before % channels;
    const uint64_t odd = whole.bytes % channels;
    const uint64_t wrapped = first + odd > channels ? first + odd - channels : 0;
    const uint64_t end = std::min<uint64_t>(first + odd, channels);
    const auto oddBefore = [&](uint64_t c) {
        return std::min(c, wrapped) + (c > first ? std::min(c, end) - first : 0);
    };
    const uint64_t share = whole.bytes / channels;
    return {whole.offset + channel * share + oddBefore(channel),
            share + oddBefore(channel + 1) - oddBefore(channel)};
}

uint64_t
CountSlices(uint64_t bytes, uint64_t sliceBytes)
{
    if (bytes == 0)
    {
        return 0;
    }
    return sliceBytes == 0 ? 1 : bytes / sliceBytes + (bytes % sliceBytes != 0 ? 1 : 0);
}

uint64_t
CountSlices(uint64_t bytes, uint32_t channels, uint64_t sliceBytes)
{
    const uint64_t longer = bytes % channels;
    return longer * CountSlices(bytes / channels + 1, sliceBytes) +
           (channels - longer) * CountSlices(bytes / channels, sliceBytes);
}

} // namespace llm
} // namespace ns3
