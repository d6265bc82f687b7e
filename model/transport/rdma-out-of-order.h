/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_OUT_OF_ORDER_H
#define RDMA_OUT_OF_ORDER_H

#include "rdma-selective-reliability.h"

#include "ns3/nstime.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Out-of-order placement for packets that are sprayed over paths, as adapters with adaptive routing
 * and Ultra Ethernet do: a packet that comes early is placed and acknowledged by itself, and is no
 * sign of a loss. A packet is lost
 *
 * - when packets behind it have been acknowledged for longer than ReorderTime and it has not, and
 *   again after two such times if sent again without success;
 * - when a packet at least ReorderDegree behind it has been acknowledged, if that is set;
 * - when it was trimmed;
 * - when the retransmission timeout runs out, with all others that have not arrived.
 */
class RdmaOutOfOrder final : public RdmaSelectiveReliability
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaOutOfOrder();
    ~RdmaOutOfOrder() override;

    void Connect(RdmaSelectiveSender& sender,
                 const RdmaPathInfo& path,
                 int64_t timeoutTicks) const override;
    bool FindLosses(RdmaSelectiveSender& sender) const override;
    bool FindOverdue(RdmaSelectiveSender& sender) const override;
    void HandleTimeout(RdmaSelectiveSender& sender) const override;

  protected:
    RdmaReceiveVerdict::Reply GetEarlyReply() const override;

  private:
    Time m_reorderTime;       //!< attribute ReorderTime
    uint32_t m_reorderDegree; //!< attribute ReorderDegree
    uint32_t m_maxPackets;    //!< attribute MaxPackets
};

} // namespace llm
} // namespace ns3

#endif // RDMA_OUT_OF_ORDER_H
