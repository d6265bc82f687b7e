/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-load-balancer-names.h"

#include "adaptive-load-balancer.h"
#include "ecmp-load-balancer.h"
#include "fabric-hash.h"
#include "flowlet-load-balancer.h"
#include "random-spray-load-balancer.h"
#include "round-robin-load-balancer.h"
#include "static-load-balancer.h"

namespace ns3
{
namespace llm
{

const ClassNames&
GetFabricLoadBalancerNames()
{
    static const ClassNames names("load balancer",
                                  &FabricLoadBalancer::GetTypeId,
                                  {{"ecmp", &EcmpLoadBalancer::GetTypeId},
                                   {"static", &StaticLoadBalancer::GetTypeId},
                                   {"flowlet", &FlowletLoadBalancer::GetTypeId},
                                   {"spray_random", &RandomSprayLoadBalancer::GetTypeId},
                                   {"spray_round_robin", &RoundRobinLoadBalancer::GetTypeId},
                                   {"adaptive", &AdaptiveLoadBalancer::GetTypeId}});
    return names;
}

const ClassNames&
GetFabricHashNames()
{
    static const ClassNames names("hash function",
                                  &FabricHash::GetTypeId,
                                  {{"crc32", &Crc32Hash::GetTypeId},
                                   {"crc16", &Crc16Hash::GetTypeId},
                                   {"murmur3", &Murmur3Hash::GetTypeId},
                                   {"xor", &XorHash::GetTypeId}});
    return names;
}

} // namespace llm
} // namespace ns3
