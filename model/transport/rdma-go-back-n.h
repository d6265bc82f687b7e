/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GO_BACK_N_H
#define RDMA_GO_BACK_N_H

#include "rdma-go-back.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Go-back-N, the rule of the InfiniBand specification (Vol. 1, 9.7): the requester goes on from the
 * NAK's PSN, or after a timeout from the oldest unacknowledged packet.
 */
class RdmaGoBackN final : public RdmaGoBack
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    uint64_t ResumeAfterNak(uint64_t nakPsn, uint64_t messageStart) const override;
    uint64_t ResumeAfterTimeout(uint64_t unackedPsn, uint64_t messageStart) const override;
};

} // namespace llm
} // namespace ns3

#endif // RDMA_GO_BACK_N_H
