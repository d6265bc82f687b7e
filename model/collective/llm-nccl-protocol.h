/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NCCL_PROTOCOL_H
#define LLM_NCCL_PROTOCOL_H

#include "llm-collective-algorithm.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * How NCCL moves a collective's data between two ranks. NONE is the plain message of this module:
 * no flags, no latency of the library, no slots.
 */
enum class NcclProtocol : uint8_t
{
    NONE,
    SIMPLE, //!< whole slots, made visible by fences
    LL,     //!< low latency: lines of 8 bytes, half of them flags
    LL128   //!< lines of 128 bytes, 8 of them flags
};

/** @param protocol which. @return "none", "Simple", "LL" or "LL128", as NCCL writes them. */
const char* ToString(NcclProtocol protocol);

/** The same protocols as a loop wants them, in NCCL's order. */
constexpr NcclProtocol NCCL_PROTOCOLS[] = {NcclProtocol::LL,
                                           NcclProtocol::LL128,
                                           NcclProtocol::SIMPLE};

/**
 * @ingroup llm-training
 *
 * Sizes of a protocol (NCCL 2.30, src/include/device.h and src/init.cc: NCCL_STEPS 8,
 * NCCL_LL_LINES_PER_THREAD 8, NCCL_LL128_ELEMS_PER_THREAD 120, DEFAULT_BUFFSIZE 4 MiB). "Data" is
 * payload, "wire" is payload with flags.
 */
struct NcclProtocolSizes
{
    uint64_t bufferBytes;        //!< of a channel, wire
    uint64_t slotBytes;          //!< one of the 8 slots of the buffer, wire
    uint64_t slotDataBytes;      //!< payload that fits a slot
    uint64_t lineBytes;          //!< line of flags and payload, wire; 0: there are no lines
    uint64_t lineDataBytes;      //!< payload of a line
    uint32_t slotsPerSlice;      //!< of ring all-reduce, all-gather and reduce-scatter
    uint32_t threads;            //!< of a channel's block
    uint32_t thresholdPerThread; //!< a channel is given up while its threads have less, bytes
};

/** Slots of a connection's buffer (NCCL_STEPS). */
constexpr uint32_t NCCL_SLOTS = 8;

/** @param protocol not NONE. @return its sizes. */
const NcclProtocolSizes& GetNcclProtocolSizes(NcclProtocol protocol);

/**
 * @param protocol any.
 * @param bytes payload of a message.
 * @return what is sent for it: whole lines, of LL 8 bytes of payload in 16, of LL128 120 in 128.
 */
uint64_t GetNcclWireBytes(NcclProtocol protocol, uint64_t bytes);

/**
 * @param protocol not NONE.
 * @param kind of collective.
 * @param withinNode all ranks share a scale-up domain.
 * @return longest message, payload: the slice of a ring (Simple 2 slots, else 1), one slot for
 *         BROADCAST and REDUCE, and for ALL_TO_ALL the chunk of point-to-point transfers: 128 KiB
 *         over the network, 512 KiB over NVLink.
 */
uint64_t GetNcclSliceBytes(NcclProtocol protocol, CollectiveKind kind, bool withinNode);

/**
 * @param protocol any.
 * @param bytes payload of a message.
 * @return slots that it holds at the receiver, 1 .. NCCL_SLOTS.
 */
uint32_t GetNcclSlots(NcclProtocol protocol, uint64_t bytes);

/**
 * Channels that a collective is worth: fewer than @p most while each of their threads would have
 * too little to do. LL's threshold over a ring is 8 bytes times the ranks.
 * @param protocol any; NONE: @p most.
 * @param ring the algorithm is a ring.
 * @param spec its groupSize and bytes.
 * @param most channels, >= 1.
 * @return 1 .. most.
 */
uint32_t GetNcclChannels(NcclProtocol protocol,
                         bool ring,
                         const CollectiveSpec& spec,
                         uint32_t most);

} // namespace llm
} // namespace ns3

#endif // LLM_NCCL_PROTOCOL_H
