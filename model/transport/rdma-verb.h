/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_VERB_H
#define RDMA_VERB_H

#include <cstdint>

namespace ns3
{
namespace llm
{

/** How bytes travel on a queue pair: operations of the InfiniBand specification, Vol. 1, 9.4. */
enum RdmaVerb : uint8_t
{
    RDMA_DEFAULT,   //!< of a message: what the transport's attribute Verb says
    RDMA_WRITE,     //!< RDMA WRITE: the receiver's software learns nothing
    RDMA_WRITE_IMM, //!< RDMA WRITE, the last packet with immediate data: consumes a receive
    RDMA_SEND,      //!< SEND: consumes a receive
    RDMA_SEND_IMM,  //!< SEND, the last packet with immediate data
    RDMA_READ       //!< RDMA READ: who wants the bytes asks for them
};

} // namespace llm
} // namespace ns3

#endif // RDMA_VERB_H
