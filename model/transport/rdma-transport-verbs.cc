/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Verbs of an RdmaTransport: work requests, receives, completions; congestion control by choice.

#include "rdma-transport.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <string>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t MAX_REQUEST_BYTES = uint64_t{1} << 31; //!< InfiniBand Vol. 1, 9.4.1

/** @return what a completion at the requester is of. */
RdmaCompletionKind
GetKind(const RdmaWork& work)
{
    switch (work.kind)
    {
    case FrameKind::SEND:
        return RdmaCompletionKind::SEND;
    case FrameKind::READ_REQUEST:
        return RdmaCompletionKind::READ;
    default:
        return RdmaCompletionKind::WRITE;
    }
}

} // namespace

void
RdmaTransport::SetCongestionControl(QueuePairFilter filter, const ObjectFactory& factory)
{
    m_chosenFactories.emplace_back(std::move(filter), factory);
}

void
RdmaTransport::SetCongestionControl(uint32_t from,
                                    uint32_t to,
                                    uint16_t channel,
                                    const ObjectFactory& factory)
{
    SetCongestionControl(
        [from, to, channel](const RdmaQueuePair& queuePair) {
            return queuePair.GetLocalRank() == from && queuePair.GetRemoteRank() == to &&
                   queuePair.GetChannel() == channel;
        },
        factory);
}

void
RdmaTransport::SetCongestionControlOfRanks(uint32_t first,
                                           uint32_t last,
                                           const ObjectFactory& factory)
{
    SetCongestionControl(
        [first, last](const RdmaQueuePair& queuePair) {
            return queuePair.GetLocalRank() >= first && queuePair.GetLocalRank() <= last;
        },
        factory);
}

void
RdmaTransport::SetCompletionCallback(CompletionCallback callback)
{
    m_completion = std::move(callback);
}

RdmaQueuePair&
RdmaTransport::OpenQueuePair(uint32_t local,
                             uint32_t remote,
                             uint16_t channel,
                             uint8_t trafficClass)
{
    FabricEntry entry(GetEventQueue());
    Message message;
    message.from = local;
    message.to = remote;
    message.channel = channel;
    message.trafficClass = trafficClass;
    return *GetQueuePair(message);
}

bool
RdmaTransport::PostSend(RdmaQueuePair& queuePair, const RdmaWorkRequest& request)
{
    if (request.bytes == 0 || request.bytes > MAX_REQUEST_BYTES)
    {
        throw ConfigError("RdmaTransport",
                          "PostSend",
                          "a work request has " + std::to_string(request.bytes) +
                              " B; 1 to 2147483648 can be");
    }
    FabricEntry entry(GetEventQueue());
    RdmaNic& nic = *queuePair.GetNic();
    uint32_t& open = nic.GetVerbs(queuePair).openRequests;
    if (m_maxSendRequests > 0 && open >= m_maxSendRequests)
    {
        return false;
    }
    ++open;
    const int64_t now = GetEventQueue().Now();
    Message message;
    message.from = queuePair.GetLocalRank();
    message.to = queuePair.GetRemoteRank();
    if (request.verb == RDMA_READ)
    {
        std::swap(message.from, message.to); // the way of the bytes
    }
    message.channel = queuePair.GetChannel();
    message.trafficClass = queuePair.GetTrafficClass();
    message.verb = request.verb == RDMA_DEFAULT ? RDMA_WRITE : request.verb;
    message.bytes = request.bytes;
    message.tag = request.workRequestId;
    message.immediateData = request.immediateData;
    message.start = now;
    ++m_totals.messagesStarted;
    m_totals.bytesStarted += request.bytes;
    nic.Post(&queuePair,
             message,
             now,
             request.signaled ? RdmaWorkOrigin::REQUEST : RdmaWorkOrigin::UNSIGNALED_REQUEST);
    return true;
}

void
RdmaTransport::PostReceive(RdmaQueuePair& queuePair, uint64_t workRequestId)
{
    FabricEntry entry(GetEventQueue());
    queuePair.GetNic()->PostReceive(&queuePair, workRequestId);
}

void
RdmaTransport::Announce(const Message& expected)
{
    const RdmaVerb verb = expected.verb == RDMA_DEFAULT ? m_verb : expected.verb;
    if (m_postedReceives && verb != RDMA_WRITE && verb != RDMA_READ)
    {
        FabricEntry entry(GetEventQueue());
        PostReceive(*GetQueuePair(expected)->m_peer, expected.tag);
    }
}

void
RdmaTransport::CompleteRequest(RdmaQueuePair& queuePair,
                               const RdmaWork& work,
                               RdmaCompletionStatus status,
                               int64_t now)
{
    --queuePair.GetNic()->GetVerbs(queuePair).openRequests;
    const bool wanted =
        work.origin == RdmaWorkOrigin::REQUEST || status != RdmaCompletionStatus::SUCCESS;
    if (m_completion && wanted)
    {
        RdmaWorkCompletion completion;
        completion.workRequestId = work.message.tag;
        completion.kind = GetKind(work);
        completion.status = status;
        completion.bytes = work.message.bytes;
        completion.tick = now;
        m_completion(queuePair, completion);
    }
}

void
RdmaTransport::FailRequest(RdmaQueuePair& queuePair, const RdmaWork& work)
{
    RdmaCompletionStatus status = RdmaCompletionStatus::FLUSHED;
    RdmaVerbState& verbs = queuePair.GetNic()->GetVerbs(queuePair);
    if (!verbs.toldOfFailure)
    {
        verbs.toldOfFailure = true;
        status = verbs.receives.gaveUp ? RdmaCompletionStatus::RNR_RETRIES_EXCEEDED
                                       : RdmaCompletionStatus::RETRIES_EXCEEDED;
    }
    CompleteRequest(queuePair, work, status, GetEventQueue().Now());
}

void
RdmaTransport::CompleteReceive(const RdmaQueuePair& queuePair,
                               const RdmaWork& work,
                               uint64_t workRequestId,
                               int64_t now)
{
    if (m_completion)
    {
        RdmaWorkCompletion completion;
        completion.workRequestId = workRequestId;
        completion.kind = work.kind == FrameKind::SEND ? RdmaCompletionKind::RECEIVE
                                                       : RdmaCompletionKind::RECEIVE_WRITE;
        completion.bytes = work.message.bytes;
        completion.hasImmediateData = work.immediate != 0;
        completion.immediateData = work.message.immediateData;
        completion.tick = now;
        m_completion(queuePair, completion);
    }
}

uint64_t
RdmaTransport::GetReadBytes(const RdmaQueuePair& queuePair, const RdmaWork& work) const
{
    const uint64_t come = queuePair.m_verbs->requester.receiver.expectedPsn * m_pathMtu;
    return come > work.readOffset ? std::min(come - work.readOffset, work.readBytes) : 0;
}

} // namespace llm
} // namespace ns3
