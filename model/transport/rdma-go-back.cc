/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-go-back.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBack);

TypeId
RdmaGoBack::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaGoBack").SetParent<RdmaReliability>().SetGroupName("LlmTraining");
    return tid;
}

RdmaReceiveVerdict
RdmaGoBack::Receive(RdmaReceiverState& state, uint64_t psn) const
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
RdmaGoBack::ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const
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

bool
RdmaGoBack::DiscardsProgress() const
{
    return false;
}

} // namespace llm
} // namespace ns3
