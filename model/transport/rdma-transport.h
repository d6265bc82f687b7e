/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_H
#define RDMA_TRANSPORT_H

#include "llm-message-transport.h"
#include "rdma-congestion-ops.h"
#include "rdma-nic.h"
#include "rdma-path-selector.h"
#include "rdma-reliability.h"
#include "rdma-work-request.h"

#include "ns3/llm-frame-port.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Messages between ranks over RoCEv2 reliable connections. A connection of two queue pairs is made
 * when a rank pair first uses a channel, and lives as long as the transport; congestion state
 * survives between messages. Set attributes before the first AddRank.
 */
class RdmaTransport final : public MessageTransport, public RdmaWorkListener
{
  public:
    /**
     * @param source endpoint.
     * @param destination endpoint.
     * @return path between them, without line rate, MTU and wire bytes, which the NIC knows:
     *         baseRtt is two times propagation plus store-and-forward of a packet of @p wireBytes.
     */
    using PathQuery =
        std::function<RdmaPathInfo(uint32_t source, uint32_t destination, uint32_t wireBytes)>;

    /** @return type id. */
    static TypeId GetTypeId();
    RdmaTransport();
    ~RdmaTransport() override;

    /** @param query answers questions about paths; used when connections are made. */
    void SetPathQuery(PathQuery query);

    /**
     * Make a rank known; in rank order, so that events keep topology order.
     * @param rank number.
     * @param port of its endpoint.
     * @param node gets the NIC aggregated. If it has one at that port already, of another
     * transport, both share it; the NIC's settings are those of the first, congestion control and
     *        queue pairs each has of its own.
     * @throw ConfigError if the rank exists already, or the attributes want another NIC than the
     *        one that is there.
     */
    void AddRank(uint32_t rank, FramePort* port, Ptr<Node> node);

    /**
     * The same for an endpoint with several ports.
     * @param rank number.
     * @param ports of its endpoint, in their order; 1 to 255.
     * @param node gets the NIC aggregated.
     * @throw ConfigError if the rank exists already, or there is no port.
     */
    void AddRank(uint32_t rank, const std::vector<FramePort*>& ports, Ptr<Node> node);

    /**
     * Give the queue pairs of one traffic class their own congestion control.
     * @param trafficClass 0..7.
     * @param factory makes it.
     */
    void SetCongestionControl(uint8_t trafficClass, const ObjectFactory& factory);
    /** @param factory makes the congestion control of all classes without their own. */
    void SetCongestionControl(const ObjectFactory& factory);

    /** Says whether a queue pair is meant; called when it is made, and again when it is renewed.
     * Its ranks, channel and class are known. */
    using QueuePairFilter = std::function<bool(const RdmaQueuePair&)>;

    /**
     * Give the queue pairs that a function chooses their own congestion control, before that of
     * their class; where several fit, the last that was set counts.
     * @param filter true: this one.
     * @param factory makes it.
     */
    void SetCongestionControl(QueuePairFilter filter, const ObjectFactory& factory);

    /**
     * The same for what one rank sends to another.
     * @param from sending rank.
     * @param to receiving rank.
     * @param channel of the connection.
     * @param factory makes it.
     */
    void SetCongestionControl(uint32_t from,
                              uint32_t to,
                              uint16_t channel,
                              const ObjectFactory& factory);

    /**
     * The same for all that some ranks send, as those of one job.
     * @param first rank.
     * @param last rank, which is one of them.
     * @param factory makes it.
     */
    void SetCongestionControlOfRanks(uint32_t first, uint32_t last, const ObjectFactory& factory);

    // -- verbs
    /** Is told of completions; from fabric events. Those of one queue pair's send queue come in the
     *  order of posting, those of its receive queue likewise. */
    using CompletionCallback =
        std::function<void(const RdmaQueuePair& queuePair, const RdmaWorkCompletion& completion)>;

    /** @param callback is told of all completions of this transport. */
    void SetCompletionCallback(CompletionCallback callback);

    /**
     * Connect two ranks, unless they are: the pair that messages between them use as well.
     * @param local rank on this side.
     * @param remote rank on the other side.
     * @param channel of the connection.
     * @param trafficClass of a new connection.
     * @return queue pair of the local rank.
     * @throw ConfigError if a rank is unknown or both are the same.
     */
    RdmaQueuePair& OpenQueuePair(uint32_t local,
                                 uint32_t remote,
                                 uint16_t channel = 0,
                                 uint8_t trafficClass = 3);

    /**
     * Post a work request to a send queue. Work is carried out in the order of posting; many
     * requests may be open.
     * @param queuePair from OpenQueuePair.
     * @param request copied.
     * @return false if MaxSendRequests are open (ibv_post_send: ENOMEM); nothing is posted then.
     * @throw ConfigError if the length is 0 or above 2^31.
     */
    bool PostSend(RdmaQueuePair& queuePair, const RdmaWorkRequest& request);

    /**
     * Post a receive, which a SEND or a WRITE with immediate data of the peer consumes. Without
     * attribute PostedReceives there is always one, and this only gives it a name.
     * @param queuePair from OpenQueuePair.
     * @param workRequestId for the completion.
     */
    void PostReceive(RdmaQueuePair& queuePair, uint64_t workRequestId);

    // -- MessageTransport
    void Announce(const Message& expected) override;
    void Send(const Message& message) override;
    FabricEventQueue& GetEventQueue() override;
    TransportTotals GetTotals() const override;
    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const override;

    /** @return NICs in the order of AddRank. */
    const std::vector<Ptr<RdmaNic>>& GetNics() const;
    /** @return path MTU, bytes. */
    uint32_t GetPathMtu() const;
    /** @return number of queue pairs. */
    uint64_t GetQueuePairCount() const;
    /** @return queue pair of @p from towards @p to, nullptr if they never talked. */
    const RdmaQueuePair* FindQueuePair(uint32_t from, uint32_t to, uint16_t channel) const;

    // -- RdmaWorkListener
    void WorkDelivered(RdmaQueuePair& queuePair, const RdmaWork& work, int64_t now) override;
    void WorkAcknowledged(RdmaQueuePair& queuePair, const RdmaWork& work, int64_t now) override;
    void WorkFailed(RdmaQueuePair& queuePair,
                    const RdmaWork& work,
                    const std::string& reason) override;

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t NO_NIC = UINT32_MAX; //!< rank not here

    /** @return settings for NICs, from the attributes. */
    RdmaNicConfig MakeConfig() const;
    /** @return key of a connection's one direction. */
    static uint64_t MakeKey(uint32_t from, uint32_t to, uint16_t channel);
    /** @return queue pair to send on, made if needed. */
    RdmaQueuePair* GetQueuePair(const Message& message);
    /** @return NIC at a port, made if there is none. */
    Ptr<RdmaNic> FindOrMakeNic(uint32_t rank, const std::vector<FramePort*>& ports, Ptr<Node> node);
    /** @throw ConfigError if a NIC is set up otherwise than this transport wants. */
    void CheckShared(uint32_t rank, const RdmaNicConfig& present) const;
    /** @return what the congestion control of a queue pair knows of its path. */
    RdmaPathInfo DescribePath(const RdmaQueuePair& local, const RdmaQueuePair& peer) const;
    /** @return a congestion control. */
    Ptr<RdmaCongestionOps> MakeCongestionControl(const RdmaQueuePair& queuePair,
                                                 uint8_t trafficClass) const;
    /** Tell of a work request. */
    void CompleteRequest(RdmaQueuePair& queuePair,
                         const RdmaWork& work,
                         RdmaCompletionStatus status,
                         int64_t now);
    /** Tell of a work request that failed. */
    void FailRequest(RdmaQueuePair& queuePair, const RdmaWork& work);
    /** Tell of a receive. */
    void CompleteReceive(const RdmaQueuePair& queuePair,
                         const RdmaWork& work,
                         uint64_t workRequestId,
                         int64_t now);
    /** @return bytes of an open READ that have come. */
    uint64_t GetReadBytes(const RdmaQueuePair& queuePair, const RdmaWork& work) const;
    /** @return a queue pair for one message, from those that are idle or new. */
    RdmaQueuePair* GetFreshQueuePair(const Message& message);
    /** @throw ConfigError if this transport cannot carry a message. */
    static void CheckMessage(const Message& message);
    /** Make the two queue pairs of a connection. @return the one of message.from. */
    RdmaQueuePair* MakeConnection(const Message& message, uint16_t channel);
    /** @return NIC of a rank. @throw ConfigError if there is none. */
    RdmaNic& GetNic(uint32_t rank) const;

    uint32_t m_pathMtu{0};           //!< attribute PathMtu
    uint32_t m_ackInterval{0};       //!< attribute AckInterval
    uint64_t m_initialPsn{0};        //!< attribute InitialPsn
    uint8_t m_cnpClass{0};           //!< attribute CnpClass
    bool m_ecnCapable{false};        //!< attribute EcnCapable
    Time m_cnpInterval;              //!< attribute CnpInterval
    Time m_timeout;                  //!< attribute RetransmissionTimeout
    uint32_t m_retryCount{0};        //!< attribute RetryCount
    uint64_t m_maxWorkBytes{0};      //!< attribute MaxWriteBytes
    RdmaVerb m_verb{RDMA_WRITE};     //!< attribute Verb
    uint32_t m_maxReads{0};          //!< attribute MaxReads
    uint32_t m_maxSendRequests{0};   //!< attribute MaxSendRequests
    bool m_postedReceives{false};    //!< attribute PostedReceives
    uint8_t m_rnrTimer{0};           //!< attribute RnrTimer
    uint32_t m_rnrRetryCount{0};     //!< attribute RnrRetryCount
    Time m_transmitDelay;            //!< attribute TransmitDelay
    Time m_receiveDelay;             //!< attribute ReceiveDelay
    Time m_ackDelay;                 //!< attribute AckDelay
    Time m_cnpDelay;                 //!< attribute CnpDelay
    bool m_paceAtLineRate{true};     //!< attribute PaceAtLineRate
    uint32_t m_packetHeader{0};      //!< attribute PacketHeader
    uint32_t m_firstPacketHeader{0}; //!< attribute FirstPacketHeader
    uint32_t m_ackBytes{0};          //!< attribute AckBytes
    CompletionCallback m_completion; //!< is told of completions
    /** Congestion control of chosen queue pairs; the last that fits counts. */
    std::vector<std::pair<QueuePairFilter, ObjectFactory>> m_chosenFactories;
    bool m_fresh{false};                          //!< attribute FreshQueuePairs
    RdmaPortSelection m_portSelection{PORT_HASH}; //!< attribute PortSelection
    TypeId m_congestionType;                      //!< attribute CongestionControl
    Ptr<RdmaReliability> m_reliability;           //!< attribute Reliability
    Ptr<RdmaPathSelector> m_paths;                //!< attribute PathSelector
    PathQuery m_pathQuery;                        //!< about paths
    ObjectFactory m_factory;  //!< of congestion control; unset: of m_congestionType
    bool m_hasFactory{false}; //!< m_factory is set
    std::vector<ObjectFactory> m_classFactories;               //!< by class, if set
    std::vector<uint8_t> m_hasClassFactory;                    //!< by class
    std::vector<Ptr<RdmaNic>> m_nics;                          //!< in order of AddRank
    std::vector<uint32_t> m_nicOfRank;                         //!< index into m_nics by rank
    std::unordered_map<uint64_t, RdmaQueuePair*> m_queuePairs; //!< by MakeKey; never iterated
    /** FreshQueuePairs: idle ones of a pair of ranks, by MakeKey with their class; never iterated.
     */
    std::unordered_map<uint64_t, std::vector<RdmaQueuePair*>> m_idle;
    uint16_t m_flows{0};      //!< FreshQueuePairs: tells flows apart
    TransportTotals m_totals; //!< messages; the rest is in the queue pairs
};

} // namespace llm
} // namespace ns3

#endif // RDMA_TRANSPORT_H
