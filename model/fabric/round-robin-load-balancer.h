/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROUND_ROBIN_LOAD_BALANCER_H
#define ROUND_ROBIN_LOAD_BALANCER_H

#include "packet-load-balancer.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The next port for each packet. Every destination group has a turn of its own, so that at every
 * switch the packets for an edge are spread evenly however they mix with others, and data and short
 * frames (ACK, NAK, CNP) turn apart, because they often alternate. Turns start at random places.
 */
class RoundRobinLoadBalancer final : public PacketLoadBalancer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    void Configure(const FabricSwitchIdentity& identity) override;

  private:
    uint32_t SelectForPacket(const Frame& frame, FabricCandidates ports, int64_t now) override;
    /** @param turn that is needed: make it and all before. */
    void AddTurns(std::size_t turn);

    uint64_t m_key{0};             //!< of the switch
    std::vector<uint32_t> m_turns; //!< next place, by 2 * group, + 1 for data
};

} // namespace llm
} // namespace ns3

#endif // ROUND_ROBIN_LOAD_BALANCER_H
