/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reliability.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReliability);
NS_OBJECT_ENSURE_REGISTERED(RdmaGoBackN);

TypeId
RdmaReliability::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaReliability").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

TypeId
RdmaGoBackN::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RdmaGoBackN")
                            .SetParent<RdmaReliability>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RdmaGoBackN>();
    return tid;
}

RdmaReceiveVerdict
RdmaGoBackN::Receive(RdmaReceiverState& state, uint64_t psn) const
{
    RdmaReceiveVerdict verdict;
    if (psn == state.expectedPsn)
    {
        ++state.expectedPsn;
        state.nakSent = false;
        return verdict;
    }
    if (psn < state.expectedPsn)
    {
        verdict.payload = RdmaReceiveVerdict::Payload::DUPLICATE;
        return verdict;
    }
    verdict.payload = RdmaReceiveVerdict::Payload::OUT_OF_ORDER;
    verdict.sendNak = !state.nakSent;
    state.nakSent = true;
    return verdict;
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
