/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_LOAD_BALANCER_NAMES_H
#define FABRIC_LOAD_BALANCER_NAMES_H

#include "ns3/llm-class-names.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Names of load balancers, as people write them in scenarios.
 *
 * | name              | class                   |
 * | ----------------- | ----------------------- |
 * | ecmp              | EcmpLoadBalancer        |
 * | static            | StaticLoadBalancer      |
 * | flowlet           | FlowletLoadBalancer     |
 * | spray_random      | RandomSprayLoadBalancer |
 * | spray_round_robin | RoundRobinLoadBalancer  |
 * | adaptive          | AdaptiveLoadBalancer    |
 *
 * Beside these, the TypeId name of any registered FabricLoadBalancer.
 *
 * @return all of them.
 */
const ClassNames& GetFabricLoadBalancerNames();

/**
 * @ingroup llm-training
 *
 * Names of hash functions: mix (which is no FabricHash, but the default of HashedLoadBalancer),
 * crc32, crc16, murmur3, xor, and the TypeId name of any registered FabricHash.
 *
 * @return all but mix.
 */
const ClassNames& GetFabricHashNames();

} // namespace llm
} // namespace ns3

#endif // FABRIC_LOAD_BALANCER_NAMES_H
