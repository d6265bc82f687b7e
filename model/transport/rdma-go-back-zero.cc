/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-go-back-zero.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBackZero);

TypeId
RdmaGoBackZero::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RdmaGoBackZero")
                            .SetParent<RdmaGoBack>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RdmaGoBackZero>();
    return tid;
}

RdmaReceiveVerdict
RdmaGoBackZero::Receive(RdmaReceiverState& state, uint64_t psn) const
{
    RdmaReceiveVerdict verdict = RdmaGoBack::Receive(state, psn);
    if (verdict.payload == RdmaReceiveVerdict::Payload::OUT_OF_ORDER)
    {
        verdict.payload = RdmaReceiveVerdict::Payload::DISCARD;
        state.expectedPsn = state.messageStart;
    }
    else if (verdict.payload == RdmaReceiveVerdict::Payload::DUPLICATE && psn == state.messageStart)
    {
        verdict.payload = RdmaReceiveVerdict::Payload::RESTART;
        state.expectedPsn = psn + 1;
        state.nakSent = false;
    }
    return verdict;
}

RdmaReceiveVerdict
RdmaGoBackZero::ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const
{
    const bool gap = psn >= state.expectedPsn;
    RdmaReceiveVerdict verdict = RdmaGoBack::ReceiveTrimmed(state, psn);
    if (gap)
    {
        verdict.payload = RdmaReceiveVerdict::Payload::DISCARD;
        state.expectedPsn = state.messageStart;
    }
    return verdict;
}

uint64_t
RdmaGoBackZero::ResumeAfterNak(uint64_t, uint64_t messageStart) const
{
    return messageStart;
}

uint64_t
RdmaGoBackZero::ResumeAfterTimeout(uint64_t, uint64_t messageStart) const
{
    return messageStart;
}

bool
RdmaGoBackZero::DiscardsProgress() const
{
    return true;
}

} // namespace llm
} // namespace ns3
