/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GO_BACK_ZERO_H
#define RDMA_GO_BACK_ZERO_H

#include "rdma-go-back.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Go-back-0, what early RoCE adapters did: a lost packet costs the whole message. The responder
 * throws away what it had of it, and the requester starts it anew, after a NAK as after a timeout.
 * Long messages on a lossy path never end (Guo et al., SIGCOMM 2016, s. 4.1). A message is one RDMA
 * WRITE here: longer ones than RdmaTransport::MaxWriteBytes are several.
 */
class RdmaGoBackZero final : public RdmaGoBack
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaReceiveVerdict Receive(RdmaReceiverState& state, uint64_t psn) const override;
    RdmaReceiveVerdict ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const override;
    uint64_t ResumeAfterNak(uint64_t nakPsn, uint64_t messageStart) const override;
    uint64_t ResumeAfterTimeout(uint64_t unackedPsn, uint64_t messageStart) const override;
    bool DiscardsProgress() const override;
};

} // namespace llm
} // namespace ns3

#endif // RDMA_GO_BACK_ZERO_H
