/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_PORT_H
#define RDMA_NIC_PORT_H

#include "ns3/llm-frame-port.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llm
{

class RdmaNic;
class RdmaQueuePair;

/**
 * @ingroup llm-training
 *
 * One port of an RdmaNic: what the fabric pulls frames from and hands frames to. Keeps the queue
 * pairs bound to it that may send, in a ring for each class, and serves them in deficit round
 * robin: over any time in which queue pairs have something to send, each gets the same link bytes,
 * in O(1) per packet (Shreedhar and Varghese, SIGCOMM 1995). Those that pacing or a window keeps
 * below that share leave the rest to the others: max-min fairness.
 */
class RdmaNicPort final : public FrameEndpoint
{
  public:
    /**
     * @param nic owner.
     * @param port to send and receive at.
     * @param quantum link bytes of a full packet, which a turn is worth.
     */
    RdmaNicPort(RdmaNic* nic, FramePort* port, int32_t quantum);

    /** @return port of the fabric. */
    FramePort* GetPort() const
    {
        return m_port;
    }

    // -- FrameEndpoint
    Frame* PullFrame(uint8_t trafficClass, int64_t now, bool& more) override;
    void ReceiveFrame(Frame* frame, int64_t now) override;
    void LinkChanged(bool up, int64_t now) override;

  private:
    friend class RdmaNic;

    /** Ring of queue pairs of one class that may send. */
    struct ReadyRing
    {
        RdmaQueuePair* last{nullptr}; //!< its m_readyNext is the first
    };

    /** Put a queue pair that may send behind all others of its class. */
    void Insert(RdmaQueuePair& qp, int64_t now);
    /**
     * Take the first queue pair out of a ring, and have it come back when pacing lets it.
     * @param ring not empty.
     * @param maySend whether only pacing holds it.
     */
    void Retire(ReadyRing& ring, bool maySend);
    /** Take a queue pair out of its ring. */
    void Remove(RdmaQueuePair& qp);

    RdmaNic* m_nic;                   //!< owner
    uint64_t m_bitRate{0};            //!< of the port, when last looked at
    FramePort* m_port;                //!< port of the fabric
    int32_t m_quantum;                //!< link bytes of a turn
    std::array<ReadyRing, 8> m_rings; //!< by class
};

} // namespace llm
} // namespace ns3

#endif // RDMA_NIC_PORT_H
