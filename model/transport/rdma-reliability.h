/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RELIABILITY_H
#define RDMA_RELIABILITY_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/** Responder state of a queue pair, as far as reliability goes. */
struct RdmaReceiverState
{
    uint64_t expectedPsn{0}; //!< everything below has been taken
    bool nakSent{false};     //!< a NAK for expectedPsn is out
};

/** What to do with an arriving data packet. */
struct RdmaReceiveVerdict
{
    /** Fate of the payload. */
    enum class Payload : uint8_t
    {
        ACCEPT,      //!< deliver in order
        DUPLICATE,   //!< delivered before
        OUT_OF_ORDER //!< thrown away
    };

    Payload payload{Payload::ACCEPT}; //!< fate
    bool sendNak{false};              //!< send a NAK for expectedPsn
};

/**
 * @ingroup llm-training
 *
 * Loss recovery of a reliable connection: what the responder accepts, and from where the requester
 * sends again. Stateless; one instance serves all queue pairs of a transport.
 */
class RdmaReliability : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();

    /**
     * @param state of the responder; updated.
     * @param psn 64-bit number of the packet.
     * @return what to do.
     */
    virtual RdmaReceiveVerdict Receive(RdmaReceiverState& state, uint64_t psn) const = 0;

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
};

/**
 * @ingroup llm-training
 *
 * Go-back-N, the rule of the InfiniBand specification (Vol. 1, 9.7): in-order packets only; one
 * NAK per gap, until the expected packet arrives; the requester goes on from the NAK's PSN, or
 * after a timeout from the oldest unacknowledged packet.
 */
class RdmaGoBackN final : public RdmaReliability
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaReceiveVerdict Receive(RdmaReceiverState& state, uint64_t psn) const override;
    uint64_t ResumeAfterNak(uint64_t nakPsn, uint64_t messageStart) const override;
    uint64_t ResumeAfterTimeout(uint64_t unackedPsn, uint64_t messageStart) const override;
};

} // namespace llm
} // namespace ns3

#endif // RDMA_RELIABILITY_H
