/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NCCL_TRANSPORT_H
#define LLM_NCCL_TRANSPORT_H

#include "llm-message-transport.h"

#include "ns3/llm-growing-fifo.h"
#include "ns3/llm-nccl-protocol.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What NCCL does between a collective and the wire, in front of another transport:
 * - *flags*: a message of protocol LL or LL128 is sent as whole lines with flags;
 * - *latency*: a message is handed on so long after its last byte came, by protocol;
 * - *queue pairs*: a connection has QpsPerConnection of them (Message::channel of the transport
 *   behind), that take messages in turn, or an equal part each of every message;
 * - *clear to send*: the receiver of a collective writes a record to the sender for every message
 *   that it has slots for (NCCL_STEPS in all), and the sender waits for it (NET/IB:
 *   ncclIbSendFifo). The records have queue pairs of their own, so that they never wait behind
 *   data of the other direction, as NCCL's have.
 *
 * Messages of one (from, to, channel) are delivered in the order of sending, whatever queue pairs
 * they took. Messages without a protocol (point to point) have neither flags nor latency, and need
 * no leave. Flags, the filling of the last line and clear-to-send records are protocol bytes: the
 * transport behind counts them as payload, this one apart (TransportTotals).
 */
class NcclTransport : public MessageTransport, private MessageListener
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    NcclTransport();
    ~NcclTransport() override;

    /**
     * Once, before the first message.
     * @param transport that carries what is sent; serves this one only.
     * @param nodeOfRank ns-3 node id of every rank, context of its events.
     * @throw ConfigError if attributes contradict each other.
     */
    void SetTransport(Ptr<MessageTransport> transport, const std::vector<uint32_t>& nodeOfRank);

    void Send(const Message& message) override;
    void Announce(const Message& expected) override;
    FabricEventQueue& GetEventQueue() override;
    TransportTotals GetTotals() const override;
    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const override;

  protected:
    void DoDispose() override;

  private:
    class Inbox;

    /** A message between Send and the end of both sides. */
    struct Parcel
    {
        Message message;          //!< as the user sent it
        uint32_t toArrive{0};     //!< parts under way
        uint32_t toSend{0};       //!< parts not acknowledged
        bool acknowledged{false}; //!< the sender was told
    };

    /** The messages of one (from, to, channel). */
    struct Connection
    {
        Message pattern;             //!< from, to, channel, class
        GrowingFifo<Parcel> parcels; //!< that are not over on both sides; the first is firstNumber
        uint64_t firstNumber{0};     //!< of parcels
        uint64_t nextToSend{0};      //!< number of the first parcel that was not put on the wire
        uint64_t nextToPlan{0};      //!< number of the first parcel that has not come whole
        uint64_t nextToDeliver{0};   //!< number of the first parcel that was not handed on
        uint64_t leaves{0};          //!< clear-to-sends here, that no message has used
        int64_t lastDelivery{0};     //!< tick of the last delivery that was planned
        uint32_t nextQp{0};          //!< whose turn it is
        uint32_t slotsInUse{0};      //!< receiver: sum of granted
        GrowingFifo<uint32_t> granted; //!< receiver: slots of messages that were given leave
        GrowingFifo<Message> wanted;   //!< receiver: announced, no leave yet

        /** @param number of a parcel that is not over. @return it. */
        Parcel& Get(uint64_t number)
        {
            return parcels[number - firstNumber];
        }
    };

    /** What a message of the transport behind belongs to; its tag is the index. */
    struct Flight
    {
        Connection* connection{nullptr}; //!< whose
        uint64_t number{0};              //!< of the parcel; clear-to-send: 0
        bool isClearToSend{false};       //!< it is a record, not data
        bool isEmpty{false};             //!< a message of 0 bytes, which goes ahead of all
        uint8_t ends{0};                 //!< delivered, acknowledged
        Message message;                 //!< if isEmpty
    };

    void MessageDelivered(const Message& message, int64_t now) override;
    void MessageSent(const Message& message, int64_t now) override;
    void MessageFailed(const Message& message, const std::string& reason) override;

    /** @return the connection of a message, made if absent. */
    Connection& GetConnection(const Message& message);
    /** @return index of a free flight. */
    uint64_t AllocateFlight();
    /** One of the two ends of a flight. */
    void EndFlight(uint64_t index);
    /** Put on the wire what may go. */
    void Pump(Connection& connection);
    /** Put a parcel on the wire. */
    void Launch(Connection& connection, Parcel& parcel, uint64_t number);
    /** Send one part of it. */
    void LaunchPart(Connection& connection,
                    const Parcel& parcel,
                    uint64_t number,
                    uint32_t queuePair,
                    uint64_t bytes);
    /** Give leave for what was announced and has slots. */
    void Grant(Connection& connection);
    /** Plan the deliveries that are next in order. */
    void Arrange(Connection& connection, int64_t now);
    /** Hand the oldest message of a connection on. */
    void Deliver(Connection& connection, int64_t now);
    /** Forget parcels that are over. */
    static void Trim(Connection& connection);
    /** @return ticks between last byte and delivery. */
    int64_t GetLatency(uint8_t protocol) const;
    /** @return whether a message needs leave. */
    bool NeedsLeave(const Message& message) const;
    /** @return Message::channel behind. */
    uint16_t GetInnerChannel(uint16_t channel, uint32_t queuePair) const;

    Time m_latencySimple;                                   //!< attribute
    Time m_latencyLl;                                       //!< attribute
    Time m_latencyLl128;                                    //!< attribute
    uint32_t m_queuePairs{1};                               //!< attribute
    bool m_split{false};                                    //!< attribute
    bool m_clearToSend{false};                              //!< attribute
    uint32_t m_clearToSendBytes{64};                        //!< attribute
    Ptr<MessageTransport> m_transport;                      //!< behind
    std::vector<std::unique_ptr<Inbox>> m_inboxes;          //!< by rank
    std::vector<std::unique_ptr<Connection>> m_connections; //!< in order of first use
    /** By (from, to, channel); never iterated. */
    std::unordered_map<uint64_t, Connection*> m_connectionOf;
    std::vector<Flight> m_flights;    //!< by tag
    std::vector<uint64_t> m_freeTags; //!< free places in m_flights
    TransportTotals m_totals;         //!< messages and protocol bytes; the rest is behind
};

} // namespace llm
} // namespace ns3

#endif // LLM_NCCL_TRANSPORT_H
