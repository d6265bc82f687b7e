/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ACK_TIMEOUT_H
#define RDMA_ACK_TIMEOUT_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Retransmission timers of the InfiniBand specification, Vol. 1, 9.7.6 and 9.7.5.2.8.
 */
class RdmaAckTimeout
{
  public:
    static constexpr uint32_t MAX_EXPONENT = 31;        //!< of a local ACK timeout
    static constexpr uint32_t INFINIBAND_EXPONENT = 14; //!< what verbs programs customarily set
    static constexpr uint32_t NCCL_EXPONENT = 20;       //!< NCCL_IB_TIMEOUT
    static constexpr int64_t SCALE_RTTS = 64;           //!< of Scale

    /** @param exponent 0 to 31. @return 4.096 us times 2 to that power. */
    static Time FromExponent(uint32_t exponent);

    /**
     * For simulations that should not stand still for 67 ms after a loss: the least of those
     * timeouts that is not below 64 base RTTs.
     * @param baseRtt of the path; 0: not known.
     * @return timeout; that of INFINIBAND_EXPONENT if the path is not known.
     */
    static Time Scale(Time baseRtt);

    /** @param code 0 to 31, of an RNR NAK. @return how long the requester waits. */
    static Time GetRnrDelay(uint32_t code);
};

} // namespace llm
} // namespace ns3

#endif // RDMA_ACK_TIMEOUT_H
