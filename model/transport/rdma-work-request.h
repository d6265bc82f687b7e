/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WORK_REQUEST_H
#define RDMA_WORK_REQUEST_H

#include "rdma-verb.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A work request for the send queue of a queue pair, as ibv_post_send takes it, without addresses:
 * no memory is modelled.
 */
struct RdmaWorkRequest
{
    uint64_t workRequestId{0}; //!< comes back in the completion
    RdmaVerb verb{RDMA_WRITE}; //!< what to do; RDMA_DEFAULT: RDMA_WRITE
    uint64_t bytes{0};         //!< length, 1 to 2^31
    uint32_t immediateData{0}; //!< RDMA_WRITE_IMM, RDMA_SEND_IMM: for the receiver's completion
    bool signaled{true};       //!< have a completion when it succeeds; failures always have one
};

/** What a completion is of (ibv_wc_opcode). */
enum class RdmaCompletionKind : uint8_t
{
    WRITE,        //!< RDMA WRITE, with immediate data or without, at the requester
    SEND,         //!< SEND at the requester
    READ,         //!< RDMA READ at the requester
    RECEIVE,      //!< SEND at the receiver
    RECEIVE_WRITE //!< RDMA WRITE with immediate data at the receiver
};

/** How work ended (ibv_wc_status). */
enum class RdmaCompletionStatus : uint8_t
{
    SUCCESS,              //!< done
    RETRIES_EXCEEDED,     //!< no answer, RetryCount times
    RNR_RETRIES_EXCEEDED, //!< the receiver had posted no receive, RnrRetryCount times
    FLUSHED               //!< not tried: other work of the queue pair had failed before
};

/**
 * @ingroup llm-training
 *
 * A work completion, as ibv_poll_cq gives it.
 */
struct RdmaWorkCompletion
{
    uint64_t workRequestId{0};                                  //!< of the request or the receive
    RdmaCompletionKind kind{RdmaCompletionKind::WRITE};         //!< of what
    RdmaCompletionStatus status{RdmaCompletionStatus::SUCCESS}; //!< how it ended
    uint64_t bytes{0};                                          //!< that travelled
    bool hasImmediateData{false};                               //!< immediateData is valid
    uint32_t immediateData{0};                                  //!< at the receiver
    int64_t tick{0};                                            //!< when
};

} // namespace llm
} // namespace ns3

#endif // RDMA_WORK_REQUEST_H
