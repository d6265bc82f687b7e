/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SELECTIVE_REPEAT_H
#define RDMA_SELECTIVE_REPEAT_H

#include "rdma-selective-reliability.h"

#include "ns3/nstime.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Selective repeat of IRN (Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018,
 * s. 3):
 *
 * - The responder answers every packet that comes early by a NAK with the cumulative PSN and the
 *   PSN of that packet.
 * - The first such NAK, or a timeout, begins a round of recovery that ends when all that was sent
 *   before it is acknowledged. In a round, every packet that is missing below one that has arrived
 *   is sent again once, oldest first, ahead of new packets; the first is the cumulative PSN. If
 *   holes are known above when a round ends, the next begins at once.
 * - After a timeout, all packets of the round that have not arrived are sent again. The paper
 *   leaves open which; ResendAllAfterTimeout=false sends only the oldest and what is missing below
 *   one that has arrived.
 * - Timeouts are short with few packets in flight and long otherwise.
 * - BDP-FC: at most a bandwidth-delay product of packets from the oldest unacknowledged one on.
 */
class RdmaSelectiveRepeat final : public RdmaSelectiveReliability
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaSelectiveRepeat();
    ~RdmaSelectiveRepeat() override;

    void Connect(RdmaSelectiveSender& sender,
                 const RdmaPathInfo& path,
                 int64_t timeoutTicks) const override;
    bool FindLosses(RdmaSelectiveSender& sender) const override;
    void HandleTimeout(RdmaSelectiveSender& sender) const override;

  protected:
    RdmaReceiveVerdict::Reply GetEarlyReply() const override;

  private:
    /** Begin a round of recovery. @param sender to update. */
    static void BeginRound(RdmaSelectiveSender& sender);
    /** Find what the present round must send again. @param sender to update. */
    static void SearchRound(RdmaSelectiveSender& sender);

    bool m_bdpFlowControl; //!< attribute BdpFlowControl
    uint32_t m_maxPackets; //!< attribute MaxPackets
    Time m_lowTimeout;     //!< attribute LowTimeout
    Time m_highTimeout;    //!< attribute HighTimeout
    uint32_t m_fewPackets; //!< attribute LowTimeoutPackets
    bool m_resendAll;      //!< attribute ResendAllAfterTimeout
};

} // namespace llm
} // namespace ns3

#endif // RDMA_SELECTIVE_REPEAT_H
