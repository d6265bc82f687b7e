/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ECMP_LOAD_BALANCER_H
#define ECMP_LOAD_BALANCER_H

#include "hashed-load-balancer.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Equal-cost multi-path: the port follows from a hash of the flow, so every frame of a flow takes
 * one path. Equal seeds at all tiers polarise traffic, as with real switches; the default seeds
 * differ.
 */
class EcmpLoadBalancer final : public HashedLoadBalancer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    EcmpLoadBalancer();
    ~EcmpLoadBalancer() override;
    uint32_t Select(const Frame& frame, FabricCandidates ports, int64_t now) override;
    std::optional<uint32_t> Predict(const Frame& frame, FabricCandidates ports) const override;
};

} // namespace llm
} // namespace ns3

#endif // ECMP_LOAD_BALANCER_H
