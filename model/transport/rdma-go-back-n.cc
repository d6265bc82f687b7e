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
    verdict.reply =
        state.nakSent ? RdmaReceiveVerdict::Reply::NOTHING : RdmaReceiveVerdict::Reply::NAK;
    state.nakSent = true;
    return verdict;
}

RdmaReceiveVerdict
RdmaGoBackN::ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const
{
    RdmaReceiveVerdict verdict;
    verdict.payload = RdmaReceiveVerdict::Payload::TRIMMED;
    if (psn >= state.expectedPsn)
    {
        // The expected packet itself is surely lost, even if that was said of it before.
        verdict.reply = state.nakSent && psn > state.expectedPsn
                            ? RdmaReceiveVerdict::Reply::NOTHING
                            : RdmaReceiveVerdict::Reply::NAK;
        state.nakSent = true;
    }
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
