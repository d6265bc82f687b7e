/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MESSAGE_TRANSPORT_H
#define LLM_MESSAGE_TRANSPORT_H

#include "rdma-verb.h"

#include "ns3/fabric-event-queue.h"
#include "ns3/llm-in-network.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A message between two ranks of one job. Messages of one (from, to, channel) are delivered in
 * the order of sending, each exactly once; empty ones are delivered at once, ahead of all.
 */
struct Message
{
    uint32_t from{0};        //!< sending rank
    uint32_t to{0};          //!< receiving rank
    uint16_t channel{0};     //!< connection among several of the pair
    uint8_t trafficClass{3}; //!< PFC class 0..7; ignored where the transport has none
    uint8_t dimension{0};    //!< ParallelDimension, for reports
    uint8_t protocol{0};     //!< NcclProtocol, for NcclTransport; 0: none
    /** How it travels, for RdmaTransport. RDMA_READ: to asks from for the bytes. */
    RdmaVerb verb{RDMA_DEFAULT};
    uint64_t bytes{0};         //!< length; 0 is delivered at once, without packets
    uint64_t tag{0};           //!< matches sends and receives; carried, not interpreted
    int64_t start{0};          //!< tick when Send was called; set by the transport
    uint32_t immediateData{0}; //!< RDMA_WRITE_IMM, RDMA_SEND_IMM: carried, not interpreted
    /** Not NONE: to the switch of the scale-up domain of all members. REDUCE: to gets the sum, as
     *  a message from and to itself, when all members have sent theirs. MULTICAST: every member
     *  gets a copy from from. Only ScaleUpTransport has such a switch. */
    InNetwork inNetwork{InNetwork::NONE};
    uint32_t part{0}; //!< in-network: equal in messages of (to, channel, tag) that are added up
    const std::vector<uint32_t>* members{nullptr}; //!< in-network: ranks; outlives the message
};

/**
 * @ingroup llm-training
 *
 * Who is told about messages. Calls come from fabric events.
 */
class MessageListener
{
  public:
    /** Every byte has arrived, in order. @param message what. @param now present tick. */
    virtual void MessageDelivered(const Message& message, int64_t now) = 0;
    /** The sender is done with it: the last byte is acknowledged (over sockets: in the send
     *  buffer). @param message what. @param now tick. */
    virtual void MessageSent(const Message& message, int64_t now) = 0;
    /** A message can never be delivered. @param message what. @param reason one line. */
    virtual void MessageFailed(const Message& message, const std::string& reason) = 0;

  protected:
    ~MessageListener() = default;
};

/** Byte and packet counters of a transport: law "bytes are exact". */
struct TransportTotals
{
    uint64_t messagesStarted{0};        //!< Send calls, 0-byte messages included
    uint64_t messagesDelivered{0};      //!< MessageDelivered calls
    uint64_t bytesStarted{0};           //!< bytes handed to Send
    uint64_t bytesDelivered{0};         //!< bytes delivered, each once
    uint64_t payloadSent{0};            //!< payload put on wires, first transmissions
    uint64_t payloadRetransmitted{0};   //!< payload put on wires again
    uint64_t payloadDuplicate{0};       //!< received again after delivery
    uint64_t payloadOutOfOrder{0};      //!< received and discarded, out of order
    uint64_t payloadReceived{0};        //!< received and used, each byte once
    uint64_t dataPackets{0};            //!< data packets sent, all transmissions
    uint64_t acksSent{0};               //!< ACKs
    uint64_t naksSent{0};               //!< NAKs
    uint64_t readRequests{0};           //!< READ requests, all transmissions
    uint64_t rnrNaksSent{0};            //!< NAKs because no receive was posted
    uint64_t cnpsSent{0};               //!< CNPs
    uint64_t cnpsReceived{0};           //!< CNPs taken by senders
    uint64_t timeouts{0};               //!< retransmission timeouts
    uint64_t resentAfterTimeout{0};     //!< part of payloadRetransmitted, because of timeouts
    uint64_t recoveries{0};             //!< losses that senders noticed before a timeout
    uint64_t trimsReceived{0};          //!< data packets that came without payload
    uint64_t placedEarly{0};            //!< data packets taken ahead of their turn
    uint64_t protocolBytesStarted{0};   //!< flags and clear-to-send, in payload but not in messages
    uint64_t protocolBytesDelivered{0}; //!< the same where they arrived
    uint64_t clearToSends{0};           //!< clear-to-send records sent
    uint64_t bytesReduced{0};           //!< started, and added to others in a scale-up switch
    uint64_t bytesMulticast{0};         //!< delivered, but copied in a scale-up switch

    /** Add the counters of another transport. @param other its counters. @return this. */
    TransportTotals& operator+=(const TransportTotals& other);
};

/**
 * @ingroup llm-training
 *
 * Moves messages between the ranks of a job. The application knows nothing below this interface:
 * RDMA over a fabric, stream sockets over any ns-3 network, or a scale-up domain.
 */
class MessageTransport : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    MessageTransport();
    ~MessageTransport() override;

    /** @param listener is told about every message of this transport; outlives its use. */
    void SetListener(MessageListener* listener);

    /**
     * Start a message; both ranks must be known to the transport.
     * @param message copied.
     * @throw ConfigError if a rank is unknown or both are the same.
     */
    virtual void Send(const Message& message) = 0;

    /**
     * The receiver of a collective is ready for one more message of (from, to, channel). Called
     * once for each, in order; a transport without clear-to-send takes no notice.
     * @param expected what will come: from, to, channel, class, protocol, bytes > 0.
     */
    virtual void Announce(const Message& expected);

    /** @return the event core that this transport's calls come from. */
    virtual FabricEventQueue& GetEventQueue() = 0;

    /** @return counters so far. */
    virtual TransportTotals GetTotals() const = 0;

    /**
     * Say what is open, for the report of a run that cannot end.
     * @param lines gets one line per open message (at most @p most), with who waits for whom,
     *        bytes done of how many, and what holds it (paused class, timer, window).
     * @param most upper bound.
     */
    virtual void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const = 0;

    /**
     * Signature of MessageStart and MessageEnd.
     * @param message what; start and end in ticks.
     * @param now present tick.
     */
    typedef void (*MessageTracedCallback)(const Message& message, int64_t now);

  protected:
    void DoDispose() override;
    /** Fire MessageStart. @param message what. @param now tick. */
    void NotifyStart(const Message& message, int64_t now);
    /** Fire MessageEnd and tell the listener of delivery. @param message what. @param now tick. */
    void NotifyDelivered(const Message& message, int64_t now);
    /** Tell the listener that the sender is done. @param message what. @param now tick. */
    void NotifySent(const Message& message, int64_t now);
    /** Tell the listener of failure. @param message what. @param reason one line. */
    void NotifyFailed(const Message& message, const std::string& reason);

  private:
    MessageListener* m_listener{nullptr};                   //!< who is told
    TracedCallback<const Message&, int64_t> m_messageStart; //!< a message starts
    TracedCallback<const Message&, int64_t> m_messageEnd;   //!< a message is delivered
};

} // namespace llm
} // namespace ns3

#endif // LLM_MESSAGE_TRANSPORT_H
