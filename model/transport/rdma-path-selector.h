/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATH_SELECTOR_H
#define RDMA_PATH_SELECTOR_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

class RdmaQueuePair;

/** What became of a packet, for a selector that chooses paths by it. */
enum class RdmaPathEvent : uint8_t
{
    ACKED,   //!< arrived unmarked
    ECN,     //!< arrived with a CE mark
    TRIMMED, //!< arrived without its payload
    LOST,    //!< a NAK tells of a loss; which path is not known: entropy 0
    TIMEOUT  //!< the oldest packet timed out; which path is not known: entropy 0
};

/**
 * @ingroup llm-training
 *
 * Chooses the entropy (UDP source port) of data packets, by which switches spread flows.
 */
class RdmaPathSelector : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();

    /**
     * @param source endpoint of the sender.
     * @param destination endpoint of the receiver.
     * @param channel of the connection.
     * @return source port of a new queue pair.
     */
    virtual uint16_t ChooseInitial(uint32_t source, uint32_t destination, uint16_t channel) = 0;

    /** @return true if Choose must be asked for every packet. */
    virtual bool IsPerPacket() const = 0;

    /**
     * @param queuePair that sends.
     * @param psn 64-bit number of the packet.
     * @return source port of the packet.
     */
    virtual uint16_t Choose(const RdmaQueuePair& queuePair, uint64_t psn) = 0;

    /** @return true if Feedback is to be called: ACKs and NAKs then carry the source port of the
     *  data packet that caused them, and CE marks of data are echoed. Constant. */
    virtual bool WantsFeedback() const;

    /**
     * An ACK, a NAK or a timeout tells something of a path.
     * @param queuePair that sent the data.
     * @param entropy source port of the data packet; 0 if not known.
     * @param event what became of it.
     */
    virtual void Feedback(const RdmaQueuePair& queuePair, uint16_t entropy, RdmaPathEvent event);
};

/**
 * @ingroup llm-training
 *
 * One source port per queue pair for life, 0xC000 to 0xFFFF, from a hash of the connection: all its
 * packets take one path under ECMP.
 */
class RdmaSinglePath final : public RdmaPathSelector
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    uint16_t ChooseInitial(uint32_t source, uint32_t destination, uint16_t channel) override;
    bool IsPerPacket() const override;
    uint16_t Choose(const RdmaQueuePair& queuePair, uint64_t psn) override;
};

} // namespace llm
} // namespace ns3

#endif // RDMA_PATH_SELECTOR_H
