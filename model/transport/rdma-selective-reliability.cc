/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-selective-reliability.h"

#include "ns3/boolean.h"
#include "ns3/fabric-frame.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSelectiveReliability);

TypeId
RdmaSelectiveReliability::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaSelectiveReliability")
            .SetParent<RdmaReliability>()
            .SetGroupName("LlmTraining")
            .AddAttribute("AddressInEveryPacket",
                          "Every packet carries a RETH, 16 bytes, and not only the first of a "
                          "message: a packet that comes early could not be placed without.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaSelectiveReliability::m_addressInEveryPacket),
                          MakeBooleanChecker());
    return tid;
}

RdmaSelectiveReliability::RdmaSelectiveReliability()
    : m_addressInEveryPacket(true)
{
}

RdmaSelectiveReliability::~RdmaSelectiveReliability() = default;

RdmaReceiveVerdict
RdmaSelectiveReliability::Receive(RdmaReceiverState& state, uint64_t psn) const
{
    RdmaReceiveVerdict verdict;
    if (psn == state.expectedPsn)
    {
        ++state.expectedPsn;
        if (!state.early->IsEmpty())
        {
            const uint64_t early = state.early->Take(state.expectedPsn);
            if (early > 0)
            {
                state.expectedPsn += early;
                verdict.payload = RdmaReceiveVerdict::Payload::ADVANCE;
                verdict.reply = RdmaReceiveVerdict::Reply::ACK;
            }
        }
        return verdict;
    }
    if (psn < state.expectedPsn)
    {
        verdict.payload = RdmaReceiveVerdict::Payload::DUPLICATE;
        return verdict;
    }
    verdict.payload = RdmaReceiveVerdict::Payload::DUPLICATE;
    verdict.reply = GetEarlyReply();
    if (!state.early->Has(state.expectedPsn, psn))
    {
        verdict.payload = RdmaReceiveVerdict::Payload::PLACED;
        state.early->Add(state.expectedPsn, psn);
    }
    return verdict;
}

RdmaReceiveVerdict
RdmaSelectiveReliability::ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const
{
    RdmaReceiveVerdict verdict;
    verdict.payload = RdmaReceiveVerdict::Payload::TRIMMED;
    if (psn >= state.expectedPsn && !state.early->Has(state.expectedPsn, psn))
    {
        verdict.reply = RdmaReceiveVerdict::Reply::SELECTIVE_NAK;
    }
    return verdict;
}

uint32_t
RdmaSelectiveReliability::GetAddressBytes() const
{
    return m_addressInEveryPacket ? wire::RETH : 0;
}

bool
RdmaSelectiveReliability::FindOverdue(RdmaSelectiveSender&) const
{
    return false;
}

void
RdmaSelectiveReliability::LoseAll(RdmaSelectiveSender& sender)
{
    for (uint64_t psn = sender.window.GetBase(); psn < sender.window.GetEnd(); ++psn)
    {
        sender.window.MarkLost(psn);
    }
}

uint64_t
RdmaSelectiveReliability::GetPacketsInBdp(const RdmaPathInfo& path)
{
    if (path.bdp == 0 || path.wireBytes == 0)
    {
        return UINT64_MAX;
    }
    return (path.bdp + path.wireBytes - 1) / path.wireBytes;
}

} // namespace llm
} // namespace ns3
