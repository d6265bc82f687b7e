/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-go-back-n.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBackN);

TypeId
RdmaGoBackN::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RdmaGoBackN")
                            .SetParent<RdmaGoBack>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RdmaGoBackN>();
    return tid;
}

uint64_t
RdmaGoBackN::ResumeAfterNak(uint64_t nakPsn, uint64_t) const
{
    return nakPsn;
}

uint64_t
RdmaGoBackN::ResumeAfterTimeout(uint64_t unackedPsn, uint64_t) const
{
    return unackedPsn;
}

} // namespace llm
} // namespace ns3
