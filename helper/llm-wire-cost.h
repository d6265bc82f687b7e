/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_WIRE_COST_H
#define LLM_WIRE_COST_H

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What a message takes on a RoCEv2 link if nothing is lost: sizes as RdmaTransport makes them.
 */
struct WireCost
{
    uint64_t payloadBytes{0}; //!< the message
    uint64_t packets{0};      //!< data packets
    uint64_t frameBytes{0};   //!< Ethernet frames with all headers, ICRC and FCS
    uint64_t linkBytes{0};    //!< link time in bytes: the same with preamble and inter-frame gap

    /** @return link time in bits. */
    uint64_t GetLinkBits() const;
    /** @return payload per link byte, 0 .. 1. */
    double GetEfficiency() const;
    /** @param bitsPerSecond rate of the link, not 0. @return link time in picoseconds. */
    int64_t GetDurationPs(uint64_t bitsPerSecond) const;
    /** @param other is added. @return this. */
    WireCost& operator+=(const WireCost& other);
};

/**
 * @ingroup llm-training
 *
 * @param bytes of the message; 0 is a packet without payload.
 * @param pathMtu payload bytes per packet, not 0.
 * @return its cost: RDMA WRITEs of at most 1 GiB, of which the first packet carries a RETH.
 */
WireCost EstimateWireCost(uint64_t bytes, uint32_t pathMtu);

/** @return bytes of an acknowledgement on the link, with preamble and gap. */
uint32_t GetAckLinkBytes();

} // namespace llm
} // namespace ns3

#endif // LLM_WIRE_COST_H
