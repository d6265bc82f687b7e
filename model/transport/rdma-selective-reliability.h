/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SELECTIVE_RELIABILITY_H
#define RDMA_SELECTIVE_RELIABILITY_H

#include "rdma-congestion-ops.h"
#include "rdma-reliability.h"
#include "rdma-send-window.h"

namespace ns3
{
namespace llm
{

/** Requester state of a queue pair under selective reliability. */
struct RdmaSelectiveSender
{
    RdmaSendWindow window; //!< packets in flight

    // Constant, set by Connect.
    uint64_t maxPackets{UINT64_MAX}; //!< from the oldest unacknowledged to the newest
    int64_t timeoutTicks{0};         //!< retransmission timeout
    int64_t longTimeoutTicks{0};     //!< the same, with more than fewPackets in flight
    uint64_t fewPackets{UINT64_MAX}; //!< up to so many in flight, timeoutTicks counts
    int64_t reorderTicks{0};         //!< a hole may stay open so long; 0: for ever

    // Of a scheme.
    uint64_t roundEnd{0}; //!< recovery ends when everything below is acknowledged
    uint64_t searched{0}; //!< losses below have been found
    uint64_t overdue{0};  //!< holes below are lost when the reorder timer runs out

    // Of the NIC.
    int64_t reorderAt{INT64_MAX};  //!< a reorder timer is pending for this tick
    int64_t extendedTo{INT64_MAX}; //!< the retransmission timeout was put off to this tick
};

/**
 * @ingroup llm-training
 *
 * Reliability that takes packets in any order and sends again only what is missing. The responder
 * keeps a bitmap of what came early and names each such packet in an ACK or NAK of its own, beside
 * the cumulative PSN; the requester keeps the state of every packet in flight. What counts as lost
 * is the subclass's rule. A trimmed packet is always answered by a NAK that names it, and sent
 * again.
 *
 * Messages are delivered in order, each when all before it are whole.
 */
class RdmaSelectiveReliability : public RdmaReliability
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaSelectiveReliability();
    ~RdmaSelectiveReliability() override;

    RdmaReceiveVerdict Receive(RdmaReceiverState& state, uint64_t psn) const override;
    RdmaReceiveVerdict ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const override;
    uint32_t GetAddressBytes() const override;

    /**
     * Set what is constant for a queue pair.
     * @param sender to set.
     * @param path that it uses.
     * @param timeoutTicks retransmission timeout of the transport.
     */
    virtual void Connect(RdmaSelectiveSender& sender,
                         const RdmaPathInfo& path,
                         int64_t timeoutTicks) const = 0;

    /**
     * An ACK or NAK has been entered into the window: find losses.
     * @param sender to update.
     * @return true if a loss was noticed.
     */
    virtual bool FindLosses(RdmaSelectiveSender& sender) const = 0;

    /**
     * The reorder timer has run out.
     * @param sender to update.
     * @return true if a loss was noticed.
     */
    virtual bool FindOverdue(RdmaSelectiveSender& sender) const;

    /** The oldest packet timed out: at least that is lost. @param sender to update. */
    virtual void HandleTimeout(RdmaSelectiveSender& sender) const = 0;

  protected:
    /** @return SELECTIVE_ACK or SELECTIVE_NAK, for a packet ahead of its turn. Constant. */
    virtual RdmaReceiveVerdict::Reply GetEarlyReply() const = 0;

    /** All that has not arrived is lost. @param sender to update. */
    static void LoseAll(RdmaSelectiveSender& sender);

    /** @param path of a queue pair. @return packets of path MTU that fill it, at least 1; no limit
     *          if it is not known. */
    static uint64_t GetPacketsInBdp(const RdmaPathInfo& path);

  private:
    bool m_addressInEveryPacket; //!< attribute AddressInEveryPacket
};

} // namespace llm
} // namespace ns3

#endif // RDMA_SELECTIVE_RELIABILITY_H
