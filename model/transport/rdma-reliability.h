/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RELIABILITY_H
#define RDMA_RELIABILITY_H

#include "rdma-receive-window.h"

#include "ns3/object.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llm
{

/** Responder state of a queue pair, as far as reliability goes. */
struct RdmaReceiverState
{
    uint64_t expectedPsn{0};  //!< everything below has been taken
    uint64_t messageStart{0}; //!< first PSN of the message that expectedPsn belongs to
    bool nakSent{false};      //!< a NAK for expectedPsn is out
    std::unique_ptr<RdmaReceiveWindow> early; //!< what came ahead of expectedPsn; selective only
};

/** What to do with an arriving data packet. */
struct RdmaReceiveVerdict
{
    /** Fate of the payload. */
    enum class Payload : uint8_t
    {
        ACCEPT,       //!< deliver in order
        ADVANCE,      //!< deliver in order, and with it what came early, up to expectedPsn
        PLACED,       //!< taken ahead of its turn
        DUPLICATE,    //!< taken before
        OUT_OF_ORDER, //!< thrown away
        DISCARD,      //!< thrown away with all that was taken of its message
        RESTART,      //!< the first of its message again: taken, what was taken before is not
        TRIMMED       //!< there is none
    };

    /** Answer to the sender. */
    enum class Reply : uint8_t
    {
        AS_ASKED,      //!< an ACK if the packet asks for one
        ACK,           //!< an ACK
        NAK,           //!< a NAK for expectedPsn
        SELECTIVE_ACK, //!< an ACK that names this packet
        SELECTIVE_NAK, //!< a NAK that names this packet
        NOTHING        //!< none
    };

    Payload payload{Payload::ACCEPT}; //!< fate
    Reply reply{Reply::AS_ASKED};     //!< AS_ASKED if payload is ACCEPT
};

/**
 * @ingroup llm-training
 *
 * Loss recovery of a reliable connection. Stateless: one instance serves all queue pairs of a
 * transport. This is the responder's half; the requester's is either that of RdmaGoBack (send again
 * from some packet on) or of RdmaSelectiveReliability (send again what is missing). Derive from one
 * of them.
 */
class RdmaReliability : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();

    /**
     * A whole data packet has arrived.
     * @param state of the responder; updated.
     * @param psn 64-bit number of the packet.
     * @return what to do.
     */
    virtual RdmaReceiveVerdict Receive(RdmaReceiverState& state, uint64_t psn) const = 0;

    /**
     * A data packet has arrived whose payload a switch cut off.
     * @param state of the responder; updated.
     * @param psn 64-bit number of the packet.
     * @return what to do.
     */
    virtual RdmaReceiveVerdict ReceiveTrimmed(RdmaReceiverState& state, uint64_t psn) const = 0;

    /** @return bytes by which packets that are not the first of their message are longer, because
     *  each says where it belongs; 0 or wire::RETH. Constant. */
    virtual uint32_t GetAddressBytes() const;
};

} // namespace llm
} // namespace ns3

#endif // RDMA_RELIABILITY_H
