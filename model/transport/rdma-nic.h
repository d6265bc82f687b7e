/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "rdma-delay-port.h"
#include "rdma-go-back.h"
#include "rdma-nic-numbers.h"
#include "rdma-nic-port.h"
#include "rdma-path-selector.h"
#include "rdma-queue-pair.h"
#include "rdma-selective-reliability.h"

#include "ns3/fabric-event-queue.h"
#include "ns3/llm-frame-port.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Whom a NIC tells about work.
 */
class RdmaWorkListener
{
  public:
    /** All bytes are where they should be.
     *  @param queuePair that has them: the responder's, for a READ the requester's.
     *  @param work of the requester. @param now tick. */
    virtual void WorkDelivered(RdmaQueuePair& queuePair, const RdmaWork& work, int64_t now) = 0;
    /** The requester has the last acknowledgement; the work is freed after.
     *  @param queuePair of the requester. @param work of it. @param now tick. */
    virtual void WorkAcknowledged(RdmaQueuePair& queuePair, const RdmaWork& work, int64_t now) = 0;
    /** Retries are exhausted: this message, like all of its queue pair, will not be acknowledged.
     *  @param queuePair that gave up. @param work last of a message. @param reason one line. */
    virtual void WorkFailed(RdmaQueuePair& queuePair,
                            const RdmaWork& work,
                            const std::string& reason) = 0;

  protected:
    ~RdmaWorkListener() = default;
};

/** How the queue pairs of a NIC are spread over its ports. */
enum RdmaPortSelection
{
    PORT_HASH,       //!< by ranks and channel
    PORT_ROUND_ROBIN //!< one after the other, in the order in which they are made
};

/** Settings that all NICs of a transport share. */
struct RdmaNicConfig
{
    uint32_t pathMtu{4096};                 //!< payload bytes per packet
    uint32_t ackInterval{1};                //!< packets per requested ACK
    uint64_t initialPsn{0};                 //!< of new queue pairs, both directions
    uint8_t cnpClass{6};                    //!< traffic class of CNPs
    int64_t cnpIntervalTicks{0};            //!< least time between CNPs of a queue pair
    int64_t timeoutTicks{0};                //!< retransmission timeout; 0: RdmaAckTimeout::Scale
    uint32_t retryCount{7};                 //!< timeouts without progress before failure
    bool ecnCapable{true};                  //!< data is sent ECT(0)
    uint64_t maxWorkBytes{1ULL << 30};      //!< longest work request; longer messages are several
    RdmaVerb verb{RDMA_WRITE};              //!< of messages that name none
    uint32_t maxReads{16};                  //!< READs of a queue pair that may be under way
    bool postedReceives{false};             //!< SENDs and immediate data need a posted receive
    uint8_t rnrTimer{12};                   //!< code of the time that an RNR NAK asks to wait
    uint32_t rnrRetryCount{7};              //!< RNR NAKs for one packet before failure; 7: no limit
    int64_t transmitDelayTicks{0};          //!< from posting to the first packet's being ready
    RdmaNicDelays delays;                   //!< at its ports
    bool paceAtLineRate{true};              //!< false: at line rate, the port alone decides
    uint32_t packetHeader{wire::ROCE_BASE}; //!< bytes of a data packet beside its payload
    uint32_t firstPacketHeader{wire::RETH}; //!< and of the first of a WRITE
    uint32_t ackBytes{wire::ACK_FRAME};     //!< of an ACK or NAK
    RdmaPortSelection portSelection{PORT_HASH}; //!< at NICs with several ports
};

/**
 * @ingroup llm-training
 *
 * An RDMA NIC, aggregated to its node: pacing, segmentation, acknowledgements, CNPs, timers. One
 * fabric event for all its timers.
 *
 * It has one port or several of the same endpoint (dual ToR, dual plane). A queue pair is bound to
 * one of them, sends there, and moves to the next one that is up when that one's link goes down;
 * it comes back when the link does. Answers leave at the port where the data came in.
 */
class RdmaNic final : public Object, public FabricEventHandler
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaNic();
    ~RdmaNic() override;

    /**
     * A user is going away: nobody listens to its queue pairs any more. With the last user, all
     * queue pairs are forgotten.
     * @param listener of its queue pairs.
     */
    void Leave(const RdmaWorkListener* listener);

    /**
     * @param ports to send and receive at, of one endpoint; at least one.
     * @param nodeId context of its events.
     * @param config settings.
     * @param reliability loss recovery.
     * @throw ConfigError if the reliability is neither RdmaGoBack nor RdmaSelectiveReliability.
     */
    void Attach(const std::vector<FramePort*>& ports,
                uint32_t nodeId,
                const RdmaNicConfig& config,
                Ptr<RdmaReliability> reliability);

    /** One more user, which takes the NIC as it is set up. */
    void Join();

    /** @return settings. */
    const RdmaNicConfig& GetConfig() const
    {
        return m_config;
    }

    /** @return a new queue pair, not yet connected. Parameters as of RdmaQueuePair. */
    RdmaQueuePair* CreateQueuePair(uint32_t localRank,
                                   uint32_t remoteRank,
                                   uint16_t channel,
                                   RdmaWorkListener* listener);

    /**
     * Tell a queue pair its peer, and bind it to a port.
     * @param local here.
     * @param peer there.
     */
    void Bind(RdmaQueuePair* local, RdmaQueuePair* peer);

    /**
     * Make a connection of two queue pairs, which both are bound.
     * @param local here.
     * @param trafficClass of both.
     * @param ops congestion control of local.
     * @param path what it knows of its path.
     * @param paths entropy of what local sends.
     */
    void Connect(RdmaQueuePair* local,
                 uint8_t trafficClass,
                 Ptr<RdmaCongestionOps> ops,
                 const RdmaPathInfo& path,
                 Ptr<RdmaPathSelector> paths);

    /**
     * Have an idle queue pair start afresh for another flow: with a congestion control that knows
     * nothing yet and another entropy. Its PSNs go on.
     * @param local here; all of its work is acknowledged.
     * @param channel by which path selectors tell flows apart.
     * @param ops new congestion control.
     * @param path what it knows of its path.
     */
    void Renew(RdmaQueuePair* local,
               uint16_t channel,
               Ptr<RdmaCongestionOps> ops,
               const RdmaPathInfo& path);

    /**
     * Post a message.
     * @param queuePair of this NIC.
     * @param message 0 bytes: delivered at the present tick without packets.
     * @param now present tick.
     * @param origin who posts it.
     */
    void Post(RdmaQueuePair* queuePair,
              const Message& message,
              int64_t now,
              RdmaWorkOrigin origin = RdmaWorkOrigin::MESSAGE);

    /**
     * Post a receive.
     * @param queuePair of this NIC.
     * @param workRequestId for the completion.
     */
    void PostReceive(RdmaQueuePair* queuePair, uint64_t workRequestId);

    /** Consume the oldest receive. @param qp of this NIC. @return its id; 0: there is none. */
    uint64_t TakeReceive(RdmaQueuePair& qp);

    /** RNR retry count that means: for ever (InfiniBand Vol. 1, 9.7.5.2.8). */
    static constexpr uint32_t INFINITE_RNR_RETRIES = 7;

    /** Numbers 0 and 1 are management queue pairs (InfiniBand Vol. 1, 3.9). */
    static constexpr uint32_t FIRST_NUMBER = 2;

    void HandleFabricEvent(FabricEventKind kind, int64_t now) override;

    /** @return loss recovery of its queue pairs. */
    Ptr<RdmaReliability> GetReliability() const
    {
        return m_reliabilityPtr;
    }

    /** @return first port. */
    FramePort* GetPort() const
    {
        return m_ports.front()->GetPort();
    }

    /** @param port of the fabric. @return true if it is this NIC's first. */
    bool IsAt(const FramePort* port) const
    {
        return m_firstPort == port;
    }

    /** @return how many times a queue pair went over to another port, because of a link's state. */
    uint64_t GetRebindings() const
    {
        return m_rebindings;
    }

    /** @return all ports. */
    const std::vector<std::unique_ptr<RdmaNicPort>>& GetPorts() const
    {
        return m_ports;
    }

    /** @return queue pairs in order of their numbers, the first is FIRST_NUMBER. */
    const std::vector<std::unique_ptr<RdmaQueuePair>>& GetQueuePairs() const
    {
        return m_queuePairs;
    }

    /** Signature of CnpSent, CnpReceived and RetransmissionTimeout. @param queuePair whose. */
    typedef void (*QueuePairTracedCallback)(const RdmaQueuePair& queuePair);
    /**
     * Signature of Rate and Window.
     * @param queuePair whose.
     * @param value bit/s or bytes.
     */
    typedef void (*ValueTracedCallback)(const RdmaQueuePair& queuePair, uint64_t value);

  protected:
    void DoDispose() override;

  private:
    friend class RdmaNicPort;
    friend class RdmaQueuePair;
    friend class RdmaTransport;

    /** Bit of RdmaQueuePair::m_needs beside RdmaCongestionOps::Needs: the path selector wants
     *  feedback. */
    static constexpr uint32_t NEEDS_PATH_FEEDBACK = uint32_t{1} << 31;

    /** What a timer is for. */
    enum class TimerKind : uint32_t
    {
        PACE,       //!< a paced queue pair may send
        TIMEOUT,    //!< retransmission
        CONTROL_0,  //!< congestion control, id 0
        CONTROL_1,  //!< congestion control, id 1
        EMPTY_WORK, //!< deliver messages of 0 bytes
        ANSWERS,    //!< answers that READ responses held back
        RESPONSE,   //!< a READ response is ready, after TransmitDelay
        NOT_READY,  //!< the time of an RNR NAK is over
        POST,       //!< posted work is ready, after TransmitDelay
        FAILURE,    //!< tell of messages that a failed queue pair was given
        REORDER     //!< selective reliability: holes have been open for too long
    };

    /** A pending timer; stale ones are skipped when they come up. */
    struct Timer
    {
        int64_t tick;       //!< when
        uint32_t queuePair; //!< whose
        TimerKind kind;     //!< what for
    };

    /** A message of 0 bytes that waits for its turn. */
    struct EmptyMessage
    {
        RdmaQueuePair* queuePair; //!< that it was posted to
        Message message;          //!< what
    };

    /** A message whose work waits for TransmitDelay. */
    struct DelayedPost
    {
        int64_t tick;             //!< until when
        RdmaQueuePair* queuePair; //!< where
        RdmaWorkOrigin origin;    //!< who
        Message message;          //!< what
    };

    /** Forget all queue pairs. */
    void Shutdown();
    /** Post what may be sent at once. */
    void PostNow(RdmaQueuePair& qp, const Message& message, int64_t now, RdmaWorkOrigin origin);
    /** Post the messages whose TransmitDelay is over. */
    void PostDelayed(int64_t now);
    /** @return @p bytes or less of a message as work of its verb, at the end of the queue. */
    RdmaWork* MakeWork(RdmaQueuePair& qp, const Message& message, uint64_t bytes);
    /** Put work at the end of the queue. */
    static void Append(RdmaQueuePair& qp, RdmaWork* work);

    // READs and receives.
    /** @return what it keeps for them, made if need be. */
    RdmaVerbState& GetVerbs(RdmaQueuePair& qp) const;
    /** @return true if its current work, a READ, may be asked for. */
    bool MayRead(const RdmaQueuePair& qp) const;
    /** @return a request for responses from a PSN on. */
    Frame* MakeReadRequest(RdmaQueuePair& qp, const RdmaWork& work, uint64_t psn, uint64_t packets);
    /** Make the request for the current work. */
    Frame* BuildReadRequest(RdmaQueuePair& qp, int64_t now);
    /** Make a request for lost responses, from @p psn on. */
    Frame* BuildMissingRead(RdmaQueuePair& qp, const RdmaWork& work, uint64_t psn, int64_t now);
    /** Count the READs under way anew. */
    static void CountReads(RdmaQueuePair& qp);
    /** @return PSN of the first response that has not come; UINT64_MAX: none is missing. */
    uint64_t FindMissingResponse(const RdmaQueuePair& qp) const;
    /** Go back to the first response that is missing. */
    void AskAgain(RdmaQueuePair& qp, int64_t now);
    /** An ACK or NAK has arrived for a queue pair that goes back and has bits of Special. */
    void ReceiveAckOfReader(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** @return @p cumulative or a higher one before, but not beyond a missing response. */
    uint64_t LimitToResponses(RdmaQueuePair& qp, uint64_t cumulative) const;
    /** Count a response. */
    void TakeResponse(RdmaQueuePair& qp,
                      const RdmaReceiveVerdict& verdict,
                      uint32_t payload,
                      bool last);
    /** A READ response has arrived. */
    void ReceiveResponse(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** Enter a response into the window of selective reliability. */
    void NoteResponse(RdmaQueuePair& qp, uint64_t psn, bool taken, bool trimmed, int64_t now);
    /** @return true if window and delay let the next response go. */
    bool MaySendResponse(const RdmaQueuePair& qp) const;
    /** @return true if its congestion control needs acknowledgements of responses. */
    static bool WantsReadAcks(const RdmaQueuePair& qp);
    /** Make the next response. */
    Frame* BuildResponse(RdmaQueuePair& qp, int64_t now);
    /** The last response to a request is made. */
    void EndResponse(RdmaQueuePair& qp, int64_t now);
    /** Send the answers that waited for responses. */
    void SendAnswers(RdmaQueuePair& qp, int64_t now);
    /** Keep an answer behind the responses that are queued. */
    void DeferAnswer(RdmaQueuePair& qp, Frame* frame);
    /** Have a request answered. @param again it came before. */
    void QueueResponse(RdmaQueuePair& qp,
                       const Frame& frame,
                       uint64_t psn,
                       bool again,
                       int64_t now);
    /** A response is ready, after TransmitDelay. */
    void ReadyResponse(RdmaQueuePair& qp, int64_t now);
    /** Take back the responses from an address on. @param heir gets the answers behind them. */
    static void ForgetResponses(RdmaQueuePair& qp, uint64_t offset, RdmaReadResponse& heir);
    /** Judge a request that stands for several packets. */
    RdmaReceiveVerdict TakeReadRequest(RdmaQueuePair& qp, uint64_t psn, uint64_t packets);
    /** A READ request has arrived. */
    void ReceiveReadRequest(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** An acknowledgement of responses has arrived. */
    void ReceiveReadAck(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** Answer a packet that would consume a receive by an RNR NAK if there is none.
     *  @return true if so; then the frame is gone. */
    bool RefuseUnready(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** An RNR NAK has arrived. */
    void ReceiveRnrNak(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** The time of an RNR NAK is over. */
    void EndNotReady(RdmaQueuePair& qp, int64_t now);
    /** Send an answer, behind the READ responses that must go before. */
    void SendAnswer(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** Send a CNP if a frame says congestion and it is time. */
    void AnswerCongestion(RdmaQueuePair& qp, const Frame& frame, int64_t now);
    /** Tell congestion control if there is nothing to send any more. */
    static void BecomeIdle(RdmaQueuePair& qp, int64_t now);
    /** Have a data packet collect telemetry, if wanted. */
    static void StartTelemetry(RdmaQueuePair& qp, Frame* frame);
    /** Enter a packet into pacing. */
    static void Pace(RdmaQueuePair& qp, uint32_t wireBytes, int64_t now);
    /** Give a queue pair its congestion control and entropy. */
    void SetControl(RdmaQueuePair* local, Ptr<RdmaCongestionOps> ops, const RdmaPathInfo& path);
    /** Order of the timer heap: earliest first, then queue pair, then kind. */
    static bool IsLater(const Timer& a, const Timer& b);
    /** What cannot be sent, since no link leads there, shall not wait for ever. */
    void GuardUnsent(RdmaQueuePair& qp, int64_t now);
    /** Add a timer and arm the event. */
    void AddTimer(int64_t tick, uint32_t queuePair, TimerKind kind);
    /** Act on a timer that is due. */
    void FireTimer(const Timer& timer, int64_t now);
    /** Put a queue pair that has something to send into the ring or behind the pacing timer. */
    void Activate(RdmaQueuePair& qp, int64_t now);
    /** @return true if the window and the PSN space let it send its next packet. */
    bool MaySend(const RdmaQueuePair& qp) const;
    /** @return index of the port that a new queue pair is bound to. */
    uint8_t SelectPort(const RdmaQueuePair& qp);
    /** @return its home port, or the next one that leads to its peer. */
    RdmaNicPort* FindPort(const RdmaQueuePair& qp) const;
    /** Bind every queue pair anew. @param now tick. @param changed port with another rate than
     *  before, or nullptr. */
    void Rebind(int64_t now, const RdmaNicPort* changed);
    /** A frame has arrived at m_arrival. */
    void ReceiveFrame(Frame* frame, int64_t now);
    /** The same, for a queue pair without new data or with bits of Special. */
    bool MaySendSpecial(const RdmaQueuePair& qp) const;
    /** Make the next packet. */
    Frame* BuildData(RdmaQueuePair& qp, int64_t now);
    /** The same under selective reliability: what is missing comes first. */
    Frame* BuildSelective(RdmaQueuePair& qp, int64_t now);
    /** Make the next packet of a queue pair with bits of Special. */
    Frame* BuildSpecial(RdmaQueuePair& qp, int64_t now);
    /** @return true if requests, not responses, of a queue pair with bits of Special may go. */
    bool MaySendRequest(const RdmaQueuePair& qp) const;
    /** @return true if selective reliability lets it send. */
    bool MaySendSelective(const RdmaQueuePair& qp) const;
    /** Selective: all below @p psn is acknowledged. */
    void AdvanceTo(RdmaQueuePair& qp, uint64_t psn, int64_t now);
    /** Selective: find losses, and have them sent again. */
    void FindLosses(RdmaQueuePair& qp, int64_t now);
    /** Make the next new packet, or the next one from where the queue pair went back to. */
    Frame* BuildNext(RdmaQueuePair& qp, int64_t now);
    /** Make the oldest packet that is missing. */
    Frame* BuildMissing(RdmaQueuePair& qp, int64_t now);
    /** @return a packet without flags but FIRST, LAST, ECT, IMMEDIATE. @param work that it is
     *  part of. @param psn of it. @param offset of its first byte. */
    Frame* MakeData(RdmaQueuePair& qp, const RdmaWork& work, uint64_t psn, uint64_t offset);
    /** A packet is complete but for telemetry: pacing, timer, congestion control. */
    void FinishData(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** A data packet has arrived. */
    void ReceiveData(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** A data packet has arrived that is not simply the next. */
    void ReceiveUnusual(RdmaQueuePair& qp,
                        Frame* frame,
                        const RdmaReceiveVerdict& verdict,
                        int64_t now);
    /** Take back what was taken of the message that is being received. */
    static void DiscardProgress(RdmaQueuePair& qp);
    /** Answer a packet that is not simply the next, and free it or send it back. */
    void Reply(RdmaQueuePair& qp, Frame* frame, const RdmaReceiveVerdict& verdict, int64_t now);
    /** An ACK or NAK has arrived. */
    void ReceiveAck(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** The same, for a queue pair with bits of Special. */
    void ReceiveAckSpecial(RdmaQueuePair& qp, Frame* frame, int64_t now);
    /** Enter what a frame says into the window. @return payload newly known to have arrived. */
    uint64_t NoteAnswer(RdmaQueuePair& qp, const Frame& frame, int64_t now);
    /** Tell congestion control and path selector of an ACK or NAK. @param acked payload. */
    void TellOfAck(RdmaQueuePair& qp, const Frame& frame, uint64_t acked, int64_t now);
    /** A NAK has arrived for a queue pair that goes back. */
    void HandleNak(RdmaQueuePair& qp, uint64_t psn, bool trimmed, int64_t now);
    /** A loss was noticed before a timeout. */
    void TellOfLoss(RdmaQueuePair& qp, RdmaLossKind kind, int64_t now);
    /** Everything below @p psn is acknowledged. @return payload newly acknowledged. */
    uint64_t Acknowledge(RdmaQueuePair& qp, uint64_t psn, int64_t now);
    /** Send again from @p psn. */
    void GoBack(RdmaQueuePair& qp, uint64_t psn);
    /** Turn a received frame into an answer to its sender. */
    void FillAnswer(RdmaQueuePair& qp, Frame* frame, FrameKind kind);
    /** The same, and send it. */
    void Answer(RdmaQueuePair& qp, Frame* frame, FrameKind kind, int64_t now);
    /** Send a CNP. */
    void SendCnp(RdmaQueuePair& qp, int64_t now);
    /** The oldest unacknowledged packet has waited too long. */
    void HandleTimeout(RdmaQueuePair& qp, int64_t now);
    /** @return true if selective reliability has it wait longer. */
    bool ExtendTimeout(RdmaQueuePair& qp, int64_t now);
    /** Have a REORDER timer while there are holes. */
    void ArmReorder(RdmaQueuePair& qp, int64_t now);
    /** Holes have been open for too long. */
    void HandleReorder(RdmaQueuePair& qp, int64_t now);
    /** Tell of every message of a failed queue pair that was not told of before. */
    void ReportFailure(RdmaQueuePair& qp);
    /** Start the retransmission timer anew. */
    void RestartTimeout(RdmaQueuePair& qp, int64_t now);
    /** Take note of rate and window. */
    void ReadControl(RdmaQueuePair& qp, int64_t now);
    /** @return the work that @p psn belongs to; nullptr if it is not posted yet. */
    static RdmaWork* FindWork(const RdmaQueuePair& qp, uint64_t psn);
    /** @return payload bytes below @p psn, which lies in @p work or at its end. */
    uint64_t BytesBelow(const RdmaWork& work, uint64_t psn) const;
    /** @return a work item from the pool. */
    RdmaWork* AllocateWork();
    /** @param work goes back to the pool. */
    void FreeWork(RdmaWork* work);

    RdmaNicPort* m_arrival{nullptr};                          //!< where the last frame came in
    FabricEventQueue* m_events{nullptr};                      //!< event core
    FramePool* m_pool{nullptr};                               //!< frames
    RdmaReliability* m_reliability{nullptr};                  //!< same as m_reliabilityPtr
    RdmaGoBack* m_goBack{nullptr};                            //!< the same, or nullptr
    RdmaSelectiveReliability* m_selective{nullptr};           //!< the same, or nullptr
    uint32_t m_laterBytes{0};                                 //!< RETH of later packets, if any
    RdmaNicConfig m_config;                                   //!< settings
    uint64_t m_ticksPerSecond{1};                             //!< resolution of time
    uint32_t m_eventId{0};                                    //!< of NIC_TIMER
    int64_t m_armedAt{INT64_MAX};                             //!< earliest pending NIC_TIMER
    uint32_t m_nextPort{0};                                   //!< of the round robin over ports
    uint64_t m_rebindings{0};                                 //!< of queue pairs to other ports
    std::vector<std::unique_ptr<RdmaNicPort>> m_ports;        //!< ports
    std::vector<std::unique_ptr<RdmaDelayPort>> m_delayPorts; //!< before them, if there are delays
    const FramePort* m_firstPort{nullptr};                    //!< of the fabric
    std::deque<DelayedPost> m_delayedPosts;                   //!< in order of their ticks
    std::vector<Timer> m_timers;                              //!< binary heap, earliest first
    std::vector<std::unique_ptr<RdmaQueuePair>> m_queuePairs; //!< by number
    std::vector<EmptyMessage> m_emptyMessages;                //!< to deliver
    uint32_t m_users{0};                                      //!< transports
    RdmaWork* m_freeWork{nullptr};                            //!< pool
    std::vector<std::unique_ptr<RdmaWork[]>> m_workSlabs;     //!< its storage
    Ptr<RdmaReliability> m_reliabilityPtr;                    //!< loss recovery

    TracedCallback<const RdmaQueuePair&> m_cnpSentTrace;          //!< CnpSent
    TracedCallback<const RdmaQueuePair&> m_cnpReceivedTrace;      //!< CnpReceived
    TracedCallback<const RdmaQueuePair&> m_timeoutTrace;          //!< RetransmissionTimeout
    TracedCallback<const RdmaQueuePair&, uint64_t> m_rateTrace;   //!< Rate
    TracedCallback<const RdmaQueuePair&, uint64_t> m_windowTrace; //!< Window
};

inline bool
RdmaNic::MaySend(const RdmaQueuePair& qp) const
{
    if (!qp.m_currentWork || qp.m_special)
    {
        return MaySendSpecial(qp);
    }
    const uint64_t inFlight = qp.m_sentBytes - qp.m_ackedBytes;
    if (inFlight == 0)
    {
        return true; // a window below one packet still lets one through
    }
    const uint64_t end = qp.m_currentWork->offset + qp.m_currentWork->bytes;
    const uint64_t payload = std::min<uint64_t>(m_config.pathMtu, end - qp.m_sentBytes);
    return inFlight + payload <= qp.m_window &&
           qp.m_nextPsn - qp.m_unackedPsn < rdmanic::MAX_OUTSTANDING - 1;
}

inline void
RdmaNic::SendAnswer(RdmaQueuePair& qp, Frame* frame, int64_t now)
{
    if (qp.m_special & RdmaQueuePair::RESPONDS)
    {
        DeferAnswer(qp, frame);
        return;
    }
    m_arrival->m_port->SendFrame(frame, now);
}

inline void
RdmaNic::AnswerCongestion(RdmaQueuePair& qp, const Frame& frame, int64_t now)
{
    if ((frame.flags & Frame::CE) && now >= qp.m_nextCnpAt &&
        (qp.m_peer->m_needs & RdmaCongestionOps::NEEDS_CNP))
    {
        qp.m_nextCnpAt = now + m_config.cnpIntervalTicks;
        SendCnp(qp, now);
    }
}

[[gnu::always_inline]] inline void
RdmaNic::StartTelemetry(RdmaQueuePair& qp, Frame* frame)
{
    if (qp.m_needs & RdmaCongestionOps::NEEDS_INT)
    {
        frame->flags |= Frame::INT;
        FramePool::StartInt(*frame, qp.m_intBytesPerHop);
    }
}

[[gnu::always_inline]] inline void
RdmaNic::Pace(RdmaQueuePair& qp, uint32_t wireBytes, int64_t now)
{
    const uint64_t fraction = now == qp.m_nextSendAt ? qp.m_paceFraction : 0;
    const uint64_t interval = wireBytes * qp.m_ticksPerByte + fraction;
    qp.m_nextSendAt = now + static_cast<int64_t>(interval >> RdmaQueuePair::PACE_BITS);
    qp.m_paceFraction = static_cast<uint32_t>(interval & ((1U << RdmaQueuePair::PACE_BITS) - 1));
    qp.m_lastSendAt = now;
    qp.m_lastWireBytes = wireBytes;
    if (qp.m_needs & RdmaCongestionOps::NEEDS_SEND)
    {
        qp.m_ops->OnSend(TimeStep(now), wireBytes);
    }
}

} // namespace llm
} // namespace ns3

#endif // RDMA_NIC_H
