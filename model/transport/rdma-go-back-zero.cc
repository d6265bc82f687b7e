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
        if (psn == state.messageStart)
        {
            verdict.payload = RdmaReceiveVerdict::Payload::RESTART;
            state.expectedPsn = psn + 1;
            state.nakSent = false;
        }
        return verdict;
    }
    verdict.payload = RdmaReceiveVerdict::Payload::DISCARD;
    verdict.reply =
        state.nakSent ? RdmaReceiveVerdict::Reply::NOTHING : RdmaReceiveVerdict::Reply::NAK;
    state.expectedPsn = state.messageStart;
    state.nakSent = true;
    return verdict;
}

RdmaReceiveVerdict
RdmaGoBackZero::ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const
{
    RdmaReceiveVerdict verdict;
    verdict.payload = RdmaReceiveVerdict::Payload::TRIMMED;
    if (psn >= state.expectedPsn)
    {
        verdict.payload = RdmaReceiveVerdict::Payload::DISCARD;
        verdict.reply = state.nakSent && psn > state.expectedPsn
                            ? RdmaReceiveVerdict::Reply::NOTHING
                            : RdmaReceiveVerdict::Reply::NAK;
        state.expectedPsn = state.messageStart;
        state.nakSent = true;
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
