/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANDOM_SPRAY_LOAD_BALANCER_H
#define RANDOM_SPRAY_LOAD_BALANCER_H

#include "fabric-switch-dice.h"
#include "packet-load-balancer.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A random port for each packet (random packet spraying, Dixit et al., INFOCOM 2013).
 */
class RandomSprayLoadBalancer final : public PacketLoadBalancer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    void Configure(const FabricSwitchIdentity& identity) override;

  private:
    uint32_t SelectForPacket(const Frame& frame, FabricCandidates ports, int64_t now) override;

    FabricSwitchDice m_dice; //!< chooses
};

} // namespace llm
} // namespace ns3

#endif // RANDOM_SPRAY_LOAD_BALANCER_H
