/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_NUMBERS_H
#define RDMA_NIC_NUMBERS_H

// What the files of RdmaNic share, and nobody else.

#include <cstdint>

namespace ns3
{
namespace llm
{
namespace rdmanic
{

constexpr uint64_t MAX_OUTSTANDING = 1 << 23; //!< half the PSN space, packets
constexpr uint8_t INITIAL_TTL = 64;           //!< IPv4 TTL of what NICs send

/** @param low 32 bits of a number. @param near a close one. @return all 64 bits. */
inline uint64_t
Extend(uint32_t low, uint64_t near)
{
    return near + static_cast<int64_t>(static_cast<int32_t>(low - static_cast<uint32_t>(near)));
}

} // namespace rdmanic
} // namespace llm
} // namespace ns3

#endif // RDMA_NIC_NUMBERS_H
