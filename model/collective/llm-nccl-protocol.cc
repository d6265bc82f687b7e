/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-nccl-protocol.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t KIB = 1024;
constexpr uint64_t P2P_NETWORK_CHUNK = 128 * KIB; //!< NCCL_P2P_NET_CHUNKSIZE
constexpr uint64_t P2P_NVLINK_CHUNK = 512 * KIB;  //!< NCCL_P2P_NVL_CHUNKSIZE

constexpr NcclProtocolSizes SIMPLE_SIZES{4096 * KIB, 512 * KIB, 512 * KIB, 0, 0, 2, 512, 64};
constexpr NcclProtocolSizes LL_SIZES{512 * KIB, 64 * KIB, 32 * KIB, 16, 8, 1, 512, 8};
constexpr NcclProtocolSizes LL128_SIZES{4800 * KIB, 600 * KIB, 576000, 128, 120, 1, 640, 8};

} // namespace

const char*
ToString(NcclProtocol protocol)
{
    switch (protocol)
    {
    case NcclProtocol::NONE:
        return "none";
    case NcclProtocol::SIMPLE:
        return "Simple";
    case NcclProtocol::LL:
        return "LL";
    case NcclProtocol::LL128:
        return "LL128";
    }
    return "unknown";
}

const NcclProtocolSizes&
GetNcclProtocolSizes(NcclProtocol protocol)
{
    NS_ASSERT_MSG(protocol != NcclProtocol::NONE, "there are no sizes without a protocol");
    switch (protocol)
    {
    case NcclProtocol::LL:
        return LL_SIZES;
    case NcclProtocol::LL128:
        return LL128_SIZES;
    default:
        return SIMPLE_SIZES;
    }
}

uint64_t
GetNcclWireBytes(NcclProtocol protocol, uint64_t bytes)
{
    if (protocol == NcclProtocol::NONE)
    {
        return bytes;
    }
    const NcclProtocolSizes& sizes = GetNcclProtocolSizes(protocol);
    if (sizes.lineDataBytes == 0)
    {
        return bytes;
    }
    return (bytes + sizes.lineDataBytes - 1) / sizes.lineDataBytes * sizes.lineBytes;
}

uint64_t
GetNcclSliceBytes(NcclProtocol protocol, CollectiveKind kind, bool withinNode)
{
    const NcclProtocolSizes& sizes = GetNcclProtocolSizes(protocol);
    switch (kind)
    {
    case CollectiveKind::ALL_TO_ALL:
        return std::min(withinNode ? P2P_NVLINK_CHUNK : P2P_NETWORK_CHUNK,
                        NCCL_SLOTS * sizes.slotDataBytes);
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return sizes.slotDataBytes;
    default:
        return sizes.slotsPerSlice * sizes.slotDataBytes;
    }
}

uint32_t
GetNcclSlots(NcclProtocol protocol, uint64_t bytes)
{
    if (protocol == NcclProtocol::NONE)
    {
        return 1;
    }
    const uint64_t slot = GetNcclProtocolSizes(protocol).slotDataBytes;
    const uint64_t slots = bytes / slot + (bytes % slot > 0 ? 1 : 0);
    return static_cast<uint32_t>(std::min<uint64_t>(std::max<uint64_t>(slots, 1), NCCL_SLOTS));
}

uint32_t
GetNcclChannels(NcclProtocol protocol, bool ring, const CollectiveSpec& spec, uint32_t most)
{
    if (protocol == NcclProtocol::NONE)
    {
        return most;
    }
    const NcclProtocolSizes& sizes = GetNcclProtocolSizes(protocol);
    uint64_t perChannel = uint64_t{sizes.threads} * sizes.thresholdPerThread;
    if (protocol == NcclProtocol::LL && ring)
    {
        perChannel *= spec.groupSize;
    }
    const uint64_t worth = std::max<uint64_t>(spec.bytes / perChannel, 1);
    return static_cast<uint32_t>(std::min<uint64_t>(worth, most));
}

} // namespace llm
} // namespace ns3
