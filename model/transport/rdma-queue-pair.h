/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "llm-message-transport.h"
#include "rdma-congestion-ops.h"
#include "rdma-path-selector.h"
#include "rdma-selective-reliability.h"
#include "rdma-verb-state.h"

#include "ns3/fabric-frame.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{
namespace llm
{

class RdmaNic;
class RdmaNicPort;
class RdmaWorkListener;

/** Who posted a work request. */
enum class RdmaWorkOrigin : uint8_t
{
    MESSAGE,            //!< MessageTransport::Send
    REQUEST,            //!< RdmaTransport::PostSend
    UNSIGNALED_REQUEST, //!< the same, and no completion is wanted
};

/**
 * @ingroup llm-training
 *
 * A work request on its way: a message, or a part of one that is too long for one RDMA WRITE.
 */
struct RdmaWork
{
    RdmaWork* next{nullptr};          //!< next in the queue pair
    uint64_t bytes{0};                //!< that the requester sends, > 0; 0 for a READ
    uint64_t offset{0};               //!< of its first byte, relative to the queue pair's base
    uint64_t firstPsn{0};             //!< 64-bit number of its first packet
    uint64_t endPsn{0};               //!< one past its last packet
    FrameKind kind{FrameKind::WRITE}; //!< of its packets: WRITE, SEND or READ_REQUEST
    uint8_t firstBytes{0};            //!< by which its first packet is longer than a bare one
    uint8_t immediate{0};       //!< Frame::IMMEDIATE if its last packet carries data of it, or 0
    bool firstOfMessage{false}; //!< its start is the message's start
    bool lastOfMessage{false};  //!< its end is the message's end
    bool failed{false};         //!< the listener knows that it failed
    RdmaWorkOrigin origin{RdmaWorkOrigin::MESSAGE}; //!< who posted it
    uint64_t readBytes{0};                          //!< READ: bytes asked for
    uint64_t readOffset{0}; //!< READ: address of its first byte, a multiple of the path MTU
    Message message;        //!< what it belongs to
};

/** Counters of a queue pair's requester and responder, that only report. */
struct RdmaQueuePairCounters
{
    uint64_t payloadSent{0};          //!< first transmissions
    uint64_t payloadRetransmitted{0}; //!< further ones
    uint64_t dataPackets{0};          //!< all transmissions
    uint64_t payloadReceived{0};      //!< accepted by the responder
    uint64_t payloadDuplicate{0};     //!< received again
    uint64_t payloadOutOfOrder{0};    //!< received and thrown away
    uint64_t acksSent{0};             //!< by the responder
    uint64_t naksSent{0};             //!< by the responder
    uint64_t rnrNaksSent{0};          //!< by the responder
    uint64_t readRequests{0};         //!< by the requester, all transmissions
    uint64_t payloadInResponses{0};   //!< part of payloadSent, to READs of the peer
    uint64_t cnpsSent{0};             //!< by the responder
    uint64_t cnpsReceived{0};         //!< by the requester
    uint64_t timeouts{0};             //!< of the requester
    uint64_t resentAfterTimeout{0};   //!< part of payloadRetransmitted; the rest: after NAK, trim
    uint64_t recoveries{0};           //!< times the requester noticed a loss before a timeout
    uint64_t trimsReceived{0};        //!< data packets that came without payload
    uint64_t placedEarly{0};          //!< data packets taken ahead of their turn
};

/**
 * @ingroup llm-training
 *
 * One side of a reliable connection: requester (work queue, PSNs, pacing, congestion control) and
 * responder. PSNs and offsets are 64-bit inside and never wrap; 24 bits of the PSN are on the wire.
 * The NIC drives it; others look.
 */
class RdmaQueuePair final : public RdmaCongestionHost
{
  public:
    static constexpr int64_t NEVER = INT64_MAX; //!< tick of what is not pending
    static constexpr uint32_t PACE_BITS = 20;   //!< fractional bits of a pacing interval

    /**
     * @param nic owner.
     * @param number of this queue pair at its NIC, 24 bit.
     * @param localRank rank on this side.
     * @param remoteRank rank on the other side.
     * @param channel of the connection.
     * @param listener is told about its work.
     */
    RdmaQueuePair(RdmaNic* nic,
                  uint32_t number,
                  uint32_t localRank,
                  uint32_t remoteRank,
                  uint16_t channel,
                  RdmaWorkListener* listener);

    /** @return number at its NIC. */
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /** @return the other side. */
    const RdmaQueuePair* GetPeer() const
    {
        return m_peer;
    }

    /** @return owner. */
    RdmaNic* GetNic() const
    {
        return m_nic;
    }

    /** @return rank on this side. */
    uint32_t GetLocalRank() const
    {
        return m_localRank;
    }

    /** @return rank on the other side. */
    uint32_t GetRemoteRank() const
    {
        return m_remoteRank;
    }

    /** @return channel of the connection. */
    uint16_t GetChannel() const
    {
        return m_channel;
    }

    /** @return who is told about its work; nullptr: nobody any more. */
    const RdmaWorkListener* GetListener() const
    {
        return m_listener;
    }

    /** @return port that it sends at; nullptr before it is connected. */
    const RdmaNicPort* GetNicPort() const
    {
        return m_nicPort;
    }

    /** @return traffic class 0..7 of its frames. */
    uint8_t GetTrafficClass() const
    {
        return m_trafficClass;
    }

    /** @return endpoint of this side, by its index in the fabric. */
    uint32_t GetEndpoint() const
    {
        return m_endpoint;
    }

    /** @return endpoint of the other side. */
    uint32_t GetRemoteEndpoint() const
    {
        return m_remoteEndpoint;
    }

    /** @return number of the other side's queue pair, which data packets carry. */
    uint32_t GetRemoteNumber() const
    {
        return m_remoteNumber;
    }

    /** @return source port of what has none of its own: ACKs, and data unless the path selector
     *  chooses for each packet. */
    uint16_t GetEntropy() const
    {
        return m_entropy;
    }

    /** @return what RdmaPathSelector::AddQueuePair said. */
    uint32_t GetPathSlot() const
    {
        return m_pathSlot;
    }

    /** @return path selector. */
    Ptr<RdmaPathSelector> GetPathSelector() const
    {
        return m_paths;
    }

    /** @return 64-bit PSN of the next packet to send. */
    uint64_t GetNextPsn() const
    {
        return m_nextPsn;
    }

    /** @return oldest 64-bit PSN not acknowledged. */
    uint64_t GetUnackedPsn() const
    {
        return m_unackedPsn;
    }

    /** @return payload in flight, bytes; without what is known to have arrived or to be lost. */
    uint64_t GetInFlight() const
    {
        return m_sentBytes - m_ackedBytes - (m_selective ? m_selective->window.GetGrounded() : 0);
    }

    /** @return requester state of selective reliability; nullptr: it goes back. */
    const RdmaSelectiveSender* GetSelective() const
    {
        return m_selective.get();
    }

    /** @return what it keeps for READs and receives; nullptr: nothing. */
    const RdmaVerbState* GetVerbs() const
    {
        return m_verbs.get();
    }

    /** @return responder state. */
    const RdmaReceiverState& GetReceiver() const
    {
        return m_receiver;
    }

    /** @return retransmission timeout, ticks. */
    int64_t GetTimeoutTicks() const
    {
        return m_timeoutTicks;
    }

    /** @return true if retries are exhausted. */
    bool HasFailed() const
    {
        return m_special & FAILED;
    }

    /** @return payload acknowledged since the start, bytes. */
    uint64_t GetAckedBytes() const
    {
        return m_ackedBytes;
    }

    /** @return work that is not acknowledged whole, oldest first; nullptr: none. */
    const RdmaWork* GetFirstWork() const
    {
        return m_firstWork;
    }

    /** @return tick of the next retransmission timeout, NEVER if not running. */
    int64_t GetTimeoutAt() const
    {
        return m_timeoutAt;
    }

    /** @return congestion control. */
    Ptr<RdmaCongestionOps> GetCongestionOps() const
    {
        return m_congestion;
    }

    /** @return counters. */
    const RdmaQueuePairCounters& GetCounters() const
    {
        return m_counters;
    }

    // -- RdmaCongestionHost
    void ArmTimer(uint32_t id, Time at) override;
    void CancelTimer(uint32_t id) override;
    void ControlChanged() override;

  private:
    friend class RdmaNic;
    friend class RdmaNicPort;
    friend class RdmaTransport;

    /** Bits of m_special: what the packet path need not look at one by one. */
    enum Special : uint8_t
    {
        FAILED = 1,    //!< retries are exhausted
        SELECTIVE = 2, //!< m_selective is set
        READS = 4,     //!< it has asked to READ, now or before
        RESPONDS = 8,  //!< it has READ responses to send
        NOT_READY = 16 //!< it waits after an RNR NAK
    };

    // Requester, hot.
    RdmaNic* m_nic;                      //!< owner
    RdmaNicPort* m_nicPort{nullptr};     //!< that it is bound to
    RdmaQueuePair* m_peer{nullptr};      //!< other side
    RdmaQueuePair* m_readyNext{nullptr}; //!< in the NIC's ring of ready queue pairs
    RdmaCongestionOps* m_ops{nullptr};   //!< same as m_congestion
    RdmaWork* m_currentWork{nullptr};    //!< work that m_nextPsn belongs to
    uint64_t m_nextPsn{0};               //!< next to send
    uint64_t m_unackedPsn{0};            //!< oldest not acknowledged
    uint64_t m_highPsn{0};               //!< one past the highest ever sent
    uint64_t m_endPsn{0};                //!< one past the last packet of all posted work
    uint64_t m_sentBytes{0};             //!< payload below m_nextPsn
    uint64_t m_ackedBytes{0};            //!< payload below m_unackedPsn
    uint64_t m_window{UINT64_MAX};       //!< payload that may be in flight
    uint64_t m_ticksPerByte{0};          //!< pacing, 20 fractional bits
    int64_t m_nextSendAt{0};             //!< pacing: not before
    int64_t m_lastSendAt{0};             //!< tick of the last packet
    uint32_t m_lastWireBytes{0};         //!< its link bytes
    uint32_t m_paceFraction{0};          //!< of m_nextSendAt, 20 bits
    uint32_t m_needs{0};                 //!< of the congestion control
    uint32_t m_number;                   //!< at this NIC
    uint32_t m_endpoint{0};              //!< of this side
    uint32_t m_remoteEndpoint{0};        //!< of the other side
    uint32_t m_remoteNumber{0};          //!< queue pair number there
    uint32_t m_sinceAckRequest{0};       //!< packets since AckReq was set
    uint32_t m_ackInterval{1};           //!< packets per AckReq
    uint16_t m_entropy{0};               //!< UDP source port
    uint8_t m_trafficClass{3};           //!< of its frames
    uint8_t m_intBytesPerHop{0};         //!< that telemetry lengthens data by
    int32_t m_deficit{0};                //!< link bytes that are left of its turn
    uint8_t m_homePort{0};               //!< index of the port that it is bound to while that is up
    bool m_ready{false};                 //!< in the ring
    uint8_t m_special{0};                //!< bits of Special
    bool m_afterTimeout{false};          //!< what is sent again is so because of a timeout
    bool m_perPacketPath{false};         //!< m_paths is asked for every packet
    uint32_t m_pathSlot{0};              //!< of m_paths
    Ptr<RdmaPathSelector> m_paths;       //!< entropy
    int64_t m_paceAt{NEVER};             //!< a pacing timer is pending for this tick
    int64_t m_timeoutAt{NEVER};          //!< retransmission timeout
    int64_t m_timeoutTimer{NEVER};       //!< a timer entry is pending for this tick
    int64_t m_timeoutTicks{0};           //!< from start to m_timeoutAt
    uint32_t m_retries{0};               //!< timeouts without progress
    uint32_t m_stuckTimeouts{0};         //!< go-back-0: timeouts of the message from m_stuckPsn on
    uint64_t m_stuckPsn{UINT64_MAX};     //!< go-back-0: start of the message that timed out last
    bool m_idle{false};                  //!< its congestion control was told that it is idle
    RdmaWork* m_firstWork{nullptr};      //!< oldest not acknowledged whole
    RdmaWork* m_lastWork{nullptr};       //!< newest
    std::unique_ptr<RdmaSelectiveSender> m_selective;   //!< selective reliability, else nullptr
    std::unique_ptr<RdmaVerbState> m_verbs;             //!< READs and receives; nullptr: none
    std::array<int64_t, 2> m_ccTimerAt{{NEVER, NEVER}}; //!< congestion control's timers

    // Responder, hot.
    RdmaReceiverState m_receiver;   //!< in-order point
    RdmaWork* m_incoming{nullptr};  //!< the peer's work that is being received
    uint64_t m_receivedOfWork{0};   //!< bytes of it
    uint64_t m_messagesReceived{0}; //!< MSN
    int64_t m_nextCnpAt{INT64_MIN}; //!< CNP pacing

    RdmaQueuePairCounters m_counters;    //!< for reports
    RdmaWorkListener* m_listener;        //!< is told about its work
    Ptr<RdmaCongestionOps> m_congestion; //!< of the requester
    uint32_t m_localRank;                //!< this side
    uint32_t m_remoteRank;               //!< other side
    uint16_t m_channel;                  //!< of the connection
};

static_assert(sizeof(RdmaQueuePair) <= 1024, "a queue pair is at most 1 KiB");

} // namespace llm
} // namespace ns3

#endif // RDMA_QUEUE_PAIR_H
