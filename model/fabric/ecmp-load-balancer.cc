/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ecmp-load-balancer.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(EcmpLoadBalancer);

TypeId
EcmpLoadBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::EcmpLoadBalancer")
                            .SetParent<HashedLoadBalancer>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<EcmpLoadBalancer>();
    return tid;
}

EcmpLoadBalancer::EcmpLoadBalancer() = default;

EcmpLoadBalancer::~EcmpLoadBalancer() = default;

uint32_t
EcmpLoadBalancer::Select(const Frame& frame, FabricCandidates ports, int64_t)
{
    return ChooseByHash(frame, ports.GetCount());
}

std::optional<uint32_t>
EcmpLoadBalancer::Predict(const Frame& frame, FabricCandidates ports) const
{
    return ChooseByHash(frame, ports.GetCount());
}

} // namespace llm
} // namespace ns3
