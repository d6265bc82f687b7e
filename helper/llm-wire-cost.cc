/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-wire-cost.h"

#include "ns3/fabric-frame.h"
#include "ns3/roce-wire.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t MAX_WRITE_BYTES = uint64_t{1} << 30; //!< default of RdmaTransport::MaxWriteBytes

/** @return bytes of a data frame with FCS, without preamble and gap. */
uint64_t
DataFrameBytes(uint64_t payload, bool first, bool last)
{
    Frame frame{};
    frame.kind = FrameKind::WRITE;
    frame.payload = static_cast<uint16_t>(payload);
    frame.flags = static_cast<uint8_t>((first ? Frame::FIRST : 0) | (last ? Frame::LAST : 0));
    return ComputeFrameBytes(frame);
}

/** Adds one RDMA WRITE. */
void
AddWrite(WireCost& cost, uint64_t bytes, uint64_t pathMtu)
{
    const uint64_t packets = std::max<uint64_t>((bytes + pathMtu - 1) / pathMtu, 1);
    const uint64_t lastPayload = bytes - (packets - 1) * pathMtu;
    uint64_t frames = DataFrameBytes(lastPayload, packets == 1, true);
    if (packets > 1)
    {
        frames += DataFrameBytes(pathMtu, true, false);
        frames += (packets - 2) * DataFrameBytes(pathMtu, false, false);
    }
    cost.payloadBytes += bytes;
    cost.packets += packets;
    cost.frameBytes += frames;
    cost.linkBytes += frames + packets * wire::PREAMBLE_IFG;
}

} // namespace

uint64_t
WireCost::GetLinkBits() const
{
    return 8 * linkBytes;
}

double
WireCost::GetEfficiency() const
{
    return linkBytes == 0 ? 0.0
                          : static_cast<double>(payloadBytes) / static_cast<double>(linkBytes);
}

int64_t
WireCost::GetDurationPs(uint64_t bitsPerSecond) const
{
    return static_cast<int64_t>(8e12 * static_cast<double>(linkBytes) /
                                static_cast<double>(bitsPerSecond));
}

WireCost&
WireCost::operator+=(const WireCost& other)
{
    payloadBytes += other.payloadBytes;
    packets += other.packets;
    frameBytes += other.frameBytes;
    linkBytes += other.linkBytes;
    return *this;
}

WireCost
EstimateWireCost(uint64_t bytes, uint32_t pathMtu)
{
    WireCost cost;
    for (uint64_t rest = bytes; rest > MAX_WRITE_BYTES; rest -= MAX_WRITE_BYTES)
    {
        AddWrite(cost, MAX_WRITE_BYTES, pathMtu);
    }
    AddWrite(cost, bytes == 0 ? 0 : (bytes - 1) % MAX_WRITE_BYTES + 1, pathMtu);
    return cost;
}

uint32_t
GetAckLinkBytes()
{
    return wire::ACK_FRAME + wire::PREAMBLE_IFG;
}

} // namespace llm
} // namespace ns3
