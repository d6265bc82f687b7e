/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_LOAD_BALANCER_H
#define PACKET_LOAD_BALANCER_H

#include "hashed-load-balancer.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What policies share that decide for each frame. RDMA frames of the attribute Classes are spread,
 * which is how a sender marks them as fit for it; all others, and packets of ordinary applications,
 * whose TCP takes reordering for loss, follow the ECMP hash. Receivers need a reliability that
 * takes packets out of order.
 */
class PacketLoadBalancer : public HashedLoadBalancer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    PacketLoadBalancer();
    ~PacketLoadBalancer() override;
    uint32_t Select(const Frame& frame, FabricCandidates ports, int64_t now) final;
    std::optional<uint32_t> Predict(const Frame& frame, FabricCandidates ports) const final;
    bool KeepsOrder() const override;

  protected:
    /** Select for a frame that is spread; the same parameters and result. */
    virtual uint32_t SelectForPacket(const Frame& frame, FabricCandidates ports, int64_t now) = 0;

  private:
    /** @return true if the frame is one to spread. */
    bool IsSpread(const Frame& frame) const
    {
        return ((m_classes >> frame.trafficClass) & 1) && frame.kind != FrameKind::PACKET;
    }

    uint8_t m_classes; //!< attribute Classes
};

} // namespace llm
} // namespace ns3

#endif // PACKET_LOAD_BALANCER_H
