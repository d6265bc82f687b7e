/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GO_BACK_H
#define RDMA_GO_BACK_H

#include "rdma-reliability.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Reliability that takes packets in order only: one NAK per gap, until the expected packet arrives,
 * as the InfiniBand specification has it (Vol. 1, 9.7); the requester sends again from some packet
 * on. A trimmed packet is a gap.
 */
class RdmaGoBack : public RdmaReliability
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaReceiveVerdict Receive(RdmaReceiverState& state, uint64_t psn) const override;
    RdmaReceiveVerdict ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const override;

    /**
     * @param nakPsn what the responder expects.
     * @param messageStart first PSN of the oldest message that is not acknowledged whole.
     * @return PSN to send next.
     */
    virtual uint64_t ResumeAfterNak(uint64_t nakPsn, uint64_t messageStart) const = 0;

    /**
     * @param unackedPsn oldest PSN not acknowledged.
     * @param messageStart first PSN of the oldest message that is not acknowledged whole.
     * @return PSN to send next.
     */
    virtual uint64_t ResumeAfterTimeout(uint64_t unackedPsn, uint64_t messageStart) const = 0;

    /** @return true if a NAK may take back what of a message was acknowledged. Constant. */
    virtual bool DiscardsProgress() const;
};

} // namespace llm
} // namespace ns3

#endif // RDMA_GO_BACK_H
