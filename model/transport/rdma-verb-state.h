/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_VERB_STATE_H
#define RDMA_VERB_STATE_H

#include "rdma-reliability.h"

#include "ns3/fabric-frame.h"

#include <cstdint>
#include <deque>

namespace ns3
{
namespace llm
{

class RdmaNicPort;

/**
 * Requester of READs. Responses are numbered apart from PSNs, without a gap, over all READs of a
 * queue pair: response n is of the bytes from n times path MTU on, in a space of addresses in which
 * every READ begins at a multiple of the path MTU.
 */
struct RdmaReadRequester
{
    RdmaReceiverState receiver; //!< responses, by their numbers
    uint64_t posted{0};         //!< responses of all READs that were posted
    uint64_t responderTook{0};  //!< selective: PSN below which the responder has taken all
    uint64_t receivedOfWork{0}; //!< bytes of the READ that is being received
    uint32_t outstanding{0};    //!< READs asked for and not complete
};

/** READ that a responder answers: a request, or what is left of it. */
struct RdmaReadResponse
{
    uint64_t offset{0};  //!< address of the next response
    uint64_t end{0};     //!< address behind the last
    uint64_t psn{0};     //!< of the next response
    bool started{false}; //!< the first response is out
    bool ready{true};    //!< not held by TransmitDelay
    FrameFifo answers;   //!< to requests that came behind: not before the responses
};

/** Responder of READs. */
struct RdmaReadResponder
{
    std::deque<RdmaReadResponse> queue; //!< in the order of requests
    uint64_t next{0};                   //!< one past the highest response that counts as sent
    uint64_t sent{0};                   //!< all responses below were sent, at least once
    RdmaReceiveWindow sentEarly;        //!< and these behind; selective only
    uint64_t acknowledged{0};           //!< responses below have arrived, as far as is known
    uint32_t sinceAckRequest{0};        //!< responses since an acknowledgement was asked for
    bool turn{true};                    //!< it is a response's turn, not a request's
    FrameFifo answers;                  //!< that may go now
    RdmaNicPort* answerPort{nullptr};   //!< where they leave
};

/** Receive queue, and what a requester knows of its peer's. */
struct RdmaReceiveQueue
{
    std::deque<uint64_t> posted;     //!< work request ids, oldest first
    uint64_t refusedPsn{UINT64_MAX}; //!< requester: that the last RNR NAK was for
    uint32_t refusals{0};            //!< requester: RNR NAKs for it
    bool gaveUp{false};              //!< requester: RNR retries are exhausted
};

/** What a queue pair keeps for verbs beside RDMA WRITE; it has none while it uses none. */
struct RdmaVerbState
{
    RdmaReadRequester requester; //!< of READs
    RdmaReadResponder responder; //!< of READs
    RdmaReceiveQueue receives;   //!< of SENDs and immediate data
    bool toldOfFailure{false};   //!< the first failed work request is told of
    uint32_t openRequests{0};    //!< work requests posted by PostSend and not complete
};

} // namespace llm
} // namespace ns3

#endif // RDMA_VERB_STATE_H
